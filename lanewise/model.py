"""Model: what does not change while a world moves.

A Model holds an MjModel of its own, and its fields are views of that MjModel's memory:
`m.body_mass[3] = 2` and `m.mj.body_mass[3] = 2` are the same write, and the kernels read the same
numbers. For kernels, the fields of the table stand in one table of pointers; `address` is where
that table lies.

Fields that are structure cannot be written, and some others only within limits (`limits`). Of
structure kernels have a copy of their own, so nothing leads them outside of the model's memory.
"""

import ctypes
from bisect import bisect
from types import MappingProxyType

import numpy as np

from .engine.checks import ROUNDING
from .engine.collision.hull import STEEP
from .errors import did_you_mean, whole_number
from .fields import MODEL, MODEL_FIELDS, STATE
from .lanes import Field, Struct
from .limits import CHECKED, FIXED, Guard, Named, Watch, choose
from .mjconst import JNT_BALL
from .naming import number_of
from .portraits import model_line, model_rows, shown, table


class Options:
    """The physics options, under MuJoCo's names; see MjOption."""

    __slots__ = ("_mj",)

    def __init__(self, mj_opt):
        object.__setattr__(self, "_mj", mj_opt)

    def __getattr__(self, name):
        if hasattr(self._mj, name):
            return getattr(self._mj, name)
        names = [n for n in dir(self._mj) if not n.startswith("_")]
        raise AttributeError(f"no option {name!r}{did_you_mean(name, names)}")

    def __setattr__(self, name, value):
        setattr(self._mj, name, choose(name, value, self.__getattr__(name)))

    def __dir__(self):
        return dir(self._mj)


# MuJoCo's views of one element by its name or number
_NAMED = frozenset((
    "actuator", "body", "cam", "camera", "eq", "equality", "exclude", "geom", "hfield", "jnt",
    "joint", "key", "keyframe", "light", "mat", "material", "mesh", "numeric", "pair", "sensor",
    "site", "skin", "ten", "tendon", "tex", "texture", "tuple",
))  # fmt: skip
# state that a keyframe sets, by the field that has it
KEYFRAME = {
    "key_time": "time", "key_qpos": "qpos", "key_qvel": "qvel", "key_act": "act",
    "key_ctrl": "ctrl", "key_mpos": "mocap_pos", "key_mquat": "mocap_quat",
    "key_plastic": "plastic",
}  # fmt: skip

# what completion offers beside fields
_SHOWN = (
    "arrays", "keyframe_id", "mj", "opt", "parameters", "reset_row", "save", "sizes",
    "state_slices",
)  # fmt: skip


