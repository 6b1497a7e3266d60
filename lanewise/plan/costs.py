"""What a motion costs: terms on sensors, a function of arrays, or a kernel.

A cost is asked for one number a sample, the mean over the steps of the horizon. Its `records` are
what it wants to know of a rollout, `arguments` what `lanewise.load` has to be given for it.

    Terms       weights * norms of residuals, sensors less their targets
    Function    cost(states, sensors, controls), of NumPy arrays with all samples and steps
    Compiled    a kernel (m, d, p) that returns what a moment costs, compiled into the step

Sensors, and what else a step computes, are of the state before the step, as in every rollout;
states are those after it.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import LanewiseError, no_such
from ..lanes import Kernel
from ..mjconst import SENS_USER
from ..public import Model, kernel
from .norms import DEFAULTS, NORMS, NUMBERS, checked

QPOS_QVEL = (1 << 1) | (1 << 2)  # bits of mjtState
FIELDS = ("ctrl", "qpos", "qvel", "qacc", "act", "actuator_force")  # what else a term may be about
Target = float | Sequence[float] | np.ndarray | Callable[[np.ndarray], np.ndarray]


class CostError(LanewiseError, ValueError):
    """A cost that is no number, or of the wrong shape."""


@dataclass(frozen=True)
class Term:
    """weight * norm(residual), where the residual is a sensor less its target.

    of: the sensor's name, or one of ctrl, qpos, qvel, qacc, act, actuator_force. part: which of its
    numbers count, as an index of NumPy's; all if None. norm, p and q: see norms.py. target: a
    number, one for each of them, or a function of times (steps,) [s] that returns them,
    (steps, n), such as a gait.
    """

    of: str
    weight: float = 1.0
    norm: str = "quadratic"
    p: float | None = None
    q: float | None = None
    target: Target = 0.0
    part: Any = None
    name: str = ""

    @property
    def parameters(self) -> tuple[float, float]:
        """p and q, or what they are if nobody says."""
        p, q = DEFAULTS[checked(self.norm)]
        return p if self.p is None else self.p, q if self.q is None else self.q


class Terms:
    """A sum of terms. `weights` (terms,) may be changed at any time; `names` are theirs."""

    arguments: Mapping[str, Any] = {}

    def __init__(self, terms: Sequence[Term]):
        self.terms = tuple(terms)
        self.weights = np.array([float(term.weight) for term in self.terms])
        self.names = [term.name or term.of for term in self.terms]
        self.records: tuple[str | int, ...] = ()

    def find(self, model: Model) -> None:
        """Look the sensors up."""
        for term in self.terms:
            checked(term.norm)
        self._places = [_place(term, model) for term in self.terms]
        self.records = tuple(dict.fromkeys(field for field, _ in self._places))

    def of(self, recorded: Mapping, controls: np.ndarray, times: np.ndarray) -> np.ndarray:
        """(samples,)"""
        return self.by_term(recorded, times) @ self.weights

    def by_term(self, recorded: Mapping, times: np.ndarray) -> np.ndarray:
        """(samples, terms): the mean of each norm over the steps, without weights."""
        samples = len(next(iter(recorded.values()))) if recorded else 0
        means = np.zeros((samples, len(self.terms)))
        for k, (term, (field, place)) in enumerate(zip(self.terms, self._places)):
            residual = recorded[field][..., place]
            target = term.target(times) if callable(term.target) else term.target
            if np.any(target):
                residual = residual - np.asarray(target, float)
            means[:, k] = NORMS[term.norm](residual, *term.parameters).mean(axis=1)
        return means


def _place(term: Term, model: Model) -> tuple[str, Any]:
    """The field that a term is about, and which of its numbers."""
    mj = model.mj
    sensors = {mj.sensor(k).name: k for k in range(mj.nsensor)}
    if term.of in sensors:
        k = sensors[term.of]
        numbers = np.arange(mj.sensor_adr[k], mj.sensor_adr[k] + mj.sensor_dim[k])
        field = "sensordata"
    elif term.of in FIELDS:
        sizes = {"qpos": mj.nq, "qvel": mj.nv, "qacc": mj.nv, "act": mj.na}
        numbers, field = np.arange(sizes.get(term.of, mj.nu)), term.of
    else:
        raise ValueError(no_such("sensor", term.of, [*sensors, *FIELDS]))
    try:
        numbers = numbers[... if term.part is None else term.part]
    except IndexError as error:
        raise ValueError(f"part of the term on {term.of!r}: {error}") from None
    numbers = np.atleast_1d(numbers)
    whole = len(numbers) > 0 and np.array_equal(np.diff(numbers), np.ones(len(numbers) - 1))
    return field, slice(numbers[0], numbers[-1] + 1) if whole else numbers


def terms_of(model: Model) -> list[Term]:
    """The terms that a model's file names as files of MuJoCo MPC do: its sensors of type user,
    whose numbers `user` are norm, weight, least and greatest weight, then p and q."""
    mj, found = model.mj, []
    for k in np.flatnonzero(mj.sensor_type == SENS_USER):
        name, numbers = mj.sensor(int(k)).name, [*mj.sensor_user[k], *np.zeros(6)]
        if mj.nuser_sensor < 2 or int(numbers[0]) not in NUMBERS:
            raise ValueError(
                f'sensor {name!r} has user="{" ".join(f"{x:g}" for x in mj.sensor_user[k])}"; of a'
                f" term it has a norm ({', '.join(map(str, NUMBERS))}), a weight, its bounds, p, q"
            )
        p, q = numbers[4] or None, numbers[5] or None
        found.append(Term(name, numbers[1], NUMBERS[int(numbers[0])], p, q))
    if not found:
        raise ValueError("the model has no sensors of type user, whose `user` would name the terms")
    return found


class Function:
    """cost(states, sensors, controls) -> (samples,), or (samples, steps) of which the mean counts.

    states (samples, steps, nq + nv) are qpos and qvel after each step, sensors
    (samples, steps, nsensordata) those of each step, controls (samples, steps, nu).
    """

    arguments: Mapping[str, Any] = {}
    records: tuple[str | int, ...] = (QPOS_QVEL, "sensordata")

    def __init__(self, function: Callable[..., Any]):
        self.function = function

    def find(self, model: Model) -> None: ...

    def of(self, recorded: Mapping, controls: np.ndarray, times: np.ndarray) -> np.ndarray:
        """(samples,)"""
        answer = self.function(recorded[QPOS_QVEL], recorded["sensordata"], controls)
        costs, (samples, steps) = np.asarray(answer, float), controls.shape[:2]
        if costs.shape not in ((samples,), (samples, steps)):
            raise CostError(
                f"the cost is a number for each sample, ({samples},), or for each of its steps,"
                f" ({samples}, {steps}); {_name(self.function)} returned {costs.shape}"
            )
        return costs if costs.ndim == 1 else costs.mean(axis=1)


class Compiled:
    """A kernel (m, d, p) or (m, d) that returns what a moment costs. It is called after every step,
    as `observe` of `lanewise.load` is; p has the parameters."""

    records: tuple[str | int, ...] = ("cost",)

    def __init__(self, function: Kernel, parameters: Mapping[str, Any] | None):
        self.arguments: Mapping[str, Any] = {
            "observe": _observer(function), "outputs": {"cost": 1},
            "parameters": dict(parameters or {}),
        }  # fmt: skip

    def find(self, model: Model) -> None: ...

    def of(self, recorded: Mapping, controls: np.ndarray, times: np.ndarray) -> np.ndarray:
        """(samples,)"""
        return recorded["cost"][..., 0].mean(axis=1)


def _observer(cost: Kernel) -> Kernel:
    """The kernel that `lanewise.load` takes."""
    number = len(inspect.signature(cost.python_function).parameters)
    if number == 2:

        @kernel
        def observe(m, d, p):
            p.cost[0] = cost(m, d)

    elif number == 3:

        @kernel
        def observe(m, d, p):
            p.cost[0] = cost(m, d, p)

    else:
        raise TypeError(f"a cost is a kernel (m, d) or (m, d, p), got one of {number} arguments")
    return observe


def make_cost(cost: Any, parameters: Mapping[str, Any] | None) -> "Terms | Function | Compiled":
    """A cost of what a user gave."""
    if isinstance(cost, Kernel):
        return Compiled(cost, parameters)
    if parameters:
        raise ValueError("parameters are those of a cost that is a kernel: p of (m, d, p)")
    if isinstance(cost, (Terms, Function, Compiled)):
        return cost
    if isinstance(cost, Term):
        cost = [cost]
    if isinstance(cost, (list, tuple)) and cost and all(isinstance(term, Term) for term in cost):
        return Terms(cost)
    if callable(cost):
        return Function(cost)
    raise TypeError(
        "a cost is a list of Terms, a function cost(states, sensors, controls), or a kernel"
        f" (m, d, p) that returns a number; got {cost!r}"
    )


def _name(function: Any) -> str:
    return getattr(function, "__name__", "it")
