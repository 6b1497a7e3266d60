"""Spheres and capsules against each other, cylinders and boxes.

All of them come down to a sphere and a point: the nearest point of the other geom's core (a centre,
a segment, a box) carries a sphere of the other's radius, and two spheres touch on the line of their
centres. A sphere whose centre is inside a cylinder or a box leaves through the nearest face.

A capsule has a second contact where it lies along something: on a parallel capsule, and on a face
or an edge of a box.
"""

from ...lanes import abs_, any_lane, clip, kernel, minimum, not_, splat, sqrt, vec, where
from ...mjconst import MINVAL
from ..spatial import column, cross, dot3, mat_t_vec, mat_vec, norm3, normalize3, zeros3
from .axes import dot_turned, renamed, turned
from .found import DIRECT, normal_only, offer, place_pair, placed_pair

PARALLEL = 1e-8  # squared sine of the angle below which segments are parallel
SLACK = 1.0 + 1e-9  # for round-off, in a test that only saves work


@kernel(inline=True)
def spheres_within(p1, radius1, p2, radius2, reach):
    """Are two spheres no farther apart than reach?"""
    apart, most = p2 - p1, reach + radius1 + radius2
    return not_(dot3(apart, apart) > most * most)


@kernel(inline=True)
def spheres(p1, radius1, axis1, p2, radius2, axis2):
    """(dist, pos, normal) of two spheres.

    Where the centres coincide, the normal is orthogonal to the geoms' z axes, x if these agree.
    """
    apart = p2 - p1
    gap = norm3(apart)
    dist = gap - radius1 - radius2
    normal = normalize3(apart)
    same = gap < MINVAL
    if any_lane(same):
        normal = where(same, normalize3(cross(axis1, axis2)), normal)
    return dist, p1 + normal * (radius1 + dist * 0.5), normal


@kernel(inline=True)
def offer_spheres(d, n, on, p1, radius1, axis1, p2, radius2, axis2, reach):
    """Offer the contact of two spheres after n others; most pairs end at the first test."""
    touch = on & spheres_within(p1, radius1, p2, radius2, reach)
    if not any_lane(touch):
        return n
    dist, pos, normal = spheres(p1, radius1, axis1, p2, radius2, axis2)
    return offer(d, n, touch, dist, pos, normal_only(normal))


@kernel
def sphere_sphere(m, d, g1, g2, reach, mask):
    axis1, axis2 = column(d.geom_xmat[g1], 2), column(d.geom_xmat[g2], 2)
    radius1, radius2 = m.geom_size[g1, 0], m.geom_size[g2, 0]
    p1, p2 = d.geom_xpos[g1], d.geom_xpos[g2]
    return offer_spheres(d, 0, mask, p1, radius1, axis1, p2, radius2, axis2, reach)


@kernel
def sphere_capsule(m, d, g1, g2, reach, mask):
    """The sphere against the nearest point of the capsule's segment."""
    axis1, axis2 = column(d.geom_xmat[g1], 2), column(d.geom_xmat[g2], 2)
    radius1, radius2, half = m.geom_size[g1, 0], m.geom_size[g2, 0], m.geom_size[g2, 1]
    p1, p2 = d.geom_xpos[g1], d.geom_xpos[g2]
    near = p2 + axis2 * clip(dot3(axis2, p1 - p2), -half, half)
    return offer_spheres(d, 0, mask, p1, radius1, axis1, near, radius2, axis2, reach)


@kernel
def sphere_cylinder(m, d, g1, g2, reach, mask):
    """The sphere against the axis beside the cylinder, a cap over it, or else the rim.

    A centre inside the cylinder leaves through the nearer of side and cap.
    """
    axis1, axis2 = column(d.geom_xmat[g1], 2), column(d.geom_xmat[g2], 2)
    r, radius, half = m.geom_size[g1, 0], m.geom_size[g2, 0], m.geom_size[g2, 1]
    p1, p2 = d.geom_xpos[g1], d.geom_xpos[g2]
    rel = p1 - p2
    x = dot3(axis2, rel)
    across = rel - axis2 * x
    away2 = dot3(across, across)
    away = sqrt(away2)
    # the centre is beside the cylinder, over a cap, both (inside: the nearer one), or neither
    beside, over = abs_(x) < half, away2 < radius * radius
    to_cap = half - abs_(x) < radius - away
    side, cap = beside & not_(over & to_cap), over & not_(beside & not_(to_cap))
    up = where(x > 0.0, 1.0, -1.0)

    # beside: the axis with the cylinder's radius; neither: a point of the rim
    rim = axis2 * (up * half) + across * (radius / away)
    point = p2 + where(side, axis2 * x, rim)
    radius2 = where(side, radius, 0.0)
    # a cap is a plane under the sphere
    outward = axis2 * up
    height = dot3(p1 - (p2 + outward * half), outward)
    near = not_(cap) & spheres_within(p1, r, point, radius2, reach)
    touch = mask & (near | (cap & not_(height > reach + r)))
    if not any_lane(touch):
        return 0
    dist, pos, normal = spheres(p1, r, axis1, point, radius2, axis2)
    dist = where(cap, height - r, dist)
    pos = where(cap, p1 + outward * (-dist * 0.5 - r), pos)
    return offer(d, 0, touch, dist, pos, normal_only(where(cap, -outward, normal)))


