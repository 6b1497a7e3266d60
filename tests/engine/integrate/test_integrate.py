"""The integrators against MuJoCo: the next state, and the matrices they leave behind.

Whole steps are compared from random states, eight different ones side by side. What decides between
terms (flags, limits, kinds of joints and actuators) is in the models `integrate_*.xml` and in the
options that are swept here. Properties that MuJoCo's numbers cannot show are tested on their own:
the order of Runge-Kutta for orientations, the factors of the sparse LU decomposition, derivatives
against differences.
"""

import copy

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.lanes import W
from support import parity, zoo

INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")
MODELS = ("bodies", "tendons", "actuators", "fluid", "plastic")
FLAG = mujoco.mjtDisableBit

# MuJoCo's fields that an integrator, or the discrete forward dynamics, leaves behind
FIELDS = (
    *("time", "qpos", "qvel", "act", "plastic", "qacc_warmstart", "qacc", "qacc_smooth", "act_dot"),
    *("qH", "qHDiagInv", "qDeriv", "qLU", "actuator_velocity", "ten_length", "ten_J"),
)
METRIC = ("efm_c", "efm_ca", "efm_ck", "efm_diag", "efm_sdiag", "efm_fluid")


def model(name: str, integrator: str) -> mujoco.MjModel:
    mj_model = mujoco.MjModel.from_xml_path(str(zoo.own(f"integrate_{name}")))
    mj_model.opt.integrator = INTEGRATORS.index(integrator)
    return mj_model


def states(mj_model: mujoco.MjModel, seed: int, scale: float = 1.0) -> list:
    rng = np.random.default_rng([seed, 23])
    return [parity.random_state(mj_model, rng, scale) for _ in range(W)]


def compare(mj_model: mujoco.MjModel, mj_datas, step=lw.step, mj_step=mujoco.mj_step) -> None:
    """One step from each state: all fields that MuJoCo's step writes are equal."""
    m = lw.load(mj_model)
    d = lw.put_data(m, mj_datas)
    step(m, d)
    lines = []
    for lane, mj_data in enumerate(mj_datas):
        mask = parity.written(mj_model, mj_data, mj_step)
        after = copy.copy(mj_data)
        mj_step(mj_model, after)
        for name in (*FIELDS, *METRIC):
            expected = np.asarray(getattr(after, name))
            if expected.size == 0:
                continue
            actual = d.arrays[name][..., lane].reshape(expected.shape)
            value = parity.residual(actual, expected, mask.get(name, True))
            if not value <= parity.TOLERANCE:
                lines.append(f"world {lane}, {name}: {value:.3g}")
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", MODELS)
def test_step(name, integrator, seed):
    mj_model = model(name, integrator)
    compare(mj_model, states(mj_model, seed, scale=(1.0, 0.3, 3.0)[seed]))


@pytest.mark.parametrize(
    "flag", ["SPRING", "DAMPER", "ACTUATION", "EULERDAMP", "CLAMPCTRL", "GRAVITY"]
)
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", ["bodies", "tendons", "actuators"])
def test_disabled(name, integrator, flag):
    mj_model = model(name, integrator)
    mj_model.opt.disableflags |= getattr(FLAG, f"mjDSBL_{flag}")
    compare(mj_model, states(mj_model, 3))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_no_passive_forces(integrator):
    mj_model = model("fluid", integrator)
    mj_model.opt.disableflags |= FLAG.mjDSBL_SPRING | FLAG.mjDSBL_DAMPER
    compare(mj_model, states(mj_model, 4))


@pytest.mark.parametrize("medium", ["density", "viscosity"])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_one_property_of_the_fluid(integrator, medium):
    mj_model = model("fluid", integrator)
    setattr(mj_model.opt, medium, 0.0)
    compare(mj_model, states(mj_model, 5))


@pytest.mark.parametrize("solver", ["PGS", "CG", "Newton"])
@pytest.mark.parametrize("name", ["tendons", "actuators"])
def test_discrete_couplings_depend_on_the_solver(name, solver):
    mj_model = model(name, "discrete")
    mj_model.opt.solver = ("PGS", "CG", "Newton").index(solver)
    compare(mj_model, states(mj_model, 6))


