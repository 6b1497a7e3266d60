"""Batch: many worlds of one model, stepped eight at a time on several threads.

    b = Batch(model, nsim=4096)
    for _ in range(1000):
        b.ctrl = policy(b.qpos, b.xpos)
        b.step()

The interface is that of mujoco.batch.Batch 4.0. A world is its row in `state`, in the order of
MuJoCo's mjSTATE_INTEGRATION. State fields (qpos, ctrl, ...) are views of the rows: a write is the
world's state at its next call. Other fields are outputs. The first read of one computes it, for the
state that each world has then; from there on, every call copies it out for the worlds that it ran.
To read an attribute, `b.xpos`, is to bind it, until `unbind`. What is read by `getattr` or
`hasattr` is copied out as long as somebody holds an array of it, or reads it between any two calls;
and tools that look at all attributes, such as `inspect.getmembers`, get the present values only.
A call loads rows into the lanes of a workspace, runs, and stores them back (engine/calls), so a
world takes the memory of its row and of the outputs in use.

An output describes what the world's last call computed of it. After a step that is, as in MuJoCo,
the state before its last substep; with `fresh=True`, it is the state after every call. A call such
as `forward(stage=...)` leaves the outputs of later stages as they were. `persistent=True` asks for
all outputs from the start.

Results have the same bits for any number of threads and any neighbours.

This file has worlds, fields and steps; base.py says where the rest of the interface is. runner.py
runs calls, outputs.py has what they copy out.
"""

import copy
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..data import capacities
from ..engine.counters import ROOM_CONTACTS, ROOM_ROWS
from ..fields import DATA_FIELDS as _TABLE
from ..fields import STATE_FIELDS
from ..loaders import per_world
from ..mjconst import STAGE_ACC, STAGE_NONE, STAGE_VEL
from ..naming import numbers_of
from ..portraits import batch_line, batch_rows, shown, table
from .analysis import BatchAnalysis
from .arguments import (
    check_cpu_ids,
    check_float,
    check_index,
    check_int,
    check_nthread,
    check_stage,
    keyframes,
    make_ids,
    numbers,
    processors,
    read_only,
)
from .by_name import BatchObjects
from .control import check_control, run_control
from .copying import contents, fill
from .diagnostics import BatchDiagnostics
from .differences import BatchDerivatives
from .field_names import (
    DATA_FIELDS,
    MORE_FIELDS,
    computed_error,
    hint,
    not_bindable,
)
from .jacobians import BatchJacobians
from .looking import BatchGeometry
from .motions import BatchMotions
from .outcome import SimulationError
from .outputs import count_of, is_mixed, level_of
from .reading import ASKED, NAMED, PASSING, way_of
from .recording import Recording
from .rollout import Rollout
from .runner import Runner
from .sampling import BatchSampling
from .skipping import BatchStages
from .state import BatchState
from .threads import Room
from .world_models import BatchModels

__all__ = ["DATA_FIELDS", "Batch", "SimulationError"]


