"""What the dual solvers, PGS and noslip, work on.

With Y = J inverse(sqrt(M)), row by row, the problem is to minimize over forces f

    |Y'f|^2 / 2 + f'R f / 2 + b'f

within the bounds of friction, limits and cones. MuJoCo forms A = Y Y' + R. Here w = Y'f is kept up
to date instead: the residual of a row is Y_i . w + R_i f_i + b_i, and after a change of its force
w += Y_i df. A row touches the dofs of two chains only, however many constraints there are.

Gauss-Seidel is sequential: the next row depends on the last one's. And worlds have different rows,
visit them in different orders and stop at different times. So here, and only here, worlds are not
side by side: they are solved one after another, and a Lane holds eight dofs of one world. Y is made
for eight worlds at a time and turned.

Constraints that share no tree do not interact. Each such island is solved by itself, with its own
order of rows and its own end.
"""

from ....lanes import (
    W,
    any_lane,
    highest,
    kernel,
    lane_item,
    load_lane,
    mask_of,
    maximum,
    minimum,
    not_,
    splat,
    sqrt,
    store_lane,
    to_int,
    vec,
    where,
)
from ....lanes.memory import transpose
from ....mjconst import (
    CNSTR_CONTACT_ELLIPTIC,
    CNSTR_CONTACT_FRICTIONLESS,
    CNSTR_CONTACT_PYRAMIDAL,
    CNSTR_EQUALITY,
    CNSTR_FRICTION_DOF,
    CNSTR_FRICTION_TENDON,
    CNSTR_LIMIT_JOINT,
    DSBL_ISLAND,
    INT_DISCRETE,
    MINVAL,
    STATE_CONE,
    STATE_LINEARNEG,
    STATE_LINEARPOS,
    STATE_QUADRATIC,
    STATE_SATISFIED,
    WARN_CNSTRFULL,
)
from ...constraint.make import rows_of
from ...constraint.rows import expose_rows, room
from ...counters import warn
from ...integrate.discrete import solve_metric
from ...smooth.inertia import solve

KEPT = 200  # sweeps with statistics

# ------------------------------------------------------------------------- eight worlds at a time


@kernel
def prepare(m, d, start):
    """(efc_*, an acceleration to start from) => efc_b, dual_jar, dual_Y"""
    expose_rows(m, d)
    if m.opt.integrator == INT_DISCRETE:
        whiten_rows(m, d, start, d.H_factor, d.qHDiagInv)
    else:
        whiten_rows(m, d, start, d.M_factor, d.qLDiagInv)


@kernel
def whiten_rows(m, d, start, U, inverse_diagonal):
    n = room(m, d)
    for w in range(W):
        d.dual_next[w] = w * (d.capacity[5] // W)
        d.dual_fit[w] = n
    for k in range(m.nv):
        d.dof_work2[k] = sqrt(inverse_diagonal[k])
    for i in range(n):
        b, jar = -d.efc_aref[i], -d.efc_aref[i]
        for k in range(m.nv):
            J = d.efc_J[i * m.nv + k]
            d.dof_work[k] = J
            b = b + J * d.qacc_smooth[k]
            jar = jar + J * start[k]
        d.efc_b[i] = b
        d.dual_jar[i] = jar
        whiten(m, U, inverse_diagonal, d.dof_work2, d.dof_work)
        keep_row(m, d, i)
    for w in range(W):
        if d.dual_fit[w] < n and lane_item(d.nefc, w) > d.dual_fit[w]:
            warn(d, WARN_CNSTRFULL, mask_of(1 << w), d.dual_fit[w])


@kernel
def whiten(m, U, inverse_diagonal, root, x):
    """x <= inverse(sqrt(D)) inverse(L') x, with U = D L and root = 1/sqrt(D)"""
    for i in range(m.nv - 1, -1, -1):
        y = x[i]
        if any_lane(y != 0.0):
            y = y * inverse_diagonal[i]
            for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1):
                j = m.M_colind[k]
                x[j] = x[j] - U[k] * y
            x[i] = x[i] * root[i]


