"""Inverse dynamics against MuJoCo, and against our own forward dynamics.

From MuJoCo's data and any acceleration, the inverse dynamics are equal to round-off: no solver is
involved. Forward dynamics followed by inverse dynamics give the applied force back, as far as the
solver has converged.
"""

import copy

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.lanes import W
from support import parity, zoo
from support import parity_contacts as touch
from support.parity_forces import accelerated, inverse, lines, mj_skip_both, skip_both
from support.states import random_state

TOLERANCE = 1e-9
INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")
FLAG = mujoco.mjtDisableBit
OWN = [name for name in zoo.ZOO if name.startswith(("own/contacts_", "own/constraints_"))]
SMOOTH = ["own/integrate_bodies", "own/integrate_tendons", "own/integrate_fluid", "own/walker"]


def model(name: str, integrator="Euler", cone="pyramidal", discrete=False) -> mujoco.MjModel:
    mj_model = touch.with_constraints(zoo.ZOO[name]())
    mj_model.opt.integrator = INTEGRATORS.index(integrator)
    mj_model.opt.cone = touch.CONES[cone]
    if discrete:
        mj_model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_INVDISCRETE
    parity.settle_round_off(mj_model)
    return mj_model


def check(mj_model, mj_datas, *functions) -> None:
    found = inverse(mj_model, mj_datas, *functions)
    assert not lines(found, TOLERANCE), "\n".join(lines(found, TOLERANCE))


@pytest.mark.parametrize("integrator", ["Euler", "discrete"])
@pytest.mark.parametrize("cone", touch.CONES)
@pytest.mark.parametrize("name", OWN)
def test_constraints(name, cone, integrator):
    """From MuJoCo's positions and velocities on."""
    mj_model = model(name, integrator, cone)
    rng = np.random.default_rng(101)
    states = touch.settled(mj_model, rng, W, nstep=120)
    check(mj_model, accelerated(mj_model, states, rng), skip_both, mj_skip_both)


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", SMOOTH)
def test_integrators(name, integrator, discrete):
    """Everything from the state; with invdiscrete, qacc is a difference of velocities."""
    if integrator == "RK4" and discrete:
        pytest.skip("MuJoCo has no such thing")
    mj_model = model(name, integrator, discrete=discrete)
    rng = np.random.default_rng(103)
    states = [random_state(mj_model, rng, 0.2) for _ in range(4)]
    check(mj_model, accelerated(mj_model, states, rng))


@pytest.mark.parametrize("flag", ["SPRING", "DAMPER", "EULERDAMP", "GRAVITY", "CONSTRAINT"])
@pytest.mark.parametrize("integrator", ["Euler", "implicit", "discrete"])
def test_disabled(integrator, flag):
    mj_model = model("own/integrate_bodies", integrator, discrete=True)
    mj_model.opt.disableflags |= getattr(FLAG, f"mjDSBL_{flag}")
    rng = np.random.default_rng(107)
    states = [random_state(mj_model, rng, 0.2) for _ in range(4)]
    check(mj_model, accelerated(mj_model, states, rng))


@pytest.mark.parametrize("skipstage", [0, 1, 2])
def test_skip(skipstage):
    """What is skipped is taken as it is."""
    mj_model = model("own/walker")
    rng = np.random.default_rng(109)
    states = accelerated(mj_model, [random_state(mj_model, rng, 0.1) for _ in range(3)], rng)
    for state in states:
        state.qpos[:] += 0.01  # not seen after skipping
    check(
        mj_model, states,
        lambda m, d: lw.inverse_skip(m, d, skipstage),
        lambda m, d: mujoco.mj_inverseSkip(m, d, skipstage, 1),
    )  # fmt: skip


