"""Meshes on planes, and height fields, against MuJoCo's narrow phase: count, order and numbers.

Eight poses at a time go through our functions in the lanes of one call. Poses are what meshes and
terrain meet: falling at any angle, lying on a face exactly or nearly, a corner down, within reach,
deep inside, off the edge of the field. The functions run as plain Python here; compiled, as part of
the engine, at the end.
"""

import ctypes
from pathlib import Path

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.engine.collision import hfield
from lanewise.engine.collision.constants import NO_CONTACT
from lanewise.engine.collision.hfield import hfield_pair
from lanewise.engine.collision.mesh import plane_mesh
from lanewise.lanes import W

_FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int,
    ctypes.c_double,
)  # fmt: skip


def mujocos(mj_model: mujoco.MjModel, mj_data: mujoco.MjData, reach: float) -> np.ndarray:
    """Contacts of geoms 0 and 1 by MuJoCo's function for their types: dist, pos, frame."""
    (path,) = Path(mujoco.__file__).parent.glob("libmujoco.so.*")
    kinds = mujoco.mjtGeom.mjNGEOMTYPES.value
    table = (ctypes.c_void_p * kinds**2).in_dll(ctypes.CDLL(str(path)), "mjCOLLISIONFUNC")
    function = _FUNCTION(table[mj_model.geom_type[0] * kinds + mj_model.geom_type[1]])
    found = np.zeros((50, 10))
    n = function(mj_model._address, mj_data._address, found.ctypes.data, 0, 1, reach)
    return found[:n]


def ours(function, mj_model: mujoco.MjModel, poses: list, reach: float) -> list:
    """The same in each lane."""
    m = lw.load(mj_model)
    d = lw.Data(m, lanes=W)
    for name in ("found_dist", "found_pos", "found_frame"):
        d.arrays[name][:] = np.nan
    for lane, (xpos, xmat) in enumerate(poses):
        d.arrays["geom_xpos"][..., lane] = xpos
        d.arrays["geom_xmat"][..., lane] = xmat
    with np.errstate(all="ignore"):
        n = function(m.struct, d.struct, 0, 1, reach, np.arange(W) < len(poses))
    dist, pos, frame = (d.arrays[f"found_{name}"][:n] for name in ("dist", "pos", "frame"))
    rows = np.concatenate([dist[:, None], pos, frame], axis=1)
    return [rows[dist[:, lane] != NO_CONTACT, :, lane] for lane in range(len(poses))]


def compare(function, mj_model, poses, reach, tolerance) -> list:
    """Equal contacts in all lanes; how many each lane has."""
    mj_data = mujoco.MjData(mj_model)
    found = ours(function, mj_model, poses, reach)
    for lane, (actual, (xpos, xmat)) in enumerate(zip(found, poses, strict=True)):
        mj_data.geom_xpos[:], mj_data.geom_xmat[:] = xpos, xmat
        expected = mujocos(mj_model, mj_data, reach)
        assert len(actual) == len(expected), f"lane {lane}: number of contacts"
        np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance, err_msg=f"{lane}")
    return [len(x) for x in found]


# -------------------------------------------------------------------------------- a mesh on a plane


def ring(n: int, z: float, radius=(1.0, 1.0)) -> np.ndarray:
    angle = 2 * np.pi * np.arange(n) / n
    return np.c_[radius[0] * np.cos(angle), radius[1] * np.sin(angle), np.full(n, z)]


def ball(n: int, seed: int) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(n, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True) * [0.3, 0.2, 0.5]


MESHES = {
    "tetrahedron": np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0.02], [0.1, 0.1, 0.3]]),
    "box": np.array(np.meshgrid([-0.3, 0.3], [-0.2, 0.2], [-0.1, 0.1])).reshape(3, -1).T,
    "triangular": np.concatenate([ring(3, 0), ring(3, 0.4)]),
    "pentagonal": np.concatenate([ring(5, 0), ring(5, 0.4, (0.7, 0.7))]),
    "octagonal": np.concatenate([ring(8, 0, (1, 0.4)), ring(8, 0.4)]),
    "round": np.concatenate([ring(23, 0, (0.9, 0.6)), ring(23, 0.3)]),
    "few": ball(8, 0),
    "stone": ball(40, 1),
    "pebble": ball(400, 2),
}


