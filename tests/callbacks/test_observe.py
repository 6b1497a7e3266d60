"""The kernel `observe` and its outputs, beside what MuJoCo's data have after a step."""

import copy
import pickle

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.callbacks import rne_post_constraint, world
from lanewise.lanes import any_lane

HOPPER = """
<mujoco>
  <option timestep=".004" integrator="{integrator}"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 .35">
      <freejoint/>
      <geom type="capsule" size=".06" fromto="0 0 0 .2 .1 .1"/>
      <body pos=".1 0 -.1">
        <joint name="knee" axis="0 1 0" damping=".3"/>
        <geom type="capsule" size=".05" fromto="0 0 0 .1 .05 -.2"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="knee" gear="5"/></actuator>
</mujoco>
"""


@lw.kernel
def seen(m, d, p):
    rne_post_constraint(m, d)
    for b in range(m.nbody):
        for k in range(6):
            p.force[b, k] = d.cfrc_ext[b, k]
        for k in range(3):
            p.place[b, k] = d.xpos[b, k]
    for i in range(m.nv):
        p.speed[i] = d.qvel[i]
    p.calls[0] = p.calls[0] + 1.0
    p.which = world(d)


DECLARED = {
    "outputs": {"force": (3, 6), "place": (3, 3), "speed": 7, "which": ()},
    "state": {"calls": 1},
}


def scattered(integrator, nsim=11):
    m = lw.load(HOPPER.format(integrator=integrator), observe=seen, **DECLARED)
    b = lw.Batch(m, nsim=nsim)
    rng = np.random.default_rng(3)
    b.qpos[:, :3] += rng.uniform(-0.1, 0.1, (nsim, 3))
    b.qvel[:] = rng.normal(0, 0.5, (nsim, m.nv))
    b.ctrl[:] = rng.uniform(-1, 1, (nsim, 1))
    return m, b


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicitfast"])
def test_it_sees_what_mujoco_has_after_a_step(integrator):
    m, b = scattered(integrator)
    starts = b.state.copy()
    b.bind("observed")  # the first read of a field computes it anew
    b.step(nstep=60)
    data = mujoco.MjData(m.mj)
    touched = 0
    for i in range(b.nsim):
        mujoco.mj_resetData(m.mj, data)
        data.qpos, data.qvel = starts[i, 1:9], starts[i, 9:16]
        data.ctrl = b.ctrl[i]
        mujoco.mj_step(m.mj, data, 60)
        mujoco.mj_rnePostConstraint(m.mj, data)
        np.testing.assert_allclose(b.user("place")[i], data.xpos, rtol=0, atol=1e-10)
        np.testing.assert_allclose(b.user("speed")[i], data.qvel, rtol=0, atol=1e-9)
        np.testing.assert_allclose(b.user("force")[i], data.cfrc_ext, rtol=1e-8, atol=1e-7)
        touched += data.ncon > 0
    assert touched > 5
    assert (b.user("calls") == 1).all()
    assert (b.user("which") == np.arange(b.nsim)).all()


def test_a_rollout_calls_it_in_every_step():
    _, b = scattered("RK4")
    other = copy.copy(b)
    made = b.rollout(7, record=["speed", "qvel", "force", "calls", "observed"])
    assert np.array_equal(made["speed"], made["qvel"])
    assert np.array_equal(made["calls"][..., 0], np.tile(np.arange(1.0, 8.0), (b.nsim, 1)))
    assert np.array_equal(made["observed"][:, :, :18], made["force"].reshape(b.nsim, 7, 18))
    other.bind("observed")
    for k in range(7):
        other.step()
        assert np.array_equal(other.user("force"), made["force"][:, k])


def test_outputs_are_of_the_worlds_of_a_call():
    _, b = scattered("Euler")
    b.step()
    before = b.user("speed").copy()
    b.step(ids=[2, 5])
    changed = (b.user("speed") != before).any(axis=1)
    assert changed.nonzero()[0].tolist() == [2, 5]
    b.reset(ids=[5])
    assert (b.user("speed")[5] == 0).all() and (b.user("calls")[5] == 1).all()


@lw.kernel
def sometimes(m, d, p):
    if any_lane(d.qpos[0] > 0.0):
        p.far = d.qpos[0]


def test_what_a_kernel_does_not_write_is_zero():
    m = lw.load(HOPPER.format(integrator="Euler"), observe=sometimes, outputs={"far": (), "un": 2})
    b = lw.Batch(m, nsim=24, nthread=1)
    b.qpos[8:, 0] = -1.0  # other gangs than the first, which leaves its numbers behind
    b.qpos[:8, 0] = 1.0
    b.bind("observed")
    b.step()
    assert (b.user("far")[:8] > 0.9).all() and (b.user("far")[8:] == 0.0).all()
    assert (b.user("un") == 0.0).all()


def test_a_look_leaves_no_trace():
    _, b = scattered("Euler")
    assert (b.user("speed") == b.qvel).all()  # nothing was called before
    assert (b.user("calls") == 0).all()
    b.step(control=lambda b: None)
    assert (b.user("calls") == 1).all() and (b.user("speed") == b.qvel).all()


def test_a_world_alone_is_asked():
    m, b = scattered("RK4", 8)
    d = lw.Data(m)
    lw.set_state(m, d, b.state[3], mujoco.mjtState.mjSTATE_INTEGRATION)
    lw.step(m, d, 40)
    lw.observe(m, d)
    b.bind("observed")
    b.step(nstep=40)
    assert np.array_equal(d.user("force"), b.user("force")[3])
    assert np.array_equal(d.observed[:-1], b.observed[3, :-1])


def test_copies_and_pickles_have_it():
    m, b = scattered("Euler")
    b.user("speed")
    for other in (copy.deepcopy(b), pickle.loads(pickle.dumps(b))):
        b_state = b.state.copy()
        other.step(nstep=3)
        b.step(nstep=3)
        assert np.array_equal(b.observed, other.observed)
        b.state[:] = b_state
    assert pickle.loads(pickle.dumps(m)).user.declared.outputs == m.user.declared.outputs


def test_forces_of_the_step_are_not_computed_twice():
    m, _ = scattered("Euler")
    assert "cfrc_ext" not in m.user.read and "want_forces" in m.user.wants


def test_mistakes_are_named():
    text = HOPPER.format(integrator="Euler")
    with pytest.raises(ValueError, match="give observe= too"):
        lw.load(text, control=lw.kernel(lambda m, d: None), outputs={"cost": 1})
    with pytest.raises(ValueError, match="has the name of another field of p"):
        lw.load(text, observe=seen, **DECLARED | {"state": {"calls": 1, "speed": 2}})
    _, b = scattered("Euler", 2)
    with pytest.raises(ValueError, match="no state or output 'spead'.*speed"):
        b.user("spead")
    with pytest.raises(ValueError, match="without user code"):
        lw.Batch(lw.load(text), 1).user("speed")
    with pytest.raises(ValueError, match="read-only"):
        b.user("speed")[:] = 0