@kernel
def capsule_capsule(m, d, g1, g2, reach, mask):
    """The nearest points of two segments; of parallel ones, those nearest to the first one's ends.

    The segments are a1 + s u and a2 + t v, s and t between 0 and 1. Below an angle of 1e-4 they
    count as parallel; then both candidates may be one point, if the segments do not overlap.
    """
    axis1, axis2 = column(d.geom_xmat[g1], 2), column(d.geom_xmat[g2], 2)
    radius1, half1 = m.geom_size[g1, 0], m.geom_size[g1, 1]
    radius2, half2 = m.geom_size[g2, 0], m.geom_size[g2, 1]
    p1, p2 = d.geom_xpos[g1], d.geom_xpos[g2]
    # of most pairs even the lines are too far apart
    normal, most = cross(axis1, axis2), reach + radius1 + radius2
    nn, between = dot3(normal, normal), dot3(normal, p1 - p2)
    missed = (nn > 2.0 * PARALLEL) & (between * between > most * most * nn * SLACK)
    if not any_lane(mask & not_(missed)):
        return 0

    # ends and spans of the segments, as MuJoCo rounds them
    u, v = axis1 * half1, axis2 * half2
    a1, a2 = p1 - u, p2 - v
    u, v, rel = p1 + u - a1, p2 + v - a2, a1 - a2
    uu, vv, uv, ur, vr = dot3(u, u), dot3(v, v), dot3(u, v), dot3(u, rel), dot3(v, rel)
    normal = cross(u, v)
    nn = dot3(normal, normal)
    # s where the lines are nearest, for lines that have such a place
    point1, point2 = uu <= MINVAL, vv <= MINVAL
    parallel = not_(nn > PARALLEL * uu * vv) & not_(point1 | point2)
    first = clip(dot3(normal, cross(v, rel)) / nn, 0.0, 1.0)
    n, wanted = 0, mask
    for k in range(2):
        # t nearest to that, or to an end of the first segment if they are parallel
        s = where(point1, 0.0, where(parallel, 1.0 * k, first))
        t = (uv * s + vr) / vv
        before, after = point2 | (t < 0.0), t > 1.0
        if any_lane((before | after) & not_(point1)):
            # the end of the second segment is nearest: back to the first one
            s_end = clip(where(after, uv - ur, -ur) / uu, 0.0, 1.0)
            s = where((before | after) & not_(point1), s_end, s)
        t = where(before, 0.0, where(after, 1.0, t))
        x, y = a1 + u * s, a2 + v * t
        n = offer_spheres(d, n, wanted, x, radius1, axis1, y, radius2, axis2, reach)
        wanted = wanted & parallel
        if not any_lane(wanted):
            break
    return n


# ------------------------------------------------------------------------------ with a box


@kernel
def sphere_in_box(c, r, size, reach):
    """(touch, dist, pos, normal) of a sphere at c and a box, in the axes of the box.

    An axis along which the box has no size does not bound it: the box is not clamped to there.
    """
    # the nearest point of the box
    inner = vec(
        where(size[0] > 0.0, clip(c[0], -size[0], size[0]), c[0]),
        where(size[1] > 0.0, clip(c[1], -size[1], size[1]), c[1]),
        where(size[2] > 0.0, clip(c[2], -size[2], size[2]), c[2]),
    )
    gap = norm3(inner - c)
    normal = normalize3(inner - c)
    touch = not_(gap - r > reach)
    pos = (inner + (c + normal * r)) * 0.5
    inside = gap <= MINVAL
    if any_lane(inside):
        # through the nearest face; the normal points inwards
        nearest, exit = splat(2.0 * (size[0] + size[1] + size[2])), zeros3()
        q, s = c, size
        for _ in range(3):
            low, high = abs_(s[0] + q[0]), abs_(s[0] - q[0])
            exit = where(nearest > low, vec(1.0, 0.0, 0.0), exit)
            nearest = where(nearest > low, low, nearest)
            exit = where(nearest > high, vec(-1.0, 0.0, 0.0), exit)
            nearest = where(nearest > high, high, nearest)
            q, s, exit = turned(q), turned(s), turned(exit)
        gap, normal = where(inside, -nearest, gap), where(inside, exit, normal)
        pos = where(inside, c + exit * ((r - nearest) * 0.5), pos)
    return touch, gap - r, pos, normal


