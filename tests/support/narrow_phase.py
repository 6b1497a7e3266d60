"""One pair of geoms, by MuJoCo's narrow-phase function and by ours, eight poses at a time.

MuJoCo's functions are called through its public table `mjCOLLISIONFUNC`, with sizes and poses
written straight into the model and the data: so a pose can be anything, and what a function leaves
to the driver (the second tangent, and mostly the first) does not cover up what it gives.
"""

import ctypes
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np

from lanewise.engine.collision import narrow
from lanewise.engine.collision.constants import NO_CONTACT
from lanewise.engine.collision.pairs import MOST_FOUND
from lanewise.engine.collision.pairs import PAIRS as TABLE
from lanewise.lanes import JIT, Entries, Field, Struct, W, kernel

KINDS = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box")
SLOTS = MOST_FOUND
# {types: kernel} of the pairs that have a closed form
PAIRS = {
    types: getattr(narrow, pair.function)
    for types, pair in TABLE.items()
    if pair.part == "primitive"
}


class Contact(NamedTuple):
    """What a narrow-phase function says about one contact."""

    dist: float
    pos: np.ndarray
    normal: np.ndarray
    tangent: np.ndarray


class Case(NamedTuple):
    """Two geoms in place: half-sizes, position and rotation of each, and how far contacts reach."""

    size1: np.ndarray
    pos1: np.ndarray
    mat1: np.ndarray
    size2: np.ndarray
    pos2: np.ndarray
    mat2: np.ndarray
    reach: float


# ------------------------------------------------------------------------------- MuJoCo


class _PreContact(ctypes.Structure):
    _fields_ = [
        ("dist", ctypes.c_double),
        ("pos", ctypes.c_double * 3),
        ("normal", ctypes.c_double * 3),
        ("tangent", ctypes.c_double * 3),
    ]


_FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int,
    ctypes.c_double,
)  # fmt: skip


def _library():
    """MuJoCo, as the Python package has loaded it."""
    package = Path(mujoco.__file__).parent
    paths = [p for pattern in ("libmujoco.*", "mujoco.dll") for p in package.glob(pattern)]
    return ctypes.CDLL(str(paths[0]))


def functions():
    """Addresses of MuJoCo's functions by pair of geom types; None where there is none."""
    n = mujoco.mjtGeom.mjNGEOMTYPES.value
    table = (ctypes.c_void_p * (n * n)).in_dll(_library(), "mjCOLLISIONFUNC")
    return {(a, b): table[n * i + j] for i, a in enumerate(KINDS) for j, b in enumerate(KINDS)}


class Reference:
    """MuJoCo's function for a pair of geom types."""

    def __init__(self, kind1, kind2):
        bodies = "".join(
            f'<body><freejoint/><geom type="{k}" size="1 1 1" mass="1"/></body>'
            if k != "plane"
            else '<geom type="plane" size="1 1 1"/>'
            for k in (kind1, kind2)
        )
        self.m = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
        self.d = mujoco.MjData(self.m)
        self.function = _FUNCTION(functions()[kind1, kind2])
        self.found = (_PreContact * SLOTS)()

    def __call__(self, case):
        self.m.geom_size[:] = case.size1, case.size2
        self.d.geom_xpos[:] = case.pos1, case.pos2
        self.d.geom_xmat[:] = case.mat1.ravel(), case.mat2.ravel()
        n = self.function(
            self.m._address, self.d._address, ctypes.addressof(self.found), 0, 1, case.reach
        )
        return [
            Contact(c.dist, np.array(c.pos), np.array(c.normal), np.array(c.tangent))
            for c in self.found[:n]
        ]


# --------------------------------------------------------------------------------- ours

MODEL = [("geom_size", 2, 3)]
DATA = [
    ("geom_xpos", 2, 3), ("geom_xmat", 2, 9), ("found_dist", SLOTS, 1), ("found_pos", SLOTS, 3),
    ("found_frame", SLOTS, 6), ("clip_vertex", 24, 3), ("clip_kept", 12, 1), ("pair_shapes", 1, 31),
    ("reach", 1, 1), ("on", 1, 1), ("count", 1, 1),
]  # fmt: skip


def _runner(function):
    @kernel(fused=False)  # as the driver calls it
    def run(m, d):
        d.count[0] = 1.0 * function(m, d, 0, 1, d.reach[0], d.on[0] > 0.0)

    return run


KERNELS = {f"{a}_{b}": _runner(function) for (a, b), function in PAIRS.items()}


def _declare():
    from lanewise.lanes.kinds import struct_type

    entries = {}
    for way in ("shared", "per_world"):
        m = struct_type(
            f"PairModel_{way}",
            [(name, "float", False, width, way == "per_world") for name, _, width in MODEL],
            const=True,
        )
        d = struct_type(
            "PairData",
            [(name, "float", False, width, True) for name, _, width in DATA],
            const=False,
        )
        entries |= {f"{name}_{way}": (run, (m, d)) for name, run in KERNELS.items()}
    return entries


