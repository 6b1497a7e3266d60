"""The polytope of the expanding polytope algorithm (epa.py), and the first one.

Each edge belongs to two faces, and is listed for both: row 4 f + e of ccd_side is edge e of face f,
from its corner e to the next.

    ccd_side   the corner where it begins (row of ccd_vert), and its row for the face beyond
    ccd_plane  foot of the origin on the planes of the faces, and its squared distance: all x, then
               all y, ..., FACES numbers each
    ccd_near   faces that can still become the nearest; ccd_nearness their squared distances
    ccd_place  where a face is in ccd_near: -1 not there, GONE taken away

The first polytope comes from the simplex with which the search for a distance ended (gjk.py), and
must have the origin inside.

* A tetrahedron a b c e as it is. The origin is inside if each face has it on the same side as the
  fourth corner: with n the normal of a face at corner p, and e the fourth corner,

    (1)  n . (e - p)  and  n . (0 - p)  have one sign

* A triangle that the origin lies in, with the farthest points above and below it. Usually the line
  between these, from i along l, goes through the triangle: its volumes with the edges,

    (2)  (a - i) . ((b - i) x l),   (b - i) . ((c - i) x l),   (c - i) . ((a - i) x l)

  have one sign, and there are six faces, two pyramids on the triangle. Otherwise the signs tell
  beyond which edge the line passes: then it is two pyramids with tips at the ends of that edge, or
  the tetrahedron of the edge and the two points.
* A segment that the origin lies in, with the farthest points in three directions across it, a third
  of a turn apart: two pyramids on their triangle, with tips at the ends of the segment.

When the origin turns out to be in a face or an edge of what was built, that is taken for a new
start.
"""

from ...lanes import kernel, load_flat, minimum, sqrt, store_flat, vec
from ...mjconst import MINVAL
from ..spatial import cross, dot3, norm3
from .simplex import areas, foot_on_plane, on_triangle
from .support import POLYTOPE, TINY, add_point, copy_point, tolerance_of

FROM, BACK = 0, 1  # in ccd_side: the corner, the row for the face beyond
FACES = 1208  # as many numbers of each kind are in ccd_plane
DISTANCE2 = 3 * FACES  # there: squared distances
GONE = -2  # a place: the face was taken away
FAILED, DONE = -1, 0  # of a start; else: start again with so many points of the simplex
TURN = 0.86602540378, -0.5  # sine and cosine of a third of a turn


@kernel
def begin_polytope(d, n):
    """An empty polytope with the first n points of the simplex."""
    for i in range(n):
        copy_point(d, i, POLYTOPE + i)
    d.ccd_npoint = POLYTOPE + n
    d.ccd_nface = 0
    d.ccd_nnear = 0


@kernel
def add_corner(m, d, direction, length):
    """A new point, farthest in a direction of this length; its row, and the point."""
    row = d.ccd_npoint
    d.ccd_npoint = row + 1
    unit = direction / length if length > MINVAL else vec(1.0, 0.0, 0.0)
    return row, add_point(m, d, row, unit)


@kernel(inline=True)
def edge(f, e):
    """The row of edge e of face f."""
    return 4 * f + e


@kernel
def add_face(d, i, j, k, ij, jk, ki):
    """A face with corners i, j, k, whose edges have these rows for the faces beyond; its squared
    distance from the origin.
    """
    f = d.ccd_nface
    d.ccd_nface = f + 1
    link(d, edge(f, 0), i, ij)
    link(d, edge(f, 1), j, jk)
    link(d, edge(f, 2), k, ki)
    d.ccd_place[f] = -1
    # the foot, on the outer side of the face even where round-off has it on the other
    p = d.ccd_vert[i]
    foot = foot_on_plane(d.ccd_vert[k], d.ccd_vert[j], p)
    v = foot[0:3]
    if dot3(v, p - d.ccd_center[0]) < 0.0:
        v = -v
    distance2 = dot3(v, v) if foot[3] > 0.0 else 0.0
    store_flat(d.ccd_plane, f, v[0])
    store_flat(d.ccd_plane, FACES + f, v[1])
    store_flat(d.ccd_plane, 2 * FACES + f, v[2])
    store_flat(d.ccd_plane, DISTANCE2 + f, distance2)
    return distance2


