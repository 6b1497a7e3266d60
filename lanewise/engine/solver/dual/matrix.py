"""The matrix of a small island, of one world, in Rows: eight numbers of a row in each.

With Y by dofs, sweep_Y has the numbers of all rows for a dof k in a few Rows, and

    A_pq = sum of Y_pk Y_qk over the dofs k of row p                                        (1)

is a sum of such Rows, each times one number. The rows of a contact have the same dofs, and four at
a time share what is loaded. A is symmetric: only the eights of numbers up to the diagonal are
summed, and what is beyond is turned over, in squares of eight by eight. Then each row is divided
by what stands on its diagonal with R, as products.py has it, and the diagonal is zero.

Noslip visits friction only. The equalities and limits that a world begins with, if any, are columns
for it and no rows.
"""

from ....lanes import W, kernel, load_flat, load_lane, store_flat, to_int, vec
from ....lanes.memory import transpose
from ....mjconst import SOL_PGS
from .grouping import is_whole
from .lines import ALONE, HIGH, INFINITY, STEP, B
from .products import DENSE, contact_of, of_line


@kernel
def make_matrix(m, d, w):
    """sweep_A, world_A, world_dense of world w"""
    rows = d.world_rows[w]
    n = (rows + 7) // 8 if rows <= DENSE else 0
    # matrices do not begin at the same places in the cache
    first = w * (DENSE * (DENSE // 8) + 9)
    d.world_A[w] = first
    d.world_dense[w] = n
    if n == 0:
        return
    clear_dofs(m, d, rows, n, w)
    p = 0
    while p < rows:
        p += spread(d, p, n, w)
    lead = first_visited(m, d, rows, w)
    p = lead
    while p < rows:
        # rows of one constraint, four at a time
        c, number = d.sweep_rec[W * p + w], 1
        while number < 4 and p + number < rows and d.sweep_rec[W * (p + number) + w] == c:
            number += 1
        for e in range((p + number - 1) // 8 + 1):
            # of three, the fourth is nothing: the next row takes its place
            if number > 2:
                four_rows(d, c, p, n, e, first)
            else:
                for i in range(number):
                    one_row(d, c, p + i, n, e, first)
        p += number
    # no numbers beyond the last row, nor in the one that would be next, up to its own diagonal
    for e in range(first + n * rows, first + n * max(8 * n, rows + 1) + 1):
        d.sweep_A[e] = 0.0
    for b in range(1, n):
        for e in range(lead // 8, b):
            turn_over(d, first, n, b, e)
    for p in range(lead, rows):
        at, step = first + n * p, of_line(d, p, w, STEP)
        for e in range(at, at + n):
            d.sweep_A[e] = d.sweep_A[e] * step
        # last: Rows that are read would wait for it
        store_flat(d.sweep_A, 8 * at + p, 0.0)
        store_flat(d.sweep_line, 8 * (W * p + w) + ALONE, of_line(d, p, w, B) * step)


@kernel
def first_visited(m, d, rows, w):
    """How many rows of world w come before the first one that is visited"""
    p = 0
    if m.opt.solver != SOL_PGS:
        while p < rows and contact_of(d, p, w) < 0 and not of_line(d, p, w, HIGH) < INFINITY:
            p += 1
    return p


@kernel
def clear_dofs(m, d, rows, n, w):
    """sweep_Y <= zeros at the dofs of the island of world w"""
    if is_whole(m):
        for e in range(n * m.nv):
            d.sweep_Y[e] = 0.0
        return
    for p in range(rows):
        if d.sweep_edge[W * p + w] == 0:
            c = d.sweep_rec[W * p + w]
            for e in range(d.rec_nchain[c]):
                k = n * d.dual_chain[d.rec_chain[c] + e]
                for i in range(n):
                    d.sweep_Y[k + i] = 0.0


@kernel
def spread(d, p, n, w):
    """sweep_Y <= Y of the constraint from row p on: for each dof, its numbers are in the n Rows
    that have those of all rows; how many rows it has"""
    c = d.sweep_rec[W * p + w]
    number, rows, y = to_int(load_lane(d.rec_number, c, w)), d.rec_rows[c], d.rec_Y[c]
    for e in range(d.rec_chain[c], d.rec_chain[c] + d.rec_nchain[c]):
        at = 8 * n * d.dual_chain[e] + p
        if number == 4:
            store_flat(d.sweep_Y, at, load_lane(d.dual_Y, y, w))
            store_flat(d.sweep_Y, at + 1, load_lane(d.dual_Y, y + 1, w))
            store_flat(d.sweep_Y, at + 2, load_lane(d.dual_Y, y + 2, w))
            store_flat(d.sweep_Y, at + 3, load_lane(d.dual_Y, y + 3, w))
        else:
            for i in range(number):
                store_flat(d.sweep_Y, at + i, load_lane(d.dual_Y, y + i, w))
        y += rows
    return number


@kernel
def four_rows(d, c, p, n, e, first):
    """The e-th eight numbers of A, in rows p to p + 3, of constraint c"""
    a0, a1, a2, a3 = 0.0, 0.0, 0.0, 0.0
    for i in range(d.rec_chain[c], d.rec_chain[c] + d.rec_nchain[c]):
        k = n * d.dual_chain[i]
        x = d.sweep_Y[k + e]
        a0 = a0 + x * load_flat(d.sweep_Y, 8 * k + p)
        a1 = a1 + x * load_flat(d.sweep_Y, 8 * k + p + 1)
        a2 = a2 + x * load_flat(d.sweep_Y, 8 * k + p + 2)
        a3 = a3 + x * load_flat(d.sweep_Y, 8 * k + p + 3)
    at = first + n * p + e
    d.sweep_A[at] = a0
    d.sweep_A[at + n] = a1
    d.sweep_A[at + 2 * n] = a2
    d.sweep_A[at + 3 * n] = a3


@kernel
def one_row(d, c, p, n, e, first):
    """The e-th eight numbers of A, in row p, of constraint c"""
    a = 0.0
    for i in range(d.rec_chain[c], d.rec_chain[c] + d.rec_nchain[c]):
        k = n * d.dual_chain[i]
        a = a + d.sweep_Y[k + e] * load_flat(d.sweep_Y, 8 * k + p)
    d.sweep_A[first + n * p + e] = a


@kernel
def turn_over(d, first, n, b, e):
    """The numbers of the b-th eight of rows, in the e-th eight of columns => those of the e-th
    eight of rows, in the b-th eight of columns"""
    x, at = d.sweep_A, first + 8 * n * b + e
    square = transpose(
        vec(
            x[at], x[at + n], x[at + 2 * n], x[at + 3 * n],
            x[at + 4 * n], x[at + 5 * n], x[at + 6 * n], x[at + 7 * n],
        )
    )  # fmt: skip
    to = first + 8 * n * e + b
    x[to] = square[0]
    x[to + n] = square[1]
    x[to + 2 * n] = square[2]
    x[to + 3 * n] = square[3]
    x[to + 4 * n] = square[4]
    x[to + 5 * n] = square[5]
    x[to + 6 * n] = square[6]
    x[to + 7 * n] = square[7]
