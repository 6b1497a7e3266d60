"""Elementary functions on lanes (or plain floats), each one a kernel on the lane primitives.

LLVM has no vector code for these functions, and calling the C library for each lane would cost more
than the physics around it. Here a function is straight-line arithmetic on all lanes at once, always
in the same three moves:

1. Reduce the argument to a small interval around zero without error: x = k c + r, with the constant
   c held in two or three parts (`..._HI`, `..._LO`). `fma(k, -C_HI, x)` is exact, because the
   difference has no more bits than a float64 holds.
2. Evaluate a polynomial on that interval. Its coefficients are minimax: the error is spread evenly
   over the interval, where a Taylor series leaves all of it at the ends.
3. Add the small polynomial part to the large exact part last, so that only this addition rounds.

Where one rounding is too many, a number is an unevaluated sum `hi + lo`. After `hi = a + b` with
|a| >= |b|, what the rounding lost is exactly `a - hi + b`; a product p = a b lost `fma(a, b, -p)`.
The compiler may fuse a product with a sum but never reorders sums, so these identities hold. `fma`
is called only where it matters that there is one rounding; elsewhere `a * b + c` may fuse or not,
and the bounds hold either way.

Cases are lanes that `where` selects; a branch only skips work, and changes no bit of the result.
"Error" is the largest one seen, in units in the last place (ulp) of the result, over at least
200,000 points in each of several ranges against a reference of 200 bits.
"""

from .kernel import kernel
from .primitives import abs_, all_lanes, copysign, floor, fma, frexp, ldexp, not_, rint, sqrt, where

INF = float("inf")
NAN = float("nan")

# pi / 2 in three parts
TWO_OVER_PI = 0.6366197723675814
PIO2_HI = 1.5707963267948966
PIO2_LO = 6.123233995736766e-17
PIO2_LOLO = -1.4973849048591698e-33
FAR = 1e9  # three parts are enough for angles up to this
# 2 / pi to 1230 bits, as a sum of float64; from the 10th on, times 2^500
TWO_OVER_PI_PARTS = (
    0.6366197723675814, -3.935735335036497e-17, -2.1442872565786008e-33, 1.6107127853188224e-49,
    -3.1205531813639427e-66, 5.6740278623829445e-83, -3.1347625153494367e-99,
    -7.632494564757644e-116, 2.552021755109893e-132, -75.71755064860697, -2.581708126141942e-15,
    1.7722557935607432e-31, 4.0859459661018985e-48, -4.395410490499001e-66, -1.3849926654508547e-82,
    3.5920222161709942e-99, 1.5411736481440587e-116, -7.062968507098824e-133,
    -6.140967102357244e-150, -3.586544462360698e-167, -1.900877969718186e-183,
    2.6035183629741153e-201, -1.721072020329786e-217,
)  # fmt: skip
NOT_SCALED = 9
TWO_TO_MINUS_500 = 3.054936363499605e-151
# pi / 4 in two parts; the first ends in three zero bits, so 0, 1, ... 4 times it is exact
PIO4_HI = 0.7853981633974483
PIO4_LO = 3.061616997868383e-17
# log 2 in two parts, and in two parts of which the first, times any exponent, is exact
LOG2_E = 1.4426950408889634
LN2_HI = 0.6931471805599453
LN2_LO = 2.3190468138462996e-17
LN2_SHORT = 0.6931471805598903
LN2_REST = 5.497923018708371e-14
SQRT_HALF = 0.7071067811865476
# 1/6 and 1/24, the rest of each in `_LO`
SIXTH = 0.16666666666666666
SIXTH_LO = 9.25185853854297e-18
PART24 = 0.041666666666666664
PART24_LO = 2.3129646346357427e-18
THIRD = 0.3333333333333333
THIRD_LO = 1.850371707708594e-17
TWO_TO_54 = 18014398509481984.0
TWO_TO_100 = 1.2676506002282294e30
TWO_TO_MINUS_100 = 7.888609052210118e-31


@kernel(inline=True)
def sign(x):
    """1 where x > 0, -1 where x < 0, else 0."""
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0))


