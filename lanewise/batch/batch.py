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

This file has the interface only: runner.py runs calls, outputs.py has what they copy out.
"""

import copy
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..data import PLACE, capacities, state_shape
from ..engine.calls.inertia import INERTIA
from ..engine.calls.inverse import INVERSE
from ..engine.calls.jacobian import JACOBIAN
from ..engine.counters import ROOM_CONTACTS, ROOM_ROWS
from ..engine.stages import STAGE_INVERSE
from ..fields import DATA_FIELDS as _TABLE
from ..fields import STATE_FIELDS
from ..lanes.records import Records
from ..loaders import per_world, set_const
from ..mjconst import STAGE_ACC, STAGE_NONE
from ..naming import number_of
from ..rays import Rays, one_number
from .arguments import (
    check_index,
    check_int,
    check_nthread,
    check_stage,
    int32s,
    keyframes,
    make_ids,
    numbers,
    numbers_of,
    processors,
    read_only,
    state_parts,
)
from .contacts import OF_PAIRS, BatchContacts, pair_force
from .control import BatchParameters, check_control, run_control
from .copying import contents, fill
from .field_names import (
    DATA_FIELDS,
    MORE_FIELDS,
    computed_error,
    hint,
    not_bindable,
    not_expandable,
)
from .named import Named
from .outcome import SimulationError
from .outputs import count_of, level_of
from .questions import geom_distance, inside_site
from .ray import cast, scan_rays
from .reading import ASKED, NAMED, PASSING, way_of
from .rollout import Rollout
from .runner import Runner
from .threads import Room
from .variation import Variation

__all__ = ["DATA_FIELDS", "Batch", "SimulationError"]


class Batch:
    """nsim worlds of a copy of the model, `model`, on nthread threads (0: one for each processor).

    persistent: all outputs are computed from the start. fresh: outputs describe the state after a
    call, for which a step computes the stages they need anew. nconmax and njmax: room for contacts
    and constraint rows of a world; what does not fit is left out, with a warning. Without them,
    room is made as it is needed.

    A Batch is for one Python thread: calls from several wait for each other, but `status` and
    `error` are of the last one.
    """

    model: Any
    nsim: int
    nthread: int
    persistent: bool
    fresh: bool
    nstate: int
    state: np.ndarray
    warning: np.ndarray
    resets: np.ndarray
    status: np.ndarray
    _model: Any
    _nthread: int
    _runner: Runner

    def __init__(
        self, model: Any, nsim: int, nthread: int = 0, persistent: bool = False,
        nconmax: int | None = None, njmax: int | None = None, fresh: bool = False,
    ):  # fmt: skip
        nsim = check_int(nsim, "nsim", 1)
        check_nthread(nthread)
        grows = (nconmax is None) * ROOM_CONTACTS + (njmax is None) * ROOM_ROWS
        own = per_world.own_model(model)
        self._make(own, model, nsim, int(nthread), persistent, nconmax, njmax, grows, fresh)
        if persistent:
            for name in DATA_FIELDS.difference(STATE_FIELDS):
                self._add(name, compute=False)
                self._runner.outputs.keep(name)
            self._unread = True

    def _make(
        self, own: Any, model: Any, nsim: int, nthread: int, persistent: bool,
        nconmax: int | None, njmax: int | None, grows: int, fresh: bool,
    ) -> None:  # fmt: skip
        """Worlds in the reference state, of a model that nobody else has."""
        self._model, self._nthread = own, nthread
        nthread = nthread or processors()
        runner = Runner(own, nsim, nthread, Room(capacities(own, nconmax, njmax), grows))
        for name, value in (
            # the batch's own, so that an edit of it is one of all worlds
            ("model", self._model.mj if per_world.is_mjmodel(model) else self._model),
            ("nsim", nsim), ("nthread", min(nthread, nsim)),
            ("persistent", bool(persistent)), ("fresh", bool(fresh)),
            ("nstate", self._model.nstate), ("state", runner.state), ("warning", runner.warning),
            ("resets", read_only(runner.resets)), ("status", runner.outcome.status),
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
        elif name in DATA_FIELDS or name in MORE_FIELDS:
            raise computed_error(name)
        elif hasattr(type(self), name) or name in self.__dict__:
            raise AttributeError(f"{name} cannot be assigned")
        else:
            raise AttributeError(f"a Batch has no field {name!r}{hint(name)}")

    def __repr__(self) -> str:
        return f"<lanewise.Batch of {self.nsim} worlds on {self.nthread} threads, {self._model!r}>"

    def bind(self, name: str) -> np.ndarray:
        """A live (nsim, ...) array over a data field.

        State fields are views of the rows and can be written; rows hold float64, so eq_active is
        float64 too. Other fields are outputs and read-only: computed now, for the state that each
        world has, which changes nothing else, and copied out after every later call that computes
        them, until `unbind`. What no state alone leads to is zero until then: factors and
        derivatives of an integrator (qH, qDeriv, ...) and solver_fwdinv until the next step,
        qfrc_inverse until `inverse` is called. energy and solver_fwdinv are zero unless the model
        enables them.
        """
        if name not in DATA_FIELDS and name not in MORE_FIELDS:
            raise not_bindable(name)
        array = self._read(name)
        return array if name in STATE_FIELDS else self._runner.outputs.keep(name)

    def unbind(self, name: str) -> None:
        """Calls need not copy out a field any more. Arrays of it keep the numbers they have now."""
        if name not in DATA_FIELDS and name not in MORE_FIELDS:
            raise not_bindable(name)
        if name in STATE_FIELDS:
            raise ValueError(
                f"{name} is a part of the state, which nobody copies out: only outputs (xpos, ...)"
                " are bound"
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
        if name not in self._state_views:
            field, place = _TABLE[name], self._model.state_slices[name]
            view = self.state[:, place] if field.dims else self.state[:, place.start]
            shape = self._runner.outputs.shape(field)
            self._state_views[name] = view.reshape(self.nsim, *shape)
        return self._state_views[name]

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

    @property
    def contact(self) -> "BatchContacts":
        """Contacts of all worlds: `b.contact.dist` is (nsim, nconmax), `b.ncon` says how many."""
        return BatchContacts(self._read)

    def pair_force(self, first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
        """What geoms `first` do to geoms `second`: the force (nsim, 3) in the world's axes, and the
        number of contacts (nsim,).

        Geoms are given by name or number, one or several. It speaks of the state that outputs
        describe; the first time, of the state that each world has now.
        """
        one, two = self._geoms(first), self._geoms(second)
        if self._unread or not self._runner.outputs.rows.keys() >= set(OF_PAIRS):
            # some may be there since an earlier state: take all of the same one
            rows = self._runner.fill(OF_PAIRS)
            for name in OF_PAIRS:
                self._read(name)
            return pair_force(rows, one, two)
        return pair_force({name: self._read(name) for name in OF_PAIRS}, one, two)

    def _geoms(self, keys: Any) -> list[int]:
        keys = [keys] if isinstance(keys, (str, int, np.integer)) else list(keys)
        return [number_of(self._model.mj, "geom", key) for key in keys]

    @property
    def parameters(self) -> BatchParameters:
        """{name: array} of the parameters of user code; `expand` gives every world its own."""
        return BatchParameters(self._runner)

    def user(self, name: str) -> np.ndarray:
        """A part of userdata that user code keeps its state in, live: (nsim, ...)"""
        shape = state_shape(self._model, name)
        first, n = self._model.user.declared.places()[name]
        return self.bind("userdata")[:, first : first + n].reshape(self.nsim, *shape)

    def actuator(self, key: int | str) -> Named:
        """An actuator by name or number, in all worlds: `b.actuator("knee").ctrl`, `.force`,
        `.length`; `.gainprm = ...` sets the model's, for every world.
        """
        return Named(self, "actuator", key)

    def body(self, key: int | str) -> Named:
        """A body by name or number, in all worlds: `b.body("torso").xpos`, `.cvel`,
        `.xfrc_applied`; `.mass = ...` sets the model's, for every world.
        """
        return Named(self, "body", key)

    def camera(self, key: int | str) -> Named:
        """A camera by name or number, in all worlds: `b.camera("front").xpos`, `.xmat`; `.fovy =
        ...` sets the model's, for every world.
        """
        return Named(self, "camera", key)

    def equality(self, key: int | str) -> Named:
        """An equality constraint by name or number, in all worlds: `b.equality("grip").data`;
        `.solref = ...` sets the model's, for every world.
        """
        return Named(self, "equality", key)

    def geom(self, key: int | str) -> Named:
        """A geom by name or number, in all worlds: `b.geom("foot").xpos`, `.xmat`; `.friction =
        ...` sets the model's, for every world.
        """
        return Named(self, "geom", key)

    def joint(self, key: int | str) -> Named:
        """A joint by name or number, in all worlds: `b.joint("knee").qpos`, `.qvel`, `.qacc`;
        `.damping = ...` sets the model's, for every world.
        """
        return Named(self, "joint", key)

    def keyframe(self, key: int | str) -> Named:
        """A keyframe by name or number, in all worlds: `b.keyframe("home").qpos`, `.ctrl`; what is
        assigned is the model's, for every world.
        """
        return Named(self, "keyframe", key)

    def light(self, key: int | str) -> Named:
        """A light by name or number, in all worlds: `b.light("sun").xpos`, `.xdir`; `.pos = ...`
        sets the model's, for every world.
        """
        return Named(self, "light", key)

    def material(self, key: int | str) -> Named:
        """A material by name or number, in all worlds: `b.material("wood").rgba`; what is assigned
        is the model's, for every world.
        """
        return Named(self, "material", key)

    def numeric(self, key: int | str) -> Named:
        """A custom numeric field by name or number, in all worlds: `b.numeric("gains").data`; what
        is assigned is the model's, for every world.
        """
        return Named(self, "numeric", key)

    def pair(self, key: int | str) -> Named:
        """A contact pair by name or number, in all worlds: `b.pair("grip").friction`; what is
        assigned is the model's, for every world.
        """
        return Named(self, "pair", key)

    def sensor(self, key: int | str) -> Named:
        """A sensor by name or number, in all worlds: `b.sensor("imu").adr`, `.dim`; `.cutoff =
        ...` sets the model's, for every world.
        """
        return Named(self, "sensor", key)

    def site(self, key: int | str) -> Named:
        """A site by name or number, in all worlds: `b.site("tip").xpos`, `.xmat`; `.pos = ...`
        sets the model's, for every world.
        """
        return Named(self, "site", key)

    def tendon(self, key: int | str) -> Named:
        """A tendon by name or number, in all worlds: `b.tendon("pull").length`, `.velocity`;
        `.springyield = ...` sets the model's, for every world.
        """
        return Named(self, "tendon", key)

    # --------------------------------------------------------------------------------------- calls

    def step(
        self, ids: Any = None, nstep: int = 1, stage: int = STAGE_NONE,
        control: Callable[["Batch"], None] | None = None,
    ) -> None:  # fmt: skip
        """Advance worlds by nstep steps, then compute the stages up to `stage` (mjtStage) anew.

        After a step, outputs describe the state before its last substep. stage=2 (mjSTAGE_VEL)
        makes those that depend on position and velocity current, stage=3 (mjSTAGE_ACC) all of them;
        a Batch with fresh=True does so by itself.

        control is a Python function of the Batch that is called in every step between its halves,
        once for all worlds: as mj_step1, control, mj_step2. It reads what follows from positions
        and velocities, and writes ctrl or other inputs.
        """
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
        """Compute the stages up to `stage` (mjtStage), by default all."""
        self._run(make_ids(ids, self.nsim), 0, check_stage(stage))

    def _run(self, ids: np.ndarray | None, nstep: int, stage: int) -> None:
        if self.fresh:
            stage = max(stage, self._runner.outputs.level)
        self._unread = False
        self._runner.run(ids, nstep, stage)

    def reset(self, ids: Any = None, keyframe: Any = -1, stage: int = STAGE_ACC) -> None:
        """Reset worlds to the model's reference state (-1 or None) or to keyframes, then compute
        stages.

        keyframe is one, by name or number, for all worlds of the call, or one for each.
        """
        ids, stage = make_ids(ids, self.nsim), check_stage(stage)
        n = self.nsim if ids is None else len(ids)
        keyframe = -1 if keyframe is None else keyframe
        callers = self._variation.callers
        models = [self._model] if callers is None else callers.models
        if callers is None:
            keyframe = numbers_of(keyframe, self._model.mj, "keyframe")
        else:  # a name may be another number in each model
            keyframe = callers.keyframe_numbers(keyframe, ids)
        keys = keyframes(keyframe, n, max(m.nkey for m in models))
        if self._runner.plain and (keys == -1).all():
            rows = self._model.reset_row()
        else:
            rows = self._variation.reset_rows(np.arange(self.nsim) if ids is None else ids, keys)
        self._runner.set_state(ids, rows)
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

        A recorded output is what a step computed of it, before it moved the state, also in a Batch
        with fresh=True; outputs that are bound describe the state at the end there.
        """
        ids, nstep = make_ids(ids, self.nsim), check_int(nstep, "nstep", 1)
        n = self.nsim if ids is None else len(ids)
        if isinstance(record, (str, int)):
            raise TypeError(f"record takes a sequence of items, such as ({record!r},)")
        rollout = Rollout(self._model, self._runner.outputs, n, nstep)
        if control is not None:
            rollout.control(control, control_spec)
        rollout.records(record, out or {})
        self._unread = False
        try:
            self._runner.rollout(ids, rollout)
        except KeyboardInterrupt:
            self._unread = self.fresh  # whoever reads next waits for it
            raise
        finally:
            rollout.finish()
            if self.fresh and not self._unread:
                self._runner.refresh(ids)
        return rollout.buffers

    def get_state(self, spec: int, ids: Any = None) -> np.ndarray:
        """The state components of spec (bits of mjtState) of every world: (n, size)."""
        ids, parts = make_ids(ids, self.nsim), state_parts(self._model, spec, "spec")[0]
        rows = self._runner.state if ids is None else self._runner.state[ids]
        return np.concatenate([rows[:, at : at + n] for _, at, n in parts], axis=1)

    def set_state(self, state: Any, spec: int, ids: Any = None) -> None:
        """Set the state components of spec (bits of mjtState) from a row for each world, or one
        for all. Outputs are not computed anew."""
        ids = make_ids(ids, self.nsim)
        parts, size = state_parts(self._model, spec, "spec")
        n = self.nsim if ids is None else len(ids)
        rows = numbers(state, (n, size), "state")
        for source, at, count in parts:
            place = slice(None) if ids is None else ids
            self._runner.state[place, at : at + count] = rows[:, source : source + count]

    def jac(self, body: Any, point: Any, ids: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians of a point fixed to a body: jacp, jacr of shape (n, 3, nv).

        body is one, by name or number, or one for each world of the call; point, (3,) or (n, 3), is
        given in the world frame. State and outputs are untouched.
        """
        ids = make_ids(ids, self.nsim)
        n = self.nsim if ids is None else len(ids)
        body = numbers_of(body, self._model.mj, "body")
        body = int32s(body, (n,), 0, self._model.nbody, "body")
        point = np.ascontiguousarray(numbers(point, (n, 3), "point"), np.float64)
        jacp, jacr = np.zeros((n, 3, self._model.nv)), np.zeros((n, 3, self._model.nv))
        call = Records(JACOBIAN)
        call.set(body=body, point=point, jacp=jacp, jacr=jacr)
        self._runner.call("jacobian", call, ids)
        return jacp, jacr

    def mul_m(self, x: Any, ids: Any = None) -> np.ndarray:
        """M x (n, nv) of each world, with the inertia matrix of its present qpos; x is (n, nv) or
        (nv,). State and outputs are untouched."""
        return self._inertia(x, ids, solve=False)

    def solve_m(self, x: Any, ids: Any = None) -> np.ndarray:
        """inverse(M) x (n, nv) of each world, as `mul_m`."""
        return self._inertia(x, ids, solve=True)

    def _inertia(self, x: Any, ids: Any, solve: bool) -> np.ndarray:
        ids = make_ids(ids, self.nsim)
        n = self.nsim if ids is None else len(ids)
        x = np.ascontiguousarray(numbers(x, (n, self._model.nv), "x"), np.float64)
        call, y = Records(INERTIA), np.zeros((n, self._model.nv))
        call.set(x=x, y=y, field=PLACE["vector"], solve=solve)
        self._runner.call("inertia", call, ids)
        return y

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
        self._unread = False
        force = self._read("qfrc_inverse")
        call = Records(INVERSE)
        call.set(qacc=qacc, field=PLACE["qacc"])
        self._runner.call("inverse", call, ids, STAGE_INVERSE)
        return force.copy() if ids is None else force[ids]

    def ray(
        self, pnt: Any, vec: Any, geomgroup: Any = None, flg_static: bool = True,
        bodyexclude: Any = -1, ids: Any = None, normal: bool = False, cutoff: float | None = None,
        frame: Any = None, yaw_only: bool = False, moving: bool = True,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        """Distances and geoms (n, nray) that rays meet first in each world, as `lanewise.ray`; with
        normal=True also the normals (n, nray, 3).

        pnt and vec are (3,), (nray, 3) or (n, nray, 3), for the present qpos of each world; state
        and outputs are untouched. frame: where they are given, the name of a site, body, geom or
        camera, or a pair such as ("body", "torso"); yaw_only leaves out its roll and pitch. What is
        farther than `cutoff` [m] is not met. bodyexclude may be one for each ray. moving=False:
        only geoms that cannot move.
        """
        ids = make_ids(ids, self.nsim)
        n = self.nsim if ids is None else len(ids)
        rays = Rays(n, self._model, pnt, vec, geomgroup, flg_static, bodyexclude, normal, moving)
        if cutoff is not None:
            rays.reach[0] = one_number(cutoff, "cutoff")
        cast(self._runner, self._model, ids, rays, frame, yaw_only)
        return (rays.dist, rays.geom, rays.normal) if normal else (rays.dist, rays.geom)

    def height_scan(
        self, points: Any, frame: Any = None, yaw_only: bool = True, above: float = 10.0,
        geomgroup: Any = None, moving: bool = False, bodyexclude: Any = -1, ids: Any = None,
    ) -> np.ndarray:  # fmt: skip
        """Heights (n, npoint) of the ground in the world's z, under points (npoint, 2); NaN where
        there is none.

        points are x and y in a frame, as in `ray`, which is turned upright unless yaw_only=False;
        without one, in the world. Rays go straight down, from `above` metres over the frame. The
        ground is what cannot move; moving=True counts all geoms.
        """
        ids = make_ids(ids, self.nsim)
        n = self.nsim if ids is None else len(ids)
        rays = scan_rays(n, self._model, points, above, geomgroup, moving, bodyexclude)
        upright = yaw_only and frame is not None
        cast(self._runner, self._model, ids, rays, frame, upright)
        return rays.dist

    def geom_distance(
        self, geom1: Any, geom2: Any, distmax: float, ids: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Signed distances (n,) of two geoms, and the nearest points (n, 6) on both, in the world.

        For the present qpos of each world; state and outputs are untouched. Beyond distmax the
        distance is distmax, and the points are zero. Geoms are given by number or name; with
        sequences of them, results are (n, npair) and (n, npair, 6).
        """
        ids = make_ids(ids, self.nsim)
        n = self.nsim if ids is None else len(ids)
        return geom_distance(self._runner, self._model, ids, n, geom1, geom2, distmax)

    def inside_site(self, site: Any, point: Any, ids: Any = None) -> np.ndarray:
        """Whether a point, (3,) or (n, 3) in the world, is inside a site (number or name): (n,).

        For the present qpos of each world; state and outputs are untouched. Points (n, npoint, 3)
        give (n, npoint). The shape of a mesh is its convex hull.
        """
        ids = make_ids(ids, self.nsim)
        n = self.nsim if ids is None else len(ids)
        return inside_site(self._runner, self._model, ids, n, site, point)

    # ---------------------------------------------------------------------------- models of worlds

    @property
    def _variation(self) -> Variation:
        return self._runner.variation

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
        if name not in per_world.expandable():
            raise not_expandable(self._model, name)
        rows = variation.derived.pop(name, None)
        variation.expanded[name] = variation.new_rows(name) if rows is None else rows
        self._runner.changed()
        return variation.expanded[name]

    def expanded(self, name: str) -> np.ndarray | None:
        """A field's values in all worlds, read-only; None if they share the model's."""
        if name not in per_world.expandable():
            raise not_expandable(self._model, name)
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
        failed = {}
        with self._runner.lock:
            derived = set_const.set_const(self._model.mj, variation.expanded, sims.tolist())
            for sim, values in derived:
                if isinstance(values, str):
                    failed[sim] = values
                else:
                    variation.derive(sim, values)
            self._runner.changed()
            self._runner.report(sims, failed)

    def get_model(self, sim: int, model: Any = None) -> Any:
        """An MjModel of one world: a new one, or `model`, which must have the same sizes."""
        sim = check_index(sim, self.nsim)
        refresh = any(name in self._variation.own for name in set_const.FLAGS)
        return per_world.world_model(self._model_of(sim), self._variation.row(sim), model, refresh)

    def set_models(self, models: Any) -> None:
        """Run world i on models[i] instead; one model for all, or None for the batch's.

        The models must have the sizes of the batch's model. They are copied: set them again after
        editing one. They take the place of expanded fields, and the two cannot be combined.
        """
        if models is None:
            variation = self._runner.no_variation()
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
            variation = self._runner.variation_of(given)
            models = models if _is_model(models) else given
        self._models = models
        self._runner.variation = variation
        self._runner.changed()

    def made_of(self, model: Any) -> bool:
        """Whether this is the model that the batch copied."""
        return model is self._given

    @property
    def models(self) -> Any:
        """What set_models was given: None, one model, or a tuple with one for each world."""
        return tuple(self._models) if isinstance(self._models, list) else self._models

    def _model_of(self, sim: int) -> Any:
        """The MjModel of a world, but for its rows."""
        model = self._models[sim] if isinstance(self._models, list) else self._models
        model = self._model if model is None else model
        return model if per_world.is_mjmodel(model) else model.mj

    def get_data(self, sim: int, data: Any = None) -> Any:
        """An MjData with a world's state; in a persistent batch, with all that was computed."""
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

    def read(self: Batch) -> np.ndarray:
        if name in self._runner.outputs.kept:
            return self._read(name)
        return self._read(name, way_of(sys._getframe(1)))

    field = _TABLE[name]
    return property(read, doc=f"{field.doc}{f' [{field.unit}]' if field.unit else ''}")


for _name in sorted(DATA_FIELDS | MORE_FIELDS):
    if "." not in _name:
        setattr(Batch, _name, _field(_name))


def _is_model(x: Any) -> bool:
    return per_world.is_mjmodel(x) or hasattr(x, "mj")
