"""Every output of a batch after a step and after forward: MuJoCo's, none is left at zero."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.batch.field_names import DATA_FIELDS
from lanewise.fields import STATE_FIELDS
from support import zoo
from support.batches import assert_close

NSIM = 9
ENABLE = mujoco.mjtEnableBit.mjENBL_FWDINV | mujoco.mjtEnableBit.mjENBL_ENERGY
SPEC = mujoco.mjtState.mjSTATE_INTEGRATION
# what MuJoCo computes by calls of their own, or for sensors, which a forward has
ON_DEMAND = ("cacc", "cfrc_int", "cfrc_ext", "subtree_linvel", "subtree_angmom")
# of islands, which Newton's method takes at once
STATISTICS = {"solver_niter", "solver_nnz"}
CASES = [
    ("own/contacts_pairs", "mjINT_EULER"), ("own/tendons", "mjINT_RK4"),
    ("own/tendons", "mjINT_IMPLICITFAST"), ("own/crooked", "mjINT_IMPLICIT"),
    ("own/walker", "mjINT_DISCRETE"),
]  # fmt: skip


def moving(model, integrator, enable=ENABLE):
    """Worlds that have fallen for a while; things touch."""
    mj = zoo.ZOO[model]()
    mj.opt.integrator = getattr(mujoco.mjtIntegrator, integrator)
    mj.opt.enableflags |= enable
    mj.opt.tolerance = 0
    b, rng = lw.Batch(mj, NSIM, 1), np.random.default_rng(3)
    b.qvel[:] = 0.3 * rng.normal(size=b.qvel.shape)
    b.step(nstep=200)
    return mj, b


def forward(mj, state):
    """MuJoCo's data of a state, with all that it computes on demand."""
    d = mujoco.MjData(mj)
    mujoco.mj_setState(mj, d, state, SPEC)
    mujoco.mj_forward(mj, d)
    mujoco.mj_subtreeVel(mj, d)
    mujoco.mj_rnePostConstraint(mj, d)
    return d


@pytest.mark.parametrize(("model", "integrator"), CASES)
def test_after_a_step(model, integrator):
    # with the discrete integrator, MuJoCo's comparison leaves another qH
    discrete = integrator == "mjINT_DISCRETE"
    mj, b = moving(model, integrator, 0 if discrete else ENABLE)
    start, names = b.state.copy(), sorted(DATA_FIELDS - {*STATE_FIELDS, *STATISTICS})
    for name in names:
        b.bind(name)
    b.step(nstep=2)
    for sim in range(NSIM):
        d = mujoco.MjData(mj)
        mujoco.mj_setState(mj, d, start[sim], SPEC)
        mujoco.mj_step(mj, d)
        before = np.zeros(b.nstate)
        mujoco.mj_getState(mj, d, before, SPEC)
        mujoco.mj_step(mj, d)
        read = forward(mj, before)
        for name in names:
            if integrator == "mjINT_RK4" and name.startswith("subtree"):
                continue  # follows from cvel, which is of the last stage
            expected = getattr(read if name in ON_DEMAND else d, name)
            assert_close(b.bind(name)[sim], np.asarray(expected), f"{name} of {sim}")


@pytest.mark.parametrize(("model", "integrator"), CASES)
def test_after_forward(model, integrator):
    mj, b = moving(model, integrator)
    # these are of the last step only
    last = {"qH", "qHDiagInv", "qDeriv", "qLU"}
    names = sorted(DATA_FIELDS - {*STATE_FIELDS, *STATISTICS, *last})
    for name in names:
        b.bind(name)
    b.forward()
    for sim in range(NSIM):
        d = forward(mj, b.state[sim])
        for name in names:
            assert_close(b.bind(name)[sim], np.asarray(getattr(d, name)), f"{name} of {sim}")


def test_comparison_with_inverse_dynamics():
    """solver_fwdinv is that of the last step, also of a solver that ends early; in worlds whose
    model has the flag."""
    mj, b = moving("own/walker", "mjINT_EULER")
    mj.opt.iterations = 1
    b2 = lw.Batch(mj, NSIM, 2)
    b2.state[:] = b.state
    fwdinv, inverse = b2.solver_fwdinv, b2.qfrc_inverse
    b2.expand("opt.enableflags")[2] = 0
    b2.step()
    assert fwdinv.any() and not fwdinv[2].any() and not inverse.any()
    for sim in range(NSIM):
        d = mujoco.MjData(mj)
        mujoco.mj_setState(mj, d, b.state[sim], SPEC)
        mujoco.mj_step(mj, d)
        if sim != 2:
            np.testing.assert_allclose(fwdinv[sim], d.solver_fwdinv, 1e-6, 1e-9)
    # inverse dynamics has its own answer, and leaves the comparison
    before, force = fwdinv.copy(), b2.inverse(np.ones((NSIM, mj.nv)))
    b2.step()
    np.testing.assert_array_equal(inverse, force)
    assert before.shape == fwdinv.shape and fwdinv.any()


def test_data_keeps_its_inverse_dynamics():
    mj, b = moving("own/walker", "mjINT_EULER")
    m = lw.load(mj)
    d = lw.Data(m)
    d.qfrc_inverse = 7
    lw.set_state(m, d, b.state[3])
    lw.step(m, d)
    assert (d.qfrc_inverse == 7).all()


@pytest.mark.parametrize("integrator", ["EULER", "RK4", "IMPLICIT", "IMPLICITFAST", "DISCRETE"])
def test_readers_do_not_change_the_step(integrator):
    """What readers compute before the state moves on leaves no trace in it."""
    _, read = moving("own/tendons", f"mjINT_{integrator}", 0)
    silent = lw.Batch(read.model, NSIM, 1)
    silent.state[:] = read.state
    for name in ("cfrc_int", "efc_force", "contact_force", "subtree_angmom", "joint_power"):
        read.bind(name)
    for b in (read, silent):
        b.step(nstep=4)
    np.testing.assert_array_equal(read.state, silent.state)
    records = [b.rollout(3, record=("qpos", "cfrc_int")) for b in (read, silent)]
    np.testing.assert_array_equal(read.state, silent.state)
    np.testing.assert_array_equal(records[0]["cfrc_int"], records[1]["cfrc_int"])
