"""Planning while the world goes on: a thread that plans, and a control that follows the last plan.

    with Pilot(planner) as pilot:
        lanewise.view(batch, control=pilot, play=True)      # or pilot.advance(batch, nstep=10)

The world never waits. In every step it leaves its state for the thread, and takes from the last
plan what that says for its time. The thread plans from the newest state that there is, and when
nothing moves, it rests.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..public import Batch
from .panel import panel
from .planner import Planner

_SMOOTH = 0.1  # how much the last plan counts in what is said of times
_REST = 0.5  # seconds without a state after which the world is taken to stand still


class Pilot:
    """Drives a Batch of one world: by `advance`, in the viewer, or as `Batch.step(control=)`.

    `rate` is how many plans are made in a second, `took` how long each takes [s], `cost` what the
    last one will cost, `plans` how many there were; with `planning` set to False there are no more.
    What a plan raises is raised in the next step.
    """

    title = "Plan"  # of its panel in the viewer

    def __init__(self, planner: Planner):
        self.planner, self.task = planner, planner.task
        self.took, self.planning = 0.0, True
        self._each = 0.0  # seconds from plan to plan
        self._state: np.ndarray | None = None
        self._news = threading.Condition()
        self._stopping = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._loop, name="lanewise-plan", daemon=True)
        self._thread.start()

    @property
    def rate(self) -> float:
        """Plans in a second, while the world moves."""
        return 1.0 / self._each if self._each else 0.0

    @property
    def cost(self) -> float:
        """Of the best sample of the last plan."""
        return self.planner.cost

    @property
    def plans(self) -> int:
        """How many were made."""
        return self.planner.plans

    def __call__(self, batch: Batch) -> None:
        """Leave the state, and follow the plan."""
        if batch.nsim != 1:
            raise ValueError(f"a plan is for one world, and the Batch has {batch.nsim}")
        self.task.update(batch)
        with self._news:
            if self._error is not None:
                error, self._error = self._error, None
                raise error
            if self.planning:
                self._state = batch.state[0].copy()
                self._news.notify()
        batch.ctrl[0] = self.planner.control(float(batch.time[0]))

    def advance(self, batch: Batch, nstep: int) -> None:
        """So many steps, with a control before each of them. It needs nothing that a step computes,
        so it need not be called between the halves of one, which `step(control=)` would do."""
        for _ in range(nstep):
            self(batch)
            batch.step()

    def panel(self, gui: Any) -> Callable[[float], None]:
        """Show rate, cost and weights in the viewer; it calls what is returned now and then."""
        return panel(self, gui)

    def close(self) -> None:
        """End the thread."""
        with self._news:
            self._stopping = True
            self._news.notify()
        self._thread.join()

    def __enter__(self) -> "Pilot":
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def _next(self) -> np.ndarray | None:
        """The newest state, as soon as there is one; None at the end."""
        with self._news:
            self._news.wait_for(lambda: self._stopping or self._state is not None)
            state, self._state = self._state, None
            return None if self._stopping else state

    def _loop(self) -> None:
        last = time.perf_counter()
        while (state := self._next()) is not None:
            began = time.perf_counter()
            try:
                self.planner.plan(state)
            except Exception as error:  # of a cost, say: whoever steps the world is told
                with self._news:
                    self._error = error
            now = time.perf_counter()
            self.took = _smooth(self.took, now - began)
            if now - last < self.took + _REST:
                self._each = _smooth(self._each, now - last)
            last = now


def _smooth(mean: float, value: float) -> float:
    return mean + _SMOOTH * (value - mean) if mean else value
