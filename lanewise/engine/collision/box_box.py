"""Box against box: the axis along which they are farthest apart, then points on it.

In the axes of box 1, let box 2 be at p with its axes the columns of R, and let h1, h2 be the
half-sizes. Along a unit vector n the boxes are apart by

    (1)  s(n) = |n . p| - sum_i h1_i |n_i| - sum_j h2_j |n . R_j|

(negative: they overlap so far). They are apart if and only if s > 0 along one of 15 axes: the three
face normals of either box, and the nine directions that are orthogonal to an edge of each. Along
axis e_i of box 1, and across an edge of each,

    (2)  s = |p_i| - h1_i - sum_j h2_j |R_ij|
    (3)  n = e_i x R_j / |e_i x R_j|,   for i = j = x:  n ~ (0, -R_zx, R_yx)

The axis of the largest s (the least penetration) tells what touches what.

* A face of one box, the reference. The face of the other box that looks at it most is clipped by
  the sides of the reference face, and every corner of the polygon that is left makes a contact, at
  the distance of the corner from the reference face and halfway between the two.
* An edge of each. The nearest points of the two edges make one contact: of the lines c1 + s e and
  c2 + t u, where c is the cosine between e and u,

    (4)  s = ((c2 - c1) . e - c (c2 - c1) . u) / (1 - c^2)
    (5)  t = c s - (c2 - c1) . u
    (6)  s = c t + (c2 - c1) . e

  each kept within its edge before the next is found.

A face axis gives several points where an edge axis gives one, so it is preferred: with s_f the best
separation of the faces and s_e that of an edge axis, the edges count if

    (7)  s_e - 1e-6 |s_e| > s_f,  and  s_e >= s_f + 0.05 |s_f|  where both axes are nearly parallel

Lanes differ in all of this, so the axes of the boxes are renamed lane by lane (in a circle, which
keeps them right-handed, see axes.py) until the chosen axis is the first one, and from there on the
code is the same for all lanes. Polygons have as many corners as they have in a lane: corner k of
lane w is the k-th of world w.

Where two faces are parallel, both have the same separation up to round-off, and the rounding
decides which of them is the reference: the contacts are the same points in another order. A test
for exact equality takes the first box.
"""

from ...lanes import (
    abs_,
    any_lane,
    clip,
    concat,
    highest,
    kernel,
    maximum,
    minimum,
    not_,
    splat,
    sqrt,
    vec,
    where,
)
from ...mjconst import MAXVAL, MINVAL
from ..spatial import column, dot3, mat_t_vec, mat_vec, normalize3
from .axes import (
    columns_renamed,
    columns_turned,
    renamed,
    renamed_back,
    rows_renamed,
    rows_turned,
    transposed,
    turned,
)
from .found import DIRECT, normal_only, offer, place_pair, placed_pair

ROUNDING = 1e-13  # of a separation, relative to the sizes of the boxes
SIN2_PARALLEL = 1e-16  # squared sine below which edges have no common normal
EITHER_SIDE = 1e-9  # component of an axis below which both sides of a box support it
SAME_CORNER = 1e-14  # squared distance of corners that are one, relative to the face
EDGE_BIAS = 1e-6
HARDLY = 1.0 + EDGE_BIAS  # less than (1 + EDGE_BIAS)^2
EDGE_GAIN = 0.05
ALIKE = 0.99  # cosine between an edge axis and a face axis that say the same
CORNERS = 8  # of a face clipped by four sides
CAPACITY = 12  # rows of clip_vertex for a polygon; it holds two


@kernel
def box_box(m, d, g1, g2, reach, mask):
    """The corners of a face of one box over a face of the other, or a point between two edges."""
    place_pair(m, d, g1, g2, reach)
    return boxes_touch(d, DIRECT, mask, 0)