@kernel
def keep_row(m, d, i):
    """Append row i, in dof_work, to each world's part of dual_Y, as long as there is room"""
    share = d.capacity[5] // W
    for w in range(W):
        d.dual_adr[i, w] = d.dual_next[w]
    for c in range((m.nv + W - 1) // W):
        turn(m, d, W * c)
        for w in range(W):
            y = d.dual_turn[w]
            if any_lane(y != 0.0):
                e = d.dual_next[w]
                if e < (w + 1) * share:
                    d.dual_Y[e] = y
                    d.dual_column[e] = c
                    d.dual_next[w] = e + 1
                else:
                    d.dual_fit[w] = min(d.dual_fit[w], i)
    for w in range(W):
        d.dual_num[i, w] = d.dual_next[w] - d.dual_adr[i, w]


@kernel
def turn(m, d, k):
    """dual_turn[w] <= numbers k to k + 7 of dof_work in world w"""
    x = vec(
        item(m, d, k), item(m, d, k + 1), item(m, d, k + 2), item(m, d, k + 3),
        item(m, d, k + 4), item(m, d, k + 5), item(m, d, k + 6), item(m, d, k + 7),
    )  # fmt: skip
    x = transpose(x)
    d.dual_turn[0] = x[0]
    d.dual_turn[1] = x[1]
    d.dual_turn[2] = x[2]
    d.dual_turn[3] = x[3]
    d.dual_turn[4] = x[4]
    d.dual_turn[5] = x[5]
    d.dual_turn[6] = x[6]
    d.dual_turn[7] = x[7]


@kernel
def item(m, d, k):
    return d.dof_work[k] if k < m.nv else splat(0.0)


@kernel
def finish(m, d):
    """efc_force => con_force, row_force, qfrc_constraint, qacc"""
    collect_forces(m, d)
    for k in range(m.nv):
        d.qfrc_constraint[k] = 0.0
    for i in range(room(m, d)):
        f = d.efc_force[i]
        if any_lane(f != 0.0):
            for k in range(m.nv):
                d.qfrc_constraint[k] = d.qfrc_constraint[k] + d.efc_J[i * m.nv + k] * f
    some = d.nefc > 0.0
    for k in range(m.nv):
        d.dof_work[k] = d.qfrc_constraint[k]
    if m.opt.integrator == INT_DISCRETE:
        solve_metric(m, d, d.dof_work)
    else:
        solve(m, d.M_factor, d.qLDiagInv, d.dof_work)
    for k in range(m.nv):
        d.qacc[k] = where(some, d.qacc_smooth[k] + d.dof_work[k], d.qacc_smooth[k])


@kernel
def collect_forces(m, d):
    """efc_force, efc_state => those of static rows, and con_force in the contacts' directions"""
    d.gang[2] = 1  # efc_force is final: it need not be made from them
    i, n = splat(0.0), room(m, d)
    for a in range(d.nactive[0]):
        r = d.active_row[a]
        on = (d.row_on[r] > 0.0) & (i < n)
        d.row_force[r] = where(on, d.efc_force[where(on, i, 0.0)], 0.0)
        d.row_state[r] = where(on, d.efc_state[where(on, i, 0.0)], 0.0)
        i = i + d.row_on[r]
    for k in range(highest(d.ncon)):
        on = (d.con_on[k] > 0.0) & (d.ncon > k)
        on = on & (d.contact.efc_address[k] + rows_of(m, d.contact.dim[k]) <= n)
        i, dim = where(on, d.contact.efc_address[k], 0.0), where(on, d.contact.dim[k], 0.0)
        pyramid = on & (d.efc_type[i] == CNSTR_CONTACT_PYRAMIDAL)
        total = where(on & not_(pyramid), d.efc_force[i], 0.0)
        for j in range(1, 6):
            there = dim > j
            at = where(there & not_(pyramid), i + j, i)
            f = where(there & not_(pyramid), d.efc_force[at], 0.0)
            at = where(there & pyramid, i + 2.0 * (j - 1), i)
            plus, minus = d.efc_force[at], d.efc_force[where(there & pyramid, at + 1.0, at)]
            total = total + where(there & pyramid, plus + minus, 0.0)
            f = where(there & pyramid, (plus - minus) * d.contact.friction[k, j - 1], f)
            d.con_force[k, j] = f
        d.con_force[k, 0] = total


# ------------------------------------------------------------------------------ one world at a time


@kernel
def open_world(m, d, w):
    """Copy what world w has of efc_* to plain numbers; the number of rows, 0 of an unused lane"""
    n = min(to_int(lane_item(d.nefc, w)), d.dual_fit[w]) if w < d.capacity[7] else 0
    for i in range(n):
        d.dual_kind[i] = to_int(load_lane(d.efc_type, i, w))
        d.dual_id[i] = to_int(load_lane(d.efc_id, i, w))
        d.dual_b[i] = load_lane(d.efc_b, i, w)
        d.dual_R[i] = load_lane(d.efc_R, i, w)
        d.dual_loss[i] = load_lane(d.efc_frictionloss, i, w)
    i = 0
    while i < n:
        size = block_size(d, i, w)
        if i + size > n:
            n = i  # a contact that was cut in two
        else:
            primal_force(d, i, size, w)
        i += size
    return n


@kernel
def block_size(d, i, w):
    """Rows that are solved together: those of an elliptic contact."""
    if d.dual_kind[i] == CNSTR_CONTACT_ELLIPTIC:
        return to_int(load_lane(d.contact.dim, d.dual_id[i], w))
    return 1


@kernel(inline=True)
def is_friction(kind):
    return CNSTR_FRICTION_DOF <= kind <= CNSTR_FRICTION_TENDON


@kernel
def primal_force(d, i, size, w):
    """dual_force <= force of a block of rows at dual_jar"""
    jar, R, kind = load_lane(d.dual_jar, i, w), d.dual_R[i], d.dual_kind[i]
    if kind == CNSTR_CONTACT_ELLIPTIC:
        cone_force(d, i, size, w)
    elif is_friction(kind):
        d.dual_force[i] = minimum(maximum(-jar / R, -d.dual_loss[i]), d.dual_loss[i])
    elif kind == CNSTR_EQUALITY or jar < 0.0:
        d.dual_force[i] = -jar / R
    else:
        d.dual_force[i] = 0.0


@kernel
def cone_force(d, i, size, w):
    """The same for an elliptic contact: nothing, a linear force, or one on the cone"""
    k = d.dual_id[i]
    mu = load_lane(d.contact.mu, k, w)
    normal, tangent = load_lane(d.dual_jar, i, w) * mu, 0.0
    for j in range(1, size):
        u = load_lane(d.dual_jar, i + j, w) * load_lane(d.contact.friction, (k, j - 1), w)
        tangent += u * u
    tangent = sqrt(tangent)
    if normal >= mu * tangent:
        for j in range(size):
            d.dual_force[i + j] = 0.0
    elif mu * normal + tangent <= 0.0:
        for j in range(size):
            d.dual_force[i + j] = -load_lane(d.dual_jar, i + j, w) / d.dual_R[i + j]
    else:
        f = (mu * tangent - normal) / (d.dual_R[i] * mu * (1.0 + mu * mu))
        d.dual_force[i] = f
        for j in range(1, size):
            c = load_lane(d.contact.friction, (k, j - 1), w)
            d.dual_force[i + j] = -f / tangent * load_lane(d.dual_jar, i + j, w) * c * c


@kernel
def close_world(d, n, room, w):
    """dual_force, dual_state => efc_force, efc_state of world w"""
    for i in range(n):
        store_lane(d.efc_force, i, w, d.dual_force[i])
        store_lane(d.efc_state, i, w, d.dual_state[i] * 1.0)
    for i in range(n, room):
        store_lane(d.efc_force, i, w, 0.0)
        store_lane(d.efc_state, i, w, 0.0)


@kernel
def count_sweeps(d, island, sweeps, number, w):
    """solver_niter += sweeps of an island; solver_nnz <= the square of its rows, if given"""
    if island < 20:
        store_lane(d.solver_niter, island, w, load_lane(d.solver_niter, island, w) + sweeps)
        if number > 0:
            store_lane(d.solver_nnz, island, w, number * number * 1.0)


@kernel
def record_sweep(d, island, k, improvement, first, n, w):
    """Statistics of sweep k of an island: those of a world's first one are kept

    Active rows, and rows that changed their state, are counted only for somebody who reads.
    """
    if island == 0 and k < KEPT:
        store_lane(d.stat_improvement, k, w, improvement)
        store_lane(d.stat_gradient, k, w, 0.0)
        store_lane(d.stat_lineslope, k, w, 0.0)
        store_lane(d.stat_neval, k, w, 0.0)
        store_lane(d.stat_nupdate, k, w, 0.0)
        if d.want_forces:
            active, changed = update_states(d, first, n, w)
            store_lane(d.stat_nactive, k, w, active * 1.0)
            store_lane(d.stat_nchange, k, w, changed * 1.0)


# ---- products with Y


@kernel
def row_dot(d, i, k, w):
    """Y_i . Y_k of world w; both have their Lanes in the order of columns"""
    a, b = d.dual_adr[i, w], d.dual_adr[k, w]
    last_a, last_b = a + d.dual_num[i, w], b + d.dual_num[k, w]
    total = splat(0.0)
    while a < last_a and b < last_b:
        if d.dual_column[a] == d.dual_column[b]:
            total = total + d.dual_Y[a] * d.dual_Y[b]
            a += 1
            b += 1
        elif d.dual_column[a] < d.dual_column[b]:
            a += 1
        else:
            b += 1
    return lane_sum(total)


@kernel(inline=True)
def lane_sum(x):
    a = (lane_item(x, 0) + lane_item(x, 4)) + (lane_item(x, 2) + lane_item(x, 6))
    return a + ((lane_item(x, 1) + lane_item(x, 5)) + (lane_item(x, 3) + lane_item(x, 7)))


@kernel
def response(d, i, w):
    """Y_i . w: the acceleration of a row by all forces"""
    total = splat(0.0)
    first = d.dual_adr[i, w]
    for e in range(first, first + d.dual_num[i, w]):
        total = total + d.dual_Y[e] * d.dual_w[d.dual_column[e]]
    return lane_sum(total)


@kernel
def push(d, i, df, w):
    """w += Y_i df"""
    first = d.dual_adr[i, w]
    for e in range(first, first + d.dual_num[i, w]):
        c = d.dual_column[e]
        d.dual_w[c] = d.dual_w[c] + d.dual_Y[e] * df


@kernel
def respond(m, d, first, n, w):
    """w <= Y'f over n rows of dual_row"""
    for c in range((m.nv + W - 1) // W):
        d.dual_w[c] = 0.0
    for p in range(first, first + n):
        i = d.dual_row[p]
        if d.dual_force[i] != 0.0:
            push(d, i, d.dual_force[i], w)


# ---- islands


@kernel
def group_rows(m, d, n, w):
    """dual_row <= rows by islands; dual_count[t] <= first row after the island of root tree t

    Trees are joined to the smallest one that some row couples them with.
    """
    for t in range(m.ntree):
        d.dual_tree[t] = t
        d.dual_count[t] = 0
    whole = m.ntree < 2 or m.opt.disableflags & DSBL_ISLAND != 0
    for i in range(n):
        d.dual_island[i] = 0 if whole else join_trees(m, d, i, w)
    for i in range(n):
        t = d.dual_island[i] if whole else root_tree(d, d.dual_island[i])
        d.dual_island[i] = t
        d.dual_count[t] = d.dual_count[t] + 1
    first = 0
    for t in range(m.ntree):
        number = d.dual_count[t]
        d.dual_count[t] = first
        first += number
    for i in range(n):
        t = d.dual_island[i]
        d.dual_row[d.dual_count[t]] = i
        d.dual_count[t] = d.dual_count[t] + 1


@kernel
def join_trees(m, d, i, w):
    """Join the trees that a row can couple; one of them"""
    kind, k, tree = d.dual_kind[i], d.dual_id[i], -1
    if kind >= CNSTR_CONTACT_FRICTIONLESS:
        for side in range(2):
            b = load_lane(d.con_body2 if side else d.con_body1, k, w)
            last = m.body_lastdof[to_int(b)]
            tree = join_tree(m, d, tree, last) if last >= 0 else tree
    elif kind == CNSTR_EQUALITY:
        r = m.eq_rowadr[k]
        for e in range(m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r]):
            tree = join_tree(m, d, tree, m.row_colind[e])
    elif kind == CNSTR_FRICTION_DOF:
        tree = m.dof_treeid[k]
    elif kind == CNSTR_LIMIT_JOINT:
        tree = m.dof_treeid[m.jnt_dofadr[k]]
    else:
        for e in range(m.ten_J_rowadr[k], m.ten_J_rowadr[k] + m.ten_J_rownnz[k]):
            tree = join_tree(m, d, tree, m.ten_J_colind[e])
    return max(tree, 0)


@kernel
def join_tree(m, d, tree, k):
    """Join the tree of dof k to a tree, or to none (-1); the first tree of both"""
    t = root_tree(d, m.dof_treeid[k])
    if tree < 0 or t == tree:
        return t
    d.dual_tree[max(t, tree)] = min(t, tree)
    return min(t, tree)


@kernel
def root_tree(d, t):
    while d.dual_tree[t] != t:
        t = d.dual_tree[t]
    return t


@kernel
def inertia_scale(m, d, t, w):
    """1 / trace(M) over the dofs of the island of root tree t, or all"""
    whole = m.ntree < 2 or m.opt.disableflags & DSBL_ISLAND != 0
    total = 0.0
    for k in range(m.nv):
        if whole or root_tree(d, m.dof_treeid[k]) == t:
            total += load_lane(d.M, m.M_rowadr[k] + m.M_rownnz[k] - 1, w)
    return 1.0 / maximum(total, MINVAL)


# ---- states


@kernel
def update_states(d, first, n, w):
    """dual_force => dual_state over n rows of dual_row; (active rows, rows that changed)"""
    active, changed, p = 0, 0, first
    while p < first + n:
        i = d.dual_row[p]
        size, state = block_size(d, i, w), dual_state(d, i, w)
        for j in range(size):
            changed += 1 if d.dual_state[i + j] != state else 0
            d.dual_state[i + j] = state
        active += 0 if state == STATE_SATISFIED else size
        p += size
    return active, changed


@kernel
def dual_state(d, i, w):
    """State of a row or contact by its force."""
    kind, f = d.dual_kind[i], d.dual_force[i]
    if is_friction(kind):
        if f <= -d.dual_loss[i]:
            return STATE_LINEARPOS
        return STATE_LINEARNEG if f >= d.dual_loss[i] else STATE_QUADRATIC
    if kind != CNSTR_CONTACT_ELLIPTIC:
        return STATE_QUADRATIC if kind == CNSTR_EQUALITY or f > 0.0 else STATE_SATISFIED
    k = d.dual_id[i]
    mu, tangent = load_lane(d.contact.mu, k, w), 0.0
    for j in range(1, block_size(d, i, w)):
        t = d.dual_force[i + j] / load_lane(d.contact.friction, (k, j - 1), w)
        tangent += t * t
    normal, tangent = f / mu, sqrt(tangent)
    if mu * normal >= tangent:
        return STATE_SATISFIED
    return STATE_QUADRATIC if normal + mu * tangent <= 0.0 else STATE_CONE
