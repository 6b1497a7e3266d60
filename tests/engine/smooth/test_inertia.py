"""Products, solutions and the dense form of the inertia matrix, against MuJoCo's."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import zoo

MODELS = ["own/crooked", "own/ballchain", "own/tendon_armature"]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("lanes", [1, 3])
def test_inertia(name, lanes):
    mj = zoo.load(name)
    rng = np.random.default_rng(0)
    worlds = []
    for _ in range(lanes):
        data = mujoco.MjData(mj)
        mujoco.mj_integratePos(mj, data.qpos, rng.normal(size=mj.nv), 0.5)
        mujoco.mj_forward(mj, data)
        worlds.append(data)
    m = lw.load(mj)
    d = lw.put_data(m, worlds)
    lw.fwd_position(m, d)
    x = rng.normal(size=(lanes, mj.nv))
    product, solution = (f(m, d, x if lanes > 1 else x[0]) for f in (lw.mul_m, lw.solve_m))
    dense = lw.full_m(m, d)
    for k, data in enumerate(worlds):
        expected = np.zeros((mj.nv, mj.nv))
        mujoco.mj_fullM(mj, data, expected)
        row = (lambda a, k=k: a[k]) if lanes > 1 else (lambda a: a)
        np.testing.assert_allclose(row(dense), expected, atol=1e-12, rtol=1e-12)
        np.testing.assert_allclose(row(product), expected @ x[k], atol=1e-10, rtol=1e-10)
        np.testing.assert_allclose(expected @ row(solution), x[k], atol=1e-8, rtol=1e-8)


def test_wrong_shapes():
    m = lw.load(lw.models.path("pendulum"))
    with pytest.raises(ValueError, match="shape"):
        lw.mul_m(m, lw.Data(m), np.zeros(m.nv + 1))