class Model:
    """A model to simulate, made by `lanewise.load`. Fields are MuJoCo's, with their shapes.

    They are live views of the memory that kernels read: m.body_mass (nbody,) [kg], m.opt.timestep
    [s]. docs/edits.md says what may be written; m.mj is the MjModel, and m.body("name") what one
    body has of the fields.
    """

    __slots__ = (
        "__weakref__",
        "_guarded",  # {field: the array that users get, of those that cannot be written freely}
        "_memory",  # {field: its memory}, of those that may be written within limits
        "_reset_rows",  # state rows: after a reset, then of keyframes
        "_table",  # where the fields are, for kernels
        "address",  # of the table
        "arrays",  # {field: what kernels read}
        "made_by",  # a function of a Model that makes a copy of it
        "mj",
        "opt",
        "origin",  # what it was compiled from, see loaders/saving.py
        "pointer",  # the address, ready for a call
        "sizes",
        "state_slices",  # {component: its place in a state row}
        "user",  # the UserCode that the step calls, or None
        "watch",  # notices options that are written past `opt`
    )

    def __init__(self, mj, arrays, sizes, reset_rows, made_by, origin, user=None):
        """arrays: {field: what kernels read}; reset_rows: state after a reset, then keyframes.

        made_by: a function that makes a copy of this Model. origin: what saves it, see
        loaders/saving.py. user: the UserCode that the step calls, see callbacks/user_code.py.
        """
        self.made_by, self.origin = made_by, origin
        self.user = user
        self.mj = mj
        self.opt = Options(mj.opt)
        self.watch = Watch(mj.opt, [x for name, x in arrays.items() if name.startswith("opt.")])
        self.sizes = MappingProxyType(dict(sizes))
        self.arrays = arrays
        # what is written past a Guard is refused by NumPy
        self._memory = {name: getattr(mj, name)[...] for name in CHECKED}
        self._guarded = {}
        for name in (*FIXED, *CHECKED):
            getattr(mj, name).flags.writeable = False
        self._reset_rows = reset_rows
        self._table = np.array([arrays[f.name].ctypes.data for f in MODEL], np.int64)
        self.address = self._table.ctypes.data
        self.pointer = ctypes.c_int64(self.address)  # the same, ready for a call
        self.state_slices = {}
        start = 0
        for f in STATE:
            stop = start + int(np.prod(f.shape(self.sizes)))
            self.state_slices[f.name] = slice(start, stop)
            start = stop

    def __getattr__(self, name):
        if name in Model.__slots__ or name.startswith("__"):  # while a Model is made
            raise AttributeError(name)
        field = MODEL_FIELDS.get(name)
        if field is not None and field.own:
            return self.sizes[name] if field.stage == "sizes" else self.arrays[name]
        if name in FIXED or name in CHECKED:
            return self._guard(name)
        try:
            value = getattr(self.mj, name)
        except AttributeError:
            raise self._no_field(name) from None
        if name in _NAMED:
            return lambda *key: Named(value(*key), self._guarded_part)
        return value

    def _guard(self, name):
        """A field that cannot be written freely, as users get it."""
        array = self._guarded.get(name)
        if array is None:
            memory = self._memory.get(name)
            if memory is None:
                memory = self.arrays.get(name, getattr(self.mj, name))
            renew = {"eq_active0": self.renew_reset, "mesh_vert": self.renew_hulls}
            written = renew.get(name)
            array = self._guarded[name] = Guard(self.mj, name, memory, written).array()
        return array

    def _guarded_part(self, part):
        """A view of a field's memory as users get it, whatever the field."""
        starts, names = self._places()
        k = bisect(starts, part.ctypes.data) - 1
        if k < 0 or not part.size:
            return part
        field = getattr(self.mj, names[k])
        if part.ctypes.data >= starts[k] + field.nbytes:
            return part
        return self._guard(names[k]).guard.array(part)

    def _places(self):
        """Where guarded fields lie in memory, in rising order: their starts and names."""
        places = self._guarded.get("")
        if places is None:
            found = ((getattr(self.mj, n), n) for n in (*FIXED, *CHECKED))
            order = sorted((array.ctypes.data, n) for array, n in found if array.size)
            places = self._guarded[""] = ([start for start, _ in order], [n for _, n in order])
        return places

    def __setattr__(self, name, value):
        if name in Model.__slots__ and not hasattr(self, name):
            object.__setattr__(self, name, value)
            return
        if hasattr(Model, name):
            raise AttributeError(f"{name} cannot be assigned")
        if name.startswith("flg_") and name in MODEL_FIELDS:
            setattr(self.mj, name, bool(value))
            return
        array = getattr(self, name)
        if isinstance(array, np.ndarray):
            array[...] = value
        elif name in MODEL_FIELDS:
            raise AttributeError(f"{name} is a size and cannot be changed")
        else:
            raise AttributeError(f"{name} cannot be assigned")

    def __dir__(self):
        own = {name for name, f in MODEL_FIELDS.items() if f.own and f.stage == "sizes"}
        return sorted({*dir(object), *own, *self._names(), *_SHOWN})

    def _names(self):
        """What MjModel has, to all of which a Model answers."""
        return {name for name in dir(self.mj) if not name.startswith("_")}

    def _no_field(self, name):
        return AttributeError(f"no model field {name!r}{did_you_mean(name, dir(self))}")

    def __repr__(self):
        return shown(self, model_line)

    def _repr_html_(self):
        """A table for notebooks."""
        return table(self, model_rows)

    def __copy__(self):
        return self.made_by(self)

    def __deepcopy__(self, memo):
        return self.__copy__()

    def save(self, path):
        """Write the model as it is now, with all edits, to a file: .mjb or .xml

        An MJB has all of it, to the bit, and is for this version of MuJoCo. XML is what the model
        was loaded from, with what was edited; it names mesh and texture files where they are. It
        is written only if it compiles to this very model, and else ModelError says what would be
        lost: edits of ids and kinds, say, or all of a model that was loaded from an MJB, an MjModel
        or a pickle. Code of yours (control=, ...) is not in a file.
        """
        self.origin.save(self.mj, path)

    def reset_row(self, keyframe=None):
        """The state row (nstate,) of a reset world, or of a keyframe (number or name), as fields
        are now; state_slices says what is where in it."""
        self.watch.look()
        place = self.state_slices
        key = -1 if keyframe is None else self.keyframe_id(keyframe)
        row = self._reset_rows[0].copy()
        row[place["qpos"]] = self.mj.qpos0
        sizes = self.sizes
        if sizes["nmocap"]:
            mocap = np.argsort(self.body_mocapid)[sizes["nbody"] - sizes["nmocap"] :]
            row[place["mocap_pos"]] = self.mj.body_pos[mocap].ravel()
            row[place["mocap_quat"]] = self.mj.body_quat[mocap].ravel()
        if sizes["neq"]:
            row[place["eq_active"]] = self.mj.eq_active0
        if sizes["nplastic"]:
            row[place["plastic"]] = self.rest_springs()
        if sizes["nhistory"]:
            self._past_samples(row[place["history"]])
        if key >= 0:
            for name, state in KEYFRAME.items():
                row[place[state]] = np.ravel(getattr(self.mj, name)[key])
        return row

    def rest_springs(self, qpos_spring=None, tendon_lengthspring=None):
        """plastic of springs that can yield, before they do; of the model's fields, or of these."""
        rest = self.mj.qpos_spring if qpos_spring is None else qpos_spring
        ranges = self.mj.tendon_lengthspring if tendon_lengthspring is None else tendon_lengthspring
        plastic = np.zeros(self.nplastic)
        for j in np.flatnonzero(self.jnt_plasticadr >= 0):
            q, n = self.jnt_qposadr[j], 4 if self.jnt_type[j] <= JNT_BALL else 1
            plastic[self.jnt_plasticadr[j] :][:n] = rest[q : q + n]
        for t in np.flatnonzero(self.tendon_plasticadr >= 0):
            plastic[self.tendon_plasticadr[t] :][:2] = ranges[t]
        return plastic

    def _past_samples(self, history):
        """Samples of before the start."""
        self.past_samples(history[None], self.mj.opt.timestep, self.mj.sensor_interval)

    def past_samples(self, history, timestep, interval):
        """The same in rows of worlds; timestep and sensor_interval may have a leading axis.

        Samples are one time step apart, or the interval of a sensor. Its times are multiples of the
        time step, since that is when it could have been read, and the first number of its buffer is
        when it was last due.
        """
        dt = np.reshape(timestep, (-1, 1))
        for adr, (n, _) in zip(self.actuator_historyadr, self.actuator_history, strict=True):
            if n > 0:
                history[:, adr + 2 : adr + 2 + n] = np.arange(-n, 0) * dt
        for i, (adr, (n, _)) in enumerate(
            zip(self.sensor_historyadr, self.sensor_history, strict=True)
        ):
            if n > 0:
                period, phase = interval[..., i, :1], interval[..., i, 1:]
                apart = np.where(period > 0.0, np.maximum(period, dt), dt)
                newest = np.where((period > 0.0) & (phase != 0.0), phase, -apart)
                number = (newest + np.arange(1 - n, 1) * apart) / dt
                number = np.ceil(number - ROUNDING * np.maximum(1.0, abs(number)))
                history[:, adr + 2 : adr + 2 + n] = number * dt
                last = np.where(phase != 0.0, phase, -period)
                history[:, adr] = np.where(period > 0.0, last, -dt)[:, 0]

    def renew_reset(self):
        """Note the state of a reset for kernels, which reset worlds by themselves."""
        self.arrays["reset_state"][...] = self.reset_row()

    def renew_hulls(self):
        """Note where the vertices of meshes are, for kernels that read them by eights."""
        vertices = self.mj.mesh_vert[self.arrays["hull_vertex"]].transpose(0, 2, 1)
        if not np.array_equal(self.arrays["hull_row"], vertices):
            self.arrays["hull_row"][...] = vertices
            # which vertices can be farthest where is known of hulls as they were compiled
            self.arrays["mesh_cells"][...] = 0
            self.arrays["mesh_steep"][...] = STEEP

    def keyframe_id(self, keyframe):
        """The number of a keyframe that is given by its name, or by its number: that is checked."""
        if isinstance(keyframe, str):
            return number_of(self.mj, "keyframe", keyframe)
        keyframe = whole_number(keyframe, "keyframe")
        if not 0 <= keyframe < self.nkey:
            raise ValueError(f"keyframe must be in [0, {self.nkey}), got {keyframe}")
        return keyframe

    @property
    def parameters(self):
        """{name: array} of what user code reads, live: a write counts from the next step on."""
        return {} if self.user is None else self.user.parameters

    @property
    def struct(self):
        """The fields as plain-Python kernels see them."""
        flat: dict = {}
        nested: dict = {}
        for f in MODEL:
            one = (-1, f.width, 8) if f.dtype == "row" else (-1, f.width)
            array = self.arrays[f.name].reshape(one)
            outer, _, inner = f.name.rpartition(".")
            target = nested.setdefault(outer, {}) if outer else flat
            target[inner] = array if f.no_dims else Field(array, f.width)
        return Struct({**flat, **{outer: Struct(inner) for outer, inner in nested.items()}})
