"""Wrapping: how a taut string passes a sphere or a cylinder between two points.

The problem is a circle in a plane. A sphere is cut by the plane of its centre and the two ends, in
the axes of the world; a cylinder is seen along its axis, and the height along it is shared out in
proportion to the plane path afterwards.

Around a circle the string leaves on a tangent, follows an arc and ends on a tangent. A tangent from
the end e touches the circle of radius r at t with t . t = r^2 and t . (e - t) = 0, so

    (1)  t = (r^2 e +- r sqrt(|e|^2 - r^2) n) / |e|^2,   n = e a quarter turn clockwise,

and one way around takes + at its first end and - at its second, the other way the opposite. The arc
is the angle from t0 to t1 in the sense of that way, between nothing and a full turn. Without a side
point the better way is taken, with the tangent points nearer to each other, and only where the
straight segment would cut the circle. With a side point s the string goes around as the path end,
s, other end does, by the sign of its winding, the angle that it turns about the centre:

    (2)  winding = angle(e0, s) + angle(s, e1), each in (-pi, pi].

Where the straight segment misses the circle and winds that way, which it does unless the winding is
more than half a turn, the string stays straight. No angle is needed for these questions: where both
terms of (2) have one sign, that is the winding's, and it is more than half a turn if angle(e0, e1)
has the other one; where they differ, the winding is angle(e0, e1).

A side point inside the geom asks for a string that is held inside: it touches the circle from
within at the one point where it makes equal angles on both sides. Let t be the angle there between
the string and the radius, continued outwards. By the law of sines the string has the angle
asin(A sin t) with the radius through an end, A the circle's radius over the distance of that end,
so the point is seen from the centre at the angle

    (3)  t - asin(A sin t)

from that end. For both ends, B of the other, these are the angle G between the ends:

    (4)  f(t) = asin(A sin t) + asin(B sin t) - 2 t + G = 0,

by Newton's method from t = pi/2, where it moves to smaller t without overshoot. It stops at a
residual of 1e-6, which is part of the answer: another method, or more steps, would be another
number.
"""

from ...lanes import (
    abs_,
    acos,
    all_lanes,
    any_lane,
    asin,
    atan2,
    clip,
    copysign,
    kernel,
    maximum,
    not_,
    sincos,
    splat,
    sqrt,
    vec,
    where,
)
from ...mjconst import MINVAL, PI
from ..spatial import cross, dot3, mat_t_vec, mat_vec, normalize3

TOLERANCE = 1e-6
CROSSED = -1e4  # how good a path is that crosses itself
COS_QUARTER = 6.123233995736766e-17  # the cosine of pi/2, rounded as sincos has it
NEWTON_STEPS = 19  # MuJoCo counts a 20th as failure


@kernel
def wrap(p_W0, p_W1, p_WG, R_WG, radius, is_sphere, p_WS, has_side):
    """(wraps, arc length, p_WT0, p_WT1): a string from point 0 to 1, on the geom from T0 to T1"""
    # about the geom's centre; its axes matter for cylinders only
    p0, p1, p_S = p_W0 - p_WG, p_W1 - p_WG, p_WS - p_WG
    if not is_sphere:
        p0, p1 = mat_t_vec(R_WG, p0), mat_t_vec(R_WG, p1)
        p_S = mat_t_vec(R_WG, p_S) if has_side else p_S
    one, zero = splat(1.0), splat(0.0)
    ax, ay = vec(one, zero, zero), vec(zero, one, zero)
    e0, e1, s = p0[0:2], p1[0:2], p_S[0:2]
    if is_sphere:
        ax, ay = plane_axes(p0, p1, R_WG)
        e0, e1 = vec(dot3(p0, ax), dot3(p0, ay)), vec(dot3(p1, ax), dot3(p1, ay))
        s = vec(dot3(p_S, ax), dot3(p_S, ay))

    # tangent points t0 and t1 in the plane of the circle: around it, or where it is held inside
    wraps, arc, t0, t1, inside = zero > 1.0, zero, e0, e1, zero > 1.0
    if has_side:
        inside = dot3(p_S, p_S) < radius * radius
        s = where(dot2(s, s) < MINVAL * MINVAL, vec(1.0, 0.0), s)
    if not all_lanes(inside):
        wraps, arc, t0, t1 = around(e0, e1, radius, s, has_side)
    if any_lane(inside):
        held, t = held_inside(e0, e1, radius)
        wraps, arc = (inside & held) | (not_(inside) & wraps), where(inside, 0.0, arc)
        t0, t1 = where(inside, t, t0), where(inside, t, t1)
    wraps = wraps & (dot3(p0, p0) >= MINVAL * MINVAL) & (dot3(p1, p1) >= MINVAL * MINVAL)
    if not any_lane(wraps):
        return wraps, arc, p_W0, p_W1

    # back from the plane
    if is_sphere:
        return wraps, arc, p_WG + (ax * t0[0] + ay * t0[1]), p_WG + (ax * t1[0] + ay * t1[1])
    # the height along a cylinder grows evenly along the path
    before, after = norm2(e0 - t0), norm2(e1 - t1)
    slope = (p1[2] - p0[2]) / (before + arc + after)
    z0, z1 = p0[2] + slope * before, p0[2] + slope * (before + arc)
    p_T0, p_T1 = vec(t0[0], t0[1], z0), vec(t1[0], t1[1], z1)
    arc = sqrt(arc * arc + (z1 - z0) * (z1 - z0))
    return wraps, arc, p_WG + mat_vec(R_WG, p_T0), p_WG + mat_vec(R_WG, p_T1)


