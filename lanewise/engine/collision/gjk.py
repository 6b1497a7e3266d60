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

The weights of (2) are found by signed volumes (Montanari, Petrinic and Barbieri, 2017). Of a
tetrahedron a b c e they follow from sum w_i p_i = 0, sum w_i = 1 by Cramer's rule: with V(...) the
signed volume that three points make with the origin,

    (7)  w_a = V(b, c, e) / V,  w_b = -V(a, c, e) / V, ...,  V the sum of these volumes

Of a triangle, the foot of the origin on its plane divides it, and of a segment, the foot on its
line: with n = ab x ac,

    (8)  foot = n (n . a) / (n . n),  w_a = area(foot, b, c) / area(a, b, c), ...
    (9)  foot = b - ab (b . ab) / (ab . ab),  w_a = |foot - b| / |a - b|, ...

Areas and lengths are compared along the axes in which they look largest. Where a weight would not
be positive, its point is on the far side of the foot, and the search goes on in what is left
without it; of several such the nearest counts. These are differences of products that cancel
exactly where shapes are parallel or in line, and the branches depend on it: the arithmetic here
must not be rearranged.
"""

from ...lanes import kernel, vec
from ...mjconst import MINVAL
from ..spatial import cross, dot3, norm3
from .support import HUGE, TINY, add_point, copy_point, flat, tolerance_of


@kernel
def gjk(m, d, cutoff):
    """Distance and nearest points, from the ones now in row 0 of ccd_x1 and ccd_x2.

    They are wanted up to a distance of `cutoff`; 0: only whether the shapes overlap. Leaves the
    simplex in ccd_vert and says: ccd_nsimplex its points, ccd_separated whether the shapes are
    surely apart, ccd_nfound whether there is a result (ccd_dist, ccd_x1, ccd_x2).
    """
    tolerance = tolerance_of(m, d)
    discrete = flat(d, 0) and flat(d, 1)
    # shapes that have corners only are met exactly, others to the tolerance
    enough = 0.0 if discrete else 0.5 * (tolerance * tolerance)
    zero = MINVAL if discrete or cutoff > 0.0 else tolerance
    d.ccd_nsimplex = 0
    d.ccd_nfound = 0
    d.ccd_separated = 0
    d.ccd_dist[0] = HUGE

    # the first x: any direction will do
    x = d.ccd_x1[0] - d.ccd_x2[0]
    length = norm3(x)
    if length < MINVAL:
        x = vec(1.0, 0.0, 0.0)
        length = 1.0

    n = 0
    for k in range(m.opt.ccd_iterations):
        # the farthest point of D towards the origin
        add_point(m, d, n, -(x * (1.0 / length)))
        p = d.ccd_vert[n]
        along = dot3(x, p)
        if along > 0.0:  # (4)
            d.ccd_separated = 1
            if cutoff <= 0.0 or along >= cutoff * length:
                return
        if k > 0 and dot3(x, x - p) < enough:  # (5)
            break
        # the points that the new nearest one is made of; none if the simplex has no size
        n = reduce(d, n + 1)
        if n == 0:
            d.ccd_separated = 1
            return
        if n == 4:  # (6), unless round-off says so of shapes known to be apart
            length = length if d.ccd_separated else 0.0
            break
        # go on from there, as long as it is not the origin and still moves
        x = nearest(d, n)
        before, length = length, norm3(x)
        if length < (MINVAL if n == 1 else zero) or (k > 0 and abs(length - before) < MINVAL):
            break

    # the points of both shapes have the same weights as their difference
    if n > 0:
        d.ccd_x1[0] = blend(d, d.ccd_vert1, n)
        d.ccd_x2[0] = blend(d, d.ccd_vert2, n)
    # the last x was not tried for (4) yet
    if n < 4 and d.ccd_separated == 0 and length >= MINVAL:
        spare = 3  # not in the simplex
        add_point(m, d, spare, -(x * (1.0 / length)))
        if dot3(x, d.ccd_vert[spare]) > 0.0:
            d.ccd_separated = 1
    d.ccd_nsimplex = n
    d.ccd_nfound = 1
    d.ccd_dist[0] = length


@kernel
def blend(d, points, n):
    """The first n of these points, weighted."""
    x = points[0] * d.ccd_weight[0]
    for i in range(1, n):
        x = x + points[i] * d.ccd_weight[i]
    return x


@kernel
def nearest(d, n):
    """The point of the line or plane of n points that is nearest to the origin; of one, itself."""
    p = d.ccd_vert[0]
    if n == 2:
        q = d.ccd_vert[1]
        along = q - p
        norm2 = dot3(along, along)
        if norm2 >= TINY:
            return along * (-dot3(q, along) / norm2) + q
    elif n == 3:
        foot = foot_on_plane(p, d.ccd_vert[1], d.ccd_vert[2])
        if foot[3] > 0.0:
            return foot[0:3]
    return blend(d, d.ccd_vert, n)


@kernel
def reduce(d, n):
    """Weights of (2), without the points that have none; how many stay."""
    a, b, c = d.ccd_vert[0], d.ccd_vert[1], d.ccd_vert[2]
    weight = vec(1.0, 0.0, 0.0, 0.0)
    if n == 2:
        w = on_segment(a, b)
        weight = vec(w[0], w[1], 0.0, 0.0)
    elif n == 3:
        w = on_triangle(a, b, c)
        weight = vec(w[0], w[1], w[2], 0.0)
    elif n == 4:
        weight = in_tetrahedron(a, b, c, d.ccd_vert[3])
    # close up, each point with all that belongs to it
    kept = 0
    for i in range(n):
        w = weight_at(weight, i)
        if w != 0.0:
            if kept != i:
                copy_point(d, i, kept)
            d.ccd_weight[kept] = w
            kept += 1
    return kept


@kernel(inline=True)
def weight_at(v, i):
    """v[i] with i known at run time only."""
    if i == 0:
        return v[0]
    if i == 1:
        return v[1]
    return v[2] if i == 2 else v[3]


@kernel(inline=True)
def same_sign(a, b):
    return (a > 0.0 and b > 0.0) or (a < 0.0 and b < 0.0)


@kernel
def on_segment(a, b):
    """Weights of the point of a segment that is nearest to the origin, by (9)."""
    ab = b - a
    norm2 = dot3(ab, ab)
    if norm2 < TINY:
        return vec(0.0, 1.0)
    foot = ab * (-dot3(b, ab) / norm2) + b
    # compare along the axis in which the segment is longest
    ba = a - b
    long, u, v = ba[0], foot[0] - b[0], a[0] - foot[0]
    if abs(ba[1]) >= abs(long):
        long, u, v = ba[1], foot[1] - b[1], a[1] - foot[1]
    if abs(ba[2]) >= abs(long):
        long, u, v = ba[2], foot[2] - b[2], a[2] - foot[2]
    # a foot beyond an end leaves the whole weight to that end
    if not same_sign(long, u):
        return vec(0.0, 1.0)
    if not same_sign(long, v):
        return vec(1.0, 0.0)
    return vec(u / long, v / long)


@kernel
def on_triangle(a, b, c):
    """Weights of the point of a triangle that is nearest to the origin, by (8)."""
    foot = foot_on_plane(a, b, c)
    in_a = in_b = in_c = False
    # the foot is in the triangle if all areas have the sign of the whole
    if foot[3] > 0.0:
        area = areas(a, b, c, foot[0:3])
        in_a, in_b = same_sign(area[3], area[0]), same_sign(area[3], area[1])
        in_c = same_sign(area[3], area[2])
        if in_a and in_b and in_c:
            whole = area[0] + area[1] + area[2]
            return vec(area[0] / whole, area[1] / whole, area[2] / whole)
    # else the nearest point of the edges opposite the corners on the far side
    best = vec(0.0, 0.0, 0.0)
    least = HUGE
    if not in_a:
        w = on_segment(b, c)
        x = b * w[0] + c * w[1]
        best, least = vec(0.0, w[0], w[1]), dot3(x, x)
    if not in_b:
        w = on_segment(a, c)
        x = a * w[0] + c * w[1]
        if dot3(x, x) < least:
            best, least = vec(w[0], 0.0, w[1]), dot3(x, x)
    if not in_c:
        w = on_segment(a, b)
        x = a * w[0] + b * w[1]
        if dot3(x, x) < least:
            best = vec(w[0], w[1], 0.0)
    return best


@kernel
def areas(a, b, c, p):
    """Doubled areas of the triangles that p makes with the edges opposite a, b and c, and of abc.

    They are signed, and seen along the axis from which the triangle looks largest.
    """
    # components of ab x ac: areas of the triangle seen along x, y (negative) and z
    ab, ac = b - a, c - a
    yz = ab[1] * ac[2] - ab[2] * ac[1]
    xz = ab[0] * ac[2] - ab[2] * ac[0]
    xy = ab[0] * ac[1] - ab[1] * ac[0]
    u, v, w = a - p, b - p, c - p
    if abs(yz) >= abs(xz) and abs(yz) >= abs(xy):
        return flat_areas(u[1], u[2], v[1], v[2], w[1], w[2], yz)
    if abs(xz) >= abs(xy):
        return flat_areas(u[0], u[2], v[0], v[2], w[0], w[2], xz)
    return flat_areas(u[0], u[1], v[0], v[1], w[0], w[1], xy)


@kernel(inline=True)
def flat_areas(ux, uy, vx, vy, wx, wy, whole):
    return vec(vx * wy - wx * vy, wx * uy - ux * wy, ux * vy - vx * uy, whole)


@kernel
def in_tetrahedron(a, b, c, e):
    """Weights of the point of a tetrahedron that is nearest to the origin, by (7)."""
    va, vb = -dot3(b, cross(c, e)), dot3(a, cross(c, e))
    vc, ve = -dot3(a, cross(b, e)), dot3(a, cross(b, c))
    whole = va + vb + vc + ve
    in_a, in_b = same_sign(whole, va), same_sign(whole, vb)
    in_c, in_e = same_sign(whole, vc), same_sign(whole, ve)
    if in_a and in_b and in_c and in_e:
        return vec(va / whole, vb / whole, vc / whole, ve / whole)
    # else the nearest point of the faces opposite the corners on the far side
    best = vec(0.0, 0.0, 0.0, 0.0)
    least = HUGE
    for without in range(4):
        inside = in_a if without == 0 else in_b if without == 1 else in_c if without == 2 else in_e
        if not inside:
            # the other three corners in order, and their weights back in their places
            p = b if without == 0 else a
            q = c if without < 2 else b
            r = c if without == 3 else e
            w = on_triangle(p, q, r)
            x = p * w[0] + q * w[1] + r * w[2]
            if without == 0 or dot3(x, x) < least:
                least = dot3(x, x)
                best = vec(
                    0.0 if without == 0 else w[0],
                    w[0] if without == 0 else 0.0 if without == 1 else w[1],
                    w[1] if without < 2 else 0.0 if without == 2 else w[2],
                    0.0 if without == 3 else w[2],
                )
    return best


@kernel(inline=True)
def foot_on_plane(a, b, c):
    """The foot of (8), then 1; 0 if abc is no triangle.

    The plane's normal is a product of two edges: the first pair, unless that is too small or gives
    a plane through the origin, where another pair has less cancellation.
    """
    ab, ac, bc = b - a, c - a, c - b
    n = cross(bc, ab)
    height, norm2 = dot3(n, b), dot3(n, n)
    if norm2 != 0.0 and not (height != 0.0 and norm2 > MINVAL):
        n = cross(ab, ac)
        height, norm2 = dot3(n, a), dot3(n, n)
        if norm2 != 0.0 and not (height != 0.0 and norm2 > MINVAL):
            n = cross(ac, bc)
            height, norm2 = dot3(n, c), dot3(n, n)
    if norm2 == 0.0:
        return vec(0.0, 0.0, 0.0, 0.0)
    f = height / norm2
    return vec(n[0] * f, n[1] * f, n[2] * f, 1.0)
