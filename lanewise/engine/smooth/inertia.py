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

from ...lanes import any_lane, kernel, load4, splat, sqrt, store3, store4, where
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
        total = d.cinert[b] if m.body_leaf[b] else d.crb[b]
        if m.body_leaf[b]:
            d.crb[b] = total
        p = m.body_parentid[b]
        if p > 0:
            d.crb[p] = (d.cinert[p] if m.body_lastchild[b] else d.crb[p]) + total
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
    for i in range(m.nv - 1, -1, -1):
        adr, n = m.M_rowadr[i], m.M_rownnz[i]
        end = i + 1 + m.dof_descendants[i]
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
        # the pivot D_i
        pivot = U[adr + n - 1] + shift[i]
        small = pivot < MINVAL
        if any_lane(small):
            bad = where(small & (bad < 0.0), i * 1.0, bad)
            pivot = where(small, MINVAL, pivot)
        U[adr + n - 1] = pivot
        inverse_diagonal[i] = 1.0 / pivot
    if any_lane(bad >= 0.0):
        warn(d, WARN_INERTIA, bad >= 0.0, bad)


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
    for i in range(m.nv):
        adr = m.M_rowadr[i]
        y = splat(0.0)
        for k in range(adr, adr + m.M_rownnz[i] - 1):
            y = y + U[k] * x[m.M_colind[k]]
        x[i] = x[i] - y * inverse_diagonal[i]


@kernel(inline=True)
def solve_to_root(m, U, inverse_diagonal, x):
    """x <= inverse(D) y: (4)"""
    # x_k is y_k / D_k already, and U_ki x_k is L_ki y_k
    for i in range(m.nv - 1, -1, -1):
        diagonal = m.M_rownnz[i] - 1
        y = x[i]
        for k in range(i + m.dof_descendants[i], i, -1):
            y = y - U[m.M_rowadr[k] + diagonal] * x[k]
        x[i] = y * inverse_diagonal[i]


@kernel
def mul_m(m, d, x, y):
    """y <= M x"""
    for i in range(m.nv):
        adr = m.M_rowadr[i]
        diagonal = adr + m.M_rownnz[i] - 1
        # each number stands for two: row i of M, and column i above the diagonal
        xi = x[i]
        yi = d.M[diagonal] * xi
        for k in range(adr, diagonal):
            j = m.M_colind[k]
            yi = yi + d.M[k] * x[j]
            y[j] = y[j] + d.M[k] * xi
        y[i] = yi


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
