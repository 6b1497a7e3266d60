"""Constraints without their matrix: J x, the forces at a point, and J' f.

J x is the acceleration of contact points: a pass over the tree from the root gives every body's
motion V = (w, v) about C, and a contact sees it at its point, at r.

    V_b = V_parent + sum of cdof_i x_i over the dofs i of b                                 (1)
    u = F (v + w x r) - aref,     (w, v) = V_hi - V_lo                                      (2)

J' f is the way back: a contact's force is added to its body as a wrench, wrenches are summed
towards the root, and a dof gets what acts along its axis.

    F_hi += (r x F'f, F'f),     F_lo -= the same,     F_parent += F_b                       (3)
    (J' f)_i = cdof_i . F_b                                                                 (4)

Where all these sums would leave little of a contact, stiff.py has others. The other constraints are
few numbers each, in static rows (row_J).

A force is minus the slope of the cost s(u) of its constraint:

    equality      s = D u^2 / 2
    limit         the same where u < 0, else 0
    friction      the same where |u| < R f, beyond that linear with slope f  (f: frictionloss)
    pyramid       the same as a limit, for each edge U0 + Uj, U0 - Uj
    elliptic      with N = U0, T = |(U1, U2, ...)|:   0 where N >= mu T                (top)
                  D |U|^2 / 2 where mu N + T <= 0                                    (bottom)
                  D/(1 + mu^2) (N - mu T)^2 / 2 in between                           (middle)

Except for friction they are homogeneous of second degree, and so

    2 s(u) = u . s'(u) = -u . f                                                             (5)

Costs are kept doubled until they are summed up.
"""

from ....lanes import (
    abs_,
    any_lane,
    concat,
    kernel,
    load3,
    not_,
    splat,
    sqrt,
    store3,
    vec,
    where,
)
from ....mjconst import (
    CNSTR_EQUALITY,
    CNSTR_FRICTION_DOF,
    CNSTR_FRICTION_TENDON,
    CONE_ELLIPTIC,
    EQ_WELD,
    STATE_LINEARNEG,
    STATE_LINEARPOS,
    STATE_QUADRATIC,
    STATE_SATISFIED,
)
from ...spatial import cross, dot3, dot6, zeros3, zeros6
from ..heap.contacts import arrange, heap_motion, heap_push
from ..slots import every_world, publish, run_slots, seen_from, tree_shift
from .edges import (
    edge,
    edge_change,
    edges_at,
    edges_change,
    edges_energy,
    edges_force,
    has_edges,
    move_edges,
    push_edges,
    stiff_or,
)
from .islands import add_row, add_slot, clear_sums, of_row, of_slot, switch, two_zeros
from .stiff import is_stiff, motion_by_columns, push_by_columns


@kernel
def forces_at(m, d, x):
    """x, an acceleration => row_jar, row_force, row_state; u and forces of contacts in slots"""
    arrange(m, d)
    run_slots(m, d, every_world())
    motion(m, d, x, d.body_V)
    slots_of_motion(m, d, d.body_V, x, d.slot_u, d.slot_w, 1)
    mul_J_rows(m, d, x, d.row_jar, 1)
    slot_forces(m, d)
    row_forces(m, d)
    d.slots_unpublished = 1


@kernel
def constraint_force(m, d, y):
    """y <= J' f, f in row_force and in the slots"""
    clear_wrenches(m, d)
    for s in range(d.nslot):
        push_wrench(m, d, s, concat(d.slot_du[s], d.slot_dw[s]))
    forces_to_dofs(m, d, y)


@kernel
def motion(m, d, x, V_):
    """x, over dofs => V of live bodies, by (1)"""
    for a in range(d.nlive):
        b = d.live_body[a]
        p = m.body_weldid[m.body_parentid[b]]
        V = V_[p] if d.body_live[p] == 1 else zeros6()
        for i in range(m.body_dofadr[b], m.body_dofadr[b] + m.body_dofnum[b]):
            V = V + d.cdof[i] * x[i]
        V_[b] = V


@kernel
def slots_of_motion(m, d, V, x, u, w, minus_aref):
    """V of live bodies, by x over dofs => (u, w) of slots"""
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        six = slot_of_motion(m, d, V, x, s, minus_aref)
        u[s] = six[0:3]
        if d.slot_turns[s] == 1:
            w[s] = six[3:6]
        if has_edges(d, s):
            if minus_aref == 1:
                edges_at(m, d, s, x, d.slot_edge, 1)
            else:
                edges_at(m, d, s, x, d.slot_dedge, 0)


