"""What an iteration of a primal solver did, for those who look at a solver at work.

MuJoCo's mjSolverStat, one field of Data for each of its members, and for each of a world's first
islands the first iterations: those of island i begin at place NSOLVER i. What stands beyond
`solver_niter` is of earlier times.
"""

from ....lanes import abs_, any_lane, kernel, maximum, not_, put, splat, sqrt, vec, where
from ....mjconst import CNSTR_EQUALITY, CONE_ELLIPTIC, MINVAL, NISLAND, NSOLVER
from .edges import edges_of_slot, has_edges, stiff_or
from .islands import begins, of_row, of_slot
from .matrix_free import angular, cone, is_friction_row


@kernel
def forget_statistics(d):
    """nisland, solver_niter, solver_nnz <= zeros; without islands only the first have others"""
    some = (d.nisland > 0.0) | (d.solver_niter[0] != 0.0) | (d.solver_nnz[0] != 0.0)
    d.nisland = splat(0.0)
    if any_lane(some):
        for k in range(NISLAND):
            d.solver_niter[k] = 0.0
            d.solver_nnz[k] = 0.0


@kernel
def count_iterations(d):
    """island_niter => solver_niter"""
    for k in range(d.nrun_island):
        t = d.run_island[k]
        mine = begins(d, t) & (d.island_rank[t] < NISLAND)
        if d.nrun_island == 1:
            d.solver_niter[0] = d.island_niter[t]
        else:
            put(d.solver_niter, where(mine, d.island_rank[t], 0.0), d.island_niter[t], mine)


@kernel
def record_iteration(m, d, k, is_newton):
    """Iteration k of the islands that move in it => solver.*, for somebody who reads it"""
    if k >= NSOLVER:
        return
    count_rows(m, d)
    for e in range(d.nrun_island):
        t = d.run_island[e]
        rank, scale, length = d.island_rank[t], d.island_scale[t], d.island_length[t]
        mine = has_moved(d, t) & (rank < NISLAND)
        at = where(mine, rank * NSOLVER + k, 0.0)
        slope = abs_(d.island_result[t, 1]) / maximum(length, MINVAL) * scale
        rows = d.island_rows[t]
        put(d.solver.improvement, at, d.island_gain[t] * scale, mine)
        put(d.solver.gradient, at, sqrt(d.island_square[t]) * scale, mine)
        put(d.solver.lineslope, at, slope, mine)
        put(d.solver.neval, at, d.island_count[t], mine)
        put(d.solver.nactive, at, rows[0], mine)
        put(d.solver.nchange, at, rows[1], mine)
        put(d.solver.nupdate, at, rows[2] * is_newton, mine)


@kernel(inline=True)
def has_moved(d, t):
    """Worlds in which island t made a move that counts: MuJoCo makes none that is shorter."""
    return (d.island_run[t] > 0.0) & (d.island_alpha[t] != 0.0) & (d.island_length[t] >= MINVAL)


@kernel
def count_rows(m, d):
    """island_rows <= rows that are active, that had another state before the move, and whose part
    of the Hessian is another: they became quadratic or are no longer, or are in a cone's middle"""
    for e in range(d.nrun_island):
        d.island_rows[d.run_island[e]] = vec(splat(0.0), splat(0.0), splat(0.0))
    for a in range(d.nrun_row):
        r = d.run_row[a]
        rows, p, on = count_row(m, d, r), d.row_island[r], d.row_on[r] > 0.0
        rows = where(on, of_row(d, d.island_rows, r) + rows, of_row(d, d.island_rows, r))
        if p >= 0:
            d.island_rows[p] = rows
        else:
            put(d.island_rows, d.row_islands[r], rows, on)
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        p = d.slot_island[s]
        rows = of_slot(d, d.island_rows, s) + count_contact(m, d, s)
        if p >= 0:
            d.island_rows[p] = rows
        else:
            put(d.island_rows, d.slot_islands[s], rows, d.slot_con[s] >= 0.0)


