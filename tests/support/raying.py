"""Rays beside MuJoCo's: where they start, where they go, and what both engines say they meet."""

import mujoco
import numpy as np


def mj_ray(mj_model, mj_data, pnt, vec, geomgroup=None, flg_static=True, bodyexclude=-1):
    """(distance, geom, normal) by MuJoCo."""
    geom, normal = np.zeros(1, np.int32), np.zeros(3)
    groups = None if geomgroup is None else np.array(geomgroup, np.uint8)
    dist = mujoco.mj_ray(
        mj_model, mj_data, np.array(pnt, float), np.array(vec, float), groups, flg_static,
        bodyexclude, geom, normal,
    )  # fmt: skip
    return dist, geom[0], normal


def mj_rays(mj_model, mj_data, pnt, vec, **options):
    """Arrays of distances, geoms and normals of rays with a point each."""
    rows = [mj_ray(mj_model, mj_data, p, v, **options) for p, v in zip(pnt, vec, strict=True)]
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def mj_multi_ray(mj_model, mj_data, pnt, vec, cutoff):
    n = len(vec)
    dist, geom, normal = np.zeros(n), np.zeros(n, np.int32), np.zeros(3 * n)
    mujoco.mj_multiRay(
        mj_model, mj_data, pnt, vec.ravel(), None, True, -1, geom, dist, normal, n, cutoff
    )
    return dist, geom, normal.reshape(n, 3)


def aimed(mj_model, mj_data, n, rng):
    """Points around the geoms, near and far and inside, and directions: half of them at geoms."""
    extent = mj_model.stat.extent
    geoms = rng.integers(mj_model.ngeom, size=n)
    scale = extent * rng.choice([0.02, 0.3, 1.0, 3.0], size=(n, 1))
    pnt = mj_data.geom_xpos[geoms] + scale * rng.normal(size=(n, 3))
    vec = rng.normal(size=(n, 3))
    half = rng.random(n) < 0.5
    target = mj_data.geom_xpos[rng.integers(mj_model.ngeom, size=n)]
    vec[half] = (target + 0.05 * extent * rng.normal(size=(n, 3)) - pnt)[half]
    return pnt, vec


def assert_same(ours, theirs, note=""):
    """Distances and normals within 1e-9, geoms the same."""
    dist = np.asarray(theirs[0])
    np.testing.assert_allclose(ours[0], dist, rtol=1e-9, atol=1e-9, err_msg=note)
    np.testing.assert_array_equal(ours[1], theirs[1], err_msg=note)
    np.testing.assert_allclose(ours[2], theirs[2], rtol=0, atol=1e-9, err_msg=note)