@kernel(inline=True)
def slot_of_motion(m, d, V_, x, s, minus_aref):
    """Six numbers of a slot by the motion of its bodies."""
    # V_hi - V_lo, about the centre of hi's tree
    if d.is_heap == 1:
        V = heap_motion(d, V_, s)
    else:
        hi, lo = d.slot_hi[s], d.slot_lo[s]
        V = V_[hi]
        if lo > 0:
            V_lo = V_[lo]
            if m.body_rootid[hi] != m.body_rootid[lo]:
                V_lo = seen_from(V_lo, tree_shift(m, d, hi, lo))
            V = V - V_lo
    # (2) at the contact point: sliding, then spin and rolling
    F = d.slot_frame[s]
    v, o, turning = V[3:6] + cross(V[0:3], d.slot_r[s]), V[0:3], zeros3()
    sliding = vec(dot3(F[0:3], v), dot3(F[3:6], v), dot3(F[6:9], v))
    if d.slot_turns[s] == 1:
        t = d.slot_turnscale[s]
        turning = vec(t[0] * dot3(F[0:3], o), t[1] * dot3(F[3:6], o), t[2] * dot3(F[6:9], o))
    if m.opt.cone == CONE_ELLIPTIC and is_stiff(d, s):
        u = where(d.slot_stiff[s] > 0.0, motion_by_columns(m, d, s, x), concat(sliding, turning))
        sliding, turning = u[0:3], u[3:6]
    if minus_aref == 1:
        sliding = sliding - load_aref(d, s, 0)
        if d.slot_turns[s] == 1:
            turning = turning - load_aref(d, s, 3)
    return concat(sliding, turning)


@kernel(inline=True)
def load_aref(d, s, k):
    """Three numbers of aref of a slot, from k on."""
    return vec(d.slot_aref[s, k], d.slot_aref[s, k + 1], d.slot_aref[s, k + 2])


@kernel
def mul_J_rows(m, d, x, y, minus_aref):
    """y <= J x, of static rows"""
    a = 0
    while a < d.nrun_row:
        r = d.run_row[a]
        first, n = m.row_rowadr[r], m.row_rownnz[r]
        if is_one_of_three(m, r):
            sums = zeros3()
            for k in range(first, first + n):
                sums = sums + three_of_J(d, k, n) * x[m.row_colind[k]]
            store3(y, r, sums - load3(d.row_aref, r) if minus_aref == 1 else sums)
            a += 3
        else:
            sum_ = splat(0.0)
            for k in range(first, first + n):
                sum_ = sum_ + d.row_J[k] * x[m.row_colind[k]]
            y[r] = sum_ - d.row_aref[r] if minus_aref == 1 else sum_
            a += 1


@kernel(inline=True)
def is_one_of_three(m, r):
    """Whether a static row is of a connect or weld: these come by threes, with the same dofs."""
    return m.row_type[r] == CNSTR_EQUALITY and m.eq_type[m.row_id[r]] <= EQ_WELD


@kernel(inline=True)
def three_of_J(d, k, n):
    """A column of three rows of n dofs, from number k of row_J on."""
    return vec(d.row_J[k], d.row_J[k + n], d.row_J[k + 2 * n])


# --------------------------------------------------------------------------------- costs and forces


@kernel(inline=True)
def pair_force(u0, uj, D):
    """(sum, difference) of the forces of two opposite edges."""
    p, q = u0 + uj, u0 - uj
    fp, fq = edge(p, D) * p, edge(q, D) * q
    return -(fp + fq), fq - fp


@kernel(inline=True)
def cone(u, w, mu):
    """(N, T, whether in the top, whether in the bottom zone)"""
    N, T = u[0], sqrt(u[1] * u[1] + u[2] * u[2] + dot3(w, w))
    top = N >= mu * T
    bottom = not_(top) & (mu * N + T <= 0.0)
    return N, T, top, bottom


@kernel(inline=True)
def cone_force(D, mu, u, w):
    """The force of an elliptic cone at u, w: minus the slope of its cost, zone by zone."""
    N, T, top, bottom = cone(u, w, mu)
    slope = D / (1.0 + mu * mu) * (mu * T - N)
    normal = where(bottom, -D * N, slope)
    sliding = where(bottom, -D, -slope * mu / where(T > 0.0, T, 1.0))
    f = vec(normal, sliding * u[1], sliding * u[2])
    return where(top, vec(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), concat(f, w * sliding))


