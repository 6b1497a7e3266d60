"""What an iteration of a primal solver did, for those who look at a solver at work.

MuJoCo's mjSolverStat, one field of Data for each of its members. Rows that are active, and rows
that changed their state, are counted only if somebody reads them.
"""

from ....lanes import any_lane, kernel, not_, splat, vec, where
from ....mjconst import CNSTR_EQUALITY, CONE_ELLIPTIC
from ..slots import no_world
from .matrix_free import angular, cone, is_friction_row

KEPT = 200  # iterations


@kernel
def forget_statistics(d):
    """solver_niter, solver_nnz <= zeros; if there is an island, the first has one of them"""
    if any_lane((d.solver_niter[0] != 0.0) | (d.solver_nnz[0] != 0.0)):
        for k in range(20):
            d.solver_niter[k] = 0.0
            d.solver_nnz[k] = 0.0


@kernel
def record_iteration(m, d, k, run, alpha, improvement, gradient, slope, count):
    """Iteration k, of the worlds of `run`, which has moved by alpha"""
    if k >= KEPT:
        return
    d.stat_improvement[k] = where(run, improvement, d.stat_improvement[k])
    d.stat_gradient[k] = where(run, gradient, d.stat_gradient[k])
    d.stat_lineslope[k] = where(run, slope, d.stat_lineslope[k])
    d.stat_neval[k] = where(run, count, d.stat_neval[k])
    if d.want_forces:
        active, changed = count_rows(m, d, alpha)
        d.stat_nactive[k] = where(run, active, d.stat_nactive[k])
        d.stat_nchange[k] = where(run, changed, d.stat_nchange[k])
        d.stat_nupdate[k] = where(run, changed, d.stat_nupdate[k])


@kernel
def count_rows(m, d, alpha):
    """(active rows, rows whose state was another before the step by alpha)"""
    active, changed = splat(0.0), splat(0.0)
    # static rows: the state is which zone of its cost a row is in
    for a in range(d.nrun_row):
        r = d.run_row[a]
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
        active = active + where(pushes, d.row_on[r], 0.0)
        changed = changed + where(differs, d.row_on[r], 0.0)
    # contacts
    for e in range(d.nrun_slot):
        n = count_contact(m, d, d.run_slot[e], alpha)
        active, changed = active + n[0], changed + n[1]
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
