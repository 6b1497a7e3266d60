"""Which bodies are near each other: the bounding test for all eight worlds of a gang at once.

Every body that can collide gets a sphere around its geoms, inflated by their margins and gaps; two
bodies are looked at closely where their spheres overlap in some world. One test takes a few
nanoseconds for eight worlds; where bodies are many, grid.py leaves out most of the tests. A body
with a plane, and the world with whatever stands in it, have an infinite sphere: they are near
everything.

Pairs of geoms are tested again by spheres of their own, and where the narrow phase is costly by the
boxes around them.
"""

from ...lanes import abs_, any_lane, concat, kernel, maximum, minimum, splat, vec, where
from ...mjconst import ENBL_OVERRIDE, GEOM_PLANE
from ..spatial import column, dot3, mat_t_vec, mat_vec, norm3

EVERYWHERE = 1e100  # radius of what has no bounds; its square is finite
ROUNDING = 1.0 + 1e-12  # so that nothing that just touches is lost


@kernel
def find_bodies(m, d):
    """Number the bodies that can collide, put spheres around them and their geoms; how many."""
    n = 0
    for b in range(m.nbody):
        d.near_rank[b] = n
        if m.body_contype[b] | m.body_conaffinity[b]:
            for g in range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b]):
                if m.geom_contype[g] | m.geom_conaffinity[g]:
                    d.near_geom[g] = concat(d.geom_xpos[g], vec(own_reach(m, g) * ROUNDING))
            d.near_body[n] = b
            d.near_sphere[n] = body_sphere(m, d, b)
            n += 1
    return n


@kernel
def body_sphere(m, d, b):
    """Centre and radius of a sphere that holds the geoms of a body which can collide."""
    first, end = m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b]
    if b == 0 or end <= first or has_plane(m, b):
        return vec(splat(0.0), splat(0.0), splat(0.0), splat(EVERYWHERE))
    if end == first + 1:
        return d.near_geom[first]
    # around the middle of the box that holds the geoms' centres
    low, high = d.geom_xpos[first], d.geom_xpos[first]
    for g in range(first + 1, end):
        p = d.geom_xpos[g]
        low = vec(minimum(p[0], low[0]), minimum(p[1], low[1]), minimum(p[2], low[2]))
        high = vec(maximum(p[0], high[0]), maximum(p[1], high[1]), maximum(p[2], high[2]))
    centre, radius = (low + high) * 0.5, splat(0.0)
    for g in range(first, end):
        if m.geom_contype[g] | m.geom_conaffinity[g]:
            radius = maximum(radius, norm3(d.geom_xpos[g] - centre) + d.near_geom[g, 3])
    return concat(centre, vec(radius * ROUNDING))


@kernel
def has_plane(m, b):
    for g in range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b]):
        if m.geom_type[g] == GEOM_PLANE:
            return True
    return False


@kernel
def own_reach(m, g):
    """How far from its centre a geom can touch anything, with its share of margin and gap."""
    margin = m.geom_margin[g]
    if m.opt.enableflags & ENBL_OVERRIDE:
        margin = 0.5 * m.opt.o_margin
    bound = m.geom_rbound[g]
    return where(bound > 0.0, bound + margin + m.geom_gap[g], EVERYWHERE)


@kernel(inline=True)
def overlap(a, b):
    """The lanes in which two spheres overlap."""
    apart = a[0:3] - b[0:3]
    reach = a[3] + b[3]
    return dot3(apart, apart) <= reach * reach


@kernel
def geoms_near(m, d, g1, g2, reach):
    """The lanes in which the bounding spheres of two geoms, the first of lower type, overlap."""
    apart = d.geom_xpos[g2] - d.geom_xpos[g1]
    bound1, bound2 = m.geom_rbound[g1], m.geom_rbound[g2]
    if m.geom_type[g1] == GEOM_PLANE:
        R = d.geom_xmat[g1]
        height = apart[0] * R[2] + apart[1] * R[5] + apart[2] * R[8]
        return (height <= reach + bound2) | (bound2 <= 0.0)
    bound = bound1 + bound2 + reach
    return (dot3(apart, apart) <= bound * bound) | (bound1 <= 0.0) | (bound2 <= 0.0)


@kernel
def boxes_near(m, d, g1, g2, reach):
    """The lanes in which no face of two geoms' boxes separates them; the first may be a plane.

    Along the normal of a face the boxes are apart where the distance of their centres exceeds the
    sum of how far both reach.
    """
    R1, R2 = d.geom_xmat[g1], d.geom_xmat[g2]
    box1, box2 = m.geom_aabb[g1], m.geom_aabb[g2]
    half1, half2 = box1[3:6], box2[3:6]
    apart = d.geom_xpos[g2] + mat_vec(R2, box2[0:3]) - d.geom_xpos[g1]
    slack = reach + m.opt.ccd_tolerance  # by which the convex method may be off
    # the axes of the first box in the second
    x, y, z = (
        mat_t_vec(R2, column(R1, 0)),
        mat_t_vec(R2, column(R1, 1)),
        mat_t_vec(R2, column(R1, 2)),
    )
    if m.geom_type[g1] == GEOM_PLANE:
        return dot3(apart, column(R1, 2)) <= extent(half2, z) * ROUNDING + slack
    # the faces of the first box, then those of the second
    apart = apart - mat_vec(R1, box1[0:3])
    t = mat_t_vec(R1, apart)
    near = overlap_along(t[0], half1[0] + extent(half2, x), slack)
    near = near & overlap_along(t[1], half1[1] + extent(half2, y), slack)
    near = near & overlap_along(t[2], half1[2] + extent(half2, z), slack)
    if any_lane(near):
        t = mat_t_vec(R2, apart)
        near = near & overlap_along(t[0], half2[0] + extent(half1, vec(x[0], y[0], z[0])), slack)
        near = near & overlap_along(t[1], half2[1] + extent(half1, vec(x[1], y[1], z[1])), slack)
        near = near & overlap_along(t[2], half2[2] + extent(half1, vec(x[2], y[2], z[2])), slack)
    return near


@kernel(inline=True)
def overlap_along(x, half, slack):
    """Whether intervals whose centres are x apart and that reach `half` together overlap."""
    return abs_(x) <= half * ROUNDING + slack


@kernel(inline=True)
def extent(half, axis):
    """How far a box reaches from its centre along an axis in its frame."""
    return half[0] * abs_(axis[0]) + half[1] * abs_(axis[1]) + half[2] * abs_(axis[2])
