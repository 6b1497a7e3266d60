"""Derivatives of all worlds of a Batch: bits of one world's, and derivatives by model fields."""

import copy

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise import derivatives
from support import slopes, zoo

EPS = 1e-6


def moving(name, n, **how):
    """Worlds of a bundled model in different states, in contact if it can be."""
    b = lw.Batch(lw.load(lw.models.path(name)), n, **how)
    rng = np.random.default_rng(0)
    b.ctrl[...] = rng.uniform(-0.3, 0.3, b.ctrl.shape)
    b.qvel[...] = rng.normal(0, 0.1, b.qvel.shape)
    b.step(nstep=60)
    return b


def alone(b, k, **how):
    m = lw.load(b.get_model(k))
    d = lw.Data(m)
    lw.set_state(m, d, b.state[k])
    return lw.transition_fd(m, d, **how)


@pytest.mark.parametrize(("name", "n"), [("cartpole", 13), ("quadruped", 9), ("arm", 3)])
@pytest.mark.parametrize("centered", [False, True])
def test_worlds_have_the_bits_of_one_alone_however_many_share_a_gang(
    name, n, centered, monkeypatch
):
    b = moving(name, n, nthread=2)
    before = b.state.copy()
    for share in (8, 4, 2, 1):
        monkeypatch.setattr(derivatives._Columns, "_lanes", lambda *_, share=share: share)
        got = b.transition_fd(EPS, centered)
        np.testing.assert_array_equal(b.state, before)
        for k in (0, n - 1):
            for one, other in zip(got, alone(b, k, eps=EPS, centered=centered), strict=True):
                np.testing.assert_array_equal(one[k], other)


@pytest.mark.parametrize("eps", [1e-6, 0.03])  # with the second, other constraints push
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("humanoid", {}),
        ("humanoid", {"cone": "elliptic", "integrator": "implicitfast"}),
        ("quadruped", {"integrator": "implicit"}),
        ("quadruped", {"cone": "pyramidal"}),
        ("hand", {}),
        ("grasp", {"integrator": "discrete"}),
    ],
)
def test_columns_have_the_bits_of_steps_from_nudged_states(name, options, eps):
    """What is kept from column to column, factors of matrices above all, changes none."""
    b = moving(name, 4, nthread=1)
    for option, value in options.items():
        setattr(b.model.opt, option, value)
    same_as_steps(b, eps)


def test_dampers_that_change_with_velocity_change_what_is_factorized():
    for integrator in ("Euler", "implicitfast"):
        b = moving("arm", 4, nthread=1)
        b.model.opt.integrator = integrator
        b.model.dof_dampingpoly[:] = 0.3
        same_as_steps(b, EPS)


def same_as_steps(b, eps):
    """Derivatives of velocities by velocities and controls are differences of whole steps."""
    m, got = b.model, b.transition_fd(eps)
    nv, nu = m.nv, m.nu
    steps = lw.Batch(m, 1 + nv + nu, nthread=1)
    for k in range(b.nsim):
        steps.state[...] = b.state[k]
        steps.qvel[1 : 1 + nv] += eps * np.eye(nv)
        steps.ctrl[1 + nv :] += eps * np.eye(nu)
        steps.step()
        slopes = (steps.qvel[1:] - steps.qvel[0]) * (1.0 / eps)
        np.testing.assert_array_equal(got.A[k, nv : 2 * nv, nv : 2 * nv], slopes[:nv].T)
        # controls are not nudged out of their range
        low, high = m.actuator_ctrlrange.T
        inside = (b.ctrl[k] >= low) & (b.ctrl[k] + eps <= high)
        np.testing.assert_array_equal(got.B[k, nv : 2 * nv, inside], slopes[nv:][inside])


def test_hessians_are_kept_where_worlds_are_in_contact():
    b = moving("humanoid", 1)
    m = b.model
    d = lw.Data(m)
    lw.set_state(m, d, b.state[0])
    lw.forward(m, d)
    lw.transition_fd(m, d)
    workspace = derivatives._gangs[d].data.arrays
    assert workspace["nkept"] == d.solver_niter[0] > 0
    assert workspace["modified_kept"] == 1 and workspace["keep_factors"] == 0


def test_some_worlds_with_fields_of_their_own():
    b = moving("quadruped", 10, nthread=1)
    b.expand("dof_damping")[...] += np.linspace(0, 1, 10)[:, None]
    got = b.transition_fd(ids=[2, 5, 9])
    assert got.A.shape[0] == 3
    for place, k in enumerate((2, 5, 9)):
        wanted = slopes.transition(b.get_model(k), b.state[k], EPS, False)
        for one, other in zip(got, wanted, strict=True):
            assert slopes.difference(one[place], other) < 1e-6


def test_inverse_dynamics_of_all_worlds():
    b = moving("arm", 11, nthread=1)
    qacc = np.random.default_rng(1).normal(size=(11, b.qvel.shape[1]))
    got = b.inverse_fd(qacc, actuation=True)
    for k in (0, 10):
        wanted = slopes.inverse(b.get_model(k), b.state[k], qacc[k], EPS, True)
        for one, other in zip(got, wanted, strict=True):
            assert slopes.difference(one[k], other) < 1e-6
    np.testing.assert_array_equal(b.inverse_fd(qacc[3], ids=[3], actuation=True).DfDq[0],
                                  got.DfDq[3])  # fmt: skip