@kernel(inline=True)
def link(d, row, corner, back):
    """Note an edge."""
    d.ccd_side[row, FROM] = corner
    d.ccd_side[row, BACK] = back


@kernel
def add_to_fan(d, i, j, k, left, beyond, right):
    """A face of several around its first corner, between these, and another one beyond them."""
    return add_face(d, i, j, k, edge(left, 2), edge(beyond, 1), edge(right, 0))


@kernel(inline=True)
def foot_of(d, f):
    """The foot of the origin on the plane of a face."""
    v = d.ccd_plane
    return vec(load_flat(v, f), load_flat(v, FACES + f), load_flat(v, 2 * FACES + f))


@kernel(inline=True)
def watch(d, f):
    """Make a face one of those that may be the nearest."""
    n = d.ccd_nnear
    d.ccd_near[n] = f
    d.ccd_nearness[n] = load_flat(d.ccd_plane, DISTANCE2 + f)
    d.ccd_place[f] = n
    d.ccd_nnear = n + 1


@kernel
def watch_all(d):
    d.ccd_nnear = 0
    for f in range(d.ccd_nface):
        watch(d, f)


@kernel
def restart(d, i, j, k, n):
    """Make n corners of the polytope the simplex."""
    copy_point(d, i, 0)
    copy_point(d, j, 1)
    if n == 3:
        copy_point(d, k, 2)
    d.ccd_nsimplex = n
    return n


# --------------------------------------------------------------------------- the first polytope


@kernel
def first_polytope(m, d):
    """Grow the simplex to a polytope around the origin; whether that was possible."""
    n, fresh = d.ccd_nsimplex, True
    # a start may end with a smaller or another simplex to start with
    for _ in range(4):
        if n == 4:
            n = from_tetrahedron(d)
        elif n == 3:
            n = from_triangle(m, d, fresh)
        else:
            n = from_segment(m, d)
            fresh = False
        if n <= 0:
            break
    return n == DONE


@kernel
def from_tetrahedron(d):
    """The four faces of a tetrahedron."""
    begin_polytope(d, 4)
    a = POLYTOPE
    b, c, e = a + 1, a + 2, a + 3
    d.ccd_center[0] = (d.ccd_vert[a] + d.ccd_vert[b] + d.ccd_vert[c] + d.ccd_vert[e]) * 0.25
    # a face with the origin in it is a better start
    if add_face(d, a, b, c, edge(1, 2), edge(3, 1), edge(2, 0)) < TINY:
        return restart(d, a, b, c, 3)
    if add_face(d, a, e, b, edge(2, 2), edge(3, 2), edge(0, 0)) < TINY:
        return restart(d, a, e, b, 3)
    if add_face(d, a, c, e, edge(0, 2), edge(3, 0), edge(1, 0)) < TINY:
        return restart(d, a, c, e, 3)
    if add_face(d, e, c, b, edge(2, 1), edge(0, 1), edge(1, 1)) < TINY:
        return restart(d, e, c, b, 3)
    for i in range(4):  # b c e, c e a, e a b, a b c: each with the fourth on the origin's side
        if not same_side(d, a + i, a + (i + 1) % 4, a + (i + 2) % 4, a + (i + 3) % 4):
            return FAILED
    watch_all(d)
    return DONE


@kernel
def same_side(d, i, j, k, inner):
    """Whether the origin and an inner point are on one side of the plane of i, j and k: (1)."""
    p = d.ccd_vert[i]
    n = cross(d.ccd_vert[j] - p, d.ccd_vert[k] - p)
    x, y = dot3(n, d.ccd_vert[inner] - p), dot3(n, -p)
    return (x > 0.0 and y > 0.0) or (x < 0.0 and y < 0.0)


