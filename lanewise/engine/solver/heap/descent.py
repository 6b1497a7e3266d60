"""Newton's method on the islands of a heap, one after the other.

As primal/newton.py has it for the islands of all worlds side by side: the same steps, and the same
tests for the end. But here an island is alone, with its contacts in bunches (bunches.py), its dofs
in a Row for each of its trees, and everything else in plain numbers. So none waits for another, and
none can change another's bits.

M, cdof and what the start has left of each tree are turned into Rows for all worlds at once
(turn_to_worlds), and what comes out is turned back.
"""

from ....lanes import (
    NROW,
    W,
    any_lane,
    bits,
    concat,
    get_rows,
    kernel,
    lane_item,
    load4,
    load_lane,
    maximum,
    put_rows,
    row_total,
    row_totals,
    splat,
    sqrt,
    store3,
    store_lane,
    vec,
)
from ....mjconst import MINVAL, NISLAND, NSOLVER
from ...spatial import zeros6
from ..primal.islands import running
from ..primal.iteration import ROUND_OFF, SMALL
from ..primal.iteration_log import count_directions, count_states
from ..primal.matrix_free import row_forces
from ..primal.newton import begin_newton
from .bunches import advance_bunches, empty_bunches, fill_bunches, move_bunches, record_slots
from .factor import factor_island, multiply, solve_island
from .hessian import add_contacts
from .one_line import change_by, search_line
from .ties import add_rows_to_world, advance_rows, list_rows, move_rows, pull_dofs


@kernel
def newton_heap(m, d, mine):
    """(qacc, jar, Ma at the start) => the minimum, of the worlds `mine`; island_niter"""
    begin_newton(m, d, mine)
    run = running(d)
    if not any_lane(run):
        return
    turn_to_worlds(m, d)
    record_slots(d)
    for w in range(W):
        if (bits(run) >> w) & 1:
            for k in range(d.nrun_island):
                if load_lane(d.island_run, d.run_island[k], w) > 0.0:
                    descend(m, d, w, d.run_island[k])
    turn_back(m, d)
    row_forces(m, d)


# ------------------------------------------------------------------------- between worlds and lanes