class Batch(
    BatchState,
    BatchObjects,
    BatchStages,
    BatchSampling,
    BatchJacobians,
    BatchMotions,
    BatchAnalysis,
    BatchDerivatives,
    BatchGeometry,
    BatchModels,
    BatchDiagnostics,
):
    """nsim worlds of a copy of the model, `model`, on nthread threads (0: one for each processor).

    persistent: all outputs are computed from the start. fresh: outputs describe the state after a
    call, for which a step computes the stages they need anew. nconmax and njmax: room for contacts
    and constraint rows of a world; what does not fit is left out, with a warning. Without them,
    room is made as it is needed. timing: whether stages are timed, see `timer`. cpu_ids: processors
    that the threads keep to, as far as there are ids: the first is for the calling thread, and only
    during calls that others take part in.

    Every field is an array with a row for each world: b.qpos (nsim, nq) and other fields of the
    state are live and can be written, b.xpos (nsim, nbody, 3) and other outputs are filled by every
    call from their first read on. Calls take `ids`, the worlds they are about, n of them: None for
    all, rising numbers (n,), or a mask (nsim,).

    A Batch is for one Python thread: calls from several wait for each other, but `status` and
    `error` are of the last one.
    """

    def __init__(
        self, model: Any, nsim: int, nthread: int = 0, persistent: bool = False,
        nconmax: int | None = None, njmax: int | None = None, fresh: bool = False,
        timing: bool = False, cpu_ids: Sequence[int] | None = None,
    ):  # fmt: skip
        nsim = check_int(nsim, "nsim", 1)
        pins = check_cpu_ids(cpu_ids, check_nthread(nthread))
        grows = (nconmax is None) * ROOM_CONTACTS + (njmax is None) * ROOM_ROWS
        own = per_world.own_model(model)
        self._make(own, model, nsim, int(nthread), persistent, nconmax, njmax, grows, fresh, pins)
        self.timing = timing
        if persistent:
            for name in DATA_FIELDS.difference(STATE_FIELDS):
                self._add(name, compute=False)
                self._runner.outputs.keep(name)
            self._unread = True

    def _make(
        self, own: Any, model: Any, nsim: int, nthread: int, persistent: bool,
        nconmax: int | None, njmax: int | None, grows: int, fresh: bool,
        cpu_ids: tuple[int, ...] | None,
    ) -> None:  # fmt: skip
        """Worlds in the reference state, of a model that nobody else has."""
        self._model, self._nthread = own, nthread
        nthread = nthread or processors()
        room = Room(capacities(own, nconmax, njmax), grows)
        runner = Runner(own, nsim, nthread, room, cpu_ids or ())
        for name, value in (
            # the batch's own, so that an edit of it is one of all worlds
            ("model", self._model.mj if per_world.is_mjmodel(model) else self._model),
            ("nsim", nsim), ("nthread", min(nthread, nsim)), ("cpu_ids", cpu_ids),
            ("persistent", bool(persistent)), ("fresh", bool(fresh)),
            ("nstate", self._model.nstate), ("state", runner.state), ("warning", runner.warning),
            ("resets", read_only(runner.resets)), ("status", runner.outcome.status),
            ("maxuse_con", read_only(runner.uses[:, 0])),
            ("maxuse_efc", read_only(runner.uses[:, 1])),
        ):  # fmt: skip
            object.__setattr__(self, name, value)
        self._runner = runner
        self._given = model
        self._state_views: dict[str, np.ndarray] = {}
        self._unread = False  # all outputs are there, but no call has computed them
        self._models: Any = None

    # ----------------------------------------------------------------------------- copies, pickles

    def __copy__(self) -> "Batch":
        """A Batch of its own, with the same worlds: states, outputs, models, all that was counted.
        Views of fields are new, too."""
        return self._again(self._given)

    def __deepcopy__(self, memo: dict) -> "Batch":
        """The same; of the copy of the given model, if that is copied along."""
        return self._again(memo.get(id(self._given), self._given))

    def _again(self, model: Any) -> "Batch":
        own, _, *kept = contents(self)
        return _filled(type(self), copy.copy(own), model, *kept)

    def __reduce__(self) -> Any:
        return _filled, (type(self), *contents(self))

    # -------------------------------------------------------------------------------------- fields

    def __getattr__(self, name: str) -> np.ndarray:
        if name in MORE_FIELDS:  # contact.dist, say
            return self._read(name, way_of(sys._getframe(1)))
        if name.startswith("_"):
            raise AttributeError(f"'Batch' object has no attribute {name!r}")
        raise AttributeError(f"'Batch' object has no attribute {name!r}{hint(name)}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name in STATE_FIELDS or name == "state":
            target = self.state if name == "state" else self._read(name)
            target[...] = numbers(value, target.shape, name)
        elif name == "timing":
            object.__setattr__(self, name, value)
        elif name in DATA_FIELDS or name in MORE_FIELDS:
            raise computed_error(name)
        elif hasattr(type(self), name) or name in self.__dict__:
            raise AttributeError(f"{name} cannot be assigned")
        else:
            raise AttributeError(f"a Batch has no field {name!r}{hint(name)}")

    def __repr__(self) -> str:
        return shown(self, batch_line)

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        return table(self, batch_rows)

    def bind(self, name: str, dtype: Any = None) -> np.ndarray:
        """A live (nsim, ...) array over a data field.

        State fields are views of the rows and can be written; rows hold float64, so eq_active is
        float64 too. Other fields are outputs and read-only: computed now, for the state that each
        world has, which changes nothing else, and copied out after every later call that computes
        them, until `unbind`. What no state alone leads to is zero until then: factors and
        derivatives of an integrator (qH, qDeriv, ...) until the next step, qfrc_inverse until
        `inverse` is called. energy and solver_fwdinv are zero unless the model enables them
        (opt.enableflags), and solver_fwdinv in worlds without constraints.

        dtype=np.float32: an array of its own, read-only, into which calls copy the field rounded to
        float32; worlds are computed in float64. Of a state field it is the state after the last
        call: what is written to b.qpos is in it after the next one.
        """
        if name not in DATA_FIELDS and name not in MORE_FIELDS:
            raise not_bindable(name)
        if dtype is not None and np.dtype(dtype) != self._dtype_of(name):
            return self._bind_single(name, dtype)
        array = self._read(name)
        return array if name in STATE_FIELDS else self._runner.outputs.keep(name)

    def _dtype_of(self, name: str) -> Any:
        whole = name not in STATE_FIELDS and _TABLE[name].dtype != "float"
        return np.int32 if whole else np.float64

    def _bind_single(self, name: str, dtype: Any) -> np.ndarray:
        """A field rounded to float32."""
        check_float(dtype, name)
        if self._dtype_of(name) == np.int32:
            raise ValueError(f"{name} is of whole numbers, int32: it is not bound as float32")
        if _TABLE[name].capacity:
            raise ValueError(
                f"{name} has another length in every world and step: it is bound as float64 only"
            )
        outputs = self._runner.outputs
        if name not in outputs.singles:
            values: Any = 0.0
            if name in STATE_FIELDS:
                values = self._state_view(name)
            elif is_mixed(name):  # calls that compute a part of it find the rest in float64
                values = self.bind(name)
            elif level_of(name) <= STAGE_ACC:
                values = self._runner.fill([name])[name]
            outputs.add_single(name, values)
            self._runner.forget()
        return outputs.single(name)

    def unbind(self, name: str) -> None:
        """Calls need not copy out a field any more, as float64 or float32. Arrays of it keep the
        numbers they have now."""
        if name not in DATA_FIELDS and name not in MORE_FIELDS:
            raise not_bindable(name)
        if name in STATE_FIELDS and name not in self._runner.outputs.singles:
            raise ValueError(
                f"{name} is a part of the state, which nobody copies out: only outputs (xpos, ...)"
                " are bound, or what is float32"
            )
        self._runner.outputs.release(name)
        self._runner.forget()

    @property
    def bound(self) -> list[str]:
        """The outputs that every call copies out: those that are bound, and those whose arrays
        somebody holds."""
        return self._runner.outputs.bound()

    def _read(self, name: str, way: int = ASKED) -> np.ndarray:
        """What a user sees of a field; an output that is not in use is computed."""
        if name in STATE_FIELDS:
            return self._state_view(name)
        outputs = self._runner.outputs
        if name not in outputs.rows:
            if way == PASSING:
                return read_only(self._runner.fill([name])[name])
            self._add(name)
        elif self._unread:
            self._runner.refresh(None)
            self._unread = False
        return outputs.keep(name) if way == NAMED else outputs.give(name)

    def _state_view(self, name: str) -> np.ndarray:
        view = self._state_views.get(name)
        if view is None:
            field, place = _TABLE[name], self._model.state_slices[name]
            view = self.state[:, place] if field.dims else self.state[:, place.start]
            shape = self._runner.outputs.shape(field)
            view = self._state_views[name] = view.reshape(self.nsim, *shape)
        return view

    def _add(self, name: str, compute: bool = True) -> None:
        """Make an output's array; compute it, if it follows from the state."""
        outputs = self._runner.outputs
        names = [n for n in (name, *count_of(name)) if n not in outputs.rows]
        if compute and level_of(name) <= STAGE_ACC:
            rows = self._runner.fill(names)
        else:
            rows = {n: outputs.new_rows(n) for n in names}
        for n, values in rows.items():
            outputs.add(n, values)
        self._runner.forget()

    # --------------------------------------------------------------------------------------- calls

    def step(
        self, ids: Any = None, nstep: int = 1, stage: int = STAGE_NONE,
        control: Callable[["Batch"], None] | None = None,
    ) -> None:  # fmt: skip
        """Advance worlds by nstep steps of opt.timestep [s], then compute the stages up to `stage`
        (mjtStage) anew.

        It starts from the state that each world has now: write b.ctrl (nsim, nu), b.qfrc_applied
        (nsim, nv), b.qpos (nsim, nq), ... before. ids: the worlds that move, all if None. Outputs
        that are read, such as b.xpos (nsim, nbody, 3), and b.warning (nsim, 7, 2) are filled. What
        was wrong with a world raises SimulationError when all others have moved.

        After a step, outputs describe the state before its last substep. stage=2 (mjSTAGE_VEL)
        makes those that depend on position and velocity current, stage=3 (mjSTAGE_ACC) all of them;
        a Batch with fresh=True does so by itself.

        control is a Python function of the Batch that is called in every step between its halves,
        once for all worlds: as mj_step1, control, mj_step2. It reads what follows from positions
        and velocities, and writes ctrl or other inputs.
        """
        if ids is None and control is None and type(nstep) is type(stage) is int:
            level = max(stage, self._runner.outputs.level) if self.fresh else stage
            if self._runner.again(nstep, level):
                return
        ids, nstep, stage = (
            make_ids(ids, self.nsim),
            check_int(nstep, "nstep", 1),
            check_stage(stage),
        )
        if control is None:
            self._run(ids, nstep, stage)
            return
        check_control(control, self._variation)
        self._unread = False
        self._runner.controlled(ids, nstep, lambda: run_control(control, self))
        if stage or self.fresh:
            self._run(ids, 0, stage)

    @property
    def steps_done(self) -> np.ndarray:
        """How many steps each world made in the last call of `step` or `rollout`, (nsim,).

        Ctrl-C ends a call between two steps: the state of each world, and what was computed of it,
        are those after `steps_done[i]` steps. Worlds that a rollout stopped for a warning count
        as if they had gone on.
        """
        return self._runner.steps_done()

    def forward(self, ids: Any = None, stage: int = STAGE_ACC) -> None:
        """Compute the stages up to `stage` (mjtStage: 1 positions, 2 velocities, 3 accelerations),
        by default all, of the worlds ids, by default all. mj_forward

        State is untouched; outputs that are read, such as b.xpos (nsim, nbody, 3) [m], are filled.
        `forward_skip` computes later stages only, and can do so after this.
        """
        self._run(make_ids(ids, self.nsim), 0, check_stage(stage), keep=True)

    def _run(self, ids: np.ndarray | None, nstep: int, stage: int, keep: bool = False) -> None:
        if self.fresh:
            stage = max(stage, self._runner.outputs.level)
        if self._unread:
            self._unread = False
        self._runner.run(ids, nstep, stage, min(stage, STAGE_VEL) if keep else 0)

    def reset(self, ids: Any = None, keyframe: Any = -1, stage: int = STAGE_ACC) -> None:
        """Reset worlds to the model's reference state (-1 or None) or to keyframes, then compute
        stages.

        keyframe is one, by name or number, for all worlds of the call, or one for each, (n,).
        """
        ids, stage = make_ids(ids, self.nsim), check_stage(stage)
        self._runner.set_state(ids, self._rows_of_reset(ids, -1 if keyframe is None else keyframe))
        if ids is None:
            self.timer.clear()
        if stage or self.fresh or not self._runner.plain:
            self._run(ids, 0, stage)

    def _rows_of_reset(self, ids: np.ndarray | None, keyframe: Any) -> np.ndarray:
        """The states of reset worlds, (n, nstate), or of all of them, (nstate,)."""
        if self._runner.plain and type(keyframe) is int and keyframe == -1:
            return self._model.reset_row()
        callers = self._variation.callers
        models = [self._model] if callers is None else callers.models
        if callers is None:
            keyframe = numbers_of(self._model.mj, "keyframe", keyframe, least=-1)
        else:  # a name may be another number in each model
            keyframe = callers.keyframe_numbers(keyframe, ids)
        sims = np.arange(self.nsim) if ids is None else ids
        return self._variation.reset_rows(
            sims, keyframes(keyframe, len(sims), max(m.nkey for m in models))
        )

    def rollout(
        self,
        nstep: int,
        control: Any = None,
        control_spec: int = 1 << 6,
        record: Sequence[str | int] = ("qpos",),
        ids: Any = None,
        out: dict | None = None,
        dtype: Any = np.float64,
    ) -> dict:
        """Advance worlds by nstep steps and record after each; {item: (n, nstep, ...) array}.

        Before step k, the state components in control_spec (mjtState bits of inputs, by default
        ctrl) are set from control[:, k]. A record is a field's name, that of a state or output of
        user code, or mjtState bits for a state vector. A world whose warning counters rise stops,
        and its last records are repeated. `out` has arrays to record into. dtype: float64, or
        float32, to which records are rounded.

        A recorded output is what a step computed of it, before it moved the state, also in a Batch
        with fresh=True; outputs that are bound describe the state at the end there.
        """
        (ids, n), nstep = self._chosen(ids), check_int(nstep, "nstep", 1)
        outputs, kind = self._runner.outputs, check_float(dtype)
        recording = Recording(self._model, outputs, n, nstep, record, out, dtype=kind)
        rollout = Rollout(self._model, recording, n, nstep)
        if control is not None:
            rollout.control(control, control_spec)
        self._unread = False
        try:
            self._runner.rollout(ids, rollout)
        except KeyboardInterrupt:
            self._unread = self.fresh  # whoever reads next waits for it
            raise
        finally:
            recording.finish()
            if self.fresh and not self._unread:
                self._runner.refresh(ids)
        return recording.buffers

    def get_data(self, sim: int, data: Any = None) -> Any:
        """An MjData with the state of world sim, or data, filled; in a persistent batch, with all
        that was computed."""
        sim = check_index(sim, self.nsim)
        rows = self._runner.outputs.rows if self.persistent else {}
        derived = {name: values[sim] for name, values in rows.items()}
        return per_world.world_data(self._model, self.state[sim], self.warning[sim], derived, data)

    def error(self, sim: int) -> str:
        """What was wrong with a world in its last call, or ''."""
        return self._runner.outcome.messages.get(check_index(sim, self.nsim), "")


def _filled(kind: type[Batch], own: Any, model: Any, how: dict[str, Any], *kept: Any) -> Batch:
    """A Batch with the contents of another; see copying.py."""
    batch = kind.__new__(kind)
    batch._make(own, model, **how)
    fill(batch, kept)
    return batch


def _field(name: str) -> property:
    """A field as an attribute. What completes names does not evaluate a property."""

    def read_output(self: Batch) -> np.ndarray:
        if name in self._runner.outputs.kept:
            return self._read(name)
        return self._read(name, way_of(sys._getframe(1)))

    def read_state(self: Batch) -> np.ndarray:
        return self._state_view(name)

    field = _TABLE[name]
    read = read_state if name in STATE_FIELDS else read_output
    return property(read, doc=f"{field.doc}{f' [{field.unit}]' if field.unit else ''}")


for _name in sorted(DATA_FIELDS | MORE_FIELDS):
    if "." not in _name:
        setattr(Batch, _name, _field(_name))
