"""The demo: thousands of humanoids, each moving differently, beside mujoco.batch.

The two take turns, a few steps each, so that they meet the same machine; at the end the table
says how fast each was. How far apart the worlds are is said of the first turn: contacts make any
difference grow, and MuJoCo beside itself, nudged by one rounding, ends as far away.
"""

import os
import time
from dataclasses import dataclass, field

import numpy as np

from .. import models
from . import measure
from .options import check_memory
from .terminal import Bar, table

TURN = 10  # steps in a turn, at most


@dataclass
class Contestant:
    """One engine's batch and the time it has taken."""

    name: str
    advance: measure.Advance
    qpos: np.ndarray = field(default_factory=lambda: np.empty(0))
    early: np.ndarray = field(default_factory=lambda: np.empty(0))  # after the first turn
    seconds: float = 0.0

    def turn(self, nstep: int) -> None:
        begin = time.perf_counter()
        self.qpos = self.advance(nstep)
        self.seconds += time.perf_counter() - begin

    def resets(self) -> str:
        """What the progress line says of worlds that went bad."""
        number = measure.resets(self.advance)
        return f", {number} resets" if number else ""


def race(
    nsim: int = 4096, nstep: int = 200, nthread: int = 0, name: str = "humanoid"
) -> measure.Worlds:
    """Simulate, print the table, and return the worlds as they began."""
    mj = measure.authored(models.path(name))
    nthread = nthread or os.cpu_count() or 1
    check_memory(nsim, measure.bytes_each(mj), "racing two batches")
    worlds = measure.Worlds.scattered(mj, nsim)
    turns = [min(TURN, nstep - done) for done in range(0, nstep, TURN)]
    print(
        f"{nsim} worlds of {name} ({mj.nv} degrees of freedom, {mj.nu} actuators),"
        f" {nstep} steps of {1e3 * mj.opt.timestep:g} ms, contacts, limits and all,"
        f" {nthread} threads"
    )
    with measure.mujoco_clock(False):
        measure.lanewise_batch(measure.Worlds.scattered(mj, 1), 1, 1)()  # compiles, the first time
        lanewise, mujoco = contestants = [
            Contestant(name, measure.RUNNERS[name](worlds, TURN, nthread, restart=False))
            for name in ("lanewise", "mujoco.batch")
        ]
        bar, done = Bar(2 * nstep, "simulating"), 0
        for turn in turns:
            done += turn
            for contestant in contestants:
                contestant.turn(turn)
                if done == turns[0]:
                    contestant.early = contestant.qpos.copy()
                rate = nsim * done / contestant.seconds
                bar.advance(
                    turn, f"{contestant.name} {rate / 1e6:.2f} M steps/s{contestant.resets()}"
                )
    steps = nsim * nstep
    rows = [
        (c.name, f"{nsim}", f"{steps / c.seconds:,.0f}", f"{1e6 * c.seconds / steps:.3f}",
         f"{mujoco.seconds / c.seconds:.2f}")
        for c in contestants
    ]  # fmt: skip
    print(table(rows, ("engine", "worlds", "steps per second", "us per step", "ratio")))
    apart = np.max(np.abs(lanewise.early - mujoco.early))
    print(f"largest difference of a coordinate after {turns[0]} steps: {apart:.1e}")
    return worlds