@kernel
def turn_to_worlds(m, d):
    """M => heap_M; cdof => heap_axes, heap_cdof; qacc and so on => a Row for each tree"""
    for t in range(m.ntree):
        first, n = m.tree_dofadr[t], m.tree_dofnum[t]
        # column j, row i of a block is at 8 j + i, with worlds in the lanes
        clear_block(d)
        for i in range(first, first + n):
            for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
                j = m.M_colind[k]
                d.heap_block[NROW * (j - first) + i - first] = d.M[k]
                d.heap_block[NROW * (i - first) + j - first] = d.M[k]
        put_block(d, d.heap_M, 6 * t, 6 * m.ntree)
        # cdof by rows and by columns
        clear_block(d)
        for i in range(n):
            for k in range(6):
                d.heap_block[NROW * k + i] = d.cdof[first + i, k]
        put_block(d, d.heap_axes, 6 * t, 6 * m.ntree)
        for i in range(6):
            axis = d.cdof[first + i] if i < n else zeros6()
            put_rows(d.heap_cdof, 6 * t + i, 6 * m.ntree, padded(axis))
        # vectors
        turn_vector(m, d, d.qacc, d.heap_qacc, t)
        turn_vector(m, d, d.sol_grad, d.heap_grad, t)
        turn_vector(m, d, d.qfrc_constraint, d.heap_force, t)
        for i in range(n):
            d.heap_block[i] = d.sol_Ma[first + i] - d.sol_force[first + i]
        for i in range(n, NROW):
            d.heap_block[i] = splat(0.0)
        put_rows(d.heap_rest, t, m.ntree, load8(d.heap_block, 0))
    # blocks of pairs
    for w in range(W):
        begin = w * (d.nBmax // W) + 6 * m.ntree
        for k in range(begin, begin + 6 * d.heap_npair):
            d.heap_sum[k] = 0.0


@kernel
def clear_block(d):
    """heap_block <= zeros"""
    for k in range(6 * NROW):
        d.heap_block[k] = splat(0.0)


@kernel
def put_block(d, field, first, stride):
    """The six columns of heap_block, as Rows of each world"""
    for j in range(6):
        put_rows(field, first + j, stride, load8(d.heap_block, NROW * j))


@kernel(inline=True)
def padded(x):
    """Six Lanes and two of zeros."""
    return concat(x, vec(0.0, 0.0))


@kernel(inline=True)
def load8(x, k):
    """Eight Lanes of a field, from row k on."""
    return concat(load4(x, k), load4(x, k + 4))


@kernel
def turn_vector(m, d, x, y, t):
    """y, a Row for each world <= what x has of the dofs of tree t"""
    first, n = m.tree_dofadr[t], m.tree_dofnum[t]
    for i in range(n):
        d.heap_block[i] = x[first + i]
    for i in range(n, NROW):
        d.heap_block[i] = splat(0.0)
    put_rows(y, t, m.ntree, load8(d.heap_block, 0))


@kernel
def turn_back(m, d):
    """heap_qacc, heap_force => qacc, qfrc_constraint"""
    for t in range(m.ntree):
        turn_vector_back(m, d, d.heap_qacc, d.qacc, t)
        turn_vector_back(m, d, d.heap_force, d.qfrc_constraint, t)


@kernel
def turn_vector_back(m, d, y, x, t):
    """x of the dofs of tree t <= y, a Row for each world"""
    eight = get_rows(y, t, m.ntree)
    store3(d.heap_block, 0, eight[0:3])
    store3(d.heap_block, 3, eight[3:6])
    for i in range(m.tree_dofnum[t]):
        x[m.tree_dofadr[t] + i] = d.heap_block[i]


# --------------------------------------------------------------------------------------- the search


@kernel
def descend(m, d, w, t):
    """Island t of world w, to its minimum"""
    list_island(m, d, w, t)
    scale, noise, niter = load_lane(d.island_scale, t, w), 0.0, 0
    tolerance, ls_tolerance = lane_item(m.opt.tolerance, w), lane_item(m.opt.ls_tolerance, w)
    product = find_direction(m, d, w, 1)
    if product * scale < tolerance and load_lane(d.island_flat, t, w) > 0.0:
        return
    for k in range(m.opt.iterations):
        # along the direction: not at all if it is short, unless the step is taken as a whole
        q, length = follow_direction(m, d, w)
        whole = product < noise and length > 0.0
        alpha, slope, count = 0.0 * length, 0.0, 2.0
        if length >= MINVAL or whole:
            bound = tolerance * ls_tolerance * length / scale
            alpha, slope, count = search_line(m, d, w, q, -2.0 * product, bound, whole)
        gain, noise = advance(m, d, w, q, alpha)
        norm, improvement = sqrt(gradient_there(m, d, w, alpha)) * scale, gain * scale
        # the end, as in primal/iteration.py
        if not (alpha != 0.0 and length >= MINVAL):
            break
        niter += 1
        if d.want_solver:
            slope = abs(slope) / maximum(length, MINVAL) * scale
            record_move(m, d, w, t, k, alpha, vec(improvement, norm, slope, count))
        if improvement > 0.0 and improvement < tolerance:
            break
        if improvement <= 0.0 and -gain <= noise:
            break
        if not norm >= tolerance:
            break
        product = find_direction(m, d, w, 0)
        if product * scale < tolerance:
            break
    empty_bunches(d, w)
    store_lane(d.island_niter, t, w, 1.0 * niter)


@kernel
def list_island(m, d, w, t):
    """Trees, contacts and static rows of island t of world w; M => heap_sum, all of it new"""
    n, v = 0, d.island_node[w * m.ntree + t]
    while v >= 0:
        d.isle_node[n] = v
        d.node_dirty[v] = 1
        n += 1
        start_block(m, d, w, v)
        v = d.node_next[w * m.ntree + v]
    d.nisle = n
    fill_bunches(m, d, w, t)
    list_rows(m, d, w, t)


@kernel
def start_block(m, d, w, v):
    """heap_sum of tree v <= M, and 1 on the diagonal where there is no dof"""
    place, a = w * (d.nBmax // W) + 6 * v, 6 * (w * m.ntree + v)
    for c in range(6):
        d.heap_sum[place + c] = d.heap_M[a + c]
    for c in range(m.tree_dofnum[v], 6):
        store_lane(d.heap_sum, place + c, c, 1.0)


@kernel
def find_direction(m, d, w, bare):
    """heap_x <= inverse(H) grad; half their product, not less than 0. H is `bare` at first"""
    add_contacts(m, d, w, bare)
    add_rows_to_world(m, d, w, bare)
    factor_island(m, d, w)
    nodes = w * m.ntree
    for a in range(d.nisle):
        t = d.isle_node[a]
        d.heap_x[t] = d.heap_grad[nodes + t]
    solve_island(m, d, w)
    total = 0.0
    for a in range(d.nisle):
        t = d.isle_node[a]
        total = total + d.heap_x[t] * d.heap_grad[nodes + t]
    return maximum(0.0, 0.5 * row_total(total))


@kernel
def follow_direction(m, d, w):
    """heap_x => search, M search, J search; (slope and curvature of the quadratic cost), length"""
    nodes, square, q1, q2 = w * m.ntree, 0.0, 0.0, 0.0
    for a in range(d.nisle):
        t = d.isle_node[a]
        x, first = -d.heap_x[t], 6 * (nodes + t)
        d.heap_search[t] = x
        Mv = multiply(d.heap_M, first, d.heap_search, t)
        d.heap_Mv[t] = Mv
        d.heap_V[t] = multiply(d.heap_cdof, first, d.heap_search, t)
        square, q2 = square + x * x, q2 + x * Mv
        q1 = q1 + x * d.heap_rest[nodes + t]
    move_bunches(d)
    totals = row_totals(square, q1, q2, q2)
    return vec(totals[1], totals[2]) + move_rows(m, d, w), sqrt(totals[0])


@kernel
def advance(m, d, w, q, alpha):
    """Move by alpha => the constraints there, their forces; (what is gained, round-off of the cost)

    Where the gain is mostly round-off as a difference of costs, it is computed from the move.
    """
    for a in range(d.nisle):
        d.heap_F[d.isle_node[a]] = 0.0
    change, size = advance_bunches(m, d, alpha)
    row_change, row_size = advance_rows(m, d, w, alpha)
    size = size + row_size
    change = alpha * (q[0] + 0.5 * alpha * q[1]) + 0.5 * (change + row_change)
    if not abs(change) > SMALL * size:
        change = change_by(m, d, w, q, alpha, 1)
    return -change, ROUND_OFF * size


@kernel
def gradient_there(m, d, w, alpha):
    """(heap_F, alpha) => heap_qacc, heap_rest, heap_force, heap_grad; the square of the last"""
    nodes = w * m.ntree
    for a in range(d.nisle):
        t = d.isle_node[a]
        at = nodes + t
        d.heap_qacc[at] = d.heap_qacc[at] + d.heap_search[t] * alpha
        d.heap_rest[at] = d.heap_rest[at] + d.heap_Mv[t] * alpha
        d.heap_force[at] = multiply(d.heap_axes, 6 * at, d.heap_F, t)
    pull_dofs(m, d, w)
    square = 0.0
    for a in range(d.nisle):
        at = nodes + d.isle_node[a]
        g = d.heap_rest[at] - d.heap_force[at]
        d.heap_grad[at] = g
        square = square + g * g
    return row_total(square)


# ---------------------------------------------------------------------------------- for its readers


@kernel
def record_move(m, d, w, t, k, alpha, numbers):
    """Iteration k of island t => solver.* of world w: gain, gradient, slope, evaluations, rows"""
    rank = int(load_lane(d.island_rank, t, w))
    if k >= NSOLVER or rank >= NISLAND:
        return
    at, rows = rank * NSOLVER + k, count_isle(m, d, w, alpha)
    store_lane(d.solver.improvement, at, w, numbers[0])
    store_lane(d.solver.gradient, at, w, numbers[1])
    store_lane(d.solver.lineslope, at, w, numbers[2])
    store_lane(d.solver.neval, at, w, numbers[3])
    store_lane(d.solver.nactive, at, w, rows[0])
    store_lane(d.solver.nchange, at, w, rows[1])
    store_lane(d.solver.nupdate, at, w, rows[2])


@kernel
def count_isle(m, d, w, alpha):
    """Rows of the island that are active, that have changed, and whose part of the Hessian has"""
    rows = vec(0.0, 0.0, 0.0)
    for a in range(d.nisle_row):
        r = d.isle_row[a]
        now = load_lane(d.row_jar, r, w)
        before = now - alpha * load_lane(d.row_dir, r, w)
        bound = load_lane(d.row_frictionloss, r, w) * load_lane(d.row_R, r, w)
        rows = rows + count_states(m, r, bound, now, before)
    for g in range(d.nbunch):
        for k in range(NROW):
            s, size = d.bunch_slot[NROW * g + k], d.bunch_size[g]
            con = int(load_lane(d.slot_con, s, w))
            store_lane(d.bunch_dim, 0, k, load_lane(d.contact.dim, con, w) if k < size else 0.0)
        u, o = d.bunch_u[g], d.bunch_w[g]
        v, p = u - d.bunch_du[g] * alpha, o - d.bunch_dw[g] * alpha
        one = count_directions(m, d.bunch_dim[0], d.bunch_mu[g], u, o, v, p)
        rows = rows + vec(row_total(one[0]), row_total(one[1]), row_total(one[2]))
    return rows