@kernel(inline=True)
def clip(x, lo, hi):
    """x limited to [lo, hi]; NaN stays NaN."""
    return where(x < lo, lo, where(x > hi, hi, x))


# ------------------------------------------------------------------------------ circular functions


@kernel(inline=True)
def _quadrant(x):
    """x = (q + 4 n) pi / 2 + a with |a| <= pi / 4: q, then sin a = s + s_lo and cos a = c + c_lo.

    a = r + t to twice the precision of a float64: x may be as close to a multiple of pi / 2 as
    float64 allows.
    """
    near = abs_(x) < FAR
    k = where(near, floor(fma(x, TWO_OVER_PI, 0.5)), NAN)
    u = fma(k, -PIO2_HI, x)
    w = fma(k, PIO2_LO, 0.0)  # written so that the compiler cannot fuse it with the next line
    r = u - w
    t = fma(k, -PIO2_LOLO, (u - r - w) - fma(k, PIO2_LO, -w))
    if not all_lanes(near):
        k_far, r_far, t_far = _reduce_far(x)
        k, r, t = where(near, k, k_far), where(near, r, r_far), where(near, t, t_far)
    s, s_lo, c, c_lo = _near_zero(r)
    return k - 4.0 * floor(0.25 * k), s, fma(t, c, s_lo), c, fma(-t, s, c_lo)


@kernel
def _reduce_far(x):
    """x = (k + 4 n) pi / 2 + r + t for any finite x; NaN for others.

    x 2 / pi is summed part by part. Products are kept in two parts without error, and what they
    have of multiples of 4 is left out, which is exact too; so no large number ever meets a small
    one, and the sum of three float64 is right to 2^-150. No float64 is nearer to a multiple of
    pi / 2 than 2^-61, so that leaves enough.
    """
    x = where(abs_(x) < INF, x, NAN)
    sum_hi, sum_mid, sum_lo = 0.0 * x, 0.0 * x, 0.0 * x
    for j in range(len(TWO_OVER_PI_PARTS)):
        y = x if j < NOT_SCALED else x * TWO_TO_MINUS_500
        p = fma(y, TWO_OVER_PI_PARTS[j], 0.0)
        p_lo = fma(y, TWO_OVER_PI_PARTS[j], -p)
        sum_hi, lost = _two_sum(sum_hi, p - 4.0 * rint(0.25 * p))
        sum_mid, lost = _two_sum(sum_mid, lost)
        sum_lo += lost
        sum_hi, lost = _two_sum(sum_hi, p_lo - 4.0 * rint(0.25 * p_lo))
        sum_mid, lost = _two_sum(sum_mid, lost)
        sum_lo += lost
    k = rint(sum_hi)
    f, f_lo = _two_sum(sum_hi - k, sum_mid)
    f_lo += sum_lo
    # (f + f_lo) pi / 2
    r = fma(f, PIO2_HI, 0.0)
    return k, r, fma(f, PIO2_HI, -r) + fma(f, PIO2_LO, fma(f_lo, PIO2_HI, 0.0))


@kernel(inline=True)
def _two_sum(a, b):
    """a + b, and what its rounding lost, whichever is larger."""
    s = a + b
    of_b = s - a
    return s, (a - (s - of_b)) + (b - of_b)


@kernel(inline=True)
def _near_zero(r):
    """sin r = s + s_lo and cos r = c + c_lo, for r within pi / 4.

    sin r = r + r g and cos r = 1 + z f with g = -z / 6 + ..., f = -1 / 2 + z / 24 - ..., z = r^2.
    g and f are kept with their rounding errors, and so are both sums: but for one in a thousand,
    s + s_lo and c + c_lo are correctly rounded. All products that could fuse are fused: the same
    bits come out wherever this is inlined.
    """
    z = r * r
    z_lo = fma(r, r, -z)
    zz = z * z
    p = fma(z, 1.6058435492644027e-10, -2.5052105518500755e-08)
    p = fma(zz, -7.58178666453145e-13, p)
    p = fma(zz, p, fma(z, 2.7557319216862426e-06, -0.00019841269841261154))
    p = fma(zz, p, fma(z, 0.00833333333333333, -SIXTH_LO))
    g = z * -SIXTH
    g_lo = fma(z, p, fma(z_lo, -SIXTH, fma(z, -SIXTH, -g)))
    s = fma(r, g, r)
    p = fma(z, -1.1368588847188825e-11, 2.0875908960386698e-09)
    p = fma(zz, p, fma(z, -2.755731583585074e-07, 2.4801587295131667e-05))
    p = fma(zz, p, fma(z, -0.0013888888888884253, PART24_LO))
    f = fma(z, PART24, -0.5)
    f_lo = fma(z, p, fma(z_lo, PART24, fma(z, PART24, -0.5 - f)))
    c = fma(z, f, 1.0)
    c_lo = fma(z, f_lo, fma(z_lo, f, fma(z, f, 1.0 - c)))
    return s, fma(r, g_lo, fma(r, g, r - s)), c, c_lo