@kernel
def count_row(m, d, r):
    """(active, changed, updated): 1 or 0 each, of a static row"""
    now = d.row_jar[r]
    before = now - of_row(d, d.island_alpha, r) * d.row_dir[r]
    return count_states(m, r, d.row_frictionloss[r] * d.row_R[r], now, before)


@kernel(inline=True)
def count_states(m, r, bound, now, before):
    """The same of a row whose friction is bounded, at `now` and at `before`"""
    # friction and equalities are active wherever they exist
    if m.row_type[r] == CNSTR_EQUALITY:
        return vec(1.0, 0.0, 0.0)
    if is_friction_row(m, r):
        low, high = differ(now > -bound, before > -bound), differ(now < bound, before < bound)
        return vec(1.0, where(low | high, 1.0, 0.0), where(differ(low, high), 1.0, 0.0))
    changed = where(differ(now < 0.0, before < 0.0), 1.0, 0.0)
    return vec(where(now < 0.0, 1.0, 0.0), changed, changed)


@kernel
def count_contact(m, d, s):
    """The same of a contact, all rows of which change together if its cone is elliptic"""
    mine, alpha = d.slot_con[s] >= 0.0, of_slot(d, d.island_alpha, s)
    dim = where(mine, d.contact.dim[where(mine, d.slot_con[s], 0.0)], 0.0)
    # now, and before
    u, w = d.slot_u[s], angular(d, d.slot_w, s)
    v, o = u - d.slot_du[s] * alpha, w - angular(d, d.slot_dw, s) * alpha
    rows = count_directions(m, dim, d.slot_mu[s], u, w, v, o)
    if has_edges(d, s):
        rows = stiff_or(d, s, count_edges(d, s, dim, alpha), rows)
    return rows


@kernel
def count_edges(d, s, dim, alpha):
    """The same of a stiff pyramid; without friction one edge stands for all"""
    rows = vec(splat(0.0), splat(0.0), splat(0.0))
    for k in range(edges_of_slot(d, s)):
        now = d.slot_edge[s, k]
        exists = dim > (1.0 if k < 4 else 3.0 if k < 6 else 4.0)
        if k == 0:
            exists = dim > 0.0
        one = count_edge(now, now - alpha * d.slot_dedge[s, k], exists)
        rows = rows + vec(one[0], one[1], one[1])
    return rows


@kernel(inline=True)
def count_directions(m, dim, mu, u, w, v, o):
    """The same of a contact of so many dimensions, at (u, w) now and at (v, o) before"""
    if m.opt.cone == CONE_ELLIPTIC:
        _, _, top, bottom = cone(u, w, mu)
        _, _, top0, bottom0 = cone(v, o, mu)
        quadratic, differs = differ(bottom, bottom0), differ(top, top0) | differ(bottom, bottom0)
        updated = where(quadratic, dim, 0.0) + where(top | bottom, 0.0, dim)
        return vec(where(top, 0.0, dim), where(differs, dim, 0.0), updated)
    # a pyramid: the edges that it has, one row each; without friction only the normal
    rough = dim > 1.0
    one = count_edge(u[0], v[0], dim == 1.0)
    for sign in range(-1, 2, 2):
        one = one + count_edge(u[0] + sign * u[1], v[0] + sign * v[1], rough)
        one = one + count_edge(u[0] + sign * u[2], v[0] + sign * v[2], rough)
        one = one + count_edge(u[0] + sign * w[0], v[0] + sign * o[0], dim > 3.0)
        one = one + count_edge(u[0] + sign * w[1], v[0] + sign * o[1], dim > 4.0)
        one = one + count_edge(u[0] + sign * w[2], v[0] + sign * o[2], dim > 4.0)
    return vec(one[0], one[1], one[1])


@kernel(inline=True)
def count_edge(now, before, exists):
    """(1 where an edge pushes, 1 where it has changed that), if it exists."""
    pushes, pushed = now < 0.0, before < 0.0
    return vec(where(exists & pushes, 1.0, 0.0), where(exists & differ(pushes, pushed), 1.0, 0.0))


@kernel(inline=True)
def differ(a, b):
    """Whether just one of two conditions holds."""
    return (a & not_(b)) | (not_(a) & b)
