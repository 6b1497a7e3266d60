"""Where rays meet the shapes that have a formula.

A ray is the points p + x v with x >= 0. Here p and v are in the axes of the geom, eight rays at
once, each number a Row. A function returns two Rows: the least x at which a ray meets the surface,
-1 where it does not, and which part of the surface that is, for the normal (ray_normals.py).

Surfaces are met from inside, too. Nothing is fused, and sums have MuJoCo's order: rays along edges
and faces are decided by the last bit.
"""

from ...lanes import abs_, kernel, minimum, sqrt, vec, where
from ...mjconst import MINVAL
from ..spatial import dot3

NO_HIT = -1.0
INF = float("inf")


@kernel(inline=True)
def roots(a, b, c):
    """The two x with a x^2 + 2 b x + c = 0, the lower one first; -1 where there are none."""
    square = b * b - a * c
    none = (square < 0.0) | (a < MINVAL)
    s, a = sqrt(where(none, 0.0, square)), where(none, 1.0, a)
    return where(none, NO_HIT, (-b - s) / a), where(none, NO_HIT, (-b + s) / a)


@kernel(inline=True)
def first_of(low, high):
    """The first of two ordered x that is not behind the ray's start, or -1."""
    return where(low >= 0.0, low, where(high >= 0.0, high, NO_HIT))


@kernel(inline=True)
def nearer(x, than):
    """Where x is a hit, and before another that may be none."""
    return (x >= 0.0) & ((x < than) | (than < 0.0))


@kernel(fused=False)
def meets_sphere(p, v, square):
    """The sphere about the origin with this squared radius"""
    low, high = roots(dot3(v, v), dot3(v, p), dot3(p, p) - square)
    return first_of(low, high)


@kernel(fused=False)
def meets_plane(p, v, size):
    """The front of a plane, as far as it is drawn: a size of zero is infinite"""
    front = v[2] <= -MINVAL
    x = where(front, -p[2] / where(front, v[2], 1.0), NO_HIT)
    a, b = where(size[0] > 0.0, size[0], INF), where(size[1] > 0.0, size[1], INF)
    inside = (abs_(p[0] + x * v[0]) <= a) & (abs_(p[1] + x * v[1]) <= b)
    return where((x >= 0.0) & inside, x, NO_HIT)


@kernel(fused=False)
def meets_ellipsoid(p, v, size):
    s = vec(1.0 / (size[0] * size[0]), 1.0 / (size[1] * size[1]), 1.0 / (size[2] * size[2]))
    a = s[0] * v[0] * v[0] + s[1] * v[1] * v[1] + s[2] * v[2] * v[2]
    b = s[0] * v[0] * p[0] + s[1] * v[1] * p[1] + s[2] * v[2] * p[2]
    c = s[0] * p[0] * p[0] + s[1] * p[1] * p[1] + s[2] * p[2] * p[2] - 1.0
    low, high = roots(a, b, c)
    return first_of(low, high)


@kernel(inline=True)
def meets_tube(p, v, radius, half):
    """The round side of a cylinder, open at both ends"""
    a = v[0] * v[0] + v[1] * v[1]
    b = v[0] * p[0] + v[1] * p[1]
    low, high = roots(a, b, p[0] * p[0] + p[1] * p[1] - radius * radius)
    x = first_of(low, high)
    return where((x >= 0.0) & (abs_(p[2] + x * v[2]) <= half), x, NO_HIT)


@kernel(fused=False)
def meets_capsule(p, v, size):
    """Parts: 0 the tube, 1 the cap above, -1 the one below"""
    radius, half = size[0], size[1]
    x, part = meets_tube(p, v, radius, half), 0.0
    # the half of each end's sphere that is outside of the tube
    for end in range(-1, 2, 2):
        side = -end * 1.0  # the cap above comes first
        q = vec(p[0], p[1], p[2] - half * side)
        low, high = roots(dot3(v, v), dot3(v, q), dot3(q, q) - radius * radius)
        on = nearer(low, x) & (side * (p[2] + low * v[2]) >= half)
        x, part = where(on, low, x), where(on, side, part)
        on = nearer(high, x) & (side * (p[2] + high * v[2]) >= half)
        x, part = where(on, high, x), where(on, side, part)
    return x, part


@kernel(fused=False)
def meets_cylinder(p, v, size):
    """Parts: 0 the round side, 1 the lid, -1 the bottom"""
    radius, half = size[0], size[1]
    x, part = NO_HIT, 0.0
    level = abs_(v[2]) <= MINVAL
    along = where(level, 1.0, v[2])
    for end in range(-1, 2, 2):
        flat = where(level, NO_HIT, (end * half - p[2]) / along)
        a, b = p[0] + flat * v[0], p[1] + flat * v[1]
        on = nearer(flat, x) & (a * a + b * b <= radius * radius)
        x, part = where(on, flat, x), where(on, end, part)
    tube = meets_tube(p, v, radius, half)
    on = nearer(tube, x)
    x, part = where(on, tube, x), where(on, 0.0, part)
    return x, part


@kernel(inline=True)
def meets_face(p, v, plane, pj, vj, sj, pk, vk, sk):
    """The face of a box at a place along an axis, with its extents along the two others j, k"""
    along = abs_(v) > MINVAL
    x = where(along, (plane - p) / where(along, v, 1.0), NO_HIT)
    on = (x >= 0.0) & (abs_(pj + x * vj) <= sj) & (abs_(pk + x * vk) <= sk)
    return where(on, x, NO_HIT)


@kernel(fused=False)
def meets_faces(p, v, size):
    """All faces of a box: -x, x, -y, y, -z, z"""
    a, b, c = size[0], size[1], size[2]
    return vec(
        meets_face(p[0], v[0], -a, p[1], v[1], b, p[2], v[2], c),
        meets_face(p[0], v[0], a, p[1], v[1], b, p[2], v[2], c),
        meets_face(p[1], v[1], -b, p[0], v[0], a, p[2], v[2], c),
        meets_face(p[1], v[1], b, p[0], v[0], a, p[2], v[2], c),
        meets_face(p[2], v[2], -c, p[0], v[0], a, p[1], v[1], b),
        meets_face(p[2], v[2], c, p[0], v[0], a, p[1], v[1], b),
    )


@kernel(inline=True)
def first_face(x):
    """The first of the faces that are met, and its number as the part"""
    best, part = x[0], 0.0
    on = nearer(x[1], best)
    best, part = where(on, x[1], best), where(on, 1.0, part)
    on = nearer(x[2], best)
    best, part = where(on, x[2], best), where(on, 2.0, part)
    on = nearer(x[3], best)
    best, part = where(on, x[3], best), where(on, 3.0, part)
    on = nearer(x[4], best)
    best, part = where(on, x[4], best), where(on, 4.0, part)
    on = nearer(x[5], best)
    return where(on, x[5], best), where(on, 5.0, part)


@kernel(fused=False)
def meets_box(p, v, size):
    """Parts: the faces -x, x, -y, y, -z, z"""
    return first_face(meets_faces(p, v, size))


@kernel(inline=True)
def least(x):
    """The first of the faces that are met, or -1"""
    far = 1e300
    best = minimum(where(x[0] >= 0.0, x[0], far), where(x[1] >= 0.0, x[1], far))
    best = minimum(best, minimum(where(x[2] >= 0.0, x[2], far), where(x[3] >= 0.0, x[3], far)))
    best = minimum(best, minimum(where(x[4] >= 0.0, x[4], far), where(x[5] >= 0.0, x[5], far)))
    return where(best < far, best, NO_HIT)
