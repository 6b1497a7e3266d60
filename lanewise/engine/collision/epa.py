"""How deep two convex shapes overlap: the expanding polytope algorithm.

Where shapes overlap, the origin is inside the body of their differences, and the depth is how far
the body's surface is at its nearest. A polytope with corners on that surface is grown around the
origin: its face that is nearest to the origin gets a new corner, the point of the body that is
farthest in the face's direction, until that is hardly farther than the face is. The faces that the
new corner can see are taken away, and the hole, whose rim is the horizon, is closed with triangles
to the new corner. The nearest face then gives depth, direction and the points of both shapes.

The first polytope comes from the simplex with which the search for a distance ended: a tetrahedron
as it is; of a triangle or a segment that the origin lies in, with points added on its sides. When
the origin turns out to be in a face or an edge of what was built, that is taken for a new start.

    ccd_face   three corners (rows of ccd_vert), the faces beyond the edges from each corner to the
               next, and the place in ccd_near: -1 not there, GONE taken away
    ccd_plane  foot of the origin on the face's plane, and its squared distance
    ccd_near   faces that can still become the nearest; ccd_nearness their squared distances
    ccd_rim    the horizon: faces beyond it, and the edge of each that is on it
"""

from ...lanes import kernel, minimum, sqrt, vec
from ...mjconst import MINVAL
from ..spatial import cross, dot3, norm3
from .gjk import areas, foot_on_plane, on_triangle
from .support import (
    HUGE,
    MOST_ITERATIONS,
    POLYTOPE,
    TINY,
    add_point,
    copy_point,
    flat,
    tolerance_of,
)

BEYOND, PLACE = 3, 6  # in ccd_face: neighbours, place in ccd_near
RIM_FACE, RIM_EDGE = 0, 1  # in ccd_rim
GONE = -2  # a place: the face was taken away
FAILED, DONE = -1, 0  # of a start; else: start again with so many points of the simplex
TURN = 0.86602540378, -0.5  # sine and cosine of a third of a turn


# ------------------------------------------------------------------------------ the polytope


@kernel
def begin_polytope(d, n):
    """An empty polytope with the first n points of the simplex."""
    for i in range(n):
        copy_point(d, i, POLYTOPE + i)
    d.ccd_npoint = POLYTOPE + n
    d.ccd_nface = 0
    d.ccd_nnear = 0
    d.ccd_nrim = 0


@kernel
def add_corner(m, d, direction, length):
    """A new point, farthest in a direction of this length; its row."""
    row = d.ccd_npoint
    d.ccd_npoint = row + 1
    unit = direction / length if length > MINVAL else vec(1.0, 0.0, 0.0)
    add_point(m, d, row, unit)
    return row


@kernel
def add_face(d, i, j, k, ij, jk, ki):
    """A face with corners i, j, k and these neighbours; its squared distance from the origin."""
    f = d.ccd_nface
    d.ccd_nface = f + 1
    d.ccd_face[f, 0], d.ccd_face[f, 1], d.ccd_face[f, 2] = i, j, k
    d.ccd_face[f, BEYOND], d.ccd_face[f, BEYOND + 1], d.ccd_face[f, BEYOND + 2] = ij, jk, ki
    d.ccd_face[f, PLACE] = -1
    p = d.ccd_vert[i]
    foot = foot_on_plane(d.ccd_vert[k], d.ccd_vert[j], p)
    v = foot[0:3]
    if dot3(v, p - d.ccd_center[0]) < 0.0:
        v = -v
    distance2 = dot3(v, v) if foot[3] > 0.0 else 0.0
    d.ccd_plane[f] = vec(v[0], v[1], v[2], distance2)
    return distance2


