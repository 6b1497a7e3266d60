"""Products with the inertia matrix of every world, and its inverse."""

import numpy as np
import pytest

import lanewise as lw
from support import zoo


@pytest.mark.parametrize("name", ["own/crooked", "own/tendons", "own/tendon_armature"])
def test_beside_a_data_of_one_world(name):
    m = lw.load(zoo.ZOO[name]())
    b, d = lw.Batch(m, 11, nthread=1), lw.Data(m)
    b.step(nstep=3)
    before = b.state.copy()
    x = np.random.default_rng(0).normal(size=(11, m.nv))
    product, solution = b.mul_m(x), b.solve_m(x)
    np.testing.assert_array_equal(b.state, before)
    for k in (0, 4, 10):
        d.qpos = b.qpos[k]
        lw.fwd_position(m, d)
        np.testing.assert_allclose(product[k], lw.mul_m(m, d, x[k]), rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(solution[k], lw.solve_m(m, d, x[k]), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(b.mul_m(solution), x, rtol=1e-9, atol=1e-9)


def test_some_worlds_and_one_vector():
    m = lw.load(lw.models.path("arm"))
    b = lw.Batch(m, 9, nthread=1)
    one = b.solve_m(np.ones(m.nv))
    assert one.shape == (9, m.nv)
    np.testing.assert_array_equal(b.solve_m(np.ones(m.nv), ids=[2, 5]), one[[2, 5]])
    with pytest.raises(ValueError, match=r"x takes shape \(9, "):
        b.mul_m(np.ones(m.nv + 1))
