"""The same learning over environments of several makers: python -m bench.learning [--quick]

Rounds of augmented random search (examples/train_ars.py) and updates of PPO (examples/train_ppo.py)
over Lanewise, EnvPool and Gymnasium, each in a process of its own on the same core, in turns. ARS
is also run with the policy inside of Lanewise's step. What is compared is processor time for a
million environment steps, of everything: simulating, acting and learning.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from lanewise.cli.terminal import Bar, table

from . import report
from .gym import PAGE
from .peers import Peer, end, launch, short, turn

METHODS = {
    "ARS": ("kernel", "lanewise", "EnvPool", "sync"), "PPO": ("lanewise", "EnvPool", "sync")
}  # fmt: skip
TITLES = {
    "kernel": "Lanewise, policy in the step", "lanewise": "Lanewise", "sync": "Gymnasium, sync"
}  # fmt: skip
MARKS = ("<!-- written by `python -m bench.learning` -->", "<!-- end of learning -->")
HEADS = ("task", "method", "environments of", "seconds per million steps", "Lanewise is")


def measure(task: str, method: str, rounds: int, core: int) -> list[tuple]:
    """A row for each maker."""
    peers: list[Peer] = []
    costs: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            for maker in METHODS[method]:
                peers.append(Peer(maker))
                told = (method, task, str(core))
                launch(peers[-1], "learning_peer.py", told, Path(folder))
            for _ in range(rounds):
                for peer in peers:
                    if answer := turn(peer):
                        cost = 1e6 * answer["seconds"] / answer["steps"]
                        costs.setdefault(peer.name, []).append(cost)
        finally:
            for peer in peers:
                end(peer)
    ours = min(costs.get("lanewise", [np.nan]))
    found = []
    for peer in peers:
        best = min(costs.get(peer.name, [np.nan]))
        cells = (peer.trouble, "") if peer.trouble else (short(best), f"{best / ours:.1f} x")
        found.append((task, method, TITLES.get(peer.name, peer.name), *cells))
    return found


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.learning", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds, nothing written")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--core", type=int, default=0, help="the core that all are bound to")
    given = parser.parse_args()
    tasks = ("HalfCheetah",) if given.quick else ("HalfCheetah", "Hopper")
    bar = Bar(len(tasks) * len(METHODS), "measuring")
    rows: list[tuple] = []
    for task in tasks:
        for method in METHODS:
            rows += measure(task, method, 1 if given.quick else given.rounds, given.core)
            bar.advance(1, f"{task}, {method}")
    print(table(rows, HEADS))
    if not given.quick:
        block = report.markdown_table(HEADS, rows, 3)
        PAGE.write_text(report.fill(PAGE.read_text(), block, MARKS))


if __name__ == "__main__":
    main()
