"""How far apart two convex shapes are: the Gilbert-Johnson-Keerthi algorithm.

The points of the first shape minus the points of the second make up a convex body D, and

    (1)  distance of the shapes = min |x|,  x in D

What is known of D are its farthest points: s(u), the point of D with the largest u . p, is the
farthest point of the first shape along u minus that of the second along -u (support.py). The
algorithm keeps a simplex of up to four points p_i of D, and the point of it that is nearest to the
origin,

    (2)  x = sum w_i p_i,   w_i >= 0,  sum w_i = 1

In each iteration it adds p = s(-x / |x|), finds the nearest point anew and drops the points that
have no weight in it. No point of D is closer to the origin along x than p is, so

    (3)  x . p / |x|  <=  distance  <=  |x|

which decides when to stop:

    (4)  x . p > 0: the plane through p across x has D on its far side, so the shapes are apart, by
         x . p / |x| at least; where only less than that is asked for, no more is needed
    (5)  x . (x - p) small: the bounds of (3) meet, and x is the answer
    (6)  four points with weights: the origin is in the tetrahedron, the shapes overlap

simplex.py has the weights of (2). The worlds of a gang iterate side by side, each with its own
simplex, and one that has ended waits for the others: its lane keeps what it has. What is asked for
(segment, triangle, tetrahedron) is computed where some world asks. Few worlds are quicker one after
the other, which gjk_alone.py does, with the same bits.

    gjk_vert      the simplex, differences of points
    gjk_birth     the iteration that each of them comes from
    gjk_weight    the weights of (2)
    gjk_past1     points of the first shape, by iterations; gjk_past2 those of the second, and
                  gjk_pastid which vertices of both they are
    gjk_vert1     of these the ones that the simplex is made of, when all is done; gjk_vert2 and
                  gjk_vertid likewise
"""

from ...lanes import (
    W,
    abs_,
    any_lane,
    bits,
    concat,
    kernel,
    lane_item,
    load_lane,
    mask_item,
    mask_of,
    not_,
    splat,
    store_lane,
    to_int,
    vec,
    where,
)
from ...mjconst import GEOM_HFIELD, MINVAL
from ..spatial import dot3, norm3, zeros3
from .gjk_alone import gjk_alone
from .hull import HUGE, IN_HULL, VERTEX
from .simplex import on_segment, on_triangle, same_sign, volumes
from .support import MOST_ITERATIONS, flat, supports

FEW = 4  # as many worlds at most take less time one after the other


@kernel(fused=False)
def gjk(m, d, cutoff, on):
    """Distance and nearest points in the worlds of `on`, from the ones now in gjk_x1 and gjk_x2.

    They are wanted up to a distance of `cutoff`; 0: only whether the shapes overlap. Returns the
    worlds that have a result (gjk_dist, gjk_x1, gjk_x2), and those whose shapes are surely apart.
    Leaves the simplex, of gjk_nsimplex points, and the direction of the last x: gjk_axis.
    """
    if few(on):
        return one_by_one(m, d, splat(cutoff), on)
    return side_by_side(m, d, cutoff, on)


@kernel(inline=True)
def few(on):
    """Whether not more than FEW worlds are on."""
    left, n = bits(on), 0
    while left:
        left = left & (left - 1)
        n += 1
    return n <= FEW


@kernel
def one_by_one(m, d, cutoff, on):
    """gjk, world by world."""
    found, apart = 0, 0
    for w in range(W):
        if mask_item(on, w):
            take_lane(d, w)
            x = gjk_alone(m, d, lane_item(cutoff, w))
            give_lane(d, w, x)
            found = found | d.ccd_nfound << w
            apart = apart | d.ccd_separated << w
    return mask_of(found), mask_of(apart)


