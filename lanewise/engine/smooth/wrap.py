"""Wrapping: how a taut string passes a sphere or a cylinder between two points.

The problem is a circle in a plane. A sphere is cut by the plane of its centre and the two ends; a
cylinder is seen along its axis, and the height along it is shared out in proportion to the plane
path afterwards.

Around a circle the string leaves on a tangent, follows an arc and ends on a tangent. A tangent from
the end e touches the circle of radius r at t with t . t = r^2 and t . (e - t) = 0, so

    (1)  t = (r^2 e +- r sqrt(|e|^2 - r^2) n) / |e|^2,   n = e a quarter turn clockwise,

and one way around takes + at its first end and - at its second, the other way the opposite. Without
a side point the better way is taken, with the tangent points nearer to each other, and only where
the straight segment would cut the circle. With a side point s the string goes around as the path
end, s, other end does: its winding, the angle that it turns about the centre, is the same,

    (2)  winding = angle(e0, s) + angle(s, e1) = angle(e0, t0) + arc / r + angle(t1, e1),

up to the sign of the arc. Where the straight segment misses the circle and winds that way, the
string stays straight.

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
from ..spatial import cross, dot3, mat_t_vec, mat_vec, norm3, normalize3

TOLERANCE = 1e-6
CROSSED = -1e4  # how good a path is that crosses itself
COS_QUARTER = 6.123233995736766e-17  # the cosine of pi/2, rounded as sincos has it
NEWTON_STEPS = 19  # MuJoCo counts a 20th as failure


@kernel
def wrap(p_W0, p_W1, p_WG, R_WG, radius, is_sphere, p_WS, has_side):
    """(wraps, arc length, p_WT0, p_WT1): a string from point 0 to 1, on the geom from T0 to T1"""
    # in the geom's frame, the plane of the circle
    p_G0, p_G1 = mat_t_vec(R_WG, p_W0 - p_WG), mat_t_vec(R_WG, p_W1 - p_WG)
    one, zero = splat(1.0), splat(0.0)
    ax, ay = vec(one, zero, zero), vec(zero, one, zero)
    if is_sphere:
        ax, ay = plane_axes(p_G0, p_G1)
    e0, e1 = vec(dot3(p_G0, ax), dot3(p_G0, ay)), vec(dot3(p_G1, ax), dot3(p_G1, ay))

    # tangent points t0 and t1 in that plane: around the circle, or where it is held inside
    wraps, arc, t0, t1 = zero > 1.0, zero, e0, e1
    inside, s = zero > 1.0, vec(one, zero)
    if has_side:
        p_GS = mat_t_vec(R_WG, p_WS - p_WG)
        inside = norm3(p_GS) < radius
        s = normalize2(vec(dot3(p_GS, ax), dot3(p_GS, ay))) * radius
    if not all_lanes(inside):
        wraps, arc, t0, t1 = around(e0, e1, radius, s, has_side)
    if any_lane(inside):
        held, t = held_inside(e0, e1, radius)
        wraps, arc = (inside & held) | (not_(inside) & wraps), where(inside, 0.0, arc)
        t0, t1 = where(inside, t, t0), where(inside, t, t1)
    wraps = wraps & (norm3(p_G0) >= MINVAL) & (norm3(p_G1) >= MINVAL)

    # back from the plane
    p_GT0, p_GT1 = ax * t0[0] + ay * t0[1], ax * t1[0] + ay * t1[1]
    if not is_sphere:
        # the height along a cylinder grows evenly along the path
        before, after = norm2(e0 - t0), norm2(e1 - t1)
        slope = (p_G1[2] - p_G0[2]) / (before + arc + after)
        z0, z1 = p_G0[2] + slope * before, p_G0[2] + slope * (before + arc)
        p_GT0, p_GT1 = vec(t0[0], t0[1], z0), vec(t1[0], t1[1], z1)
        arc = sqrt(arc * arc + (z1 - z0) * (z1 - z0))
    return wraps, arc, p_WG + mat_vec(R_WG, p_GT0), p_WG + mat_vec(R_WG, p_GT1)


@kernel
def plane_axes(p_G0, p_G1):
    """Axes of the plane through the origin and two points, the first towards the first of them."""
    ax = normalize3(p_G0)
    normal = cross(p_G0, p_G1)
    parallel = norm3(normal) < MINVAL
    normal = normalize3(normal)
    if any_lane(parallel):
        # any plane through ax: by a vector that has nothing of its largest component
        x, y, z = abs_(ax[0]), abs_(ax[1]), abs_(ax[2])
        most_y, most_z = (y > x) & (y > z), (z > x) & (z > y)
        most_x = not_(most_y | most_z)
        other = vec(where(most_x, 0.0, 1.0), where(most_y, 0.0, 1.0), where(most_z, 0.0, 1.0))
        normal = where(parallel, normalize3(cross(ax, other)), normal)
    return ax, normalize3(cross(normal, ax))


@kernel
def around(e0, e1, radius, s, has_side):
    """(wraps, arc length, tangent points) of a string around a circle; s is the side point"""
    # whether the straight segment passes outside; no path where an end is within the circle
    rr, len0, len1 = radius * radius, dot2(e0, e0), dot2(e1, e1)
    span = e1 - e0
    near = e0 + span * clip(-dot2(span, e0) / dot2(span, span), 0.0, 1.0)
    straight = dot2(near, near) > rr
    never = (len0 < rr) | (len1 < rr) | (radius < MINVAL) | (dot2(span, span) < MINVAL)

    # the two ways around, by (1): clockwise a, counter-clockwise b
    root0, root1 = radius * sqrt(len0 - rr), radius * sqrt(len1 - rr)
    a0, a1 = tangent(e0, root0, len0, rr), tangent(e1, -root1, len1, rr)
    b0, b1 = tangent(e0, -root0, len0, rr), tangent(e1, root1, len1, rr)
    a_crossed, b_crossed = crossing(e0, a0, e1, a1), crossing(e0, b0, e1, b1)

    # choose: as the side point winds, or else the shorter one
    winding = splat(0.0)
    if has_side:
        winding = angle_from(e0, s) + angle_from(s, e1)
        straight = straight & (abs_(winding - angle_from(e0, e1)) < PI)
        second = winding > 0.0
    else:
        a_good, b_good = -dot2(a0 - a1, a0 - a1), -dot2(b0 - b1, b0 - b1)
        second = not_(where(a_crossed, CROSSED, a_good) > where(b_crossed, CROSSED, b_good))
    t0, t1 = where(second, b0, a0), where(second, b1, a1)
    crossed = (second & b_crossed) | (not_(second) & a_crossed)

    # the arc by (2), or the way that was chosen from t0 to t1
    if has_side:
        angle = abs_(winding - angle_from(e0, t0) - angle_from(t1, e1))
    else:
        signed = angle_from(t0, t1)
        angle = abs_(signed)
        reflex = where(second, 1.0, -1.0) * signed < 0.0
        angle = where(reflex & (angle > TOLERANCE), 2.0 * PI - angle, angle)
    return not_(straight | never | crossed), radius * angle, t0, t1


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
    return vec((e[0] * rr + e[1] * root) / len2, (e[1] * rr - e[0] * root) / len2)


@kernel
def crossing(e0, t0, e1, t1):
    """Whether the segments from e0 to t0 and from e1 to t1 cross before their ends t."""
    u, v, ends, tips = t0 - e0, t1 - e1, e0 - e1, t0 - t1
    det = cross2(u, v)
    s = where(det > 0.0, 1.0, -1.0)
    reached = (s * cross2(u, ends) >= 0.0) & (s * cross2(v, ends) >= 0.0)
    passed = (s * cross2(u, tips) < 0.0) & (s * cross2(v, tips) < 0.0)
    return (abs_(det) >= MINVAL) & reached & passed


@kernel
def angle_from(u, v):
    """The angle from u to v, in (-pi, pi]."""
    return atan2(cross2(u, v), dot2(u, v))


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