@kernel
def sincos(x):
    """(sin x, cos x); NaN for infinities. Error 0.51.

    Like the C library that MuJoCo calls, it is the correctly rounded number in all but one of a
    thousand cases; so these are nearly always the same.
    """
    if all_lanes(abs_(x) < PIO4_HI):  # nothing to reduce, and most joints are here
        s, s_lo, c, c_lo = _near_zero(x)
        return where(x == 0.0, x, s + s_lo), c + c_lo
    q, s, s_lo, c, c_lo = _quadrant(x)
    sin_a = s + s_lo
    cos_a = c + c_lo
    odd = abs_(q - 2.0) == 1.0
    sin_b = where(odd, cos_a, sin_a)
    cos_b = where(odd, sin_a, cos_a)
    sin_x = where(q > 1.5, -sin_b, sin_b)
    # sin(-0.0) is -0.0
    return where(x == 0.0, x, sin_x), where(abs_(q - 1.5) < 1.0, -cos_b, cos_b)


@kernel
def sin(x):
    """sin x, as in sincos."""
    return sincos(x)[0]


@kernel
def cos(x):
    """cos x, as in sincos."""
    return sincos(x)[1]


@kernel
def tan(x):
    """tan x; NaN for infinities. Error 0.51."""
    q, s, s_lo, c, c_lo = _quadrant(x)
    sin_a = s + s_lo
    sin_lo = s - sin_a + s_lo
    cos_a = c + c_lo
    cos_lo = c - cos_a + c_lo
    odd = abs_(q - 2.0) == 1.0
    n = where(odd, -cos_a, sin_a)
    n_lo = where(odd, -cos_lo, sin_lo)
    d = where(odd, sin_a, cos_a)
    d_lo = where(odd, sin_lo, cos_lo)
    inv = 1.0 / d
    v = n * inv
    return where(x == 0.0, x, v + (fma(-v, d, n) + (n_lo - v * d_lo)) * inv)


@kernel(inline=True)
def _arcsine(x):
    """big = |x| > 1/2, then s + g = asin x, or where big, asin sqrt((1 - |x|) / 2)."""
    big = abs_(x) > 0.5
    z = where(big, 0.5 - 0.5 * abs_(x), x * x)
    s = where(big, sqrt(z), x)
    p = 0.021784885946065376 + z * (-0.021108312263741467 + z * 0.032696752209987495)
    p = 0.011397393318721919 + z * (0.010788736317876628 + z * (0.0036744756038044023 + z * p))
    p = 0.022372215856813545 + z * (0.017351596431528327 + z * (0.013981006808867583 + z * p))
    p = 0.07499999999970129 + z * (0.04464285717525427 + z * (0.030381942676917635 + z * p))
    return big, s, s * z * (0.16666666666666763 + z * p)


@kernel
def asin(x):
    """asin x; NaN outside [-1, 1]. Error 1.2."""
    big, s, g = _arcsine(x)
    h = PIO2_HI - 2.0 * s
    y = h + ((PIO2_HI - h - 2.0 * s) + (PIO2_LO - 2.0 * g))
    return where(big, copysign(y, x), where(x == 0.0, x, s + g))


