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

Eight of them are made at once, as Rows. A new face can only become the nearest if its distance is
between the bounds; the others are not watched. Of equals the first is the nearest, so their order
matters. When the growth ends, the foot on the nearest face a b c is divided as in (8) of gjk.py,
and the points of both shapes have the same weights:

    (5)  v = x a + y b + z c,   x1 = x a1 + y b1 + z c1,   x2 = x a2 + y b2 + z c2,   depth = |v|

    ccd_rim    the horizon: its edges, as rows of ccd_side for the faces beyond; ccd_rim_from and
               ccd_rim_to the corners p and q
    ccd_stack  edges to be looked at, while it is looked for
"""

from ...lanes import (
    NROW,
    any_lane,
    bits,
    kernel,
    load_flat,
    lowest_bit,
    minimum,
    pick_rows,
    row_mask,
    row_min,
    sqrt,
    store_row,
    where,
)
from ...mjconst import MINVAL
from ..spatial import dot3
from .hull import HUGE
from .polytope import BACK, DISTANCE2, FACES, FROM, GONE, add_corner, edge, foot_of, link
from .simplex import areas, foot_on_plane
from .support import MOST_ITERATIONS, POLYTOPE, copy_point, flat, tolerance_of


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
    nearest, lower2 = nearest_face(d)  # the lower bound of (2)
    for k in range(limit):
        if lower2 > upper2 or nearest < 0:
            break
        face = nearest
        if lower2 <= 0.0:  # the origin is on the surface
            break
        # the upper bound
        lower = sqrt(lower2)
        direction = foot_of(d, face)
        corner, w = add_corner(m, d, direction, lower)
        reached = dot3(direction, w) / lower
        # both meet; at once and beyond each other: the polytope was not around the origin
        if reached - lower < tolerance:
            if k == 0 and lower - tolerance > minimum(reached, upper):
                return False
            break
        # of shapes with corners only, a point again means that there are no others
        if discrete and repeated(d, corner):
            break
        # the hole that the new corner looks into, and whether there is room for what closes it
        edges = find_horizon(m, d, face, w)
        if edges < 3:
            return False
        if edges > 6 * limit - d.ccd_nface:
            break
        if reached < upper:
            upper, upper2 = reached, reached * reached
        # (4); ends where a new face has the origin in it, or none can be nearer
        nearest, lower2 = close(d, corner, w, edges, lower2, upper2)
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
    place = d.ccd_place[f]
    if place >= 0:
        n = d.ccd_nnear - 1
        d.ccd_nnear = n
        last = d.ccd_near[n]
        d.ccd_near[place] = last
        d.ccd_nearness[place] = d.ccd_nearness[n]
        d.ccd_place[last] = place
    d.ccd_place[f] = GONE


@kernel
def find_horizon(m, d, face, w):
    """Take away the faces that a corner w sees by (3), from one of them on, and list the edges
    around them; how many. None if there are too many.

    Goes from face to face over their edges: those of a face are looked at before what is left of
    the face before.
    """
    room = max(min(m.opt.ccd_iterations, MOST_ITERATIONS), 35) - 11
    take_away(d, face)
    row = edge(face, 0)
    d.ccd_stack[0] = row + 2
    d.ccd_stack[1] = row + 1
    d.ccd_stack[2] = row
    depth, n = 3, 0
    while depth > 0:
        # the next edge, and the face beyond it
        depth -= 1
        back = d.ccd_side[d.ccd_stack[depth], BACK]
        beyond = back >> 2
        if d.ccd_place[beyond] == GONE:
            continue
        # seen from the corner, it goes too, and its other edges are looked at next; else its edge
        # is on the horizon
        distance2 = load_flat(d.ccd_plane, DISTANCE2 + beyond)
        height = dot3(foot_of(d, beyond), w) - distance2
        if height > MINVAL and (distance2 <= 1.0 or height > sqrt(distance2) * MINVAL):
            take_away(d, beyond)
            d.ccd_stack[depth] = before(back)
            d.ccd_stack[depth + 1] = following(back)
            depth += 2
        else:
            if n >= room:
                return 0
            d.ccd_rim[n] = back
            d.ccd_rim_from[n] = d.ccd_side[back, FROM]
            d.ccd_rim_to[n] = d.ccd_side[following(back), FROM]
            n += 1
    return n


@kernel(inline=True)
def following(row):
    """The next edge of the same face."""
    return row + 1 if row & 3 < 2 else row - 2


@kernel(inline=True)
def before(row):
    """The edge of the same face before this one."""
    return row - 1 if row & 3 > 0 else row + 2


@kernel(fused=False)
def close(d, corner, w, n, lower2, upper2):
    """Triangles from the n edges of the horizon to a corner; the nearest of all faces then, and its
    squared distance. -1 if a triangle has the origin in its plane, or there is none.
    """
    first, watched = d.ccd_nface, d.ccd_nnear
    d.ccd_nface = first + n
    nearest, least = nearest_face(d)
    out = w - d.ccd_center[0]
    for i in range(0, n, NROW):
        # feet of the origin, on the outer side of the face even where round-off has it on the other
        p, q = pick_rows(d.ccd_vert, d.ccd_rim_from, i), pick_rows(d.ccd_vert, d.ccd_rim_to, i)
        foot = foot_on_plane(p, q, w)
        v = foot[0:3]
        distance2 = where(foot[3] > 0.0, dot3(v, v), 0.0)  # the same of -v, but sooner
        v = where(dot3(v, out) < 0.0, -v, v)
        f, size = first + i, min(n - i, NROW)
        store_row(d.ccd_plane, f, v[0])
        store_row(d.ccd_plane, FACES + f, v[1])
        store_row(d.ccd_plane, 2 * FACES + f, v[2])
        store_row(d.ccd_plane, DISTANCE2 + f, distance2)
        made = row_mask((1 << size) - 1)
        if any_lane(made & (distance2 == 0.0)):
            return -1, 0.0
        # which is the nearest; if that is beyond the upper bound, none can be
        possible = made & (distance2 >= lower2)
        some = bits(possible & (distance2 <= upper2))
        distance2 = where(possible, distance2, HUGE)
        top = row_min(distance2)
        place = lowest_bit(bits(distance2 == top))
        nearest, least = (f + place if top < least else nearest), minimum(top, least)
        for k in range(size):
            note_face(d, corner, first, i + k, watched, some >> k & 1 == 1)
            watched += some >> k & 1
    # the horizon is in order: each triangle is between the one before and the next
    last = first + n - 1
    d.ccd_side[edge(first, 0), BACK] = edge(last, 2)
    d.ccd_side[edge(last, 2), BACK] = edge(first, 0)
    d.ccd_nnear = watched
    return nearest, least


@kernel(inline=True)
def note_face(d, corner, first, i, watched, near):
    """Note the triangle at an edge of the horizon, and watch it if it can be the nearest."""
    f, back = first + i, d.ccd_rim[i]
    row = edge(f, 0)
    link(d, row, corner, edge(f - 1, 2))
    link(d, row + 1, d.ccd_rim_to[i], back)
    link(d, row + 2, d.ccd_rim_from[i], edge(f + 1, 0))
    d.ccd_side[back, BACK] = row + 1
    d.ccd_near[watched] = f
    d.ccd_nearness[watched] = load_flat(d.ccd_plane, DISTANCE2 + f)
    d.ccd_place[f] = watched if near else -1


@kernel
def witness(d, face):
    """Depth and points of a face by (5), and the simplex that it is."""
    for i in range(3):
        copy_point(d, d.ccd_side[edge(face, i), FROM], i)
    d.ccd_nsimplex = 3
    v, v1, v2 = d.ccd_vert, d.ccd_vert1, d.ccd_vert2
    area = areas(v[0], v[1], v[2], foot_of(d, face))
    whole = area[0] + area[1] + area[2]
    x, y, z = area[0] / whole, area[1] / whole, area[2] / whole
    d.ccd_x1[0] = v1[0] * x + v1[1] * y + v1[2] * z
    d.ccd_x2[0] = v2[0] * x + v2[1] * y + v2[2] * z
    d.ccd_dist[0] = -sqrt(load_flat(d.ccd_plane, DISTANCE2 + face))
    d.ccd_nfound = 1