def mesh_model(name: str, plane: str = "") -> mujoco.MjModel:
    vertex = " ".join(map(repr, MESHES[name].ravel().tolist()))
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="x" vertex="{vertex}"/></asset><worldbody>'
        f'<geom type="plane" size="1 1 1" {plane}/>'
        '<body><freejoint/><geom type="mesh" mesh="x"/></body></worldbody></mujoco>'
    )


def turned_down(direction: np.ndarray, down: np.ndarray) -> np.ndarray:
    """A rotation that takes a direction of the mesh to the way down."""
    axis, angle = np.cross(direction, down), np.arccos(np.clip(direction @ down, -1, 1))
    quat, matrix = np.zeros(4), np.zeros(9)
    length = np.linalg.norm(axis)
    axis = axis / length if length > 1e-9 else np.array([1.0, 0, 0])
    mujoco.mju_axisAngle2Quat(quat, axis, angle)
    mujoco.mju_quat2Mat(matrix, quat)
    return matrix.reshape(3, 3)


def mesh_poses(mj_model: mujoco.MjModel, rng: np.random.Generator) -> list:
    """Any way up; on a face; nearly on a face; upright. The lowest vertex near the plane."""
    mj_data = mujoco.MjData(mj_model)
    mujoco.mj_kinematics(mj_model, mj_data)
    normal = mj_data.geom_xmat[0].reshape(3, 3)[:, 2]
    poses = []
    for lane in range(W):
        face = mj_model.mesh_polynormal[rng.integers(mj_model.nmeshpoly)]
        R = turned_down(face, -normal)
        if lane in (0, 1, 2):
            R = turned_down(rng.normal(size=3), -normal) if lane else np.eye(3)
            R = np.linalg.qr(rng.normal(size=(3, 3)))[0] if lane == 2 else R
            R = R * np.sign(np.linalg.det(R)) if lane == 2 else R
        elif lane in (3, 4):
            tilt = np.zeros(9)
            quat = np.r_[1, rng.normal(size=3) * 10.0 ** rng.uniform(-8, -2)]
            mujoco.mju_quat2Mat(tilt, quat / np.linalg.norm(quat))
            R = tilt.reshape(3, 3) @ R
        height = (mj_model.mesh_vert @ R.T) @ normal
        gap = rng.choice([0.0, -1e-3, -0.05, 0.01, 0.2, -2.0])
        pos = mj_data.geom_xpos[0] + normal * (gap - height.min()) + np.cross(normal, [0.1, 0.2, 0])
        xpos, xmat = [mj_data.geom_xpos[0], pos], [mj_data.geom_xmat[0], R.ravel()]
        poses.append((np.array(xpos), np.array(xmat)))
    return poses


@pytest.mark.parametrize("plane", ["", 'pos=".1 .2 -.3" euler="20 -30 50"'], ids=["flat", "tilted"])
@pytest.mark.parametrize("name", MESHES)
def test_plane_mesh(name, plane):
    mj_model = mesh_model(name, plane)
    rng = np.random.default_rng([len(name), len(plane)])
    counts = []
    for reach in (0.0, 0.0, 0.02, 0.02, 0.3):
        counts += compare(plane_mesh, mj_model, mesh_poses(mj_model, rng), reach, 1e-13)
    assert set(counts) >= {0, 1}
    assert 2 < max(counts) <= 4


@pytest.mark.parametrize("name", ["pebble", "round", "stone"])
def test_what_is_known_of_directions_changes_nothing(name):
    """Cells of directions are a shorter way to what a climb finds, also near ties."""
    mj_model = mesh_model(name)
    m, climbing, rng = lw.load(mj_model), lw.load(mj_model), np.random.default_rng(3)
    assert m.mesh_cells.max() > 1
    climbing.arrays["mesh_cells"][:] = 0
    known, found = lw.Data(m, lanes=W), lw.Data(climbing, lanes=W)
    for _ in range(40):
        poses = mesh_poses(mj_model, rng)
        for model, d in ((m, known), (climbing, found)):
            for lane, (xpos, xmat) in enumerate(poses):
                d.arrays["geom_xpos"][..., lane], d.arrays["geom_xmat"][..., lane] = xpos, xmat
            lw.collision(model, d)
        assert np.array_equal(known.ncon, found.ncon)
        for part in ("contact.dist", "contact.pos"):
            assert np.array_equal(known.arrays[part], found.arrays[part])
    assert known.maxuse_con.max() > 2


