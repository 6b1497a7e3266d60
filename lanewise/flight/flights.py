"""Flight, a free body in a world of its own, and Flights, one in each world of a Batch.

A body flies under loads that somebody else computes: a panel method, a table, a pilot. They are
given in Earth axes about the centre of mass, and stay until others are given. Between two loads
lies an interval, which the engine passes in one step or in several:

    flight.apply_loads(f_W, t_Bcm_W)
    flight.step()                      # an interval: `substeps` steps of the engine
    flight.step(loads=function)        # or the loads are asked for before each of these steps

What a flight says of itself is of the present moment. MuJoCo leaves xmat behind as the last stage
of a step needed it: one step old with Euler and the implicit integrators, of the end of the fourth
stage with RK4. Loads that are computed from such an attitude lag behind the motion, and that is the
largest error of a coupled flight. So `state` is made of qpos and qvel; and a Flight's Data, as the
outputs of a Flights' Batch, are brought up to date after every call.

Saving is the whole integration state, loads and warm start included: what is restored goes on to
the same bits, which is what the sub-iterations of a coupled solver rely on.
"""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..batch.batch import Batch
from ..data import Data
from ..errors import ConventionError, whole_number
from ..functions import STAGE_FUNCTIONS, get_state, set_state
from ..loaders import load
from ..mjconst import STAGE_NONE, STAGE_VEL
from ..model import Model
from .flight_state import FlightState
from .free_body import free_body
from .rigid_body import RigidBody

Loads = Callable[[FlightState], tuple[Any, Any]]

# poses and velocities of bodies; the state stays as it is
_FRESH = [STAGE_FUNCTIONS[name] for name in ("kinematics", "com_pos", "com_vel")]
_step = STAGE_FUNCTIONS["step"]

KEEP = object()  # the worlds of a Batch, as they are


class _Flying:
    """What one flight and many have in common; arrays of many have a leading axis."""

    _rows: tuple[int, ...]  # the leading axis

    def __init__(self, model: Any, body: Any, interval: float | None, substeps: int, start: Any):
        substeps = whole_number(substeps, "substeps")
        if substeps < 1:
            raise ValueError(f"substeps must be at least 1, got {substeps}")
        if interval is not None:
            if not isinstance(interval, Real) or not 0.0 < interval < np.inf:
                raise ValueError(f"interval must be a positive time [s], got {interval!r}")
            model.opt.timestep = float(interval) / substeps
        self.model, self.body, self.substeps = model, free_body(model, body), substeps
        self.reset_to(start)

    # ---- what differs

    def _field(self, name: str) -> np.ndarray:
        raise NotImplementedError

    def _set_time(self, time: Any) -> None:
        raise NotImplementedError

    def _com(self) -> np.ndarray:
        raise NotImplementedError

    def _advance(self, nstep: int) -> None:
        raise NotImplementedError

    def _to_start(self, keyframe: Any) -> None:
        raise NotImplementedError

    def refresh(self) -> None:
        """Compute poses and velocities of bodies anew; every method here does so by itself."""
        raise NotImplementedError

    def save(self) -> np.ndarray:
        """The state that integration goes on from, loads included, as numbers to be kept."""
        raise NotImplementedError

    def restore(self, saved: Any) -> None:
        """Go on from what `save` returned, to the same bits."""
        raise NotImplementedError

    # ---- what is the same

    @property
    def interval(self) -> float:
        """[s] of a step of the flight: of all its substeps."""
        return float(self.model.opt.timestep) * self.substeps

    @property
    def state(self) -> FlightState:
        """The motion of the body at this moment, as arrays of the reader's own."""
        qpos = self._field("qpos")[..., self.body.qpos]
        qvel = self._field("qvel")[..., self.body.qvel]
        time = np.array(self._field("time")).reshape(self._rows)
        return FlightState.from_mujoco(qpos, qvel, com=self._com(), time=time[()])

    @state.setter
    def state(self, state: FlightState) -> None:
        if not isinstance(state, FlightState):
            raise TypeError(
                f"state must be a FlightState, got {type(state).__name__}: FlightState.from_ptera"
                " makes one of Ptera Software's dict, from_mujoco of qpos and qvel"
            )
        qpos, qvel = state.mujoco(com=self._com())
        for name, x, size in (("qpos", qpos, 7), ("qvel", qvel, 6)):
            self._check(x, (size,), f"{name} of the state")
        self._check(state.time, (), "time of the state")
        self._field("qpos")[..., self.body.qpos] = qpos
        self._field("qvel")[..., self.body.qvel] = qvel
        self._set_time(state.time)
        self.refresh()

    @property
    def loads(self) -> np.ndarray:
        """[f_W, t_Bcm_W] that act on the body now, (6,) [N, N m]; a copy."""
        return self._field("xfrc_applied")[..., self.body.number, :].copy()

    def apply_loads(self, f_W: Any, t_Bcm_W: Any = (0.0, 0.0, 0.0)) -> None:
        """A force (3,) [N] and a moment about the centre of mass (3,) [N m], both in Earth axes.
        They act until others are given, or `reset`."""
        given = []
        for name, x in (("f_W", f_W), ("t_Bcm_W", t_Bcm_W)):
            try:
                array = np.asarray(x, float)
            except (TypeError, ValueError):
                raise ConventionError(f"{name} must be three numbers, got {x!r}") from None
            given.append(self._check(array, (3,), name))
        loads = self._field("xfrc_applied")
        loads[..., self.body.number, :3], loads[..., self.body.number, 3:] = given

    def step(self, n: int = 1, *, loads: Loads | None = None) -> None:
        """n intervals. `loads`, if it is given, is asked before every step of the engine for the
        force and the moment: it gets the FlightState and returns (f_W, t_Bcm_W)."""
        n = whole_number(n, "n")
        if n < 0:
            raise ValueError(f"n must not be negative, got {n}")
        if loads is None:
            self._advance(n * self.substeps)
        else:
            for _ in range(n * self.substeps):
                self.apply_loads(*_pair(loads(self.state)))
                self._advance(1)

    def reset(self) -> None:
        """Back to the start: time zero, no loads."""
        self.restore(self._start)

    def reset_to(self, start: Any = None) -> None:
        """Make another start: a FlightState, a keyframe by name or number, or None for the pose of
        the file at rest; and go there."""
        if isinstance(start, FlightState):
            self._to_start(None)
            self.state = start
        elif start is None or start is KEEP or isinstance(start, str | Integral):
            self._to_start(start)
        else:
            raise TypeError(
                f"start must be a FlightState, or a keyframe by name or number; got"
                f" {type(start).__name__}: FlightState.from_ptera and from_mujoco make one"
            )
        self._start = self.save()

    def _check(self, x: np.ndarray, last: tuple[int, ...], name: str) -> np.ndarray:
        full = (*self._rows, *last)
        if x.shape not in (full, last):
            or_one = f", or {last} for all" if self._rows else ""
            raise ConventionError(f"{name} must have shape {full}{or_one}; got {x.shape}")
        if not np.isfinite(x).all():
            where = tuple(int(i) for i in np.argwhere(~np.isfinite(x))[0])
            raise ConventionError(f"{name} has {x[where]} at index {where}")
        return x