def test_forward_skip():
    mj_model = model("own/walker")
    rng = np.random.default_rng(113)
    states = accelerated(mj_model, [random_state(mj_model, rng, 0.1) for _ in range(3)], rng)
    m = lw.load(mj_model)
    d, whole = lw.put_data(m, states), lw.put_data(m, states)
    d.ctrl[...] = whole.ctrl[...] = 0.3
    lw.forward_skip(m, d, 2)
    lw.forward(m, whole)
    assert touch.relative(d.qacc, whole.qacc) < 1e-8
    with pytest.raises(ValueError, match="skipstage must be 0, 1 or 2"):
        lw.forward_skip(m, d, 3)


def test_no_discrete_inverse_of_runge_kutta():
    m = lw.load(model("own/integrate_bodies", "RK4", discrete=True))
    with pytest.raises(ValueError, match="RK4"):
        lw.inverse(m, lw.Data(m))


# ---- forward, then inverse


@pytest.mark.parametrize("integrator", ["Euler", "discrete"])
@pytest.mark.parametrize("cone", touch.CONES)
@pytest.mark.parametrize("name", ["own/walker", "own/contacts_chains", "own/constraints_equality"])
def test_forward_and_back(name, cone, integrator):
    """The residual is at the level that MuJoCo's own has."""
    mj_model = touch.tighten(model(name, integrator, cone))
    states = touch.settled(mj_model, np.random.default_rng(127), 4, nstep=120)
    m = lw.load(mj_model)
    d = lw.put_data(m, states)
    lw.forward(m, d)
    applied = d.qfrc_smooth - d.qfrc_passive + d.qfrc_bias
    lw.inverse(m, d)
    for lane, state in enumerate(states):
        ours = touch.relative(d.qfrc_inverse[lane], applied[lane])
        assert ours <= max(1e-6, 10 * touch.forward_minus_inverse(mj_model, state))


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("solver", touch.SOLVERS)
def test_compare_fwdinv(solver, discrete):
    """Both norms, and no bit of what forward dynamics left is changed."""
    mj_model = model("own/walker", discrete=discrete)
    mj_model.opt.solver = touch.SOLVERS[solver]
    mj_model.opt.noslip_iterations = 3 * (solver == "CG")
    states = touch.settled(mj_model, np.random.default_rng(131), 4, nstep=120)
    for state in states:
        mujoco.mj_forward(mj_model, state)
    m = lw.load(mj_model)
    d = lw.put_data(m, states)
    kept = ("qacc", "qfrc_constraint", "efc_force", "con_force", "row_force")
    lw.expose_constraint(m, d)
    before = {name: d.arrays[name].copy() for name in kept}
    lw.compare_fwdinv(m, d)
    lw.expose_constraint(m, d)
    for lane, state in enumerate(states):
        mujoco.mj_compareFwdInv(mj_model, state)
        ours = d.arrays["solver_fwdinv"][:, lane]
        scale = max(1.0, np.abs(state.qfrc_constraint).max())
        assert np.allclose(ours, state.solver_fwdinv, atol=1e-8 * scale, rtol=1e-6)
        for name in kept:
            n = {"efc_force": state.nefc, "con_force": state.ncon}.get(name)
            old, new = before[name][:n, ..., lane], d.arrays[name][:n, ..., lane]
            assert np.array_equal(new, old), name


def test_fwdinv_in_a_step():
    mj_model = model("own/walker")
    mj_model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_FWDINV
    touch.tighten(mj_model)
    state = touch.settled(mj_model, np.random.default_rng(137), 1, nstep=120)[0]
    m = lw.load(mj_model)
    d = lw.put_data(m, state)
    lw.step(m, d)
    after = copy.copy(state)
    mujoco.mj_step(mj_model, after)
    assert np.allclose(d.solver_fwdinv, after.solver_fwdinv, atol=1e-5)
    assert touch.relative(d.qvel, np.array(after.qvel)) < 1e-6


# ---- products with the Jacobian