@pytest.mark.parametrize("stop", [{"iterations": 2}, {"iterations": 0}, {"tolerance": 1e-3}])
@pytest.mark.parametrize("name", ["tendons", "actuators"])
def test_discrete_solution_stops_early(name, stop):
    """Conjugate gradients take MuJoCo's path, so an unfinished solution is the same too."""
    mj_model = model(name, "discrete")
    for option, value in stop.items():
        setattr(mj_model.opt, option, value)
    compare(mj_model, states(mj_model, 14))


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", MODELS)
def test_split_step(name, integrator):
    """step1 then step2; Runge-Kutta becomes Euler."""
    mj_model = model(name, integrator)

    def step(m, d):
        lw.step1(m, d)
        lw.step2(m, d)

    def mj_step(mj_model, mj_data):
        mujoco.mj_step1(mj_model, mj_data)
        mujoco.mj_step2(mj_model, mj_data)

    compare(mj_model, states(mj_model, 7), step, mj_step)


@pytest.mark.parametrize("limit", ["forcerange", "joint", "tendon"])
@pytest.mark.parametrize("integrator", ["implicit", "implicitfast", "discrete"])
def test_force_limits(integrator, limit):
    """An actuator whose force a limit holds has no derivative, in the worlds where it is held."""
    mj_model = model("tendons" if limit == "tendon" else "actuators", integrator)
    if limit == "tendon":
        mj_model.tendon_actfrclimited[:] = 1
        mj_model.tendon_actfrcrange[:] = [-0.6, 0.8]
    elif limit == "joint":
        scalar = mj_model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE)
        mj_model.jnt_actfrclimited[scalar] = 1
        mj_model.jnt_actfrcrange[scalar] = [-0.7, 0.5]
    else:
        one = mj_model.actuator_gaintype != int(mujoco.mjtGain.mjGAIN_SO3)
        mj_model.actuator_forcelimited[one] = 1
        mj_model.actuator_forcerange[one] = [-0.3, 0.4]
    compare(mj_model, states(mj_model, 8))


# ---- what MuJoCo's numbers cannot show


def dense(mj_model: mujoco.MjModel, values: np.ndarray) -> np.ndarray:
    """A matrix from the numbers in the structure of qDeriv."""
    out = np.zeros((mj_model.nv, mj_model.nv))
    rows = np.repeat(np.arange(mj_model.nv), mj_model.D_rownnz)
    out[rows, mj_model.D_colind] = values
    return out


@pytest.mark.parametrize("name", ["bodies", "fluid"])
def test_derivative_is_the_difference_quotient(name):
    """qDeriv of models in which every velocity derivative is exact and within the pattern."""
    mj_model = model(name, "implicit")
    m = lw.load(mj_model)
    mj_data = states(mj_model, 9)[0]
    d = lw.put_data(m, mj_data)
    lw.step(m, d)

    eps, columns = 1e-6, []
    for sign in (1, -1):
        columns.append([])
        for first in range(0, m.nv, W):
            e = lw.put_data(m, [mj_data] * min(W, m.nv - first))
            for lane in range(e.lanes):
                e.arrays["qvel"][first + lane, lane] += sign * eps
            lw.forward(m, e)
            columns[-1].extend(np.atleast_2d(e.qfrc_passive - e.qfrc_bias))
    expected = (np.array(columns[0]) - np.array(columns[1])).T / (2 * eps)
    pattern = dense(mj_model, np.ones(mj_model.nD)) > 0
    assert np.all(np.abs(expected[~pattern]) < 1e-7)
    np.testing.assert_allclose(dense(mj_model, d.qDeriv), expected, atol=1e-6, rtol=1e-6)


def test_factors_make_up_the_matrix():
    """(U + 1) L = M - h qDeriv"""
    mj_model = model("bodies", "implicit")
    m = lw.load(mj_model)
    d = lw.put_data(m, states(mj_model, 10)[0])
    lw.step(m, d)
    LU = dense(mj_model, d.qLU)
    M = np.where(mj_model.mapM2D >= 0, d.M[mj_model.mapM2D], 0.0)
    A = dense(mj_model, M - m.opt.timestep * d.qDeriv)
    np.testing.assert_allclose((np.triu(LU, 1) + np.eye(m.nv)) @ np.tril(LU), A, atol=1e-12)


