"""How deep two convex shapes overlap: the expanding polytope algorithm.

Where shapes overlap, the origin is inside the body D of their differences (gjk.py), and the depth
is how far D reaches beyond the origin in the direction in which that is least: with s(u) the
farthest point of D along a unit vector u,

    (1)  depth = min over u of  u . s(u)

A polytope with corners on the surface of D is grown around the origin; polytope.py makes the first
one. Let v be the foot of the origin on the polytope's nearest face. The polytope is within D, and v
is one of the directions, so

    (2)  |v|  <=  depth  <=  v . w / |v|,   w = s(v / |v|)

Where the two bounds are within the tolerance the face is the answer. Else w becomes a new corner.
It sees the faces that it is above: those with foot v_f and

    (3)  w . v_f  >  v_f . v_f

They are taken away, and the hole, whose rim is the horizon, is closed with triangles to w:

    (4)  for each edge p q of the rim, in the order in which the face beyond has it: w, q, p

A new face can only become the nearest if its distance is between the bounds; the others are not
watched. When the growth ends, the foot on the nearest face a b c is divided as in (8) of gjk.py,
and the points of both shapes have the same weights:

    (5)  v = x a + y b + z c,   x1 = x a1 + y b1 + z c1,   x2 = x a2 + y b2 + z c2,   depth = |v|

    ccd_rim    the horizon: faces beyond it, and the edge of each that is on it
    ccd_stack  the way back while it is looked for
"""

from ...lanes import kernel, minimum, sqrt
from ...mjconst import MINVAL
from ..spatial import dot3
from .hull import HUGE
from .polytope import BEYOND, GONE, PLACE, add_corner, add_face, watch
from .simplex import areas
from .support import MOST_ITERATIONS, POLYTOPE, copy_point, flat, tolerance_of

RIM_FACE, RIM_EDGE = 0, 1  # in ccd_rim


@kernel
def epa(m, d):
    """Grow the polytope; whether that gave a depth (ccd_dist) and its points (ccd_x1, ccd_x2).

    The simplex becomes the nearest face.
    """
    discrete = flat(d, 0, d.ccd_margin[0]) and flat(d, 1, d.ccd_margin[1])
    tolerance = MINVAL if discrete else tolerance_of(m, d)
    limit = min(m.opt.ccd_iterations, MOST_ITERATIONS)
    upper, upper2 = HUGE, HUGE  # the least of the upper bounds of (2), and its square
    face = -1
    d.ccd_nfound = 0
    d.ccd_dist[0] = 0.0
    for k in range(limit):
        # the lower bound of (2)
        f, lower2 = nearest_face(d)
        if lower2 > upper2 or f < 0:
            break
        face = f
        if lower2 <= 0.0:  # the origin is on the surface
            break
        # the upper bound
        lower = sqrt(lower2)
        direction = d.ccd_plane[face][0:3]
        corner = add_corner(m, d, direction, lower)
        reached = dot3(direction, d.ccd_vert[corner]) / lower
        # both meet; at once and beyond each other: the polytope was not around the origin
        if reached - lower < tolerance:
            if k == 0 and lower - tolerance > minimum(reached, upper):
                return False
            break
        # of shapes with corners only, a point again means that there are no others
        if discrete and repeated(d, corner):
            break
        # the hole that the new corner looks into, and whether there is room for what closes it
        find_horizon(m, d, face, corner)
        edges = d.ccd_nrim
        if edges < 3:
            return False
        if edges > 6 * limit - d.ccd_nface:
            break
        if reached < upper:
            upper, upper2 = reached, reached * reached
        # (4); ends where a new face has the origin in it, or none can be nearer
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
    """Take away the faces that a corner sees by (3), from one of them on; list the edges around.

    Goes from face to face over their edges; ccd_stack holds the way back: a face, the edge over
    which it was entered and how many of the others have been looked at. No edges if there are too
    many of them.
    """
    room = max(min(m.opt.ccd_iterations, MOST_ITERATIONS), 35) - 11
    # the first face, with all three edges to be looked at
    w = d.ccd_vert[corner]
    take_away(d, face)
    d.ccd_nrim = 0
    d.ccd_stack[0] = face << 4 | 2 << 2
    depth = 1
    while depth > 0:
        # the face on top; back to the one before when all of its edges have been looked at
        top = d.ccd_stack[depth - 1]
        seen, entry, f = top & 3, top >> 2 & 3, top >> 4
        if seen == (3 if depth == 1 else 2):
            depth -= 1
            continue
        # the next edge, and the face beyond it
        d.ccd_stack[depth - 1] = top + 1
        edge = following(entry) if seen == 0 else before(entry) if seen == 1 else entry
        beyond = d.ccd_face[f, BEYOND + edge]
        if d.ccd_face[beyond, PLACE] == GONE:
            continue
        # seen from the corner, it goes too and is the next to be looked at; else its edge is on
        # the horizon
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
    # the horizon is in order: each triangle is between the one before and the next
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
    """Depth and points of a face by (5), and the simplex that it is."""
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
