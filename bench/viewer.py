"""How fast the viewer is, on the side of the server: python -m bench.viewer [MODEL] [--seconds N]

A viewer is opened and plays, without a browser or with `--browsers N` programs that take the
messages and throw them away. Counted are pictures that were made, and the time that was simulated,
for each second of the clock; and, of each picture, what looking at the state, drawing and the
panels take. What a browser then does with it depends on its graphics processor.
"""

import argparse
import asyncio
import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import lanewise as lw
from lanewise import models
from lanewise.cli.terminal import table
from lanewise.viewer.opening import open_viewer


@dataclass(frozen=True)
class Speed:
    """Of one number of worlds."""

    worlds: int
    pictures: float  # a second
    factor: float  # of real time
    cost: float  # milliseconds that a picture takes


def listen(url: str, stopping: threading.Event) -> None:
    """Take what a browser would, and drop it."""
    import viser
    import websockets

    async def take() -> None:
        protocol = websockets.Subprotocol(f"viser-v{viser.__version__}")
        address = url.replace("http", "ws")
        async with websockets.connect(
            address, subprotocols=[protocol], max_size=None, compression=None
        ) as socket:
            while not stopping.is_set():
                try:
                    await asyncio.wait_for(socket.recv(), 0.2)
                except TimeoutError:
                    continue

    asyncio.run(take())


def measure(model: Any, worlds: int, seconds: float, browsers: int) -> Speed:
    """Open a viewer, let it play, count."""
    m = lw.load(models.path(model) if model in models.names() else model)
    batch = lw.Batch(m, worlds)
    batch.qvel[1:] += 0.1 * np.random.default_rng(0).standard_normal((worlds - 1, m.nv))
    viewer = open_viewer(batch, port=0)
    stopping, spent, drawn = threading.Event(), [0.0], [0]
    draw = viewer._draw

    def timed(frame: Any) -> None:
        begin = time.perf_counter()
        draw(frame)
        spent[0] += time.perf_counter() - begin
        drawn[0] += 1

    viewer._draw = timed  # type: ignore[method-assign]
    threads = [
        threading.Thread(target=listen, args=(viewer.url, stopping), daemon=True)
        for _ in range(browsers)
    ]
    try:
        for thread in threads:
            thread.start()
        viewer.play()
        time.sleep(1.0)
        clock, before, took = viewer.session.frame.clock, drawn[0], spent[0]
        begin = time.perf_counter()
        time.sleep(seconds)
        passed = time.perf_counter() - begin
        simulated, made = viewer.session.frame.clock - clock, drawn[0] - before
        cost = 1e3 * (spent[0] - took) / max(made, 1)
    finally:
        stopping.set()
        for thread in threads:
            thread.join()
        viewer.close()
    return Speed(worlds, made / passed, simulated / passed, cost)


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.viewer", description=__doc__)
    parser.add_argument("model", nargs="?", default="humanoid")
    parser.add_argument("--worlds", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--browsers", type=int, default=1)
    arguments = parser.parse_args()
    rows = []
    for worlds in arguments.worlds:
        speed = measure(arguments.model, worlds, arguments.seconds, arguments.browsers)
        rows.append((str(worlds), f"{speed.pictures:.1f}", f"{speed.factor:.3f}",
                     f"{speed.cost:.1f}"))  # fmt: skip
    print(table(rows, ("worlds", "pictures a second", "of real time", "ms a picture")))


if __name__ == "__main__":
    main()
