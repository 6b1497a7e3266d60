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

A problem of each world: qcqp_A, qcqp_b, qcqp_mu => qcqp_x. All have the same n, as worlds with
another one are solved apart: the number of directions decides how it is done. That of two has no
matrices: friction_of_two.
"""

from ....lanes import any_lane, kernel, maximum, not_, splat, sqrt, where
from ....mjconst import MINVAL

SMALL = 1e-10
NEWTON = 20  # steps


@kernel
def solve_friction(d, n, r, mine):
    """qcqp_x <= friction of n directions under a normal force r, in the worlds `mine`"""
    # the ellipsoid becomes a ball: x_i = mu_i y_i
    for i in range(n):
        d.qcqp_b[i] = d.qcqp_b[i] * d.qcqp_mu[i]
        for j in range(n):
            d.qcqp_A[n * i + j] = d.qcqp_A[n * i + j] * (d.qcqp_mu[i] * d.qcqp_mu[j])
    # y and its multiplier
    s = multiplier(d, n, r, mine)
    # on the ellipsoid: exactly so
    size = splat(0.0)
    for i in range(n):
        size = size + d.qcqp_x[i] * d.qcqp_x[i]
    scale = where(s > 0.0, sqrt(r * r / maximum(size, MINVAL)), 1.0)
    for i in range(n):
        d.qcqp_x[i] = d.qcqp_x[i] * d.qcqp_mu[i] * scale


@kernel
def multiplier(d, n, r, mine):
    """qcqp_x <= solution within the ball of radius r; its multiplier s"""
    s, live = splat(0.0), mine
    for _ in range(NEWTON):
        # (2)
        regular = factor_small(d, n, s)
        solve_small(d, n, d.qcqp_b, d.qcqp_y)
        excess = -r * r
        for i in range(n):
            # a singular problem has no friction
            x = where(regular, -d.qcqp_y[i], 0.0)
            d.qcqp_x[i] = where(live, x, d.qcqp_x[i])
            excess = excess + d.qcqp_x[i] * d.qcqp_x[i]
        s = where(live & not_(regular), 0.0, s)
        # in the ball, or close enough to it
        live = live & regular & not_(excess < SMALL)
        if not any_lane(live):
            break
        # (3): the slope of the excess is -2 x . y, with y = inverse(A + s 1) x
        solve_small(d, n, d.qcqp_x, d.qcqp_y)
        slope = splat(0.0)
        for i in range(n):
            slope = slope + 2.0 * d.qcqp_x[i] * d.qcqp_y[i]
        live = live & not_(excess < SMALL * slope)
        if not any_lane(live):
            break
        s = where(live, s + excess / slope, s)
    return s


@kernel(inline=True)
def friction_of_two(a, b, c, u, v, r, mine):
    """The same in two directions, which most contacts have: A = (a b; b c), b = (u, v)

    With D the determinant of A + s 1, and x(s) = X / D, all that (3) needs are polynomials in s,

        X = X_0 - s b,   D = D_0 + (a + c) s + s^2,
        N = |X|^2 = m_2 + 2 m_1 s + m_0 s^2,   Q = D^3 x' inverse(A + s 1) x
          = m_3 + 3 m_2 s + 3 m_1 s^2 + m_0 s^3,   s <= s + (N - r^2 D^2) D / (2 Q)

    whose coefficients are not negative. Every step waits for the s of the last one, and for nothing
    else: s goes on where a world is done, and `at` is where it was then.
    """
    square, D0, sum_ = r * r, a * c - b * b, a + c
    X0, Y0 = b * v - c * u, b * u - a * v
    m2 = X0 * X0 + Y0 * Y0
    # a singular problem has no friction; s only makes D larger
    regular = mine & not_(D0 < SMALL)
    at, scale = splat(0.0), 1.0 / D0
    out = regular & not_(m2 - square * D0 * D0 < SMALL * D0 * D0)
    if any_lane(out):
        m0, m1 = u * u + v * v, -(X0 * u + Y0 * v)
        m3 = X0 * (c * X0 - 2.0 * b * Y0) + a * Y0 * Y0
        m3 = where(m3 > 0.0, m3, 1.0)
        # those of 2 Q
        q0, q1, q2, q3 = 2.0 * m0, 6.0 * m1, 6.0 * m2, 2.0 * m3
        # the first step, from s = 0, where D and N are known
        excess, D, N, twice1 = m2 - square * D0 * D0, D0, m2, 2.0 * m1
        live = where(out & not_(excess * D0 < SMALL * q3), 1.0, 0.0)
        s = excess * (D0 / q3)
        for _ in range(1, NEWTON):
            D_s, N_s = (sum_ + s) * s + D0, (m0 * s + twice1) * s + m2
            Q_s = (q0 * s + q1) * (s * s) + (q2 * s + q3)
            excess = N_s - square * D_s * D_s
            going = live > 0.0
            at, D, N = where(going, s, at), where(going, D_s, D), where(going, N_s, N)
            # in the ball, or close enough to it
            live = where((excess < SMALL * D_s * D_s) | (excess * D_s < SMALL * Q_s), 0.0, live)
            if not any_lane(live > 0.0):
                break
            s = excess * (D_s / Q_s) + s
        # on the ellipsoid: exactly so
        out = at > 0.0
        root = sqrt(maximum(N, MINVAL * D * D))
        scale = where(out, r, 1.0) / where(out, root, D0)
    x, y = (X0 - at * u) * scale, (Y0 - at * v) * scale
    return where(regular, x, 0.0), where(regular, y, 0.0)


@kernel
def factor_small(d, n, s):
    """qcqp_L <= unit L and D of A + s 1 = L D L'; where that is not too close to singular

    Two and three directions are judged by the determinant, five by each pivot.
    """
    determinant, regular = splat(1.0), splat(0.0) == 0.0
    # column by column; u is L_ij D_j
    for j in range(n):
        for i in range(j, n):
            u = d.qcqp_A[n * i + j] + (s if i == j else splat(0.0))
            for k in range(j):
                u = u - d.qcqp_L[n * i + k] * d.qcqp_L[n * j + k] * d.qcqp_L[n * k + k]
            if i == j:
                # a pivot
                determinant = determinant * u
                regular = regular & (u >= SMALL if n > 3 else u > 0.0)
                d.qcqp_L[n * i + j] = u
            else:
                d.qcqp_L[n * i + j] = u / d.qcqp_L[n * j + j]
    return regular if n > 3 else regular & (determinant >= SMALL)


@kernel
def solve_small(d, n, b, x):
    """x <= inverse(L D L') b"""
    # L y = b
    for i in range(n):
        y = b[i]
        for k in range(i):
            y = y - d.qcqp_L[n * i + k] * x[k]
        x[i] = y
    # D L' x = y
    for i in range(n - 1, -1, -1):
        y = x[i] / d.qcqp_L[n * i + i]
        for k in range(i + 1, n):
            y = y - d.qcqp_L[n * k + i] * x[k]
        x[i] = y
