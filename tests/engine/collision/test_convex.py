"""Convex collision against MuJoCo's function: the same contacts, in number, order and place.

Both get the same two geoms, with poses written straight into the data. The method follows MuJoCo's
iterates, so on the machines where MuJoCo is compiled without fused multiplications the results are
equal to the last bit. Where a rounding differs, faces that are exactly parallel may be met at other
points of equal right: a few such cases are allowed, if the depth is the same.
"""

import ctypes
from pathlib import Path

import mujoco
import numpy as np
import pytest

from lanewise.data import Data
from lanewise.engine.collision.constants import NO_CONTACT
from lanewise.engine.collision.convex import convex
from lanewise.engine.collision.pairs import PAIRS as TABLE
from lanewise.fields import DATA, MODEL
from lanewise.lanes import JIT, Entries, W, kernel
from lanewise.loaders.loading import from_mjmodel

PAIRS = [types for types, pair in TABLE.items() if pair.function == "convex"]
FLAT_PAIRS = [types for types in PAIRS if TABLE[types].most > 1]


# ------------------------------------------------------------------------------- MuJoCo


class _PreContact(ctypes.Structure):
    _fields_ = [
        ("dist", ctypes.c_double),
        ("pos", ctypes.c_double * 3),
        ("normal", ctypes.c_double * 3),
        ("tangent", ctypes.c_double * 3),
    ]


(_LIBRARY,) = Path(mujoco.__file__).parent.glob("libmujoco.so.*")
_CONVEX = ctypes.CDLL(str(_LIBRARY)).mjc_Convex
_CONVEX.restype = ctypes.c_int
_CONVEX.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 2 + [ctypes.c_double]
_FOUND = (_PreContact * 50)()


def reference(mj_model, mj_data, reach):
    """MuJoCo's contacts of geoms 0 and 1: rows of distance, position and normal."""
    n = _CONVEX(mj_model._address, mj_data._address, ctypes.addressof(_FOUND), 0, 1, reach)
    return np.array([[c.dist, *c.pos, *c.normal] for c in _FOUND[:n]]).reshape(n, 7)


# --------------------------------------------------------------------------------- ours

_MODEL = [
    f for f in MODEL
    if f.name in ("geom_type", "geom_dataid", "geom_size", "ngeom")
    or f.name.startswith(("mesh_", "hull_"))
    or f.name in ("opt.ccd_tolerance", "opt.ccd_iterations", "opt.disableflags")
]  # fmt: skip
_DATA = [
    f for f in DATA
    if f.name in ("geom_xpos", "geom_xmat", "ncon_most")
    or f.name.startswith(("ccd_", "gjk_", "found_", "apart_", "pair_"))
]  # fmt: skip
_LAST = 49  # row of found_frame that holds the arguments: reach, and whether the lane is on


@kernel
def _run(m, d):
    arguments = d.found_frame[_LAST]
    d.ncon_most = convex(m, d, 0, 1, arguments[0], arguments[1] > 0.0)


def _declare():
    from lanewise.lanes.kinds import struct_type

    entries = {}
    for way in ("shared", "per_world"):
        model = [(f.name, f.dtype, f.no_dims, f.width, way == "per_world") for f in _MODEL]
        data = [
            (f.name, f.dtype if f.by_gang else "float", f.no_dims, f.width, True) for f in _DATA
        ]
        m = struct_type(f"ConvexModel_{way}", model, const=True)
        entries[way] = (_run, (m, struct_type("ConvexData", data, const=False)))
    return entries


ENTRIES = Entries("test_convex", _declare)