@kernel
def from_triangle(m, d, fresh):
    """A triangle, with the farthest points on both of its sides."""
    begin_polytope(d, 3)
    # the farthest points above and below the triangle
    a, b, c = POLYTOPE, POLYTOPE + 1, POLYTOPE + 2
    p = d.ccd_vert[a]
    n = cross(d.ccd_vert[b] - p, d.ccd_vert[c] - p)
    length = norm3(n)
    if length < MINVAL:
        return FAILED
    below, _ = add_corner(m, d, -n, length)
    above, _ = add_corner(m, d, n, length)
    # which must be off its plane: a body without thickness has no depth
    if in_triangle(d, a, b, c, above) or in_triangle(d, a, b, c, below):
        return FAILED
    if (
        dot3(n, d.ccd_vert[above] - p) < length * MINVAL
        or dot3(-n, d.ccd_vert[below] - p) < length * MINVAL
    ):
        return FAILED

    # six faces if the line between the outer points goes through the triangle; if it passes beyond
    # an edge, then six on other edges, or else the tetrahedron on that edge
    volume = ray_volumes(d, above, below, a, b, c)
    i, j, k, top, bottom = a, b, c, above, below
    if not through(volume, 0.0):
        x, y, z = volume[0], volume[1], volume[2]
        if x > 0.0 and y < -MINVAL and z < -MINVAL:
            i, j, k, top, bottom = c, below, above, a, b
        elif y > 0.0 and x < -MINVAL and z < -MINVAL:
            i, j, k, top, bottom = a, below, above, b, c
        elif z > 0.0 and x < -MINVAL and y < -MINVAL:
            i, j, k, top, bottom = b, below, above, c, a
        else:
            if not (y >= x and z >= x):
                i, j = (b, c) if x >= y and z >= y else (c, a)
            k = -1
    least = six_faces(d, i, j, k, top, bottom) if k >= 0 else four_faces(d, i, j, top, bottom)
    # the origin is in a face: maybe on an edge of the triangle, if that was not the start already
    if least < TINY:
        if fresh:
            if on_edge(d, a, b):
                return restart(d, a, b, a, 2)
            if on_edge(d, b, c):
                return restart(d, b, c, a, 2)
            if on_edge(d, c, a):
                return restart(d, c, a, a, 2)
        return FAILED
    if not surrounds(m, d, i, j, k, top, bottom):
        return FAILED
    watch_all(d)
    return DONE


@kernel
def six_faces(d, i, j, k, top, bottom):
    """Two pyramids on the triangle i, j, k; the smallest squared distance from the origin."""
    v = d.ccd_vert
    d.ccd_center[0] = (v[i] + v[j] + v[k] + v[top] + v[bottom]) * 0.2
    x = add_to_fan(d, top, i, j, 1, 3, 2)
    x = minimum(x, add_to_fan(d, top, k, i, 2, 4, 0))
    x = minimum(x, add_to_fan(d, top, j, k, 0, 5, 1))
    x = minimum(x, add_to_fan(d, bottom, j, i, 5, 0, 4))
    x = minimum(x, add_to_fan(d, bottom, i, k, 3, 1, 5))
    return minimum(x, add_to_fan(d, bottom, k, j, 4, 2, 3))


@kernel
def four_faces(d, i, j, top, bottom):
    """The tetrahedron of these points; the smallest squared distance from the origin."""
    v = d.ccd_vert
    d.ccd_center[0] = (v[i] + v[j] + v[top] + v[bottom]) * 0.25
    x = add_face(d, i, j, top, edge(1, 2), edge(3, 1), edge(2, 0))
    x = minimum(x, add_face(d, i, bottom, j, edge(2, 2), edge(3, 2), edge(0, 0)))
    x = minimum(x, add_face(d, i, top, bottom, edge(0, 2), edge(3, 0), edge(1, 0)))
    return minimum(x, add_face(d, bottom, top, j, edge(2, 1), edge(0, 1), edge(1, 1)))


