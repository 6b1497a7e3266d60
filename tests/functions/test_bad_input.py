"""Wrong input gives a clear error or the right answer, never a crash or silent nonsense."""

import copy

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import parity, zoo

PENDULUM = """
<mujoco>
  <worldbody>
    <body name="bob"><joint name="hinge" axis="0 1 0"/><geom size="0.1" pos="0 0 -0.5"/></body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator>
  <keyframe><key name="up" qpos="3.1"/></keyframe>
</mujoco>
"""


@pytest.fixture
def m():
    return lw.load(PENDULUM)


@pytest.fixture
def crooked():
    return zoo.load("own/crooked")


# ---- states that are not numbers


@pytest.mark.parametrize("autoreset", [True, False])
@pytest.mark.parametrize("field", ["qpos", "qvel", "ctrl", "act", "qfrc_applied", "xfrc_applied"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e11])
def test_bad_number_in_a_state(crooked, field, value, autoreset):
    """The world is treated as MuJoCo treats it, warning included; its neighbours never notice."""
    if not autoreset:
        crooked.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    m = lw.load(crooked)
    rng = np.random.default_rng(1)
    mj_datas = [parity.random_state(crooked, rng, 0.3) for _ in range(3)]
    alone = lw.put_data(m, mj_datas[2])
    np.ravel(getattr(mj_datas[1], field))[-1] = value
    d = lw.put_data(m, mj_datas)
    lw.step(m, d)
    lw.step(m, alone)
    np.testing.assert_array_equal(d.state_lanes[:, 2], alone.state_lanes[:, 0])
    expected = copy.copy(mj_datas[1])
    mujoco.mj_step(crooked, expected)
    numbers = [warning.number for warning in expected.warning]
    np.testing.assert_array_equal(d.warning.number[1], numbers)
    if value == 1e11 and not autoreset:
        return  # what comes of it are huge numbers, which say nothing
    for name in ("time", "qpos", "qvel", "act", "ctrl"):
        actual, wanted = np.asarray(getattr(d, name))[1], np.asarray(getattr(expected, name))
        assert np.array_equal(np.isfinite(actual), np.isfinite(wanted)), name
        fine = np.isfinite(wanted)
        np.testing.assert_allclose(actual[fine], wanted[fine], rtol=1e-8, atol=1e-8, err_msg=name)


def test_batch_names_worlds_that_broke(m):
    b = lw.Batch(m, nsim=10)
    b.qpos[7] = np.nan
    b.step()
    mj_batch = __import__("mujoco.batch").batch.Batch(m.mj, 10)
    mj_batch.qpos[7] = np.nan
    mj_batch.step()
    np.testing.assert_array_equal(b.warning, mj_batch.warning)
    np.testing.assert_allclose(b.state, mj_batch.state, atol=1e-12)


# ---- sizes


@pytest.mark.parametrize("lanes", [0, 9, -1, 2.5, "3", None, True])
def test_wrong_number_of_lanes(m, lanes):
    with pytest.raises((ValueError, TypeError), match="lanes"):
        lw.Data(m, lanes=lanes)


@pytest.mark.parametrize("lanes", [1, 8, np.int32(3)])
def test_right_number_of_lanes(m, lanes):
    assert lw.Data(m, lanes=lanes).lanes == lanes


@pytest.mark.parametrize("nsim", [0, -3, 2.5, "4", None])
def test_wrong_number_of_worlds(m, nsim):
    with pytest.raises((ValueError, TypeError), match="nsim"):
        lw.Batch(m, nsim=nsim)


@pytest.mark.parametrize("nthread", [-2, 1.5, "2"])
def test_wrong_number_of_threads(m, nthread):
    with pytest.raises((ValueError, TypeError), match="nthread"):
        lw.Batch(m, nsim=4, nthread=nthread)


def test_more_threads_than_worlds(m):
    b = lw.Batch(m, nsim=3, nthread=50)
    b.step()
    assert np.all(b.time == m.opt.timestep)