class Ours:
    """Our contacts of geoms 0 and 1, in eight lanes; sizes: each lane's own, if they have any."""

    def __init__(self, mj_model, sizes=None, jit=JIT):
        self.model, self.jit = from_mjmodel(mj_model.__copy__()), jit
        self.data = Data(self.model, W)
        self.way = "shared" if sizes is None else "per_world"
        arrays = {f.name: self.model.arrays[f.name] for f in _MODEL}
        if sizes is not None:
            for f in _MODEL:
                if f.dtype == "float":
                    lanes = np.repeat(np.asarray(arrays[f.name])[..., None], W, axis=-1)
                    arrays[f.name] = _aligned(lanes)
            arrays["geom_size"][:] = np.moveaxis(sizes, 0, -1)
        self.keep = arrays
        self.model_table = np.array([arrays[f.name].ctypes.data for f in _MODEL], np.int64)
        self.data_table = np.array([self.data.arrays[f.name].ctypes.data for f in _DATA], np.int64)

    def place(self, lane, mj_data):
        self.data.arrays["geom_xpos"][..., lane] = mj_data.geom_xpos
        self.data.arrays["geom_xmat"][..., lane] = mj_data.geom_xmat

    def __call__(self, reach, on=True):
        """Rows of distance, position and normal, for every lane."""
        arrays = self.data.arrays
        for name in ("found_dist", "found_pos", "found_frame"):
            arrays[name][:] = np.nan
        arrays["found_frame"][_LAST, 0] = reach
        arrays["found_frame"][_LAST, 1] = on
        if self.jit:
            ENTRIES[self.way](self.model_table.ctypes.data, self.data_table.ctypes.data)
        else:
            with np.errstate(all="ignore"):
                _run(self.model.struct, self.data.struct)
        dist = arrays["found_dist"].reshape(-1, W)
        n = int(arrays["ncon_most"])
        found = []
        for lane in range(W):
            k = [k for k in range(n) if dist[k, lane] != NO_CONTACT]
            rows = (
                dist[k, lane],
                arrays["found_pos"][k, :, lane],
                arrays["found_frame"][k, :3, lane],
            )
            found.append(np.c_[rows].reshape(len(k), 7))
        return found


def _aligned(array):
    memory = np.empty(array.size + 8)
    start = -memory.ctypes.data // 8 % 8
    out = memory[start : start + array.size].reshape(array.shape)
    out[:] = array
    return out


# ------------------------------------------------------------------------- geoms and poses


def _mesh(rng):
    kind = rng.integers(7)
    if kind == 0:  # a box
        corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
        return corners * rng.uniform(0.05, 0.15, 3)
    if kind in (1, 2):  # a truncated cone or a prism, of few or many sides
        angle = np.linspace(0, 2 * np.pi, rng.integers(3, 9) if kind == 1 else 40, endpoint=False)
        ring = 0.1 * np.c_[np.cos(angle), np.sin(angle)]
        return np.r_[np.c_[ring, 0 * angle - 0.06], np.c_[(2.8 - kind) * ring, 0 * angle + 0.09]]
    if kind == 3:  # thin
        return rng.uniform(-1, 1, (12, 3)) * [0.15, 0.15, 0.003]
    if kind == 4:  # with vertices inside of its faces and edges
        line = np.linspace(-1, 1, 4)
        return np.array(np.meshgrid(line, line, line)).reshape(3, -1).T * rng.uniform(0.05, 0.15, 3)
    points = rng.normal(size=(rng.integers(4, 9) if kind == 5 else rng.integers(20, 90), 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True) * rng.uniform(0.07, 0.16, 3)


def two_geoms(kinds, rng, option=""):
    """A model with two free geoms of these kinds."""
    assets, bodies = "", ""
    for name, kind in zip("ab", kinds, strict=True):
        shape = f'type="{kind}" size="{" ".join(f"{x:.4f}" for x in rng.uniform(0.04, 0.17, 3))}"'
        if kind == "mesh":
            vertex = " ".join(f"{x:.6g}" for x in _mesh(rng).ravel())
            assets += f'<mesh name="{name}" vertex="{vertex}"/>'
            shape = f'type="mesh" mesh="{name}"'
        bodies += f"<body><freejoint/><geom {shape}/></body>"
    mj_model = mujoco.MjModel.from_xml_string(
        f"<mujoco>{option}<asset>{assets}</asset><worldbody>{bodies}</worldbody></mujoco>"
    )
    mj_data = mujoco.MjData(mj_model)
    mujoco.mj_kinematics(mj_model, mj_data)
    return mj_model, mj_data


def _rotation(rng):
    kind, q = rng.random(), rng.normal(size=4)
    if kind > 0.75:  # about one axis, and maybe a little off it
        q[1:] *= np.eye(3)[rng.integers(3)]
        q += 10.0 ** rng.uniform(-12, -2) * rng.normal(size=4) * (rng.random() < 0.4)
    elif kind > 0.5:  # axes along axes, or halfway between them
        q = rng.integers(-1, 2, 4) + [1e-30, 0, 0, 0]
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, q / np.linalg.norm(q))
    return matrix