@kernel
def sphere_box(m, d, g1, g2, reach, mask):
    R, p = d.geom_xmat[g2], d.geom_xpos[g2]
    centre = mat_t_vec(R, d.geom_xpos[g1] - p)
    touch, dist, pos, normal = sphere_in_box(centre, m.geom_size[g1, 0], m.geom_size[g2], reach)
    return offer(d, 0, mask & touch, dist, p + mat_vec(R, pos), normal_only(mat_vec(R, normal)))


FACE, EDGE, CORNER = 1.0, 2.0, 3.0  # what of a box is nearest to a segment


@kernel
def capsule_box(m, d, g1, g2, reach, mask):
    """Two spheres on the capsule's segment: at the point nearest to the box, and a second one."""
    place_pair(m, d, g1, g2, reach)
    return capsules_touch(d, DIRECT, mask, 0)


@kernel
def capsules_touch(d, row, mask, first):
    """capsule_box of the capsules and boxes in a row of pair_shapes, from candidate `first` on

    Everything is in the axes of the box. The segment is c + t h with t between -1 and 1. The
    second point is as far along the segment as this runs over the face or the edge that the first
    one is at.
    """
    size1, size, p1, p, R1, R, reach = placed_pair(d, row)
    radius, half = size1[0], size1[1]
    # the segment in the axes of the box, and which of its points is nearest: t, at what (kind) of
    # the box, across or along which axis (lead)
    c = mat_t_vec(R, p1 - p)
    axis = mat_t_vec(R, column(R1, 2))
    h, far = axis * half, splat(2.0 * (radius + half + size[0] + size[1] + size[2]) + reach)
    best, t, kind, lead = nearest_end(c, h, size, far * far)
    best, t, kind, lead, x, corner = nearest_edge(c, h, half * half, size, best, t, kind, lead)
    more, second = second_point(c, axis, h, size, t, kind, lead, x, corner)

    # a sphere at each of the two points
    n, wanted = first, mask & (kind > 0.0)
    for _ in range(2):
        # there and back again, as MuJoCo does, for the same rounding
        centre = mat_t_vec(R, p + mat_vec(R, c + h * t) - p)
        touch, dist, pos, normal = sphere_in_box(centre, radius, size, reach)
        n = offer(d, n, wanted & touch, dist, p + mat_vec(R, pos), normal_only(mat_vec(R, normal)))
        t = second + t
        wanted = wanted & more
        if not any_lane(wanted):
            break
    return n


@kernel
def nearest_end(c, h, size, far):
    """(squared distance, t, kind, axis of the face) of an end that is over a face of the box.

    An end inside the box is at no face: axis -1.
    """
    best, t, kind, lead = far, splat(0.0), splat(0.0), splat(-1.0)
    for k in range(2):
        # how many of the coordinates are outside, which one, and how far from the box
        sign = 2.0 * k - 1.0
        q, s = c + h * sign, size
        outside, face, gap2 = splat(0.0), splat(-1.0), splat(0.0)
        for j in range(3):
            gap = q[0] - clip(q[0], -s[0], s[0])
            out = (q[0] < -s[0]) | (q[0] > s[0])
            outside, face = outside + where(out, 1.0, 0.0), where(out, 1.0 * j, face)
            gap2 = gap2 + gap * gap
            q, s = turned(q), turned(s)
        better = (outside <= 1.0) & (gap2 < best)
        best, t = where(better, gap2, best), where(better, sign, t)
        kind, lead = where(better, FACE, kind), where(better, face, lead)
    return best, t, kind, lead


