"""Sensors of every kind against MuJoCo, alone and in a step."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import generator, zoo
from support.sensing import with_sensors
from support.states import random_state

TOLERANCE = 1e-9

# small models with all that sensors look at, and some of the packages'
NAMES = [name for name in zoo.ZOO if name.startswith("own/")]


def states(mj, seed, number=3):
    """Data after a few steps, so that constraints and histories have something to show."""
    rng = np.random.default_rng(seed)
    for k in range(number):
        data = random_state(mj, rng) if k else mujoco.MjData(mj)
        for _ in range(3):
            mujoco.mj_step(mj, data)
        if np.isfinite(data.qacc).all() and not data.warning.number.any():
            mujoco.mj_forward(mj, data)
            yield data


def differences(mj, mine, theirs):
    """The sensors that differ, as lines."""
    lines = []
    for i in range(mj.nsensor):
        part = slice(mj.sensor_adr[i], mj.sensor_adr[i] + mj.sensor_dim[i])
        scale = max(1.0, np.abs(theirs[part]).max(initial=0.0))
        worst = np.abs(mine[part] - theirs[part]).max(initial=0.0) / scale
        if not worst <= TOLERANCE:
            kind = mujoco.mjtSensor(mj.sensor_type[i]).name
            lines.append(f"{kind} {i}: {worst:.3g}, {mine[part]} not {theirs[part]}")
    return lines


def check_alone(mj, seed):
    """Each sensor stage from MuJoCo's own data; what it forgets to write is NaN."""
    m, lines = lw.load(mj), []
    for data in states(mj, seed):
        d = lw.put_data(m, data)
        d.sensordata[:] = np.nan
        for stage in (lw.sensor_pos, lw.sensor_vel, lw.sensor_acc):
            stage(m, d)
        lines += differences(mj, d.sensordata, data.sensordata)
    assert not lines, "\n".join(lines)


def without_energy(mj):
    """MuJoCo shows the kinetic energy of the step before where energy is enabled."""
    mj.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    return mj


@pytest.mark.parametrize("name", NAMES)
def test_own_models(name):
    path = zoo.ZOO[name].args[0]
    check_alone(without_energy(with_sensors(str(path), seed=len(name))), 1)


@pytest.mark.parametrize("seed", range(25))
def test_random_models(seed):
    text = generator.generate(3000 + seed, constraints=True)
    check_alone(without_energy(with_sensors(text, seed)), seed)


@pytest.mark.parametrize("integrator", range(5))
def test_in_a_step(integrator):
    """sensordata after a step is that of MuJoCo: of the state before it."""
    mj = without_energy(with_sensors(str(lw.models.path("humanoid"))))
    mj.opt.integrator = integrator
    m, data = lw.load(mj), mujoco.MjData(mj)
    d, b = lw.Data(m), lw.Batch(m, nsim=9)
    b.bind("sensordata")
    for _ in range(5):
        mujoco.mj_step(mj, data)
        lw.step(m, d)
        b.step()
    assert not differences(mj, d.sensordata, data.sensordata)
    # a gang, and the world that is left over
    np.testing.assert_array_equal(b.sensordata[8], d.sensordata)
    np.testing.assert_array_equal(b.sensordata[3], d.sensordata)
