"""The minimum of the cost along the search direction, exactly.

Along x = qacc + alpha search, with u + alpha v the argument of a constraint's cost s, the cost has
the slope and curvature

    slope(alpha) = q1 + alpha q2 + sum of v . s'(u + alpha v)                               (1)
    curvature(alpha) = q2 + sum of v' s''(u + alpha v) v                                    (2)

    q1 = search . (M qacc - force),     q2 = search' M search                               (3)

Equalities are quadratic everywhere: they add D v u to q1 and D v^2 to q2, once. For an elliptic
cone, with t and v_t the tangential parts of u and v, T = |t| along the line changes with

    T' = t . v_t / T,     T'' = (v_t . v_t - T'^2) / T                                      (4)

and in its middle zone, with g = N - mu T and g' = v_0 - mu T',

    s' = Dm g g',     s'' = Dm (g'^2 - mu g T'')                                            (5)

The cost is convex and smooth along a line, and its slope is piecewise linear (nearly, with elliptic
cones). So Newton's method on the slope,

    alpha <= alpha - slope / curvature,                                                     (6)

lands on the minimum as soon as it starts from the piece that has it. Points with negative and
positive slope bracket the minimum; where Newton's step leaves the bracket, a step between its ends
is taken, and after slow progress its middle.

A world is done when its slope is below the tolerance, or the bracket cannot shrink any more. The
others go on, with steps of their own.
"""

from ....lanes import abs_, any_lane, kernel, maximum, not_, splat, sqrt, vec, where
from ....mjconst import CNSTR_EQUALITY, CONE_ELLIPTIC, MINVAL
from ...spatial import dot3
from .matrix_free import angular, cone, edge, is_friction_row

FAR = 1e300


@kernel
def line_search(m, d, run, scale, is_newton):
    """(search, Mv, J search) => alpha, change of the quadratic cost; lineslope, evaluations

    alpha is 0 in the worlds that are not in `run`. Equalities count as part of the quadratic cost.
    For statistics: lineslope is the slope at alpha by the length of the search direction.
    """
    # the quadratic part of the cost (3), and the slope at 0
    square, slope0, q1, q2 = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    for i in range(m.nv):
        v = d.sol_search[i]
        square = square + v * v
        slope0 = slope0 + v * d.sol_grad[i]
        q1 = q1 + v * (d.sol_Ma[i] - d.sol_force[i])
        q2 = q2 + v * d.sol_Mv[i]
    for a in range(d.nrun_row):
        r = d.run_row[a]
        if m.row_type[r] == CNSTR_EQUALITY:
            Dv = d.row_D[r] * d.row_dir[r]
            q1 = q1 + Dv * d.row_jar[r]
            q2 = q2 + Dv * d.row_dir[r]
    # a world is active until it has found its minimum
    length = sqrt(square)
    tolerance = m.opt.tolerance * m.opt.ls_tolerance * length / scale
    active = run & (length >= MINVAL)
    moved = active
    # the first trial: Newton's direction has its minimum at 1, unless a constraint changes;
    # for others (6) from 0
    count, a = splat(0.0), splat(1.0)
    if is_newton == 0:
        here, curvature = slope_at(m, d, splat(0.0), q1, q2)
        a = -here / curvature
        count = where(active, 1.0, 0.0)
    # the bracket, open at first; the best point so far, and its slope
    low, low_slope, high, high_slope = splat(0.0), slope0, splat(FAR), splat(1.0)
    width, result, slope = splat(FAR), splat(0.0), splat(FAR)
    for trial in range(m.opt.ls_iterations):
        # try a: the flattest point is the result, a point flat enough the last
        here, curvature = slope_at(m, d, a, q1, q2)
        count = count + where(active, 1.0, 0.0)
        flatter = active & (abs_(here) < abs_(slope))
        result, slope = where(flatter, a, result), where(flatter, here, slope)
        active = active & not_(abs_(here) < tolerance)
        if not any_lane(active):
            break
        # a is the new end of the bracket, on the side that its slope tells
        below = here < 0.0
        low, low_slope = where(below, a, low), where(below, here, low_slope)
        high, high_slope = where(below, high, a), where(below, high_slope, here)
        # next: (6) if that is inside the bracket, or else where a line between the slopes of the
        # ends is zero, or else the middle
        newton = a - here / curvature
        middle, bracketed = 0.5 * (low + high), high < FAR
        rise = where(active & bracketed, high_slope - low_slope, 1.0)
        between = low - low_slope * ((high - low) / rise)
        inside = not_(bracketed) | ((newton > low) & (newton < high))
        a = where(inside, newton, where((between > low) & (between < high), between, middle))
        # a bracket that has not been halved in three trials is halved now
        if trial % 3 == 2:
            slow = bracketed & (high - low > 0.5 * width)
            a = where(slow, middle, a)
            width = where(bracketed, high - low, FAR)
        # round-off leaves nothing between the ends
        active = active & (a > low) & (a < high)
    # worlds that were not active do not move
    alpha = where(moved, result, 0.0)
    change = alpha * (q1 + 0.5 * alpha * q2)
    return alpha, change, abs_(slope) / maximum(length, MINVAL), count


