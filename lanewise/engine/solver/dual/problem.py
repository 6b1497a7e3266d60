"""What the dual solvers, PGS and noslip, work on.

The primal problem is to minimize (a - a0)' M (a - a0) / 2 + s(J a - aref) over accelerations a,
with a0 = qacc_smooth (primal/solve.py). Its dual is over the forces f of all rows, within the
bounds of friction, limits and cones:

    minimize  f'(A + R) f / 2 + b'f,     A = J inverse(M) J',   b = J a0 - aref             (1)
    a = a0 + inverse(M) J'f                                                                 (2)

R is what makes constraints soft. With M = V'V, where V = sqrt(D) L has the factors of
smooth/inertia.py, A is a product

    A = Y Y',     Y = J inverse(V)                                                          (3)

Where A is large, z = Y'f is kept up to date instead. The residual of a row, which is the slope of
(1) by its force, and what a change df of that force does are

    r_i = Y_i . z + R_i f_i + b_i                                                           (4)
    z += Y_i df                                                                             (5)

A row touches the dofs of two chains only, however many constraints there are. And z has it all:

    a = a0 + inverse(V) z,     J'f = V'z                                                    (6)

Rows are made for eight worlds side by side (lines.py, directions.py). Gauss-Seidel is sequential:
the next row depends on the last one's. And worlds have different rows, and visit them in different
orders. So from there on each has its own numbers, and its own matrix A if that is small (matrix.py,
products.py). Still the worlds are solved together: they take turns, a few rows at a time
(turns.py), so that none has to wait for its own last row.
"""

from ....lanes import (
    W,
    any_lane,
    get_rows,
    highest,
    kernel,
    lane_mask,
    minimum,
    not_,
    splat,
    sqrt,
    where,
)
from ....mjconst import CONE_PYRAMIDAL, DSBL_WARMSTART, INT_DISCRETE, SOL_PGS, WARN_CNSTRFULL
from ...counters import warn
from ...integrate.discrete import solve_metric
from ..slots import CROWD, arrange_gang, every_world, no_world
from .grouping import forget_trees, is_whole
from .lines import FORCE, B, R, make_contact, make_static


@kernel
def make_problem(m, d, start):
    """(constraints, an acceleration to start from) => lines and Y of all rows, dual_nrow; z in
    dual_dof"""
    # Newton and CG leave the slots of a gang, unless it is a heap, or has gone world by world
    if m.opt.solver == SOL_PGS or d.is_heap == 1 or m.ngroup >= CROWD:
        arrange_gang(m, d)
    d.slots_unpublished = 0
    if m.opt.integrator == INT_DISCRETE:
        make_V(m, d, d.H_factor, d.qHDiagInv)
    else:
        make_V(m, d, d.M_factor, d.qLDiagInv)
    used = lane_mask(d.nworld)
    d.dual_nrow = where(used, minimum(d.nefc, d.njmax * 1.0), 0.0)
    d.nrec = 0
    d.chain_dof = -1
    for w in range(W):
        d.world_Y[w] = 0
    for k in range(m.nv):
        d.dual_dof[k] = 0.0
    if not is_whole(m):
        forget_trees(m, d)
    # static rows come first: `at` counts those that each world has
    at = splat(0.0)
    for a in range(d.nactive):
        r = d.active_row[a]
        make_static(m, d, r, at, used & (d.row_on[r] > 0.0) & (at < d.njmax), start)
        at = at + d.row_on[r]
    for s in range(d.nslot):
        make_contact(m, d, s, used & (d.slot_con[s] >= 0.0), start)
    # a world that has more rows than fit is told so
    short = used & (d.nefc > d.dual_nrow)
    if any_lane(short):
        warn(d, WARN_CNSTRFULL, short, d.dual_nrow)


@kernel
def make_V(m, d, U, inverse_diagonal):
    """dual_V <= V of M = V'V, of the factor U = D L and 1/D; dual_Vinv: of its diagonal"""
    for i in range(m.nv):
        d.dual_Vinv[i] = sqrt(inverse_diagonal[i])
        for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
            d.dual_V[k] = U[k] * d.dual_Vinv[i]


@kernel
def start_forces(m, d):
    """Lines => efc_b, and efc_force: as in the primal problem, or zeros if these cost less

    Noslip alone has no choice: it goes on with what another solver found. An acceleration to start
    from that is no number, or infinite, spoils its world even where no row has its dof.
    """
    lines = d.sweep_line if is_whole(m) else d.dual_line
    # b'f + f'R f / 2 of (1)
    n, cost = highest(d.dual_nrow), splat(0.0)
    for i in range(n):
        line, on = get_rows(lines, W * i, 1), d.dual_nrow > i
        f, b = where(on, line[FORCE], 0.0), where(on, line[B], 0.0)
        d.efc_force[i] = f
        d.efc_b[i] = b
        d.efc_state[i] = 0.0
        cost = cost + f * where(on, b + 0.5 * line[R] * f, 0.0)
    if m.opt.solver == SOL_PGS:
        # f'A f / 2 is z'z / 2
        known = splat(0.0)
        for k in range(m.nv):
            cost = cost + 0.5 * d.dual_dof[k] * d.dual_dof[k]
            known = known + 0.0 * d.qacc_warmstart[k]
        # what is not a number does not cost more
        cold = every_world() if m.opt.disableflags & DSBL_WARMSTART else cost + known > 0.0
        for i in range(n):
            d.efc_force[i] = where(cold, 0.0, d.efc_force[i] + known)
        for k in range(m.nv):
            d.dual_dof[k] = where(cold, 0.0, d.dual_dof[k] + known)