@kernel(inline=True)
def watch(d, f):
    """Make a face one of those that may be the nearest."""
    n = d.ccd_nnear
    d.ccd_near[n] = f
    d.ccd_nearness[n] = d.ccd_plane[f, 3]
    d.ccd_face[f, PLACE] = n
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
    if add_face(d, a, b, c, 1, 3, 2) < TINY:
        return restart(d, a, b, c, 3)
    if add_face(d, a, e, b, 2, 3, 0) < TINY:
        return restart(d, a, e, b, 3)
    if add_face(d, a, c, e, 0, 3, 1) < TINY:
        return restart(d, a, c, e, 3)
    if add_face(d, e, c, b, 2, 0, 1) < TINY:
        return restart(d, e, c, b, 3)
    for i in range(4):  # b c e, c e a, e a b, a b c: each with the fourth on the origin's side
        if not same_side(d, a + i, a + (i + 1) % 4, a + (i + 2) % 4, a + (i + 3) % 4):
            return FAILED
    watch_all(d)
    return DONE


@kernel
def same_side(d, i, j, k, inner):
    """Whether the origin and an inner point are on the same side of the plane of i, j and k."""
    p = d.ccd_vert[i]
    n = cross(d.ccd_vert[j] - p, d.ccd_vert[k] - p)
    x, y = dot3(n, d.ccd_vert[inner] - p), dot3(n, -p)
    return (x > 0.0 and y > 0.0) or (x < 0.0 and y < 0.0)


@kernel
def from_triangle(m, d, fresh):
    """A triangle, with the farthest points on both of its sides."""
    begin_polytope(d, 3)
    a, b, c = POLYTOPE, POLYTOPE + 1, POLYTOPE + 2
    p = d.ccd_vert[a]
    n = cross(d.ccd_vert[b] - p, d.ccd_vert[c] - p)
    length = norm3(n)
    if length < MINVAL:
        return FAILED
    below = add_corner(m, d, -n, length)
    above = add_corner(m, d, n, length)
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
    x = add_face(d, top, i, j, 1, 3, 2)
    x = minimum(x, add_face(d, top, k, i, 2, 4, 0))
    x = minimum(x, add_face(d, top, j, k, 0, 5, 1))
    x = minimum(x, add_face(d, bottom, j, i, 5, 0, 4))
    x = minimum(x, add_face(d, bottom, i, k, 3, 1, 5))
    return minimum(x, add_face(d, bottom, k, j, 4, 2, 3))


@kernel
def four_faces(d, i, j, top, bottom):
    """The tetrahedron of these points; the smallest squared distance from the origin."""
    v = d.ccd_vert
    d.ccd_center[0] = (v[i] + v[j] + v[top] + v[bottom]) * 0.25
    x = add_face(d, i, j, top, 1, 3, 2)
    x = minimum(x, add_face(d, i, bottom, j, 2, 3, 0))
    x = minimum(x, add_face(d, i, top, bottom, 0, 3, 1))
    return minimum(x, add_face(d, bottom, top, j, 2, 0, 1))


@kernel
def surrounds(m, d, i, j, k, top, bottom):
    """Whether the origin is on the inner side of every face, or within the tolerance of it."""
    tolerance = tolerance_of(m, d)
    tolerance2 = tolerance * tolerance
    for f in range(d.ccd_nface):
        p, q, r = d.ccd_face[f, 0], d.ccd_face[f, 1], d.ccd_face[f, 2]
        # the corner that is not in the face; of two pyramids, the one in the same
        inner = i + j + (k if k >= 0 else bottom) + (top if f < 3 or k < 0 else bottom) - p - q - r
        if not same_side(d, p, q, r, inner) and d.ccd_plane[f, 3] >= tolerance2:
            return False
    return True


