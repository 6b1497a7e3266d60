"""Power of actuators and of all forces on the dofs."""

import numpy as np
import pytest

import lanewise as lw


@pytest.mark.parametrize("name", ["humanoid", "arm", "quadruped"])
def test_power_is_force_times_velocity(name):
    m = lw.load(lw.models.path(name))
    d = lw.Data(m)
    d.ctrl = np.linspace(-1.0, 1.0, m.nu)
    lw.step(m, d, 20)
    lw.forward(m, d)
    lw.power(m, d)
    np.testing.assert_array_equal(d.actuator_power, d.actuator_force * d.actuator_velocity)
    force = d.qfrc_actuator + d.qfrc_passive + d.qfrc_constraint + d.qfrc_applied
    np.testing.assert_allclose(d.joint_power, force * d.qvel, rtol=1e-14)
    assert np.abs(d.actuator_power).max() > 0


def test_kinetic_energy_follows_from_it():
    """Without gravity, and with small steps, the energy changes by what the forces do."""
    m = lw.load(lw.models.path("arm"))
    m.opt.gravity = 0.0
    m.opt.timestep = 1e-7
    m.opt.enableflags |= 2  # energy
    d = lw.Data(m)
    d.qvel = np.linspace(-1.0, 1.0, m.nv)
    d.ctrl = np.linspace(1.0, -1.0, m.nu)
    lw.forward(m, d)
    lw.power(m, d)
    before, rate = d.energy[1], d.joint_power.sum()
    lw.step(m, d)
    lw.forward(m, d)
    assert d.energy[1] - before == pytest.approx(rate * 1e-7, rel=1e-3)


def test_of_a_batch():
    m = lw.load(lw.models.path("quadruped"))
    b = lw.Batch(m, 9)
    b.ctrl = np.linspace(0.0, 1.0, 9)[:, None]
    b.step(nstep=5)
    power, force, velocity = b.actuator_power, b.actuator_force, b.actuator_velocity
    for _ in range(2):  # of the state that it has, then of what a step computes
        np.testing.assert_array_equal(power, force * velocity)
        assert power.any()
        b.step()
