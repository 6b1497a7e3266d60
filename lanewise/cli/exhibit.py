"""How the demo ends: some of its worlds are shown.

On a terminal they go on in the viewer, if that is installed. Elsewhere, as in a log, nobody could
press Ctrl-C, and a page is written that plays what they did.
"""

import importlib.util
import sys
import tempfile
from pathlib import Path

import numpy as np

from ..batch.batch import Batch
from ..loaders import load
from . import measure

SHOWN = 16  # worlds
SECONDS = 3.0  # of simulation on the page
FPS = 50.0
PAGE = "demo.html"


def show(worlds: measure.Worlds, name: str, nthread: int, page: str | None = None) -> None:
    """Serve the worlds until Ctrl-C, or write the page, and say where it is."""
    batch = begun(worlds, nthread)
    if page is None and on_terminal() and has_viewer():
        from ..viewer import view

        print(f"{batch.nsim} of the worlds, from the start:")
        view(batch, name=name, port=free_port(), play=True)
        return
    place = write_page(batch, name, Path(page or PAGE))
    print(f"{batch.nsim} of the worlds are in {place.resolve()}: open it in a browser")
    if page is None and on_terminal():
        print("to see them here and drag them about: pip install 'lanewise[viewer]'")


def begun(worlds: measure.Worlds, nthread: int, most: int = SHOWN) -> Batch:
    """The first of the worlds, in the states that they started from."""
    n = min(most, worlds.nsim)
    batch = Batch(load(worlds.mj), n, nthread)
    batch.qpos[:], batch.qvel[:], batch.ctrl[:] = worlds.qpos[:n], worlds.qvel[:n], worlds.ctrl[:n]
    return batch


def on_terminal() -> bool:
    """Whether somebody sits there who reads, and could press Ctrl-C."""
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty())


def has_viewer() -> bool:
    """Whether the viewer is installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("viser", "mjviser"))


def free_port(port: int = 8080) -> int:
    """The port, or 0 for any that is free if somebody listens there."""
    import socket

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return 0
    return port


def write_page(batch: Batch, name: str, place: Path, seconds: float = SECONDS) -> Path:
    """The motion of the worlds, as one file that plays in a browser."""
    from ..runs import replay

    nstep = max(1, round(seconds / batch.model.opt.timestep))
    start = batch.qpos.copy()
    qpos = np.moveaxis(batch.rollout(nstep, record=("qpos",))["qpos"], 0, 1)
    with tempfile.TemporaryDirectory() as folder:
        binary, clip = Path(folder) / "model.mjb", Path(folder) / "clip.npz"
        batch.model.save(binary)
        np.savez(
            clip,
            time=batch.model.opt.timestep * np.arange(nstep + 1),
            qpos=np.concatenate((start[None], qpos)),
            model=np.frombuffer(binary.read_bytes(), np.uint8),
        )
        return replay(clip, place, fps=FPS, title=f"lanewise demo: {name}", force=True)
