"""Derivatives of a step and of inverse dynamics, by finite differences, as MuJoCo's mjd_*FD.

Columns of derivatives are worlds that are nudged, side by side in lanes (engine/calls/nudges.py).
Where a model has many columns, a world takes all lanes of a gang: they have the same contacts and
take the same path. Where it has few, several worlds of a Batch share a gang. A column has the same
bits either way, so the choice is one of speed only.
"""

import dataclasses
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .data import PLACE, Data
from .engine import parts
from .engine.calls import gang_kernel, threads
from .engine.calls.gang import ROWS
from .engine.calls.inverse_slopes import INVERSE_SLOPES
from .engine.calls.nudges import COLUMNS
from .engine.calls.transition import TRANSITION
from .engine.stages import WANTS, wants
from .functions import check_arguments
from .hooks import refuse_hooks
from .lanes import JIT, W
from .lanes.records import Records
from .mjconst import INT_RK4, NWARNING
from .model import Model

EPS = 1e-6


@dataclass
class Transition:
    """Derivatives of a step: y is the next state, s what sensors read, x the state, u the controls.

    A state is (qpos, qvel, act), its positions in the tangent space: nx = 2 nv + na numbers. Of a
    Batch or a Data with several worlds, all arrays have a leading axis of worlds.
    `A, B, C, D = lw.transition_fd(m, d)` unpacks the first four.

    A: dy/dx (nx, nx). B: dy/du (nx, nu). C: ds/dx (nsensordata, nx). D: ds/du (nsensordata, nu).
    state, sensor: {name: dy/dp (nx, k)} and {name: ds/dp (nsensordata, k)}, by what else was asked
    for: p are the k numbers of a model's field, in the order in which they lie in memory.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    state: dict[str, np.ndarray] = field(default_factory=dict)
    sensor: dict[str, np.ndarray] = field(default_factory=dict)

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.A, self.B, self.C, self.D))


@dataclass
class InverseSlopes:
    """Derivatives of inverse dynamics, as mjd_inverseFD has them: a row for each dof that is
    nudged.

    f is qfrc_inverse, s what sensors read, m the inertia matrix as `M` has it; q, v and a are qpos
    (in the tangent space), qvel and qacc. DfDq, DfDv, DfDa: (nv, nv). DsDq, DsDv, DsDa:
    (nv, nsensordata). DmDq: (nv, nC). Of several worlds, arrays have a leading axis of them.
    """

    DfDq: np.ndarray
    DfDv: np.ndarray
    DfDa: np.ndarray
    DsDq: np.ndarray
    DsDv: np.ndarray
    DsDa: np.ndarray
    DmDq: np.ndarray

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.DfDq, self.DfDv, self.DfDa, self.DsDq, self.DsDv, self.DsDa, self.DmDq))


def check_eps(eps: Any) -> float:
    """The size of a nudge."""
    if type(eps) is float and 0.0 < eps < np.inf:
        return eps
    value = np.asarray(eps)
    if value.ndim or value.dtype.kind not in "fiu" or not 0.0 < float(value) < np.inf:
        raise ValueError(f"eps must be a positive number, such as 1e-6, got {eps!r}")
    return float(value)


def check_options(what: str, integrators: Any, noslip: Any = 0) -> None:
    """Refuse what has no derivatives, of one world or of some."""
    if _any(integrators == INT_RK4):
        raise ValueError(
            f"{what} does not exist for RK4: use Euler, implicit, implicitfast or discrete"
        )
    if _any(noslip > 0):
        raise ValueError(f"{what} does not exist with noslip: set noslip_iterations to 0")


def _any(found: Any) -> bool:
    """Of one world, without NumPy: it would take longer than a small model's step."""
    return bool(found.any()) if isinstance(found, np.ndarray) else bool(found)


# what a gang's step costs for columns of a kind, relative to a whole one, in the order in which
# columns are taken (engine/calls/nudges.py); and what all columns but positions share
_COST = {"nctrl": 0.36, "nact": 0.36, "nacc": 0.3, "nvel": 0.45, "npos": 1.0}
_COST_SHARED = 0.45
# what it costs if lanes are of two worlds, with contacts of their own, then of four, of eight
_APART = {8: 1.0, 4: 1.15, 2: 1.32, 1: 1.52}


