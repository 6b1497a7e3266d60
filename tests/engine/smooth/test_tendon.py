"""Tendon paths, Jacobians, velocities and armature against MuJoCo, stage by stage.

Eight different states lie in the lanes, so that a geom is wrapped in some and not in others, and
the packed paths of the lanes are out of step. Outputs are poisoned first.
"""

import copy
import ctypes
from pathlib import Path

import mujoco
import numpy as np
import pytest

import lanewise as lw
from bench.muscles import skeleton
from lanewise.engine.smooth.wrap import wrap
from lanewise.lanes import Vec
from support import parity
from support.places import MODELS as FOLDER
from support.states import random_quat, random_state

TENDONS = sorted(path.stem for path in FOLDER.glob("tendon*.xml"))
MODELS = [*TENDONS, "actuation_tendon", "passive_yield"]
PATH_FIELDS = ("wrap_obj", "wrap_xpos")


def load(name):
    mj = mujoco.MjModel.from_xml_path(str(FOLDER / f"{name}.xml"))
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return lw.load(mj)


def worlds(mj, seed, n=8):
    """n MjDatas in different states, complete."""
    rng = np.random.default_rng(seed)
    datas = [random_state(mj, rng, rng.choice([0.1, 0.5, 1.0, 2.0])) for _ in range(n)]
    for data in datas:
        mujoco.mj_forward(mj, data)
    return datas


def assert_field(d, datas, name):
    for lane, data in enumerate(datas):
        expected = np.asarray(getattr(data, name), float)
        actual = d.arrays[name][..., lane].reshape(expected.shape)
        if name in PATH_FIELDS:  # only the points of paths are defined
            n = (data.ten_wrapadr[-1] + data.ten_wrapnum[-1]) * (3 if name == "wrap_xpos" else 1)
            actual, expected = actual.ravel()[:n], expected.ravel()[:n]
        error = parity.residual(actual, expected, np.ones(expected.shape, bool))
        assert error <= parity.TOLERANCE, f"{name} in lane {lane}: {error:.2g}"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", MODELS)
def test_paths_and_jacobians(name, seed):
    m = load(name)
    datas = worlds(m.mj, seed)
    d = lw.put_data(m, datas)
    names = ("ten_length", "ten_J", "ten_wrapadr", "ten_wrapnum", *PATH_FIELDS)
    for field in (*names, "ten_velocity"):
        d.arrays[field][...] = np.nan
    lw.tendon(m, d)
    lw.tendon_velocity(m, d)
    for field in (*names, "ten_velocity"):
        assert_field(d, datas, field)


def test_lanes_are_out_of_step():
    """The states of these tests wrap different geoms in different lanes."""
    m = load("tendon_wrap")
    counts = np.array([data.ten_wrapnum for data in worlds(m.mj, 0)])
    assert (counts.min(0) != counts.max(0)).sum() >= 5
    assert len(np.unique([data.ten_wrapadr[-1] for data in worlds(m.mj, 0)])) >= 4


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["tendon_armature", "tendons", "integrate_tendons"])
def test_armature(name, seed):
    """M and the bias force, from what they are without armature."""
    m = load(name)
    datas = worlds(m.mj, seed)
    d = lw.put_data(m, datas)
    bias, changed = np.zeros(m.nv), []
    for lane, data in enumerate(datas):
        bare = copy.copy(data)
        mujoco.mj_crb(m.mj, bare)
        mujoco.mj_rne(m.mj, bare, 0, bias)
        changed.append(not np.allclose(bare.M, data.M) and not np.allclose(bias, data.qfrc_bias))
        d.arrays["M"][:, lane], d.arrays["qfrc_bias"][:, lane] = bare.M, bias
    assert any(changed)
    lw.tendon_armature(m, d)
    lw.tendon_bias(m, d)
    assert_field(d, datas, "M")
    assert_field(d, datas, "qfrc_bias")


# ---- arms


@pytest.fixture(scope="module")
def limb():
    """Muscles over a few joints of a body with many, with wraps and side sites."""
    mj = skeleton(muscles=64)
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return lw.load(mj)


def test_arms_are_what_is_not_zero(limb):
    """All of ten_J that is more than round-off, and little besides."""
    datas = worlds(limb.mj, 3)
    used = np.zeros(limb.mj.nJten, bool)
    used[limb.arm_place] = True
    ten_J = np.abs([data.ten_J for data in datas])
    assert ten_J[:, ~used].max() < 1e-14
    assert (ten_J[:, used].max(axis=0) > 1e-6).mean() > 0.9
    assert used.mean() < 0.3
    np.testing.assert_array_equal(limb.arm_colind, limb.mj.ten_J_colind[limb.arm_place])


def test_muscles_of_a_skeleton(limb):
    """Rows, paths and moments with MuJoCo's zeros, in which lanes differ; then a step."""
    datas = worlds(limb.mj, 4)
    assert len({tuple(data.ten_wrapnum) for data in datas}) > 1
    d = lw.put_data(limb, datas)
    names = ("ten_J", "ten_length", "actuator_moment", "moment_colind", "moment_rownnz", "qacc")
    for name in (*names, "ten_arm", "trn_J", *PATH_FIELDS):
        d.arrays[name][...] = np.nan
    lw.forward(limb, d)
    for name in (*names, *PATH_FIELDS):
        assert_field(d, datas, name)


