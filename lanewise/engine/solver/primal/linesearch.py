"""The minimum of the cost along the search direction of each island, exactly.

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
is taken, and after slow progress its middle (search_quickly).

An island is done when its slope is below the tolerance, or when the bracket cannot shrink any more.
Beside stiff contacts (stiff.py) a slope is often nothing but round-off before. It is a sum of
D v (u + alpha v), where D u^2 sum up to twice the cost at 0 and D v^2 to the curvature; so it has
about

    epsilon sqrt((2 cost + alpha^2 curvature) curvature)                                    (7)

of it, and to go on from there would be a search in round-off.

The islands of all worlds take their evaluations at the same time, and what is done waits.

Where evaluations may be used up before that (FEW), the way is a part of the answer, and the search
is MuJoCo's, evaluation by evaluation. It has two parts:

1. On one side: (6), again and again, until the slope changes its sign.
2. Between two points of opposite slopes: at (6) from both and in the middle; the points that are
   closest on each side are the next two.

If the evaluations end, it takes the last point of the first part, or the end of the second that
costs less.
"""

from ....lanes import abs_, any_lane, kernel, maximum, not_, put, splat, sqrt, vec, where
from ....mjconst import CNSTR_EQUALITY, CONE_ELLIPTIC, MINVAL
from ...spatial import dot3, zeros3
from .edges import edge, edge_slope, edges_slope, has_edges, stiff_or
from .islands import (
    add_row,
    add_slot,
    clear_sums,
    of_row,
    of_slot,
    of_tree,
    switch,
    to_tree,
    two_zeros,
)
from .matrix_free import angular, cone, exact_change, is_friction_row
from .packed import pack_line

FEW = 30  # evaluations
FAR = 1e300
NAN = float("nan")
ROUND_OFF = 1e-15  # of a slope, relative to what it is a sum of


@kernel
def line_search(m, d, is_newton):
    """(search, Mv, J search) => island_alpha, island_result, island_count; alpha is 0 where done

    Equalities count as part of the quadratic cost. The number of evaluations is counted as MuJoCo
    does, which has one at 0 to begin with.
    """
    prepare(m, d)
    if is_newton == 1:
        d.is_packed = 0
    elif d.is_packed == 1:
        pack_line(d)
    # the first trial: Newton's direction has its minimum at 1, unless a constraint changes;
    # for others (6) from 0
    if is_newton == 0:
        for k in range(d.nrun_island):
            d.island_alpha[d.run_island[k]] = 0.0
        slopes(m, d)
    for k in range(d.nrun_island):
        t = d.run_island[k]
        slope, first = -2.0 * d.island_product[t], splat(1.0)
        if is_newton == 0:
            slope, first = d.island_sum[t, 0], -d.island_sum[t, 0] / curvature(d, t)
        d.island_p1[t] = vec(splat(0.0), slope, splat(FAR))
        d.island_alpha[t] = first
        d.island_count[t] = 2.0
    slopes(m, d)
    searching = False
    for k in range(d.nrun_island):
        t = d.run_island[k]
        p, active = point(d, t), d.island_active[t] > 0.0
        settle(d, t, p, active & (is_flat(d, t, p) | (d.island_whole[t] > 0.0)))
        searching = searching or any_lane(d.island_active[t] > 0.0)
    if searching and m.opt.ls_iterations > FEW:
        search_quickly(m, d)
    elif searching:
        search_one_side(m, d)
    # what has not been active does not move
    for k in range(d.nrun_island):
        t = d.run_island[k]
        d.island_alpha[t] = where(d.island_run[t] > 0.0, d.island_result[t, 0], 0.0)


