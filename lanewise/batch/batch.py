"""Batch: many worlds of one model, stepped eight at a time on several threads.

    b = Batch(model, nsim=4096)
    for _ in range(1000):
        b.ctrl = policy(b.qpos, b.xpos)
        b.step()

The interface is that of mujoco.batch.Batch 4.0. A world is its row in `state`, in the order of
MuJoCo's mjSTATE_INTEGRATION. State fields (qpos, ctrl, ...) are views of the rows: a write is the
world's state at its next call. Other fields are outputs: from the first time that somebody asks for
one, every call copies it out for the worlds that it ran. A call loads rows into the lanes of a
workspace, runs, and stores them back (threads.py, engine/stream.py), so a world takes the memory of
its row and of the outputs in use.

An output describes what the world's last call computed of it: `forward(stage=...)` leaves the
outputs of later stages as they were. `persistent=True` asks for all outputs from the start.

Results have the same bits for any number of threads and any neighbours.
"""

import threading
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..data import ROOM, capacities, say_full
from ..engine import stream
from ..errors import UnsupportedFeature, did_you_mean
from ..fields import DATA_FIELDS as _TABLE
from ..fields import STATE_FIELDS
from ..lanes import W
from ..loaders import per_world as worlds
from ..loaders import set_const
from ..mjconst import STAGE_ACC, STAGE_NONE, STAGE_POS, STAGE_VEL
from .arguments import (
    check_index,
    check_int,
    check_stage,
    int32s,
    keyframes,
    make_ids,
    processors,
    record_buffer,
    state_parts,
)
from .field_names import (
    DATA_FIELDS,
    MORE_FIELDS,
    computed_error,
    hint,
    not_bindable,
    not_expandable,
)
from .named import Named, numbers
from .outcome import Outcome, SimulationError
from .threads import Streams, aligned, table
from .variation import Variation

__all__ = ["DATA_FIELDS", "Batch", "SimulationError"]

# the stage of mjtStage that computes a field, by the section of the table it stands in
_LEVEL = {
    **dict.fromkeys(("kinematics", "com_pos", "camlight", "tendon", "crb"), STAGE_POS),
    **dict.fromkeys(("factor_m", "transmission", "energy"), STAGE_POS),
    **dict.fromkeys(("collision", "make_constraint"), STAGE_POS),
    **dict.fromkeys(("fwd_velocity", "com_vel", "passive", "rne", "subtree_vel"), STAGE_VEL),
    "reference_constraint": STAGE_VEL,
    **dict.fromkeys(("fwd_actuation", "fwd_acceleration", "fwd_constraint"), STAGE_ACC),
    **dict.fromkeys(("solver", "dual", "efc", "rne_post_constraint", "contact_force"), STAGE_ACC),
    "integrate": STAGE_ACC + 1,  # only by a step
    "inverse": STAGE_ACC + 2,  # only by inverse
}  # fmt: skip

# sections whose fields a call may leave as they are, wholly or in part
_PARTIAL = {"tendon", "transmission", "energy", "subtree_vel", "integrate"}


# what kernels compute only for somebody who reads it, in the order of the field `wanted`
_WANTED = ("geom_x",), ("site_x", "cam_x", "light_x"), (
    "moment_", "actuator_moment", "qLD", "qH",
), ("efc_",), ("cacc", "cfrc_"), ("contact_force", "body_contact")  # fmt: skip

# fields that are as long as a world's contacts or rows, by what bounds them
_COUNTED = {"nconmax": stream.PER_CONTACT, "njmax": stream.PER_ROW, "nJmax": stream.PER_ROW}

_REORDER = 8  # calls after which worlds are ordered by effort again
_CACHED = 2 << 20  # bytes of state rows that certainly stay near the processor between two calls


