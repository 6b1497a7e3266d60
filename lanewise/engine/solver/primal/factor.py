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

from ....lanes import abs_, any_lane, kernel, load3, splat, store3, vec, where
from ....mjconst import MINVAL, WARN_INERTIA
from ...counters import warn
from ...spatial import zeros3
from .coupling import WORD, is_chain


@kernel
def factor_H(m, d, run):
    """H_sum => U in H, 1/D in sol_inverse, for the worlds of `run`

    Rows are made anew where H_sum has changed since the last time, or a row that they take from. Of
    these, other worlds have only the blocks on the diagonal. A block that is zero in all worlds is
    left out of the sums.
    """
    for g in range(m.ngroup - 1, -1, -1):
        if d.H_dirty[g] == 1:
            d.H_dirty[g] = 0
            if m.group_size[g] == 1:
                make_row(m, d, g, m.ngroup, run)
            else:
                make_rows(m, d, g, m.ngroup, run)


@kernel
def make_rows(m, d, g, groups, run):
    """The rows of a group"""
    # what the sums (1) need of later rows, then the group's own block
    u, n = row_ratios(m, d, g, groups)
    t = own_block(m, d, g, u, n, run)
    # the other blocks of the row
    a, first = d.H_rowadr[g], d.H_coladr[g]
    for e in range(first, first + d.H_colnum[g]):
        c = d.H_col[e]
        if m.group_size[c] == 3:
            make_block(m, d, a, c, t, n, run)
        else:
            for k in range(0, 3 * m.group_size[c], 3):
                make_column(m, d, a + k, c, k, t, n, run)
        pass_on(d, g, c, a, groups)
        a += 9


@kernel(inline=True)
def make_block(m, d, a, c, t, n, run):
    """Three columns of three rows, at a, of group c"""
    u0 = where(run, load3(d.H_sum, a), zeros3())
    u1 = where(run, load3(d.H_sum, a + 3), zeros3())
    u2 = where(run, load3(d.H_sum, a + 6), zeros3())
    for q in range(n):
        b = d.H_now[d.H_use[q, 0] + c]
        if b >= 0:
            b += d.H_use[q, 1]
            ratio = d.sol_ratio[q]
            u0 = u0 - ratio * d.H[b]
            u1 = u1 - ratio * d.H[b + 3]
            u2 = u2 - ratio * d.H[b + 6]
    store3(d.H, a, within_group(t, u0))
    store3(d.H, a + 3, within_group(t, u1))
    store3(d.H, a + 6, within_group(t, u2))


@kernel(inline=True)
def make_column(m, d, a, c, k, t, n, run):
    """One column of three rows, at a: that at place k of a block of group c"""
    u = where(run, load3(d.H_sum, a), zeros3())
    for q in range(n):
        b = d.H_now[d.H_use[q, 0] + c]
        if b >= 0:
            u = u - d.sol_ratio[q] * d.H[b + d.H_use[q, 1] + k]
    store3(d.H, a, within_group(t, u))


@kernel(inline=True)
def within_group(t, u):
    """What the later of three rows leave of a column, from the last to the first."""
    u1 = u[1] - t[2] * u[2]
    return vec((u[0] - t[1] * u[2]) - t[0] * u1, u1, u[2])


@kernel
def make_row(m, d, g, groups, run):
    """The same of a group of one dof, whose other places in H have their zeros already"""
    u, n = row_ratios(m, d, g, groups)
    pivot(m, d, 3 * g, u[0], run)
    d.sol_inverse[3 * g + 1] = 1.0
    d.sol_inverse[3 * g + 2] = 1.0
    a, first = d.H_rowadr[g], d.H_coladr[g]
    for e in range(first, first + d.H_colnum[g]):
        c = d.H_col[e]
        for k in range(0, 3 * m.group_size[c], 3):
            x = where(run, d.H_sum[a + k], 0.0)
            for q in range(n):
                b = d.H_now[d.H_use[q, 0] + c]
                if b >= 0:
                    x = x - d.sol_ratio[q, 0] * d.H[b + d.H_use[q, 1] + k]
            d.H[a + k] = x
        pass_on(d, g, c, a, groups)
        a += 9


@kernel(inline=True)
def pass_on(d, g, c, a, groups):
    """A block of row g that is done, at a => whether it counts; group c takes from it, or did"""
    # M has numbers in blocks of a chain
    words = (groups + WORD - 1) // WORD
    full = is_chain(d, g, c, words) or any_lane(size_of(d, a) != 0.0)
    now = a if full else -1
    if full or d.H_now[g * groups + c] >= 0:
        d.H_dirty[c] = 1
    d.H_now[g * groups + c] = now