@kernel
def in_triangle(d, i, j, k, row):
    """Whether a point lies in the triangle of i, j and k."""
    a, b, c, p = d.ccd_vert[i], d.ccd_vert[j], d.ccd_vert[k], d.ccd_vert[row]
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
    """Of the line from i to j: the volumes with the edges ab, bc, ca, of one sign if within."""
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
    for _ in range(3):
        add_corner(m, d, across, norm3(across))
        across = third_of_turn(ab, across)
    c = POLYTOPE + 2
    widen(m, d, ab)

    v = d.ccd_vert
    d.ccd_center[0] = (v[a] + v[b] + v[c] + v[c + 1] + v[c + 2]) * 0.2
    for f in range(6):
        i = f % 3  # the faces at a, then those at b
        p, q = c + (3 - i) % 3, c + (4 - i) % 3
        if f < 3:
            x = add_face(d, a, p, q, (i + 1) % 3, 3 + i, (i + 2) % 3)
        else:
            x = add_face(d, b, q, p, 3 + (i + 2) % 3, i, 3 + (i + 1) % 3)
        if x < TINY:
            return better_triangle(d, a, b, p, q)
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
    x, y, z = volume[0], volume[1], volume[2]
    i = 0 if y >= x and z >= x else 1 if y <= x and y <= z else 2  # the gap is from i to the next
    p, q, r = c + i, c + (i + 1) % 3, c + (i + 2) % 3
    gap = d.ccd_vert[q] - d.ccd_vert[p]
    lean = 0.001 if dot3(ab, d.ccd_vert[r] - d.ccd_vert[a]) >= 0.5 * norm2 else -0.001
    direction = cross(gap, ab) + ab * (norm3(gap) * lean)
    row = add_corner(m, d, direction, norm3(direction))
    d.ccd_npoint = row
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
    n, o = cross(s - u, t - u), cross(t - v, s - v)
    small_a, small_b = dot3(n, n) < MINVAL, dot3(o, o) < MINVAL
    take_b = small_a
    if small_a == small_b:
        w = on_triangle(u, s, t)
        x = u * w[0] + s * w[1] + t * w[2]
        w = on_triangle(v, t, s)
        y = v * w[0] + t * w[1] + s * w[2]
        take_b = dot3(x, x) > dot3(y, y)
    if take_b:
        return restart(d, b, q, p, 3)
    return restart(d, a, p, q, 3)


# ----------------------------------------------------------------------------------- growing it


@kernel
def epa(m, d):
    """Grow the polytope; whether that gave a depth (ccd_dist) and its points (ccd_x1, ccd_x2).

    The simplex becomes the nearest face.
    """
    discrete = flat(d, 0) and flat(d, 1)
    tolerance = MINVAL if discrete else tolerance_of(m, d)
    limit = min(m.opt.ccd_iterations, MOST_ITERATIONS)
    upper, upper2 = HUGE, HUGE
    face = -1
    d.ccd_nfound = 0
    d.ccd_dist[0] = 0.0
    for k in range(limit):
        f, lower2 = nearest_face(d)
        if lower2 > upper2 or f < 0:
            break
        face = f
        if lower2 <= 0.0:
            break
        lower = sqrt(lower2)
        direction = d.ccd_plane[face][0:3]
        corner = add_corner(m, d, direction, lower)
        reached = dot3(direction, d.ccd_vert[corner]) / lower
        if reached - lower < tolerance:
            if k == 0 and lower - tolerance > minimum(reached, upper):
                return False
            break
        if discrete and repeated(d, corner):
            break
        find_horizon(m, d, face, corner)
        edges = d.ccd_nrim
        if edges < 3:
            return False
        if edges > 6 * limit - d.ccd_nface:
            break
        if reached < upper:
            upper, upper2 = reached, reached * reached
        if not close(d, corner, lower2, upper2) or d.ccd_nnear == 0:
            break
    if face < 0:
        return False
    witness(d, face)
    return True


@kernel(inline=True)
def nearest_face(d):
    """The watched face that is nearest to the origin, and its squared distance."""
    best, least = -1, HUGE
    for i in range(d.ccd_nnear):
        if d.ccd_nearness[i] < least:
            best, least = i, d.ccd_nearness[i]
    return (d.ccd_near[best] if best >= 0 else -1), least


@kernel
def repeated(d, corner):
    """Whether an earlier corner is made of the same vertices."""
    for i in range(POLYTOPE, corner):
        if (
            d.ccd_vertid[i, 0] == d.ccd_vertid[corner, 0]
            and d.ccd_vertid[i, 1] == d.ccd_vertid[corner, 1]
        ):
            return True
    return False


@kernel(inline=True)
def take_away(d, f):
    """Remove a face from the polytope."""
    place = d.ccd_face[f, PLACE]
    if place >= 0:
        n = d.ccd_nnear - 1
        d.ccd_nnear = n
        last = d.ccd_near[n]
        d.ccd_near[place] = last
        d.ccd_nearness[place] = d.ccd_nearness[n]
        d.ccd_face[last, PLACE] = place
    d.ccd_face[f, PLACE] = GONE


