"""A plane against round geoms, cylinders and boxes.

The plane is geom 1, an infinite half-space below its z axis. Whatever stands on it is judged by a
few of its own points: the distance is that of the point above the plane, and the contact lies
halfway between the point and the plane, so that half of a penetration is on either side.
"""

from ...lanes import concat, kernel, not_, splat, sqrt, vec, where
from ...mjconst import MINVAL
from ..spatial import column, cross, dot3, mat_t_vec, mat_vec, normalize3
from .found import normal_only, offer

HALF_SQRT3 = 0.8660254037844386


@kernel
def plane_sphere(m, d, g1, g2, reach, mask):
    """The lowest point of a sphere."""
    normal = column(d.geom_xmat[g1], 2)
    centre, radius = d.geom_xpos[g2], m.geom_size[g2, 0]
    height = dot3(centre - d.geom_xpos[g1], normal)
    dist = height - radius
    pos = centre + normal * (-dist * 0.5 - radius)
    return offer(d, 0, mask & not_(height > reach + radius), dist, pos, normal_only(normal))


@kernel
def plane_capsule(m, d, g1, g2, reach, mask):
    """The lowest points of both ends, upper end of the axis first; the tangent is the axis."""
    normal, axis = column(d.geom_xmat[g1], 2), column(d.geom_xmat[g2], 2)
    radius, half = m.geom_size[g2, 0], m.geom_size[g2, 1]
    n = 0
    for end in range(2):
        centre = d.geom_xpos[g2] + axis * (half * (1.0 - 2.0 * end))
        height = dot3(centre - d.geom_xpos[g1], normal)
        dist = height - radius
        pos = centre + normal * (-dist * 0.5 - radius)
        touch = mask & not_(height > reach + radius)
        n = offer(d, n, touch, dist, pos, concat(normal, axis))
    return n


@kernel
def plane_ellipsoid(m, d, g1, g2, reach, mask):
    """The lowest point of an ellipsoid: S^2 n / |S n| below the centre, S the half-axes."""
    normal, R, size = column(d.geom_xmat[g1], 2), d.geom_xmat[g2], m.geom_size[g2]
    down = mat_t_vec(R, -normal)
    scaled = vec(down[0] * size[0], down[1] * size[1], down[2] * size[2])
    flat = dot3(scaled, scaled)
    none = flat < MINVAL * MINVAL
    s = size * (1.0 / sqrt(where(none, 1.0, flat)))
    local = vec(scaled[0] * s[0], scaled[1] * s[1], scaled[2] * s[2])
    local = where(none, vec(size[0], 0.0, 0.0), local)
    lowest = d.geom_xpos[g2] + mat_vec(R, local)
    dist = dot3(lowest - d.geom_xpos[g1], normal)
    touch = mask & not_(dist > reach)
    return offer(d, 0, touch, dist, lowest - normal * (dist * 0.5), normal_only(normal))


@kernel
def plane_cylinder(m, d, g1, g2, reach, mask):
    """The lowest points of both rims, then two more of the lower rim, 120 degrees to either side.

    The others count only if the lowest point of all does. A cylinder that stands upright has no
    lowest point of a rim: the one on its x axis is taken.
    """
    normal, R = column(d.geom_xmat[g1], 2), d.geom_xmat[g2]
    centre, radius, half = d.geom_xpos[g2], m.geom_size[g2, 0], m.geom_size[g2, 1]
    # the axis, turned to point down
    axis = column(R, 2)
    slope = dot3(normal, axis)
    up = slope > 0.0
    axis, slope = where(up, -axis, axis), where(up, -slope, slope)
    height = dot3(centre - d.geom_xpos[g1], normal)

    # from the axis to the lowest point of a rim
    out = axis * slope - normal
    flat = dot3(out, out)
    upright = flat < MINVAL * MINVAL
    out = where(upright, column(R, 0) * radius, out * (radius / sqrt(where(upright, 1.0, flat))))
    axis, slope, fall = axis * half, slope * half, dot3(out, normal)
    side = normalize3(cross(out, axis)) * (radius * HALF_SQRT3)

    # lower rim, upper rim, then either side of the lower one
    n, first = 0, mask & (height + slope + fall <= reach)
    for k in range(4):
        if k < 2:
            sign = 1.0 - 2.0 * k
            dist = height + slope * sign + fall
            point = centre + out + axis * sign
        else:
            dist = height + slope - fall * 0.5
            point = centre + side * (5.0 - 2.0 * k) + axis - out * 0.5
        touch = first & (dist <= reach)
        n = offer(d, n, touch, dist, point - normal * (dist * 0.5), normal_only(normal))
    return n


@kernel
def plane_box(m, d, g1, g2, reach, mask):
    """The corners that are not above the centre, x fastest; at most four in each world."""
    normal, R, size = column(d.geom_xmat[g1], 2), d.geom_xmat[g2], m.geom_size[g2]
    centre = d.geom_xpos[g2]
    height = dot3(centre - d.geom_xpos[g1], normal)
    n, count = 0, splat(0.0)
    for i in range(8):
        x, y, z = 2.0 * (i & 1) - 1.0, 1.0 * (i & 2) - 1.0, 0.5 * (i & 4) - 1.0
        corner = mat_vec(R, vec(size[0] * x, size[1] * y, size[2] * z))
        rise = dot3(normal, corner)
        dist = height + rise
        touch = mask & not_((dist > reach) | (rise > 0.0)) & (count < 4.0)
        count = count + where(touch, 1.0, 0.0)
        pos = centre + corner + normal * (-0.5 * dist)
        n = offer(d, n, touch, dist, pos, normal_only(normal))
    return n
