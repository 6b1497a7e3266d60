"""Frames, velocities and accelerations of what a sensor can be attached to.

An object is a body with its inertial frame (OBJ_BODY) or its own (OBJ_XBODY), a geom, a site or a
camera, each fixed in a body B. With V and A the motion and acceleration of B about C, and r from C
to the object's origin P, its point moves with

    (1)  v = V_lin + w x r
    (2)  a = A_lin + alpha x r + w x v

A is that of a body at rest under gravity: (2) is what an accelerometer feels.
"""

from ...lanes import concat, kernel, vec
from ...mjconst import OBJ_BODY, OBJ_CAMERA, OBJ_GEOM, OBJ_SITE, OBJ_XBODY
from ..spatial import cross, mul_quat, zeros3


@kernel
def object_body(m, kind, k):
    """The body in which an object is fixed."""
    if kind == OBJ_GEOM:
        return m.geom_bodyid[k]
    if kind == OBJ_SITE:
        return m.site_bodyid[k]
    if kind == OBJ_CAMERA:
        return m.cam_bodyid[k]
    return k


@kernel
def object_position(m, d, kind, k):
    """p_WP"""
    if kind == OBJ_BODY:
        return d.xipos[k]
    if kind == OBJ_XBODY:
        return d.xpos[k]
    if kind == OBJ_GEOM:
        return d.geom_xpos[k]
    if kind == OBJ_SITE:
        return d.site_xpos[k]
    if kind == OBJ_CAMERA:
        return d.cam_xpos[k]
    return zeros3()


@kernel
def object_rotation(m, d, kind, k):
    """R_WP, by rows"""
    if kind == OBJ_BODY:
        return d.ximat[k]
    if kind == OBJ_XBODY:
        return d.xmat[k]
    if kind == OBJ_GEOM:
        return d.geom_xmat[k]
    if kind == OBJ_SITE:
        return d.site_xmat[k]
    if kind == OBJ_CAMERA:
        return d.cam_xmat[k]
    x, y, z = vec(1.0, 0.0, 0.0), vec(0.0, 1.0, 0.0), vec(0.0, 0.0, 1.0)
    return concat(concat(x, y), z) + d.xmat[0] * 0.0


@kernel
def object_quat(m, d, kind, k):
    """q_WP; of a camera, that in which it is mounted, whatever it follows"""
    if kind == OBJ_BODY:
        return d.xiquat[k]
    if kind == OBJ_XBODY:
        return d.xquat[k]
    if kind == OBJ_GEOM:
        return d.geom_xquat[k]
    if kind == OBJ_SITE:
        return d.site_xquat[k]
    if kind == OBJ_CAMERA:
        return mul_quat(d.xquat[m.cam_bodyid[k]], m.cam_quat[k])
    return d.xquat[0]


@kernel
def object_velocity(m, d, kind, k):
    """(w, v): angular velocity and (1), in W"""
    b = object_body(m, kind, k)
    V, r = d.cvel[b], object_position(m, d, kind, k) - d.subtree_com[m.body_rootid[b]]
    return concat(V[0:3], V[3:6] + cross(V[0:3], r))


@kernel
def object_acceleration(m, d, kind, k):
    """(alpha, a): angular acceleration and (2), in W"""
    b = object_body(m, kind, k)
    A, r = d.cacc[b], object_position(m, d, kind, k) - d.subtree_com[m.body_rootid[b]]
    w, v = object_velocity(m, d, kind, k)[0:3], object_velocity(m, d, kind, k)[3:6]
    return concat(A[0:3], A[3:6] + cross(A[0:3], r) + cross(w, v))