def by_field(b, k, name, place, eps=EPS):
    """dy/dp of world k by two whole steps of MuJoCo, with mj_setConst."""
    ends = []
    for sign in (-1.0, 1.0):
        mj = b.get_model(k)
        target = getattr(mj.opt, name[4:]) if name.startswith("opt.") else getattr(mj, name)
        target.reshape(-1)[place] += sign * eps
        mujoco.mj_setConst(mj, mujoco.MjData(mj))
        ends.append(mj)
    return slopes.of_steps(ends, [b.state[k]] * 2, 2 * eps)


@pytest.mark.parametrize("expanded", [False, True])
def test_by_fields_of_the_model(expanded):
    b = moving("quadruped", 5, nthread=1)
    if expanded:
        b.expand("body_mass")[...] *= np.linspace(0.9, 1.1, 5)[:, None]
        b.set_const()
    before, outputs = b.state.copy(), b.bound
    names = ("body_mass", "geom_friction", "dof_damping", "opt.gravity", "body_inertia")
    got = b.transition_fd(EPS, centered=True, wrt=names)
    assert b.bound == outputs
    np.testing.assert_array_equal(b.state, before)
    assert got.A.shape[2] == got.B.shape[2] == 0
    rng = np.random.default_rng(2)
    for name in names:
        columns = got.state[name]
        assert columns.shape[:2] == (5, got.A.shape[1])
        for place in rng.integers(0, columns.shape[2], 4):
            for k in (1, 4):
                wanted = by_field(b, k, name, place)
                assert slopes.difference(columns[k, :, place], wanted) < 1e-6, name


def test_parts_of_a_field_and_sensors():
    m = lw.load(zoo.ZOO["own/crooked"]())
    b = lw.Batch(m, 3, nthread=1)
    b.qvel[...] = 0.5
    whole = b.transition_fd(wrt=("body_mass",))
    part = b.transition_fd(wrt=("state", ("body_mass", [1, 3])))
    np.testing.assert_array_equal(part.state["body_mass"], whole.state["body_mass"][..., [1, 3]])
    np.testing.assert_array_equal(part.sensor["body_mass"], whole.sensor["body_mass"][..., [1, 3]])
    assert part.sensor["body_mass"].shape == (3, m.nsensordata, 2)
    np.testing.assert_array_equal(part.A, b.transition_fd().A)


def test_many_worlds_are_taken_in_portions(monkeypatch):
    from lanewise.batch import parameter_slopes

    b = moving("cartpole", 7, nthread=1)
    whole = b.transition_fd(wrt=("body_mass",)).state["body_mass"]
    monkeypatch.setattr(parameter_slopes, "MOST", 8)
    np.testing.assert_array_equal(b.transition_fd(wrt=("body_mass",)).state["body_mass"], whole)


@lw.kernel
def damp(m, d, p):
    for i in range(m.nu):
        d.ctrl[i] = -p.gain * d.qvel[i]


def test_by_parameters_of_user_code():
    m = lw.load(lw.models.path("cartpole"), control=damp, parameters={"gain": 0.7})
    b = lw.Batch(m, 2, nthread=1)
    b.qvel[...] = [[1.0, 0.2], [0.0, 0.5]]
    slope = b.transition_fd(centered=True, wrt=("parameters.gain",)).state["parameters.gain"]
    ends = []
    for gain in (0.7 - EPS, 0.7 + EPS):
        other = copy.copy(b)
        other.parameters["gain"] = gain
        other.step()
        ends.append(np.concatenate([other.qpos, other.qvel], axis=1))
    assert slopes.difference(slope[..., 0], (ends[1] - ends[0]) / (2 * EPS)) < 1e-6
    assert np.abs(slope[0]).max() > 1e-3


@pytest.mark.parametrize(
    ("wrt", "error", "message"),
    [
        ("body_mass", TypeError, r"a sequence of names, such as \('body_mass',\)"),
        (("body_mas",), ValueError, "did you mean 'body_mass'"),
        (("stat",), ValueError, "did you mean 'state'"),
        ((3,), TypeError, "pairs of a name and an index"),
        ((("body_mass", 99),), IndexError, "body_mass has shape"),
        (("body_mass", ("body_mass", 1)), ValueError, "twice"),
        (("geom_type",), ValueError, "whole numbers"),
        (("qpos",), ValueError, "wrt takes 'state' and 'ctrl'"),
        (("gravity",), ValueError, "name it 'opt.gravity'"),
        (("parameters.gain",), ValueError, "there are: none"),
    ],
)
def test_what_wrt_takes(wrt, error, message):
    b = lw.Batch(lw.load(lw.models.path("cartpole")), 2)
    with pytest.raises(error, match=message):
        b.transition_fd(wrt=wrt)


def test_worlds_without_derivatives_are_refused():
    b = lw.Batch(lw.load(lw.models.path("cartpole")), 2)
    b.expand("opt.integrator")[1] = 1
    with pytest.raises(ValueError, match="does not exist for RK4"):
        b.transition_fd()
    b = lw.Batch(lw.load(lw.models.path("cartpole")), 2)
    b.set_models([lw.load(lw.models.path("cartpole")) for _ in range(2)])
    b.transition_fd()
    with pytest.raises(ValueError, match="set_models"):
        b.transition_fd(wrt=("body_mass",))