class _Columns:
    """What is nudged in n worlds, and where the derivatives go."""

    call: str  # of a Batch
    fields: tuple[str, ...]  # that are read of a workspace
    results: tuple[np.ndarray, ...]  # by worlds, as they are returned

    def __init__(self, n: int, nthread: int, counts: Mapping[str, int], eps: Any):
        self.n, self.counts = n, dict(counts)
        self.total = 1 + sum(counts.values())
        self.share = self._lanes(nthread)
        self.eps = np.array([check_eps(eps)])
        self.columns = Records(COLUMNS)
        self.columns.set(share=self.share, eps=self.eps, total=self.total, **counts)
        self.record: Records

    def _lanes(self, nthread: int) -> int:
        """How many lanes a world should take."""

        def cost(share: int) -> float:
            gangs, passes = -(-self.n * share // (W * nthread)), -(-self.total // share)
            # the last column of a pass says what it takes; the state itself goes with the first
            cost, end, before = 0.0, 1, 0
            for kind, price in _COST.items():
                end += self.counts.get(kind, 0)
                upto = passes if end == self.total else end // share
                if before == 0 and upto > 0 and kind != "npos":
                    cost += _COST_SHARED
                cost += (upto - before) * price
                before = upto
            return gangs * cost * _APART[share]

        return min((8, 4, 2, 1), key=cost)

    def made(self, names: Sequence[str], shapes: Sequence[tuple[int, int]]) -> dict[str, Any]:
        """Memory for the results; where they are, for a record"""
        self.results = tuple(np.empty((self.n, *shape)) for shape in shapes)
        return {name: x if x.size else None for name, x in zip(names, self.results, strict=True)}


class TransitionColumns(_Columns):
    """The derivatives of a step by states and controls, as far as they are asked for."""

    call = "transition"

    def __init__(
        self, model: Model, n: int, nthread: int = 1, eps: Any = EPS, centered: bool = False,
        sensors: bool = True, state: bool = True, ctrl: bool = True,
    ):  # fmt: skip
        self.check(model)
        nv, na, nu = model.nv, model.na, model.nu
        counts = {"npos": nv * state, "nvel": nv * state, "nact": na * state, "nctrl": nu * ctrl}
        super().__init__(n, nthread, counts, eps)
        ny, ns = 2 * nv + na, model.nsensordata if sensors else 0
        nx, nu = ny * state, nu * ctrl
        self.fields = ("sensordata",) if ns else ()
        self.record = Records(TRANSITION)
        self.record.set(
            columns=self.columns, centered=bool(centered),
            **self.made("ABCD", ((ny, nx), (ny, nu), (ns, nx), (ns, nu))),
        )  # fmt: skip

    @staticmethod
    def check(model: Model) -> None:
        check_options("transition_fd", model.mj.opt.integrator)
        if model.nhistory:
            raise ValueError(
                "transition_fd does not exist for models with delays or other histories of"
                " actuators and sensors: they are a part of the state that it would leave out"
            )

    def result(self) -> Transition:
        A, B, C, D = self.results
        return Transition(A, B, C, D)


class InverseColumns(_Columns):
    """The derivatives of inverse dynamics by positions, velocities and accelerations."""

    call = "inverse_slopes"

    def __init__(
        self, model: Model, n: int, nthread: int = 1, eps: Any = EPS, actuation: bool = False,
        sensors: bool = True,
    ):  # fmt: skip
        self.check(model)
        nv, ns = model.nv, model.nsensordata if sensors else 0
        super().__init__(n, nthread, {"npos": nv, "nvel": nv, "nacc": nv}, eps)
        self.fields = ("sensordata",) if ns else ()
        self.qacc = np.zeros((n, nv))
        names = [f.name for f in dataclasses.fields(InverseSlopes)]
        self.record = Records(INVERSE_SLOPES)
        self.record.set(
            columns=self.columns, actuation=bool(actuation), qacc=self.qacc,
            acceleration=PLACE["qacc"],
            **self.made(names, [(nv, count) for count in (nv, nv, nv, ns, ns, ns, model.nC)]),
        )  # fmt: skip

    @staticmethod
    def check(model: Model) -> None:
        opt = model.mj.opt
        check_options("inverse_fd", opt.integrator, opt.noslip_iterations)

    def result(self) -> InverseSlopes:
        return InverseSlopes(*self.results)


# ----------------------------------------------------------------------------------------- one Data


class _Gang:
    """A gang that takes the columns of one world, for a Data that has none."""

    def __init__(self, data: Data):
        model, sizes = data.model, data.sizes
        self.data = Data(model, W, sizes["nconmax"], sizes["njmax"])
        self.data.let_grow(data.grows)
        self.data.arrays["lane_world"][:] = 0
        self.state = np.zeros(model.nstate)
        # warnings, resets, room that was used: none
        self.counters = np.zeros(2 * NWARNING + 3, np.int32)
        self.rows = Records(ROWS)
        self.rows.set(
            state=self.state, nstate=model.nstate, warning=self.counters,
            resets=self.counters[-1:], uses=self.counters[-3:],
        )  # fmt: skip
        self.worker = Records(threads.WORKER)
        self.worker.set(block=self.data.state_lanes)
        self._made: tuple[tuple, Any] = ((), None)  # the last columns, and what they are
        self._options = b""  # of the model, when they were checked

    def columns(self, kind: type, *how: Any) -> Any:
        """Columns of one world: those of the last time, if they were the same."""
        model, (made, columns) = self.data.model, self._made
        if made != (kind, *how):
            columns = kind(model, 1, 1, *how)
            columns.record.set(rows=self.rows)
            user = model.user
            flags = wants((*columns.fields, *(user.read if user is not None else ())))
            for name in WANTS:
                self.data.arrays[name][...] = name in flags
            self._made = ((kind, *how), columns)
        elif self._options is not model.watch.seen:
            columns.check(model)
        self._options = model.watch.seen
        return columns

    def run(self, columns: Any, state: np.ndarray) -> list[np.ndarray]:
        """The derivatives of one world in this state, to be kept."""
        d, model = self.data, self.data.model
        self.state[...] = state
        addresses = columns.record.address, self.worker.address
        while True:
            if JIT:
                gang = parts.library("gang").functions[f"{columns.call}_gang"]
                gang(model.address, d.address, *addresses)
            else:
                with np.errstate(all="ignore"):
                    gang_kernel(columns.call)(model.struct, d.struct, *addresses)
            if not (d.notice.value and d.attend()):
                return [x.copy() for x in columns.results]


_gangs: "weakref.WeakKeyDictionary[Data, _Gang]" = weakref.WeakKeyDictionary()


def _gang_of(d: Data) -> _Gang:
    refuse_hooks()
    d.model.watch.look()
    gang = _gangs.get(d)
    if gang is None:
        gang = _gangs[d] = _Gang(d)
    return gang


def _together(worlds: list[list[np.ndarray]]) -> list[np.ndarray]:
    """What the worlds of a Data have, as one."""
    if len(worlds) == 1:
        return [x[0] for x in worlds[0]]
    return [np.concatenate(x) for x in zip(*worlds, strict=True)]


def transition_fd(
    m: Model, d: Data, eps: float = EPS, centered: bool = False, sensors: bool = True
) -> Transition:
    """Derivatives of a step by finite differences: A, B, C, D, as mjd_transitionFD.

    With x = (qpos, qvel, act) and u = ctrl as they are in d, y the state after `step` and s what
    sensors read in it,

        A = dy/dx (nx, nx), B = dy/du (nx, nu), C = ds/dx (nsensordata, nx), D = ds/du

    where nx = 2 nv + na: positions are nudged and compared in the tangent space (`integrate_pos`,
    `differentiate_pos`). eps is the size of a nudge, in the units of what is nudged; centered takes
    differences both ways, which costs twice as much. Controls are not nudged out of their range.
    sensors=False leaves C and D empty. d stays as it is. The solver starts from d.qacc_warmstart
    every time; its tolerance divided by eps is the noise to expect. Not for RK4.
    """
    check_arguments(m, d)
    gang = _gang_of(d)
    columns = gang.columns(TransitionColumns, check_eps(eps), bool(centered), bool(sensors))
    worlds = [gang.run(columns, d.state_lanes[:, k]) for k in range(d.lanes)]
    A, B, C, D = _together(worlds)
    return Transition(A, B, C, D)


def inverse_fd(
    m: Model, d: Data, eps: float = EPS, actuation: bool = False, sensors: bool = True
) -> InverseSlopes:
    """Derivatives of inverse dynamics at (qpos, qvel, qacc) of d, as mjd_inverseFD.

    The seven arrays are DfDq, DfDv, DfDa (nv, nv), DsDq, DsDv, DsDa (nv, nsensordata) and DmDq
    (nv, nC), f the force qfrc_inverse [N, Nm], s what sensors read, m the numbers of `d.M`. Row i
    has the derivatives by dof i, of positions in the tangent space; differences are one-sided, with
    a nudge of eps. actuation takes qfrc_actuator off the force, so that actuators are no external
    force. sensors=False leaves Ds* empty. d stays as it is. Not for RK4 or noslip.
    """
    check_arguments(m, d)
    gang, worlds = _gang_of(d), []
    columns = gang.columns(InverseColumns, check_eps(eps), bool(actuation), bool(sensors))
    for k in range(d.lanes):
        columns.qacc[...] = d.arrays["qacc"][:, k]
        worlds.append(gang.run(columns, d.state_lanes[:, k]))
    return InverseSlopes(*_together(worlds))