@kernel(inline=True)
def angular(d, field, s):
    """Spin and rolling of a slot, or zeros."""
    return field[s] if d.slot_turns[s] == 1 else zeros3()


@kernel(inline=True)
def slot_force(m, d, s, u, w):
    """The force of a slot at u, w, in the same directions: six numbers."""
    D = d.slot_D[s]
    if m.opt.cone == CONE_ELLIPTIC:
        return cone_force(D[0], d.slot_mu[s], u, w)
    return pyramid_force(D, u, w, d.slot_turns[s])


@kernel(inline=True)
def pyramid_force(D, u, w, turns):
    """The force of a pyramid: two edges for each direction, all of which push along the normal."""
    n1, f1 = pair_force(u[0], u[1], D[0])
    n2, f2 = pair_force(u[0], u[2], D[0])
    normal, t3, t4, t5 = n1 + n2, 0.0, 0.0, 0.0
    if turns == 1:
        n3, t3 = pair_force(u[0], w[0], D[1])
        n4, t4 = pair_force(u[0], w[1], D[2])
        n5, t5 = pair_force(u[0], w[2], D[2])
        normal = normal + (n3 + n4 + n5)
    return vec(normal, f1, f2, t3, t4, t5)


@kernel
def slot_forces(m, d):
    """(slot_u, slot_w) => forces in slot_du, slot_dw"""
    for s in range(d.nslot):
        f = slot_force(m, d, s, d.slot_u[s], angular(d, d.slot_w, s))
        if has_edges(d, s):
            f = stiff_or(d, s, edges_force(d, s), f)
        d.slot_du[s] = f[0:3]
        d.slot_dw[s] = f[3:6]


@kernel
def publish_forces(m, d):
    """con_jar, con_force <= what the last primal solution has in its slots, if that is not done"""
    if d.slots_unpublished == 1:
        d.slots_unpublished = 0
        publish(m, d, d.con_jar, 0)
        slot_forces(m, d)
        publish(m, d, d.con_force, 1)


@kernel
def slot_energy(m, d, s, u, w):
    """Twice the cost of a contact at u, w: (5)"""
    f = slot_force(m, d, s, u, w)
    return -(dot3(u, f[0:3]) + dot3(w, f[3:6]))


@kernel(inline=True)
def is_friction_row(m, r):
    """Whether a static row is dry friction, of a dof or a tendon."""
    return m.row_type[r] == CNSTR_FRICTION_DOF or m.row_type[r] == CNSTR_FRICTION_TENDON


@kernel
def row_cost(m, d, y):
    """Cost of the static rows at y."""
    twice = splat(0.0)
    for a in range(d.nrun_row):
        twice = twice + row_energy(m, d, d.run_row[a], y[d.run_row[a]])
    return 0.5 * twice


@kernel(inline=True)
def row_energy(m, d, r, x):
    """Twice the cost of a static row at x."""
    D = d.row_D[r]
    if is_friction_row(m, r):
        f = d.row_frictionloss[r] * d.row_on[r]
        return friction_energy(D, f, f * d.row_R[r], x)
    return D * x * x if m.row_type[r] == CNSTR_EQUALITY else limit_energy(D, x)


@kernel(inline=True)
def limit_energy(D, x):
    """Twice the cost of a limit at x."""
    return edge(x, D) * x * x


@kernel(inline=True)
def friction_energy(D, f, bound, x):
    """Twice the cost of dry friction at x: a spring within its bounds, a slope of f beyond."""
    return where(abs_(x) < bound, D * x * x, f * (2.0 * abs_(x) - bound))


@kernel
def row_forces(m, d):
    """row_jar => row_force, row_state"""
    for a in range(d.nrun_row):
        r = d.run_row[a]
        x, D = d.row_jar[r], d.row_D[r]
        if is_friction_row(m, r):
            # friction: a spring within its bounds, constant beyond
            f = d.row_frictionloss[r] * d.row_on[r]
            bound = f * d.row_R[r]
            low, high = x <= -bound, x >= bound
            d.row_force[r] = where(low, f, where(high, -f, -D * x))
            linear = where(low, STATE_LINEARNEG, STATE_LINEARPOS)
            d.row_state[r] = where(low | high, linear, STATE_QUADRATIC)
        elif m.row_type[r] == CNSTR_EQUALITY:
            # equality: a spring
            d.row_force[r] = -D * x
            d.row_state[r] = STATE_QUADRATIC
        else:
            # limit: a spring that only pushes
            d.row_force[r] = -edge(x, D) * x
            d.row_state[r] = where(x < 0.0, STATE_QUADRATIC, STATE_SATISFIED)


