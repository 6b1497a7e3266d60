"""From a Batch or a Data to a page in the browser."""

import errno
import importlib.util
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..batch.batch import Batch
from ..data import Data
from ..errors import LanewiseError
from ..functions import get_state, set_state
from ..loaders import load
from ..model import Model

if TYPE_CHECKING:
    from .window import Viewer

HOST, PORT = "127.0.0.1", 8080
MISSING = "the viewer needs viser and mjviser: pip install 'lanewise[viewer]'"
ANYWHERE = ("0.0.0.0", "::")


class PortInUse(LanewiseError, OSError):
    """Somebody listens there already."""


def view(
    worlds: Any, *, control: Callable | None = None, host: str = HOST, port: int = PORT,
    name: str | None = None, play: bool = False, block: bool = True,
) -> "Viewer | None":  # fmt: skip
    """Show the worlds of a Batch or a Data in a browser, where they can be run, dragged and looked
    at; the address is printed. Needs the extra: pip install 'lanewise[viewer]'.

    The worlds themselves are moved: when it ends, they are as they were last seen. control is a
    function of the Batch, called before each step (see Batch.step); kernels of the model run
    anyway. host: who may look, by default programs of this machine only; "0.0.0.0" lets everybody
    in who can reach it. port: 0 takes any that is free. name: what stands above the panel. play:
    run at once.

    With block=True it returns None when it is closed by Ctrl-C. With block=False it returns a
    Viewer at once: `viewer.close()` ends it, `viewer.save(path)` writes what was recorded, and who
    steps the worlds in a loop of their own, with `viewer.lock` held, sees that too.
    """
    batch, finish = _as_batch(worlds)
    viewer = open_viewer(batch, control=control, host=host, port=port, name=name)
    if play:
        viewer.play()
    viewer.on_close = finish
    if not block:
        print(address(viewer), flush=True)
        return viewer
    serve(viewer)
    return None


def open_viewer(
    batch: Any, *, control: Callable | None = None, host: str = HOST, port: int = PORT,
    name: str | None = None,
) -> "Viewer":  # fmt: skip
    """A Viewer of a Batch, which listens."""
    check_extra()
    from .pages import start_server, stop_server
    from .session import Session
    from .window import Viewer

    model = batch.model if isinstance(batch.model, Model) else load(batch.model)
    if control is not None and not callable(control):
        raise TypeError(f"control is a function of the Batch, got {type(control).__name__}")
    check_port(host, port)
    server = start_server(host, port or free_port(host))
    try:
        session = Session(batch, model, control)
        return Viewer(session, server, name or _name(model), _controlled(model, control))
    except BaseException:
        stop_server(server)
        raise


def check_extra() -> None:
    """Raise ImportError, in one line, if what draws is not installed."""
    if any(importlib.util.find_spec(name) is None for name in ("viser", "mjviser")):
        raise ImportError(MISSING)


def address(viewer: "Viewer") -> str:
    """Where it is, and who can see it."""
    if viewer.server.get_host() in ANYWHERE:
        who = "anybody who can reach this machine can see and move it"
    else:
        who = "this machine only; --host 0.0.0.0 lets others in"
    return f"viewer at {viewer.url} ({who}); Ctrl-C ends it"


def serve(viewer: "Viewer") -> None:
    """Say where it is, and wait for Ctrl-C, which is how it ends."""
    try:
        print(address(viewer), flush=True)
        viewer.wait()
    except KeyboardInterrupt:
        pass
    finally:
        viewer.close()


def check_port(host: str, port: int) -> None:
    """Raise if nobody could listen there; in one line that says what to do."""
    if not 0 <= port < 65536:
        raise ValueError(f"a port is from 0 to 65535, got {port}")
    if not port:
        return
    try:
        free_port(host, port)
    except socket.gaierror:
        raise ValueError(f"no address of this machine: {host!r}; try 127.0.0.1") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortInUse(f"port {port} is in use: take another (--port {port + 1}), or any"
                            " that is free (--port 0)") from None  # fmt: skip
        if error.errno in (errno.EACCES, errno.EPERM):
            raise PortInUse(f"port {port} may not be used by you: take one from 1024") from None
        if error.errno == errno.EADDRNOTAVAIL:
            raise ValueError(f"no address of this machine: {host!r}; try 127.0.0.1") from None
        raise


def free_port(host: str, port: int = 0) -> int:
    """The port, or any that is free if it is 0; OSError if it is not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        return probe.getsockname()[1]


def _as_batch(worlds: Any) -> tuple[Batch, Callable[[], None] | None]:
    """A Batch of the worlds, and what takes their states back at the end."""
    if isinstance(worlds, Batch):
        return worlds, None
    if not isinstance(worlds, Data):
        kind = type(worlds).__name__
        raise TypeError(f"lanewise.view shows a Batch or a Data, got {kind}")
    m = worlds.model
    batch = Batch(m, nsim=worlds.lanes)
    batch.set_state(np.atleast_2d(get_state(m, worlds)))

    def finish() -> None:
        state = batch.get_state()
        set_state(m, worlds, state[0] if worlds.lanes == 1 else state)

    return batch, finish


def _controlled(model: Model, control: Callable | None) -> bool:
    """Whether code of the user's writes controls."""
    return control is not None or (model.user is not None and "control" in model.user.called)


def _name(model: Model) -> str:
    names = model.mj.names
    return names[: names.index(b"\0")].decode(errors="replace") or "worlds"
