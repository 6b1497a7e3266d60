"""The joint-space inertia M, its sparse factorization, and products and solutions with it.

M is stored by rows: row i holds the columns of dof i's ancestors in ascending order, the diagonal
last (M_rowadr, M_rownnz, M_colind). The descendants of a dof follow it without a gap.

Composite rigid bodies. Twice the kinetic energy is the sum over bodies of V . I V, with
V = sum of cdof_i qvel_i over the dofs that move the body. So M_ij adds up cdof_i . I cdof_j over
the bodies that both dofs move. There are none unless one dof is the other's ancestor, and then they
are those that the deeper one moves, its body and all below:

    (1)  crb_b = sum of cinert over the subtree of b
    (2)  M_ij = cdof_j . (crb_b cdof_i),   j an ancestor of i, or i itself; b the body of i

Factors. M = L' D L, D diagonal and L lower with ones on its diagonal, is M_ij = sum of
L_ki D_k L_kj over k >= i. Taken from the last row to the first, this has the numbers of L where M
has numbers, and nowhere else: if k couples with i and with j <= i, both are ancestors of k, so they
are on one chain. With U = D L the sum is over the descendants k of i,

    (3)  U_ij = M_ij - sum of (U_ki / D_k) U_kj,   D_i = U_ii.

They hold column i at the same place in their rows as row i has its diagonal, and column j where row
i has it: a row's first numbers are the same ancestors. Kernels use U, which has no division in the
chain of rows; MuJoCo's arrays have L.

Solutions. L' D L x = b, with y = D L x:

    (4)  y_i = b_i - sum of L_ki y_k over the descendants k,     from the leaves
    (5)  x_i = y_i / D_i - sum of L_ij x_j over the ancestors j, from the root
"""

from ...lanes import any_lane, kernel, load3, load4, splat, sqrt, store3, store4, vec, where
from ...mjconst import MINVAL, WARN_INERTIA
from ..counters import warn
from ..spatial import dot6, mul_inertia
from .reflected import ARMATURE, NO_ACTUATOR, joint_reflected


@kernel
def crb(m, d):
    """(cinert, cdof) => (crb, M): composite rigid bodies (1), then (2)"""
    d.crb[0] = d.cinert[0]
    for b in range(m.nbody - 1, 0, -1):
        # children come after their parent: the last one starts the sum
        if m.body_leaf[b]:
            d.crb[b] = d.cinert[b]
        p = m.body_parentid[b]
        if p > 0:
            if m.body_lastchild[b]:
                d.crb[p] = d.cinert[p] + d.crb[b]
            else:
                d.crb[p] = d.crb[p] + d.crb[b]
    for i in range(m.nv):
        adr, n = m.M_rowadr[i], m.M_rownnz[i]
        # a body whose part of M is diagonal and does not change
        if m.dof_simplenum[i] > 0:
            d.M[adr] = m.dof_M0[i]
            continue
        momentum = mul_inertia(d.crb[m.dof_bodyid[i]], d.cdof[i])
        # dofs along the axes of the world take the linear momentum itself
        first = adr + m.dof_drift[i]
        if first > adr:
            store3(d.M, adr, momentum[3:6])
        for k in range(first, adr + n):
            d.M[k] = dot6(d.cdof[m.M_colind[k]], momentum)
        # rotors: the joint's own, and those of actuators
        d.M[adr + n - 1] = d.M[adr + n - 1] + m.dof_armature[i]
        j = m.dof_jntid[i]
        if m.jnt_actuatorid[j] != NO_ACTUATOR:
            d.M[adr + n - 1] = d.M[adr + n - 1] + joint_reflected(m, j, ARMATURE)


@kernel
def factor_m(m, d):
    """M => (qLD, qLDiagInv)"""
    factor(m, d, d.M, d.no_shift, d.M_factor, d.qLDiagInv)
    expose_factors(m, d, d.M_factor, d.qLDiagInv, d.qLD)


