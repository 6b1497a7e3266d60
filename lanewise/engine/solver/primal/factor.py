"""The Hessian, factorized in its own structure with fill: H = L' D L.

As in smooth/inertia.py the rows hold U = D L and are made from the last to the first:

    U_ij = H_ij - sum over later rows k that have column i, of (U_ki / D_k) U_kj            (1)
    D_i = U_ii                                                                              (2)

Three rows i of a group are made at once, column by column: what later groups take from them, then
what they take from each other. Places of a group without a dof have zeros, and 1 on the diagonal.

H x = b is solved in two passes, first up with L' and D, then down with L:

    y_i = (b_i - sum over later rows k of U_ki y_k) / D_i                                   (3)
    x_i = y_i - (sum over columns j < i of U_ij x_j) / D_i                                  (4)

M, which is eliminated in the same order, is a part of H, and the rest of H is not negative. So

    D_i of H >= D_i of M                                                                    (5)

Very stiff constraints are so much larger than M that differences (1) have nothing left of it, or
less than nothing. There (5) is what remains.
"""

from ....lanes import any_lane, kernel, load3, splat, store3, vec, where
from ....mjconst import MINVAL, WARN_INERTIA
from ...counters import warn
from ...spatial import zeros3
from ..slots import no_world


@kernel
def factor_H(m, d, run):
    """H_sum => U in H, 1/D in sol_inverse, for the worlds of `run`

    Other worlds have only the blocks on the diagonal. A block that is zero in all worlds is left
    out of the sums.
    """
    groups = m.ngroup
    for g in range(groups - 1, -1, -1):
        # what the sums (1) need of later rows, then the group's own block
        n = row_ratios(d, g, groups)
        t = own_block(m, d, g, n, groups, run)
        adr = d.H_rowadr[g]
        # the other blocks of the row
        for e in range(d.H_colnum[g]):
            c, a = d.H_col[d.H_coladr[g] + e], adr + 9 * e
            some = no_world()
            for k in range(0, 3 * m.group_size[c], 3):
                # three rows of a column, from the last to the first: later groups ...
                u = where(run, load3(d.H_sum, a + k), zeros3())
                for q in range(n):
                    later = d.H_use[q]
                    b = d.H_now[later * groups + c]
                    if b >= 0:
                        u = take(m, d, u, 3 * q, b + k, m.group_size[later])
                # ... then the later of the three rows
                u1 = u[1] - t[2] * u[2]
                u0 = (u[0] - t[1] * u[2]) - t[0] * u1
                store3(d.H, a + k, vec(u0, u1, u[2]))
                some = some | (u0 != 0.0) | (u1 != 0.0) | (u[2] != 0.0)
            # places without a dof
            for k in range(3 * m.group_size[c], 9, 3):
                store3(d.H, a + k, zeros3())
            d.H_now[g * groups + c] = a if any_lane(some) else -1


@kernel(inline=True)
def take(m, d, u, q, b, size):
    """u minus the multiples of a later group's rows, the last one first, as (1) has them."""
    if size == 3:
        u = u - d.sol_ratio[q + 2] * d.H[b + 2]
    if size >= 2:
        u = u - d.sol_ratio[q + 1] * d.H[b + 1]
    return u - d.sol_ratio[q] * d.H[b]


@kernel(inline=True)
def row_ratios(d, g, groups):
    """sol_ratio <= U_ki / D_k of later rows k that have columns i of group g; their groups"""
    first, n = d.H_belowadr[g], 0
    for q in range(d.H_belownum[g]):
        later = d.H_below[first + q]
        a, k = d.H_now[later * groups + g], 3 * later
        # blocks that are zero in all worlds are not there
        if a >= 0:
            for e in range(3):
                column = vec(d.H[a + e], d.H[a + 3 + e], d.H[a + 6 + e])
                d.sol_ratio[3 * n + e] = column * d.sol_inverse[k + e]
            d.H_use[n] = later
            n += 1
    return n


