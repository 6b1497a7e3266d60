"""Quaternions by components to matrices and axis-angle vectors, and back.

Quaternions are (w, x, y, z), matrices nine numbers row by row. Round-off in the length of a
quaternion does not matter: every formula is of a ratio of its components.

A formula that divides by something that may be nought is used only where it is not; elsewhere a
series or another formula is. Both are computed for every element, so the one that is not taken gets
a harmless number to work on: its slope would come back as NaN from a gradient otherwise.
"""

from .arrays import Components, namespace
from .spatial import dot, scale

# below this square of an angle (or its sine) the series with two terms is exact to round-off
SMALL = 1e-8


def matrix_of_quaternion(q: Components) -> Components:
    w, x, y, z = q
    s = 2.0 / dot(q, q)
    wx, wy, wz = w * x * s, w * y * s, w * z * s
    xx, xy, xz = x * x * s, x * y * s, x * z * s
    yy, yz, zz = y * y * s, y * z * s, z * z * s
    return (
        1.0 - (yy + zz), xy - wz, xz + wy,
        xy + wz, 1.0 - (xx + zz), yz - wx,
        xz - wy, yz + wx, 1.0 - (xx + yy),
    )  # fmt: skip


def quaternion_of_matrix(m: Components) -> Components:
    """The one with w >= 0.

    4 q q' has the squares 4 w^2, 4 x^2, ... on its diagonal, and sums and differences of the
    matrix's elements elsewhere. Its row with the largest square, which is at least 1, is divided by
    the root of that.
    """
    xp = namespace(*m)
    xx, xy, xz, yx, yy, yz, zx, zy, zz = m
    ww4, xx4 = 1.0 + xx + yy + zz, 1.0 + xx - yy - zz
    yy4, zz4 = 1.0 - xx + yy - zz, 1.0 - xx - yy + zz
    wx4, wy4, wz4 = zy - yz, xz - zx, yx - xy
    xy4, xz4, yz4 = yx + xy, xz + zx, zy + yz
    row, most = (ww4, wx4, wy4, wz4), ww4
    for other, square in (
        ((wx4, xx4, xy4, xz4), xx4), ((wy4, xy4, yy4, yz4), yy4), ((wz4, xz4, yz4, zz4), zz4),
    ):  # fmt: skip
        more = square > most
        row = tuple(xp.where(more, new, old) for new, old in zip(other, row))
        most = xp.where(more, square, most)
    factor = 0.5 / xp.sqrt(most)
    return scale(row, xp.where(row[0] < 0.0, -factor, factor))


def quaternion_of_axis_angle(v: Components) -> Components:
    """(cos a/2, sin(a/2) v/a), with a = |v|"""
    xp = namespace(*v)
    square = dot(v, v)
    small = square < SMALL
    angle = xp.sqrt(xp.where(small, 1.0, square))
    w = xp.where(small, 1.0 - square / 8.0, xp.cos(0.5 * angle))
    return (w, *scale(v, xp.where(small, 0.5 - square / 48.0, xp.sin(0.5 * angle) / angle)))


def axis_angle_of_quaternion(q: Components) -> Components:
    """Axis times angle, with the angle in [0, pi].

    With q or -q, whichever has w >= 0, and n = |(x, y, z)|, the angle is 2 atan2(n, w). That is
    accurate for small turns, where arccos w is not, and for half turns, where arcsin n is not.
    """
    xp = namespace(*q)
    w = xp.where(q[0] < 0.0, -q[0], q[0])
    v = scale(q[1:], xp.where(q[0] < 0.0, -1.0, 1.0))
    square = dot(v, v)
    small = square < SMALL
    n = xp.sqrt(xp.where(small, 1.0, square))
    near = xp.where(small, w, 1.0)  # not nought
    series = 2.0 / near * (1.0 - square / (3.0 * near * near))
    return scale(v, xp.where(small, series, 2.0 * xp.arctan2(n, w) / n))