# ----------------------------------------------------------------------------------- forces to dofs


@kernel
def clear_wrenches(m, d):
    """body_V <= zeros, to add wrenches in (3)"""
    for a in range(d.nlive):
        d.body_V[d.live_body[a]] = zeros6()
    if d.some_stiff == 1:
        for i in range(m.nv):
            d.sol_push[i] = 0.0


@kernel
def move(m, d):
    """slot_u, slot_w, row_jar += alpha J search => wrenches, row_force, island_sum

    The sums are twice the change of the cost, and the size of the costs that this is a difference
    of. Equalities are left out: they are in the quadratic part of the line search.
    """
    clear_wrenches(m, d)
    clear_sums(d)
    at, total = -1, two_zeros()
    # static rows
    for a in range(d.nfirm if d.is_packed == 1 else d.nrun_row):
        r = d.run_row[a]
        y = d.row_jar[r]
        x = y + d.row_dir[r] * of_row(d, d.island_alpha, r)
        d.row_jar[r] = x
        energy, before = splat(0.0), splat(0.0)
        if m.row_type[r] != CNSTR_EQUALITY:
            energy, before = row_energy(m, d, r, x), row_energy(m, d, r, y)
        at, total = add_row(d, at, total, r, vec(energy - before, abs_(energy + before)))
    if d.is_packed == 1:
        p = d.run_island[0]
        total = move_packed(d, d.island_alpha[p], switch(d, at, total, p))
        at = p
    # contacts: on to alpha, what that costs now (5), and the force there as a wrench
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        alpha = of_slot(d, d.island_alpha, s)
        u, w = d.slot_u[s] + d.slot_du[s] * alpha, zeros3()
        if d.slot_turns[s] == 1:
            w = d.slot_w[s] + d.slot_dw[s] * alpha
            d.slot_w[s] = w
        d.slot_u[s] = u
        f = slot_force(m, d, s, u, w)
        energy, before = -(dot3(u, f[0:3]) + dot3(w, f[3:6])), d.slot_E[s]
        if has_edges(d, s):
            move_edges(d, s, alpha)
            energy = stiff_or(d, s, edges_energy(d, s, d.slot_edge), energy)
        at, total = add_slot(d, at, total, s, vec(energy - before, energy + before))
        d.slot_E[s] = energy
        push_wrench(m, d, s, f)
    switch(d, at, total, -1)
    row_forces(m, d)


@kernel(inline=True)
def move_packed(d, alpha, total):
    """row_jar, pack_jar, pack_u += alpha J search; total + the sums of limits: see packed.py"""
    for a in range(d.nfirm, d.nrun_row):
        r = d.run_row[a]
        d.row_jar[r] = d.row_jar[r] + d.row_dir[r] * alpha
    for k in range(d.npack_row):
        y, D = d.pack_jar[k], d.pack_rowD[k]
        x = y + d.pack_dir[k] * alpha
        d.pack_jar[k] = x
        energy, before = limit_energy(D, x), limit_energy(D, y)
        total = total + vec(energy - before, abs_(energy + before))
    for k in range(d.npack_slot):
        d.pack_u[k] = d.pack_u[k] + d.pack_du[k] * alpha
    return total