@kernel
def take_lane(d, w):
    """Take both shapes of world w, and the points now in gjk_x1 and gjk_x2, out of the lanes."""
    d.ccd_lane = w
    if d.ccd_mixed == 1:
        d.ccd_mesh[0], d.ccd_mesh[1] = d.gjk_mesh[w], d.gjk_mesh[W + w]
    for s in range(2):
        d.ccd_pos[s] = load_lane(d.gjk_pos, s, w)
        d.ccd_mat[s] = load_lane(d.gjk_mat, s, w)
        d.ccd_size[s] = load_lane(d.gjk_size, s, w)
        d.ccd_margin[s] = load_lane(d.gjk_margin, s, w)
        d.ccd_hint[s, VERTEX] = to_int(load_lane(d.gjk_hint, (s, VERTEX), w))
        d.ccd_hint[s, IN_HULL] = to_int(load_lane(d.gjk_hint, (s, IN_HULL), w))
    if d.ccd_kind[0] == GEOM_HFIELD:
        for i in range(6):
            d.ccd_prism[i] = load_lane(d.gjk_prism, i, w)
    d.ccd_x1[0] = load_lane(d.gjk_x1, 0, w)
    d.ccd_x2[0] = load_lane(d.gjk_x2, 0, w)


@kernel
def give_lane(d, w, x):
    """Give world w what gjk_alone found, and the last x, in its lane."""
    n = d.ccd_nsimplex
    store_lane(d.gjk_axis, 0, w, x)
    store_lane(d.gjk_dist, 0, w, d.ccd_dist[0])
    store_lane(d.gjk_nsimplex, 0, w, n * 1.0)
    for i in range(n):
        store_lane(d.gjk_vert, i, w, d.ccd_vert[i])
        store_lane(d.gjk_vert1, i, w, d.ccd_vert1[i])
        store_lane(d.gjk_vert2, i, w, d.ccd_vert2[i])
        store_lane(d.gjk_vertid, (i, 0), w, d.ccd_vertid[i, 0] * 1.0)
        store_lane(d.gjk_vertid, (i, 1), w, d.ccd_vertid[i, 1] * 1.0)
    store_lane(d.gjk_x1, 0, w, d.ccd_x1[0])
    store_lane(d.gjk_x2, 0, w, d.ccd_x2[0])
    for s in range(2):
        store_lane(d.gjk_hint, (s, VERTEX), w, d.ccd_hint[s, VERTEX] * 1.0)
        store_lane(d.gjk_hint, (s, IN_HULL), w, d.ccd_hint[s, IN_HULL] * 1.0)


@kernel
def side_by_side(m, d, cutoff, on):
    """gjk, all worlds at once."""
    tolerance = m.opt.ccd_tolerance
    discrete = flat(d, 0, d.gjk_margin[0]) & flat(d, 1, d.gjk_margin[1])
    # shapes that have corners only are met exactly, others to the tolerance
    enough = where(discrete, 0.0, 0.5 * (tolerance * tolerance))
    zero = where(discrete | (cutoff > 0.0), MINVAL, splat(tolerance))

    # the first x: any direction will do
    x = d.gjk_x1[0] - d.gjk_x2[0]
    length = norm3(x)
    short = length < MINVAL
    x = where(short, vec(1.0, 0.0, 0.0), x)
    length = where(short, 1.0, length)

    n = splat(0.0)
    going, found, apart = on, on & not_(on), on & not_(on)
    for k in range(min(m.opt.ccd_iterations, MOST_ITERATIONS)):
        # the farthest point of D towards the origin
        d.ccd_tie = 0
        p = new_point(m, d, k, -(x * (1.0 / length)), going)
        if k == 0:
            d.ccd_unsure = d.ccd_unsure | d.ccd_tie
        along = dot3(x, p)
        ahead = going & (along > 0.0)  # (4)
        apart = apart | ahead
        going = going & not_(ahead & ((cutoff <= 0.0) | (along >= cutoff * length)))
        if k > 0:
            met = going & (dot3(x, x - p) < enough)  # (5)
            found = found | met
            going = going & not_(met)
        if not any_lane(going):
            break
        # the new nearest point, and those it is made of; none if the simplex has no size
        add_point(d, n, p, k, going)
        y = weigh(d, n + 1.0, going)
        kept = close_up(d, going)
        n = where(going, kept, n)
        none, whole = going & (kept == 0.0), going & (kept == 4.0)
        apart = apart | none
        # (6), unless round-off says so of shapes known to be apart
        length = where(whole & not_(apart), 0.0, length)
        found = found | whole
        going = going & not_(none | whole)
        # go on from there, as long as it is not the origin and still moves
        after = norm3(y)
        stop = after < where(n == 1.0, MINVAL, zero)
        if k > 0:
            stop = stop | (abs_(after - length) < MINVAL)
        x = where(going, y, x)
        length = where(going, after, length)
        found = found | (going & stop)
        going = going & not_(stop)
        if not any_lane(going):
            break
    found = found | going

    d.gjk_axis[0] = where(on, x * (1.0 / length), d.gjk_axis[0])
    d.gjk_dist[0] = where(on, where(found, length, HUGE), d.gjk_dist[0])
    d.gjk_nsimplex[0] = where(on, where(found, n, 0.0), d.gjk_nsimplex[0])
    if any_lane(found):
        recall(d, n, found)
        # the last x was not tried for (4) yet
        untried = found & (n < 4.0) & not_(apart) & (length >= MINVAL)
        if any_lane(untried):
            p1, p2 = two_points(m, d, -(x * (1.0 / length)), untried)
            apart = apart | (untried & (dot3(x, p1 - p2) > 0.0))
    return found, apart


