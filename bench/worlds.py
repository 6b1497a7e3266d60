"""Memory of a world, threads, few worlds and very many: python -m bench.worlds [--quick | --write]

Run by itself, it measures calls of one step, `b.step()`, with few worlds, beside `mujoco.batch` and
in turns with it, and how the time of a world's step depends on their number and on threads.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import mujoco.batch
import numpy as np

import lanewise as lw
from lanewise import models
from lanewise.cli import measure
from lanewise.cli.terminal import table

from .cases import Case

FEW = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16)  # worlds
FEW_MODELS = ("cartpole", "quadruped", "humanoid")
MANY = (8, 64, 4096, 100_000)


def bytes_per_world(name: str, nsim: int, bound: tuple[str, ...] = ()) -> tuple[float, int]:
    """Bytes that each further world of a Batch allocates, and bytes of its state row."""
    m = lw.load(measure.unconstrained(models.path(name)))
    row = 8 * m.nstate
    sizes = []
    for n in (nsim // 2, nsim):
        tracemalloc.start()
        batch = lw.Batch(m, n, nthread=1)
        for field in bound:
            batch.bind(field)
        batch.step()
        sizes.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        del batch
    return (sizes[1] - sizes[0]) / (nsim - nsim // 2), row


def two_threads_over_one(case: Case, rounds: int) -> float:
    """How many times faster a batch is on two threads, measured in turns."""
    worlds = measure.Worlds.scattered(case.load(), case.nsim)
    advance = [measure.lanewise_batch(worlds, case.nstep, nthread) for nthread in (1, 2)]
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for k, run in enumerate(advance):
            begin = time.perf_counter()
            run()
            best[k] = min(best[k], time.perf_counter() - begin)
    return best[0] / best[1]


def million_pendulums(nstep: int = 10) -> float:
    """Seconds for nstep steps of a million worlds on one thread."""
    worlds = measure.Worlds.scattered(measure.unconstrained(models.path("pendulum")), 1_000_000)
    advance = measure.lanewise_batch(worlds, nstep, 1)
    begin = time.perf_counter()
    advance()
    return time.perf_counter() - begin


# --------------------------------------------------------------------------------------- few worlds


@dataclass(frozen=True)
class Few:
    """Microseconds of Lanewise and `mujoco.batch`, for all worlds together."""

    model: str
    nsim: int
    call: tuple[float, float]  # a call of one step
    step: tuple[float, float]  # a step in a call of many

    @property
    def ratio(self) -> float:
        return self.call[1] / self.call[0]


def measure_few(name: str, nsim: int, rounds: int = 9, nstep: int = 100) -> Few:
    """Both engines in turns from the same states, which have settled for a while."""
    with measure.mujoco_clock(False):
        worlds = measure.Worlds.scattered(measure.authored(models.path(name)), nsim)
        batches = [lw.Batch(lw.load(worlds.mj), nsim, 1), mujoco.batch.Batch(worlds.mj, nsim, 1)]
        for batch in batches:
            batch.qpos[:], batch.qvel[:], batch.ctrl[:] = worlds.qpos, worlds.qvel, worlds.ctrl
        batches[1].step(nstep=500)
        state = batches[1].state.copy()
        best = np.full((2, 2), np.inf)
        for _ in range(rounds):
            for k, batch in enumerate(batches):
                batch.state[:] = state
                best[0, k] = min(best[0, k], _seconds(batch.step, nstep))
                batch.state[:] = state
                batch.step()
                begin = time.perf_counter()
                batch.step(nstep=nstep)  # the same ones
                best[1, k] = min(best[1, k], (time.perf_counter() - begin) / nstep)
    (call, theirs), (step, their_step) = 1e6 * best
    return Few(name, nsim, (call, theirs), (step, their_step))


def _seconds(run: Callable[[], object], n: int) -> float:
    """Of a call, the mean of n after one more."""
    run()
    begin = time.perf_counter()
    for _ in range(n):
        run()
    return (time.perf_counter() - begin) / n


FEW_HEADS = ("model", "worlds", "Lanewise, us", "mujoco.batch, us", "ratio",
             "beside the physics: Lanewise, us", "mujoco.batch, us")  # fmt: skip


def few_cells(row: Few) -> tuple:
    aside = (call - step for call, step in zip(row.call, row.step, strict=True))
    return (
        row.model, row.nsim, *(f"{x:.2f}" for x in row.call), f"{row.ratio:.2f}",
        *(f"{x:.1f}" for x in aside),
    )  # fmt: skip


# -------------------------------------------------------------------------------------- many worlds


@dataclass(frozen=True)
class Many:
    """Microseconds per world and step, on one thread and on two."""

    case: Case
    one: float
    two: float


def measure_many(model: str, nsim: int, rounds: int = 9, work: int = 100_000) -> Many:
    """The best of calls of ten steps, and about as much work for any number of worlds."""
    case = Case(model, nsim, nstep=10)
    worlds = measure.Worlds.scattered(case.load(), nsim)
    advance = [measure.lanewise_batch(worlds, case.nstep, nthread, False) for nthread in (1, 2)]
    best = [float("inf")] * 2
    for _ in range(rounds):
        for k, run in enumerate(advance):
            for _ in range(1 + work // (nsim * case.nstep)):
                begin = time.perf_counter()
                run()
                best[k] = min(best[k], time.perf_counter() - begin)
    one, two = (1e6 * x / (nsim * case.nstep) for x in best)
    return Many(case, one, two)


MANY_HEADS = ("model", "worlds", "one thread, us", "two threads, us", "ratio")


def many_cells(row: Many) -> tuple:
    return (
        row.case.model, row.case.nsim, f"{row.one:.3f}", f"{row.two:.3f}",
        f"{row.one / row.two:.2f}",
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.worlds", description=__doc__)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--quick", action="store_true", help="fewer rounds and steps")
    choice.add_argument("--write", action="store_true", help="fill docs/benchmarks.md, too")
    how = parser.parse_args()
    rounds = 3 if how.quick else 9
    few = [few_cells(measure_few(m, n, rounds)) for m in FEW_MODELS for n in FEW]
    print(table(few, FEW_HEADS))
    work = 40_000 if how.quick else 100_000
    many = [many_cells(measure_many(m, n, rounds, work))
            for m in ("pendulum", "humanoid") for n in MANY]  # fmt: skip
    print(table(many, MANY_HEADS))
    if how.write:
        from . import report  # which has these tables, too

        page = report.DOCS / "benchmarks.md"
        block = (
            f"One thread of {report.machine()}:\n\n{report.markdown_table(FEW_HEADS, few, 1)}\n\n"
            "Microseconds of a world's step in calls of ten, by the number of worlds, constraints"
            " disabled:\n\n"
            f"{report.markdown_table(MANY_HEADS, many, 1)}"
        )
        page.write_text(report.fill(page.read_text(), block, report.WORLDS))


if __name__ == "__main__":
    main()