@kernel
def own_block(m, d, g, n, groups, run):
    """The block of a group with itself; multiples of its later rows: U10/D1, U20/D2, U21/D2"""
    a = d.H_rowadr[g] + 9 * d.H_colnum[g]
    # the lower triangle
    d00, d10, d20 = d.H_sum[a], d.H_sum[a + 1], d.H_sum[a + 2]
    d11, d21, d22 = d.H_sum[a + 4], d.H_sum[a + 5], d.H_sum[a + 8]
    # later groups
    for q in range(n):
        b = d.H_now[d.H_use[q] * groups + g]
        for e in range(2, -1, -1):
            r = d.sol_ratio[3 * q + e]
            u0, u1, u2 = d.H[b + e], d.H[b + 3 + e], d.H[b + 6 + e]
            d00, d10, d20 = d00 - r[0] * u0, d10 - r[1] * u0, d20 - r[2] * u0
            d11, d21, d22 = d11 - r[1] * u1, d21 - r[2] * u1, d22 - r[2] * u2
    # then the group itself: rows 2, 1, 0
    p2 = pivot(m, d, 3 * g + 2, d22, run)
    t20, t21 = d20 * p2, d21 * p2
    d11, d10, d00 = d11 - t21 * d21, d10 - t21 * d20, d00 - t20 * d20
    p1 = pivot(m, d, 3 * g + 1, d11, run)
    t10 = d10 * p1
    pivot(m, d, 3 * g, d00 - t10 * d10, run)
    # U below the diagonal; 1/D is in sol_inverse
    d.H[a + 1] = d10
    d.H[a + 2] = d20
    d.H[a + 5] = d21
    return vec(t10, t20, t21)


@kernel(inline=True)
def pivot(m, d, k, x, run):
    """sol_inverse[k] <= 1/x, at most sol_most[k]: (5); counted in the worlds of `run`"""
    inverse, most = 1.0 / x, d.sol_most[k]
    lost = (inverse > most) | (inverse < 0.0)
    if any_lane(lost):
        warn(d, WARN_INERTIA, run & (x < MINVAL), m.group_dof[k])
        inverse = where(lost, most, inverse)
    d.sol_inverse[k] = inverse
    return inverse


@kernel
def solve_H(m, d, H, at, D_inverse, at_D):
    """sol_x <= inverse(H) sol_x, of the factor that begins at these places of two fields"""
    # (3), from the last group to the first: later groups, then the group itself
    for g in range(m.ngroup - 1, -1, -1):
        first, x = d.H_belowadr[g], load3(d.sol_x, 3 * g)
        x0, x1, x2 = x[0], x[1], x[2]
        for q in range(first, first + d.H_belownum[g]):
            a, y = at + d.H_belowplace[q], load3(d.sol_x, 3 * d.H_below[q])
            x0 = x0 - dot(load3(H, a), y)
            x1 = x1 - dot(load3(H, a + 3), y)
            x2 = x2 - dot(load3(H, a + 6), y)
        a = at + d.H_rowadr[g] + 9 * d.H_colnum[g]
        inverse = load3(D_inverse, at_D + 3 * g)
        x2 = x2 * inverse[2]
        x1 = (x1 - H[a + 5] * x2) * inverse[1]
        x0 = ((x0 - H[a + 2] * x2) - H[a + 1] * x1) * inverse[0]
        store3(d.sol_x, 3 * g, vec(x0, x1, x2))
    # (4), from the first group to the last: earlier groups, then the group itself
    for g in range(m.ngroup):
        a, first, z = at + d.H_rowadr[g], d.H_coladr[g], splat(0.0)
        y = vec(z, z, z)
        for q in range(first, first + d.H_colnum[g]):
            x = load3(d.sol_x, 3 * d.H_col[q])
            y = y + load3(H, a) * x[0] + load3(H, a + 3) * x[1] + load3(H, a + 6) * x[2]
            a += 9
        x, inverse = load3(d.sol_x, 3 * g), load3(D_inverse, at_D + 3 * g)
        x0 = x[0] - y[0] * inverse[0]
        x1 = x[1] - (y[1] + H[a + 1] * x0) * inverse[1]
        x2 = x[2] - (y[2] + H[a + 2] * x0 + H[a + 5] * x1) * inverse[2]
        store3(d.sol_x, 3 * g, vec(x0, x1, x2))


@kernel(inline=True)
def dot(a, b):
    """a . b, the last first: the order in which rows are eliminated."""
    return a[2] * b[2] + a[1] * b[1] + a[0] * b[0]
