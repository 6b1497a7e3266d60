"""Data: the workspace of a gang, one to eight worlds side by side.

All fields lie in one block of memory, each number eight lanes wide. The state comes first, its
components in the order of MuJoCo's state vector, so a world's state row and its lane differ only by
a transposition. What a user sees of a field is a live NumPy view with MuJoCo's shape, and with a
leading axis if there is more than one world. Fields that hold integers are kept as lanes too and
are given as copies.
"""

import ctypes

import numpy as np

from .errors import did_you_mean
from .fields import DATA, DATA_FIELDS, MISSING
from .lanes import Field, Struct, W

_LINE = 8  # float64 in a cache line
_CACHE_PAGE = 512  # float64 in 4 KiB: fields this far apart would compete for the same cache set


def layout(sizes):
    """{field: (first number, shape)} in a block of float64, and the block's length."""
    places, start = {}, 0
    for f in DATA:
        shape = f.shape(sizes)
        n = int(np.prod(shape))
        if f.stage == "alias":
            places[f.name] = (0, shape)
            continue
        places[f.name] = (start, shape)
        start += n * W
        if f.stage != "state" and start % _CACHE_PAGE == 0:
            start += _LINE
    return places, start + W


class Data:
    """Everything that changes in 1 to 8 worlds of a model; docs/fields.md has the fields."""

    def __init__(self, model, lanes=1):
        from .model import Model

        if not isinstance(model, Model):
            raise TypeError(
                f"Data needs a lanewise.Model, got {type(model).__name__}; see lanewise.load"
            )
        if (
            isinstance(lanes, bool)
            or not isinstance(lanes, (int, np.integer))
            or not 1 <= lanes <= W
        ):
            raise ValueError(
                f"lanes must be a whole number from 1 to {W}, got {lanes!r}; see Batch for more"
            )
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "lanes", int(lanes))
        places, n = layout(model.sizes)
        memory = np.zeros(n + _LINE)
        start = (-memory.ctypes.data // 8) % _LINE
        block = memory[start : start + n]
        arrays = {}
        for f in DATA:
            first, shape = places[f.name]
            size = int(np.prod(shape))
            arrays[f.name] = block[first : first + size * W].reshape(*shape, W)
        object.__setattr__(self, "_block", block)
        object.__setattr__(self, "arrays", arrays)
        table = np.array([arrays[f.name].ctypes.data for f in DATA], np.int64)
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "address", table.ctypes.data)
        object.__setattr__(self, "pointer", ctypes.c_int64(table.ctypes.data))  # ready for a call
        object.__setattr__(self, "_views", {})
        self.state_lanes = block[: model.nstate * W].reshape(model.nstate, W)
        self.reset()

    def reset(self, keyframe=None):
        """Set all worlds to the reference state or a keyframe, and everything computed to zero."""
        row = self.model.reset_row(keyframe)
        self._block[:] = 0.0
        self.arrays["wanted"][:] = 1.0
        self.state_lanes[:] = row[:, None]

    def view(self, name):
        """The worlds' values of a field, live."""
        view = self._views.get(name)
        if view is None:
            array = self.arrays[name]
            view = (
                array[..., 0] if self.lanes == 1 else np.moveaxis(array[..., : self.lanes], -1, 0)
            )
            self._views[name] = view
        return view

    def __getattr__(self, name):
        field = DATA_FIELDS.get(name)
        if field is None:
            if name in MISSING or name.startswith("efc_"):
                raise AttributeError(f"{name} is not computed yet: see Known gaps in CHANGELOG.md")
            raise AttributeError(f"no data field {name!r}{did_you_mean(name, DATA_FIELDS)}")
        view = self.view(name)
        if field.dtype != "float":
            view = view.astype(np.int32)
            view.flags.writeable = False
        return view if view.ndim else view[()]

    def __setattr__(self, name, value):
        field = DATA_FIELDS.get(name)
        if field is None:
            object.__setattr__(self, name, value)
            return
        if field.dtype != "float":
            raise AttributeError(f"{name} is computed and cannot be written")
        value = np.asarray(value)
        if value.dtype.kind not in "fiub":  # None, say, would become NaN
            raise TypeError(f"{name} must be numbers, got {value.dtype}")
        self.view(name)[...] = value

    def __dir__(self):
        return [*object.__dir__(self), *DATA_FIELDS]

    def __repr__(self):
        worlds = "1 world" if self.lanes == 1 else f"{self.lanes} worlds"
        return f"<lanewise.Data of {worlds}, {self.model!r}>"

    def __copy__(self):
        other = Data(self.model, self.lanes)
        other._block[:] = self._block
        return other

    def __deepcopy__(self, memo):
        return self.__copy__()

    @property
    def struct(self):
        """The fields as plain-Python kernels see them."""
        fields = {}
        for f in DATA:
            array = self.arrays[f.name].reshape(-1, f.width, W)
            fields[f.name] = array if f.no_dims else Field(array, f.width)
        return Struct(fields)