def bring_together(mj_model, mj_data, rng):
    """Poses in which the geoms overlap by some depth, or just do not; faces are often parallel."""
    mj_data.geom_xmat[:] = _rotation(rng), _rotation(rng)
    if rng.random() < 0.3:
        mj_data.geom_xmat[1] = mj_data.geom_xmat[0]
    axis = np.eye(3)[rng.integers(3)] if rng.random() < 0.4 else rng.normal(size=3)
    if rng.random() < 0.4:
        axis = mj_data.geom_xmat[0].reshape(3, 3) @ axis
    mj_data.geom_xpos[0] = rng.normal(size=3) * rng.choice([0.0, 1.0])
    mj_data.geom_xpos[1] = mj_data.geom_xpos[0] + axis / np.linalg.norm(axis)
    line = np.zeros(6)
    distance = mujoco.mj_geomDistance(mj_model, mj_data, 0, 1, 10.0, line)
    depth = rng.choice([rng.uniform(-0.02, 0.0), 1e-7, rng.uniform(0, 0.01), rng.uniform(0, 0.1)])
    mj_data.geom_xpos[1] += (line[:3] - line[3:]) * (1.0 + depth / max(distance, 1e-9))


class Comparison:
    """Counts the cases in which contacts are not the same; the deepest one always has to be."""

    def __init__(self):
        self.cases = self.others = 0
        self.most = 0

    def add(self, expected, found, size=0.1):
        self.cases += 1
        self.most = max(self.most, len(expected))
        if expected.shape == found.shape and np.allclose(expected, found, rtol=0, atol=1e-9 * size):
            return
        self.others += 1
        assert (len(expected) > 0) == (len(found) > 0)
        assert expected[:, 0].min() == pytest.approx(found[:, 0].min(), abs=1e-5 * size)

    def finish(self):
        assert self.others <= 0.01 * self.cases, f"{self.others} of {self.cases} are different"


def compare(kinds, seed, models, rounds, option="", reaches=(0.0, 0.0, 0.02, -0.002)):
    rng, comparison = np.random.default_rng(seed), Comparison()
    for _ in range(models if JIT else 1):
        mj_model, mj_data = two_geoms(kinds, rng, option)
        ours = Ours(mj_model)
        for _ in range(rounds if JIT else 1):
            expected, reach = [], rng.choice(reaches)
            for lane in range(W):
                bring_together(mj_model, mj_data, rng)
                expected.append(reference(mj_model, mj_data, reach))
                ours.place(lane, mj_data)
            for rows, found in zip(expected, ours(reach), strict=True):
                comparison.add(rows, found)
    comparison.finish()
    return comparison


# --------------------------------------------------------------------------------- tests


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_pair(kinds):
    comparison = compare(kinds, seed=1, models=10, rounds=6)
    if JIT:
        assert comparison.most == TABLE[kinds].most


@pytest.mark.parametrize("iterations", [1, 3, 10, 50, 200])
def test_iterations_and_tolerance(iterations):
    for exponent in (-3, -8, -12):
        option = f'<option ccd_iterations="{iterations}" ccd_tolerance="1e{exponent}"/>'
        for kinds in (("ellipsoid", "cylinder"), ("cylinder", "mesh")):
            compare(kinds, seed=iterations - exponent, models=2, rounds=2, option=option)


def test_one_contact_without_multiccd():
    option = '<option><flag multiccd="disable"/></option>'
    for kinds in FLAT_PAIRS:
        assert compare(kinds, seed=3, models=2, rounds=2, option=option).most == 1


def test_compiled_and_plain_python_agree():
    rng = np.random.default_rng(4)
    for kinds in (("ellipsoid", "box"), ("cylinder", "mesh"), ("capsule", "mesh")):
        mj_model, mj_data = two_geoms(kinds, rng)
        ours, plain = Ours(mj_model), Ours(mj_model, jit=False)
        for lane in range(W):
            bring_together(mj_model, mj_data, rng)
            ours.place(lane, mj_data)
            plain.place(lane, mj_data)
        for x, y in zip(ours(0.01), plain(0.01), strict=True):
            np.testing.assert_array_equal(x, y)


@pytest.mark.skipif(not JIT, reason="worlds with models of their own are a compiled variant")
def test_sizes_that_differ_between_worlds():
    rng = np.random.default_rng(5)
    for kinds in (("ellipsoid", "cylinder"), ("capsule", "ellipsoid"), ("cylinder", "box")):
        mj_model, mj_data = two_geoms(kinds, rng)
        sizes = rng.uniform(0.05, 0.15, (W, 2, 3))
        ours, expected = Ours(mj_model, sizes), []
        for lane in range(W):
            mj_model.geom_size[:] = sizes[lane]
            bring_together(mj_model, mj_data, rng)
            expected.append(reference(mj_model, mj_data, 0.01))
            ours.place(lane, mj_data)
        for rows, found in zip(expected, ours(0.01), strict=True):
            np.testing.assert_allclose(found, rows, rtol=0, atol=1e-10)


