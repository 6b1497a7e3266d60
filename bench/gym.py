"""Environment steps per second and core, beside EnvPool and Gymnasium.

python -m bench.gym                               all tasks, 64 and 4096 environments
python -m bench.gym --tasks Ant,Hopper --envs 64  some of them; nothing written
python -m bench.gym --quick                       few rounds, 64 environments, nothing written

Every maker of environments has a process of its own (gym_peer.py), and they take turns: random
actions, episodes that begin anew in the step after their end, the same number of steps from the
start. What is compared is processor time, the best round of each. EnvPool and Lanewise have one
thread. Gymnasium is the better of its synchronous environments, 64 of them, and of asynchronous
ones, a process for each core, where the time of all processes counts. All are as they come:
Gymnasium with the clock callback that importing MuJoCo installs, EnvPool with the MuJoCo that it
carries.

The host side is what `VectorEnv.step` takes beside the calls of its Batch, with 1024 environments.
"""

import argparse
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lanewise.cli.terminal import table
from lanewise.gym import TASKS

from . import report
from .peers import Peer, end, launch, short, turn

HOST = 1024  # environments with which the host side is measured
PER_TURN = 3200  # environment steps, about
WARM = 8  # steps at least before the first turn
LOOPED = 64  # environments of Gymnasium: it loops over them, so more take longer and are no faster
WANTED = {"EnvPool": 3.0, "Gymnasium": 4.0, "host": 0.15}
PAGE = report.DOCS / "learning.md"
MARKS = ("<!-- written by `python -m bench.gym` -->", "<!-- end of rates -->")


@dataclass(frozen=True)
class Rates:
    """Thousands of environment steps per second and core, of one task and number."""

    task: str
    num: int
    ours: float
    envpool: float
    sync: float
    asynchronous: float
    host: float  # the share of a step that is not the Batch's, with HOST environments

    @property
    def gymnasium(self) -> float:
        return float(np.nanmax([self.sync, self.asynchronous]))


def steps_of(num: int) -> int:
    """Of a turn."""
    return min(500, max(1, PER_TURN // num))


def start(maker: str, task: str, num: int, core: int, folder: Path) -> Peer:
    peer = Peer(maker)
    told = (f"{task}-v5", str(num), str(steps_of(num)), str(max(WARM, steps_of(num))), str(core))
    launch(peer, "gym_peer.py", told, folder)
    return peer


def compare(
    task: str, numbers: list[int], rounds: int, core: int
) -> tuple[list[Rates], dict[str, str]]:
    """All makers, in turns; and what did not run."""
    cores = os.cpu_count() or 1
    wanted = [(maker, num) for num in numbers for maker in ("lanewise", "EnvPool")]
    wanted += [("sync", LOOPED), ("async", cores), ("host", HOST)]
    peers: dict[tuple[str, int], Peer] = {}
    shares = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for maker, num in dict.fromkeys(wanted):
                peers[maker, num] = start(maker, task, num, core, Path(folder))
            for _ in range(rounds):
                for key, peer in peers.items():
                    answer = turn(peer)
                    if answer and key == ("host", HOST):
                        shares.append(1.0 - answer["inside"] / answer["seconds"])
        finally:
            for peer in peers.values():
                end(peer)
    rates = {
        (maker, num): 1e-3 * num * steps_of(num) / min(peer.seconds, default=np.nan)
        for (maker, num), peer in peers.items()
    }
    gymnasium = rates["sync", LOOPED], rates["async", cores]
    host = float(np.median(shares)) if shares else np.nan
    found = [
        Rates(task, num, rates["lanewise", num], rates["EnvPool", num], *gymnasium, host)
        for num in numbers
    ]
    trouble = {f"{task}, {p.title} with {n}": p.trouble for (_, n), p in peers.items() if p.trouble}
    return found, trouble


# --------------------------------------------------------------------------------------- reporting

HEADS = (
    "task", "environments", "Lanewise", "EnvPool", "ratio", "Gymnasium, sync", "async", "ratio",
    f"host side at {HOST}",
)  # fmt: skip


def rows(found: list[Rates]) -> list[tuple]:
    return [
        (r.task, r.num, short(r.ours), short(r.envpool), f"{r.ours / r.envpool:.1f}", short(r.sync),
         short(r.asynchronous), f"{r.ours / r.gymnasium:.1f}", f"{100.0 * r.host:.0f} %")
        for r in found
    ]  # fmt: skip


def note(found: list[Rates], trouble: dict[str, str]) -> str:
    """How it was measured, what is less than is wanted, and what did not run."""
    text = (
        "Thousands of environment steps per second of processor time, best round; one core of"
        f" {report.processor()} ({report.features()})."
    )
    slow = [
        f"{r.task} with {r.num}" for r in found
        if r.ours < WANTED["EnvPool"] * r.envpool or r.ours < WANTED["Gymnasium"] * r.gymnasium
    ]  # fmt: skip
    wide = dict.fromkeys(r.task for r in found if r.host > WANTED["host"])
    if slow:
        text += f" Less than 3 times EnvPool or 4 times Gymnasium: {', '.join(slow)}."
    if wide:
        text += f" A host side of more than 15 %: {', '.join(wide)}."
    return " ".join([text, *(f"{what} {why}." for what, why in trouble.items())])


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m bench.gym", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--tasks", help="names, with commas between; all if not given")
    parser.add_argument("--envs", help="numbers of environments, likewise; 64,4096")
    parser.add_argument("--quick", action="store_true", help="few rounds, nothing written")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--core", type=int, default=0, help="the core that all are bound to")
    given = parser.parse_args()
    tasks = given.tasks.split(",") if given.tasks else list(TASKS)
    if unknown := [task for task in tasks if task not in TASKS]:
        parser.error(f"no task {unknown[0]}; there are {', '.join(TASKS)}")
    numbers = [int(n) for n in (given.envs or ("64" if given.quick else "64,4096")).split(",")]
    rounds = 2 if given.quick else given.rounds
    found: list[Rates] = []
    trouble: dict[str, str] = {}
    for task in tasks:
        more, why = compare(task, numbers, rounds, given.core)
        found += more
        trouble |= why
        print(table(rows(more), HEADS), flush=True)
    print(note(found, trouble))
    if not (given.quick or given.tasks or given.envs):
        block = report.markdown_table(HEADS, rows(found), 1) + "\n\n" + note(found, trouble)
        PAGE.write_text(report.fill(PAGE.read_text(), block, MARKS))


if __name__ == "__main__":
    main()