@kernel
def prepare(m, d):
    """island_q <= the quadratic part of the cost (3); island_bound, island_active"""
    for k in range(d.nrun_island):
        t = d.run_island[k]
        d.island_square[t] = 0.0
        d.island_q[t] = two_zeros()
    for t in range(m.ntree):
        square, q = of_tree(d, d.island_square, t), of_tree(d, d.island_q, t)
        q1, q2 = q[0], q[1]
        for i in range(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t]):
            v = d.sol_search[i]
            square = square + v * v
            q1 = q1 + v * (d.sol_Ma[i] - d.sol_force[i])
            q2 = q2 + v * d.sol_Mv[i]
        to_tree(d, d.island_square, t, square)
        to_tree(d, d.island_q, t, vec(q1, q2))
    # equalities are quadratic, too
    for a in range(d.nrun_row):
        r = d.run_row[a]
        if m.row_type[r] == CNSTR_EQUALITY:
            add_equality(m, d, r)
    # an island is active until it has found its minimum
    for k in range(d.nrun_island):
        t = d.run_island[k]
        length = sqrt(d.island_square[t])
        d.island_length[t] = length
        d.island_bound[t] = m.opt.tolerance * m.opt.ls_tolerance * length / d.island_scale[t]
        # as MuJoCo, which has none along a direction this short; but a step that is taken as a
        # whole needs none, and what it leaves of the slope of a stiff constraint is much less
        whole = (d.island_whole[t] > 0.0) & (length > 0.0)
        d.island_active[t] = where((length >= MINVAL) | whole, d.island_run[t], 0.0)
        # along a direction without a length there is no result: NaN
        d.island_result[t] = vec(0.0 * length, splat(0.0))
    if d.some_stiff == 1:
        sizes_of_slopes(d)


@kernel
def sizes_of_slopes(d):
    """island_size <= twice the cost of contacts at alpha = 0"""
    clear_sums(d)
    at, total = -1, two_zeros()
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        at, total = add_slot(d, at, total, s, vec(d.slot_E[s], splat(0.0)))
    switch(d, at, total, -1)
    for k in range(d.nrun_island):
        t = d.run_island[k]
        d.island_size[t] = d.island_sum[t, 0]


@kernel
def add_equality(m, d, r):
    """island_q += the cost of an equality"""
    q, Dv, p = of_row(d, d.island_q, r), d.row_D[r] * d.row_dir[r], d.row_island[r]
    q = vec(q[0] + Dv * d.row_jar[r], q[1] + Dv * d.row_dir[r])
    if p >= 0:
        d.island_q[p] = q
    else:
        put(d.island_q, d.row_islands[r], q, d.row_on[r] > 0.0)


# ---- points


@kernel(inline=True)
def curvature(d, t):
    """Curvature of island t where slopes has found it."""
    return maximum(d.island_sum[t, 1], MINVAL)


@kernel(inline=True)
def point(d, t):
    """(alpha, slope, curvature) of island t where slopes has looked last."""
    return vec(d.island_alpha[t], d.island_sum[t, 0], curvature(d, t))


@kernel(inline=True)
def newton_step(p):
    """Where (6) leads from a point."""
    return p[0] - p[1] / p[2]


@kernel(inline=True)
def settle(d, t, p, done):
    """Point p is the result of island t, in the worlds `done`."""
    d.island_result[t] = where(done, vec(p[0], p[1]), d.island_result[t])
    d.island_active[t] = where(done, 0.0, d.island_active[t])


@kernel(inline=True)
def is_flat(d, t, p):
    """Worlds in which the slope at p is small enough."""
    return (abs_(p[1]) < d.island_bound[t]) | (p[1] == 0.0)


@kernel(inline=True)
def is_noise(d, t, p):
    """Worlds in which the slope at p is no more than its round-off: (7)."""
    most = (d.island_size[t] + p[0] * p[0] * p[2]) * p[2]
    return (d.world_stiff > 0.0) & (p[1] * p[1] <= ROUND_OFF * ROUND_OFF * most)


@kernel(inline=True)
def settle_if_flat(d, t, p, mine):
    """Point p is the result of island t, in the worlds `mine` where it is flat enough."""
    settle(d, t, p, mine & is_flat(d, t, p))