@kernel
def two_points(m, d, direction, on):
    """The farthest points of both shapes, of the second in the opposite direction."""
    back = -direction
    p1, p2 = supports(m, d, 0, direction, on), supports(m, d, 1, back, on)
    margin1, margin2 = d.gjk_margin[0], d.gjk_margin[1]
    if any_lane((margin1 > 0.0) | (margin2 > 0.0)):
        p1 = where(margin1 > 0.0, p1 + direction * (0.5 * margin1), p1)
        p2 = where(margin2 > 0.0, p2 + back * (0.5 * margin2), p2)
    return p1, p2


@kernel(inline=True)
def new_point(m, d, k, direction, on):
    """The farthest point of the first shape minus the second, found in iteration k."""
    p1, p2 = two_points(m, d, direction, on)
    d.gjk_past1[k] = p1
    d.gjk_past2[k] = p2
    d.gjk_pastid[k] = vec(d.gjk_hint[0, VERTEX], d.gjk_hint[1, VERTEX])
    return p1 - p2


@kernel(inline=True)
def add_point(d, n, p, k, on):
    """Make a point that was found in iteration k point n of the simplex, in the worlds of `on`."""
    for i in range(4):
        here = on & (n == i * 1.0)
        if any_lane(here):
            d.gjk_vert[i] = where(here, p, d.gjk_vert[i])
            d.gjk_birth[i] = where(here, k * 1.0, d.gjk_birth[i])


@kernel(inline=True)
def recall(d, n, on):
    """What the simplex is made of, and the nearest points, in the worlds of `on`.

    The points of both shapes have the same weights as their difference.
    """
    x1, x2 = zeros3(), zeros3()
    for i in range(4):
        here = on & (n > i * 1.0)
        if any_lane(here):
            k = where(here, d.gjk_birth[i], 0.0)
            p1, p2, w = d.gjk_past1[k], d.gjk_past2[k], d.gjk_weight[i]
            d.gjk_vert1[i] = where(here, p1, d.gjk_vert1[i])
            d.gjk_vert2[i] = where(here, p2, d.gjk_vert2[i])
            d.gjk_vertid[i] = where(here, d.gjk_pastid[k], d.gjk_vertid[i])
            if i == 0:
                x1, x2 = p1 * w, p2 * w
            else:
                x1, x2 = where(here, x1 + p1 * w, x1), where(here, x2 + p2 * w, x2)
    d.gjk_x1[0] = where(on, x1, d.gjk_x1[0])
    d.gjk_x2[0] = where(on, x2, d.gjk_x2[0])