# ------------------------------------------------------------------------------------------ results


@kernel
def finish(m, d):
    """efc_force => con_force, row_force, qfrc_constraint, qacc"""
    d.dual_made = 1  # efc_force is final: it need not be made from them
    collect_rows(m, d)
    if d.want_forces:
        collect_contacts(m, d)
    sum_responses(m, d)
    # J'f, see (6); no row before the i-th has column i
    for i in range(m.nv):
        d.qfrc_constraint[i] = 0.0
        for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
            j = m.M_colind[k]
            d.qfrc_constraint[j] = d.qfrc_constraint[j] + d.dual_V[k] * d.dual_dof[i]
    # and a
    if m.opt.integrator == INT_DISCRETE:
        for k in range(m.nv):
            d.dof_work[k] = d.qfrc_constraint[k]
        solve_metric(m, d, d.dof_work)  # the metric is more than its factor
    else:
        for i in range(m.nv):
            x = d.dual_dof[i]
            for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1):
                x = x - d.dual_V[k] * d.dof_work[m.M_colind[k]]
            d.dof_work[i] = x * d.dual_Vinv[i]
    # a world without constraints has a0 itself
    for k in range(m.nv):
        moved = d.qacc_smooth[k] + d.dof_work[k]
        d.qacc[k] = where(d.nefc > 0.0, moved, d.qacc_smooth[k])


@kernel
def sum_responses(m, d):
    """z <= Y'f over all rows, with f = efc_force"""
    for k in range(m.nv):
        d.dual_dof[k] = 0.0
    for c in range(d.nrec):
        y, rows = d.rec_Y[c], d.rec_rows[c]
        for j in range(rows):
            on = (d.rec_number[c] > j) & (d.rec_at[c] < d.dual_nrow)
            d.rec_force[j] = where(on, d.efc_force[where(on, d.rec_at[c] + j, 0.0)], 0.0)
        for e in range(d.rec_nchain[c]):
            k = d.dual_chain[d.rec_chain[c] + e]
            z = d.dual_dof[k]
            for j in range(rows):
                z = z + d.dual_Y[y + e * rows + j] * d.rec_force[j]
            d.dual_dof[k] = z


@kernel
def collect_forces(m, d):
    """efc_force, efc_state => those of static rows, and con_force in the contacts' directions"""
    d.dual_made = 1
    collect_rows(m, d)
    collect_contacts(m, d)


@kernel
def collect_rows(m, d):
    """efc_force, efc_state => row_force, row_state"""
    # static rows come first: i counts those that each world has
    i = splat(0.0)
    for a in range(d.nactive):
        r = d.active_row[a]
        on = (d.row_on[r] > 0.0) & (i < d.njmax)
        d.row_force[r] = where(on, d.efc_force[where(on, i, 0.0)], 0.0)
        d.row_state[r] = where(on, d.efc_state[where(on, i, 0.0)], 0.0)
        i = i + d.row_on[r]


@kernel
def collect_contacts(m, d):
    """efc_force => con_force in the contacts' directions"""
    # rows from efc_address on
    for k in range(highest(d.ncon)):
        on = (d.con_on[k] > 0.0) & (d.ncon > k)
        i, dim = where(on, d.contact.efc_address[k], 0.0), where(on, d.contact.dim[k], 0.0)
        # the normal force of a cone is its first row, that of a pyramid the sum of its edges
        pyramid = on & (dim > 1.0) if m.opt.cone == CONE_PYRAMIDAL else no_world()
        total = where(on & not_(pyramid), d.efc_force[i], 0.0)
        for j in range(1, 6):
            # direction j: row j of a cone; edges 2 (j - 1) and the next of a pyramid, whose
            # difference is the friction. Lanes that have no such row read their first one, unused
            there = dim > j
            at = where(there & not_(pyramid), i + j, i)
            f = where(there & not_(pyramid), d.efc_force[at], 0.0)
            at = where(there & pyramid, i + 2.0 * (j - 1), i)
            plus, minus = d.efc_force[at], d.efc_force[where(there & pyramid, at + 1.0, at)]
            total = total + where(there & pyramid, plus + minus, 0.0)
            f = where(there & pyramid, (plus - minus) * d.contact.friction[k, j - 1], f)
            d.con_force[k, j] = f
        d.con_force[k, 0] = total