def test_edited_vertices_of_a_mesh():
    """Kernels have copies of the vertices, which follow an edit; also one of a part."""
    mj_model = mesh_model("pebble")
    m = lw.load(mj_model)
    for array in (m.mesh_vert, mj_model.mesh_vert):
        array[:, 2] *= 1.5
        array[:7] += 0.01
    rows = m.hull_row.transpose(0, 2, 1)
    assert np.array_equal(rows, mj_model.mesh_vert[m.hull_vertex])
    assert not m.mesh_cells.any()
    with pytest.raises(ValueError, match="mesh_vert must have finite numbers"):
        m.mesh_vert[0] = np.nan
    assert np.array_equal(m.mesh_vert, mj_model.mesh_vert)
    rng = np.random.default_rng(4)
    datas = [mujoco.MjData(mj_model) for _ in range(W)]
    for mj_data in datas:
        mj_data.qpos[2:] = [rng.uniform(0.0, 0.4), *rng.normal(size=4)]
    engine(mj_model, datas, 1e-12, m)


def test_resting_on_a_wide_face():
    """Four corners that hold the mesh, not four neighbours."""
    mj_model = mesh_model("round")
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, mj_model.geom_quat[1])
    pos = np.array([0, 0, -(mj_model.mesh_vert @ matrix.reshape(3, 3).T)[:, 2].min()])
    pose = (np.array([np.zeros(3), pos]), np.array([np.eye(3).ravel(), matrix]))
    (contacts,) = ours(plane_mesh, mj_model, [pose], 1e-6)
    assert len(contacts) == 4
    x, y = contacts[:, 1], contacts[:, 2]
    area = 0.5 * abs((x[0] - x[2]) * (y[1] - y[3]) - (y[0] - y[2]) * (x[1] - x[3]))
    assert area > 0.9 * 2 * 0.9 * 0.6  # of the largest quadrilateral in an ellipse


# ------------------------------------------------------------------------------------ height fields

SHAPES = {
    "sphere": 'type="sphere" size=".15"',
    "capsule": 'type="capsule" size=".08 .2"',
    "ellipsoid": 'type="ellipsoid" size=".2 .1 .15"',
    "cylinder": 'type="cylinder" size=".12 .15"',
    "box": 'type="box" size=".2 .1 .15"',
    "small mesh": 'type="mesh" mesh="gem"',
    "mesh": 'type="mesh" mesh="stone"',
}
TERRAIN = {
    "rough": (7, 9, np.random.default_rng(3).random(63)),
    "flat": (5, 6, np.full(30, 0.5)),
    "ramp": (4, 4, np.linspace(0, 1, 4).repeat(4)),
    "two by two": (2, 2, np.array([0.0, 1, 0.3, 0.2])),
}


def hfield_model(shape: str, terrain: str, size: str = "1 1.2 .4 .3") -> mujoco.MjModel:
    nrow, ncol, data = TERRAIN[terrain]
    stone = " ".join(map(repr, (0.5 * MESHES["stone"]).ravel().tolist()))
    gem = " ".join(map(repr, (0.6 * MESHES["tetrahedron"]).ravel().tolist()))
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><hfield name="x" nrow="{nrow}" ncol="{ncol}" size="{size}"'
        f' elevation="{" ".join(map(repr, data.tolist()))}"/><mesh name="gem" vertex="{gem}"/>'
        f'<mesh name="stone" vertex="{stone}"/></asset><worldbody>'
        '<geom type="hfield" hfield="x" pos=".1 -.2 .3" euler="10 -20 30"/>'
        f"<body><freejoint/><geom {SHAPES[shape]}/></body></worldbody></mujoco>"
    )


