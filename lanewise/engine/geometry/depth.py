"""How deep points are inside a geom, as MuJoCo's tactile sensor counts it.

With p in the axes of the geom and s its sizes, the signed distance is exact for planes, spheres,
capsules and cylinders, and an estimate for two shapes:

    (1)  ellipsoid:  k0 (k0 - 1) / k1,     k0 = |p / s|,  k1 = |p / s^2|
    (2)  box:        -min_i(s_i t_i^2) |1 / t|,     t_i = 1 - |p_i| / s_i

Only the sign matters outside.
"""

from ...lanes import abs_, any_lane, clip, kernel, maximum, minimum, splat, sqrt, vec, where
from ...mjconst import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_PLANE,
    GEOM_SPHERE,
)
from ..spatial import norm3

OUTSIDE = 1.0  # a distance of shapes that have no inside here: height fields, meshes


@kernel
def signed_depth(kind, p, size):
    """The distance of a point, negative inside; the type of the geom may differ between worlds."""
    dist = splat(OUTSIDE)
    if any_lane(kind == GEOM_PLANE):
        dist = where(kind == GEOM_PLANE, p[2], dist)
    if any_lane(kind == GEOM_SPHERE):
        dist = where(kind == GEOM_SPHERE, norm3(p) - size[0], dist)
    if any_lane(kind == GEOM_CAPSULE):
        r = vec(p[0], p[1], p[2] - clip(p[2], -size[1], size[1]))
        dist = where(kind == GEOM_CAPSULE, norm3(r) - size[0], dist)
    if any_lane(kind == GEOM_CYLINDER):
        across = sqrt(p[0] * p[0] + p[1] * p[1]) - size[0]
        dist = where(kind == GEOM_CYLINDER, maximum(across, abs_(p[2]) - size[1]), dist)
    if any_lane(kind == GEOM_ELLIPSOID):
        dist = where(kind == GEOM_ELLIPSOID, ellipsoid_depth(p, size), dist)
    if any_lane(kind == GEOM_BOX):
        dist = where(kind == GEOM_BOX, box_depth(p, size), dist)
    return dist


@kernel
def ellipsoid_depth(p, size):
    """(1); its limit at the centre depends on the direction, and is taken as the least size"""
    u = vec(p[0] / size[0], p[1] / size[1], p[2] / size[2])
    k0, k1 = norm3(u), norm3(vec(u[0] / size[0], u[1] / size[1], u[2] / size[2]))
    least = minimum(minimum(size[0], size[1]), size[2])
    return where(k1 > 0.0, k0 * (k0 - 1.0) / where(k1 > 0.0, k1, 1.0), -least)


@kernel
def box_depth(p, size):
    """(2)"""
    t = vec(
        1.0 - abs_(p[0]) / size[0], 1.0 - abs_(p[1]) / size[1], 1.0 - abs_(p[2]) / size[2]
    )  # fmt: skip
    inside = (t[0] > 0.0) & (t[1] > 0.0) & (t[2] > 0.0)
    t = where(inside, t, vec(splat(1.0), splat(1.0), splat(1.0)))
    least = minimum(size[0] * t[0] * t[0], size[1] * t[1] * t[1])
    least = minimum(least, size[2] * t[2] * t[2])
    return where(inside, -least * norm3(vec(1.0 / t[0], 1.0 / t[1], 1.0 / t[2])), OUTSIDE)
