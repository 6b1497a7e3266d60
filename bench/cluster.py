"""A cluster of two nodes on this machine beside one Batch with two threads: python -m bench.cluster

Each node has one processor, so both have the same two. What a cluster takes more is what a call
costs: messages, rows that are read (qpos, qvel and ctrl, or none), what is kept of worlds for the
case that a node dies. In turns, the least time of several rounds.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import lanewise as lw
from lanewise.cli.terminal import table


def least(calls: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """Seconds of each call, in turns."""
    best = [np.inf] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[k] = min(best[k], time.perf_counter() - start)
    return best


def measure(name: str, nsim: int, nstep: int, reads: bool, rounds: int) -> tuple[str, ...]:
    model = lw.load(lw.models.path(name))
    near = lw.Batch(model, nsim, nthread=2)
    with lw.cluster.Batch(model, nsim) as far:
        for b in (near, far):
            b.set_state(np.full((nsim, model.nv), 0.1), "qvel")
            b.step(nstep=200)
        for field in ("qpos", "qvel", "ctrl") if reads else ():
            far.bind(field)
        seconds = least([lambda: near.step(nstep=nstep), lambda: far.step(nstep=nstep)], rounds)
        kept = max(len(member.kept or b"") for member in far._far.spread.members)
    local, cluster = (f"{1e3 * x:.2f}" for x in seconds)
    more = f"{1e3 * (seconds[1] - seconds[0]):+.2f}"
    what = f"{name}, {nsim} worlds, {nstep} steps{', rows read' if reads else ''}"
    return what, local, cluster, more, f"{seconds[0] / seconds[1]:.2f}", f"{kept / 1e6:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.cluster", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = 10 if parser.parse_args().quick else 40
    cases = (
        ("cartpole", 64, 1, False),
        ("humanoid", 256, 1, True),
        ("humanoid", 4096, 1, False),
        ("humanoid", 4096, 1, True),
        ("humanoid", 4096, 10, True),
    )
    with lw.cluster.Trial(nodes=2):
        rows = [measure(*case, rounds) for case in cases]
    heads = ("calls", "Batch, ms", "cluster, ms", "more", "speed", "kept, MB")
    print(table(rows, heads))


if __name__ == "__main__":
    main()