def __getattr__(name: str) -> Any:
    if name == "MODEL_FIELDS":  # fields that expand() accepts
        return worlds.expandable()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Batch:
    """nsim worlds of a copy of the model, on nthread threads (0: one for each processor).

    A Batch is for one Python thread: calls from several wait for each other, but `status` and
    `error` are of the last one.
    """

    model: Any
    nsim: int
    nthread: int
    persistent: bool
    nstate: int
    state: np.ndarray
    warning: np.ndarray
    status: np.ndarray
    _model: Any

    def __init__(
        self, model: Any, nsim: int, nthread: int = 0, persistent: bool = False,
        nconmax: int | None = None, njmax: int | None = None,
    ):  # fmt: skip
        set_ = object.__setattr__
        nsim = check_int(nsim, "nsim", 1)
        nthread = check_int(nthread, "nthread", 0) or processors()
        set_(self, "model", model)
        set_(self, "_model", worlds.own_model(model))
        set_(self, "nsim", nsim)
        set_(self, "nthread", min(nthread, nsim))
        set_(self, "persistent", bool(persistent))
        set_(self, "nstate", self._model.nstate)
        set_(self, "state", aligned((nsim, self.nstate)))
        self.state[...] = self._model.reset_row()
        set_(self, "warning", aligned((nsim, stream.NWARNING, 2), np.int32))
        self._outcome = Outcome(nsim)
        set_(self, "status", self._outcome.status)
        self._bound: dict[str, np.ndarray] = {}  # what the user sees of the outputs
        self._outputs: dict[str, np.ndarray] = {}  # the same, to be written
        self._tables: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._template: Any = None
        self._lock = threading.Lock()
        self._sizes = capacities(self._model, nconmax, njmax)
        self._streams = Streams(self._model, min(nthread, -(-nsim // W)), self._sizes)
        self._effort = aligned((nsim,), np.int32)  # of each world's last step
        self._places = np.zeros(0, np.int64)  # worlds by effort
        self._calls = 0
        self._told = False  # that there was no room for something
        self._counts = aligned((0, 2), np.int32)  # contacts and rows that outputs hold, if any
        self._variation = Variation(self._model, nsim, self._streams)
        self._models: Any = None
        self._plain = True  # all worlds have the batch's model
        self._constants = table([])
        self._last: tuple = ()  # the last call, if it was simple
        self._streams.job.set(
            state=self.state.ctypes.data, nstate=self.nstate, warning=self.warning.ctypes.data
        )
        if persistent:
            for name in DATA_FIELDS:
                self.bind(name)

    # -------------------------------------------------------------------------------------- fields

    def __getattr__(self, name: str) -> np.ndarray:
        if name in DATA_FIELDS or name in MORE_FIELDS:
            return self.bind(name)
        if name.startswith("_"):
            raise AttributeError(f"'Batch' object has no attribute {name!r}")
        raise AttributeError(f"'Batch' object has no attribute {name!r}{hint(name)}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name in STATE_FIELDS or name == "state":
            target = self.state if name == "state" else self.bind(name)
            target[...] = numbers(value, target.shape, name)
        elif name in DATA_FIELDS or name in MORE_FIELDS:
            raise computed_error(name)
        elif hasattr(type(self), name) or name in self.__dict__:
            raise AttributeError(f"{name} cannot be assigned")
        else:
            raise AttributeError(f"a Batch has no field {name!r}{hint(name)}")

    def __dir__(self) -> Iterable[str]:
        return sorted({*object.__dir__(self), *DATA_FIELDS, *MORE_FIELDS})

    def __repr__(self) -> str:
        return f"<lanewise.Batch of {self.nsim} worlds on {self.nthread} threads, {self._model!r}>"

    def bind(self, name: str) -> np.ndarray:
        """A live (nsim, ...) array over a data field.

        State fields are views of the rows and can be written; rows hold float64, so eq_active is
        float64 too. Other fields are outputs, copied out after every call that computes them, and
        read-only. An output is zero until the first call after it was bound.
        """
        if name in self._bound:
            return self._bound[name]
        if name not in DATA_FIELDS and name not in MORE_FIELDS:
            raise not_bindable(name)
        field = _TABLE[name]
        if field.capacity and not len(self._counts):
            self._counts = aligned((self.nsim, 2), np.int32)
        shape = (self.nsim, *self._shape(field))
        if name in STATE_FIELDS:
            place = self._model.state_slices[name]
            view = self.state[:, place].reshape(shape) if field.dims else self.state[:, place.start]
        else:
            dtype = np.float64 if field.dtype == "float" else np.int32
            self._outputs[name] = aligned(shape, dtype)
            view = self._outputs[name][:]
            view.flags.writeable = False
            self._tables.clear()
            self._last = ()
        self._bound[name] = view
        return view

    def _shape(self, field: Any) -> tuple[int, ...]:
        """The shape of a field in one world; efc_J is a matrix, with a row for each constraint."""
        if field.capacity == "nJmax":
            return self._sizes["nJmax"] // max(self._model.nv, 1), self._model.nv
        return field.shape(self._sizes)

    @property
    def contact(self) -> "BatchContacts":
        """Contacts of all worlds: `b.contact.dist` is (nsim, nconmax), `b.ncon` says how many."""
        return BatchContacts(self)

    def pair_force(self, first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
        """What geoms `first` do to geoms `second`: the force (nsim, 3) in the world's axes, and the
        number of contacts (nsim,).

        Geoms are given by name or number, one or several. The first call binds what it reads: it
        speaks of the calls that follow.
        """
        one, two = self._geoms(first), self._geoms(second)
        force, frame = self.contact_force[..., :3], self.contact.frame
        geom1, geom2 = self.contact.geom1, self.contact.geom2
        there = np.arange(geom1.shape[1]) < self.ncon[:, None]
        forth = there & np.isin(geom1, one) & np.isin(geom2, two)
        back = there & np.isin(geom1, two) & np.isin(geom2, one) & ~forth
        rows = frame.reshape(*frame.shape[:2], 3, 3)
        return (
            np.einsum("sc,scr,scrx->sx", forth * 1.0 - back, force, rows),
            (forth | back).sum(axis=1),
        )

    def _geoms(self, keys: Any) -> list[int]:
        keys = [keys] if isinstance(keys, (str, int, np.integer)) else list(keys)
        return [self._model.mj.geom(key).id for key in keys]

    def actuator(self, key: int | str) -> Named:
        return Named(self, "actuator", key)

    def body(self, key: int | str) -> Named:
        return Named(self, "body", key)

    def camera(self, key: int | str) -> Named:
        return Named(self, "camera", key)

    def equality(self, key: int | str) -> Named:
        return Named(self, "equality", key, data=False)

    def geom(self, key: int | str) -> Named:
        return Named(self, "geom", key)

    def joint(self, key: int | str) -> Named:
        return Named(self, "joint", key)

    def keyframe(self, key: int | str) -> Named:
        return Named(self, "keyframe", key, data=False)

    def light(self, key: int | str) -> Named:
        return Named(self, "light", key)

    def material(self, key: int | str) -> Named:
        return Named(self, "material", key, data=False)

    def numeric(self, key: int | str) -> Named:
        return Named(self, "numeric", key, data=False)

    def pair(self, key: int | str) -> Named:
        return Named(self, "pair", key, data=False)

    def sensor(self, key: int | str) -> Named:
        return Named(self, "sensor", key)

    def site(self, key: int | str) -> Named:
        return Named(self, "site", key)

    def tendon(self, key: int | str) -> Named:
        return Named(self, "tendon", key)

    # --------------------------------------------------------------------------------------- calls

    def step(self, ids: Any = None, nstep: int = 1, stage: int = STAGE_NONE) -> None:
        """Advance worlds by nstep steps, then compute the stages up to `stage` (mjtStage) anew.

        After a step, outputs describe the state before its last substep. stage=2 (mjSTAGE_VEL)
        makes those that depend on position and velocity current, stage=3 (mjSTAGE_ACC) all of them.
        """
        nstep = check_int(nstep, "nstep", 1)
        self._run(make_ids(ids, self.nsim), nstep, check_stage(stage))

    def forward(self, ids: Any = None, stage: int = STAGE_ACC) -> None:
        """Compute the stages up to `stage` (mjtStage), by default all."""
        self._run(make_ids(ids, self.nsim), 0, check_stage(stage))

    def reset(self, ids: Any = None, keyframe: Any = -1, stage: int = STAGE_ACC) -> None:
        """Reset worlds to the model's reference state (-1) or to keyframes, then compute stages.

        keyframe is one number for all worlds of the call, or one for each.
        """
        ids, stage = make_ids(ids, self.nsim), check_stage(stage)
        n = self.nsim if ids is None else len(ids)
        models = (
            [self._model] if self._variation.callers is None else self._variation.callers.models
        )
        keys = keyframes(keyframe, n, max(m.nkey for m in models))
        sims = np.arange(self.nsim) if ids is None else ids
        if self._plain and (keys == -1).all():
            rows = self._model.reset_row()
        else:
            rows = self._variation.reset_rows(sims, keys)
        runnable = self._runnable(ids)
        if runnable is None:
            self.state[slice(None) if ids is None else ids] = rows
            self.warning[slice(None) if ids is None else ids] = 0
        else:  # worlds that cannot be run keep their state
            self.state[sims[runnable]] = rows[runnable] if rows.ndim == 2 else rows
            self.warning[sims[runnable]] = 0
        self._run(ids, 0, stage)

    def rollout(
        self,
        nstep: int,
        control: Any = None,
        control_spec: int = 1 << 6,
        record: Sequence[str | int] = ("qpos",),
        ids: Any = None,
        out: dict | None = None,
    ) -> dict:
        """Advance worlds by nstep steps and record after each; {item: (n, nstep, ...) array}.

        Before step k, the state components in control_spec (mjtState bits of inputs, by default
        ctrl) are set from control[:, k]. A record is a field's name, or mjtState bits for a state
        vector. A world whose warning counters rise stops, and its last records are repeated. `out`
        has arrays to record into.
        """
        ids, nstep = make_ids(ids, self.nsim), check_int(nstep, "nstep", 1)
        n = self.nsim if ids is None else len(ids)
        job: dict[str, int] = {"rollout": 1, "ncontrol": 0}
        if control is not None:
            pieces, size = state_parts(self._model, control_spec, "control_spec")
            control = numbers(control, (n, nstep, size), "control")
            control = np.ascontiguousarray(control, np.float64)
            job.update(ncontrol=size, control=control.ctypes.data)
            job.update(npiece=len(pieces), pieces=pieces.ctypes.data)
        if isinstance(record, (str, int)):
            raise TypeError(f"record takes a sequence of items, such as ({record!r},)")
        buffers: dict[Any, np.ndarray] = {}
        floats: dict[Any, np.ndarray] = {}  # instead of buffers of bytes, which rows do not have
        rows: list[tuple[int, ...]] = []
        for item in record:
            shape, dtype, parts = self._record(item, n, nstep)
            target = buffers[item] = record_buffer(item, (out or {}).get(item), shape, dtype)
            if target.itemsize == 1:
                target = floats[item] = np.zeros(shape)
            size, start = int(np.prod(shape[2:])) * target.itemsize, target.ctypes.data
            kind = stream.INT32 if target.dtype == np.int32 else stream.FLOAT64
            for offset, count in parts:
                rows.append((start, size * nstep, offset, count, kind, size))
                start += count * target.itemsize
        names = [item for item in record if isinstance(item, str)]
        records, zeros = table(rows), self._unwritten({*self._outputs, *names})
        job.update(nrecord=len(rows), records=records.ctypes.data, wanted=self._wanted(names))
        job.update(zeros=zeros.ctypes.data, nzero=_filled(zeros))
        try:
            self._run(ids, nstep, STAGE_NONE, job)
        finally:
            for item, values in floats.items():
                buffers[item][...] = values
        return buffers

    def _record(
        self, item: str | int, n: int, nstep: int
    ) -> tuple[tuple, Any, list[tuple[int, int]]]:
        """Shape and dtype of a record, and its parts: (first byte in a workspace, count)."""
        if not isinstance(item, str):
            pieces, size = state_parts(self._model, item, "record")
            parts = [(8 * W * start, count) for _, start, count, *_ in pieces.tolist()]
            return (n, nstep, size), np.float64, parts
        if item not in DATA_FIELDS:
            raise not_bindable(item)
        field = _TABLE[item]
        if field.capacity:
            raise ValueError(f"{item} has another length in every step: bind it instead")
        shape = field.shape(self._sizes)
        dtype: Any = np.float64 if field.dtype == "float" else np.int32
        if item == "eq_active":
            dtype = self._model.mj.eq_active0.dtype
        return (n, nstep, *shape), dtype, [(self._offset(item), int(np.prod(shape)))]

    def jac(self, body: Any, point: Any, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians of a point fixed to a body: jacp, jacr of shape (n, 3, nv).

        body is one id or one for each world of the call; point, (3,) or (n, 3), is given in the
        world frame. State and outputs are untouched.
        """
        ids = make_ids(ids, self.nsim)
        n = self.nsim if ids is None else len(ids)
        body = int32s(body, (n,), 0, self._model.nbody, "body")
        point = np.ascontiguousarray(numbers(point, (n, 3), "point"), np.float64)
        jacp, jacr = np.zeros((n, 3, self._model.nv)), np.zeros((n, 3, self._model.nv))
        job = {"mode": stream.JACOBIAN, "body": body.ctypes.data, "point": point.ctypes.data}
        self._run(ids, 0, STAGE_NONE, {**job, "jacp": jacp.ctypes.data, "jacr": jacr.ctypes.data})
        return jacp, jacr

    def inverse(self, qacc: Any, ids: Any = None) -> np.ndarray:
        """The generalized force (n, nv) that gives each world an acceleration qacc (n, nv), in
        addition to the forces that act: controls do not count.

        As `lanewise.inverse`, with the forces of constraints that follow from qacc. States stay as
        they are, and outputs that are bound (qfrc_constraint, contact_force, ...) get the values
        that belong to qacc.
        """
        ids = make_ids(ids, self.nsim)
        n = self.nsim if ids is None else len(ids)
        qacc = np.ascontiguousarray(numbers(qacc, (n, self._model.nv), "qacc"), np.float64)
        force = self.bind("qfrc_inverse")
        job = {"mode": stream.INVERSE, "qacc": qacc.ctypes.data}
        self._run(ids, 0, STAGE_ACC + 2, {**job, "qacc_lanes": self._offset("qacc")})
        return force.copy() if ids is None else force[ids]

    def ray(
        self, pnt: Any, vec: Any, geomgroup: Any = None, flg_static: bool = True,
        bodyexclude: Any = -1, ids: Any = None, normal: bool = False,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        """Rays are not built yet: raises UnsupportedFeature."""
        raise UnsupportedFeature({"ray": ["Batch.ray"]}, what="not built yet")

    # ---------------------------------------------------------------------------- models of worlds

    @property
    def _expanded(self) -> dict[str, np.ndarray]:
        return self._variation.expanded

    def expand(self, name: str) -> np.ndarray:
        """Give a model field its own value in every world: a live (nsim, ...) array of them.

        Options are named opt.<name>. After writing a field that mj_setConst reads, call
        set_const().
        """
        variation = self._variation
        if name in variation.expanded:
            return variation.expanded[name]
        if self._models is not None:
            raise ValueError(
                f"the caller's models (set_models) are in use: edit their {name} instead"
            )
        if name not in worlds.expandable():
            raise not_expandable(self._model.mj, name)
        rows = variation.derived.pop(name, None)
        variation.expanded[name] = variation.new_rows(name) if rows is None else rows
        self._changed()
        return variation.expanded[name]

    def expanded(self, name: str) -> np.ndarray | None:
        """A field's values in all worlds, read-only; None if they share the model's."""
        if name not in worlds.expandable():
            raise not_expandable(self._model.mj, name)
        rows = self._variation.rows(name)
        if rows is None:
            return None
        rows = rows[:]
        rows.flags.writeable = False
        return rows

    def set_const(self, ids: Any = None) -> None:
        """mj_setConst in every world: what follows from expanded fields gets rows as well."""
        ids = make_ids(ids, self.nsim)
        if self._models is not None:
            raise ValueError(
                "the caller's models (set_models) are in use: call mj_setConst on them"
            )
        variation = self._variation
        if not set_const.reads(variation.expanded):
            return
        sims = np.arange(self.nsim) if ids is None else ids
        with self._lock:
            self._outcome.clear(sims)
            for sim, values in set_const.set_const(
                self._model.mj, variation.expanded, sims.tolist()
            ):
                if isinstance(values, str):
                    self._outcome.fail(sim, values)
                else:
                    variation.derive(sim, values)
            self._changed()
            self._outcome.raise_for(sims)

    def get_model(self, sim: int, model: Any = None) -> Any:
        """An MjModel of one world: a new one, or `model`, which must have the same sizes."""
        sim = check_index(sim, self.nsim)
        refresh = any(name in self._variation.own for name in set_const.SCALARS)
        return worlds.world_model(self._model_of(sim), self._variation.row(sim), model, refresh)

    def set_models(self, models: Any) -> None:
        """Run world i on models[i] instead; one model for all, or None for the batch's.

        The models must have the sizes of the batch's model. They are copied: set them again after
        editing one. They take the place of expanded fields, and the two cannot be combined.
        """
        if models is None:
            variation = Variation(self._model, self.nsim, self._streams)
        else:
            if self._variation.expanded:
                raise ValueError(
                    "set_models cannot be combined with per-simulation fields; expanded are: "
                    + ", ".join(self._variation.expanded)
                )
            given = [models] * self.nsim if _is_model(models) else list(models)
            if len(given) != self.nsim:
                raise ValueError(
                    f"set_models needs one model per simulation, got {len(given)} for {self.nsim}"
                )
            variation = Variation.of_models(given, self._model, self._streams)
            models = models if _is_model(models) else given
        self._models = models
        self._variation = variation
        self._changed()

    @property
    def models(self) -> Any:
        """What set_models was given: None, one model, or a tuple with one for each world."""
        return tuple(self._models) if isinstance(self._models, list) else self._models

    def _model_of(self, sim: int) -> Any:
        """The MjModel of a world, but for its rows."""
        model = self._models[sim] if isinstance(self._models, list) else self._models
        model = self._model if model is None else model
        return model if worlds.is_mjmodel(model) else model.mj

    def get_data(self, sim: int, data: Any = None) -> Any:
        """An MjData with a world's state; in a persistent batch, with all that was computed."""
        sim = check_index(sim, self.nsim)
        derived = (
            {name: rows[sim] for name, rows in self._outputs.items()} if self.persistent else {}
        )
        return worlds.world_data(self._model, self.state[sim], self.warning[sim], derived, data)

    def error(self, sim: int) -> str:
        """What was wrong with a world in its last call, or ''."""
        return self._outcome.messages.get(check_index(sim, self.nsim), "")

    # ------------------------------------------------------------------------------------- running

    def _changed(self) -> None:
        """Rows of the model have been added."""
        self._variation.changed()
        self._constants = table(self._variation.constants)
        self._plain = not self._variation.all_rows() and self._models is None
        self._last = ()

    def _runnable(self, ids: np.ndarray | None) -> np.ndarray | None:
        """Mask of the worlds of a call that can be run; None if all can."""
        groups, labels = self._variation.groups()
        if not any(g.reason for g in groups):
            return None
        refused = np.array([bool(g.reason) for g in groups])
        bad = np.repeat(refused, self.nsim) if labels is None else refused[labels]
        return ~bad if ids is None else ~bad[ids]

    def _run(self, ids: np.ndarray | None, nstep: int, stage: int, job: dict | None = None) -> None:
        """Run a call: steps, then stages; or what else the job says."""
        with self._lock:
            call = (nstep, stage)
            simple = ids is None and job is None and self._plain
            if not (simple and call == self._last and not self._outcome.messages):
                if ids is not None and not len(ids):
                    return
                self._describe(ids, nstep, stage, job)
                if not simple:
                    self._run_groups(ids)
                    return
                self._outcome.clear(None)
                group = self._variation.groups()[0][0]
                self._streams.choose(False, group.models, group)
                self._streams.split(self.nsim)
                self._last = call
                if len(self._places):
                    self._streams.job.set(places=self._places.ctypes.data, ahead=0)
            self._neighbours()
            self._streams.run(lambda: self._model.struct)
            self._look_for_room()

    def _look_for_room(self) -> None:
        """Warn once if contacts or rows were left out for want of room."""
        if self._told or not any(worker.data.full.value for worker in self._streams.workers):
            return
        self._told = True
        say_full((self.warning[:, [*ROOM], 1] > 0).sum(axis=0), self._sizes, self.nsim)

    def _neighbours(self) -> None:
        """Every few calls, order worlds by effort: a gang takes as long as its slowest world."""
        due = self._calls % _REORDER == 1 or 1 < self._calls < 4
        if due and self.nsim > W and self._effort.any():
            self._places = self._by_effort(np.arange(self.nsim))
            self._streams.job.set(places=self._places.ctypes.data, ahead=0)
        self._calls += 1

    def _by_effort(self, sims: np.ndarray) -> np.ndarray:
        """Places of these worlds in the order of their effort."""
        return np.argsort(self._effort[sims], kind="stable")

    def _describe(self, ids: np.ndarray | None, nstep: int, stage: int, job: dict | None) -> None:
        """Write a call into the job."""
        self._last = ()
        outputs, zeros = self._output_tables(STAGE_ACC + 1 if nstep else stage)
        changed, plastic = 0, slice(0, 0)
        if nstep:
            places = self._model.state_slices
            changed, plastic = places["qacc_warmstart"].stop, places["plastic"]
            if job and job.get("ncontrol"):
                changed, plastic = self.nstate, slice(0, 0)
        values = {
            "mode": stream.RUN, "wanted": self._wanted(), "rollout": 0,
            "ahead": 8 * W * self.nstate if ids is None and self.state.nbytes > _CACHED else 0,
            "nstep": nstep, "stage": stage, "places": 0,
            "ids": 0 if ids is None else ids.ctypes.data, "nchanged": changed,
            "plastic": plastic.start, "nplastic": plastic.stop - plastic.start,
            "noutput": _filled(outputs), "outputs": outputs.ctypes.data,
            "effort": self._effort.ctypes.data,
            "counts": self._counts.ctypes.data if len(self._counts) else 0,
            "nzero": _filled(zeros), "zeros": zeros.ctypes.data,
            "nconstant": len(self._variation.constants), "constants": self._constants.ctypes.data,
        }  # fmt: skip
        self._streams.job.set(**{**values, **(job or {})})

    def _run_groups(self, ids: np.ndarray | None) -> None:
        """Run the worlds of each group whose models have the same integers."""
        sims = np.arange(self.nsim) if ids is None else ids
        variation, streams = self._variation, self._streams
        self._outcome.clear(sims)
        groups, labels = variation.groups()
        runnable = self._runnable(ids)
        for k, group in enumerate(groups):
            member = None if labels is None else labels[sims] == k
            if runnable is not None:
                member = runnable if member is None else member & runnable
            places = None if member is None else np.flatnonzero(member)
            order = self._by_effort(sims if places is None else sims[places])
            places = order if places is None else places[order]
            n = len(places)
            if n == 0:
                continue
            streams.job.set(places=places.ctypes.data, ahead=0)
            streams.choose(variation.per_world, group.models, group)
            streams.split(n)
            streams.run(partial(variation.struct, group))
        if runnable is not None:
            self._note_refusals(sims[~runnable], groups, labels)
        self._look_for_room()
        self._outcome.raise_for(sims)

    def _output_tables(self, level: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the outputs that a call computes, and of those it may leave unwritten."""
        if level not in self._tables:
            outputs = []
            for name, rows in self._outputs.items():
                count = rows.size // self.nsim
                if count and self._is_written(_TABLE[name].stage, level):
                    kind = stream.FLOAT64 if rows.dtype == np.float64 else stream.INT32
                    stride = count * rows.itemsize
                    counted, each = _COUNTED.get(_TABLE[name].capacity, 0), 0
                    if counted:
                        each = count // rows.shape[1]
                    place = self._offset(name)
                    outputs.append((rows.ctypes.data, stride, place, count, kind + counted, each))
            self._tables[level] = table(outputs), self._unwritten(self._outputs)
        return self._tables[level]

    @staticmethod
    def _is_written(section: str, level: int) -> bool:
        """Whether a call of this level computes the fields of a section of the table."""
        if level <= STAGE_ACC + 1:
            return _LEVEL[section] <= level
        skipped = ("fwd_actuation", "fwd_acceleration", "integrate")  # by inverse dynamics
        return section not in skipped

    def _unwritten(self, names: Iterable[str]) -> np.ndarray:
        """Rows of the fields that a call may leave as another gang had them."""
        names = [n for n in names if _TABLE[n].stage in _PARTIAL]
        sizes = [int(np.prod(_TABLE[n].shape(self._sizes))) for n in names]
        return table(
            [(self._offset(n), size) for n, size in zip(names, sizes, strict=True) if size]
        )

    def _wanted(self, recorded: Iterable[str] = ()) -> int:
        """A bit for each of _WANTED that is bound or recorded."""
        read = (*self._outputs, *recorded)
        bits = sum(
            1 << k for k, names in enumerate(_WANTED) if any(n.startswith(names) for n in read)
        )
        # the Model knows only by its own geom_fluid whether forces depend on geoms
        return bits | ("geom_fluid" in self._variation.all_rows())

    def _offset(self, name: str) -> int:
        """Where a field begins in a workspace, in bytes."""
        d = self._streams.workers[0].data
        return d.arrays[name].ctypes.data - d.state_lanes.ctypes.data

    def _note_refusals(self, sims: np.ndarray, groups: list, labels: np.ndarray | None) -> None:
        for sim in sims.tolist():
            group = groups[0 if labels is None else labels[sim]]
            self._outcome.fail(sim, group.reason)


class BatchContacts:
    """The contacts of a Batch's worlds: arrays (nsim, nconmax, ...), bound when first asked for.

    World i has `b.ncon[i]` contacts; what stands beyond is zero.
    """

    def __init__(self, batch: Batch):
        self._batch = batch

    def __getattr__(self, name: str) -> np.ndarray:
        if name in ("geom1", "geom2"):
            return self._batch.bind("contact.geom")[..., int(name[-1]) - 1]
        if f"contact.{name}" not in MORE_FIELDS:
            raise AttributeError(f"contacts have no {name!r}{did_you_mean(name, dir(self))}")
        return self._batch.bind(f"contact.{name}")

    def __dir__(self) -> Iterable[str]:
        fields = [name.partition(".")[2] for name in MORE_FIELDS if name.startswith("contact.")]
        return [*fields, "geom1", "geom2"]


def _filled(rows: np.ndarray) -> int:
    """The number of rows of a table; one without any has a row of zeros."""
    return len(rows) if rows.any() else 0


def _is_model(x: Any) -> bool:
    return worlds.is_mjmodel(x) or hasattr(x, "mj")