@kernel
def factor(m, d, A, shift, U, inverse_diagonal):
    """U <= D L of A + diag(shift) = L' D L, A in the structure of M: (3), from leaves to root.

    Pivots too small to divide by are replaced, with one warning about the first.
    """
    bad = splat(-1.0)  # the first dof with such a pivot, as they are met
    for g in range(m.ngroup - 1, -1, -1):
        if is_trio(m, g):
            bad = factor_trio(m, d, A, shift, U, inverse_diagonal, m.group_dof[3 * g], bad)
        else:
            for e in range(m.group_size[g] - 1, -1, -1):
                bad = factor_row(m, A, shift, U, inverse_diagonal, m.group_dof[3 * g] + e, bad)
    if any_lane(bad >= 0.0):
        warn(d, WARN_INERTIA, bad >= 0.0, bad)


@kernel(inline=True)
def is_trio(m, g):
    """Whether the rows of a group are three, each with one number more than the one before it."""
    i = m.group_dof[3 * g]
    return m.group_size[g] == 3 and m.M_rownnz[i + 2] == m.M_rownnz[i] + 2


@kernel(inline=True)
def factor_row(m, A, shift, U, inverse_diagonal, i, bad):
    """Row i of `factor`; `bad`"""
    n, end = m.M_rownnz[i], i + 1 + m.dof_descendants[i]
    # four numbers of the row at a time, from its end; what is left at its start
    j = n
    while j >= 4:
        j -= 4
        eliminate4(m, A, U, inverse_diagonal, i, end, j)
    if j > 0 and n >= 4:
        eliminate4(m, A, U, inverse_diagonal, i, end, 0)  # overlaps: gives the same again
    elif j > 0:
        for c in range(n):
            eliminate1(m, A, U, inverse_diagonal, i, end, c)
    k = m.M_rowadr[i] + n - 1
    return enter_pivot(U[k], shift, U, inverse_diagonal, i, k, bad)


@kernel(inline=True)
def enter_pivot(x, shift, U, inverse_diagonal, i, k, bad):
    """D_i = x + shift_i, entered at place k; `bad`"""
    pivot = x + shift[i]
    small = pivot < MINVAL
    if any_lane(small):
        bad = where(small & (bad < 0.0), i * 1.0, bad)
        pivot = where(small, MINVAL, pivot)
    U[k] = pivot
    inverse_diagonal[i] = 1.0 / pivot
    return bad


@kernel
def factor_trio(m, d, A, shift, U, inverse_diagonal, i, bad):
    """Rows i, i + 1 and i + 2 of `factor`, of a chain without branches; `bad`

    What is below is below all three, and they are made column by column: less what the rows below
    take from them, then what they take from each other.
    """
    a0, a1, a2 = m.M_rowadr[i], m.M_rowadr[i + 1], m.M_rowadr[i + 2]
    p, end = m.M_rownnz[i] - 1, i + 1 + m.dof_descendants[i]
    # U_ki / D_k of the rows below, and column i
    u0, u1, u2 = A[a0 + p], A[a1 + p], A[a2 + p]
    for k in range(end - 1, i + 2, -1):
        column = load3(U, m.M_rowadr[k] + p)
        ratio = column * inverse_diagonal[k]
        d.M_ratio[k] = ratio
        u0, u1, u2 = u0 - column[0] * ratio[0], u1 - column[0] * ratio[1], u2 - column[0] * ratio[2]
    # columns i + 1 and i + 2
    v1, v2, w2 = A[a1 + p + 1], A[a2 + p + 1], A[a2 + p + 2]
    for k in range(end - 1, i + 2, -1):
        at, ratio = m.M_rowadr[k] + p, d.M_ratio[k]
        v1, v2 = v1 - U[at + 1] * ratio[1], v2 - U[at + 1] * ratio[2]
        w2 = w2 - U[at + 2] * ratio[2]
    # pivots, the last one first
    bad = enter_pivot(w2, shift, U, inverse_diagonal, i + 2, a2 + p + 2, bad)
    t0, t1 = u2 * inverse_diagonal[i + 2], v2 * inverse_diagonal[i + 2]
    bad = enter_pivot(v1 - v2 * t1, shift, U, inverse_diagonal, i + 1, a1 + p + 1, bad)
    u1, u0 = u1 - u2 * t1, u0 - u2 * t0
    t2 = u1 * inverse_diagonal[i + 1]
    bad = enter_pivot(u0 - u1 * t2, shift, U, inverse_diagonal, i, a0 + p, bad)
    U[a1 + p] = u1
    U[a2 + p] = u2
    U[a2 + p + 1] = v2
    # the columns before
    for j in range(p):
        u0, u1, u2 = A[a0 + j], A[a1 + j], A[a2 + j]
        for k in range(end - 1, i + 2, -1):
            x, ratio = U[m.M_rowadr[k] + j], d.M_ratio[k]
            u0, u1, u2 = u0 - x * ratio[0], u1 - x * ratio[1], u2 - x * ratio[2]
        u1 = u1 - u2 * t1
        U[a0 + j] = u0 - u2 * t0 - u1 * t2
        U[a1 + j] = u1
        U[a2 + j] = u2
    return bad


