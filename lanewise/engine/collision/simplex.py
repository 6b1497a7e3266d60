"""The point of a segment, triangle or tetrahedron that is nearest to the origin, by its weights.

With x = sum w_i p_i, w_i >= 0 and sum w_i = 1, the weights are found by signed volumes (Montanari,
Petrinic and Barbieri, 2017). Of a tetrahedron a b c e they follow from sum w_i p_i = 0, sum w_i = 1
by Cramer's rule: with V(...) the signed volume that three points make with the origin,

    (7)  w_a = V(b, c, e) / V,  w_b = -V(a, c, e) / V, ...,  V the sum of these volumes

Of a triangle, the foot of the origin on its plane divides it, and of a segment, the foot on its
line: with n = ab x ac,

    (8)  foot = n (n . a) / (n . n),  w_a = area(foot, b, c) / area(a, b, c), ...
    (9)  foot = b - ab (b . ab) / (ab . ab),  w_a = |foot - b| / |a - b|, ...

Areas and lengths are compared along the axes in which they look largest. Where a weight would not
be positive, its point is on the far side of the foot, and the search goes on in what is left
without it; of several such the nearest counts. Areas and lengths are differences that cancel
exactly where shapes are parallel or in line, and the branches depend on it: the arithmetic here
must not be rearranged, and no product is fused. Of two that are not zero neither product nor
quotient vanishes at any size that shapes have, so that these tell whether signs agree.

All is for plain numbers and for lanes. Numbers of equations go on from those in gjk.py.
"""

from ...lanes import abs_, any_lane, kernel, not_, vec, where
from ...mjconst import MINVAL
from ..spatial import cross, dot3
from .hull import HUGE
from .support import TINY


@kernel(inline=True)
def volumes(a, b, c, e):
    """Volumes of (7), with their signs."""
    ce = cross(c, e)
    return vec(-dot3(b, ce), dot3(a, ce), -dot3(a, cross(b, e)), dot3(a, cross(b, c)))


@kernel(inline=True)
def same_sign(a, b):
    return ((a > 0.0) & (b > 0.0)) | ((a < 0.0) & (b < 0.0))


@kernel
def on_triangle(a, b, c, on):
    """Weights of the point of a triangle that is nearest to the origin, by (8), and that point."""
    foot = foot_on_plane(a, b, c)
    # the foot is in the triangle if all areas have the sign of the whole
    area = areas(a, b, c, foot[0:3])
    known = foot[3] > 0.0
    in_a, in_b = known & (area[3] * area[0] > 0.0), known & (area[3] * area[1] > 0.0)
    in_c = known & (area[3] * area[2] > 0.0)
    inside = in_a & in_b & in_c
    whole = area[0] + area[1] + area[2]
    best = vec(area[0] / whole, area[1] / whole, area[2] / whole)
    best, x = where(inside, best, vec(0.0, 0.0, 0.0)), foot[0:3]
    # else the nearest point of the edges opposite the corners on the far side
    least = where(inside, 0.0, HUGE)
    far_a, far_b, far_c = on & not_(in_a), on & not_(in_b), on & not_(in_c)
    if any_lane(far_a):
        w, y, norm2 = on_edge(b, c)
        best = where(far_a, vec(0.0, w[0], w[1]), best)
        x, least = where(far_a, y, x), where(far_a, norm2, least)
    if any_lane(far_b):
        w, y, norm2 = on_edge(a, c)
        nearer = far_b & (norm2 < least)
        best = where(nearer, vec(w[0], 0.0, w[1]), best)
        x, least = where(nearer, y, x), where(nearer, norm2, least)
    if any_lane(far_c):
        w, y, norm2 = on_edge(a, b)
        nearer = far_c & (norm2 < least)
        best = where(nearer, vec(w[0], w[1], 0.0), best)
        x = where(nearer, y, x)
    return best, x


@kernel(inline=True)
def on_edge(p, q):
    """on_segment, and the squared distance by its weights."""
    w, y = on_segment(p, q)
    z = p * w[0] + q * w[1]
    return w, y, dot3(z, z)


@kernel(inline=True)
def on_segment(a, b):
    """Weights of the point of a segment that is nearest to the origin, by (9), and that point."""
    ab = b - a
    norm2 = dot3(ab, ab)
    foot = ab * (-dot3(b, ab) / norm2) + b
    # compare along the axis in which the segment is longest
    u, v = foot - b, a - foot
    side = vec(ab[0], u[0], v[0])
    side = where(abs_(ab[1]) >= abs_(side[0]), vec(ab[1], u[1], v[1]), side)
    side = where(abs_(ab[2]) >= abs_(side[0]), vec(ab[2], u[2], v[2]), side)
    long = -side[0]
    w_a, w_b = side[1] / long, side[2] / long
    # a foot beyond an end leaves the whole weight to that end
    at_a, at_b = not_(w_b > 0.0), not_(w_a > 0.0) | (norm2 < TINY)
    weight = where(at_a, vec(1.0, 0.0), vec(w_a, w_b))
    return where(at_b, vec(0.0, 1.0), weight), where(at_b, b, where(at_a, a, foot))


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
    along_x = (abs_(yz) >= abs_(xz)) & (abs_(yz) >= abs_(xy))
    along_z = not_(along_x) & not_(abs_(xz) >= abs_(xy))
    # the two coordinates that are left
    u, v, w = a - p, b - p, c - p
    ux, uy = where(along_x, u[1], u[0]), where(along_z, u[1], u[2])
    vx, vy = where(along_x, v[1], v[0]), where(along_z, v[1], v[2])
    wx, wy = where(along_x, w[1], w[0]), where(along_z, w[1], w[2])
    whole = where(along_x, yz, where(along_z, xy, xz))
    return vec(vx * wy - wx * vy, wx * uy - ux * wy, ux * vy - vx * uy, whole)


@kernel(inline=True)
def foot_on_plane(a, b, c):
    """The foot of (8), then 1; 0 if abc is no triangle.

    The plane's normal is a product of two edges: the first pair, unless that is too small or gives
    a plane through the origin, where another pair has less cancellation.
    """
    ab, ac, bc = b - a, c - a, c - b
    n = cross(bc, ab)
    height, norm2 = dot3(n, b), dot3(n, n)
    poor = (norm2 != 0.0) & not_((height != 0.0) & (norm2 > MINVAL))
    if any_lane(poor):
        n = where(poor, cross(ab, ac), n)
        height, norm2 = where(poor, dot3(n, a), height), where(poor, dot3(n, n), norm2)
        poor = poor & (norm2 != 0.0) & not_((height != 0.0) & (norm2 > MINVAL))
        n = where(poor, cross(ac, bc), n)
        height, norm2 = where(poor, dot3(n, c), height), where(poor, dot3(n, n), norm2)
    f = height / norm2
    exists = norm2 != 0.0
    return where(exists, vec(n[0] * f, n[1] * f, n[2] * f, 1.0), vec(0.0, 0.0, 0.0, 0.0))
