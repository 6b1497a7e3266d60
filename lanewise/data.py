"""Data: the workspace of a gang, one to eight worlds side by side.

All fields lie in one block of memory, each number eight lanes wide. The state comes first, its
components in the order of MuJoCo's state vector, so a world's state row and its lane differ only by
a transposition. What a user sees of a field is a live NumPy view with MuJoCo's shape, and with a
leading axis if there is more than one world. Fields that hold integers are kept as lanes too and
are given as copies.
"""

import ctypes
import math

import numpy as np

from .constraint_rows import SPARSE, is_sparse, sparse_rows
from .engine import parts
from .engine.counters import ROOM_CONTACTS, ROOM_ROWS
from .engine.solver.dual.products import DENSE
from .engine.solver.dual.visiting import MORE as ORDER_END
from .engine.solver.dual.visiting import OWN as ORDER_TABLE
from .engine.stages import WANTS
from .errors import did_you_mean, truth, whole_number
from .fields import CAPACITIES, DATA, DATA_FIELDS, MISSING, READ_FIELDS
from .hooks import refuse_hooks
from .lanes import JIT, NROW, Field, Struct, W
from .lanes.calls import clock_of, world_tables
from .lanes.quick_calls import quick_call
from .listed import Contacts, SolverStats, Warnings
from .mjconst import NISLAND, NSOLVER, NWARNING
from .named import PARTS, DataObject, bound
from .notices import bits, news, tell
from .portraits import data_line, data_rows, shown, table
from .running import runner
from .timers import Timers

_LINE = 8  # float64 in a cache line
PLACE = {f.name: k for k, f in enumerate(DATA)}  # in the table of pointers
_HAS_LANES = [not f.by_gang for f in DATA]
_CACHE_PAGE = 512  # float64 in 4 KiB: fields this far apart would compete for the same cache set

_CLOCK = clock_of()
_expose_constraint, _project_constraint = runner("expose_constraint"), runner("project_constraint")