@kernel
def expose_factors(m, d, U, inverse_diagonal, LD):
    """U = D L => L below the diagonal, D on it, as MuJoCo has them; if somebody reads them."""
    if d.want_factors:
        for i in range(m.nv):
            adr, diagonal = m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i] - 1
            for k in range(adr, diagonal):
                LD[k] = U[k] * inverse_diagonal[i]
            LD[diagonal] = U[diagonal]


@kernel(inline=True)
def eliminate4(m, A, U, inverse_diagonal, i, end, j):
    """(3): four numbers of row i of U, from column place j on"""
    adr, diagonal = m.M_rowadr[i], m.M_rownnz[i] - 1
    u = load4(A, adr + j)
    for k in range(end - 1, i, -1):
        row = m.M_rowadr[k]
        u = u - load4(U, row + j) * (U[row + diagonal] * inverse_diagonal[k])
    store4(U, adr + j, u)


@kernel(inline=True)
def eliminate1(m, A, U, inverse_diagonal, i, end, j):
    """(3): one number of row i of U, at column place j"""
    adr, diagonal = m.M_rowadr[i], m.M_rownnz[i] - 1
    u = A[adr + j]
    for k in range(end - 1, i, -1):
        row = m.M_rowadr[k]
        u = u - U[row + j] * (U[row + diagonal] * inverse_diagonal[k])
    U[adr + j] = u


@kernel
def solve(m, U, inverse_diagonal, x):
    """x <= (L' D L)^-1 x, with U = D L"""
    solve_to_root(m, U, inverse_diagonal, x)
    # (5)
    for g in range(m.ngroup):
        i = m.group_dof[3 * g]
        adr, p = m.M_rowadr[i], m.M_rownnz[i] - 1
        if is_trio(m, g):
            # three rows at a time, then what they have of each other
            a1, a2 = m.M_rowadr[i + 1], m.M_rowadr[i + 2]
            y = vec(splat(0.0), splat(0.0), splat(0.0))
            for j in range(p):
                y = y + vec(U[adr + j], U[a1 + j], U[a2 + j]) * x[m.M_colind[adr + j]]
            x0 = x[i] - y[0] * inverse_diagonal[i]
            x1 = x[i + 1] - (y[1] + U[a1 + p] * x0) * inverse_diagonal[i + 1]
            y2 = y[2] + U[a2 + p] * x0 + U[a2 + p + 1] * x1
            store3(x, i, vec(x0, x1, x[i + 2] - y2 * inverse_diagonal[i + 2]))
        else:
            for k in range(i, i + m.group_size[g]):
                adr = m.M_rowadr[k]
                y0 = splat(0.0)
                for q in range(adr, adr + m.M_rownnz[k] - 1):
                    y0 = y0 + U[q] * x[m.M_colind[q]]
                x[k] = x[k] - y0 * inverse_diagonal[k]