@kernel(inline=True)
def may_go_on(d, t):
    """Worlds in which island t is active and has evaluations left."""
    return (d.island_active[t] > 0.0) & (d.island_left[t] > 0.0)


@kernel(inline=True)
def count_evaluation(d, t, go):
    """One more evaluation of island t, in the worlds `go`."""
    d.island_count[t] = d.island_count[t] + where(go, 1.0, 0.0)
    d.island_left[t] = d.island_left[t] - where(go, 1.0, 0.0)


# ---- with plenty of evaluations


@kernel
def search_quickly(m, d):
    """island_result <= the flattest point, from the first trial on; NaN if no slope is a number

    p1 is the low end of the bracket, and its width of three trials before; p2 is the high end.
    """
    for k in range(d.nrun_island):
        t = d.run_island[k]
        nothing = vec(splat(NAN), splat(FAR))
        d.island_p2[t] = vec(splat(FAR), splat(1.0), splat(0.0))
        d.island_result[t] = where(d.island_active[t] > 0.0, nothing, d.island_result[t])
    some, trial = True, 0
    while some:
        some = False
        for k in range(d.nrun_island):
            t = d.run_island[k]
            next_trial(d, t, trial % 3 == 2)
            some = some or any_lane(d.island_active[t] > 0.0)
        trial += 1
        some = some and trial < m.opt.ls_iterations
        if some:
            slopes(m, d)


@kernel
def next_trial(d, t, halve):
    """(the last trial of island t) => its bracket, the next trial; not active any more if done"""
    p, active = point(d, t), d.island_active[t] > 0.0
    flatter = active & (abs_(p[1]) < abs_(d.island_result[t, 1]))
    d.island_result[t] = where(flatter, vec(p[0], p[1]), d.island_result[t])
    # p is the new end of the bracket, on the side that its slope tells
    below, p1, p2, width = p[1] < 0.0, d.island_p1[t], d.island_p2[t], d.island_p1[t, 2]
    low, low_slope = where(below, p[0], p1[0]), where(below, p[1], p1[1])
    high, high_slope = where(below, p2[0], p[0]), where(below, p2[1], p[1])
    # next: (6) if that is inside the bracket, or else where a line between the slopes of the
    # ends is zero, or else the middle
    a, middle, bracketed = newton_step(p), 0.5 * (low + high), high < FAR
    rise = where(active & bracketed, high_slope - low_slope, 1.0)
    between = low - low_slope * ((high - low) / rise)
    inside = not_(bracketed) | ((a > low) & (a < high))
    a = where(inside, a, where((between > low) & (between < high), between, middle))
    # a bracket that has not been halved in three trials is halved now
    if halve:
        a = where(bracketed & (high - low > 0.5 * width), middle, a)
        width = where(bracketed, high - low, FAR)
    d.island_p1[t] = vec(low, low_slope, width)
    d.island_p2[t] = vec(high, high_slope, splat(0.0))
    # done where it is flat, or where round-off leaves nothing between the ends
    done = is_flat(d, t, p)
    if d.some_stiff == 1:
        done = done | is_noise(d, t, p)
    go = active & not_(done) & (a > low) & (a < high)
    d.island_alpha[t] = a
    d.island_active[t] = where(go, 1.0, 0.0)
    d.island_count[t] = d.island_count[t] + where(go, 1.0, 0.0)


# ---- with few: the two parts of MuJoCo's search