@kernel
def weigh(d, n, on):
    """Weights of (2) for n points, and the point of their simplex that is nearest to the origin."""
    a, b, c, e = d.gjk_vert[0], d.gjk_vert[1], d.gjk_vert[2], d.gjk_vert[3]
    weight = vec(splat(1.0), splat(0.0), splat(0.0), splat(0.0))
    x, least = a, splat(HUGE)
    two, four = on & (n == 2.0), on & (n == 4.0)
    # corners of a tetrahedron that are on the far side of the face opposite
    far_a, far_b, far_c, far_e = on & not_(on), on & not_(on), on & not_(on), on & not_(on)
    if any_lane(four):
        volume = volumes(a, b, c, e)
        va, vb, vc, ve = volume[0], volume[1], volume[2], volume[3]
        whole = va + vb + vc + ve
        far_a, far_b = four & not_(same_sign(whole, va)), four & not_(same_sign(whole, vb))
        far_c, far_e = four & not_(same_sign(whole, vc)), four & not_(same_sign(whole, ve))
        # (7)
        inside = four & not_(far_a | far_b | far_c | far_e)
        zero = vec(0.0, 0.0, 0.0, 0.0)
        if any_lane(inside):
            zero = where(inside, vec(va / whole, vb / whole, vc / whole, ve / whole), zero)
        weight = where(four, zero, weight)
    if any_lane(two):
        w, y = on_segment(a, b)
        weight = where(two, vec(w[0], w[1], 0.0, 0.0), weight)
        x = where(two, y, x)
    # the nearest of the faces opposite; a triangle has only the one without e
    far_e = far_e | (on & (n == 3.0))
    while any_lane(far_a | far_b | far_c | far_e):
        # in each world the next face p q r, its corners in order
        no_a, no_b = far_a, far_b & not_(far_a)
        no_c = far_c & not_(far_a | far_b)
        no_e = far_e & not_(far_a | far_b | far_c)
        p, q, r = where(no_a, b, a), where(no_a | no_b, c, b), where(no_e, c, e)
        w, y = on_triangle(p, q, r, no_a | no_b | no_c | no_e)
        z = p * w[0] + q * w[1] + r * w[2]
        norm2 = dot3(z, z)
        nearer = no_a | (no_e & not_(four)) | ((no_b | no_c | no_e) & (norm2 < least))
        # its weights back in their places
        w_b = where(no_a, w[0], where(no_b, 0.0, w[1]))
        w_c = where(no_a | no_b, w[1], where(no_c, 0.0, w[2]))
        placed = vec(where(no_a, 0.0, w[0]), w_b, w_c, where(no_e, 0.0, w[2]))
        weight = where(nearer, placed, weight)
        x, least = where(nearer, y, x), where(nearer, norm2, least)
        far_e = far_e & (far_a | far_b | far_c)
        far_c = far_c & (far_a | far_b)
        far_b = far_b & far_a
        far_a = far_a & not_(far_a)
    for i in range(4):
        d.gjk_weight[i] = where(on, weight_at(weight, i), d.gjk_weight[i])
    return x


@kernel(inline=True)
def close_up(d, on):
    """Drop the points that have no weight, in the worlds of `on`; how many stay."""
    w = vec(d.gjk_weight[0], d.gjk_weight[1], d.gjk_weight[2], d.gjk_weight[3])
    zero, off = splat(0.0), not_(on)
    keep0, keep1 = off | (w[0] != 0.0), off | (w[1] != 0.0)
    keep2, keep3 = off | (w[2] != 0.0), w[3] != 0.0
    kept = where(keep0, 1.0, zero) + where(keep1, 1.0, zero)
    kept = kept + where(keep2, 1.0, zero) + where(keep3, 1.0, zero)
    if any_lane(not_(keep0 & keep1 & keep2)):
        # the first, second and third of those that stay
        p0, p1, p2, p3 = whole_point(d, 0), whole_point(d, 1), whole_point(d, 2), whole_point(d, 3)
        both, either = keep0 & keep1, (keep0 | keep1) & keep2
        set_point(d, 0, where(keep0, p0, where(keep1, p1, where(keep2, p2, p3))))
        set_point(d, 1, where(both, p1, where(either, p2, p3)))
        set_point(d, 2, where(both & keep2, p2, p3))
    return kept


@kernel(inline=True)
def whole_point(d, i):
    """Point i of the simplex, with all that belongs to it."""
    return concat(d.gjk_vert[i], vec(d.gjk_birth[i], d.gjk_weight[i]))


@kernel(inline=True)
def set_point(d, i, point):
    d.gjk_vert[i] = point[0:3]
    d.gjk_birth[i] = point[3]
    d.gjk_weight[i] = point[4]


@kernel(inline=True)
def weight_at(v, i):
    """v[i] with i known at run time only."""
    if i == 0:
        return v[0]
    if i == 1:
        return v[1]
    return v[2] if i == 2 else v[3]