@pytest.mark.parametrize("name", ["own/static", "dm_control/composer/arena"])
def test_nothing_moves(name):
    """A model with nv = 0 has kinematics, time and a batch like any other."""
    if name not in zoo.ZOO:
        pytest.skip("dm_control is not installed")
    mj_model = zoo.load(name)
    m = lw.load(mj_model)
    mj_data = mujoco.MjData(mj_model)
    d = lw.put_data(m, [mj_data, mj_data])
    for _ in range(3):
        lw.step(m, d)
        mujoco.mj_step(mj_model, mj_data)
    assert np.all(d.time == mj_data.time)
    np.testing.assert_allclose(d.xpos[1], mj_data.xpos, atol=1e-15)
    b = lw.Batch(m, nsim=11)
    b.step(nstep=3)
    assert np.all(b.time == mj_data.time)


def test_empty_world():
    m = lw.load("<mujoco/>")
    d = lw.Data(m)
    lw.step(m, d)
    assert d.time == m.opt.timestep


def test_five_hundred_bodies():
    """A comb of chains with 500 bodies and every joint kind, one step beside MuJoCo."""
    spec = mujoco.MjSpec()
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    kinds = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_BALL, mujoco.mjtJoint.mjJNT_SLIDE)
    for chain in range(10):
        body = spec.worldbody
        for link in range(50):
            pos = [0.02 * chain, 0.01, 0.1] if link else [chain, 0, 0]
            body = body.add_body(pos=pos, quat=[1, 0.02 * link, 0.1, 0.05])
            body.add_joint(type=kinds[(link + chain) % 3], axis=[0.3, 1, 0.2], damping=[0.1, 0, 0])
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.04, 0.03], pos=[0, 0.01, 0])
    mj_model = spec.compile()
    assert mj_model.nbody == 501
    rng = np.random.default_rng(2)
    states = [parity.random_state(mj_model, rng, 0.1) for _ in range(2)]
    worst = parity.compare_step(mj_model, states, "500 bodies")
    assert not parity.failures({name: worst[name] for name in ("qpos", "qvel")}, 1e-9)


# ---- names, ids, shapes and types


def test_unknown_fields_are_named_with_close_matches(m):
    d = lw.Data(m)
    with pytest.raises(AttributeError, match="qpos"):
        _ = d.qps
    with pytest.raises(AttributeError, match="body_mass"):
        _ = m.body_maas
    with pytest.raises(AttributeError, match="timestep"):
        _ = m.opt.timestp
    b = lw.Batch(m, nsim=2)
    with pytest.raises(AttributeError, match="qpos"):
        _ = b.qps
    with pytest.raises(ValueError, match="xpos"):
        b.bind("xpso")
    with pytest.raises(ValueError, match="body_mass"):
        b.expand("body_maas")
    with pytest.raises(KeyError, match="hinge"):
        b.joint("hnge")
    with pytest.raises(AttributeError):
        _ = lw.kinematcs


@pytest.mark.parametrize("value", [np.zeros(3), "abc", [[1, 2], [3, 4]], None])
def test_wrong_values(m, value):
    d = lw.Data(m)
    b = lw.Batch(m, nsim=4)
    for owner in (d, b):
        before = np.array(owner.ctrl)
        with pytest.raises((ValueError, TypeError)):
            owner.ctrl = value
        np.testing.assert_array_equal(owner.ctrl, before)


def test_other_dtypes_are_converted(m):
    d = lw.Data(m, lanes=2)
    for dtype in (np.float32, np.int64, bool):
        d.qpos = np.ones((2, 1), dtype)
        np.testing.assert_array_equal(d.qpos, np.ones((2, 1)))


def test_computed_fields_cannot_be_written(m):
    b = lw.Batch(m, nsim=2)
    with pytest.raises((ValueError, AttributeError), match="xpos"):
        b.xpos = 1.0
    with pytest.raises(ValueError, match="read-only"):
        b.bind("xpos")[0] = 1.0


@pytest.mark.parametrize(
    "ids", [[9], [-1], [1, 0], [0, 0], [0.5], [True, False], "all", [[0, 1]], np.array([2**40])]
)
def test_bad_ids(m, ids):
    b = lw.Batch(m, nsim=4)
    before = b.state.copy()
    for call in (b.step, b.forward, b.reset):
        with pytest.raises((ValueError, TypeError), match=r"ids|mask"):
            call(ids=ids)
    np.testing.assert_array_equal(b.state, before)