def test_readers_change_no_bit(limb):
    """What is made for readers only, ten_J, moments and paths, is not what forces go by."""
    read, plain = lw.Batch(limb, 9), lw.Batch(limb, 9)
    for batch in (read, plain):
        batch.qpos[:, 7:] += 0.1 * np.random.default_rng(0).standard_normal((9, limb.nq - 7))
        batch.ctrl[:] = 0.5
    for name in ("ten_J", "wrap_xpos", "actuator_moment"):
        getattr(read, name)  # from here on somebody reads them
    for batch in (read, plain):
        batch.step(nstep=3)
    assert np.abs(read.ten_J).max() > 0.0
    np.testing.assert_array_equal(read.state, plain.state)


# ---- wrapping alone


def mju_wrap():
    """MuJoCo's own function, which the library exports but the bindings do not have."""
    library = next(Path(mujoco.__file__).parent.glob("libmujoco.so*"), None)
    function = getattr(ctypes.CDLL(str(library)), "mju_wrap", None) if library else None
    if function is None:
        pytest.skip("this build of MuJoCo does not export mju_wrap")
    numbers = np.ctypeslib.ndpointer(np.float64, flags="C")
    pointer = ctypes.c_void_p
    function.restype = ctypes.c_double
    function.argtypes = [numbers] * 5 + [ctypes.c_double, ctypes.c_int, pointer]
    return function


@pytest.mark.parametrize("side", ["no side", "outside", "inside"])
@pytest.mark.parametrize("is_sphere", [True, False])
@pytest.mark.parametrize("closeness", [1.0, 1e-3, 1e-6])
def test_wrap(is_sphere, side, closeness):
    """Random strings; with small closeness the ends are almost opposite or almost touch."""
    oracle = mju_wrap()
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(60):
        radius = rng.uniform(0.1, 0.9)
        center, x0 = rng.normal(0, 0.1, (8, 3)), rng.normal(size=(8, 3))
        x1 = rng.normal(size=(8, 3))
        if closeness < 1.0:
            noise = rng.normal(0, closeness, (8, 3))
            towards = (x0 - center) / np.linalg.norm(x0 - center, axis=1, keepdims=True)
            scale = radius if rng.random() < 0.5 and side == "no side" else 1.5
            x1 = center - towards * scale + noise
        R = np.zeros((8, 9))
        for lane in range(8):
            mujoco.mju_quat2Mat(R[lane], random_quat(rng, odd=False))
        s = rng.normal(size=(8, 3))
        s *= radius / np.linalg.norm(s, axis=1, keepdims=True)
        s = center + s * (rng.uniform(1.1, 2) if side == "outside" else rng.uniform(0, 0.95))
        with np.errstate(all="ignore"):
            p0, p1, p, mat, p_side = (Vec(a.T.copy()) for a in (x0, x1, center, R, s))
            wraps, arc, w0, w1 = wrap(p0, p1, p, mat, radius, is_sphere, p_side, side != "no side")
        for lane in range(8):
            points = np.zeros(6)
            at_side = None if side == "no side" else s[lane].ctypes.data
            where = (x0[lane], x1[lane], center[lane], R[lane], radius, 4 if is_sphere else 5)
            length = oracle(points, *where, at_side)
            assert (length >= 0) == wraps[lane]
            seen.add(length >= 0)
            if length >= 0:
                mine = [x[lane] for x in (*w0.items, *w1.items)]
                # almost opposite ends: the plane, and which way is shorter, are almost undefined
                tolerance = 1e-10 / closeness
                assert abs(arc[lane] - length) <= tolerance
                np.testing.assert_allclose(mine, points, rtol=0, atol=tolerance)
    assert True in seen or (side == "inside" and closeness < 1.0)


ON_ONE_BODY = """
<mujoco>
  <worldbody>
    <body><joint type="ball"/><geom size=".1" contype="0" conaffinity="0"/>
      <site name="a" pos=".31 .17 -.23"/><site name="b" pos="-.13 .29 .37"/>
      <site name="c" pos=".03 -.41 .11"/>
      <geom name="g" size=".05" pos=".1 .23 .07" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <tendon>
    <spatial range="0 .1" limited="true"><site site="a"/><site site="b"/></spatial>
    <spatial range="0 .1" limited="true"><site site="a"/><geom geom="g"/><site site="b"/>
      <site site="c"/></spatial>
  </tendon>
</mujoco>
"""


def test_a_path_on_one_body_moves_nothing():
    """Exactly nothing: with round-off for a Jacobian, its limit would be a constraint that acts."""
    mj = mujoco.MjModel.from_xml_string(ON_ONE_BODY)
    m, datas = lw.load(mj), worlds(mj, 5)
    d = lw.put_data(m, datas)
    d.arrays["ten_J"][...] = np.nan
    lw.forward(m, d)
    assert not d.arrays["ten_J"].any()
    assert [data.nefc for data in datas] == d.nefc.tolist() == [0] * 8
