"""Derivatives of a step and of inverse dynamics, by finite differences, as MuJoCo's mjd_*FD.

Columns of derivatives are worlds that are nudged, side by side in lanes (engine/calls/nudges.py).
Where a model has many columns, a world takes all lanes of a gang: they have the same contacts and
take the same path. Where it has few, several worlds of a Batch share a gang. A column has the same
bits either way, so the choice is one of speed only.
"""

import weakref
from collections.abc import Iterator, Mapping
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


# what a gang's step costs for columns of a kind, relative to a whole one
_COST = {"npos": 1.0, "nvel": 0.6, "nact": 0.5, "nctrl": 0.5, "nacc": 0.3}
_APART = 1.15  # likewise, if its lanes are of different worlds, with contacts of their own


class _Columns:
    """What is nudged in n worlds, and where the derivatives go."""

    call: str  # of a Batch
    fields: tuple[str, ...]  # that are read of a workspace

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
            gangs = -(-self.n * share // (W * nthread))
            passes = 0.5 + sum(count / share * _COST[kind] for kind, count in self.counts.items())
            return gangs * passes * (1.0 if share == W else _APART)

        return min((8, 4, 2, 1), key=cost)

    def rows(self, count: int) -> np.ndarray:
        """Room for `count` numbers of each column."""
        return np.zeros((self.n, self.total, count))


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
        ns = model.nsensordata if sensors else 0
        self.fields = ("sensordata",) if ns else ()
        self.nx = (2 * nv + na) * state
        self.dy, self.ds = self.rows(2 * nv + na), self.rows(ns)
        self.record = Records(TRANSITION)
        self.record.set(
            columns=self.columns, centered=bool(centered), size=2 * nv + na, state=self.dy,
            sensor=self.ds if ns else None, dq=PLACE["vector"], dv=PLACE["plus_qvel"],
            da=PLACE["plus_act"], ds=PLACE["plus_sensor"],
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
        of_x, of_u = slice(self.nx), slice(self.nx, self.total - 1)
        A, B, C, D = (
            np.ascontiguousarray(rows[:, of].swapaxes(1, 2))
            for rows in (self.dy, self.ds)
            for of in (of_x, of_u)
        )
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
        self.nv, self.qacc = nv, np.zeros((n, nv))
        self.df, self.ds, self.dm = self.rows(nv), self.rows(ns), self.rows(model.nC)
        self.record = Records(INVERSE_SLOPES)
        self.record.set(
            columns=self.columns, actuation=bool(actuation), qacc=self.qacc, force=self.df,
            sensor=self.ds if ns else None, inertia=self.dm, acceleration=PLACE["qacc"],
            df=PLACE["plus_qvel"], ds=PLACE["plus_sensor"], dM=PLACE["modified_M"],
        )  # fmt: skip

    @staticmethod
    def check(model: Model) -> None:
        opt = model.mj.opt
        check_options("inverse_fd", opt.integrator, opt.noslip_iterations)

    def result(self) -> InverseSlopes:
        by = [slice(k * self.nv, (k + 1) * self.nv) for k in range(3)]
        parts = [rows[:, of] for rows in (self.df, self.ds) for of in by]
        return InverseSlopes(*(x.copy() for x in (*parts, self.dm[:, by[0]])))


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

    def columns(self, kind: type, *how: Any) -> Any:
        """Columns of one world: those of the last time, if they were the same."""
        if self._made[0] != (kind, *how):
            columns = kind(self.data.model, 1, 1, *how)
            columns.record.set(rows=self.rows)
            flags = wants(columns.fields)
            for name in WANTS:
                self.data.arrays[name][...] = name in flags
            self._made = ((kind, *how), columns)
        self._made[1].check(self.data.model)
        return self._made[1]

    def run(self, columns: Any, state: np.ndarray) -> Any:
        """The derivatives of one world in this state."""
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
                return columns.result()


_gangs: "weakref.WeakKeyDictionary[Data, _Gang]" = weakref.WeakKeyDictionary()


def _gang_of(d: Data) -> _Gang:
    refuse_hooks()
    d.model.watch.look()
    gang = _gangs.get(d)
    if gang is None:
        gang = _gangs[d] = _Gang(d)
    return gang


def _together(d: Data, results: list[Any]) -> Any:
    """What the worlds of a Data have, as one."""
    kind, worlds = type(results[0]), zip(*results, strict=True)
    return kind(*(x[0][0] if d.lanes == 1 else np.concatenate(x) for x in worlds))


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
    return _together(d, [gang.run(columns, d.state_lanes[:, k]) for k in range(d.lanes)])


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
    gang, results = _gang_of(d), []
    columns = gang.columns(InverseColumns, check_eps(eps), bool(actuation), bool(sensors))
    for k in range(d.lanes):
        columns.qacc[...] = d.arrays["qacc"][:, k]
        results.append(gang.run(columns, d.state_lanes[:, k]))
    return _together(d, results)
