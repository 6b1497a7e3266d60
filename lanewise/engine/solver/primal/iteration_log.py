"""What an iteration of a primal solver did, for those who look at a solver at work.

MuJoCo's mjSolverStat, one field of Data for each of its members. Rows that are active, and rows
that changed their state, are counted only if somebody reads them.
"""

from ....lanes import abs_, any_lane, kernel, maximum, not_, put, splat, vec, where
from ....mjconst import CNSTR_EQUALITY, CONE_ELLIPTIC, MINVAL
from ..slots import no_world
from .islands import begins, of_row, of_slot
from .matrix_free import angular, cone, is_friction_row

KEPT = 200  # iterations
ISLANDS = 20  # islands that solver_niter has room for


@kernel
def forget_statistics(d):
    """solver_niter, solver_nnz <= zeros; if there is an island, the first has one of them"""
    if any_lane((d.solver_niter[0] != 0.0) | (d.solver_nnz[0] != 0.0)):
        for k in range(ISLANDS):
            d.solver_niter[k] = 0.0
            d.solver_nnz[k] = 0.0


@kernel
def count_iterations(d):
    """island_niter => solver_niter"""
    for k in range(d.nrun_island):
        t = d.run_island[k]
        mine = begins(d, t) & (d.island_rank[t] < ISLANDS)
        if d.nrun_island == 1:
            d.solver_niter[0] = d.island_niter[t]
        else:
            put(d.solver_niter, where(mine, d.island_rank[t], 0.0), d.island_niter[t], mine)


@kernel
def record_iteration(d, k, run, t, improvement, gradient):
    """Iteration k of island t, of the worlds of `run`"""
    if k >= KEPT:
        return
    scale, length = d.island_scale[t], maximum(d.island_length[t], MINVAL)
    slope = abs_(d.island_result[t, 1]) / length * scale
    d.stat_improvement[k] = where(run, improvement, d.stat_improvement[k])
    d.stat_gradient[k] = where(run, gradient, d.stat_gradient[k])
    d.stat_lineslope[k] = where(run, slope, d.stat_lineslope[k])
    d.stat_neval[k] = where(run, d.island_count[t], d.stat_neval[k])


@kernel
def record_rows(m, d, k, run):
    """The rows of a world's first island in iteration k, of the worlds of `run`"""
    if k < KEPT:
        active, changed = count_rows(m, d)
        d.stat_nactive[k] = where(run, active, d.stat_nactive[k])
        d.stat_nchange[k] = where(run, changed, d.stat_nchange[k])
        d.stat_nupdate[k] = where(run, changed, d.stat_nupdate[k])


@kernel
def count_rows(m, d):
    """(active rows, rows that had another state before the move), of a world's first island"""
    active, changed = splat(0.0), splat(0.0)
    # static rows: the state is which zone of its cost a row is in
    for a in range(d.nrun_row):
        r = d.run_row[a]
        alpha, mine = of_row(d, d.island_alpha, r), of_row(d, d.island_rank, r) == 0.0
        now, before = d.row_jar[r], d.row_jar[r] - alpha * d.row_dir[r]
        bound = d.row_frictionloss[r] * d.row_R[r]
        differs = no_world()
        if is_friction_row(m, r):
            differs = differ(now > -bound, before > -bound) | differ(now < bound, before < bound)
        elif m.row_type[r] != CNSTR_EQUALITY:
            differs = differ(now < 0.0, before < 0.0)
        # friction and equalities are active wherever they exist
        pushes = now < 0.0
        if is_friction_row(m, r) or m.row_type[r] == CNSTR_EQUALITY:
            pushes = d.row_on[r] > 0.0
        active = active + where(mine & pushes, d.row_on[r], 0.0)
        changed = changed + where(mine & differs, d.row_on[r], 0.0)
    # contacts
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        n = count_contact(m, d, s, of_slot(d, d.island_alpha, s))
        mine = of_slot(d, d.island_rank, s) == 0.0
        active, changed = active + where(mine, n[0], 0.0), changed + where(mine, n[1], 0.0)
    return active, changed


@kernel
def count_contact(m, d, s, alpha):
    """The same for a contact, all rows of which change together if its cone is elliptic"""
    mine = d.slot_con[s] >= 0.0
    dim = where(mine, d.contact.dim[where(mine, d.slot_con[s], 0.0)], 0.0)
    # now, and before
    u, w = d.slot_u[s], angular(d, d.slot_w, s)
    v, o = u - d.slot_du[s] * alpha, w - angular(d, d.slot_dw, s) * alpha
    if m.opt.cone == CONE_ELLIPTIC:
        _, _, top, bottom = cone(u, w, d.slot_mu[s])
        _, _, top0, bottom0 = cone(v, o, d.slot_mu[s])
        differs = differ(top, top0) | differ(bottom, bottom0)
        return vec(where(top, 0.0, dim), where(differs, dim, 0.0))
    # a pyramid: the edges that it has, one row each; without friction only the normal
    one, rough = vec(splat(0.0), splat(0.0)), dim > 1.0
    one = one + count_edge(u[0], v[0], dim == 1.0)
    for sign in range(-1, 2, 2):
        one = one + count_edge(u[0] + sign * u[1], v[0] + sign * v[1], rough)
        one = one + count_edge(u[0] + sign * u[2], v[0] + sign * v[2], rough)
        one = one + count_edge(u[0] + sign * w[0], v[0] + sign * o[0], dim > 3.0)
        one = one + count_edge(u[0] + sign * w[1], v[0] + sign * o[1], dim > 4.0)
        one = one + count_edge(u[0] + sign * w[2], v[0] + sign * o[2], dim > 4.0)
    return one


@kernel(inline=True)
def count_edge(now, before, exists):
    """(1 where an edge pushes, 1 where it has changed that), if it exists."""
    pushes, pushed = now < 0.0, before < 0.0
    return vec(where(exists & pushes, 1.0, 0.0), where(exists & differ(pushes, pushed), 1.0, 0.0))


@kernel(inline=True)
def differ(a, b):
    """Whether just one of two conditions holds."""
    return (a & not_(b)) | (not_(a) & b)
