"""Newton and CG: the minimum that MuJoCo finds, in as many iterations, whoever the neighbours are.

Solvers start from MuJoCo's own contacts and rows (`put_data`), so only they are compared. Parts of
them, J x and J' f without J, run as plain Python here.
"""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.engine.solver.primal.matrix_free import constraint_force, forces_at
from lanewise.engine.solver.primal.solve import solve_primal
from lanewise.loaders.transfer_constraint import dense_jacobian
from support.solving import heap, load_mujoco, relative, settled, solved, tight

MODELS = ("humanoid", "quadruped", "hand", "boxes")
CG, NEWTON = 1, 2


@pytest.mark.parametrize("solver", [NEWTON, CG])
@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
@pytest.mark.parametrize("model", [*MODELS, heap(5)], ids=(*MODELS, "condims"))
def test_minimum(model, cone, solver):
    mj = load_mujoco(model, cone=cone, solver=solver)
    states = settled(mj)
    tight(mj)
    for state in states:
        mujoco.mj_forward(mj, state)
    d = solved(lw.load(mj), states)
    bound = 1e-9 if solver == NEWTON else 1e-6
    for w, state in enumerate(states):
        assert relative(d.qacc[w], state.qacc) < bound
        assert relative(d.qfrc_constraint[w], state.qfrc_constraint) < bound


@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
@pytest.mark.parametrize("model", MODELS)
def test_iterations(model, cone):
    """At the model's own tolerance a world takes as many iterations as in MuJoCo."""
    mj = load_mujoco(model, cone=cone)
    states = settled(mj, seed=1)
    d = solved(lw.load(mj), states)
    ours = d.arrays["solver_niter"][0]
    assert np.abs(ours - [state.solver_niter[0] for state in states]).max() <= 1
    assert sum(ours == [state.solver_niter[0] for state in states]) >= 6


@pytest.mark.parametrize("solver", [NEWTON, CG])
def test_discrete_metric(solver):
    """Under the discrete integrator springs, dampers, tendons and actuators are in the metric."""
    mj = load_mujoco("hand", integrator=4, solver=solver)
    states = settled(mj)
    tight(mj)
    m = lw.load(mj)
    d = lw.put_data(m, states)
    lw.forward(m, d)
    for w, state in enumerate(states):
        mujoco.mj_forward(mj, state)
        assert relative(d.qacc[w], state.qacc) < 1e-6


@pytest.mark.parametrize("solver", [NEWTON, CG])
def test_discrete_metric_of_mujoco(solver):
    """put_data brings the metric along, of tendons and actuators too, which MuJoCo lists."""
    mj = load_mujoco("grasp", integrator=4, solver=solver)
    mj.actuator_gainprm[1] = mj.actuator_biasprm[1] = 0  # from here on, places in the list differ
    mj.tendon_damping[:], mj.tendon_stiffness[:] = 0.3, 40
    tight(mj)
    states = settled(mj)
    assert all(0 < state.nefmA < mj.nactuator and state.nefmT for state in states)
    d = solved(lw.load(mj), states)
    for w, state in enumerate(states):
        assert relative(d.qacc[w], state.qacc) < (1e-9 if solver == NEWTON else 1e-6)


def test_neighbours_change_nothing():
    """A world's result has the same bits alone and beside worlds with other contacts."""
    mj = load_mujoco("boxes")
    states = settled(mj, worlds=12, steps=60, seed=3)
    m = lw.load(mj)
    alone = [solved(m, [state]).qacc for state in states]
    for first in (0, 4):
        together = solved(m, states[first : first + 8])
        for w in range(8):
            assert np.array_equal(together.qacc[w], alone[first + w])


def test_large_heap():
    """Hundreds of dofs; and where the Hessian has no room, conjugate gradients take over."""
    mj = load_mujoco(heap(45, (3,)))
    states = settled(mj, worlds=2, steps=60)
    tight(mj)
    for state in states:
        mujoco.mj_forward(mj, state)
    m = lw.load(mj)
    d = solved(m, states)
    for w, state in enumerate(states):
        assert relative(d.qacc[w], state.qacc) < 1e-8
    d = lw.put_data(m, states)
    d.arrays["nHmax"][...] = 100
    lw.fwd_constraint(m, d)
    for w, state in enumerate(states):
        assert relative(d.qacc[w], state.qacc) < 1e-4


def test_no_warm_start_and_no_iterations():
    mj = load_mujoco("quadruped", iterations=0)
    states = settled(mj)
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_WARMSTART
    d = solved(lw.load(mj), states)
    for w, state in enumerate(states):
        assert np.array_equal(d.qacc[w], state.qacc_smooth)


# ------------------------------------------------------------------------------------------- parts


@pytest.fixture(params=((0, heap(4)), (1, heap(4)), (0, "hand"), (1, "hand")), ids=str)
def problem(request):
    """A model, a Data with MuJoCo's constraints, the MjDatas, and their Jacobians."""
    cone, model = request.param
    mj = load_mujoco(model, cone=cone)
    states = settled(mj, worlds=3, steps=80)
    m = lw.load(mj)
    return m, lw.put_data(m, states), states, [dense_jacobian(m, state) for state in states]


def test_jacobian_products(problem):
    """J x and J' f by passes over the tree, and the forces in between."""
    m, d, states, jacobians = problem
    ms, ds = m.struct, d.struct
    d.arrays["vector"][...] = x = np.random.default_rng(0).normal(size=d.arrays["vector"].shape)
    forces_at(ms, ds, ds.vector)
    constraint_force(ms, ds, ds.dof_work)
    for w, (state, J) in enumerate(zip(states, jacobians, strict=True)):
        mujoco.mj_constraintUpdate(m.mj, state, J @ x[:, w] - state.efc_aref, None, 0)
        assert relative(d.arrays["dof_work"][:, w], state.qfrc_constraint) < 1e-12


def test_plain_python_is_the_same(problem):
    """The kernels as plain Python give what they give compiled."""
    m, d, states, _ = problem
    solve_primal(m.struct, d.struct)
    compiled = solved(m, states)
    for w in range(len(states)):
        assert relative(d.qacc[w], compiled.qacc[w]) < 1e-9
