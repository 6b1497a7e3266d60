"""What actuators and sensors remember: read and set as MuJoCo does."""

import mujoco
import numpy as np
import pytest

import lanewise as lw

XML = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <body>
      <joint name="hinge"/>
      <geom size=".1" pos=".1 0 0"/>
      <site name="tip"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="late" joint="hinge" nsample="4" interp="linear" delay="0.02"/>
    <motor name="prompt" joint="hinge"/>
  </actuator>
  <sensor>
    <jointpos name="smooth" joint="hinge" nsample="3" interp="cubic" delay="0.015"/>
    <gyro name="slow" site="tip" nsample="5" interval="0.02"/>
    <clock name="clock"/>
    <jointvel joint="hinge" nsample="5" delay=".01" interval="0.022 -0.005"/>
    <jointvel joint="hinge" nsample="3" delay=".01" interval="0.005"/>
  </sensor>
</mujoco>
"""


@pytest.fixture(scope="module")
def m():
    return lw.load(XML)


@pytest.fixture
def theirs(m):
    """After some steps, so that buffers have turned."""
    data, rng = mujoco.MjData(m.mj), np.random.default_rng(0)
    for _ in range(9):
        data.ctrl[:] = rng.normal(size=m.nu)
        mujoco.mj_step(m.mj, data)
    return data


@pytest.mark.parametrize("lanes", [1, 3])
def test_the_past_is_mujocos(m, theirs, lanes):
    d = lw.put_data(m, theirs if lanes == 1 else [theirs] * lanes)
    cases = [(lw.read_ctrl, mujoco.mj_readCtrl, i, 1) for i in range(m.nactuator)]
    cases += [(lw.read_sensor, mujoco.mj_readSensor, i, n) for i, n in enumerate(m.sensor_dim)]
    for ours, reference, i, dim in cases:
        for interp in (-1, 0, 1, 2):
            for time in np.linspace(-0.05, 0.2, 26):
                result = np.zeros(dim)  # MuJoCo's answer lies in it
                expected = reference(m.mj, theirs, i, time, result, interp)
                found = ours(m, d, i, time, interp)
                assert found.shape == ((dim,) if lanes == 1 else (lanes, dim))
                np.testing.assert_allclose(found - expected, 0, atol=1e-12)


def test_worlds_ask_for_different_times(m, theirs):
    d = lw.put_data(m, [theirs, theirs])
    both = lw.read_sensor(m, d, "slow", [0.03, 0.07])
    for world, time in enumerate((0.03, 0.07)):
        assert np.array_equal(both[world], lw.read_sensor(m, d, "slow", time)[world])


@pytest.mark.parametrize("lanes", [1, 3])
def test_the_past_can_be_set(m, theirs, lanes):
    d = lw.put_data(m, theirs if lanes == 1 else [theirs] * lanes)
    rng = np.random.default_rng(1)
    for times in (None, np.array([-3.0, -2, -1, 0.5])):
        values = rng.normal(size=(4, 1))
        mujoco.mj_initCtrlHistory(m.mj, theirs, 0, times, values)
        lw.init_ctrl_history(m, d, "late", times, values)
    for times in (None, np.array([-3.0, -2, -1, 0.5, 0.7])):
        values = rng.normal(size=(5, 3))
        mujoco.mj_initSensorHistory(m.mj, theirs, 1, times, values, 0.3)
        lw.init_sensor_history(m, d, "slow", times, values, 0.3)
    assert (d.history == theirs.history).all()


def test_mistakes_are_explained(m):
    d = lw.Data(m)
    with pytest.raises(ValueError, match="'prompt' has no history: give it nsample"):
        lw.init_ctrl_history(m, d, "prompt", None, [[0]])
    with pytest.raises(ValueError, match=r"values must have shape \(4, 1\)"):
        lw.init_ctrl_history(m, d, "late", None, [1, 2, 3, 4])
    with pytest.raises(ValueError, match="times must increase"):
        lw.init_ctrl_history(m, d, "late", [0, 2, 1, 3], np.zeros((4, 1)))
    with pytest.raises(ValueError, match="interp must be -1, 0, 1 or 2"):
        lw.read_sensor(m, d, "slow", 0.0, 3)
    with pytest.raises(ValueError, match=r"no sensor 'slw' \(did you mean 'slow'"):
        lw.read_sensor(m, d, "slw", 0.0)
    with pytest.raises(TypeError, match="time must be numbers"):
        lw.read_sensor(m, d, "slow", None)


def test_worlds_with_time_steps_of_their_own_begin_with_theirs(m):
    b = lw.Batch(m, 11)
    b.expand("opt.timestep")[:] = np.linspace(0.001, 0.03, 11)
    interval = b.expand("sensor_interval")
    interval[5:, 1], interval[7:, 0] = [0.03, -0.01], [0.011, 0]
    b.reset()
    b.ctrl = 0.3
    readings, history = b.sensordata, b.state[:, m.state_slices["history"]]
    for step in range(2):
        for sim in range(b.nsim):
            mj = b.get_model(sim)
            data = mujoco.MjData(mj)
            data.ctrl[:] = 0.3
            for _ in range(9 * step):
                mujoco.mj_step(mj, data)
            np.testing.assert_allclose(history[sim], data.history, atol=1e-11)
            if step:
                np.testing.assert_allclose(readings[sim], data.sensordata, atol=1e-9)
        b.step(nstep=9)