# sections that nobody needs of another Data: the state a second time, addresses, scratch memory
_NOT_CONTENTS = ("alias", "links", "clock", "convex collision", "rays")


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
    """Everything that changes in 1 to 8 worlds of a model; docs/fields.md has the fields.

    d.qpos is a live array (nq,), and (lanes, nq) with several worlds, and so is every other field;
    what is an integer is a copy. nconmax and njmax: room for contacts and constraint rows of a
    world; what does not fit is left out, with a warning. Without them, room is made as it is
    needed. timing: whether stages are timed, see `timer`.
    """

    __slots__ = (
        "__weakref__",
        "_block",  # the memory of all fields that have no capacity
        "_own",  # {field of p: its lanes}, for what the user declared
        "_tables",  # where the fields are, for kernels; then where each world's are
        "_views",  # {field: what view() gave}
        "address",  # of the table
        "advance",  # n steps, compiled; 0, or what `attend` is to look at
        "arrays",  # {field: its memory}, workspace included
        "functions",  # {stage: compiled function}
        "grows",  # room that is made when it is lacking, bits of ROOM_*
        "lanes",  # how many worlds there are
        "model",
        "notice",  # a flag that kernels raise for `attend`
        "pointer",  # the address, ready for a call
        "sizes",  # those of the model, with the capacities of this Data
        "spare",  # how many lanes have no world of their own
        "state_lanes",  # the state vectors of the worlds, in columns
        "width",  # how many lanes there are
    )

    def __init__(self, model, lanes=1, nconmax=None, njmax=None, timing=False):
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
        refuse_hooks()
        self.model, self.lanes = model, int(lanes)
        # one world alone has lanes of one number; several share lanes of eight
        self.width = 1 if lanes == 1 and JIT else int(W)
        self.spare = self.width - self.lanes
        self.sizes = capacities(model, nconmax, njmax, self.width)
        self.grows = (nconmax is None) * ROOM_CONTACTS + (njmax is None) * ROOM_ROWS
        # one block, with an array over each field's part of it
        places, n, fixed = layout(self.sizes, self.width)
        block = _zeros(n)
        self._block = block[:fixed]
        self.arrays = {f.name: _array(block, f, places[f.name], self.width) for f in DATA}
        self.state_lanes = self.arrays["state"]
        self._views = {}
        self._own = self._own_lanes()
        # as kernels see it
        table = np.array([self.arrays[f.name].ctypes.data for f in DATA], np.int64)
        self._tables = world_tables(table, _HAS_LANES) if self.width > 1 else table[None]
        self.address = self._tables.ctypes.data
        self.pointer = ctypes.c_int64(self.address)
        self.notice = ctypes.c_int64.from_address(self.arrays["notice"].ctypes.data)
        self.use("single" if self.width == 1 else "gang")
        self.timing = timing
        self.reset()

    def use(self, variant, expanded=frozenset()):
        """Run with a variant of the compiled engine, which must be of this width.

        expanded: parameters of user code that this Data has in lanes.
        """
        library, user = parts.library(variant), self.model.user
        if JIT:
            library.require(parts.needed(self.model, variant))
        object.__setattr__(self, "functions", library.functions)
        self.arrays["links"] = library.links
        if user is not None:
            self.arrays["user_code"] = user.addresses(variant, expanded)
            self.arrays["user_table"] = self._own_table(expanded)
        for name in ("links", "user_code", "user_table"):
            self._tables[:, PLACE[name]] = self.arrays[name].ctypes.data
        if JIT:
            quick = quick_call(library.functions["steps"], self.model.address, self.address)
            object.__setattr__(self, "advance", quick)

    def _own_lanes(self):
        """Memory for what user code declared: its state, in userdata, and all else."""
        if self.model.user is None:
            return {}
        declared, own = self.model.user.declared, {}
        for field, slices in declared.places().items():
            for name, place in slices.items():
                own[name] = self.arrays[field][place]
        rest = {f.name: f.size for f in declared.fields().fields if f.name not in own}
        block, start = _zeros(self.width * sum(rest.values())).reshape(-1, self.width), 0
        for name, n in rest.items():
            own[name] = block[start : start + n]
            start += n
        return own

    def _own_table(self, expanded):
        """Where the fields of p are."""
        shared = {n: x for n, x in self.model.user.parameters.items() if n not in expanded}
        fields = self.model.user.declared.fields().fields
        places = [shared.get(f.name, self._own[f.name]).ctypes.data for f in fields]
        return np.array(places or [0], np.int64)

    def parameter_lanes(self):
        """Where the lanes of each parameter are, for what every world has its own values of."""
        return {name: self._own[name] for name in self.model.parameters}

    def user(self, name):
        """What user code keeps in its state or left in an output, live, of the shape (...) that
        lanewise.load(state=, outputs=) gave it; with several worlds after an axis of them."""
        _, _, shape = user_place(self.model, name)
        lanes = self._own[name]
        if self.lanes == 1:
            return lanes[:, 0].reshape(shape)
        return np.moveaxis(lanes.reshape(*shape, self.width)[..., : self.lanes], -1, 0)

    def reset(self, keyframe=None):
        """Set all worlds to the reference state or a keyframe (number or name), and everything
        computed to zero."""
        row, timing = self.model.reset_row(keyframe), self.timing
        self._block[:] = 0.0
        for name in WANTS:  # who holds a Data may read everything
            self.arrays[name][...] = 1
        self.arrays["nworld"][...] = self.arrays["timed"][...] = self.lanes
        self.arrays["timing"][...] = timing
        clock = self.arrays["clock"]
        clock[:3] = *_CLOCK, clock[3:].ctypes.data
        self.arrays["lane_world"][: self.lanes] = range(self.lanes)
        self._tell_room()
        self.state_lanes[:] = row[:, None]

    def _tell_room(self):
        """Tell the kernels what there is room for."""
        for name in CAPACITIES:
            self.arrays[name][...] = self.sizes[name]
        self.arrays["grows"][...] = self.grows

    @property
    def timing(self):
        """Whether stages are timed, which costs some nanoseconds each; can be assigned. What
        `timer` has by then stays, until a reset."""
        return bool(self.arrays["timing"])

    @timing.setter
    def timing(self, value):
        self.arrays["timing"][...] = truth(value, "timing")

    @property
    def nconmax(self):
        """Room: how many contacts a world may have, a number."""
        return self.sizes["nconmax"]

    @property
    def njmax(self):
        """Room: how many constraint rows a world may have, a number."""
        return self.sizes["njmax"]

    @property
    def nbytes(self):
        """Bytes of all fields; `memory` has the parts."""
        return sum(self.memory().values())

    def memory(self):
        """{part: bytes}. Of the room for contacts, constraint rows, iterations and convex
        collision, the operating system provides only what was used so far."""
        kept = {id(x.base): x.base for x in self.arrays.values() if x.base is not None}
        total = sum(base.nbytes for base in kept.values())
        return {"fields": self._block.nbytes, "room": total - self._block.nbytes}

    def follow(self):
        """Let spare lanes follow the first world, so that they ask for no work of their own."""
        self.state_lanes[:, self.lanes :] = self.state_lanes[:, :1]

    # ---------------------------------------------------------------------------- after the kernels

    def attend(self):
        """Look at what the kernels noticed: tell the user of warnings, make room where it was
        lacking. Whether it was: what ran last is to be run again."""
        lacking = self.lacking()
        if lacking:
            room = more_room(self.sizes, lacking)
            if room is None:
                self.let_grow(0)
            else:
                self.make_room(*room)
            return True
        counted = self.arrays["warning.number"][:, : self.lanes].T > 0
        found = news(self.notes(), self.model, self.sizes, counted, self.arrays["resets"])
        self.arrays["told"] |= bits(found)  # before: a warning may be an error
        tell(found)
        return False

    def notes(self):
        """{kind: (time, world, what it was about)} of warnings that the user does not know of."""
        arrays, bits = self.arrays, int(self.arrays["noted"])
        self.notice.value = 0
        arrays["noted"][...] = 0
        kinds = [kind for kind in range(NWARNING) if bits >> kind & 1]
        columns = (arrays[f"note_{x}"][kinds].tolist() for x in ("time", "world", "info"))
        return dict(zip(kinds, zip(*columns, strict=True), strict=True))

    def lacking(self):
        """The room that was lacking since the last time, bits of ROOM_*; the notice is cleared."""
        arrays = self.arrays
        self.notice.value = int(arrays["noted"] != 0)
        lacking = int(arrays["no_room"]) | int(arrays["lacked"])
        arrays["no_room"][...] = arrays["lacked"][...] = 0
        return lacking

    def let_grow(self, grows):
        """Say which room is made when it is lacking."""
        object.__setattr__(self, "grows", grows)
        self._tell_room()

    def make_room(self, nconmax, njmax):
        """Move what has a capacity to where there is more room; all other memory stays."""
        sizes = capacities(self.model, nconmax, njmax, self.width)
        places, n, _ = layout(sizes, self.width)
        block = _zeros(n)
        for f in DATA:
            if f.capacity and f.shape(sizes) != f.shape(self.sizes):
                used = self._in_use(f, self.width) or 0
                array = _array(block, f, places[f.name], self.width)
                array[:used] = self.arrays[f.name][:used]
                self.arrays[f.name] = array
                column = self._tables[:, PLACE[f.name]]
                column += array.ctypes.data - column[0]
                self._views.pop(f.name, None)
        self.sizes.update(sizes)
        self._tell_room()
        self.forget_structure()

    def forget_structure(self):
        """Where H has numbers, and what touches in heaps, is found anew: it was noted for another
        model, or by contacts in memory that has moved."""
        for name in ("H_made_for", "graph_made_for", "graph_nslot"):
            self.arrays[name][...] = 0

    def view(self, name):
        """The worlds' values of a field, live: of the shape (...) that docs/fields.md has, with
        several worlds after an axis of them. Workspace of the kernels, too."""
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
        elif name == "timing" or (name in Data.__slots__ and not hasattr(self, name)):
            object.__setattr__(self, name, value)
        elif name in _LISTS or hasattr(Data, name):
            raise AttributeError(f"{name} cannot be assigned")
        else:
            raise _no_field(name)

    def __dir__(self):
        return [*dir(object), *_SHOWN]

    def actuator(self, key):
        """An actuator, by name or number: its ctrl, force, length, velocity and moment."""
        return DataObject(self, "actuator", key)

    def body(self, key):
        """A body, by name or number: its xpos, xquat, cvel, xfrc_applied, ..."""
        return DataObject(self, "body", key)

    def camera(self, key):
        """A camera, by name or number: its xpos and xmat."""
        return DataObject(self, "camera", key)

    def equality(self, key):
        """An equality constraint, by name or number: whether it is active."""
        return DataObject(self, "equality", key)

    def geom(self, key):
        """A geom, by name or number: its xpos, xmat and xquat."""
        return DataObject(self, "geom", key)

    def joint(self, key):
        """A joint, by name or number: its qpos, qvel, qacc, qfrc_applied, xaxis, ..."""
        return DataObject(self, "joint", key)

    def light(self, key):
        """A light, by name or number: its xpos and xdir."""
        return DataObject(self, "light", key)

    def sensor(self, key):
        """A sensor, by name or number: its data, (n,) with as many numbers as it has."""
        return DataObject(self, "sensor", key)

    def site(self, key):
        """A site, by name or number: its xpos, xmat and xquat."""
        return DataObject(self, "site", key)

    def tendon(self, key):
        """A tendon, by name or number: its length and velocity, and where it wraps."""
        return DataObject(self, "tendon", key)

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
        if field.capacity == "nlogmax":
            return self.sizes["nlogmax"]
        n = min(int(self.arrays["nefc"][:lanes].max()), self.sizes["njmax"])
        return {"njmax": n, "nJmax": n * self.model.nv, "nAmax": n * n}.get(field.capacity)

    def _make_rows(self, name):
        """efc_* of what the constraints are kept in: for a reader only"""
        make = _project_constraint if name == "efc_AR" else _expose_constraint
        make(self.model, self)
        if self.notice.value:
            self.attend()

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
        return shown(self, data_line)

    def _repr_html_(self):
        """A table for notebooks."""
        return table(self, data_rows)

    def __copy__(self):
        return _filled(self.model, *self._contents())

    def __deepcopy__(self, memo):
        """Another Data of the same Model, or of its copy if that is copied along."""
        return _filled(memo.get(id(self.model), self.model), *self._contents())

    def __reduce__(self):
        return _filled, (self.model, *self._contents())

    def _contents(self):
        """What it takes to make the same again: lanes, room, {field: numbers in use}."""
        fields = {}
        for f in DATA:
            array = self.arrays[f.name]
            if f.capacity:
                n = self._in_use(f, self.width)
                if n is not None:
                    fields[f.name] = array[:n]
            elif f.stage not in _NOT_CONTENTS:
                fields[f.name] = array
        return self.lanes, self.sizes["nconmax"], self.sizes["njmax"], self.grows, fields

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
        return Struct({**flat, **inner_structs}, self._tables[0])