@kernel
def exact_change(m, d, moved):
    """island_sum <= twice the change of cost by alpha, where that may be much smaller than the cost

    The move by alpha has been made already, or not. What comes out is a difference of costs only
    where a constraint changes its zone.
    """
    clear_sums(d)
    at, total = -1, two_zeros()
    for a in range(d.nfirm if d.is_packed == 1 else d.nrun_row):
        r = d.run_row[a]
        v, change = d.row_dir[r] * of_row(d, d.island_alpha, r), splat(0.0)
        if m.row_type[r] != CNSTR_EQUALITY:
            x = d.row_jar[r] - v if moved == 1 else d.row_jar[r]
            change = row_change(m, d, r, x, v)
        at, total = add_row(d, at, total, r, vec(change, splat(0.0)))
    if d.is_packed == 1:
        p = d.run_island[0]
        total = add_packed_changes(m, d, d.island_alpha[p], moved, switch(d, at, total, p))
        switch(d, p, total, -1)
        return
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        # from u and w, by v and o
        alpha = of_slot(d, d.island_alpha, s)
        v, o = d.slot_du[s] * alpha, angular(d, d.slot_dw, s) * alpha
        u, w = d.slot_u[s], angular(d, d.slot_w, s)
        if moved == 1:
            u, w = u - v, w - o
        if m.opt.cone == CONE_ELLIPTIC:
            after = d.slot_E[s] if moved == 1 else slot_energy(m, d, s, u + v, w + o)
            before = slot_energy(m, d, s, u, w)
            change = cone_change(d.slot_D[s, 0], d.slot_mu[s], u, w, v, o, before, after)
        else:
            change = pyramid_change(d.slot_D[s], u, w, v, o, d.slot_turns[s])
            if has_edges(d, s):
                change = stiff_or(d, s, edges_change(d, s, alpha, moved), change)
        at, total = add_slot(d, at, total, s, vec(change, splat(0.0)))
    switch(d, at, total, -1)


@kernel(inline=True)
def add_packed_changes(m, d, alpha, moved, total):
    """total + the changes of limits and contacts without gaps: see packed.py"""
    for k in range(d.npack_row):
        v = d.pack_dir[k] * alpha
        x = d.pack_jar[k] - v if moved == 1 else d.pack_jar[k]
        total = total + vec(edge_change(x, v, d.pack_rowD[k]), splat(0.0))
    for k in range(d.npack_slot):
        D, u, v, zero = d.pack_D[k], d.pack_u[k], d.pack_du[k] * alpha, zeros3()
        end = u if moved == 1 else u + v
        u = u - v if moved == 1 else u
        if m.opt.cone == CONE_ELLIPTIC:
            mu = d.pack_mu[k]
            before, after = cone_energy(D[0], mu, u), cone_energy(D[0], mu, end)
            change = cone_change(D[0], mu, u, zero, v, zero, before, after)
        else:
            change = pyramid_change(D, u, zero, v, zero, 0)
        total = total + vec(change, splat(0.0))
    return total


@kernel
def cone_energy(D, mu, u):
    """Twice the cost of an elliptic cone at u, without spin and rolling"""
    f, w = cone_force(D, mu, u, zeros3()), zeros3()
    return -(dot3(u, f[0:3]) + dot3(w, f[3:6]))


@kernel(inline=True)
def pair_change(u0, uj, v0, vj, D):
    """The same of two opposite edges of a pyramid."""
    return edge_change(u0 + uj, v0 + vj, D) + edge_change(u0 - uj, v0 - vj, D)


@kernel(inline=True)
def pyramid_change(D, u, w, v, o, turns):
    """Twice the change of a pyramid's cost, from (u, w) by (v, o)."""
    twice = pair_change(u[0], u[1], v[0], v[1], D[0]) + pair_change(u[0], u[2], v[0], v[2], D[0])
    if turns == 1:
        twice = twice + pair_change(u[0], w[0], v[0], o[0], D[1])
        twice = twice + pair_change(u[0], w[1], v[0], o[1], D[2])
        twice = twice + pair_change(u[0], w[2], v[0], o[2], D[2])
    return twice


@kernel
def cone_change(D, mu, u, w, v, o, before, after):
    """Twice the change of an elliptic cone's cost, from (u, w) by (v, o), from `before` to `after`

    In the middle zone the cost is that of the bottom, D |U|^2, less Dm (mu N + T)^2, with
    Dm = D/(1 + mu^2): so a step between these zones, too, is a difference of small numbers.
    """
    Dm = D / (1.0 + mu * mu)
    # zones before and after
    N0, T0, top0, bottom0 = cone(u, w, mu)
    N1, T1, top1, bottom1 = cone(u + v, w + o, mu)
    # T1^2 - T0^2 and T1 - T0, without subtracting them
    growth = v[1] * (2.0 * u[1] + v[1]) + v[2] * (2.0 * u[2] + v[2]) + dot3(o, w * 2.0 + o)
    dT = growth / where(T0 + T1 > 0.0, T0 + T1, 1.0)
    # middle to middle: the change of Dm (N - mu T)^2
    dgap, gap = v[0] - mu * dT, N0 - mu * T0
    middle = Dm * dgap * (2.0 * gap + dgap)
    # with the bottom zone at one end or both: the change of D |U|^2, and of what is taken from it
    g0, g1 = mu * N0 + T0, mu * N1 + T1
    gain = where(bottom0, 0.0, g0 * g0) - where(bottom1, 0.0, g1 * g1)
    quadratic = D * (v[0] * (2.0 * N0 + v[0]) + growth) + Dm * gain
    # from the top zone, which costs nothing, all of the cost after; to it, minus all of that before
    change = where(bottom0 | bottom1, quadratic, middle)
    return where(top0, after, where(top1, -before, change))