@kernel(inline=True)
def row_ratios(m, d, g, groups):
    """sol_ratio <= U_ki / D_k of later rows k that have columns i of group g, the last row first

    H_use says where these rows are. What they take from the first column of the group's own block
    is taken on the way: that column, and the number of rows.
    """
    first, n = d.H_belowadr[g], 0
    u = load3(d.H_sum, d.H_rowadr[g] + 9 * d.H_colnum[g])
    for q in range(first, first + d.H_belownum[g]):
        later = d.H_below[q]
        a, k = d.H_now[later * groups + g], 3 * later
        # blocks that are zero in all worlds are not there
        if a >= 0:
            for e in range(m.group_size[later] - 1, -1, -1):
                column = vec(d.H[a + e], d.H[a + 3 + e], d.H[a + 6 + e])
                ratio = column * d.sol_inverse[k + e]
                d.sol_ratio[n] = ratio
                u = u - ratio * column[0]
                d.H_use[n, 0] = later * groups
                d.H_use[n, 1] = e
                d.H_use[n, 2] = a + e
                n += 1
    return u, n


@kernel(inline=True)
def size_of(d, a):
    """The sum of the sizes of a block's numbers: zero, or some are not."""
    size = splat(0.0)
    for k in range(a, a + 9, 3):
        u = load3(d.H, k)
        size = size + ((abs_(u[0]) + abs_(u[1])) + abs_(u[2]))
    return size


@kernel(inline=True)
def own_block(m, d, g, u, n, run):
    """The block of a group with itself, whose first column u is what later rows leave of it

    Returns multiples of its later rows: U10/D1, U20/D2, U21/D2.
    """
    a = d.H_rowadr[g] + 9 * d.H_colnum[g]
    # the other columns of the lower triangle: later rows
    d00, d10, d20 = u[0], u[1], u[2]
    d11, d21, d22 = d.H_sum[a + 4], d.H_sum[a + 5], d.H_sum[a + 8]
    for q in range(n):
        r, b = d.sol_ratio[q], d.H_use[q, 2]
        u1, u2 = d.H[b + 3], d.H[b + 6]
        d11, d21, d22 = d11 - r[1] * u1, d21 - r[2] * u1, d22 - r[2] * u2
    # then the group itself: rows 2, 1, 0
    p2 = 1.0 / d22
    t20, t21 = d20 * p2, d21 * p2
    e11, e10, e00 = d11 - t21 * d21, d10 - t21 * d20, d00 - t20 * d20
    p1 = 1.0 / e11
    t10 = e10 * p1
    p0 = 1.0 / (e00 - t10 * e10)
    # U below the diagonal; 1/D is in sol_inverse
    d.H[a + 1] = e10
    d.H[a + 2] = d20
    d.H[a + 5] = d21
    store3(d.sol_inverse, 3 * g, vec(p0, p1, p2))
    most, t = load3(d.sol_most, 3 * g), vec(t10, t20, t21)
    if any_lane(is_lost(p0, most[0]) | is_lost(p1, most[1]) | is_lost(p2, most[2])):
        t = bounded_block(m, d, g, vec(d00, d10, d20), vec(d11, d21, d22), run)
    return t


@kernel(inline=True)
def is_lost(inverse, most):
    """Whether 1/D is more than (5) allows."""
    return (inverse > most) | (inverse < 0.0)


@kernel
def bounded_block(m, d, g, u, v, run):
    """own_block from the lower triangle on, two columns and the rest, with D bounded by (5)"""
    a = d.H_rowadr[g] + 9 * d.H_colnum[g]
    d00, d10, d20, d11, d21, d22 = u[0], u[1], u[2], v[0], v[1], v[2]
    p2 = pivot(m, d, 3 * g + 2, d22, run)
    t20, t21 = d20 * p2, d21 * p2
    d11, d10, d00 = d11 - t21 * d21, d10 - t21 * d20, d00 - t20 * d20
    p1 = pivot(m, d, 3 * g + 1, d11, run)
    t10 = d10 * p1
    pivot(m, d, 3 * g, d00 - t10 * d10, run)
    d.H[a + 1] = d10
    return vec(t10, t20, t21)


@kernel(inline=True)
def pivot(m, d, k, x, run):
    """sol_inverse[k] <= 1/x, at most sol_most[k]: (5); counted in the worlds of `run`"""
    inverse, most = 1.0 / x, d.sol_most[k]
    lost = is_lost(inverse, most)
    if any_lane(lost):
        inverse = where(lost, most, inverse)
        counted = run & (x < MINVAL)
        if any_lane(counted):
            warn(d, WARN_INERTIA, counted, m.group_dof[k])
            d.H_dirty[k // 3] = 1  # every factor counts it, whatever the neighbours have changed
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
            a, k = at + d.H_belowplace[q], 3 * d.H_below[q]
            if m.group_size[d.H_below[q]] == 1:
                # two of its rows are empty
                y0 = d.sol_x[k]
                x0 = x0 - product(H[a], y0)
                x1 = x1 - product(H[a + 3], y0)
                x2 = x2 - product(H[a + 6], y0)
            else:
                y = load3(d.sol_x, k)
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
        if m.group_size[g] == 1:
            for q in range(first, first + d.H_colnum[g]):
                x = load3(d.sol_x, 3 * d.H_col[q])
                z = z + H[a] * x[0] + H[a + 3] * x[1] + H[a + 6] * x[2]
                a += 9
            d.sol_x[3 * g] = d.sol_x[3 * g] - z * D_inverse[at_D + 3 * g]
            continue
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


@kernel(inline=True)
def product(a, b):
    """a b, rounded as `dot` is."""
    return a * b
