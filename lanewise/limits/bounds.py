"""Bounding volumes that an edit of geoms has left behind.

MuJoCo looks for contacts where boxes meet: those of geoms (geom_aabb), and those of bodies with
several geoms (bvh_aabb), which mj_setConst computes. Lanewise goes by geom_rbound. The two agree as
long as a geom lies in its box, and the geoms of a body in the body's.
"""

import numpy as np

from ..mjconst import GEOM_BOX, GEOM_CAPSULE, GEOM_CYLINDER, GEOM_ELLIPSOID, GEOM_SPHERE

_SLACK = 1e-6


def outgrown(mj):
    """What MuJoCo would miss contacts of, a line for each geom or body."""
    touches = (mj.geom_contype | mj.geom_conaffinity) != 0
    for g in np.flatnonzero(touches & _beyond_box(mj)):
        yield _line(mj, "geom", g, "geom_aabb")
    for b in np.flatnonzero(mj.body_bvhnum > 1):
        geoms = np.arange(mj.body_geomadr[b], mj.body_geomadr[b] + mj.body_geomnum[b])
        if _beyond_body(mj, b, geoms[touches[geoms]]):
            yield _line(mj, "body", b, "bvh_aabb")


def _line(mj, kind, k, field):
    name = getattr(mj, kind)(int(k)).name
    return (
        f"{kind} {int(k)}{f' ({name})' if name else ''} has grown out of {field}: after an edit of"
        " geom_size, geom_pos or geom_quat call lanewise.set_const(m), or of an MjModel"
        " mujoco.mj_setConst(model, data)"
    )


def _beyond_box(mj):
    """Mask: geoms whose geom_rbound fits their size, but not their box."""
    a, b, c = mj.geom_size.T
    halves = {
        GEOM_SPHERE: (a, a, a), GEOM_CAPSULE: (a, a, a + b), GEOM_CYLINDER: (a, a, b),
        GEOM_ELLIPSOID: (a, b, c), GEOM_BOX: (a, b, c),
    }  # fmt: skip
    radius = {
        GEOM_SPHERE: a, GEOM_CAPSULE: a + b, GEOM_CYLINDER: np.hypot(a, b),
        GEOM_ELLIPSOID: np.max([a, b, c], axis=0), GEOM_BOX: np.linalg.norm(mj.geom_size, axis=1),
    }  # fmt: skip
    found = np.zeros(mj.ngeom, bool)
    for kind, half in halves.items():
        beyond = (np.stack(half, axis=1) > mj.geom_aabb[:, 3:] * (1 + _SLACK)).any(axis=1)
        fits = mj.geom_rbound >= radius[kind] * (1 - _SLACK)
        found |= (mj.geom_type == kind) & beyond & fits
    return found


def _beyond_body(mj, b, geoms):
    """Whether the geoms of a body take more room than its box, wherever that lies."""
    if not len(geoms):
        return False
    R_BI = _matrices(mj.body_iquat[b : b + 1])[0]
    R = R_BI.T @ _matrices(mj.geom_quat[geoms])
    centre = (mj.geom_pos[geoms] @ R_BI) + (R @ mj.geom_aabb[geoms, :3, None])[..., 0]
    half = (np.abs(R) @ mj.geom_aabb[geoms, 3:, None])[..., 0]
    room = (centre + half).max(axis=0) - (centre - half).min(axis=0)
    return bool((room > 2 * mj.bvh_aabb[mj.body_bvhadr[b], 3:] * (1 + _SLACK) + _SLACK).any())


def _matrices(quat):
    """Rotation matrices of quaternions, (n, 3, 3)."""
    w, x, y, z = (quat / np.maximum(np.linalg.norm(quat, axis=1, keepdims=True), 1e-15)).T
    rows = (
        w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z,
    )  # fmt: skip
    return np.stack(rows, axis=1).reshape(-1, 3, 3)