@kernel
def search_one_side(m, d):
    """The first part, from the first trial on; then the second, where it is needed"""
    for k in range(d.nrun_island):
        t = d.run_island[k]
        d.island_p1[t] = point(d, t)
        d.island_p2[t] = point(d, t)
        d.island_side[t] = where(d.island_p1[t, 1] < 0.0, 1.0, -1.0)
        d.island_left[t] = m.opt.ls_iterations - 2.0
    some = True
    while some:
        # (6) from points that are still on their first side; p2 remembers them
        some = False
        for k in range(d.nrun_island):
            t = d.run_island[k]
            p = d.island_p1[t]
            go = may_go_on(d, t) & (p[1] * d.island_side[t] < 0.0)
            d.island_p2[t] = where(go, p, d.island_p2[t])
            d.island_alpha[t] = where(go, newton_step(p), p[0])
            count_evaluation(d, t, go)
            some = some or any_lane(go)
        if some:
            slopes(m, d)
            for k in range(d.nrun_island):
                t = d.run_island[k]
                d.island_p1[t] = point(d, t)
                settle_if_flat(d, t, d.island_p1[t], d.island_active[t] > 0.0)
    # no evaluations are left, or the slope is not a number
    between = False
    for k in range(d.nrun_island):
        t = d.run_island[k]
        p = d.island_p1[t]
        ready = may_go_on(d, t) & (p[1] == p[1])
        settle(d, t, p, (d.island_active[t] > 0.0) & not_(ready))
        between = between or any_lane(ready)
    if between:
        search_between(m, d)


@kernel
def search_between(m, d):
    """The second part: p1 and p2 have slopes of opposite signs"""
    for k in range(d.nrun_island):
        t = d.run_island[k]
        d.island_next1[t] = d.island_p1[t]
        d.island_next2[t] = d.island_p1[t]
        d.island_go1[t] = d.island_active[t]
    step_from(m, d, d.island_p1, d.island_next1, d.island_go1)
    some = True
    while some:
        # points that are flat enough are results; else the middle, which MuJoCo counts for both
        some = False
        for k in range(d.nrun_island):
            t = d.run_island[k]
            counted = may_go_on(d, t)
            settle_if_flat(d, t, d.island_next1[t], counted)
            settle_if_flat(d, t, d.island_next2[t], may_go_on(d, t))
            go = may_go_on(d, t)
            d.island_alpha[t] = 0.5 * (d.island_p1[t, 0] + d.island_p2[t, 0])
            d.island_go1[t] = where(go, 1.0, 0.0)
            count_evaluation(d, t, counted)
            some = some or any_lane(go)
        if some:
            slopes(m, d)
            for k in range(d.nrun_island):
                narrow(d, d.run_island[k])
            step_from(m, d, d.island_p1, d.island_next1, d.island_go1)
            step_from(m, d, d.island_p2, d.island_next2, d.island_go2)
    choose_end(m, d)


@kernel
def narrow(d, t):
    """p1, p2 <= the closest points on both sides; island_go1, island_go2: where they are new"""
    go, middle = d.island_go1[t] > 0.0, point(d, t)
    settle_if_flat(d, t, middle, go)
    go = go & (d.island_active[t] > 0.0)
    p1 = closest(d.island_p1[t], d.island_next1[t], d.island_next2[t], middle)
    p2 = closest(d.island_p2[t], d.island_next1[t], d.island_next2[t], middle)
    new1, new2 = go & (p1[1] != d.island_p1[t, 1]), go & (p2[1] != d.island_p2[t, 1])
    # nothing is closer: the middle is the end
    stuck = go & not_(new1 | new2)
    d.island_p1[t] = where(go, where(stuck, middle, p1), d.island_p1[t])
    d.island_p2[t] = where(go, where(stuck, middle, p2), d.island_p2[t])
    d.island_left[t] = where(stuck, 0.0, d.island_left[t])
    d.island_go1[t] = where(new1, 1.0, 0.0)
    d.island_go2[t] = where(new2, 1.0, 0.0)


@kernel(inline=True)
def closest(p, a, b, c):
    """Of four points the flattest that has the sign of p."""
    return closer(closer(closer(p, a), b), c)