@kernel
def nearest_edge(c, h, hh, size, best, t, kind, lead):
    """The same, if one of the twelve edges is nearer; and the point and the corner of the edge.

    The point is x between -1 and 1 along the edge. A corner is three numbers, 1 on its upper sides;
    for a point between the corners of an edge, the lower one.
    """
    x, corner = splat(0.0), zeros3()
    for j in range(3):
        # the edges along the first axis
        aa, ab = size[0] * size[0], -size[0] * h[0]
        det = hh * aa - ab * ab
        skew = not_(abs_(det) < MINVAL)
        by_det, by_aa, by_hh = 1.0 / det, 1.0 / aa, 1.0 / hh
        for k in range(4):
            # MuJoCo's corners go x fastest
            b1, b2 = k & 1, k >> 1
            if j == 1:
                b1, b2 = b2, b1
            gap = vec(-c[0], size[1] * (2.0 * b1 - 1.0) - c[1], size[2] * (2.0 * b2 - 1.0) - c[2])
            # where the lines are nearest: x1 along the edge, x2 along the segment
            u, v = -size[0] * gap[0], dot_turned(h, gap, j)
            x1, x2 = (hh * u - ab * v) * by_det, (aa * v - ab * u) * by_det
            # kept within the edge, then within the segment; each clamp moves the other point
            high, low = x1 > 1.0, x1 < -1.0
            at = where(high, 2.0, where(low, 0.0, 1.0))
            x2 = where(high, (v - ab) * by_hh, where(low, (v + ab) * by_hh, x2))
            x1 = clip(x1, -1.0, 1.0)
            high, low = x2 > 1.0, x2 < -1.0
            x1 = where(high, (u - ab) * by_aa, where(low, (u + ab) * by_aa, x1))
            clamped = high | low
            at = where(clamped & (x1 > 1.0), 2.0, where(clamped & (x1 < -1.0), 0.0, at))
            x1, x2 = clip(x1, -1.0, 1.0), clip(x2, -1.0, 1.0)
            # the nearest so far, and whether it is at an end of the edge
            gap = gap - h * x2 + vec(size[0] * x1, 0.0, 0.0)
            gap2 = dot_turned(gap, gap, j)
            better = skew & (gap2 < best - MINVAL)
            best, t, x = where(better, gap2, best), where(better, x2, t), where(better, x1, x)
            kind = where(better, where(at == 1.0, EDGE, CORNER), kind)
            lead = where(better, 1.0 * j, lead)
            corner = where(better, vec(where(at == 2.0, 1.0, 0.0), 1.0 * b1, 1.0 * b2), corner)
        c, h, size, corner = turned(c), turned(h), turned(size), turned(corner)
    return best, t, kind, lead, x, corner


@kernel
def second_point(c, axis, h, size, t, kind, lead, x, corner):
    """(exists, from the first point to the second along the segment)"""
    up = vec(where(h[0] > 0.0, 1.0, 0.0), where(h[1] > 0.0, 1.0, 0.0), where(h[2] > 0.0, 1.0, 0.0))
    # 1 in the axes in which the segment points from the corner's side to the other
    differ = vec(abs_(up[0] - corner[0]), abs_(up[1] - corner[1]), abs_(up[2] - corner[2]))
    # at a corner, the axis in which the segment turns another way than in the other two
    ways = differ[0] + differ[1] + differ[2]
    odd = where(ways == 1.0, 1.0, 0.0)
    lone = where(differ[1] == odd, 1.0, where(differ[2] == odd, 2.0, 0.0))
    lead = where(kind == CORNER, lone, lead)
    # rename the axes so that this one, or that of the edge or the face, is the first
    c, axis, h = renamed(c, lead), renamed(axis, lead), renamed(h, lead)
    size, differ = renamed(size, lead), renamed(differ, lead)
    up0 = where(h[0] > 0.0, 1.0, 0.0)
    # how much of the segment it takes to cross half of the box along each axis
    reach0, reach1, reach2 = size[0] / abs_(h[0]), size[1] / abs_(h[1]), size[2] / abs_(h[2])

    # over a face: until the other end, or to where the segment leaves the face
    way = -t
    face, start = splat(2.0), c + h * t
    for k in range(2):
        sign = 2.0 * k - 1.0
        e1 = (size[1] * sign - start[1]) / h[1] * way
        e2 = (size[2] * sign - start[2]) / h[2] * way
        face = where((e1 > 0.0) & (e1 < face), e1, face)
        face = where((e2 > 0.0) & (e2 < face), e2, face)
    face, on_face = face * way, lead >= 0.0

    # on an edge: over the face that the segment makes the smaller angle with
    one = abs_(axis[1]) > abs_(axis[2])
    away = where(one, differ[1], differ[2])
    way = where(away > 0.0, 1.0, -1.0)
    edge = minimum(2.0 * where(one, reach1, reach2), 1.0 - way * t)
    edge = minimum(size[0] * (1.0 - where(up0 == away, x, -x)) / abs_(h[0]), edge) * way
    on_edge = differ[1] + differ[2] == 1.0

    # at a corner: along an edge, or over a face
    way = where(ways == 1.0, 1.0, -1.0)
    along_edge = minimum(2.0 * reach0, 1.0 - way * t) * way
    over_face = minimum(2.0 * reach2, minimum(2.0 * reach1, 1.0 + way * t)) * -way
    at_corner = where(axis[0] * axis[0] > 0.5, along_edge, over_face)
    on_corner = (ways == 1.0) | (ways == 2.0)

    is_face, is_edge = kind == FACE, kind == EDGE
    exists = (is_face & on_face) | (is_edge & on_edge) | ((kind == CORNER) & on_corner)
    return exists, where(is_face, face, where(is_edge, edge, at_corner))
