"""A task: a model, what its motions cost, how far to look ahead, where it begins."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import whole_number
from ..public import Batch, Model, load
from .costs import make_cost
from .splines import Spline


class Task:
    """What is to be done, apart from how it is found.

    model: what `lanewise.load` takes, or a Model; it is simulated with its own timestep. cost: a
    list of Terms, a function, or a kernel: see costs.py. parameters: the kernel's. code: other
    kernels for `lanewise.load`, {"sensor": kernel}. horizon [s]: how far plans reach. timestep [s]:
    of the samples, the model's if None. knots, spline: what a plan is made of, see splines.py.
    vary: how much each control is varied beside the others (nu,), 0 for one that stays as it is at
    the start. period [s]: from plan to plan, if there is time.

    keyframe: where it begins. The others are functions of the simulated Batch, of one world:
    reset(batch, rng) may change where it begins, update(batch) is called before each plan, to move
    goals, and measure(batch) returns {name: number}, by which one sees how well it goes.
    """

    def __init__(
        self, model: Any, cost: Any, horizon: float, *, name: str = "task",
        parameters: Mapping[str, Any] | None = None, code: Mapping[str, Any] | None = None,
        timestep: float | None = None, knots: int = 6,
        spline: str = "linear", vary: Any = 1.0, period: float = 0.02, keyframe: Any = None,
        reset: Callable[[Any, np.random.Generator], None] | None = None,
        update: Callable[[Any], None] | None = None,
        measure: Callable[[Any], dict[str, float]] | None = None,
    ):  # fmt: skip
        self.name, self.horizon = name, float(horizon)
        self.cost = make_cost(cost, parameters)
        self.model = _loaded(model, {**self.cost.arguments, **(code or {})})
        self.cost.find(self.model)
        if not self.model.nu:
            raise ValueError("the model has no actuators: there is nothing to plan")
        self.timestep = float(self.model.opt.timestep) if timestep is None else float(timestep)
        if not 0.0 < self.timestep <= self.horizon:
            raise ValueError(
                f"timestep must be above 0 and at most the horizon, {self.horizon} s, got"
                f" {self.timestep}"
            )
        self.nstep = max(1, round(self.horizon / self.timestep))
        self.spline = Spline(spline, whole_number(knots, "knots"), self.horizon)
        self.vary = _row(vary, self.model.nu, "vary")
        self.period, self.keyframe = float(period), keyframe
        self._reset, self._update, self._measure = reset, update, measure

    def world(self) -> Batch:
        """A Batch of one world, to be simulated."""
        return Batch(self.model, 1, nthread=1)

    def reset(self, batch: Batch, seed: int = 0) -> None:
        """Put the world where the task begins."""
        batch.reset(keyframe=self.keyframe)
        if self._reset is not None:
            self._reset(batch, np.random.default_rng(seed))

    def start_ctrl(self) -> np.ndarray:
        """Controls (nu,) that the task starts with."""
        batch = self.world()
        self.reset(batch)
        return batch.ctrl[0].copy()

    def update(self, batch: Batch) -> None:
        """Move goals, if they move."""
        if self._update is not None:
            self._update(batch)

    def measure(self, batch: Batch) -> dict[str, float]:
        """How well it goes."""
        return {} if self._measure is None else self._measure(batch)

    def range(self) -> tuple[np.ndarray, np.ndarray]:
        """The middle of the controls' ranges and half their width (nu,); 0 and 1 where a control
        has no range."""
        mj = self.model.mj
        limited = np.asarray(mj.actuator_ctrllimited, bool)
        low, high = np.where(limited, mj.actuator_ctrlrange.T, [[-1.0], [1.0]])
        return 0.5 * (low + high), 0.5 * (high - low)

    def limited(self) -> np.ndarray:
        """Which controls have a range (nu,)."""
        return np.asarray(self.model.mj.actuator_ctrllimited, bool)

    def __repr__(self) -> str:
        return (
            f"<task {self.name}: {self.horizon:g} s in {self.nstep} steps, {self.spline.knots}"
            f" knots of {self.model.nu} controls>"
        )


def _loaded(model: Any, arguments: Mapping[str, Any]) -> Model:
    if not arguments:
        return model if isinstance(model, Model) else load(model)
    if isinstance(model, Model) and model.user is not None:
        raise ValueError(
            "the model has kernels already, and would lose them: give the task what lanewise.load"
            " was given, and the kernels as code={'sensor': kernel, ...}"
        )
    return load(model, **arguments)


def _row(values: Any, n: int, name: str) -> np.ndarray:
    array = np.asarray(values, float)
    if array.shape not in ((), (n,)):
        raise ValueError(f"{name} is a number, or one for each of {n} controls; got {array.shape}")
    return np.broadcast_to(array, (n,)).copy()
