"""Data: the workspace of a gang, one to eight worlds side by side.

All fields lie in one block of memory, each number eight lanes wide. The state comes first, its
components in the order of MuJoCo's state vector, so a world's state row and its lane differ only by
a transposition. What a user sees of a field is a live NumPy view with MuJoCo's shape, and with a
leading axis if there is more than one world. Fields that hold integers are kept as lanes too and
are given as copies.
"""

import ctypes
import math
import warnings

import numpy as np

from .constraint_rows import SPARSE, is_sparse, sparse_rows
from .engine import parts
from .engine.stages import WANTS
from .errors import did_you_mean, whole_number
from .fields import CAPACITIES, DATA, DATA_FIELDS, MISSING, READ_FIELDS
from .lanes import JIT, Field, Struct, W
from .lanes.quick_calls import quick_call
from .listed import Contacts, Warnings
from .mjconst import WARN_CNSTRFULL, WARN_CONTACTFULL
from .named import PARTS, DataObject, bound, find
from .running import runner

_LINE = 8  # float64 in a cache line
PLACE = {f.name: k for k, f in enumerate(DATA)}  # in the table of pointers
_CACHE_PAGE = 512  # float64 in 4 KiB: fields this far apart would compete for the same cache set

_expose_constraint, _project_constraint = runner("expose_constraint"), runner("project_constraint")


# sections that nobody needs of another Data: the state a second time, addresses, scratch memory
_NOT_CONTENTS = ("alias", "links", "convex collision", "rays")


def _is_last(f):
    return f.capacity is not None or f.stage in ("convex collision", "rays")


