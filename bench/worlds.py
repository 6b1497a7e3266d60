"""Memory of a world, threads, and very many worlds."""

import time
import tracemalloc

import lanewise as lw
from lanewise import models
from lanewise.cli import measure

from .cases import Case


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