ENTRIES = Entries("test_pairs", _declare)


def _memory(*shape):
    """Numbers that are not, from a 64-byte boundary on."""
    n = int(np.prod(shape))
    memory = np.full(n + 8, np.nan)
    start = -memory.ctypes.data // 8 % 8
    return memory[start : start + n].reshape(shape)


class Ours:
    """Our function for a pair of geom types, in eight lanes; by default, compiled if that is on."""

    def __init__(self, kind1, kind2, jit=JIT):
        self.name, self.jit = f"{kind1}_{kind2}", jit
        self.shared = [_memory(rows, width) for _, rows, width in MODEL]
        self.per_world = [_memory(rows, width, W) for _, rows, width in MODEL]
        self.data = {name: _memory(rows, width, W) for name, rows, width in DATA}

    def __call__(self, cases, per_world=None):
        """Contacts of each case; lanes beyond the cases are filled with NaN and switched off.

        Sizes are numbers that the lanes share, or lanes; by default, lanes if the cases differ.
        """
        self.load(cases)
        if per_world is None:
            per_world = any(
                not np.array_equal(case[g], cases[0][g]) for case in cases for g in (0, 3)
            )
        fields = self.per_world if per_world else self.shared
        if self.jit:
            model = np.array([a.ctypes.data for a in fields])
            data = np.array([a.ctypes.data for a in self.data.values()])
            way = "per_world" if per_world else "shared"
            ENTRIES[f"{self.name}_{way}"](model.ctypes.data, data.ctypes.data)
        else:
            m = Struct({f[0]: Field(a, f[2]) for f, a in zip(MODEL, fields, strict=True)})
            d = Struct({name: Field(a, a.shape[1]) for name, a in self.data.items()})
            with np.errstate(all="ignore"):
                KERNELS[self.name](m, d)
        n = int(self.data["count"][0, 0, 0])
        return [self.contacts(lane, n) for lane in range(len(cases))]

    def load(self, cases):
        for array in (*self.data.values(), *self.shared, *self.per_world):
            array[:] = np.nan
        data = self.data
        data["on"][:] = 0.0
        for lane, case in enumerate(cases):
            data["on"][0, 0, lane] = 1.0
            data["reach"][0, 0, lane] = case.reach
            for g in range(2):
                size, pos, mat = case[3 * g : 3 * g + 3]
                data["geom_xpos"][g, :, lane] = pos
                data["geom_xmat"][g, :, lane] = mat.ravel()
                self.shared[0][g] = size
                self.per_world[0][g, :, lane] = size

    def contacts(self, lane, n):
        dist, pos, frame = (
            self.data[f"found_{name}"][:n, :, lane].copy() for name in ("dist", "pos", "frame")
        )
        return [
            Contact(dist[k, 0], pos[k], frame[k, :3], frame[k, 3:])
            for k in range(n)
            if dist[k, 0] != NO_CONTACT
        ]


# ------------------------------------------------------------------------------ comparing

TOLERANCE = 1e-12


def distance(a, b):
    """The largest difference between two lists of contacts; infinite if they are not as many."""
    if len(a) != len(b):
        return np.inf
    gaps = [
        np.abs(np.subtract(x, y)).max() for p, q in zip(a, b, strict=True) for x, y in zip(p, q)
    ]
    return max(gaps, default=0.0)


def neighbours(reference, case, rng, n):
    """MuJoCo's answers to inputs that differ from these by round-off."""

    def rounded(x):
        return x + rng.uniform(-1.0, 1.0, np.shape(x)) * 1e-15 * (1.0 + np.abs(x))

    return [reference(Case(*(rounded(x) for x in case))) for _ in range(n)]


def agrees(reference, case, ours, rng):
    """Is ours MuJoCo's answer, or as good as it: "equal", "conditioned", or "" for no.

    MuJoCo's own answer may hang on the last bit of its inputs: which of two parallel faces is
    taken, the direction between centres that coincide, the nearest points of segments that are
    nearly parallel. Then ours has to lie among MuJoCo's answers to inputs that differ in the last
    bits: as many contacts as one of them, and no farther from it than these are from each other.
    """
    theirs = reference(case)
    if distance(theirs, ours) < TOLERANCE:
        return "equal"
    for n in (24, 400):
        around = [theirs, *neighbours(reference, case, rng, n)]
        alike = [a for a in around if len(a) == len(ours)]
        nearest = min(alike, key=lambda a: distance(a, ours), default=[])
        spread = max((distance(nearest, a) for a in alike), default=0.0)
        if distance(nearest, ours) < TOLERANCE + spread:
            return "conditioned"
    return ""
