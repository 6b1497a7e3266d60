"""A call that is made once more, as it was, looks at little: what it must look at it still does."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.lanes import JIT

BALLS = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .08"><freejoint/><geom size=".1"/></body>
    <body pos=".15 0 .08"><freejoint/><geom size=".1"/></body>
  </worldbody>
</mujoco>
"""


def worlds(nsim=5, name="cartpole", **options):
    """A Batch whose next step is the last call once more."""
    b = lw.Batch(lw.load(lw.models.path(name)), nsim, **options)
    b.qvel[...] = np.random.default_rng(0).normal(scale=0.1, size=b.qvel.shape)
    for _ in range(3):
        b.step()
    return b


def like(b, **options):
    """Another one in the same states, to which the next step is new."""
    other = lw.Batch(b.model, b.nsim, **options)
    other.state[...] = b.state
    return other


@pytest.mark.parametrize("nsim", [1, 2, 8, 11, 30])
@pytest.mark.parametrize("nthread", [1, 2])
def test_edits_of_the_model_and_of_the_state(nsim, nthread):
    b = worlds(nsim, nthread=nthread)
    b.model.opt.timestep = 0.003
    b.model.body_mass[...] *= 1.5
    b.ctrl[...] = 0.3
    b.qpos[-1] += 0.1
    other = like(b)
    for x in (b, other):
        x.step()
    np.testing.assert_array_equal(b.state, other.state)
    np.testing.assert_array_equal(b.steps_done, 1)


@pytest.mark.parametrize("nsim", [1, 9])
def test_options_without_meaning_and_callbacks_are_refused(nsim):
    b = worlds(nsim)
    before = b.state.copy()
    b.model.mj.opt.integrator = 77
    with pytest.raises(ValueError, match="integrator"):
        b.step()
    b.model.mj.opt.integrator = 0
    mujoco.set_mjcb_control(lambda m, d: None)
    try:
        with pytest.raises(ValueError, match="mjcb_control is installed"):
            b.step()
        np.testing.assert_array_equal(b.steps_done, 0)
    finally:
        mujoco.set_mjcb_control(None)
    np.testing.assert_array_equal(b.state, before)
    b.step()
    np.testing.assert_array_equal(b.steps_done, 1)
    assert (b.time > before[:, 0]).all()


def test_outputs_that_come_and_go():
    b = worlds(3, "humanoid")
    other = like(b, fresh=True)
    b.bind("xpos")
    for x in (b, other):
        x.step()
    other.bind("xpos")  # of the state after the step
    np.testing.assert_array_equal(b.qpos, other.qpos)
    assert np.abs(b.xpos - other.xpos).max() > 0
    held = b.xpos
    b.step()
    b.unbind("xpos")
    last = held.copy()
    b.step()
    np.testing.assert_array_equal(held, last)
    other.step()
    other.step()
    kept = other.xpos.copy()
    other.forward()
    np.testing.assert_array_equal(kept, other.xpos)


@pytest.mark.parametrize("nstep", [1.5, 0, -1, "1", None])
def test_arguments_that_are_no_numbers_of_steps(nstep):
    b = worlds()
    with pytest.raises((TypeError, ValueError), match="nstep"):
        b.step(nstep=nstep)
    b.forward(stage=0)
    with pytest.raises((TypeError, ValueError), match="nstep"):
        b.step(nstep=nstep)


@pytest.mark.parametrize("nsim", [1, 3])
def test_warnings_are_told(nsim):
    b = worlds(nsim)
    b.qvel[-1] = np.nan
    with pytest.warns(RuntimeWarning, match="qvel"):
        b.step()
    assert b.resets[-1] == 1
    b.step()
    assert (b.warning[:-1] == 0).all()


@pytest.mark.skipif(not JIT, reason="of compiled code")
@pytest.mark.parametrize("few", [1, 2, 9])
def test_room_is_made(few):
    mj = mujoco.MjModel.from_xml_string(BALLS)
    mj.geom_contype[:] = mj.geom_conaffinity[:] = 0
    b = lw.Batch(lw.load(mj), few)
    assert b._runner.sizes["nconmax"] == 0
    for _ in range(2):
        b.step()
    b.model.geom_contype[:] = b.model.geom_conaffinity[:] = 1
    lw.set_const(b.model)
    other = like(b, nconmax=10, njmax=40)
    for x in (b, other):
        x.step()
    assert b._runner.sizes["nconmax"] > 0
    np.testing.assert_array_equal(b.qpos, other.qpos)
    np.testing.assert_array_equal(b.steps_done, 1)
