"""A plain Python function between the halves of a step, as mj_step1, control, mj_step2."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.batch import SimulationError
from support.user_kernels import arm, kernels, reference, start

CODE = ("passive", "act_gain", "act_bias", "act_dyn", "sensor")
NSIM = 9


def of_mujoco(m, d):
    mujoco.mj_step1(m, d)
    d.ctrl[0] = d.sensordata[0] + 0.1 * d.sensordata[3] - d.xpos[2, 0]
    d.ctrl[2] = d.qpos[1] * d.time
    mujoco.mj_step2(m, d)


def controller(b):
    b.ctrl[:, 0] = b.sensordata[:, 0] + 0.1 * b.sensordata[:, 3] - b.xpos[:, 2, 0]
    b.ctrl[:, 2] = b.qpos[:, 1] * b.time


def moving(xml, nsim=NSIM, **options):
    m = lw.load(xml, **kernels(*CODE))
    b = lw.Batch(m, nsim, **options)
    for w in range(nsim):
        b.qpos[w], b.qvel[w], b.act[w] = start(m.nq, m.nv, m.na, w)
    return b


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast", "discrete"])
def test_halves_of_a_step(integrator):
    """Sensors of accelerations are those of the step before, as in MuJoCo."""
    xml = arm(integrator)
    b = moving(xml, nthread=2)
    sensordata, qacc = b.bind("sensordata"), b.bind("qacc")
    b._runner.outputs.rows["sensordata"][:] = 0.0  # as after mj_resetData
    b.step(nstep=6, control=controller)
    for w in (0, 3, 8):
        expected = reference(xml, CODE, 6, w, of_mujoco)
        for name in ("qpos", "qvel", "act", "ctrl", "time"):
            wanted = getattr(expected, name)
            np.testing.assert_allclose(getattr(b, name)[w], wanted, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(sensordata[w], expected.sensordata, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(qacc[w], expected.qacc, rtol=1e-9, atol=1e-8)


def test_same_bits_as_the_halves_of_a_data():
    """Whatever the function writes: positions that are written count from the next step on."""

    def push(b):
        b.qpos[:, 0] += 0.01
        b.qfrc_applied[:, 1] = b.qvel[:, 0]

    b = moving(arm(), nsim=1)
    m = lw.load(arm(), **kernels(*CODE))
    d = lw.Data(m)
    d.qpos, d.qvel, d.act = start(m.nq, m.nv, m.na, 0)
    b.step(nstep=4, control=push)
    for _ in range(4):
        lw.step1(m, d)
        d.qpos[0] += 0.01
        d.qfrc_applied[1] = d.qvel[0]
        lw.step2(m, d)
    assert np.array_equal(b.state[0], lw.get_state(m, d))


def test_with_a_kernel_and_ids():
    m = lw.load(arm(), **kernels("control"))
    b = lw.Batch(m, 3)
    seen = []
    b.step(ids=[0, 2], nstep=2, control=lambda b: seen.append(b.userdata[:, 0].copy()))
    assert np.array_equal(seen, [[1, 0, 1], [2, 0, 2]])
    assert np.array_equal(b.time, np.array([2, 0, 2]) * m.opt.timestep)
    assert np.array_equal(b.userdata[:, 0], [2, 0, 2])
    assert np.array_equal(b.steps_done, [2, 0, 2])


def test_an_interrupt_comes_between_halves():
    b = moving(arm(), nsim=3)
    calls = []

    def interrupted(b):
        calls.append(b.time[0])
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        b.step(nstep=5, control=interrupted)
    assert np.array_equal(b.steps_done, [2, 2, 2])
    np.testing.assert_allclose(b.time, 2 * 0.004)


def test_fresh_and_stage():
    b = moving(arm(), nsim=2, fresh=True)
    xpos = b.xpos
    b.step(control=controller)
    again = lw.Data(b.model)
    lw.set_state(b.model, again, b.state[1])
    lw.kinematics(b.model, again)
    assert np.array_equal(xpos[1], again.xpos)


def test_bad_state_is_reset_once():
    b = moving(arm(), nsim=2)
    b.qpos[1, 0] = np.nan
    with pytest.warns(RuntimeWarning, match="BADQPOS"):
        b.step(control=controller)
    assert b.warning[1, mujoco.mjtWarning.mjWARN_BADQPOS, 1] == 1
    assert b.warning[0, :, 1].sum() == 0
    assert np.isfinite(b.qpos).all()


def test_mistakes():
    b = moving(arm(), nsim=2)
    before = b.state.copy()
    with pytest.raises(TypeError, match=r"batch\.ctrl\[:\] = "):
        b.step(control=lambda b: b.qpos[:, :3])
    assert np.array_equal(b.qpos, before[:, 1:10])
    with pytest.raises(TypeError, match="function of the Batch, got list"):
        b.step(control=[1.0])
    with pytest.raises(TypeError, match=r"lanewise\.load\(control=\)"):
        b.step(control=kernels("control")["control"])
    with pytest.raises(ZeroDivisionError):
        b.step(control=lambda b: 1 / 0)
    b.step(control=controller)
    with pytest.raises(ValueError, match="RK4 has no halves"):
        moving(arm("RK4"), nsim=1).step(control=controller)
    b.expand("opt.integrator")[1] = mujoco.mjtIntegrator.mjINT_RK4
    with pytest.raises(ValueError, match="RK4 has no halves"):
        b.step(control=controller)
    with pytest.raises(TypeError, match=r"Batch\.step\(control=function\)"):
        lw.load(arm(), control=controller)


def test_worlds_that_cannot_be_run():
    b = moving(arm(), nsim=3)
    b.expand("opt.solver")[1] = 17
    time = b.time.copy()
    with pytest.raises(SimulationError) as failure:
        b.step(nstep=3, control=controller)
    assert failure.value.ids.tolist() == [1]
    np.testing.assert_allclose(b.time - time, np.array([3, 0, 3]) * 0.004)