def hfield_poses(mj_model: mujoco.MjModel, rng: np.random.Generator) -> list:
    """Over the field, in it, beside it and below it."""
    mj_data = mujoco.MjData(mj_model)
    poses = []
    for lane in range(W):
        mj_data.qpos[:3] = [*rng.uniform(-1.2, 1.2, 2), rng.uniform(0, 0.4)]
        if lane == 7:
            mj_data.qpos[:3] = rng.uniform(-2, 2, 3)
        quat = rng.normal(size=4) if lane > 2 else np.array([1.0, 0, 0, 0])
        mj_data.qpos[3:] = quat / np.linalg.norm(quat)
        mujoco.mj_kinematics(mj_model, mj_data)
        if lane in (0, 1):  # aligned with the field
            mj_data.geom_xmat[1] = mj_data.geom_xmat[0]
        R = mj_data.geom_xmat[0].reshape(3, 3)
        mj_data.geom_xpos[1] = mj_data.geom_xpos[0] + R @ mj_data.qpos[:3]
        poses.append((mj_data.geom_xpos.copy(), mj_data.geom_xmat.copy()))
    return poses


@pytest.mark.parametrize("terrain", TERRAIN)
@pytest.mark.parametrize("shape", SHAPES)
def test_hfield(shape, terrain):
    mj_model = hfield_model(shape, terrain)
    rng = np.random.default_rng([len(shape), len(terrain)])
    counts = []
    for reach in (0.0, 0.03):
        counts += compare(hfield_pair, mj_model, hfield_poses(mj_model, rng), reach, 1e-9)
    assert max(counts) > 0


def counted(name: str, monkeypatch, lanes: list):
    """hfield_pair as plain Python, noting in how many lanes a kernel of its file is called."""
    plain = getattr(hfield, name)

    def count(*arguments):
        lanes.append(np.sum(arguments[-1]))
        return plain(*arguments)

    def function(*arguments):
        with monkeypatch.context() as patch:
            patch.setattr(hfield, name, count)
            return hfield_pair(*arguments)

    return function


def bumpy_model(shape: str) -> mujoco.MjModel:
    x, y = np.meshgrid(np.arange(30), np.arange(30))
    TERRAIN["bumpy"] = (30, 30, (0.5 + 0.2 * np.sin(0.9 * x) * np.cos(1.1 * y)).ravel())
    return hfield_model(shape, "bumpy")


def shallow(pose) -> bool:
    """Whether the geom is above the field, near the surface."""
    (p_WF, p_WG), (R_WF, _) = pose
    x, y, z = R_WF.reshape(3, 3).T @ (p_WG - p_WF)
    return abs(x) < 0.9 and abs(y) < 1.1 and 0.3 < z < 0.45


@pytest.mark.parametrize(
    ("shape", "most"), [("sphere", 1.05), ("capsule", 1.1), ("cylinder", 1.2), ("mesh", 1.4)]
)
def test_few_prisms_are_met_that_do_not_touch(shape, most, monkeypatch):
    """Sifting leaves few prisms besides those that touch."""
    mj_model, met = bumpy_model(shape), []
    poses = [
        pose
        for seed in range(9)
        for pose in hfield_poses(mj_model, np.random.default_rng(seed))
        if shallow(pose)
    ]
    function = counted("meet", monkeypatch, met)
    contacts = sum(compare(function, mj_model, poses[:W], 0.0, 1e-9))
    assert contacts > 20
    assert sum(met) <= most * contacts


def test_more_prisms_may_touch_than_are_listed_at_once(monkeypatch):
    """Of a flat ellipsoid on a fine grid only the prisms in the middle touch."""
    TERRAIN["fine"] = (20, 20, np.full(400, 0.5))
    mj_model, met = hfield_model("ellipsoid", "fine"), []
    mj_model.geom_size[1] = [0.8, 0.7, 0.1]
    mj_data = mujoco.MjData(mj_model)
    mujoco.mj_setConst(mj_model, mj_data)
    mujoco.mj_kinematics(mj_model, mj_data)
    mj_data.geom_xmat[1] = mj_data.geom_xmat[0]
    R = mj_data.geom_xmat[0].reshape(3, 3)
    poses = []
    for height in (0.0995, 0.099, 0.11):
        mj_data.geom_xpos[1] = mj_data.geom_xpos[0] + R @ [0, 0, height]
        poses.append((mj_data.geom_xpos.copy(), mj_data.geom_xmat.copy()))
    counts = compare(counted("meet", monkeypatch, met), mj_model, poses, 0.0, 1e-9)
    assert 0 < counts[0] < counts[1] < 50 and counts[2] == 0
    assert sum(met) > 6 * hfield.LISTED
    assert sum(met) > 7 * len(met)  # three worlds share eight lanes