@kernel
def boxes_touch(d, row, mask, first):
    """box_box of the boxes in a row of pair_shapes, from candidate `first` on"""
    size1, size2, p_W1, p_W2, R_W1, R_W2, reach = placed_pair(d, row)
    # each box as the other sees it
    p_12, p_21 = mat_t_vec(R_W1, p_W2 - p_W1), mat_t_vec(R_W2, p_W1 - p_W2)
    R_12 = concat(
        concat(mat_t_vec(R_W2, column(R_W1, 0)), mat_t_vec(R_W2, column(R_W1, 1))),
        mat_t_vec(R_W2, column(R_W1, 2)),
    )
    R_21 = transposed(R_12)
    extent = size1[0] + size1[1] + size1[2] + size2[0] + size2[1] + size2[2]
    slack = ROUNDING * extent
    far = reach + slack

    # the best face: axes 0 to 2 are those of box 1, 3 to 5 those of box 2
    face, axis = face_axes(R_12, p_12, size1, size2, 0.0, splat(-MAXVAL), splat(0.0))
    face, axis = face_axes(R_21, p_21, size2, size1, 3.0, face, axis)
    near = mask & not_(face > far)
    if not any_lane(near):
        return first
    # the best pair of edges, if better than that
    farthest, edge, i, j = edge_axes(R_12, p_12, size1, size2, face, far, slack, near)
    near = near & not_(farthest > far)
    second = axis >= 3.0
    a = where(second, axis - 3.0, axis)

    # lanes in which two edges touch: their axis (3), unless it says the same as the face's (7)
    n, by_edge = first, near & (i >= 0.0)
    if any_lane(by_edge):
        R = columns_renamed(rows_renamed(R_12, i), j)
        normal = renamed_back(normalize3(vec(0.0 * R[0], -R[6], R[3])), i)
        unit = vec(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
        face_normal = column(columns_renamed(where(second, R_12, unit), a), 0)
        alike = abs_(dot3(normal, face_normal)) > ALIKE
        by_edge = by_edge & not_(alike & (edge < face + EDGE_GAIN * abs_(face) + MINVAL))
        if any_lane(by_edge):
            # from box 1 to box 2, with both edges along the first axes
            normal = where(dot3(normal, p_12) < 0.0, -normal, normal)
            dist, mid = edge_contact(
                R, renamed(p_12, i), renamed(size1, i), renamed(size2, j), renamed(normal, i), i
            )
            pos = p_W1 + mat_vec(R_W1, renamed_back(mid, i))
            touch = by_edge & not_(dist > far)
            n = offer(d, n, touch, dist, pos, normal_only(mat_vec(R_W1, normal)))

    # all others in which the boxes are near
    by_face = near & not_(by_edge)
    if any_lane(by_face):
        # the face belongs to R, the reference; I is the other box
        R_WR = where(second, R_W2, R_W1)
        p_RI = renamed(where(second, p_21, p_12), a)
        R_RI = rows_renamed(where(second, R_21, R_12), a)
        size_R, size_I = renamed(where(second, size2, size1), a), where(second, size1, size2)
        side = where(p_RI[0] >= 0.0, 1.0, -1.0)
        incident_face(d, p_RI, R_RI, size_R, size_I, side)
        n = face_contacts(
            d, n, by_face, where(second, p_W2, p_W1), R_WR, a, size_R, side,
            where(second, -side, side), reach,
        )  # fmt: skip
    return n


@kernel
def face_axes(R, p, size, other, code, best, axis):
    """(largest separation, its axis) by (2), of what was best before and the faces of a box.

    The other box is at p with axes R; the axes of this one are numbered from code on.
    """
    for i in range(3):
        radius = abs_(R[0]) * other[0] + abs_(R[1]) * other[1] + abs_(R[2]) * other[2]
        apart = abs_(p[0]) - size[0] - radius
        better = apart > best
        best, axis = where(better, apart, best), where(better, code + i, axis)
        R, p, size = rows_turned(R), turned(p), turned(size)
    return best, axis


@kernel
def edge_axes(R, p, size1, size2, face, far, slack, on):
    """(largest separation that matters, the best one's, its axes i of box 1 and j of box 2).

    Along i x j; i is -1 if none is better than the best face, in the lanes `on`. Boxes are no
    longer near beyond `far`; by `slack` separations may be off.
    """
    # a negative s_e matters if |s_e| < |s_f| / (1 + EDGE_BIAS), or if it is too far already
    least2 = where(far < 0.0, MAXVAL, where(face < 0.0, face * face, 0.0))
    farthest, best, i_best, j_best = splat(-MAXVAL), face, splat(-1.0), splat(-1.0)
    # the axes are renamed after each round, so that i and j are always the first ones
    for i in range(3):
        for j in range(3):
            # (1) along e_i x R_j, which is |e_i x R_j| times that along (3); the edges themselves
            # have no share
            y, z = -R[6], R[3]
            sin2 = y * y + z * z
            radius1 = size1[1] * abs_(y) + size1[2] * abs_(z)
            radius2 = size2[1] * abs_(y * R[4] + z * R[7]) + size2[2] * abs_(y * R[5] + z * R[8])
            most = abs_(y * p[1] + z * p[2]) - radius1 - radius2 + slack
            # an axis that cannot be better than the face's needs no unit vector
            if any_lane(on & ((most > 0.0) | (HARDLY * (most * most) < least2 * sin2))):
                apart = along_edges(R, p, size1, size2, sin2)
                farthest = where(apart > farthest, apart, farthest)
                # the first half of (7)
                better = (apart - EDGE_BIAS * abs_(apart) > best) & (apart > face)
                best = where(better, apart, best)
                i_best, j_best = where(better, 1.0 * i, i_best), where(better, 1.0 * j, j_best)
            R, size2 = columns_turned(R), turned(size2)
        R, p, size1 = rows_turned(R), turned(p), turned(size1)
    return farthest, best, i_best, j_best


@kernel(inline=True)
def along_edges(R, p, size1, size2, sin2):
    """The separation (1) along (3); parallel edges have no common normal."""
    scale = 1.0 / sqrt(sin2)
    y, z = -R[6] * scale, R[3] * scale
    radius1 = size1[1] * abs_(y) + size1[2] * abs_(z)
    radius2 = size2[1] * abs_(y * R[4] + z * R[7]) + size2[2] * abs_(y * R[5] + z * R[8])
    apart = abs_(y * p[1] + z * p[2]) - radius1 - radius2
    return where(sin2 < SIN2_PARALLEL, -MAXVAL, apart)


@kernel
def edge_contact(R, p, size1, size2, normal, i):
    """(dist, position in box 1) of an edge of each box, both along their first axes.

    The normal, from box 1 to box 2, chooses which of the four edges. Where it is orthogonal to a
    face, both edges of the face will do, and of all pairs the nearest is taken.
    """
    # where the normal does not say on which side the edge is
    across = mat_t_vec(R, normal)
    either1 = abs_(normal[1]) < EITHER_SIDE
    either2 = not_(either1) & (abs_(normal[2]) < EITHER_SIDE)
    other1 = abs_(across[1]) < EITHER_SIDE
    other2 = not_(other1) & (abs_(across[2]) < EITHER_SIDE)
    direction = column(R, 0)
    cosine = R[0]
    sin2 = 1.0 - cosine * cosine
    # up to four pairs of edges
    nearest, x1, x2 = splat(MAXVAL), normal, normal
    for k in range(4):
        flip1, flip2 = 1.0 - 2.0 * (k >> 1), 1.0 - 2.0 * (k & 1)
        wanted = (either1 | either2 | (flip1 > 0.0)) & (other1 | other2 | (flip2 > 0.0))
        if not any_lane(wanted):
            continue
        # the middles of the two edges: box 1 outwards along the normal, box 2 against it
        corner1 = vec(
            0.0 * cosine,
            where(normal[1] >= 0.0, size1[1], -size1[1]) * where(either1, flip1, 1.0),
            where(normal[2] >= 0.0, size1[2], -size1[2]) * where(either2, flip1, 1.0),
        )
        corner2 = vec(
            0.0 * cosine,
            where(across[1] >= 0.0, -size2[1], size2[1]) * where(other1, flip2, 1.0),
            where(across[2] >= 0.0, -size2[2], size2[2]) * where(other2, flip2, 1.0),
        )
        corner2 = p + mat_vec(R, corner2)
        # (4) to (6), for corner1 + s x and corner2 + t direction
        rel = corner2 - corner1
        along1, along2 = rel[0], dot3(renamed_back(direction, i), renamed_back(rel, i))
        s = where(sin2 < MINVAL, 0.0, (along1 - cosine * along2) / sin2)
        s = clip(s, -size1[0], size1[0])
        t = clip(cosine * s - along2, -size2[0], size2[0])
        s = clip(along1 + cosine * t, -size1[0], size1[0])
        y1, y2 = corner1 + vec(s, 0.0, 0.0), corner2 + direction * t
        gap2 = dot3(y2 - y1, y2 - y1)
        better = wanted & (gap2 < nearest)
        nearest = where(better, gap2, nearest)
        x1, x2 = where(better, y1, x1), where(better, y2, x2)
    return dot3(x2 - x1, normal), (x1 + x2) * 0.5


@kernel
def incident_face(d, p, R, size, other, side):
    """The face of the other box that looks at the first axis of the reference, into clip_vertex.

    A corner is two coordinates in the reference face and the height above it; `side` is the
    reference face, -1 or 1.
    """
    # rename the other box's axes so that the one most along the reference normal is its first
    x, y, z = abs_(R[0]), abs_(R[1]), abs_(R[2])
    by = where(z > where(y > x, y, x), 2.0, where(y > x, 1.0, 0.0))
    R, other = columns_renamed(R, by), renamed(other, by)
    # the centre of its near face and the half-edges from there, all in the reference face's axes
    centre = p + column(R, 0) * (where(side * R[0] > 0.0, -1.0, 1.0) * other[0])
    centre = vec(centre[1], centre[2], side * centre[0] - size[0])
    u, v = vec(R[4], R[7], side * R[1]) * other[1], vec(R[5], R[8], side * R[2]) * other[2]
    for k in range(4):
        # counter-clockwise in u, v
        su, sv = 1.0 - 1.0 * ((k + 1) & 2), 1.0 - 1.0 * (k & 2)
        d.clip_vertex[k] = centre + u * su + v * sv


@kernel
def face_contacts(d, n, on, p_WR, R_WR, a, size, side, outward, reach):
    """Offer the corners of the incident face, clipped to the reference face, after n others.

    The face is across axis a of R_WR, which is the first one elsewhere here.
    """
    # cut off what is outside, along one axis of the face and then the other; often nothing is
    count, at = where(on, splat(4.0), 0.0), 0
    for c in range(2):
        limit = size[2] if c else size[1]
        if any_outside(d, at, count, c, limit):
            count = clip_band(d, at, CAPACITY - at, count, c, limit)
            at = CAPACITY - at
    # corners within reach, without those that were there before
    same2 = SAME_CORNER * (size[1] * size[1] + size[2] * size[2])
    frame = normal_only(column(columns_renamed(R_WR, a), 0) * outward)
    for k in range(highest(count)):
        x = d.clip_vertex[at + k]
        keep = (count > 1.0 * k) & not_(x[2] > reach)
        for q in range(k):
            y = d.clip_vertex[at + q]
            gap2 = (y[0] - x[0]) * (y[0] - x[0]) + (y[1] - x[1]) * (y[1] - x[1])
            keep = keep & not_((d.clip_kept[q] > 0.0) & (gap2 < same2))
        d.clip_kept[k] = where(keep, 1.0, 0.0)
        # halfway between the corner and the face
        local = renamed_back(vec(side * (size[0] + 0.5 * x[2]), x[0], x[1]), a)
        n = offer(d, n, keep, x[2], p_WR + mat_vec(R_WR, local), frame)
    return n


@kernel
def any_outside(d, at, count, c, limit):
    """Is a corner outside of |x[c]| <= limit, in any lane?"""
    outside = count < 0.0
    for k in range(highest(count)):
        outside = outside | ((count > 1.0 * k) & (abs_(d.clip_vertex[at + k, c]) > limit))
    return any_lane(outside)


@kernel
def clip_band(d, at, to, count, c, limit):
    """Keep of a polygon what has |x[c]| <= limit; the number of its corners.

    From each side x y the polygon gets its beginning (x, or where it comes into the band) and, if
    it leaves the band, where it does. A lane puts them after what it has got already, which is a
    choice between a few places.
    """
    kept = splat(0.0)
    for k in range(highest(count)):
        valid, last = count > 1.0 * k, count == k + 1.0
        x, y = d.clip_vertex[at + k], where(last, d.clip_vertex[at], d.clip_vertex[at + k + 1])
        xc, yc = (x[1], y[1]) if c else (x[0], y[0])
        inside = abs_(xc) <= limit
        # heights above the limit on the side where x is outside, or else y may be
        side = where(where(inside, yc, xc) > 0.0, 1.0, splat(-1.0))
        here, there = side * xc - limit, side * yc - limit
        crosses = (minimum(here, there) < 0.0) & (maximum(here, there) > 0.0)
        leave = x + (y - x) * cut(here, there)
        begin = where(inside, x, leave)
        then = kept + where(valid & (inside | crosses), 1.0, 0.0)
        across = crosses & not_(inside) & (-side * yc > limit)
        end = then + where(valid & (crosses & inside | across), 1.0, 0.0)
        if any_lane(valid & across):
            begin, leave = cut_twice(x, y, begin, leave, c, limit, across)
        # each lane at its own place: the only places are those between the least and the most
        first, beyond = -highest(where(valid, -kept, -1.0 * CAPACITY)), highest(end)
        for place in range(first, min(beyond, CAPACITY)):
            old = where(kept > 1.0 * place, d.clip_vertex[to + place], begin)
            d.clip_vertex[to + place] = where(then > 1.0 * place, old, leave)
        kept = end
    return minimum(kept, 1.0 * CORNERS)  # more only if the corners are not numbers


@kernel
def cut_twice(x, y, begin, leave, c, limit, across):
    """begin and leave, where the side x y crosses the band: cut at its upper limit, then below."""
    xc, yc = (x[1], y[1]) if c else (x[0], y[0])
    upper, down = x + (y - x) * cut(xc - limit, yc - limit), xc > limit
    x_left, y_left = where(down, upper, x), where(down, y, upper)
    x_at, y_at = (x_left[1], y_left[1]) if c else (x_left[0], y_left[0])
    lower = x_left + (y_left - x_left) * cut(-x_at - limit, -y_at - limit)
    return (
        where(across, where(down, upper, lower), begin),
        where(across, where(down, lower, upper), leave),
    )


@kernel(inline=True)
def cut(here, there):
    """How far from here to there the height is zero."""
    return here / (here - there)