@kernel
def surrounds(m, d, i, j, k, top, bottom):
    """Whether the origin is on the inner side of every face, or within the tolerance of it."""
    tolerance = tolerance_of(m, d)
    tolerance2 = tolerance * tolerance
    for f in range(d.ccd_nface):
        first = edge(f, 0)
        p, q = d.ccd_side[first, FROM], d.ccd_side[first + 1, FROM]
        r = d.ccd_side[first + 2, FROM]
        # the inner corner of the same tetrahedron or pyramid: the sum of its four rows minus the
        # three of the face; the first three faces are those of the upper pyramid
        inner = i + j + (k if k >= 0 else bottom) + (top if f < 3 or k < 0 else bottom) - p - q - r
        if not same_side(d, p, q, r, inner) and load_flat(d.ccd_plane, DISTANCE2 + f) >= tolerance2:
            return False
    return True


@kernel
def in_triangle(d, i, j, k, row):
    """Whether a point lies in the triangle of i, j and k."""
    a, b, c, p = d.ccd_vert[i], d.ccd_vert[j], d.ccd_vert[k], d.ccd_vert[row]
    # its weights by areas: positive, and they must give the point itself
    area = areas(a, b, c, p)
    whole = area[0] + area[1] + area[2]
    u, v, w = area[0] / whole, area[1] / whole, area[2] / whole
    if u < 0.0 or v < 0.0 or w < 0.0:
        return False
    return norm3(a * u + b * v + c * w - p) < MINVAL


@kernel
def on_edge(d, i, j):
    """Whether the origin is on the segment between two points."""
    a, b = d.ccd_vert[i], d.ccd_vert[j]
    ab = b - a
    norm2 = dot3(ab, ab)
    if dot3(a, b) >= 0.0 or norm2 < TINY:
        return False
    foot = ab * (-dot3(b, ab) / norm2) + b
    return dot3(foot, foot) < TINY


@kernel
def ray_volumes(d, i, j, a, b, c):
    """Of the line from i to j: the volumes (2) with the edges ab, bc, ca."""
    origin = d.ccd_vert[i]
    line = d.ccd_vert[j] - origin
    p, q, r = d.ccd_vert[a] - origin, d.ccd_vert[b] - origin, d.ccd_vert[c] - origin
    return vec(dot3(p, cross(q, line)), dot3(q, cross(r, line)), dot3(r, cross(p, line)))


@kernel(inline=True)
def through(volume, least):
    """Whether these volumes are of one sign, and at least so large."""
    return (volume[0] >= least and volume[1] >= least and volume[2] >= least) or (
        volume[0] <= -least and volume[1] <= -least and volume[2] <= -least
    )


@kernel
def from_segment(m, d):
    """A segment, with the farthest points in three directions across it."""
    begin_polytope(d, 2)
    a, b = POLYTOPE, POLYTOPE + 1
    ab = d.ccd_vert[b] - d.ccd_vert[a]
    # across it, and near the axis that is least along it
    least, across = abs(ab[0]), vec(0.0, -ab[2], ab[1])
    if least > abs(ab[1]):
        least, across = abs(ab[1]), vec(ab[2], 0.0, -ab[0])
    if least > abs(ab[2]):
        across = vec(-ab[1], ab[0], 0.0)
    # three corners around the segment
    for _ in range(3):
        add_corner(m, d, across, norm3(across))
        across = third_of_turn(ab, across)
    c = POLYTOPE + 2
    widen(m, d, ab)

    # two pyramids on their triangle, with tips at the ends of the segment
    v = d.ccd_vert
    d.ccd_center[0] = (v[a] + v[b] + v[c] + v[c + 1] + v[c + 2]) * 0.2
    for f in range(6):
        i = f % 3  # the faces at a, then those at b
        p, q = c + (3 - i) % 3, c + (4 - i) % 3
        if f < 3:
            x = add_to_fan(d, a, p, q, (i + 1) % 3, 3 + i, (i + 2) % 3)
        else:
            x = add_to_fan(d, b, q, p, 3 + (i + 2) % 3, i, 3 + (i + 1) % 3)
        if x < TINY:
            return better_triangle(d, a, b, p, q)
    # the segment must go through the triangle, else the polytope is not convex
    if not through(ray_volumes(d, a, b, c, c + 1, c + 2), 0.0):
        return FAILED
    watch_all(d)
    return DONE


