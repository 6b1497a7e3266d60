"""What the dual solvers, PGS and noslip, work on.

The primal problem is to minimize (a - a0)' M (a - a0) / 2 + s(J a - aref) over accelerations a,
with a0 = qacc_smooth (primal/solve.py). Its dual is over the forces f of all rows, within the
bounds of friction, limits and cones:

    minimize  f'(A + R) f / 2 + b'f,     A = J inverse(M) J',   b = J a0 - aref             (1)
    a = a0 + inverse(M) J'f                                                                 (2)

R is what makes constraints soft. With M = L' D L, as smooth/inertia.py has it, A is a product

    A = Y Y',     Y = J inverse(L) inverse(sqrt(D)),                                        (3)

of which a row is  Y_i' = inverse(sqrt(D)) inverse(L') J_i'. MuJoCo forms A. Here z = Y'f is kept up
to date instead. The residual of a row, which is the slope of (1) by its force, and what a change df
of that force does are

    r_i = Y_i . z + R_i f_i + b_i                                                           (4)
    z += Y_i df                                                                             (5)

A row touches the dofs of two chains only, however many constraints there are.

Gauss-Seidel is sequential: the next row depends on the last one's. And worlds have different rows,
visit them in different orders and stop at different times. So here, as with the matrices of heaps,
worlds are not side by side: they are solved one after another (world.py), and a Lane holds eight
dofs of one world. Y is made for eight worlds at a time and turned.
"""

from ....lanes import (
    NROW,
    W,
    any_lane,
    highest,
    kernel,
    lane_item,
    mask_of,
    not_,
    put_rows,
    splat,
    sqrt,
    vec,
    where,
)
from ....mjconst import (
    CNSTR_CONTACT_PYRAMIDAL,
    INT_DISCRETE,
    WARN_CNSTRFULL,
)
from ...constraint.efc import expose_rows, room
from ...constraint.make import rows_of
from ...counters import warn
from ...integrate.discrete import solve_metric
from ...smooth.inertia import solve


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
    """(efc_J, the factor U = D L and 1/D) => efc_b, dual_jar, dual_Y, and how many rows fit"""
    n = room(m, d)
    # every world has an eighth of dual_Y, and fills it from the front
    for w in range(W):
        d.world_Y_next[w] = w * (d.nYmax // W)
        d.world_Y_rows[w] = n
    # 1/sqrt(D), for (3)
    for k in range(m.nv):
        d.dof_work2[k] = sqrt(inverse_diagonal[k])
    # row by row: J_i a - aref at both accelerations, and Y_i
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
    # a world that has more rows than fit is told so
    for w in range(W):
        if d.world_Y_rows[w] < n and lane_item(d.nefc, w) > d.world_Y_rows[w]:
            warn(d, WARN_CNSTRFULL, mask_of(1 << w), d.world_Y_rows[w])


@kernel
def whiten(m, U, inverse_diagonal, root, x):
    """x <= inverse(sqrt(D)) inverse(L') x, as in (3), with U = D L and root = 1/sqrt(D)"""
    # from the last dof to the first: x_i is final when it is reached, and dofs that a row
    # does not touch are skipped
    for i in range(m.nv - 1, -1, -1):
        y = x[i]
        if any_lane(y != 0.0):
            y = y * inverse_diagonal[i]
            for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1):
                j = m.M_colind[k]
                x[j] = x[j] - U[k] * y
            # after its last use
            x[i] = x[i] * root[i]


@kernel
def keep_row(m, d, i):
    """Append row i, in dof_work, to each world's part of dual_Y, as long as there is room"""
    share = d.nYmax // W
    # the row begins where the last one ended
    for w in range(W):
        d.dual_adr[i, w] = d.world_Y_next[w]
    # eight dofs at a time, of all worlds: a world keeps them unless all are zero
    for c in range((m.nv + NROW - 1) // NROW):
        turn_dofs(m, d, NROW * c)
        for w in range(W):
            y = d.dual_turn[w]
            if any_lane(y != 0.0):
                e = d.world_Y_next[w]
                if e < (w + 1) * share:
                    d.dual_Y[e] = y
                    d.dual_column[e] = c
                    d.world_Y_next[w] = e + 1
                else:
                    # no room: the rows from i on are left out
                    d.world_Y_rows[w] = min(d.world_Y_rows[w], i)
    for w in range(W):
        d.dual_num[i, w] = d.world_Y_next[w] - d.dual_adr[i, w]


@kernel
def turn_dofs(m, d, k):
    """dual_turn[w] <= numbers k to k + 7 of dof_work in world w"""
    x = vec(
        padded(m, d, k), padded(m, d, k + 1), padded(m, d, k + 2), padded(m, d, k + 3),
        padded(m, d, k + 4), padded(m, d, k + 5), padded(m, d, k + 6), padded(m, d, k + 7),
    )  # fmt: skip
    put_rows(d.dual_turn, 0, 1, x)


@kernel
def padded(m, d, k):
    """dof_work[k], and 0 beyond the last dof"""
    return d.dof_work[k] if k < m.nv else splat(0.0)


@kernel
def finish(m, d):
    """efc_force => con_force, row_force, qfrc_constraint, qacc by (2)"""
    collect_forces(m, d)
    # J'f
    for k in range(m.nv):
        d.qfrc_constraint[k] = 0.0
    for i in range(room(m, d)):
        f = d.efc_force[i]
        if any_lane(f != 0.0):
            for k in range(m.nv):
                d.qfrc_constraint[k] = d.qfrc_constraint[k] + d.efc_J[i * m.nv + k] * f
    # a0 + inverse(M) J'f; a world without constraints has a0 itself
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
    d.dual_made = 1  # efc_force is final: it need not be made from them
    # static rows come first: i counts those that each world has
    i, n = splat(0.0), room(m, d)
    for a in range(d.nactive):
        r = d.active_row[a]
        on = (d.row_on[r] > 0.0) & (i < n)
        d.row_force[r] = where(on, d.efc_force[where(on, i, 0.0)], 0.0)
        d.row_state[r] = where(on, d.efc_state[where(on, i, 0.0)], 0.0)
        i = i + d.row_on[r]
    # contacts: rows from efc_address on, if none of them was left out
    for k in range(highest(d.ncon)):
        on = (d.con_on[k] > 0.0) & (d.ncon > k)
        on = on & (d.contact.efc_address[k] + rows_of(m, d.contact.dim[k]) <= n)
        i, dim = where(on, d.contact.efc_address[k], 0.0), where(on, d.contact.dim[k], 0.0)
        # the normal force of a cone is its first row, that of a pyramid the sum of its edges
        pyramid = on & (d.efc_type[i] == CNSTR_CONTACT_PYRAMIDAL)
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