@kernel
def slope_at(m, d, alpha, q1, q2):
    """(slope, curvature) of the cost at alpha: (1), (2)"""
    # slope and curvature, summed side by side
    total = vec(q1 + alpha * q2, q2)
    # static rows: dry friction and limits
    for a in range(d.nrun_row):
        r = d.run_row[a]
        if m.row_type[r] == CNSTR_EQUALITY:
            continue
        v, D = d.row_dir[r], d.row_D[r]
        x = d.row_jar[r] + alpha * v
        if is_friction_row(m, r):
            f = d.row_frictionloss[r] * d.row_on[r]
            bound = f * d.row_R[r]
            near = abs_(x) < bound
            slope = where(near, D * x, where(x < 0.0, -f, f))
            total = total + vec(v * slope, v * v * where(near, D, 0.0))
        else:
            Dv = edge(x, D) * v
            total = total + vec(Dv * x, Dv * v)
    # contacts
    if m.opt.cone == CONE_ELLIPTIC:
        for e in range(d.nrun_slot):
            s = d.run_slot[e]
            total = total + cone_slope_at(d, s, alpha)
    else:
        for e in range(d.nrun_slot):
            s = d.run_slot[e]
            u, v, D = d.slot_u[s], d.slot_du[s], d.slot_D[s]
            p = edges_slope_at(u[0], u[1], v[0], v[1], D[0], alpha)
            q = edges_slope_at(u[0], u[2], v[0], v[2], D[0], alpha)
            total = total + (p + q)
            # spin and rolling
            if d.slot_turns[s] == 1:
                w, o = d.slot_w[s], d.slot_dw[s]
                p = edges_slope_at(u[0], w[0], v[0], o[0], D[1], alpha)
                q = edges_slope_at(u[0], w[1], v[0], o[1], D[2], alpha)
                total = total + (p + q)
                total = total + edges_slope_at(u[0], w[2], v[0], o[2], D[2], alpha)
    return total[0], maximum(total[1], MINVAL)


@kernel(inline=True)
def edges_slope_at(u0, uj, v0, vj, D, alpha):
    """(slope, curvature) of two opposite edges of a pyramid"""
    vp, vq = v0 + vj, v0 - vj
    p, q = (u0 + uj) + alpha * vp, (u0 - uj) + alpha * vq
    Dp, Dq = edge(p, D) * vp, edge(q, D) * vq
    return vec(Dp * p + Dq * q, Dp * vp + Dq * vq)


@kernel(inline=True)
def cone_slope_at(d, s, alpha):
    """(slope, curvature) of an elliptic cone: (4), (5)"""
    mu, D, v = d.slot_mu[s], d.slot_D[s, 0], d.slot_du[s]
    o = angular(d, d.slot_dw, s)
    # where the line is at alpha
    u, w = d.slot_u[s] + v * alpha, angular(d, d.slot_w, s) + o * alpha
    N, T, top, bottom = cone(u, w, mu)
    # T' and T''
    uv = u[1] * v[1] + u[2] * v[2] + dot3(w, o)
    vv = v[1] * v[1] + v[2] * v[2] + dot3(o, o)
    per_T = 1.0 / where(T > 0.0, T, 1.0)
    T1 = uv * per_T
    T2 = (vv - T1 * T1) * per_T
    # middle zone (5), bottom zone D |U|^2 / 2, nothing in the top zone
    gap, gap1 = N - mu * T, v[0] - mu * T1
    Dm = D / (1.0 + mu * mu)
    slope = where(bottom, D * (N * v[0] + uv), Dm * gap * gap1)
    curvature = where(bottom, D * (v[0] * v[0] + vv), Dm * (gap1 * gap1 - mu * gap * T2))
    return vec(where(top, 0.0, slope), where(top, 0.0, curvature))