def test_jacobian_products():
    mj_model = model("own/walker")
    states = touch.settled(mj_model, np.random.default_rng(139), 2, nstep=120)
    for state in states:
        mujoco.mj_forward(mj_model, state)
    m = lw.load(mj_model)
    d = lw.put_data(m, states)
    x = np.random.default_rng(1).normal(size=mj_model.nv)
    Jx = lw.mul_jac_vec(m, d, x)
    Jf = lw.mul_jac_t_vec(m, d, Jx)
    for lane, state in enumerate(states):
        J = touch.dense_jacobian(mj_model, state)
        assert touch.relative(Jx[lane, : state.nefc], J @ x) < TOLERANCE
        assert touch.relative(Jf[lane], J.T @ (J @ x)) < TOLERANCE
    one = lw.put_data(m, states[0])
    assert lw.mul_jac_vec(m, one, x).shape == (states[0].nefc,)
    with pytest.raises(ValueError, match="x must have shape"):
        lw.mul_jac_vec(m, one, x[:-1])


LIMITED = """
<mujoco>
  <option integrator="{integrator}"><flag invdiscrete="enable"/></option>
  <worldbody>
    <body><joint name="a" axis="1 2 3" actuatorfrcrange="-1 1"/><geom size=".1"/>
    <body pos=".3 0 0"><joint name="b" axis="0 1 .5"/><geom size=".1"/></body></body>
  </worldbody>
  <actuator>
    <position joint="a" kp="40" kv="3"/>
    <position joint="b" kp="40" kv="3" forcerange="-1 1"/>
  </actuator>
</mujoco>
"""


@pytest.mark.parametrize("integrator", ["discrete", "implicit", "implicitfast"])
def test_batch_remembers_no_other_worlds(integrator):
    """Whether an actuator is at its limit is the affair of its world, whoever came before."""
    mj_model = mujoco.MjModel.from_xml_string(LIMITED.format(integrator=integrator))
    rng = np.random.default_rng(0)
    b = lw.Batch(mj_model, 2 * W, nthread=1)
    b.qpos = rng.normal(0, 0.02, b.qpos.shape)
    b.qpos[W:] += 2  # all of the second gang are at their limits
    qacc = rng.normal(size=b.qvel.shape)
    alone = np.concatenate([b.inverse(qacc[[k]], ids=[k]) for k in range(2 * W)])
    np.testing.assert_array_equal(b.inverse(qacc), alone)
    b.forward(ids=range(W, 2 * W))
    np.testing.assert_array_equal(b.inverse(qacc[:W], ids=range(W)), alone[:W])
    for k in range(2 * W):
        reference = mujoco.MjData(mj_model)
        reference.qpos[:] = b.qpos[k]
        mujoco.mj_forward(mj_model, reference)
        reference.qacc[:] = qacc[k]
        mujoco.mj_inverse(mj_model, reference)
        assert touch.relative(alone[k], np.array(reference.qfrc_inverse)) < TOLERANCE, k


@pytest.mark.parametrize("name", ["own/contacts_chains", OWN[0]])
def test_exact_diagonals_in_the_metric(name):
    """The discrete integrator's metric is factorized here, too: nothing else made a factor."""
    mj_model = model(name, "discrete")
    mj_model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_DIAGEXACT
    mj_model.dof_damping[:] = 1.0  # so that the metric is not M
    m, rng = lw.load(mj_model), np.random.default_rng(7)
    states = touch.settled(mj_model, rng, 2, nstep=120)
    assert any(state.nefc for state in states)
    for state in states:
        d, theirs = lw.Data(m), mujoco.MjData(mj_model)
        row = np.zeros(lw.state_size(m))
        mujoco.mj_getState(mj_model, state, row, mujoco.mjtState.mjSTATE_INTEGRATION)
        mujoco.mj_setState(mj_model, theirs, row, mujoco.mjtState.mjSTATE_INTEGRATION)
        lw.set_state(m, d, row)
        d.qacc[:] = theirs.qacc[:] = rng.normal(size=m.nv)
        lw.inverse(m, d)
        mujoco.mj_inverse(mj_model, theirs)
        scale = max(1.0, np.abs(theirs.qfrc_inverse).max())
        assert np.abs(d.qfrc_inverse - theirs.qfrc_inverse).max() < TOLERANCE * scale
