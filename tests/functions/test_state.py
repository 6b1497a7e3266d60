"""State vectors, resets, copies, and the way to MjData and back."""

import copy
import pickle

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.fields import DATA

XML = """
<mujoco>
  <size nuserdata="3"/>
  <worldbody>
    <body name="arm">
      <joint name="hinge" axis="1 2 3" stiffness="3" springyield=".2"/>
      <geom size=".1" contype="0" conaffinity="0"/>
    </body>
    <body pos="0 .1 .3">
      <freejoint/>
      <geom size=".1 .2" type="capsule" contype="0" conaffinity="0"/>
    </body>
    <body name="hand" mocap="true" pos="1 2 3"><geom size=".1" contype="0" conaffinity="0"/></body>
  </worldbody>
  <actuator>
    <general joint="hinge" dyntype="filter" dynprm=".1"/>
    <motor joint="hinge" delay=".01" nsample="8"/>
  </actuator>
  <keyframe>
    <key name="one" qpos="1 2 3 4 1 0 0 0" ctrl=".5 .25" act=".125" time="3"/>
    <key name="two" qvel="1 2 3 4 5 6 7" mpos="3 2 1"/>
  </keyframe>
</mujoco>
"""


@pytest.fixture(scope="module")
def mj():
    return mujoco.MjModel.from_xml_string(XML)


def moved(mj, seed=0):
    data = mujoco.MjData(mj)
    rng = np.random.default_rng(seed)
    data.qvel[:] = rng.normal(size=mj.nv)
    data.ctrl[:] = rng.normal(size=mj.nu)
    data.userdata[:] = rng.normal(size=3)
    data.xfrc_applied[:] = rng.normal(size=(mj.nbody, 6))
    mujoco.mj_step(mj, data, 3)
    return data


SPECS = [1 << k for k in range(15)] + [
    int(getattr(mujoco.mjtState, f"mjSTATE_{name}"))
    for name in ("PHYSICS", "FULLPHYSICS", "USER", "INTEGRATION")
]


@pytest.mark.parametrize("spec", SPECS)
def test_state_vector(mj, spec):
    m, data = lw.load(mj), moved(mj)
    d = lw.put_data(m, data)
    expected = np.empty(mujoco.mj_stateSize(mj, spec))
    mujoco.mj_getState(mj, data, expected, spec)
    assert lw.state_size(m, spec) == expected.size
    assert np.array_equal(lw.get_state(m, d, spec), expected)

    other = lw.Data(m)
    before = lw.get_state(m, other)
    lw.set_state(m, other, expected, spec)
    assert np.array_equal(lw.get_state(m, other, spec), expected)
    untouched = ((1 << 15) - 1) & ~spec
    lw.set_state(m, other, before, (1 << 15) - 1)
    assert np.array_equal(lw.get_state(m, other, untouched), lw.get_state(m, lw.Data(m), untouched))


def test_copied_state_steps_to_the_same_bits(mj):
    m = lw.load(mj)
    source = lw.put_data(m, moved(mj))
    target = lw.Data(m)
    lw.copy_state(m, source, target)
    for d in (source, target):
        lw.step(m, d, nstep=5)
    assert np.array_equal(lw.get_state(m, source), lw.get_state(m, target))


@pytest.mark.parametrize("keyframe", [None, 0, 1, "one", "two"])
def test_reset(mj, keyframe):
    m = lw.load(mj)
    d = lw.put_data(m, moved(mj))
    lw.reset_data(m, d, keyframe)
    expected = mujoco.MjData(mj)
    if keyframe is not None:
        key = mj.key(keyframe).id
        mujoco.mj_resetDataKeyframe(mj, expected, key)
    fresh = lw.put_data(m, expected)
    assert np.array_equal(lw.get_state(m, d), lw.get_state(m, fresh))
    assert not d.xpos.any() and not d.qacc.any()


def test_reset_follows_edits_of_the_model(mj):
    m = lw.load(mj)
    m.qpos0[0] = 0.75
    m.body_pos[m.mj.body("hand").id] = (7, 8, 9)
    d = lw.Data(m)
    assert d.qpos[0] == 0.75 and d.mocap_pos.tolist() == [[7, 8, 9]]


def test_there_and_back(mj):
    m = lw.load(mj)
    worlds = [moved(mj, seed) for seed in range(3)]
    d = lw.put_data(m, worlds)
    for lane, world in enumerate(worlds):
        back = lw.get_data(m, d, lane)
        for f in DATA:
            if not f.own and not f.capacity:  # constraints: see test_constraint_rows.py
                assert np.array_equal(getattr(back, f.name), getattr(world, f.name)), f.name


def test_views_are_live(mj):
    m = lw.load(mj)
    d = lw.Data(m, lanes=5)
    assert d.xpos.shape == (5, m.nbody, 3) and d.time.shape == (5,)
    qpos = d.qpos
    d.qvel[3] = 1.0
    lw.step(m, d)
    assert np.shares_memory(qpos, d.qpos) and qpos[3, 0] != qpos[2, 0]
    d.time = 2.0
    assert d.time.tolist() == [2.0] * 5


def test_one_world_has_mujocos_shapes(mj):
    d, data = lw.Data(lw.load(mj)), mujoco.MjData(mj)
    for f in DATA:
        if not f.own and not f.capacity:
            assert np.shape(getattr(d, f.name)) == np.shape(getattr(data, f.name)), f.name


def test_the_source_of_a_model_stays_apart(mj):
    m = lw.load(mj)
    mass = m.body_mass.copy()
    mj.body_mass[1] *= 2
    assert np.array_equal(m.body_mass, mass)
    mj.body_mass[1] /= 2


def test_model_edits_act_at_once(mj):
    m = lw.load(mj)
    d = lw.Data(m)
    lw.forward(m, d)
    before = d.qacc.copy()
    m.opt.gravity[:] = 0
    m.mj.opt.timestep = 0.25
    lw.forward(m, d)
    assert m.opt.timestep == 0.25 and not np.allclose(d.qacc, before)
    lw.step(m, d)
    assert d.time == 0.25


def test_copies(mj):
    m = lw.load(mj)
    for twin in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert twin is not m and np.array_equal(twin.body_mass, m.body_mass)
        twin.body_mass[1] = 99.0
        assert m.body_mass[1] != 99.0
    d = lw.put_data(m, moved(mj))
    twin = copy.copy(d)
    lw.step(m, d)
    assert twin.time != d.time


def test_names_that_are_not_there(mj):
    d = lw.Data(lw.load(mj))
    with pytest.raises(AttributeError, match="did you mean 'qpos'"):
        _ = d.qpso
    with pytest.raises(AttributeError, match="not computed yet"):
        _ = d.tree_asleep