@kernel
def acos(x):
    """acos x; NaN outside [-1, 1]. Error 1.1."""
    big, s, g = _arcsine(x)
    # n pi / 2 + f (s + g)
    f = where(big, where(x < 0.0, -2.0, 2.0), -1.0)
    n = where(big, where(x < 0.0, 2.0, 0.0), 1.0)
    h = n * PIO2_HI + f * s
    return h + ((n * PIO2_HI - h + f * s) + (n * PIO2_LO + f * g))


@kernel
def atan2(y, x):
    """The angle of the point (x, y), in [-pi, pi]; zeros and infinities as in C. Error 1.0."""
    ax = abs_(x)
    ay = abs_(y)
    steep = ay > ax
    a = where(steep, ay, ax)
    # b / a is the tangent of an angle of at most pi / 4; bring both to where 1 / a is finite
    unit = where(a < 1e-290, TWO_TO_100, where(a > 1e290, TWO_TO_MINUS_100, 1.0))
    a = a * unit
    b = where(steep, ax, ay) * unit
    far = a == INF
    b = where(far, where(b == INF, 1.0, b * 0.0), b)
    a = where(far | (a == 0.0), 1.0, a)
    # past a tangent of 1/2, the angle from pi / 4 instead: atan(b / a) - pi / 4 = atan(n / d)
    mid = b > 0.5 * a
    n = where(mid, b - a, b)
    d = where(mid, a + b, a)
    inv = 1.0 / d
    u = n * inv
    u_lo = (fma(-u, d, n) - u * where(mid, a - d + b, 0.0)) * inv
    z = u * u
    p = 0.04186776969370826 + z * (-0.027437920207993453 + z * 0.01011803081942885)
    p = -0.0666381769957388 + z * (0.058583371776416426 + z * (-0.051221374801662535 + z * p))
    p = 0.11111110662790798 + z * (-0.09090896310539257 + z * (0.0769207476365184 + z * p))
    p = 0.19999999999904292 + z * (-0.1428571427647275 + z * p)
    g = u * z * (-0.3333333333333299 + z * p) + u_lo
    # undo the reflections at the diagonal and at the y axis: m pi / 4 + f (u + g)
    left = copysign(1.0, x) < 0.0
    m = where(mid, 1.0, 0.0)
    m = where(steep, 2.0 - m, m)
    m = where(left, 4.0 - m, m)
    f = where(left, -1.0, 1.0) * where(steep, -1.0, 1.0)
    h = m * PIO4_HI + f * u
    return copysign(h + ((m * PIO4_HI - h + f * u) + (m * PIO4_LO + f * g)), y)


# ------------------------------------------------------------------------- exponential, logarithm


@kernel(inline=True)
def _expm1(x, x_lo):
    """x + x_lo = k log 2 + a with |a| <= log(2) / 2: k, then r and g with exp a = 1 + r + g."""
    k = rint(x * LOG2_E)
    u = fma(k, -LN2_HI, x)
    v = fma(k, -LN2_LO, x_lo)
    r = u + v
    t = u - r + v
    p = 2.755722774275984e-06 + r * (2.7626378251155525e-07 + r * 2.51145412797036e-08)
    p = 0.0013888888932472073 + r * (0.00019841269903262082 + r * (2.480150432394345e-05 + r * p))
    p = 0.16666666666666685 + r * (0.04166666666657337 + r * (0.008333333333314487 + r * p))
    return k, r, r * r * (0.5000000000000006 + r * p) + (t + t * r)


@kernel(inline=True)
def _exp(x, x_lo):
    """exp(x + x_lo)."""
    k, r, g = _expm1(clip(x, -746.0, 710.0), x_lo)
    h = 1.0 + r
    # in two steps, since k may be past the exponents of a float64
    half = floor(0.5 * k)
    return ldexp(ldexp(h + (1.0 - h + r + g), half), k - half)


@kernel
def exp(x):
    """exp x. Error 0.7, and 1.0 where the result is subnormal."""
    return _exp(x, 0.0)