@kernel(inline=True)
def solve_to_root(m, U, inverse_diagonal, x):
    """x <= inverse(D) y: (4)"""
    # x_k is y_k / D_k already, and U_ki x_k is L_ki y_k
    for g in range(m.ngroup - 1, -1, -1):
        i = m.group_dof[3 * g]
        if is_trio(m, g):
            # three rows at a time, then what they have of each other
            p, y = m.M_rownnz[i] - 1, load3(x, i)
            for k in range(i + m.dof_descendants[i], i + 2, -1):
                y = y - load3(U, m.M_rowadr[k] + p) * x[k]
            a1, a2 = m.M_rowadr[i + 1] + p, m.M_rowadr[i + 2] + p
            x2 = y[2] * inverse_diagonal[i + 2]
            x1 = (y[1] - U[a2 + 1] * x2) * inverse_diagonal[i + 1]
            x0 = (y[0] - U[a2] * x2 - U[a1] * x1) * inverse_diagonal[i]
            store3(x, i, vec(x0, x1, x2))
        else:
            for e in range(i + m.group_size[g] - 1, i - 1, -1):
                diagonal = m.M_rownnz[e] - 1
                y0 = x[e]
                for k in range(e + m.dof_descendants[e], e, -1):
                    y0 = y0 - U[m.M_rowadr[k] + diagonal] * x[k]
                x[e] = y0 * inverse_diagonal[e]


@kernel
def mul_m(m, d, x, y):
    """y <= M x"""
    for g in range(m.ngroup):
        i = m.group_dof[3 * g]
        if is_trio(m, g):
            mul_trio(m, d, x, y, i)
        else:
            for k in range(i, i + m.group_size[g]):
                mul_row(m, d, x, y, k)


@kernel(inline=True)
def mul_row(m, d, x, y, i):
    """What row i of M adds to y: each number stands for two, at row i and at column i"""
    adr = m.M_rowadr[i]
    diagonal = adr + m.M_rownnz[i] - 1
    xi = x[i]
    yi = d.M[diagonal] * xi
    for k in range(adr, diagonal):
        j = m.M_colind[k]
        yi = yi + d.M[k] * x[j]
        y[j] = y[j] + d.M[k] * xi
    y[i] = yi


@kernel(inline=True)
def mul_trio(m, d, x, y, i):
    """The same of rows i, i + 1 and i + 2, of a chain without branches"""
    a0, a1, a2 = m.M_rowadr[i], m.M_rowadr[i + 1], m.M_rowadr[i + 2]
    p = m.M_rownnz[i] - 1
    x0, x1, x2 = x[i], x[i + 1], x[i + 2]
    y0, y1, y2 = d.M[a0 + p] * x0, d.M[a1 + p + 1] * x1, d.M[a2 + p + 2] * x2
    for k in range(p):
        j = m.M_colind[a0 + k]
        M0, M1, M2, xj = d.M[a0 + k], d.M[a1 + k], d.M[a2 + k], x[j]
        y0, y1, y2 = y0 + M0 * xj, y1 + M1 * xj, y2 + M2 * xj
        y[j] = y[j] + M0 * x0 + M1 * x1 + M2 * x2
    # what they have of each other
    M10, M20, M21 = d.M[a1 + p], d.M[a2 + p], d.M[a2 + p + 1]
    y[i] = y0 + M10 * x1 + M20 * x2
    y[i + 1] = y1 + M10 * x0 + M21 * x2
    y[i + 2] = y2 + M20 * x0 + M21 * x1


# on the field `vector`, for callers who have one


@kernel
def solve_vector(m, d):
    """vector <= inverse(M) vector"""
    solve(m, d.M_factor, d.qLDiagInv, d.vector)


@kernel
def half_solve_vector(m, d):
    """vector <= D^(-1/2) inverse(L') vector, whose square is that of inverse(M)"""
    solve_to_root(m, d.M_factor, d.qLDiagInv, d.vector)
    for i in range(m.nv):
        d.vector[i] = d.vector[i] / sqrt(d.qLDiagInv[i])


@kernel
def mul_vector(m, d):
    """vector <= M vector"""
    mul_m(m, d, d.vector, d.dof_work)
    for i in range(m.nv):
        d.vector[i] = d.dof_work[i]
