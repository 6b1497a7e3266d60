"""State vectors of all worlds, with every component of mjtState and every set of them."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support.states import random_state

# history, plastic springs, mocap bodies, userdata, activations, equalities
XML = """
<mujoco>
  <size nuserdata="3"/>
  <worldbody>
    <body name="arm">
      <joint name="hinge" axis="1 2 3" stiffness="3" springyield=".2"/>
      <geom size=".1" pos=".1 .2 .3"/>
      <body pos=".5 0 .2"><joint name="ball" type="ball"/><geom size=".1" pos=".1 .2 .3"/></body>
    </body>
    <body name="box" pos="0 2 .3"><freejoint/><geom size=".1 .2" type="capsule"/></body>
    <body name="hand" mocap="true" pos="1 2 3"/>
    <body name="foot" mocap="true" pos="3 2 3"/>
  </worldbody>
  <actuator>
    <general joint="hinge" dyntype="filter" dynprm=".1"/>
    <motor joint="hinge" delay=".01" nsample="8"/>
  </actuator>
  <equality>
    <joint joint1="hinge" polycoef=".1 0 0 0 0"/>
    <weld body1="box" active="false"/>
  </equality>
  <sensor><jointpos joint="hinge" delay=".02" nsample="4"/></sensor>
</mujoco>
"""
NSIM = 11
BITS = [1 << k for k in range(15)]
SETS = ("PHYSICS", "FULLPHYSICS", "USER", "INTEGRATION")
MEMBERS = {name: getattr(mujoco.mjtState, f"mjSTATE_{name}") for name in SETS}
SPECS = [0, *BITS, *MEMBERS.values(), BITS[1] | BITS[6] | BITS[11], BITS[14] | BITS[4]]


@pytest.fixture
def worlds():
    """A Batch, and MjDatas in the same states."""
    mj = mujoco.MjModel.from_xml_string(XML)
    rng = np.random.default_rng(7)
    data = [random_state(mj, rng, 0.3) for _ in range(NSIM)]
    b = lw.Batch(mj, NSIM, 1)
    for d, row in zip(data, b.state, strict=True):
        d.eq_active[:] = rng.integers(0, 2, mj.neq)
        mujoco.mj_getState(mj, d, row, mujoco.mjtState.mjSTATE_INTEGRATION)
    return mj, data, b


def their_state(mj, d, spec):
    out = np.empty(mujoco.mj_stateSize(mj, int(spec)))
    mujoco.mj_getState(mj, d, out, int(spec))
    return out


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_beside_mujoco(worlds, spec):
    mj, data, b = worlds
    assert b.state_size(spec) == mujoco.mj_stateSize(mj, int(spec)) == lw.state_size(b._model, spec)
    assert all(b.state_size(bit) > 0 for bit in BITS if bit != mujoco.mjtState.mjSTATE_PLUGIN)
    ids = [0, 3, 10]
    ours, some = b.get_state(spec), b.get_state(spec, ids)
    assert some.shape == (3, b.state_size(spec))
    np.testing.assert_array_equal(some, ours[ids])
    for d, row in zip(data, ours, strict=True):
        np.testing.assert_array_equal(row, their_state(mj, d, spec))
    # into other worlds: these components and no others
    other, theirs = lw.Batch(mj, NSIM, 1), mujoco.MjData(mj)
    other.set_state(some, spec, ids)
    for w in range(NSIM):
        mujoco.mj_resetData(mj, theirs)
        if w in ids:
            mujoco.mj_setState(mj, theirs, ours[w], int(spec))
        expected = their_state(mj, theirs, mujoco.mjtState.mjSTATE_INTEGRATION)
        np.testing.assert_array_equal(other.state[w], expected)
    # and out of a longer vector
    found = lw.extract_state(b._model, b.get_state(), "integration", spec)
    np.testing.assert_array_equal(found, ours)
    theirs = np.empty(ours.shape[1])
    mujoco.mj_extractState(mj, b.state[4], 32767, theirs, int(spec))
    np.testing.assert_array_equal(found[4], theirs)


def test_names(worlds):
    mj, _, b = worlds
    m = b._model
    for name, member in MEMBERS.items():
        np.testing.assert_array_equal(b.get_state(name.lower()), b.get_state(member))
        assert lw.state_size(m, name.lower()) == mujoco.mj_stateSize(mj, int(member))
    np.testing.assert_array_equal(b.get_state("mocap_quat"), b.mocap_quat.reshape(NSIM, -1))
    both = mujoco.mjtState.mjSTATE_QPOS | mujoco.mjtState.mjSTATE_CTRL
    for spec in (("ctrl", "qpos"), ["qpos", mujoco.mjtState.mjSTATE_CTRL], (2, 64, "qpos")):
        np.testing.assert_array_equal(b.get_state(spec), b.get_state(both))
    d = lw.Data(m, lanes=3)
    lw.set_state(m, d, b.get_state("physics")[:3], "physics")
    np.testing.assert_array_equal(lw.get_state(m, d, ("qpos", "qvel")), b.get_state((2, 4))[:3])
    found = b.rollout(2, np.zeros((1, 1, mj.nu)), "ctrl", record=("ctrl",))
    assert not found["ctrl"].any()


def test_all_by_default(worlds):
    """A vector has the whole world: from there on, both make the same steps."""
    mj, _, b = worlds
    b.eq_active[:] = mj.eq_active0
    other = lw.Batch(mj, NSIM, 2)
    other.set_state(b.get_state())
    np.testing.assert_array_equal(other.state, b.state)
    for x in (b, other):
        x.step(nstep=3)
    np.testing.assert_array_equal(other.state, b.state)
    other.set_state(b.get_state(ids=[4]))  # one world for all
    np.testing.assert_array_equal(other.state, np.tile(b.state[4], (NSIM, 1)))
    state = b.get_state()
    state[:] = 0.0  # a copy
    assert b.qpos.any()


def test_nothing_is_computed(worlds):
    """Outputs, warnings and what is known of stages stay as they are."""
    _, _, b = worlds
    xpos = b.bind("xpos")
    b.forward()
    before, known = xpos.copy(), b._runner.unknown(None, 2)
    b.set_state(b.get_state("qpos") + 0.1, "qpos")
    np.testing.assert_array_equal(xpos, before)
    assert len(known) == len(b._runner.unknown(None, 2)) == 0
    b.forward_skip(2)
    np.testing.assert_array_equal(xpos, before)
    b.forward()
    assert not np.array_equal(xpos, before)


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda b: b.get_state("qps"), ValueError, r"called 'qps' \(did you mean 'qpos'.*sets physics"),
    (lambda b: b.get_state(1 << 15), ValueError, "spec must be bits of mujoco.mjtState, from 0 to"),
    (lambda b: b.get_state(-1), ValueError, "from 0 to 32767, got -1"),
    (lambda b: b.get_state(1.5), TypeError, r"bits of mujoco.mjtState or names .*1.5 \(float"),
    (lambda b: b.get_state(None), TypeError, "got None"),
    (lambda b: b.state_size(["qpos", 2.0]), TypeError, "got 2.0"),
    (lambda b: b.set_state(np.zeros(3), "qpos"), ValueError, r"state takes shape \(11, 12\)"),
    (lambda b: b.set_state("x", "qpos"), TypeError, "state takes numbers"),
    (lambda b: b.get_state("qpos", 3), ValueError, r"ids=\[3\]"),
    (lambda b: b.rollout(1, 0.0, "qpos"), ValueError, r"mjSTATE_USER \(ctrl, .*got qpos"),
    (lambda b: lw.extract_state(b._model, np.zeros(12), "qpos", "qvel"), ValueError, "has no qvel"),
    (lambda b: lw.extract_state(b._model, np.zeros(9), "qpos", "qpos"), ValueError, r"\., 12\)"),
    (lambda b: lw.extract_state(b, np.zeros(9), "qpos", "qpos"), TypeError, "lanewise.Model, got"),
])  # fmt: skip
def test_mistakes(worlds, call, error, words):
    with pytest.raises(error, match=words):
        call(worlds[2])