def user_place(model, name):
    """Of a part of the state or an output of user code: its field, its place and its shape."""
    if model.user is None:
        raise ValueError(f"no state or output {name!r}: the model was loaded without user code")
    return model.user.declared.place(name)


def _array(block, field, place, width):
    """The part of the block that a field has."""
    (first, shape), numbers = place, field.numbers(width)
    array = block[first : first + math.prod(shape) * numbers]
    if field.dtype in ("plain", "index"):
        array = array.reshape(shape)
    else:
        array = array.reshape(*shape, numbers)
    return array.view(np.int64) if field.dtype == "index" else array


def _zeros(n):
    """n numbers from the beginning of a cache line on."""
    memory = np.zeros(n + _LINE)
    start = (-memory.ctypes.data // 8) % _LINE
    return memory[start : start + n]


def _filled(model, lanes, nconmax, njmax, grows, fields):
    """A Data with the contents of another; see Data._contents."""
    d = Data(model, lanes, nconmax, njmax)
    object.__setattr__(d, "grows", grows)
    for name, numbers in fields.items():
        array = d.arrays[name]
        (array[: len(numbers)] if DATA_FIELDS[name].capacity else array)[...] = numbers
    # where H has numbers, and orders of blocks, are not among them: they are found anew
    d.forget_structure()
    d.arrays["order_made"][...] = 0
    return d


def _no_field(name):
    """The error for a name that is no field of what users read."""
    if name in MISSING:
        return AttributeError(f"{name} is not computed yet: see Known gaps in CHANGELOG.md")
    if name in DATA_FIELDS:
        return AttributeError(f"{name} is workspace of the kernels: see d.arrays[{name!r}]")
    return AttributeError(f"no data field {name!r}{did_you_mean(name, _SHOWN)}")


# what completion offers: fields, and what else users have a use for
_LISTS: dict = {
    "contact": Contacts, "warning": Warnings, "solver": SolverStats,
    "timer": lambda data: Timers(lambda: [data]),
}  # fmt: skip
_SHOWN = sorted(
    {name for name in READ_FIELDS if "." not in name}
    | {*SPARSE, *_LISTS, *PARTS, "cam", "jnt", "ten", "bind"}
    | {"model", "lanes", "sizes", "state_lanes", "arrays", "reset", "user", "view"}
    | {"timing", "nconmax", "njmax", "nbytes", "memory"}
)


def more_room(sizes, lacking):
    """nconmax and njmax, twice as much of the kinds that were lacking; None: that is too much."""
    room = tuple(
        max(2 * sizes[name], _LEAST_ROOM) if lacking & kind else sizes[name]
        for name, kind in (("nconmax", ROOM_CONTACTS), ("njmax", ROOM_ROWS))
    )
    return room if room[0] <= _MOST_ROOM and room[1] <= 10 * _MOST_ROOM else None


_LEAST_ROOM, _MOST_ROOM = 32, 1 << 16  # contacts of a world, when room is made for them


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
    longest = max(sizes["nHmax"], sizes["nconmax"], sizes["nrow"])
    sizes["nkeptmax"] = min(8 * longest, 2**18)  # of eight points
    blocks = sizes["ntree"] * (sizes["ntree"] + 1) // 2 if sizes["nloose"] else 0
    sizes["nBmax"] = width * min(6 * blocks, most // W)  # six Rows each, for every world
    sizes["nbunchmax"] = sizes["nconmax"] // NROW + 1 if sizes["nloose"] else 0
    sizes["nhitmax"] = width * sizes["nconmax"]  # if the worlds have no contacts in common
    sizes["nlogmax"] = NSOLVER * min(NISLAND, max(sizes["ntree"], 1))
    sizes["nordermax"] = ORDER_TABLE + width * (sizes["njmax"] + ORDER_END)
    sizes["nlinemax"] = W * (sizes["njmax"] + 1)
    sizes["nmatrixmax"] = width * (DENSE * DENSE // 8 + 9)
    sizes["nYmax"] = width * min(sizes["njmax"] * sizes["nv"], most // W)
    return sizes