@kernel(inline=True)
def closer(p, x):
    """x where it has the sign of p and is flatter, else p."""
    below, above = (p[1] < x[1]) & (x[1] < 0.0), (p[1] > x[1]) & (x[1] > 0.0)
    return where(below | above, x, p)


@kernel
def step_from(m, d, start, end, go):
    """end <= (6) from the point start, of the islands that go"""
    some = False
    for k in range(d.nrun_island):
        t = d.run_island[k]
        mine = go[t] > 0.0
        d.island_alpha[t] = newton_step(start[t])
        count_evaluation(d, t, mine)
        some = some or any_lane(mine)
    if some:
        slopes(m, d)
        for k in range(d.nrun_island):
            t = d.run_island[k]
            end[t] = where(go[t] > 0.0, point(d, t), end[t])


@kernel
def choose_end(m, d):
    """Where no point was flat enough: the one of p1 and p2 that costs less; 0 if both cost more"""
    some = False
    for k in range(d.nrun_island):
        t = d.run_island[k]
        d.island_alpha[t] = d.island_p1[t, 0]
        some = some or any_lane(d.island_active[t] > 0.0)
    if not some:
        return
    # what a point costs, more than alpha = 0, takes the place of its curvature
    exact_change(m, d, 0)
    for k in range(d.nrun_island):
        t = d.run_island[k]
        d.island_p1[t, 2] = total_change(d, t)
        d.island_alpha[t] = d.island_p2[t, 0]
    exact_change(m, d, 0)
    for k in range(d.nrun_island):
        t = d.run_island[k]
        p1, p2 = d.island_p1[t], d.island_p2[t]
        p2 = vec(p2[0], p2[1], total_change(d, t))
        best = where(p1[2] <= p2[2], p1, p2)
        stay = vec(splat(0.0), splat(0.0), splat(0.0))
        settle(d, t, where(best[2] < 0.0, best, stay), d.island_active[t] > 0.0)


@kernel(inline=True)
def total_change(d, t):
    """The change of island t's cost by alpha, with twice that of its constraints in island_sum."""
    alpha, q = d.island_alpha[t], d.island_q[t]
    return alpha * (q[0] + 0.5 * alpha * q[1]) + 0.5 * d.island_sum[t, 0]


# ---- along the line


@kernel
def slopes(m, d):
    """island_sum <= (slope, curvature) of the cost of each island at its alpha: (1), (2)"""
    for k in range(d.nrun_island):
        t = d.run_island[k]
        q = d.island_q[t]
        d.island_sum[t] = vec(q[0] + d.island_alpha[t] * q[1], q[1])
    at, total = -1, two_zeros()
    # static rows: dry friction and limits
    for a in range(d.nfirm if d.is_packed == 1 else d.nrun_row):
        r = d.run_row[a]
        if m.row_type[r] != CNSTR_EQUALITY:
            at, total = add_row(d, at, total, r, row_slope(m, d, r))
    # contacts
    if d.is_packed == 1:
        p = d.run_island[0]
        total = add_packed_slopes(m, d, d.island_alpha[p], switch(d, at, total, p))
        at = p
    elif m.opt.cone == CONE_ELLIPTIC:
        for e in range(d.nrun_slot):
            s = d.run_slot[e]
            u, w = d.slot_u[s], angular(d, d.slot_w, s)
            v, o, alpha = d.slot_du[s], angular(d, d.slot_dw, s), of_slot(d, d.island_alpha, s)
            slope = cone_slope_at(d.slot_D[s, 0], d.slot_mu[s], u, w, v, o, alpha)
            at, total = add_slot(d, at, total, s, slope)
    else:
        for e in range(d.nrun_slot):
            s = d.run_slot[e]
            alpha = of_slot(d, d.island_alpha, s)
            if has_edges(d, s):
                slope = edges_slope(d, s, alpha)
                if d.slot_edged[s] == 1:
                    slope = stiff_or(d, s, slope, pyramid_slope(d, s, alpha))
            else:
                slope = pyramid_slope(d, s, alpha)
            at, total = add_slot(d, at, total, s, slope)
    switch(d, at, total, -1)


