"""Model: what does not change while a world moves.

A Model holds an MjModel of its own, and its fields are views of that MjModel's memory:
`m.body_mass[3] = 2` and `m.mj.body_mass[3] = 2` are the same write, and the kernels read the same
numbers. For kernels, the fields of the table stand in one table of pointers; `address` is where
that table lies.
"""

import ctypes

import numpy as np

from .errors import did_you_mean, whole_number
from .fields import MODEL, MODEL_FIELDS, STATE
from .lanes import Field, Struct
from .naming import number_of


class Options:
    """The physics options, under MuJoCo's names; see MjOption."""

    def __init__(self, mj_opt):
        object.__setattr__(self, "_mj", mj_opt)

    def __getattr__(self, name):
        if hasattr(self._mj, name):
            return getattr(self._mj, name)
        names = [n for n in dir(self._mj) if not n.startswith("_")]
        raise AttributeError(f"no option {name!r}{did_you_mean(name, names)}")

    def __setattr__(self, name, value):
        if not hasattr(self._mj, name):
            self.__getattr__(name)
        setattr(self._mj, name, value)

    def __dir__(self):
        return dir(self._mj)


# what completion offers beside fields
_SHOWN = ("arrays", "keyframe_id", "mj", "opt", "reset_row", "sizes", "state_slices")


class Model:
    """A model to simulate, made by `lanewise.load`. Fields are MuJoCo's, in name and meaning."""

    __slots__ = (
        "__weakref__",
        "_reset_rows",  # state rows: after a reset, then of keyframes
        "_table",  # where the fields are, for kernels
        "address",  # of the table
        "arrays",  # {field: what kernels read}
        "made_by",  # a function (mj, user) that makes the same again
        "mj",
        "opt",
        "pointer",  # the address, ready for a call
        "sizes",
        "state_slices",  # {component: its place in a state row}
        "user",  # the UserCode that the step calls, or None
    )

    def __init__(self, mj, arrays, sizes, reset_rows, made_by, user=None):
        """arrays: {field: what kernels read}; reset_rows: state after a reset, then keyframes.

        made_by: a function (mj, user) that makes the same again, for copies. user: the UserCode
        that the step calls, see callbacks/user_code.py.
        """
        self.made_by = made_by
        self.user = user
        self.mj = mj
        self.opt = Options(mj.opt)
        self.sizes = dict(sizes)
        self.arrays = arrays
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
        try:
            return getattr(self.mj, name)
        except AttributeError:
            raise self._no_field(name) from None

    def __setattr__(self, name, value):
        if name in Model.__slots__ and not hasattr(self, name):
            object.__setattr__(self, name, value)
            return
        if hasattr(Model, name):
            raise AttributeError(f"{name} cannot be assigned")
        if name.startswith("flg_") and name in MODEL_FIELDS:
            setattr(self.mj, name, value)
            self.arrays[name][0] = self.sizes[name] = int(getattr(self.mj, name))
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
        return f"<lanewise.Model nq={self.nq} nv={self.nv} nu={self.nu} nbody={self.nbody}>"

    def __copy__(self):
        return self.made_by(self.mj, self.user)

    def __deepcopy__(self, memo):
        return self.__copy__()

    def reset_row(self, keyframe=None):
        """The state row of a reset world, or of a keyframe (number or name)."""
        row = self._reset_rows[0 if keyframe is None else 1 + self.keyframe_id(keyframe)].copy()
        if keyframe is None:  # what the user may have edited since
            row[self.state_slices["qpos"]] = self.qpos0
            mocap = self.body_mocapid >= 0
            order = np.argsort(self.body_mocapid[mocap])
            row[self.state_slices["mocap_pos"]] = self.body_pos[mocap][order].ravel()
            row[self.state_slices["mocap_quat"]] = self.body_quat[mocap][order].ravel()
        return row

    def keyframe_id(self, keyframe):
        if isinstance(keyframe, str):
            return number_of(self.mj, "keyframe", keyframe)
        keyframe = whole_number(keyframe, "keyframe")
        if not 0 <= keyframe < self.nkey:
            raise ValueError(f"keyframe must be in [0, {self.nkey}), got {keyframe}")
        return keyframe

    @property
    def struct(self):
        """The fields as plain-Python kernels see them."""
        flat: dict = {}
        nested: dict = {}
        for f in MODEL:
            array = self.arrays[f.name].reshape(-1, f.width)
            outer, _, inner = f.name.rpartition(".")
            target = nested.setdefault(outer, {}) if outer else flat
            target[inner] = array if f.no_dims else Field(array, f.width)
        return Struct({**flat, **{outer: Struct(inner) for outer, inner in nested.items()}})
