"""One world beside MuJoCo's: python -m bench.single [--quick] [MODEL ...]

The bundled models, or others, as their authors made them, after a second of simulation from the
first keyframe: what rests, rests. Both engines start from that state and take the same steps, in
turns: all in one call, `lw.step(m, d, n)` beside `mj_step(m, d, n)`, and one by one from a loop in
Python. MuJoCo's clock callback is removed.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

import lanewise as lw
from lanewise import models
from lanewise.cli import measure
from lanewise.cli.terminal import table

from .contacts import geometric_mean

STATE = mujoco.mjtState.mjSTATE_INTEGRATION
FEW = 10  # steps after which both engines are compared


@dataclass(frozen=True)
class Single:
    """Microseconds per step of Lanewise and MuJoCo."""

    model: str
    nv: int
    ncon: int
    call: tuple[float, float]  # all steps in one call
    loop: tuple[float, float]  # step by step from Python
    apart: float  # how far both engines are from each other after a few steps

    @property
    def ratio(self) -> float:
        return self.call[1] / self.call[0]

    @property
    def loop_ratio(self) -> float:
        return self.loop[1] / self.loop[0]


def settled(mj: mujoco.MjModel, seconds: float = 1.0) -> mujoco.MjData:
    """A world that has been left alone for a while."""
    d = mujoco.MjData(mj)
    if mj.nkey:
        mujoco.mj_resetDataKeyframe(mj, d, 0)
    mujoco.mj_step(mj, d, round(seconds / mj.opt.timestep))
    return d


def measure_single(name: str, nstep: int = 400, rounds: int = 7) -> Single:
    mj = measure.authored(models.path(name) if name in models.names() else Path(name))
    mj_data = settled(mj)
    ncon = mj_data.ncon
    state = np.empty(mujoco.mj_stateSize(mj, STATE))
    mujoco.mj_getState(mj, mj_data, state, STATE)
    m = lw.load(mj)
    d = lw.Data(m)

    def restore() -> None:
        lw.set_state(m, d, state)
        mujoco.mj_setState(mj, mj_data, state, STATE)

    def our_loop() -> None:
        for _ in range(nstep):
            lw.step(m, d)

    def their_loop() -> None:
        for _ in range(nstep):
            mujoco.mj_step(mj, mj_data)

    with measure.mujoco_clock(False):
        runs = (
            lambda: lw.step(m, d, nstep), lambda: mujoco.mj_step(mj, mj_data, nstep),
            our_loop, their_loop,
        )  # fmt: skip
        best = _in_turns(runs, restore, rounds)
    restore()
    lw.step(m, d, FEW)
    mujoco.mj_step(mj, mj_data, FEW)
    apart = float(np.abs(d.qpos - mj_data.qpos).max())
    call, their_call, loop, their_loop_us = (1e6 * seconds / nstep for seconds in best)
    return Single(name, mj.nv, ncon, (call, their_call), (loop, their_loop_us), apart)


def _in_turns(
    runs: tuple[Callable[[], None], ...], restore: Callable[[], None], rounds: int
) -> list[float]:
    """Seconds of the best round of each, from the same state, after one to warm up."""
    best = [float("inf")] * len(runs)
    for turn in range(rounds + 1):
        for k, run in enumerate(runs):
            restore()
            begin = time.perf_counter()
            run()
            seconds = time.perf_counter() - begin
            best[k] = min(best[k], seconds) if turn else best[k]
    return best


HEADS = (
    "model", "nv", "contacts", "n steps in a call: Lanewise, us", "mj_step, us", "ratio",
    "a loop in Python: Lanewise, us", "mj_step, us", "ratio", "difference",
)  # fmt: skip


def cells(row: Single) -> tuple:
    return (
        row.model, row.nv, row.ncon, *(f"{x:.2f}" for x in row.call), f"{row.ratio:.2f}",
        *(f"{x:.2f}" for x in row.loop), f"{row.loop_ratio:.2f}", f"{row.apart:.0e}",
    )  # fmt: skip


def mean(rows: tuple[Single, ...]) -> float:
    return geometric_mean(row.ratio for row in rows)


def mean_line(rows: tuple[Single, ...]) -> str:
    """The geometric mean and the minimum of both ratios."""
    least = min(rows, key=lambda row: row.ratio)
    least_loop = min(rows, key=lambda row: row.loop_ratio)
    loops = geometric_mean(row.loop_ratio for row in rows)
    return (
        f"Geometric mean of the ratios: {mean(rows):.2f} in a call, {loops:.2f} in a loop. The"
        f" least are {least.ratio:.2f}, {least.model}, and {least_loop.loop_ratio:.2f},"
        f" {least_loop.model}."
    )


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.single", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and steps")
    parser.add_argument("model", nargs="*", help="names of bundled models, or files")
    given = parser.parse_args()
    few = {"nstep": 50, "rounds": 2} if given.quick else {}
    rows = tuple(measure_single(name, **few) for name in given.model or models.names())
    print(table([cells(row) for row in rows], HEADS))
    print(mean_line(rows))


if __name__ == "__main__":
    main()