def _pair(given: Any) -> tuple[Any, Any]:
    try:
        f_W, t_Bcm_W = given
    except (TypeError, ValueError):
        raise ConventionError(
            f"loads must return a force and a moment, (f_W, t_Bcm_W); got {given!r}"
        ) from None
    return f_W, t_Bcm_W


def _model(source: Any) -> Model:
    """A Model of its own of whatever describes a body."""
    return load(source.xml() if isinstance(source, RigidBody) else source)


class Flight(_Flying):
    """A free body in a world of its own.

    source    a RigidBody; or a Model, file or XML text that has a free body, with whatever else
    body      its name or number, if several are free
    interval  [s] between loads; the engine's timestep is interval / substeps. By default the
              timestep of the model, times substeps.
    start     a FlightState, or a keyframe by name or number; by default the pose of the file, at
              rest

    `data` and `model` are the world and what it is made of.
    """

    _rows = ()

    def __init__(
        self, source: Any, body: str | int | None = None, *, interval: float | None = None,
        substeps: int = 1, start: Any = None,
    ):  # fmt: skip
        model = _model(source)
        self.data = Data(model)
        super().__init__(model, body, interval, substeps, start)

    def _field(self, name: str) -> np.ndarray:
        return self.data.view(name)

    def _set_time(self, time: Any) -> None:
        self.data.time = time

    def _com(self) -> np.ndarray:
        return self.model.body_ipos[self.body.number]

    def _advance(self, nstep: int) -> None:
        _step(self.model, self.data, nstep)
        self.refresh()

    def _to_start(self, keyframe: Any) -> None:
        self.data.reset(keyframe)
        self.refresh()

    def refresh(self) -> None:
        for stage in _FRESH:
            stage(self.model, self.data)

    def save(self) -> np.ndarray:
        return get_state(self.model, self.data)

    def restore(self, saved: Any) -> None:
        set_state(self.model, self.data, saved)
        self.refresh()

    def __repr__(self) -> str:
        return f"<Flight of {self.body.name!r} at {float(self.data.time):g} s>"


class Flights(_Flying):
    """A free body in each world of a Batch; arrays have a leading axis of them.

    source    as of a Flight; or a Batch, whose worlds are taken as they are, to fly in
    nsim      how many, unless a Batch says so
    nthread   threads, 0 for one on each processor

    All else is as in a Flight, and `batch` has the worlds: for rollouts, for the viewer, for
    constants that differ between them. `start` may be a FlightState of all, or one for each.
    """

    def __init__(
        self, source: Any, nsim: int | None = None, body: str | int | None = None, *,
        interval: float | None = None, substeps: int = 1, start: Any = None, nthread: int = 0,
    ):  # fmt: skip
        if isinstance(source, Batch):
            if nsim is not None:
                raise ValueError(f"this Batch has {source.nsim} worlds: leave nsim out")
            self.batch = source
        elif nsim is None:
            raise TypeError("how many? Flights(model, nsim=1000)")
        else:
            self.batch = Batch(_model(source), nsim, nthread, fresh=True)
        self._rows = (self.batch.nsim,)
        if isinstance(source, Batch) and start is None:
            start = KEEP
        super().__init__(self.batch._model, body, interval, substeps, start)

    def _field(self, name: str) -> np.ndarray:
        return self.batch.bind(name)

    def _set_time(self, time: Any) -> None:
        self._field("time")[...] = time

    def _com(self) -> np.ndarray:
        rows = self.batch.expanded("body_ipos")
        number = self.body.number
        return self.model.body_ipos[number] if rows is None else rows[:, number]

    def _advance(self, nstep: int) -> None:
        if nstep:
            self.batch.step(nstep=nstep, stage=STAGE_NONE if self.batch.fresh else STAGE_VEL)

    def _to_start(self, keyframe: Any) -> None:
        if keyframe is not KEEP:
            self.batch.reset(keyframe=keyframe)

    def refresh(self) -> None:
        self.batch.forward(stage=STAGE_VEL)

    def save(self) -> np.ndarray:
        return self.batch.get_state()

    def restore(self, saved: Any) -> None:
        self.batch.set_state(saved)
        self.refresh()

    def __repr__(self) -> str:
        return f"<{self.batch.nsim} Flights of {self.body.name!r}>"