@kernel(inline=True)
def row_change(m, d, r, x, v):
    """Twice the change of a limit's or a friction row's cost, from x to x + v."""
    D = d.row_D[r]
    if not is_friction_row(m, r):
        return edge_change(x, v, D)
    f = d.row_frictionloss[r] * d.row_on[r]
    return friction_change(D, f, f * d.row_R[r], x, v)


@kernel(inline=True)
def friction_change(D, f, bound, x, v):
    """The same of dry friction: within the bounds, beyond one of them, or across."""
    y = x + v
    near = (abs_(x) < bound) & (abs_(y) < bound)
    low, high = (x <= -bound) & (y <= -bound), (x >= bound) & (y >= bound)
    jump = friction_energy(D, f, bound, y) - friction_energy(D, f, bound, x)
    linear = where(low, -2.0 * f * v, where(high, 2.0 * f * v, jump))
    return where(near, D * v * (x + y), linear)


@kernel(inline=True)
def push_wrench(m, d, s, f):
    """A force in the directions of slot s => wrenches on both bodies, added in body_V"""
    F = d.slot_frame[s]
    if is_stiff(d, s):
        if m.opt.cone == CONE_ELLIPTIC:
            push_by_columns(m, d, s, f)
        else:
            push_edges(m, d, s)
        f = where(d.slot_stiff[s] > 0.0, zeros6(), f)
    if not any_lane(f[0] != 0.0):  # without a normal force there is no other
        return
    # force and torque about the centre of hi's tree
    force = F[0:3] * f[0] + F[3:6] * f[1] + F[6:9] * f[2]
    torque = cross(d.slot_r[s], force)
    if d.slot_turns[s] == 1:
        scale = d.slot_turnscale[s]
        turning = F[0:3] * (f[3] * scale[0]) + F[3:6] * (f[4] * scale[1])
        torque = torque + turning + F[6:9] * (f[5] * scale[2])
    if d.is_heap == 1:
        heap_push(d, s, concat(torque, force), f[0] != 0.0)
        return
    # onto both bodies, about each one's centre
    hi, lo = d.slot_hi[s], d.slot_lo[s]
    d.body_V[hi] = d.body_V[hi] + concat(torque, force)
    if lo > 0:
        if m.body_rootid[hi] != m.body_rootid[lo]:
            torque = torque + cross(tree_shift(m, d, hi, lo), force)
        d.body_V[lo] = d.body_V[lo] - concat(torque, force)


@kernel
def forces_to_dofs(m, d, y):
    """(body_V, row_force) => y = J' f, by (3) and (4)"""
    for i in range(m.nv):
        y[i] = 0.0
    # from the leaves to the root: what acts on a body acts on what carries it
    for a in range(d.nlive - 1, -1, -1):
        b = d.live_body[a]
        p, F = m.body_weldid[m.body_parentid[b]], d.body_V[b]
        for i in range(m.body_dofadr[b], m.body_dofadr[b] + m.body_dofnum[b]):
            y[i] = dot6(d.cdof[i], F)
        if d.body_live[p] == 1:
            d.body_V[p] = d.body_V[p] + F
    # what has come without wrenches
    if d.some_stiff == 1:
        for i in range(m.nv):
            push = d.sol_push[i]
            y[i] = where(push != 0.0, y[i] + push, y[i])
    # static rows
    a = 0
    while a < d.nrun_row:
        r = d.run_row[a]
        first, n = m.row_rowadr[r], m.row_rownnz[r]
        if is_one_of_three(m, r):
            f = load3(d.row_force, r)
            for k in range(first, first + n):
                i, J = m.row_colind[k], three_of_J(d, k, n)
                y[i] = y[i] + J[0] * f[0] + J[1] * f[1] + J[2] * f[2]
            a += 3
        else:
            for k in range(first, first + n):
                y[m.row_colind[k]] = y[m.row_colind[k]] + d.row_J[k] * d.row_force[r]
            a += 1
