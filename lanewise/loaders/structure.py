"""Fields that Lanewise adds to a Model: structure, which no change of a parameter outdates."""

import mujoco
import numpy as np

from .structure_actuation import moment_structure
from .structure_collision import collision_parts, collision_structure, may_touch
from .structure_constraint import row_structure
from .structure_mesh import hull_structure
from .structure_sensors import sensor_needs
from .structure_solver import group_structure, loose_bodies
from .structure_tendon import tendon_structure


def derive(mj):
    """{own field: array}"""
    tendons = tendon_structure(mj)
    return {
        "dof_descendants": _descendants(mj),
        "dof_drift": _drift(mj),
        "body_lastdof": _last_dofs(mj),
        **_children(mj),
        **_needs(mj),
        **sensor_needs(mj),
        **tendons,
        **moment_structure(mj, tendons),
        **collision_structure(mj),
        **hull_structure(mj),
        **row_structure(mj, tendons),
        **group_structure(mj),
        **loose_bodies(mj),
        **_ray_structure(mj),
    }


def _ray_structure(mj):
    """Boxes of bodies and of meshes, in the MjModel's memory; sites of rangefinders.

    A camera that is a rangefinder sends its rays in packets of eight, which come after theirs.
    """
    finders = mj.sensor_type == mujoco.mjtSensor.mjSENS_RANGEFINDER
    at_site = mj.sensor_objtype == mujoco.mjtObj.mjOBJ_SITE
    sites = mj.sensor_objid[finders & at_site].astype(np.int32)
    if (finders & ~at_site).any():
        sites = np.concatenate([sites, np.full(8, -1, np.int32)])
    bodies = int(mj.body_bvhnum.sum())
    boxes = {"body_box": mj.bvh_aabb[:bodies], "mesh_box": mj.bvh_aabb[bodies:]}
    return {**boxes, "ray_site": sites}


def _children(mj):
    leaf = np.ones(mj.nbody, np.uint8)
    end = np.arange(mj.nbody, dtype=np.int32)
    last = np.zeros(mj.nbody, np.uint8)
    for b in range(mj.nbody - 1, 0, -1):
        parent = mj.body_parentid[b]
        last[b] = leaf[parent]
        leaf[parent] = 0
        end[parent] = max(end[parent], end[b])
    return {"body_last": end, "body_leaf": leaf, "body_lastchild": last}


def _last_dofs(mj):
    """The last dof that moves each body, or -1."""
    weld = mj.body_weldid
    last = mj.body_dofadr[weld] + mj.body_dofnum[weld] - 1
    return np.where(mj.body_dofnum[weld] > 0, last, -1).astype(np.int32)


def _needs(mj):
    """Which frames the forces depend on; others are computed only for somebody who reads them."""
    wrap, trn = mujoco.mjtWrap, mujoco.mjtTrn
    geoms = np.isin(mj.wrap_type, (wrap.mjWRAP_SPHERE, wrap.mjWRAP_CYLINDER)).any()
    touch = may_touch(mj)
    at_sites = (trn.mjTRN_SITE, trn.mjTRN_SLIDERCRANK, trn.mjTRN_SO3)
    sites = np.isin(mj.actuator_trntype, at_sites).any()
    sites |= (mj.eq_objtype == mujoco.mjtObj.mjOBJ_SITE).any()
    needs = {"needs_geoms": geoms, "needs_touch": touch, "needs_sites": sites}
    needs["needs_convex"] = "convex" in collision_parts(mj)
    return {name: np.array([value], np.int32) for name, value in needs.items()}


def _descendants(mj):
    """Number of rows of M below each dof that hold its column."""
    count = np.zeros(mj.nv, np.int32)
    for k in range(mj.nv):
        adr, nnz = mj.M_rowadr[k], mj.M_rownnz[k]
        count[mj.M_colind[adr : adr + nnz - 1]] += 1
    return count


def _drift(mj):
    """3 where a row of M begins with the three columns of a free joint's translation, else 0."""
    drift = np.zeros(mj.nv, np.int32)
    for i in np.flatnonzero(mj.M_rownnz >= 3):
        first = mj.M_colind[mj.M_rowadr[i]]
        if mj.jnt_type[mj.dof_jntid[first]] == mujoco.mjtJoint.mjJNT_FREE:
            drift[i] = 3
    return drift