@kernel
def plane_axes(p0, p1, R_WG):
    """Axes of the plane through the centre and two points, the first towards the first of them."""
    ax = normalize3(p0)
    normal = cross(p0, p1)
    parallel = dot3(normal, normal) < MINVAL * MINVAL
    normal = normalize3(normal)
    if any_lane(parallel):
        # any plane through ax: by the vector of the geom's axes less the one that is nearest to ax
        ax_G = mat_t_vec(R_WG, ax)
        x, y, z = abs_(ax_G[0]), abs_(ax_G[1]), abs_(ax_G[2])
        most_y, most_z = (y > x) & (y > z), (z > x) & (z > y)
        most_x = not_(most_y | most_z)
        other = vec(where(most_x, 0.0, 1.0), where(most_y, 0.0, 1.0), where(most_z, 0.0, 1.0))
        normal = where(parallel, normalize3(cross(ax, mat_vec(R_WG, other))), normal)
    return ax, cross(normal, ax)


@kernel
def around(e0, e1, radius, s, has_side):
    """(wraps, arc length, tangent points) of a string around a circle; s is the side point"""
    # whether the straight segment passes outside; no path where an end is within the circle
    rr, len0, len1 = radius * radius, dot2(e0, e0), dot2(e1, e1)
    span = e1 - e0
    near = e0 + span * clip(-dot2(span, e0) / dot2(span, span), 0.0, 1.0)
    straight = dot2(near, near) > rr
    never = (len0 < rr) | (len1 < rr) | (radius < MINVAL) | (dot2(span, span) < MINVAL)

    # the sign of the winding (2), and whether it is more than half a turn
    second = never
    if has_side:
        a, b, c = turn(e0, s), turn(s, e1), turn(e0, e1)
        second = where(a * b < 0.0, c, a + b) > 0.0
        straight = straight & not_((a * b > 0.0) & (a * c <= 0.0))
    wraps = not_(straight | never)
    if not any_lane(wraps):
        return wraps, splat(0.0), e0, e1

    # the two ways around, by (1): clockwise a, counter-clockwise b; without a side, the better one
    root0, root1 = radius * sqrt(len0 - rr), radius * sqrt(len1 - rr)
    if has_side:
        way = where(second, -1.0, 1.0)
        t0, t1 = tangent(e0, way * root0, len0, rr), tangent(e1, -way * root1, len1, rr)
        crossed = crossing(e0, t0, e1, t1)
    else:
        a0, a1 = tangent(e0, root0, len0, rr), tangent(e1, -root1, len1, rr)
        b0, b1 = tangent(e0, -root0, len0, rr), tangent(e1, root1, len1, rr)
        a_crossed, b_crossed = crossing(e0, a0, e1, a1), crossing(e0, b0, e1, b1)
        a_good, b_good = -dot2(a0 - a1, a0 - a1), -dot2(b0 - b1, b0 - b1)
        second = not_(where(a_crossed, CROSSED, a_good) > where(b_crossed, CROSSED, b_good))
        t0, t1 = where(second, b0, a0), where(second, b1, a1)
        crossed = (second & b_crossed) | (not_(second) & a_crossed)

    # the arc from t0 to t1 that way
    signed = atan2(cross2(t0, t1), dot2(t0, t1))
    angle = abs_(signed)
    reflex = where(second, 1.0, -1.0) * signed < 0.0
    angle = where(reflex & (angle > TOLERANCE), 2.0 * PI - angle, angle)
    return wraps & not_(crossed), radius * angle, t0, t1