def test_runge_kutta_is_of_fourth_order():
    """The error of a tumbling, branching free body falls by 2^4 when the step is halved."""
    mj_model = model("bodies", "RK4")
    mj_model.opt.disableflags |= FLAG.mjDSBL_DAMPER  # |v| v is not smooth enough for the order
    m = lw.load(mj_model)
    start = states(mj_model, 11, scale=0.7)[0]
    ends = {}
    for n in (4, 8, 16, 256):
        m.opt.timestep = 0.04 / n
        d = lw.put_data(m, start)
        for _ in range(n):
            lw.step(m, d)
        ends[n] = np.concatenate([d.qpos, d.qvel])
    error = {n: np.abs(ends[n] - ends[256]).max() for n in (4, 8, 16)}
    orders = [np.log2(error[n] / error[2 * n]) for n in (4, 8)]
    assert min(orders) > 3.7, orders


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_worlds_do_not_see_each_other(integrator):
    """A world steps to the same bits alone, beside its copies, and beside others."""
    mj_model = model("tendons", integrator)
    m = lw.load(mj_model)
    mj_datas = states(mj_model, 12)
    together, alone = lw.put_data(m, mj_datas), lw.put_data(m, mj_datas[5])
    for _ in range(3):
        lw.step(m, together)
        lw.step(m, alone)
    for name in ("qpos", "qvel", "act", "qacc", "qDeriv", "qH"):
        np.testing.assert_array_equal(getattr(together, name)[5], getattr(alone, name), name)


VARIED = ("dof_damping", "jnt_stiffness", "tendon_damping", "tendon_stiffness", "actuator_biasprm")


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_worlds_with_models_of_their_own(integrator):
    """Every world has its own parameters and time step, and some have no damping at all."""
    mj_model = model("tendons", integrator)
    rng = np.random.default_rng(24)
    b = lw.Batch(mj_model, nsim=W)
    for name in VARIED:
        b.expand(name)[...] *= rng.uniform(0.5, 2, b.expand(name).shape)
    b.expand("dof_damping")[::2] = 0
    b.expand("opt.timestep")[...] = rng.uniform(0.002, 0.006, b.expand("opt.timestep").shape)
    mj_datas = states(mj_model, 13)
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    for sim, mj_data in enumerate(mj_datas):
        mujoco.mj_getState(mj_model, mj_data, b.state[sim], spec)
    b.step()
    for sim, mj_data in enumerate(mj_datas):
        mujoco.mj_step(b.get_model(sim), mj_data)
        for name in ("qpos", "qvel", "act", "time", "qacc_warmstart"):
            expected = np.asarray(getattr(mj_data, name))
            actual = np.asarray(getattr(b, name)[sim])
            value = parity.residual(actual.reshape(expected.shape), expected, True)
            assert value <= parity.TOLERANCE, (sim, name, value)


@pytest.mark.parametrize("motor", ['inductance="0 .01"', ""])
@pytest.mark.parametrize(
    "other", ["<motor joint='k'/>", "<general joint='k' dyntype='integrator'/>"]
)
def test_velocities_of_actuators_after_runge_kutta(motor, other):
    """Motors see velocities as they were at the start, and leave them so if there are activations;
    else those of the last stage are left."""
    m = lw.load(f"""
      <mujoco>
        <option integrator="RK4" timestep=".01"/>
        <worldbody>
          <body><joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/>
            <body pos=".4 0 0"><joint name="k" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
          </body>
        </worldbody>
        <actuator><dcmotor joint="j" resistance="3" motorconst=".3 .4" {motor}/>{other}</actuator>
      </mujoco>""")
    d, theirs = lw.Data(m), mujoco.MjData(m.mj)
    d.qvel[:] = theirs.qvel[:] = (1.0, -0.5)
    d.ctrl[:] = theirs.ctrl[:] = 0.3
    lw.step(m, d)
    mujoco.mj_step(m.mj, theirs)
    for name in ("actuator_velocity", "qvel", "act"):
        np.testing.assert_allclose(getattr(d, name), getattr(theirs, name), rtol=1e-12)


def test_one_stage_from_the_data_of_mujoco():
    """Controls come along, delayed and clamped as they were read: the metric needs them."""
    mj_model = model("actuators", "discrete")
    m = lw.load(mj_model)
    for reference in states(mj_model, 3):
        mujoco.mj_forward(mj_model, reference)
        d = lw.put_data(m, reference)
        d.qacc_smooth[:] = np.nan
        lw.fwd_acceleration(m, d)
        scale = max(1.0, np.abs(reference.qacc_smooth).max())
        assert np.abs(d.qacc_smooth - reference.qacc_smooth).max() < 1e-9 * scale