def layout(sizes, width):
    """{field: (first number, shape)} in a block of float64; its length, and that without capacity.

    The state comes first, without gaps; any other field starts a cache line. Fields with a
    capacity come last: most of their memory is never touched. So does the scratch memory of convex
    collision and of rays: nobody reads what was left there earlier.
    """
    places, start, fixed = {}, 0, 0
    for f in sorted(DATA, key=_is_last):
        shape = f.shape(sizes)
        if f.stage == "alias":
            places[f.name] = (0, shape)
            continue
        if f.stage != "state":
            start = -(-start // _LINE) * _LINE
            if start % _CACHE_PAGE == 0:
                start += _LINE
        places[f.name] = (start, shape)
        start += math.prod(shape) * f.numbers(width)
        fixed = fixed if _is_last(f) else start
    return places, start + _LINE, fixed


class Data:
    """Everything that changes in 1 to 8 worlds of a model; docs/fields.md has the fields."""

    __slots__ = (
        "__weakref__",
        "_block",  # the memory of all fields that have no capacity
        "_table",  # where the fields are, for kernels
        "_views",  # {field: what view() gave}
        "address",  # of the table
        "advance",  # n steps, compiled; whether something has had no room
        "arrays",  # {field: its memory}, workspace included
        "full",  # a flag that kernels raise when something had no room
        "functions",  # {stage: compiled function}
        "lanes",  # how many worlds there are
        "model",
        "pointer",  # the address, ready for a call
        "sizes",  # those of the model, with the capacities of this Data
        "spare",  # how many lanes have no world of their own
        "state_lanes",  # the state vectors of the worlds, in columns
        "width",  # how many lanes there are
    )

    def __init__(self, model, lanes=1, nconmax=None, njmax=None):
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
        self.model, self.lanes = model, int(lanes)
        # one world alone has lanes of one number; several share lanes of eight
        self.width = 1 if lanes == 1 and JIT else int(W)
        self.spare = self.width - self.lanes
        self.sizes = capacities(model, nconmax, njmax, self.width)
        # one block, with an array over each field's part of it
        places, n, fixed = layout(self.sizes, self.width)
        memory = np.zeros(n + _LINE)
        start = (-memory.ctypes.data // 8) % _LINE
        block = memory[start : start + n]
        self._block = block[:fixed]
        self.arrays = {f.name: _array(block, f, places[f.name], self.width) for f in DATA}
        self.state_lanes = self.arrays["state"]
        self._views = {}
        # as kernels see it
        self._table = np.array([self.arrays[f.name].ctypes.data for f in DATA], np.int64)
        self.address = self._table.ctypes.data
        self.pointer = ctypes.c_int64(self.address)
        self.full = ctypes.c_int64.from_address(self.arrays["no_room"].ctypes.data)
        self.use("single" if self.width == 1 else "gang")
        self.reset()

    def use(self, variant):
        """Run with a variant of the compiled engine, which must be of this width."""
        library, user = parts.library(variant), self.model.user
        if JIT:
            library.require(parts.needed(self.model))
        object.__setattr__(self, "functions", library.functions)
        self.arrays["links"] = library.links
        if user is not None:
            self.arrays["user_code"] = user.addresses(variant)
        for name in ("links", "user_code"):
            self._table[PLACE[name]] = self.arrays[name].ctypes.data
        if JIT:
            quick = quick_call(library.functions["steps"], self.model.address, self.address)
            object.__setattr__(self, "advance", quick)

    def reset(self, keyframe=None):
        """Set all worlds to the reference state or a keyframe, and everything computed to zero."""
        row = self.model.reset_row(keyframe)
        self._block[:] = 0.0
        for name in WANTS:  # who holds a Data may read everything
            self.arrays[name][...] = 1
        self.arrays["nworld"][...] = self.lanes
        for name in CAPACITIES:
            self.arrays[name][...] = self.sizes[name]
        self.state_lanes[:] = row[:, None]

    def follow(self):
        """Let spare lanes follow the first world, so that they ask for no work of their own."""
        self.state_lanes[:, self.lanes :] = self.state_lanes[:, :1]

    def say_full(self):
        """Warn of what had no room since the last time."""
        self.full.value = 0
        counters = self.arrays["warning.number"][[*ROOM], : self.lanes] > 0
        say_full(counters.sum(axis=1), self.sizes, self.lanes)

    def view(self, name):
        """The worlds' values of a field, live."""
        view = self._views.get(name)
        if view is None:
            array = self.arrays[name]
            if DATA_FIELDS[name].by_gang:
                view = array
            elif self.lanes == 1:
                view = array[..., 0]
            else:
                view = np.moveaxis(array[..., : self.lanes], -1, 0)
            self._views[name] = view
        return view

    def __getattr__(self, name):
        field = READ_FIELDS.get(name)
        if field is None:
            if name in _LISTS:
                return _LISTS[name](self)
            if name in SPARSE:
                return self._sparse(name)
            if name in Data.__slots__:  # while a Data is made
                raise AttributeError(name)
            raise _no_field(name)
        if name == "efc_J" and self.lanes == 1 and is_sparse(self.model):
            return self._sparse(name)
        view = self._values(field)
        if field.dtype != "float":
            view = view.astype(np.int32)
            view.flags.writeable = False
        return view if view.ndim else view[()]

    def __setattr__(self, name, value):
        field = READ_FIELDS.get(name)
        if field is not None and field.dtype == "float":
            value = np.asarray(value)
            if value.dtype.kind not in "fiub":  # None, say, would become NaN
                raise TypeError(f"{name} must be numbers, got {value.dtype}")
            self._values(field)[...] = value
        elif field is not None or name in SPARSE:
            raise AttributeError(f"{name} is computed and cannot be written")
        elif name in Data.__slots__ and not hasattr(self, name):
            object.__setattr__(self, name, value)
        elif name in _LISTS or hasattr(Data, name):
            raise AttributeError(f"{name} cannot be assigned")
        else:
            raise _no_field(name)

    def __dir__(self):
        return [*dir(object), *_SHOWN]

    def actuator(self, key):
        """An actuator, by name or number: its ctrl, force, length, velocity and moment."""
        return DataObject(self, "actuator", *find(self.model, "actuator", key))

    def body(self, key):
        """A body, by name or number: its xpos, xquat, cvel, xfrc_applied, ..."""
        return DataObject(self, "body", *find(self.model, "body", key))

    def camera(self, key):
        """A camera, by name or number: its xpos and xmat."""
        return DataObject(self, "camera", *find(self.model, "camera", key))

    def equality(self, key):
        """An equality constraint, by name or number: whether it is active."""
        return DataObject(self, "equality", *find(self.model, "equality", key))

    def geom(self, key):
        """A geom, by name or number: its xpos, xmat and xquat."""
        return DataObject(self, "geom", *find(self.model, "geom", key))

    def joint(self, key):
        """A joint, by name or number: its qpos, qvel, qacc, qfrc_applied, xaxis, ..."""
        return DataObject(self, "joint", *find(self.model, "joint", key))

    def light(self, key):
        """A light, by name or number: its xpos and xdir."""
        return DataObject(self, "light", *find(self.model, "light", key))

    def sensor(self, key):
        """A sensor, by name or number: its data."""
        return DataObject(self, "sensor", *find(self.model, "sensor", key))

    def site(self, key):
        """A site, by name or number: its xpos, xmat and xquat."""
        return DataObject(self, "site", *find(self.model, "site", key))

    def tendon(self, key):
        """A tendon, by name or number: its length and velocity, and where it wraps."""
        return DataObject(self, "tendon", *find(self.model, "tendon", key))

    cam, jnt, ten = camera, joint, tendon  # MuJoCo's other names

    def bind(self, specs):
        """What an element of the model's MjSpec is here, or several elements together."""
        return bound(self, specs)

    def _values(self, field):
        """The worlds' values of a field, as far as they are in use; rows are made if need be."""
        if field.stage == "efc":
            self._make_rows(field.name)
        view = self.view(field.name)
        if field.capacity is None:
            return view
        n = self._in_use(field, self.lanes)
        return view[:n] if self.lanes == 1 else view[:, :n]

    def _in_use(self, field, lanes):
        """How much of a field with a capacity the fullest of the first lanes uses; None: unknown"""
        if field.capacity == "nconmax":
            return int(self.arrays["ncon"][:lanes].max())
        n = min(int(self.arrays["nefc"][:lanes].max()), self.sizes["njmax"])
        return {"njmax": n, "nJmax": n * self.model.nv, "nAmax": n * n}.get(field.capacity)

    def _make_rows(self, name):
        """efc_* of what the constraints are kept in: for a reader only"""
        make = _project_constraint if name == "efc_AR" else _expose_constraint
        make(self.model, self)
        if self.full.value:
            self.say_full()

    def _sparse(self, name):
        """efc_J in compressed rows, or its structure: as MuJoCo has them."""
        if self.lanes > 1:
            raise AttributeError(f"{name} has another structure in every world: use one world")
        self._make_rows(name)
        rows, nv = int(self.nefc), self.model.nv
        if not is_sparse(self.model):
            return np.zeros(rows * nv if name == "efc_J_colind" else rows, np.int32)
        J = self.view("efc_J")[: rows * nv].reshape(rows, nv)
        return sparse_rows(self.model, J, self.efc_type, self.efc_id, self.contact.geom)[name]

    def __repr__(self):
        worlds = "1 world" if self.lanes == 1 else f"{self.lanes} worlds"
        return f"<lanewise.Data of {worlds}, {self.model!r}>"

    def __copy__(self):
        return _filled(self.model, *self._contents())

    def __deepcopy__(self, memo):
        """Another Data of the same Model, or of its copy if that is copied along."""
        return _filled(memo.get(id(self.model), self.model), *self._contents())

    def __reduce__(self):
        return _filled, (self.model, *self._contents())

    def _contents(self):
        """What it takes to make the same again: lanes, capacities, {field: numbers in use}."""
        fields = {}
        for f in DATA:
            array = self.arrays[f.name]
            if f.capacity:
                n = self._in_use(f, self.width)
                if n is not None:
                    fields[f.name] = array[:n]
            elif f.stage not in _NOT_CONTENTS:
                fields[f.name] = array
        return self.lanes, self.sizes["nconmax"], self.sizes["njmax"], fields

    @property
    def struct(self):
        """The fields as plain-Python kernels see them."""
        if self.width != W:
            raise ValueError(
                f"plain-Python kernels have lanes of {W}: make the Data with lanes=2 or more,"
                " or set LANEWISE_JIT=0"
            )
        flat: dict = {}
        nested: dict = {}
        for f in DATA:
            alone = f.dtype in ("plain", "index")
            one = (-1, f.width) if alone else (-1, f.width, f.numbers(self.width))
            array = self.arrays[f.name].reshape(one)
            outer, _, inner = f.name.rpartition(".")
            target = nested.setdefault(outer, {}) if outer else flat
            target[inner] = array if f.no_dims else Field(array, f.width)
        inner_structs = {outer: Struct(inner) for outer, inner in nested.items()}
        return Struct({**flat, **inner_structs}, self._table)


def _array(block, field, place, width):
    """The part of the block that a field has."""
    (first, shape), numbers = place, field.numbers(width)
    array = block[first : first + math.prod(shape) * numbers]
    if field.dtype in ("plain", "index"):
        array = array.reshape(shape)
    else:
        array = array.reshape(*shape, numbers)
    return array.view(np.int64) if field.dtype == "index" else array


def _filled(model, lanes, nconmax, njmax, fields):
    """A Data with the contents of another; see Data._contents."""
    d = Data(model, lanes, nconmax, njmax)
    for name, numbers in fields.items():
        array = d.arrays[name]
        (array[: len(numbers)] if DATA_FIELDS[name].capacity else array)[...] = numbers
    # where H has numbers is not among them: it is found anew
    d.arrays["H_made_for"][...] = 0
    return d


def _no_field(name):
    """The error for a name that is no field of what users read."""
    if name in MISSING:
        return AttributeError(f"{name} is not computed yet: see Known gaps in CHANGELOG.md")
    if name in DATA_FIELDS:
        return AttributeError(f"{name} is workspace of the kernels: see d.arrays[{name!r}]")
    return AttributeError(f"no data field {name!r}{did_you_mean(name, _SHOWN)}")


# what completion offers: fields, and what else users have a use for
_LISTS = {"contact": Contacts, "warning": Warnings}
_SHOWN = sorted(
    {name for name in READ_FIELDS if "." not in name}
    | {*SPARSE, *_LISTS, *PARTS, "cam", "jnt", "ten", "bind"}
    | {"model", "lanes", "sizes", "state_lanes", "arrays", "reset", "view"}
)


def say_full(worlds, sizes, nworld):
    """Warn that contacts or rows were left out; worlds: [number without room for each]."""
    for number, (what, name) in zip(worlds, ROOM.values(), strict=True):
        if number:
            warnings.warn(
                f"{number} of {nworld} worlds had more {what} than there is room for"
                f" ({name}={sizes[name]}), and what did not fit was left out: make the Data or"
                f" Batch with a larger {name}",
                RuntimeWarning,
                stacklevel=4,
            )


# what may have no room, by the warning that counts it: its name, and the name of the room
ROOM = {
    WARN_CONTACTFULL: ("contacts", "nconmax"),
    WARN_CNSTRFULL: ("constraint rows", "njmax"),
}


def capacities(model, nconmax=None, njmax=None, width=W):
    """The sizes of a model, with the capacities that the user chose instead of its own."""
    sizes = dict(model.sizes)
    for name, value in (("nconmax", nconmax), ("njmax", njmax)):
        if value is not None:
            sizes[name] = whole_number(value, name)
            if sizes[name] < 0:
                raise ValueError(f"{name} must not be negative, got {value}")
    most = 2**22  # numbers of eight worlds: 256 MB, if they are used
    sizes["nJmax"] = min(sizes["njmax"] * sizes["nv"], most)
    sizes["nAmax"] = min(sizes["njmax"] ** 2, most)
    groups = sizes["ngroup"]
    sizes["nHmax"] = min(9 * groups * (groups + 1) // 2, most)
    blocks = sizes["ntree"] * (sizes["ntree"] + 1) // 2 if sizes["nloose"] else 0
    sizes["nBmax"] = width * min(6 * blocks, most // W)  # six Rows each, for every world
    sizes["nhitmax"] = width * sizes["nconmax"]  # if the worlds have no contacts in common
    sizes["nYmax"] = width * min(sizes["njmax"] * -(-sizes["nv"] // 8), most // W)
    return sizes