@kernel(inline=True)
def add_packed_slopes(m, d, alpha, total):
    """total + the slopes and curvatures of limits and contacts without gaps: see packed.py"""
    for k in range(d.npack_row):
        v = d.pack_dir[k]
        total = total + edge_slope(d.pack_rowD[k], d.pack_jar[k] + alpha * v, v)
    for k in range(d.npack_slot):
        D, u, v, zero = d.pack_D[k], d.pack_u[k], d.pack_du[k], zeros3()
        if m.opt.cone == CONE_ELLIPTIC:
            total = total + cone_slope_at(D[0], d.pack_mu[k], u, zero, v, zero, alpha)
        else:
            total = total + sliding_slope_at(D[0], u, v, alpha)
    return total


@kernel(inline=True)
def row_slope(m, d, r):
    """(slope, curvature) of a limit or of dry friction"""
    v, D = d.row_dir[r], d.row_D[r]
    x = d.row_jar[r] + of_row(d, d.island_alpha, r) * v
    if is_friction_row(m, r):
        f = d.row_frictionloss[r] * d.row_on[r]
        return friction_slope(D, f, f * d.row_R[r], x, v)
    return edge_slope(D, x, v)


@kernel(inline=True)
def friction_slope(D, f, bound, x, v):
    """(slope, curvature) of dry friction at x, along v"""
    near = abs_(x) < bound
    slope = where(near, D * x, where(x < 0.0, -f, f))
    return vec(v * slope, v * v * where(near, D, 0.0))


@kernel(inline=True)
def pyramid_slope(d, s, alpha):
    """(slope, curvature) of a pyramid in slot s at alpha"""
    u, v, D = d.slot_u[s], d.slot_du[s], d.slot_D[s]
    total = sliding_slope_at(D[0], u, v, alpha)
    if d.slot_turns[s] == 1:
        total = add_turning_slope(total, D, u, d.slot_w[s], v, d.slot_dw[s], alpha)
    return total


@kernel(inline=True)
def pyramid_slope_at(D, u, w, v, o, alpha, turns):
    """(slope, curvature) of a pyramid"""
    total = sliding_slope_at(D[0], u, v, alpha)
    return add_turning_slope(total, D, u, w, v, o, alpha) if turns == 1 else total


@kernel(inline=True)
def sliding_slope_at(D, u, v, alpha):
    """(slope, curvature) of the four edges of sliding"""
    p = pair_slope_at(u[0], u[1], v[0], v[1], D, alpha)
    return p + pair_slope_at(u[0], u[2], v[0], v[2], D, alpha)


@kernel(inline=True)
def add_turning_slope(total, D, u, w, v, o, alpha):
    """total + (slope, curvature) of the edges of spin and rolling"""
    p = pair_slope_at(u[0], w[0], v[0], o[0], D[1], alpha)
    q = pair_slope_at(u[0], w[1], v[0], o[1], D[2], alpha)
    return total + (p + q) + pair_slope_at(u[0], w[2], v[0], o[2], D[2], alpha)


@kernel(inline=True)
def pair_slope_at(u0, uj, v0, vj, D, alpha):
    """(slope, curvature) of two opposite edges of a pyramid"""
    vp, vq = v0 + vj, v0 - vj
    p, q = (u0 + uj) + alpha * vp, (u0 - uj) + alpha * vq
    Dp, Dq = edge(p, D) * vp, edge(q, D) * vq
    return vec(Dp * p + Dq * q, Dp * vp + Dq * vq)


@kernel(inline=True)
def cone_slope_at(D, mu, u, w, v, o, alpha):
    """(slope, curvature) of an elliptic cone, from (u, w) along (v, o): (4), (5)"""
    # where the line is at alpha
    u, w = u + v * alpha, w + o * alpha
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
