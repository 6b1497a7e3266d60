"""LU factors: of a matrix with the sparsity of the kinematic tree, and of a small dense one.

`M - h*qDeriv` couples two dofs only if one moves the other, like M, but it is not symmetric.
Eliminating the dofs from the last to the first, leaves before roots, changes only pairs of
ancestors of the eliminated dof. Those pairs are in the pattern already: there is no fill-in, and
the factors overwrite the matrix,

    (1)  A = (U + 1) L,   L lower with the diagonal, U strictly upper.

From the last dof r on, row r is L's already, and for its ancestors i and j

    (2)  U_ir = A_ir / L_rr,   A_ij -= U_ir L_rj.

Solutions of (U + 1) L x = b come in two passes, from the leaves and from the root,

    (3)  y_i = b_i - sum of U_ir y_r over the descendants r
    (4)  x_r = (y_r - sum of L_ri x_i over the ancestors i) / L_rr.

Where a number of a row lies follows from the tree alone. Row i holds its ancestors from the root
down, then i, then its descendants, which are the dofs right after i. So the ancestor j of i is at
`D_diag[j]`, its number of ancestors, and the descendant j at `D_diag[i] + j - i`.
"""

from ...lanes import abs_, any_lane, kernel, splat, where
from ...mjconst import MINVAL, WARN_INERTIA
from ..counters import warn


@kernel(inline=True)
def upper(m, i, j):
    """Where (i, j) is stored, j being i or a descendant of i."""
    return m.D_rowadr[i] + m.D_diag[i] + j - i


@kernel
def factor_lu(m, d, A):
    """A => its factors, in place. Pivots too small to divide by are replaced, with one warning."""
    bad = splat(-1.0)  # the last dof with a pivot too small
    for r in range(m.nv - 1, -1, -1):
        adr, n = m.D_rowadr[r], m.D_diag[r]
        pivot = A[adr + n]
        tiny = abs_(pivot) < MINVAL
        if any_lane(tiny):
            pivot = where(tiny, MINVAL, pivot)
            A[adr + n] = pivot
            bad = where(tiny & (bad < 0.0), r * 1.0, bad)
        # (2), for every ancestor i; j up to i stands in the lower part of row i, the others above
        scale = 1.0 / pivot
        for a in range(n):
            i = m.D_colind[adr + a]
            row, ir = m.D_rowadr[i], upper(m, i, r)
            u = A[ir] * scale
            A[ir] = u
            for b in range(a + 1):
                A[row + b] = A[row + b] - u * A[adr + b]
            for b in range(a + 1, n):
                k = upper(m, i, m.D_colind[adr + b])
                A[k] = A[k] - u * A[adr + b]
    if any_lane(bad >= 0.0):
        warn(d, WARN_INERTIA, bad >= 0.0, bad)


@kernel
def solve_lu(m, A, x):
    """x => inverse((U + 1) L) x, in place."""
    # (3)
    for r in range(m.nv - 1, -1, -1):
        adr = m.D_rowadr[r]
        xr = x[r]
        for a in range(m.D_diag[r]):
            i = m.D_colind[adr + a]
            x[i] = x[i] - A[upper(m, i, r)] * xr
    # (4)
    for r in range(m.nv):
        adr, n = m.D_rowadr[r], m.D_diag[r]
        xr = x[r]
        for a in range(n):
            xr = xr - A[adr + a] * x[m.D_colind[adr + a]]
        x[r] = xr / A[adr + n]


@kernel
def solve6(A, row, x, adr):
    """x[adr:adr+6] => inverse(A) x, for the 6x6 matrix in one row of A, which is overwritten.

    Gaussian elimination with pivoting: each column's largest number is brought up by conditional
    swaps, so that every world has its own order. A world whose matrix is singular gets NaN.
    """
    for k in range(6):
        # the largest number of column k into row k
        for r in range(k + 1, 6):
            swap = abs_(A[row, 6 * r + k]) > abs_(A[row, 6 * k + k])
            if any_lane(swap):
                for c in range(k, 6):
                    p, q = A[row, 6 * k + c], A[row, 6 * r + c]
                    A[row, 6 * k + c] = where(swap, q, p)
                    A[row, 6 * r + c] = where(swap, p, q)
                p, q = x[adr + k], x[adr + r]
                x[adr + k] = where(swap, q, p)
                x[adr + r] = where(swap, p, q)
        # eliminate it from the rows below
        scale = 1.0 / A[row, 6 * k + k]
        for r in range(k + 1, 6):
            t = A[row, 6 * r + k] * scale
            for c in range(k + 1, 6):
                A[row, 6 * r + c] = A[row, 6 * r + c] - t * A[row, 6 * k + c]
            x[adr + r] = x[adr + r] - t * x[adr + k]
    # substitute from the last row on
    for k in range(5, -1, -1):
        xk = x[adr + k]
        for c in range(k + 1, 6):
            xk = xk - A[row, 6 * k + c] * x[adr + c]
        x[adr + k] = xk / A[row, 6 * k + k]
