"""Sensors of every kind against MuJoCo, alone and in a step."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import generator, zoo
from support.sensing import residuals, sensed_alone, states, with_sensors, without_energy

TOLERANCE = 1e-9

# small models with all that sensors look at, and some of the packages'
NAMES = [name for name in zoo.ZOO if name.startswith("own/")]


def differences(mj, mine, theirs):
    """The sensors that differ, as lines."""
    return [
        f"{kind}: {worst:.3g}, {mine[part]} not {theirs[part]}"
        for kind, part, worst in residuals(mj, mine, theirs)
        if not worst <= TOLERANCE
    ]


def check_alone(mj, seed):
    """Each sensor stage from MuJoCo's own data."""
    m, lines = lw.load(mj), []
    for data in states(mj, seed):
        lines += differences(mj, sensed_alone(m, data), data.sensordata)
    assert not lines, "\n".join(lines)


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


@pytest.mark.parametrize("depth", [0.0, -0.0, 1e-16, -1e-16, 2e-15, -2e-15])
def test_a_point_in_the_plane_of_the_camera(depth):
    """It has no pixel; as MuJoCo, the depth counts as the smallest there is."""
    m = lw.load("""
      <mujoco>
        <worldbody>
          <camera name="c" resolution="4 6"/>
          <body mocap="true"><site name="s"/></body>
        </worldbody>
        <sensor><camprojection site="s" camera="c"/></sensor>
      </mujoco>""")
    d, theirs = lw.Data(m), mujoco.MjData(m.mj)
    for point in ([0, 0, depth], [1, 2, depth]):
        d.mocap_pos[0] = theirs.mocap_pos[0] = point
        lw.forward(m, d)
        mujoco.mj_forward(m.mj, theirs)
        np.testing.assert_allclose(d.sensordata, theirs.sensordata, rtol=1e-12)
