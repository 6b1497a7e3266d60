"""Friction within a contact's ellipsoid: a quadratic program with one quadratic constraint.

    minimize x'A x / 2 + b'x   where   sum (x_i / mu_i)^2 <= r^2                            (1)

Scaled by mu, the ellipsoid is a ball of radius r. With s >= 0 the multiplier of its bound, the
solution is

    x(s) = -inverse(A + s 1) b                                                              (2)

for s = 0 if that is in the ball, or else for the s with |x(s)| = r. The excess
e(s) = |x(s)|^2 - r^2 falls and is convex in s, so Newton's method from zero comes up from below:

    s <= s + e / (2 x' inverse(A + s 1) x)                                                  (3)

Tolerances are MuJoCo's, because a solution that has not converged is scaled onto the ellipsoid and
is what the sweep goes on with.

This is for one world, on plain numbers: qcqp_A, qcqp_b, qcqp_mu => qcqp_x.
"""

from ....lanes import kernel, maximum, sqrt
from ....mjconst import MINVAL

SMALL = 1e-10


@kernel
def solve_friction(d, n, r):
    """qcqp_x <= friction of n directions under a normal force r"""
    s = 0.0
    # the ellipsoid becomes a ball: x_i = mu_i y_i
    for i in range(n):
        d.qcqp_b[i] = d.qcqp_b[i] * d.qcqp_mu[i]
        for j in range(n):
            d.qcqp_A[n * i + j] = d.qcqp_A[n * i + j] * (d.qcqp_mu[i] * d.qcqp_mu[j])
    # y and its multiplier
    if n == 2:
        s = multiplier2(d, r)
    else:
        s = multiplier(d, n, r)
    # on the ellipsoid: exactly so
    size = 0.0
    for i in range(n):
        size += d.qcqp_x[i] * d.qcqp_x[i]
    scale = sqrt(r * r / maximum(size, MINVAL)) if s > 0.0 else 1.0
    for i in range(n):
        d.qcqp_x[i] = d.qcqp_x[i] * d.qcqp_mu[i] * scale


@kernel
def multiplier(d, n, r):
    """qcqp_x <= solution within the ball of radius r; its multiplier s"""
    s = 0.0
    for _ in range(20):
        # a singular problem has no friction
        if not factor_small(d, n, s):
            for i in range(n):
                d.qcqp_x[i] = 0.0
            return 0.0
        # (2)
        solve_small(d, n, d.qcqp_b, d.qcqp_x)
        excess = -r * r
        for i in range(n):
            d.qcqp_x[i] = -d.qcqp_x[i]
            excess += d.qcqp_x[i] * d.qcqp_x[i]
        # in the ball, or close enough to it
        if excess < SMALL:
            break
        # (3): the slope of the excess is -2 x . y, with y = inverse(A + s 1) x
        solve_small(d, n, d.qcqp_x, d.qcqp_y)
        slope = 0.0
        for i in range(n):
            slope += 2.0 * d.qcqp_x[i] * d.qcqp_y[i]
        if excess < SMALL * slope:
            break
        s += excess / slope
    return s


@kernel
def multiplier2(d, r):
    """The same in two directions, which most contacts have."""
    a, b, c = d.qcqp_A[0], d.qcqp_A[1], d.qcqp_A[3]
    u, v, s = d.qcqp_b[0], d.qcqp_b[1], 0.0
    x, y = 0.0, 0.0
    for _ in range(20):
        # (2) by the inverse of a 2x2 matrix
        determinant = (a + s) * (c + s) - b * b
        if determinant < SMALL:
            x, y, s = 0.0, 0.0, 0.0
            break
        scale = 1.0 / determinant
        x, y = (b * v - (c + s) * u) * scale, (b * u - (a + s) * v) * scale
        # in the ball, or close enough to it
        excess = x * x + y * y - r * r
        if excess < SMALL:
            break
        # (3)
        slope = 2.0 * ((c + s) * x * x - 2.0 * b * x * y + (a + s) * y * y) * scale
        if excess < SMALL * slope:
            break
        s += excess / slope
    d.qcqp_x[0] = x
    d.qcqp_x[1] = y
    return s


@kernel
def factor_small(d, n, s):
    """qcqp_L <= unit L and D of A + s 1 = L D L'; False if that is too close to singular

    Two and three directions are judged by the determinant, five by each pivot.
    """
    determinant = 1.0
    # column by column; u is L_ij D_j
    for j in range(n):
        for i in range(j, n):
            u = d.qcqp_A[n * i + j] + (s if i == j else 0.0)
            for k in range(j):
                u -= d.qcqp_L[n * i + k] * d.qcqp_L[n * j + k] * d.qcqp_L[n * k + k]
            # a pivot
            if i == j:
                determinant *= u
                if not (u >= SMALL if n > 3 else u > 0.0):
                    return False
            d.qcqp_L[n * i + j] = u if i == j else u / d.qcqp_L[n * j + j]
    return bool(n > 3 or determinant >= SMALL)


@kernel
def solve_small(d, n, b, x):
    """x <= inverse(L D L') b"""
    # L y = b
    for i in range(n):
        y = b[i]
        for k in range(i):
            y -= d.qcqp_L[n * i + k] * x[k]
        x[i] = y
    # D L' x = y
    for i in range(n - 1, -1, -1):
        y = x[i] / d.qcqp_L[n * i + i]
        for k in range(i + 1, n):
            y -= d.qcqp_L[n * k + i] * x[k]
        x[i] = y