def test_lanes_that_are_off():
    """They are not looked at, and have no contacts."""
    rng = np.random.default_rng(6)
    mj_model, mj_data = two_geoms(("box", "mesh"), rng)
    ours, on, expected = Ours(mj_model), np.arange(W) % 3 == 1, []
    for lane in range(W):
        bring_together(mj_model, mj_data, rng)
        mj_data.geom_xpos[1] = mj_data.geom_xpos[0] + 0.01
        expected.append(reference(mj_model, mj_data, 0.0))
        if not on[lane]:
            mj_data.geom_xpos[:] = np.nan
        ours.place(lane, mj_data)
    for lane, found in enumerate(ours(0.0, on)):
        assert len(found) == (len(expected[lane]) if on[lane] else 0)


@pytest.mark.skipif(not JIT, reason="many poses")
@pytest.mark.parametrize("kinds", [("capsule", "mesh"), ("cylinder", "box"), ("mesh", "mesh")])
def test_few_worlds_and_many(kinds):
    """A world has the same bits with its neighbours, side by side, and without, one by one."""
    rng = np.random.default_rng(8)
    for _ in range(5):
        mj_model, mj_data = two_geoms(kinds, rng)
        ours = Ours(mj_model)
        for lane in range(W):
            bring_together(mj_model, mj_data, rng)
            ours.place(lane, mj_data)
        together = ours(0.01)
        for lane in range(W):
            alone = Ours(mj_model)
            for name in ("geom_xpos", "geom_xmat"):
                alone.data.arrays[name][:] = ours.data.arrays[name]
            np.testing.assert_array_equal(alone(0.01, np.arange(W) == lane)[lane], together[lane])


@pytest.mark.skipif(not JIT, reason="many poses")
@pytest.mark.parametrize("kinds", [("sphere", "mesh"), ("cylinder", "box"), ("mesh", "mesh")])
def test_what_is_remembered_changes_no_contact(kinds):
    """Directions in which geoms were apart, of these worlds, of others, or no directions at all."""
    rng = np.random.default_rng(9)
    kept = 0
    for _ in range(10):
        mj_model, mj_data = two_geoms(kinds, rng)
        ours = Ours(mj_model)
        for lane in range(W):
            bring_together(mj_model, mj_data, rng)
            ours.place(lane, mj_data)
        arrays, first = ours.data.arrays, ours(0.01)
        apart = np.array([len(rows) == 0 for rows in first])
        used = arrays["apart_pair"].reshape(-1) != 0
        assert used.any() == apart.any()
        kept += used.any()
        arrays["apart_pair"][:] = 2  # 1 + geom 0 * ngeom + geom 1
        some = rng.normal(size=arrays["apart_axis"].shape)
        some /= np.linalg.norm(some, axis=1, keepdims=True)
        for axes in (None, some, np.nan, 0.0):
            if axes is not None:
                arrays["apart_axis"][:] = axes
            for x, y in zip(ours(0.01), first, strict=True):
                np.testing.assert_array_equal(x, y)
    assert kept > 2


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_degenerate_poses_and_sizes(kinds):
    """Coincident centres, sizes and positions far from 1, and numbers that are not: it ends."""
    rng = np.random.default_rng(7)
    for scale in (1e-6, 1.0, 1e6) if JIT else (1.0,):
        mj_model, mj_data = two_geoms(kinds, rng)
        mj_model.geom_size *= scale * 10.0 ** rng.uniform(-3, 0, mj_model.geom_size.shape)
        ours, expected = Ours(mj_model), []
        for lane in range(W):
            mj_data.geom_xmat[:] = _rotation(rng), _rotation(rng)
            mj_data.geom_xpos[:] = 0.0
            mj_data.geom_xpos[1] = rng.normal(size=3) * scale * rng.choice([0.0, 1e-9, 0.1])
            expected.append(reference(mj_model, mj_data, 0.0))
            ours.place(lane, mj_data)
        for rows, found in zip(expected, ours(0.0), strict=True):
            assert np.isfinite(found).all()
            if len(rows) == len(found):
                np.testing.assert_allclose(found[:, 0], rows[:, 0], rtol=0, atol=1e-5 * scale)
    ours.data.arrays["geom_xpos"][1, rng.integers(3)] = np.nan
    ours(0.0)
    ours.data.arrays["geom_xmat"][0] = np.nan
    ours(0.0)