@kernel
def find_horizon(m, d, face, corner):
    """Take away the faces that a corner sees, from one of them on, and list the edges around.

    Goes from face to face over their edges; ccd_stack holds the way back: a face, the edge over
    which it was entered and how many of the others have been looked at. No edges if there are too
    many of them.
    """
    room = max(min(m.opt.ccd_iterations, MOST_ITERATIONS), 35) - 11
    w = d.ccd_vert[corner]
    take_away(d, face)
    d.ccd_nrim = 0
    d.ccd_stack[0] = face << 4 | 2 << 2
    depth = 1
    while depth > 0:
        top = d.ccd_stack[depth - 1]
        seen, entry, f = top & 3, top >> 2 & 3, top >> 4
        if seen == (3 if depth == 1 else 2):
            depth -= 1
            continue
        d.ccd_stack[depth - 1] = top + 1
        edge = following(entry) if seen == 0 else before(entry) if seen == 1 else entry
        beyond = d.ccd_face[f, BEYOND + edge]
        if d.ccd_face[beyond, PLACE] == GONE:
            continue
        back = edge_from(d, beyond, d.ccd_face[f, following(edge)])
        plane = d.ccd_plane[beyond]
        height = dot3(plane[0:3], w) - plane[3]
        if height > MINVAL and (plane[3] <= 1.0 or height > sqrt(plane[3]) * MINVAL):
            take_away(d, beyond)
            d.ccd_stack[depth] = beyond << 4 | back << 2
            depth += 1
        else:
            n = d.ccd_nrim
            if n >= room:
                d.ccd_nrim = 0
                return
            d.ccd_rim[n, RIM_FACE] = beyond
            d.ccd_rim[n, RIM_EDGE] = back
            d.ccd_nrim = n + 1


@kernel(inline=True)
def following(edge):
    """The next of three edges or corners."""
    return edge + 1 if edge < 2 else 0


@kernel(inline=True)
def before(edge):
    """The last of three edges or corners before this one."""
    return edge - 1 if edge > 0 else 2


@kernel(inline=True)
def edge_from(d, f, corner):
    """Which edge of a face starts at a corner."""
    if d.ccd_face[f, 0] == corner:
        return 0
    return 1 if d.ccd_face[f, 1] == corner else 2


@kernel
def close(d, corner, lower2, upper2):
    """Triangles from the horizon to a corner; False at one that has the origin in its plane."""
    first, n = d.ccd_nface, d.ccd_nrim
    for i in range(n):
        beyond, edge = d.ccd_rim[i, RIM_FACE], d.ccd_rim[i, RIM_EDGE]
        p, q = d.ccd_face[beyond, edge], d.ccd_face[beyond, following(edge)]
        f = first + i
        d.ccd_face[beyond, BEYOND + edge] = f
        left, right = (f if i > 0 else first + n) - 1, f + 1 if i + 1 < n else first
        x = add_face(d, corner, q, p, left, beyond, right)
        if x == 0.0:
            return False
        if lower2 <= x <= upper2:
            watch(d, f)
    return True


@kernel
def witness(d, face):
    """Depth and points of a face, and the simplex that it is."""
    foot = d.ccd_plane[face]
    for i in range(3):
        copy_point(d, d.ccd_face[face, i], i)
    d.ccd_nsimplex = 3
    v, v1, v2 = d.ccd_vert, d.ccd_vert1, d.ccd_vert2
    area = areas(v[0], v[1], v[2], foot[0:3])
    whole = area[0] + area[1] + area[2]
    x, y, z = area[0] / whole, area[1] / whole, area[2] / whole
    d.ccd_x1[0] = v1[0] * x + v1[1] * y + v1[2] * z
    d.ccd_x2[0] = v2[0] * x + v2[1] * y + v2[2] * z
    d.ccd_dist[0] = -sqrt(foot[3])
    d.ccd_nfound = 1