@kernel(inline=True)
def turn(u, v):
    """The sign of the angle from u to v, which is in (-pi, pi]: of a half turn that of its sine's
    zero, as atan2 has it"""
    c = cross2(u, v)
    half = where(dot2(u, v) < 0.0, copysign(1.0, c), 0.0)
    return where(c == 0.0, half, copysign(1.0, c))


@kernel
def held_inside(e0, e1, radius):
    """(wraps, point) of a string that is held inside a circle"""
    # no path where an end is within, the straight segment is, or the ends are opposite
    len0, len1 = norm2(e0), norm2(e1)
    span = e1 - e0
    dd = dot2(span, span)
    a = -dot2(span, e0) / dd
    cuts = (dd > MINVAL) & (a > 0.0) & (a < 1.0) & (norm2(e0 + span * a) <= radius)
    A, B = radius / len0, radius / len1
    cosine = (len0 * len0 + len1 * len1 - dd) / (2.0 * len0 * len1)
    never = (len0 <= radius) | (len0 < MINVAL) | (len1 <= radius) | (len1 < MINVAL)
    never = never | cuts | (radius < MINVAL) | (cosine < -1.0 + MINVAL)

    # (4) from t = pi/2, z and c the sine and cosine of t; not where the ends lie in one direction
    G = acos(cosine)
    t, z, c = splat(0.5 * PI), splat(1.0), splat(COS_QUARTER)
    f = asin(A) + asin(B) - PI + G
    solved = not_(never) & not_(cosine > 1.0 - MINVAL) & (f <= 0.0)
    run = solved & (abs_(f) > TOLERANCE)
    for _ in range(NEWTON_STEPS):
        if not any_lane(run):
            break
        # df/dt, and the next t
        cos_a, cos_b = sqrt(1.0 - z * z * A * A), sqrt(1.0 - z * z * B * B)
        df = (A / maximum(cos_a, MINVAL) + B / maximum(cos_b, MINVAL)) * c - 2.0
        t1 = t - f / df
        z1, c1 = sincos(t1)
        f1 = asin(A * z1) + asin(B * z1) - 2.0 * t1 + G
        # given up where it does not fall, or oversteps
        failed = run & ((df > -MINVAL) | (t1 > t) | (f1 > TOLERANCE))
        solved, run = solved & not_(failed), run & not_(failed)
        t, z, c, f = where(run, t1, t), where(run, z1, z), where(run, c1, c), where(run, f1, f)
        run = run & (abs_(f) > TOLERANCE)
    solved = solved & not_(run)

    # (3), counter-clockwise from the end that comes first; without a solution, halfway
    first = e0[0] * e1[1] - e0[1] * e1[0] > 0.0
    s, c = sincos(t - asin(where(first, A, B) * z))
    base = normalize2(where(first, e0, e1))
    point = vec(c * base[0] - s * base[1], s * base[0] + c * base[1])
    return not_(never), where(solved, point, normalize2((e0 + e1) * 0.5)) * radius


@kernel(inline=True)
def tangent(e, root, len2, rr):
    """(1): where a tangent from e touches the circle; the sign of root tells on which side"""
    a, b = rr / len2, root / len2
    return vec(e[0] * a + e[1] * b, e[1] * a - e[0] * b)


@kernel
def crossing(e0, t0, e1, t1):
    """Whether the segments from e0 to t0 and from e1 to t1 cross before their ends t."""
    u, v, ends, tips = t0 - e0, t1 - e1, e0 - e1, t0 - t1
    det = cross2(u, v)
    s = where(det > 0.0, 1.0, -1.0)
    reached = (s * cross2(u, ends) >= 0.0) & (s * cross2(v, ends) >= 0.0)
    passed = (s * cross2(u, tips) < 0.0) & (s * cross2(v, tips) < 0.0)
    return (abs_(det) >= MINVAL) & reached & passed


@kernel(inline=True)
def dot2(u, v):
    return u[0] * v[0] + u[1] * v[1]


@kernel(inline=True)
def cross2(u, v):
    return u[0] * v[1] - u[1] * v[0]


@kernel(inline=True)
def norm2(u):
    return sqrt(dot2(u, u))


@kernel(inline=True)
def normalize2(u):
    """u to unit length; too short to have a direction: the x axis."""
    n = norm2(u)
    short = n < MINVAL
    return where(short, vec(1.0, 0.0), u * (1.0 / where(short, 1.0, n)))
