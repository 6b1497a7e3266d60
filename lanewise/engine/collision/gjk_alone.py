"""The distance of two convex shapes in one world: what gjk.py does, on plain numbers.

The simplex is in rows 0 to 3 of ccd_vert, ccd_vert1, ccd_vert2 and ccd_vertid, and ccd_weight has
its weights. The numbers in brackets are those of gjk.py.
"""

from ...lanes import kernel, vec
from ...mjconst import MINVAL
from ..spatial import dot3, norm3
from .hull import HUGE
from .simplex import on_segment, on_triangle, same_sign, volumes
from .support import MOST_ITERATIONS, add_point, copy_point, flat, tolerance_of


@kernel
def gjk_alone(m, d, cutoff):
    """Distance and nearest points, from the ones now in row 0 of ccd_x1 and ccd_x2; the last x, to
    unit length.

    Says: ccd_nsimplex points of the simplex, ccd_separated whether the shapes are surely apart,
    ccd_nfound whether there is a result (ccd_dist, ccd_x1, ccd_x2).
    """
    tolerance = tolerance_of(m, d)
    discrete = flat(d, 0, d.ccd_margin[0]) and flat(d, 1, d.ccd_margin[1])
    enough = 0.0 if discrete else 0.5 * (tolerance * tolerance)
    zero = MINVAL if discrete or cutoff > 0.0 else tolerance
    d.ccd_nsimplex = 0
    d.ccd_nfound = 0
    d.ccd_separated = 0
    d.ccd_dist[0] = HUGE
    x = d.ccd_x1[0] - d.ccd_x2[0]
    length = norm3(x)
    if length < MINVAL:
        x = vec(1.0, 0.0, 0.0)
        length = 1.0

    n = 0
    for k in range(min(m.opt.ccd_iterations, MOST_ITERATIONS)):
        # the farthest point of D towards the origin
        d.ccd_tie = 0
        p = add_point(m, d, n, -(x * (1.0 / length)))
        if k == 0:
            d.ccd_unsure = d.ccd_unsure | d.ccd_tie
        along = dot3(x, p)
        if along > 0.0:  # (4)
            d.ccd_separated = 1
            if cutoff <= 0.0 or along >= cutoff * length:
                return x * (1.0 / length)
        if k > 0 and dot3(x, x - p) < enough:  # (5)
            break
        n, y = reduce(d, n + 1)
        if n == 0:
            d.ccd_separated = 1
            return x * (1.0 / length)
        if n == 4:  # (6)
            length = length if d.ccd_separated else 0.0
            break
        x = y
        before, length = length, norm3(x)
        if length < (MINVAL if n == 1 else zero) or (k > 0 and abs(length - before) < MINVAL):
            break

    if n > 0:
        d.ccd_x1[0] = blend(d, d.ccd_vert1, n)
        d.ccd_x2[0] = blend(d, d.ccd_vert2, n)
    # the last x was not tried for (4) yet
    if n < 4 and d.ccd_separated == 0 and length >= MINVAL:
        spare = 3  # not in the simplex
        if dot3(x, add_point(m, d, spare, -(x * (1.0 / length)))) > 0.0:
            d.ccd_separated = 1
    d.ccd_nsimplex = n
    d.ccd_nfound = 1
    d.ccd_dist[0] = length
    return x * (1.0 / length) if length >= MINVAL else vec(0.0, 0.0, 0.0)


@kernel
def blend(d, points, n):
    """The first n of these points, weighted."""
    x = points[0] * d.ccd_weight[0]
    for i in range(1, n):
        x = x + points[i] * d.ccd_weight[i]
    return x


@kernel
def reduce(d, n):
    """Weights of (2), without the points that have none; how many stay, and the nearest point."""
    a, b, c = d.ccd_vert[0], d.ccd_vert[1], d.ccd_vert[2]
    weight, x = vec(1.0, 0.0, 0.0, 0.0), a
    if n == 2:
        w, x = on_segment(a, b)
        weight = vec(w[0], w[1], 0.0, 0.0)
    elif n == 3:
        w, x = on_triangle(a, b, c, True)
        weight = vec(w[0], w[1], w[2], 0.0)
    elif n == 4:
        weight, x = in_tetrahedron(a, b, c, d.ccd_vert[3])
    # close up, each point with all that belongs to it
    kept = 0
    for i in range(n):
        w = weight[0] if i == 0 else weight[1] if i == 1 else weight[2] if i == 2 else weight[3]
        if w != 0.0:
            if kept != i:
                copy_point(d, i, kept)
            d.ccd_weight[kept] = w
            kept += 1
    return kept, x


@kernel
def in_tetrahedron(a, b, c, e):
    """Weights of the point of a tetrahedron nearest to the origin, by (7), and that point."""
    volume = volumes(a, b, c, e)
    va, vb, vc, ve = volume[0], volume[1], volume[2], volume[3]
    whole = va + vb + vc + ve
    in_a, in_b = same_sign(whole, va), same_sign(whole, vb)
    in_c, in_e = same_sign(whole, vc), same_sign(whole, ve)
    if in_a and in_b and in_c and in_e:
        return vec(va / whole, vb / whole, vc / whole, ve / whole), vec(0.0, 0.0, 0.0)
    # else the nearest point of the faces opposite the corners on the far side
    best, nearest = vec(0.0, 0.0, 0.0, 0.0), a
    least = HUGE
    for without in range(4):
        inside = in_a if without == 0 else in_b if without == 1 else in_c if without == 2 else in_e
        if not inside:
            # the other three corners in order, and their weights back in their places
            p = b if without == 0 else a
            q = c if without < 2 else b
            r = c if without == 3 else e
            w, y = on_triangle(p, q, r, True)
            x = p * w[0] + q * w[1] + r * w[2]
            if without == 0 or dot3(x, x) < least:
                least, nearest = dot3(x, x), y
                best = vec(
                    0.0 if without == 0 else w[0],
                    w[0] if without == 0 else 0.0 if without == 1 else w[1],
                    w[1] if without < 2 else 0.0 if without == 2 else w[2],
                    0.0 if without == 3 else w[2],
                )
    return best, nearest
