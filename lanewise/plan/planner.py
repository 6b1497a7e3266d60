"""Planner: from a state to controls, again and again, each plan beginning with the last one.

    planner = Planner(task, "mppi", samples=64)
    controls = planner.plan(state)             # (steps, nu), from now on
    planner.control(time)                      # (nu,): what the plan says at a time

A plan takes the knots of the one before, without those that have passed since, tries candidates
around them in as many worlds (trials.py), and lets the optimizer make new knots of their costs.
What is random comes from one generator, so a planner with the same seed and the same states makes
the same plans, to the bit, on any number of threads.
"""

import warnings
from typing import Any

import numpy as np

from ..errors import whole_number
from ..public import Batch, Data, extract_state, get_state
from . import optimizers
from .splines import shifted
from .task import Task
from .trials import START, Trials


class NoFiniteSample(RuntimeWarning):
    """All samples diverged, and the plan stays what it was."""


class Planner:
    """Plans for a task.

    optimizer: "sampling", "mppi" or "cem", or an object with their methods. samples: worlds that
    try candidates, one of them the present plan. nthread: 0 is one for each processor. iterations:
    how often a plan is improved from the same state. warm: whether a plan begins with the last one,
    or with the controls that the task starts with.

    After a plan, `costs` (samples,) and `cost`, the least of them, are those of the last iteration.
    """

    def __init__(
        self, task: Task, optimizer: Any = "sampling", samples: int = 64, *, nthread: int = 0,
        iterations: int = 1, seed: int = 0, warm: bool = True,
    ):  # fmt: skip
        self.task, self.warm = task, warm
        self.nsample = whole_number(samples, "samples")
        if self.nsample < 2:
            raise ValueError(f"samples must be at least 2, got {self.nsample}: the first is the"
                             " plan itself")  # fmt: skip
        self.iterations = whole_number(iterations, "iterations")
        if self.iterations < 1:
            raise ValueError(f"iterations must be at least 1, got {self.iterations}")
        named = isinstance(optimizer, str)
        self.optimizer = optimizers.make(optimizer) if named else optimizer
        self.trials: Any = Trials(task, self.nsample, nthread)
        self._seed = seed
        self._middle, self._half = task.range()
        self._bound = np.where(task.limited(), 1.0, np.inf)
        self._start = self._units(task.start_ctrl())
        self.reset()

    def reset(self) -> None:
        """Forget the plan, and begin with the random numbers anew."""
        self._rng = np.random.default_rng(self._seed)
        self._forget()
        self.plans, self.cost, self.costs = 0, np.nan, np.full(self.nsample, np.nan)

    def plan(self, state: Any) -> np.ndarray:
        """Controls (steps, nu) for the horizon from a state on, at steps of the task's timestep.

        state: a Data of one world, a Batch of one, or a vector as `lanewise.get_state(m, d)` has it
        (nstate,). Its time says how far the last plan has been followed; where it goes back, or
        beyond the horizon, the plan begins anew.
        """
        task, vector = self.task, self._vector(state)
        time = float(extract_state(task.model, vector, "integration", "time")[0])
        first, knots = self._shifted(time)
        times = time + task.timestep * np.arange(task.nstep)
        basis = task.spline.basis(first, times)
        start = extract_state(task.model, vector, "integration", START)
        for _ in range(self.iterations):
            knots = self._improved(knots, start, basis, times)
        self._time, self._plan = time, (first, knots)
        self.plans += 1
        return self._controls(basis, knots)

    def control(self, time: Any) -> np.ndarray:
        """What the plan says at a time [s], (nu,), or at times (n,), (n, nu)."""
        first, knots = self._plan
        basis = self.task.spline.basis(first, np.atleast_1d(time))
        controls = self._controls(basis, knots)
        return controls if np.ndim(time) else controls[0]

    @property
    def knots(self) -> np.ndarray:
        """The plan as it is: numbers of controls at the knots (knots, nu)."""
        return self._middle + self._half * self._plan[1]

    # ---------------------------------------------------------------------------------------- parts

    def _improved(
        self, knots: np.ndarray, start: np.ndarray, basis: np.ndarray, times: np.ndarray
    ) -> np.ndarray:
        """One iteration."""
        noise = self._rng.standard_normal((self.nsample, *knots.shape))
        noise[0] = 0.0
        candidates = self.optimizer.sample(knots, self.task.vary * noise)
        np.clip(candidates, -self._bound, self._bound, out=candidates)
        controls = self._controls(basis, candidates)
        self.costs = self.trials.costs(start, controls, times)
        self.cost = float(self.costs.min())
        if not np.isfinite(self.costs).any():
            warnings.warn(
                f"all {self.nsample} samples diverged at time {times[0]:.6g}, and the plan stays"
                " what it was: vary controls less, or give the task a smaller timestep",
                NoFiniteSample,
                stacklevel=3,
            )
            return knots
        return self.optimizer.update(candidates, self.costs)

    def _controls(self, basis: np.ndarray, knots: np.ndarray) -> np.ndarray:
        """(..., steps, nu) of knots in units of ranges; cubics may lead out of these."""
        units = basis @ knots
        if self.task.spline.kind == "cubic":
            np.clip(units, -self._bound, self._bound, out=units)
        units *= self._half
        units += self._middle
        return units

    def _units(self, ctrl: np.ndarray) -> np.ndarray:
        return np.clip((ctrl - self._middle) / self._half, -self._bound, self._bound)

    def _forget(self) -> None:
        """A plan of the controls that the task starts with."""
        self.optimizer.reset()
        self._time = np.nan
        self._plan = (0, np.tile(self._start, (self.task.spline.knots, 1)))

    def _shifted(self, time: float) -> tuple[int, np.ndarray]:
        """The number of the first knot at this time, and what is left of the last plan."""
        new = self.task.spline.first(time)
        if not self.warm or not self._time <= time <= self._time + self.task.horizon:
            self._forget()
            return new, self._plan[1]
        first, knots = self._plan
        passed = min(new - first, self.task.spline.knots)
        self.optimizer.shift(passed)
        return new, shifted(knots, passed)

    def _vector(self, state: Any) -> np.ndarray:
        m = self.task.model
        if isinstance(state, Data):
            state = get_state(m, state)
        elif isinstance(state, Batch):
            state = state.state
        vector = np.asarray(state, float)
        if vector.shape == (1, m.nstate):
            vector = vector[0]
        if vector.shape != (m.nstate,):
            raise ValueError(
                f"state is that of one world, ({m.nstate},) as lanewise.get_state(m, d) has it, or"
                f" a Data or Batch of one world; got {vector.shape}"
            )
        if not np.isfinite(vector).all():
            raise ValueError("state has numbers that are not finite: there is no plan from there")
        return vector
