"""An episode: a world that follows plans, and a plan every so often. Time stands still meanwhile.

So an episode is the same on a slow machine and on a fast one; live.py plans while the world goes
on.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .planner import Planner


@dataclass(frozen=True)
class Episode:
    """What a world did: a row after each step, and one for each plan."""

    time: np.ndarray  # (steps,) [s]
    qpos: np.ndarray  # (steps, nq)
    qvel: np.ndarray  # (steps, nv)
    ctrl: np.ndarray  # (steps, nu)
    costs: np.ndarray  # (plans,): of what was done from one plan to the next
    foreseen: np.ndarray  # (plans,): of the best sample of each plan
    measures: list[dict[str, float]]  # after each plan was followed: what task.measure says
    seconds: float  # that planning took

    @property
    def rate(self) -> float:
        """Plans in a second."""
        return len(self.costs) / self.seconds


def run(
    planner: Planner, seconds: float, *, period: float | None = None, seed: int = 0,
    batch: Any = None, watch: Callable[[Any], None] | None = None,
) -> Episode:  # fmt: skip
    """Let a world follow plans for so long [s], with a plan every `period` [s], the task's if None.

    It begins where the task begins, `seed` being for what is random there, or where the world of
    `batch` is. watch(batch) is called after each plan was followed.
    """
    task, took = planner.task, 0.0
    if batch is None:
        batch = task.world()
        task.reset(batch, seed)
    planner.reset()
    step = float(task.model.opt.timestep)
    each = max(1, round((task.period if period is None else period) / step))
    rows: dict[str, list[np.ndarray]] = {name: [] for name in ("qpos", "qvel", "ctrl")}
    times, costs, foreseen, measures = [], [], [], []
    for _ in range(max(1, round(seconds / (each * step)))):
        task.update(batch)
        began = time.perf_counter()
        planner.plan(batch)
        took += time.perf_counter() - began
        now = batch.time[0] + step * np.arange(each)
        controls = planner.control(now)[None]
        record = tuple(dict.fromkeys((*rows, *task.cost.records)))
        found = batch.rollout(each, controls, record=record)
        for name, kept in rows.items():
            kept.append(found[name][0])
        times.append(now + step)
        costs.append(task.cost.of(found, controls, now)[0])
        foreseen.append(planner.cost)
        measures.append(task.measure(batch))
        if watch is not None:
            watch(batch)
    done = {name: np.concatenate(kept) for name, kept in rows.items()}
    return Episode(
        np.concatenate(times), **done, costs=np.array(costs), foreseen=np.array(foreseen),
        measures=measures, seconds=took,
    )  # fmt: skip
