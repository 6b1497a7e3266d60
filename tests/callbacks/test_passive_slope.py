"""The velocity derivative of a passive force of the user's, in implicit integrators."""

import numpy as np
import pytest

import lanewise as lw
from support.user_kernels import arm, passive, passive_slope, start

STIFF = """
<mujoco>
  <option timestep="0.02" integrator="{integrator}" gravity="0 0 0"/>
  <worldbody>
    <body><joint type="slide"/><geom size=".1" mass="1"/>
      <body pos=".3 0 0"><joint type="slide"/><geom size=".1" mass=".5"/></body>
    </body>
  </worldbody>
</mujoco>
"""
DAMPING = 500.0


@lw.kernel
def drag(m, d):
    for i in range(m.nv):
        d.qfrc_passive[i] = d.qfrc_passive[i] - DAMPING * d.qvel[i]


@lw.kernel
def drag_slope(m, d, i, j):
    return -DAMPING if i == j else 0.0


@lw.kernel
def pushing_slope(m, d, i, j):
    return DAMPING if i == j else 0.0


@pytest.mark.parametrize("integrator", ["implicit", "implicitfast"])
def test_derivative_is_that_of_the_force(integrator):
    """What the slope adds to qDeriv, against finite differences of qfrc_passive."""
    found = []
    for code in (passive, (passive, passive_slope)):
        m = lw.load(arm(integrator), passive=code)
        d = lw.Data(m)
        d.qpos, d.qvel, d.act = start(m.nq, m.nv, m.na)
        lw.step(m, d)
        dense = np.zeros((m.nv, m.nv))
        row = np.repeat(np.arange(m.nv), m.D_rownnz)
        dense[row, m.D_colind] = d.qDeriv
        found.append(dense)
    plain, own = (lw.load(arm(integrator)), lw.load(arm(integrator), passive=passive))
    eps, slope = 1e-6, np.zeros((8, 8))
    for j in range(2):
        forces = []
        for sign in (-1, 1):
            total = []
            for m in (plain, own):
                d = lw.Data(m)
                d.qpos, d.qvel, d.act = start(m.nq, m.nv, m.na)
                d.qvel[j] += sign * eps
                lw.fwd_position(m, d)
                lw.fwd_velocity(m, d)
                total.append(d.qfrc_passive.copy())
            forces.append(total[1] - total[0])
        slope[:, j] = (forces[1] - forces[0]) / (2 * eps)
    np.testing.assert_allclose(found[1] - found[0], slope, atol=1e-7)


@pytest.mark.parametrize("integrator", ["implicit", "implicitfast", "discrete"])
def test_stiff_damping_is_stable_with_its_slope(integrator):
    """As a joint's own damping, which these integrators treat in the same way."""
    text = STIFF.format(integrator=integrator)
    states = []
    for source, code in (
        (text, (drag, drag_slope)),
        (text.replace('type="slide"', f'type="slide" damping="{DAMPING}"'), None),
        (text, drag),
    ):
        m = lw.load(source, passive=code)
        d = lw.Data(m)
        d.qvel = 1.0, -2.0
        lw.step(m, d, 4)
        states.append(d.qvel.copy())
    with_slope, of_joints, without = states
    np.testing.assert_allclose(with_slope, of_joints, rtol=1e-9, atol=1e-12)
    assert np.abs(without).max() > 100.0


def test_a_slope_that_pushes_leaves_the_discrete_metric_alone():
    text = STIFF.format(integrator="discrete").replace("0.02", "0.0001")
    states = []
    for code in ((drag, pushing_slope), drag):
        m = lw.load(text, passive=code)
        d = lw.Data(m)
        d.qvel = 1.0, -2.0
        lw.step(m, d, 3)
        states.append(d.qvel.copy())
    assert np.array_equal(*states)


def test_inverse_of_the_discrete_integrator_has_the_slope():
    m = lw.load(STIFF.format(integrator="discrete"), passive=(drag, drag_slope))
    d = lw.Data(m)
    d.qvel, d.qfrc_applied = (1.0, -2.0), (0.3, 0.7)
    lw.forward(m, d)
    lw.inverse(m, d)
    np.testing.assert_allclose(d.qfrc_inverse, [0.3, 0.7], atol=1e-10)


def test_both_switches_turn_it_off():
    text = STIFF.format(integrator="discrete").replace(
        'gravity="0 0 0"/>', 'gravity="0 0 0"><flag spring="disable" damper="disable"/></option>'
    )
    m = lw.load(text, passive=(drag, drag_slope))
    d = lw.Data(m)
    d.qvel = 1.0, -2.0
    lw.step(m, d)
    assert np.array_equal(d.qvel, [1.0, -2.0])
