"""The inertia matrix of every world, products with it and its inverse, and those with J."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import zoo
from support.twins import TWINS, same


@pytest.mark.parametrize("name", ["own/crooked", "own/tendons", "own/tendon_armature"])
def test_beside_a_data_of_one_world(name):
    m = lw.load(zoo.ZOO[name]())
    b, d = lw.Batch(m, 11, nthread=1), lw.Data(m)
    b.step(nstep=3)
    before = b.state.copy()
    x = np.random.default_rng(0).normal(size=(11, m.nv))
    product, solution, half, M = b.mul_m(x), b.solve_m(x), b.solve_m2(x), b.full_m()
    np.testing.assert_array_equal(b.state, before)
    for k in (0, 4, 10):
        d.qpos = b.qpos[k]
        lw.fwd_position(m, d)
        np.testing.assert_allclose(product[k], lw.mul_m(m, d, x[k]), rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(solution[k], lw.solve_m(m, d, x[k]), rtol=1e-13, atol=1e-13)
        np.testing.assert_array_equal(half[k], lw.solve_m2(m, d, x[k]))
        np.testing.assert_array_equal(M[k], lw.full_m(m, d))
    np.testing.assert_allclose(b.mul_m(solution), x, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", M, x), product, rtol=1e-11, atol=1e-11)
    # half a solution, squared
    np.testing.assert_allclose((half * half).sum(1), (x * solution).sum(1), rtol=1e-9)


@pytest.mark.parametrize("name", ["own/crooked", "own/ballchain", "own/tendon_armature"])
def test_beside_mujoco(name):
    mj = zoo.ZOO[name]()
    m, d = lw.load(mj), mujoco.MjData(mj)
    rng = np.random.default_rng(1)
    b = lw.Batch(m, 9, nthread=1)
    b.qpos[:] = lw.integrate_pos(m, b.qpos, rng.normal(size=(9, m.nv)), 0.5)
    x = rng.normal(size=(9, m.nv))
    M, half = b.full_m(), b.solve_m2(x)
    for k in range(9):
        d.qpos = b.qpos[k]
        mujoco.mj_forward(mj, d)
        same("full_m", M[k], TWINS["full_m"](mj, d), name, 1e-12)
        same("solve_m2", half[k], TWINS["solve_m2"](mj, d, x[k]), name, 1e-10)


def test_some_worlds_and_one_vector():
    m = lw.load(lw.models.path("arm"))
    b = lw.Batch(m, 9, nthread=1)
    one = b.solve_m(np.ones(m.nv))
    assert one.shape == (9, m.nv)
    np.testing.assert_array_equal(b.solve_m(np.ones(m.nv), ids=[2, 5]), one[[2, 5]])
    np.testing.assert_array_equal(b.full_m([2, 5]), b.full_m()[[2, 5]])
    with pytest.raises(ValueError, match=r"x takes shape \(9, "):
        b.mul_m(np.ones(m.nv + 1))


# ---- the Jacobian of the constraints


def touching(name, nsim=11, **options):
    """A Batch of worlds in which things touch, and MuJoCo's data of the same."""
    mj = mujoco.MjModel.from_xml_path(str(lw.models.path(name)))
    for key, value in options.items():
        setattr(mj.opt, key, value)
    b = lw.Batch(mj, nsim, nthread=1)
    b.qvel[:] = 0.3 * np.random.default_rng(0).normal(size=b.qvel.shape)
    b.step(nstep=60)
    states = [b.get_data(k) for k in range(nsim)]
    for d in states:
        mujoco.mj_forward(mj, d)
    return mj, b, states


@pytest.mark.parametrize(
    ("name", "options"),
    [("humanoid", {}), ("hand", {"cone": 1}), ("boxes", {}), ("quadruped", {"integrator": 4})],
)
def test_products_with_constraints(name, options):
    mj, b, states = touching(name, **options)
    before = b.state.copy()
    rng = np.random.default_rng(1)
    x = rng.normal(size=(len(states), mj.nv))
    y = b.mul_jac_vec(x)
    f = rng.normal(size=y.shape)
    z = b.mul_jac_t_vec(f)
    assert y.shape == b.efc_force.shape and max(d.nefc for d in states) > 0
    for k, d in enumerate(states):
        same("mul_jac_vec", y[k, : d.nefc], TWINS["mul_jac_vec"](mj, d, x[k]), name)
        assert not y[k, d.nefc :].any()
        same("mul_jac_t_vec", z[k], TWINS["mul_jac_t_vec"](mj, d, f[k, : d.nefc].copy()), name)
    np.testing.assert_array_equal(b.mul_jac_vec(x[[2, 9]], ids=[2, 9]), y[[2, 9]])
    np.testing.assert_array_equal(b.state, before)


def test_forces_of_constraints_in_dofs():
    """J' efc_force is qfrc_constraint, and what stands beyond a world's rows does not count."""
    _, b, _ = touching("quadruped")
    b.forward()
    force = b.efc_force.copy()
    expected = b.qfrc_constraint.copy()
    force[np.arange(force.shape[1]) >= b.nefc[:, None]] = np.nan
    np.testing.assert_allclose(b.mul_jac_t_vec(force), expected, atol=1e-9)
    few = int(b.nefc.max())
    np.testing.assert_allclose(b.mul_jac_t_vec(force[:, :few]), expected, atol=1e-9)
    with pytest.raises(ValueError, match=f"each of {few} constraint rows, got {few - 1}"):
        b.mul_jac_t_vec(force[:, : few - 1])


def test_room_is_made():
    """Rows that the model did not have when the Batch was made: the answer has them all."""
    box = '<body pos="{} 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/></body>'
    boxes = "".join(box.format(0.3 * k) for k in range(5))
    mj = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><geom type="plane" size="9 9 1"/>{boxes}</worldbody></mujoco>'
    )
    mj.geom_contype[:] = mj.geom_conaffinity[:] = 0
    mujoco.mj_setConst(mj, mujoco.MjData(mj))
    b, d = lw.Batch(mj, 3, nthread=1), mujoco.MjData(mj)
    before = b._runner.sizes["njmax"]
    for x in (b.model, mj):
        x.geom_contype[:] = x.geom_conaffinity[:] = 1
        mujoco.mj_setConst(x, mujoco.MjData(mj))
    d.qpos = b.qpos[0]
    mujoco.mj_forward(mj, d)
    x = np.random.default_rng(0).normal(size=mj.nv)
    y = b.mul_jac_vec(x)
    assert before < d.nefc <= y.shape[1] == b._runner.sizes["njmax"]
    same("mul_jac_vec", y[1, : d.nefc], TWINS["mul_jac_vec"](mj, d, x))
    assert not y[:, d.nefc :].any()