@kernel(inline=True)
def third_of_turn(axis, v):
    """v turned about an axis by 120 degrees."""
    u = axis / norm3(axis)
    s, c = TURN
    t = 1.0 - c
    return vec(
        (c + u[0] * u[0] * t) * v[0]
        + (u[0] * u[1] * t - u[2] * s) * v[1]
        + (u[0] * u[2] * t + u[1] * s) * v[2],
        (u[1] * u[0] * t + u[2] * s) * v[0]
        + (c + u[1] * u[1] * t) * v[1]
        + (u[1] * u[2] * t - u[0] * s) * v[2],
        (u[0] * u[2] * t - u[1] * s) * v[0]
        + (u[1] * u[2] * t + u[0] * s) * v[1]
        + (c + u[2] * u[2] * t) * v[2],
    )


@kernel
def widen(m, d, ab):
    """Exchange one of the three outer points if the segment is not well inside of them."""
    a, c = POLYTOPE, POLYTOPE + 2
    norm2 = dot3(ab, ab)
    enough = norm2 * MINVAL * sqrt(norm2)
    volume = ray_volumes(d, a, a + 1, c, c + 1, c + 2)
    if through(volume, enough):
        return
    # a point beyond the edge that the segment passes, a little towards the end that the third
    # point is nearer to
    x, y, z = volume[0], volume[1], volume[2]
    i = 0 if y >= x and z >= x else 1 if y <= x and y <= z else 2  # the gap is from i to the next
    p, q, r = c + i, c + (i + 1) % 3, c + (i + 2) % 3
    gap = d.ccd_vert[q] - d.ccd_vert[p]
    lean = 0.001 if dot3(ab, d.ccd_vert[r] - d.ccd_vert[a]) >= 0.5 * norm2 else -0.001
    direction = cross(gap, ab) + ab * (norm3(gap) * lean)
    row, _ = add_corner(m, d, direction, norm3(direction))
    d.ccd_npoint = row
    # it takes the place of whichever lets the segment through
    if through(ray_volumes(d, a, a + 1, row, q, r), enough):
        copy_point(d, row, p)
    elif through(ray_volumes(d, a, a + 1, p, row, r), enough):
        copy_point(d, row, q)
    elif through(ray_volumes(d, a, a + 1, p, q, row), enough):
        copy_point(d, row, r)


@kernel
def better_triangle(d, a, b, p, q):
    """Start again with the triangle of p, q and a or b that is larger, or nearer to the origin."""
    u, v, s, t = d.ccd_vert[a], d.ccd_vert[b], d.ccd_vert[p], d.ccd_vert[q]
    # of one that has no area the other is taken, else the one nearer to the origin
    n, o = cross(s - u, t - u), cross(t - v, s - v)
    small_a, small_b = dot3(n, n) < MINVAL, dot3(o, o) < MINVAL
    take_b = small_a
    if small_a == small_b:
        w, _ = on_triangle(u, s, t, True)
        x = u * w[0] + s * w[1] + t * w[2]
        w, _ = on_triangle(v, t, s, True)
        y = v * w[0] + t * w[1] + s * w[2]
        take_b = dot3(x, x) > dot3(y, y)
    if take_b:
        return restart(d, b, q, p, 3)
    return restart(d, a, p, q, 3)