def test_no_ids_at_all(m):
    b = lw.Batch(m, nsim=4)
    b.step(ids=[])
    assert np.all(b.time == 0)


@pytest.mark.parametrize("nstep", [0, -1, 1.5, "2"])
def test_bad_number_of_steps(m, nstep):
    b = lw.Batch(m, nsim=4)
    with pytest.raises((ValueError, TypeError), match="nstep"):
        b.step(nstep=nstep)


@pytest.mark.parametrize("keyframe", [1, -2, "down", 0.5])
def test_bad_keyframes(m, keyframe):
    d = lw.Data(m)
    with pytest.raises((ValueError, TypeError), match="key"):
        lw.reset_data(m, d, keyframe=keyframe)
    b = lw.Batch(m, nsim=2)
    with pytest.raises((ValueError, TypeError), match="key"):
        b.reset(keyframe=keyframe)


# ---- arguments


def test_swapped_or_foreign_arguments(m):
    d = lw.Data(m)
    other = lw.load(PENDULUM)
    with pytest.raises((TypeError, ValueError), match="Model"):
        lw.step(d, m)
    with pytest.raises((TypeError, ValueError), match="Data"):
        lw.step(m, m)
    with pytest.raises(ValueError, match="another Model"):
        lw.step(other, d)
    with pytest.raises(TypeError, match="Model"):
        lw.Data(m.mj)


def test_put_data_of_the_wrong_kind(m, crooked):
    with pytest.raises(TypeError):
        lw.put_data(m, [])
    with pytest.raises(TypeError):
        lw.put_data(m, [mujoco.MjData(m.mj)] * 9)
    with pytest.raises(TypeError):
        lw.put_data(m, lw.Data(m))
    with pytest.raises(ValueError, match="another model"):
        lw.put_data(m, mujoco.MjData(crooked))


@pytest.mark.parametrize("spec", [-1, 1 << 20, "qpso", 1.5])
def test_state_of_unknown_parts(m, spec):
    d = lw.Data(m)
    with pytest.raises((ValueError, TypeError)):
        lw.get_state(m, d, spec)


def test_state_of_wrong_length(m):
    d = lw.Data(m)
    with pytest.raises(ValueError, match=r"shape|size|numbers"):
        lw.set_state(m, d, np.zeros(2), mujoco.mjtState.mjSTATE_QPOS)


# ---- models


def test_models_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        lw.load(tmp_path / "nowhere.xml")
    with pytest.raises(lw.ModelError):
        lw.load("<mujoco><worldbody><body/>")
    with pytest.raises(lw.ModelError, match="mass"):
        lw.load("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")
    (tmp_path / "model.obj").write_text("")
    with pytest.raises(lw.ModelError, match=r"\.obj"):
        lw.load(tmp_path / "model.obj")
    for source in (None, 3, b"<mujoco/>", {"a": 1}):
        with pytest.raises(TypeError, match="load takes"):
            lw.load(source)


def test_refusals_come_all_at_once():
    text = """
    <mujoco>
      <option><flag sleep="enable"/></option>
      <worldbody>
        <body name="ball" pos="0 0 1"><freejoint/><geom name="ball" size="0.1"/></body>
        <flexcomp name="cloth" type="grid" count="3 3 1" spacing="0.1 0.1 0.1" mass="1" dim="2"
          pos="0 0 3"/>
      </worldbody>
    </mujoco>
    """
    with pytest.raises(lw.UnsupportedFeature) as error:
        lw.load(text)
    message = str(error.value)
    for word in ("sleep", "flex"):
        assert word in message


def test_later_edits_of_the_source_change_nothing():
    mj_model = mujoco.MjModel.from_xml_string(PENDULUM)
    m = lw.load(mj_model)
    mass = m.body_mass.copy()
    mj_model.body_mass[:] = 77
    mj_model.opt.timestep = 1.0
    np.testing.assert_array_equal(m.body_mass, mass)
    assert m.opt.timestep == 0.002