@kernel
def tanh(x):
    """tanh x. Error 0.9."""
    a = abs_(x)
    k, r, g = _expm1(-2.0 * where(a > 22.0, 22.0, a), 0.0)
    # e = exp(-2 |x|) - 1 = (2^k - 1) + 2^k (r + g)
    scale = ldexp(1.0, k)
    h = scale - 1.0
    w = h + scale * r
    w_lo = (scale - (h + 1.0)) + (h - w + scale * r + scale * g)
    e = w + w_lo
    e_lo = w - e + w_lo
    # tanh |x| = -e / (2 + e)
    d = 2.0 + e
    inv = 1.0 / d
    q = -e * inv
    return copysign(q - (fma(q, d, e) + (e_lo + q * (2.0 - d + e + e_lo))) * inv, x)


@kernel(inline=True)
def _significand(x):
    """x = m 2^k with m in [sqrt 1/2, sqrt 2): m and k, for finite x > 0."""
    tiny = x < 2.2250738585072014e-308
    m, k = frexp(where(tiny, x * TWO_TO_54, x))
    low = m < SQRT_HALF
    return where(low, m + m, m), k - where(low, 1.0, 0.0) - where(tiny, 54.0, 0.0)


@kernel
def log(x):
    """log x; -inf at 0, NaN below. Error 0.9."""
    m, k = _significand(x)
    # log(1 + f) = 2 atanh s = f - f^2 / 2 + s (f^2 / 2 + p)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    p = 0.18183572309284354 + z * (0.15313833449846803 + z * 0.14798244441233147)
    p = 0.3999999999940937 + z * (0.2857142874368025 + z * (0.22222198429764528 + z * p))
    p = z * (0.6666666666666735 + z * p)
    h = 0.5 * f * f
    y = k * LN2_SHORT + (f - (h - (s * (h + p) + k * LN2_REST)))
    return where(x > 0.0, where(x == INF, x, y), where(x == 0.0, -INF, NAN))


@kernel(inline=True)
def _log_parts(x):
    """log x = hi + lo to 2^-65 of itself, for finite x > 0: a power y up to 1000 costs ten bits."""
    m, k = _significand(x)
    # s = (m - 1) / (m + 1), and log m = 2 atanh s = 2 s + 2 s z (1/3 + z / 5 + ...), z = s^2
    d = m + 1.0
    inv = 1.0 / d
    s = (m - 1.0) * inv
    s_lo = (fma(-s, d, m - 1.0) - s * (m - (d - 1.0))) * inv
    z = s * s
    z_lo = fma(s, s, -z) + 2.0 * s * s_lo
    p = 0.06668135190312231 + z * (0.058378260941997155 + z * 0.05991442939883386)
    p = 0.11111111108889296 + z * (0.09090909422869399 + z * (0.07692279145177634 + z * p))
    q = z * (0.1999999999999999 + z * (0.14285714285721934 + z * p))
    p = THIRD + q
    p_lo = THIRD - p + q + THIRD_LO
    t = z * p
    t_lo = fma(z, p, -t) + (z * p_lo + z_lo * p)
    u = s * t
    u_lo = fma(s, t, -u) + (s * t_lo + s_lo * t)
    a = k * LN2_SHORT
    b = a + 2.0 * s
    hi = b + 2.0 * u
    lo = (a - b + 2.0 * s) + (b - hi + 2.0 * u)
    return hi, lo + (2.0 * (s_lo + u_lo) + k * LN2_REST)


@kernel
def pow(x, y):
    """x to the power y, special cases as in C: NaN for x < 0 unless y is whole.

    Error 0.7, and 1.0 where the result is subnormal.
    """
    ax = abs_(x)
    log_hi, log_lo = _log_parts(ax)
    log_hi = where(ax < INF, where(ax == 0.0, -INF, log_hi), ax)
    # exp(y log x), with the rounding error of the product; 1 to any power is 1
    e = where(ax == 1.0, 0.0, y)
    p = e * log_hi
    r = _exp(p, where(abs_(p) < 800.0, fma(e, log_hi, -p) + e * log_lo, 0.0))
    whole = rint(y) == y
    odd = whole & (rint(0.5 * y) != 0.5 * y)
    r = where(odd, copysign(r, x), where((x < 0.0) & (x > -INF) & not_(whole), NAN, r))
    return where(y == 0.0, 1.0, r)