@pytest.mark.parametrize("shape", ["ellipsoid", "cylinder"])
def test_prisms_in_lanes_of_other_worlds(shape):
    """Worlds with lists of many lengths, and with tolerances of their own, are as if alone."""
    m = lw.load(hfield_model(shape, "rough"))
    rng, tolerances = np.random.default_rng(5), (1e-6, 1e-6, 1e-3, 1e-2)
    poses = np.c_[
        rng.uniform(-0.8, 0.8, (16, 2)), rng.uniform(0.3, 0.8, 16), rng.normal(size=(16, 4))
    ]
    together, own = lw.Batch(m, nsim=16), lw.Batch(m, nsim=16)
    own.expand("opt.ccd_tolerance")[:] = np.resize(tolerances, 16)
    for batch in (together, own):
        batch.qpos[:] = poses
        batch.step()
    counts = set()
    for k, pose in enumerate(poses):
        d = lw.Data(m)
        for batch, tolerance in ((together, 1e-6), (own, tolerances[k % 4])):
            m.opt.ccd_tolerance = tolerance
            lw.reset_data(m, d)
            d.qpos[:] = pose
            lw.step(m, d)
            assert np.array_equal(batch.qvel[k], d.qvel)
            counts.add(int(d.ncon))
        m.opt.ccd_tolerance = 1e-6
    assert len(counts) > 3
    assert not np.array_equal(together.qvel, own.qvel)


def test_at_most_fifty_contacts():
    """A large box on a fine grid touches hundreds of prisms."""
    TERRAIN["fine"] = (30, 30, np.full(900, 0.5))
    mj_model = hfield_model("box", "fine")
    mj_model.geom_size[1] = [0.8, 0.8, 0.1]
    mj_data = mujoco.MjData(mj_model)
    mujoco.mj_setConst(mj_model, mj_data)
    mujoco.mj_kinematics(mj_model, mj_data)
    mj_data.geom_xmat[1] = mj_data.geom_xmat[0]
    R = mj_data.geom_xmat[0].reshape(3, 3)
    mj_data.geom_xpos[1] = mj_data.geom_xpos[0] + R @ [0, 0, 0.08]
    pose = (mj_data.geom_xpos.copy(), mj_data.geom_xmat.copy())
    assert compare(hfield_pair, mj_model, [pose], 0.0, 1e-9) == [50]


# -------------------------------------------------------------------------- compiled, in the engine


@pytest.mark.parametrize("shape", SHAPES)
def test_hfield_in_the_engine(shape):
    mj_model = hfield_model(shape, "rough")
    rng = np.random.default_rng(9)
    datas = [mujoco.MjData(mj_model) for _ in range(W)]
    for mj_data in datas:
        mj_data.qpos[:] = [*rng.uniform(-0.9, 0.9, 2), rng.uniform(0.3, 0.7), *rng.normal(size=4)]
    engine(mj_model, datas, 1e-9)


@pytest.mark.parametrize("name", MESHES)
def test_plane_mesh_in_the_engine(name):
    mj_model = mesh_model(name)
    rng = np.random.default_rng(10)
    datas = [mujoco.MjData(mj_model) for _ in range(W)]
    for mj_data in datas:
        mj_data.qpos[2:] = [rng.uniform(0.0, 0.4), *rng.normal(size=4)]
    engine(mj_model, datas, 1e-12)


def engine(mj_model, datas, tolerance, m=None):
    """Contacts of eight worlds, from MuJoCo's poses.

    With poses of our own, which are an ulp away, MuJoCo itself would find other contacts where a
    box is deep in a prism: two of its faces are nearly as far from the way out.
    """
    m = m or lw.load(mj_model)
    for mj_data in datas:
        mujoco.mj_fwdPosition(mj_model, mj_data)
    d = lw.put_data(m, datas)
    for name in ("ncon", "contact.dist", "contact.pos", "contact.frame"):
        d.arrays[name][:] = 0.0
    lw.collision(m, d)
    for lane, mj_data in enumerate(datas):
        n = mj_data.ncon
        assert d.ncon[lane] == n
        for name in ("dist", "pos", "frame"):
            actual, expected = getattr(d.contact, name)[lane, :n], getattr(mj_data.contact, name)
            np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance, err_msg=name)
