"""The page that is served: viser's, under our name.

viser's page asks for something that the browser then complains about at every press on a body: to
prevent the default of an event that react-three-fiber listens to passively. So the page begins with
a script that makes these listeners active. viser takes its page from its own folder and has no
argument for another; if a later version has no such way in, its own page is served, and works.
"""

import contextlib
import io
import tempfile
import threading
from pathlib import Path
from typing import Any

import viser
import viser.infra

TITLE = "Lanewise"
SCRIPT = """<script>
  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    const active = type === "pointerdown" && options && options.passive;
    return listen.call(this, type, listener, active ? {...options, passive: false} : options);
  };
</script>"""
_one_at_a_time = threading.Lock()


def start_server(host: str, port: int) -> viser.ViserServer:
    """A server that listens, and says nothing: we say ourselves where the page is."""
    folder = tempfile.TemporaryDirectory(prefix="lanewise-view-")
    root = write_page(Path(folder.name))
    theirs = viser.infra.WebsockServer

    class Ours(theirs):  # type: ignore[misc, valid-type]
        def __init__(self, *given: Any, **named: Any):
            if root is not None and "http_server_root" in named:
                named["http_server_root"] = root
            super().__init__(*given, **named)

    with _one_at_a_time, contextlib.redirect_stdout(io.StringIO()):
        viser.infra.WebsockServer = Ours
        try:
            server = viser.ViserServer(host=host, port=port, verbose=False)
        finally:
            viser.infra.WebsockServer = theirs
    server.lanewise_page = folder  # as long as it is served
    return server


def stop_server(server: viser.ViserServer) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()
    server.lanewise_page.cleanup()


def write_page(folder: Path) -> Path | None:
    """Put our page into a folder; None if viser's has changed beyond recognition."""
    source = Path(viser.__file__).parent / "client" / "build" / "index.html"
    try:
        page = source.read_text(encoding="utf-8")
    except OSError:
        return None
    if "<head>" not in page:
        return None
    page = page.replace("<title>Viser</title>", f"<title>{TITLE}</title>")
    page = page.replace("<head>", f"<head>{SCRIPT}", 1)
    (folder / "index.html").write_text(page, encoding="utf-8")
    return folder
