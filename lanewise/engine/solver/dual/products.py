"""Products with Y, of one world: what rows do to each other without their matrix.

Numbers are those of problem.py, (3) to (5). A row of Y is a short list of Rows, each with eight
consecutive dofs: dual_column says which eight. It rises along a row.
"""

from ....lanes import NROW, kernel, lane_item


@kernel
def row_dot(d, i, k, w):
    """A_ik = Y_i . Y_k of world w"""
    a, b = d.dual_adr[i, w], d.dual_adr[k, w]
    last_a, last_b = a + d.dual_num[i, w], b + d.dual_num[k, w]
    total = 0.0
    # walk along both rows: only eight dofs that both of them have count
    while a < last_a and b < last_b:
        if d.dual_column[a] == d.dual_column[b]:
            total = total + d.dual_Y[a] * d.dual_Y[b]
            a += 1
            b += 1
        elif d.dual_column[a] < d.dual_column[b]:
            a += 1
        else:
            b += 1
    return row_sum(total)


@kernel(inline=True)
def row_sum(x):
    """The sum of eight numbers, in pairs."""
    a = (lane_item(x, 0) + lane_item(x, 4)) + (lane_item(x, 2) + lane_item(x, 6))
    return a + ((lane_item(x, 1) + lane_item(x, 5)) + (lane_item(x, 3) + lane_item(x, 7)))


@kernel
def response(d, i, w):
    """Y_i . z: the acceleration of a row by all forces, see (4)"""
    total = 0.0
    first = d.dual_adr[i, w]
    for e in range(first, first + d.dual_num[i, w]):
        total = total + d.dual_Y[e] * d.dual_z[d.dual_column[e]]
    return row_sum(total)


@kernel
def push(d, i, df, w):
    """z += Y_i df, see (5)"""
    first = d.dual_adr[i, w]
    for e in range(first, first + d.dual_num[i, w]):
        c = d.dual_column[e]
        d.dual_z[c] = d.dual_z[c] + d.dual_Y[e] * df


@kernel
def respond(m, d, first, n, w):
    """z <= Y'f over n rows of dual_row"""
    for c in range((m.nv + NROW - 1) // NROW):
        d.dual_z[c] = 0.0
    for p in range(first, first + n):
        i = d.dual_row[p]
        if d.dual_force[i] != 0.0:
            push(d, i, d.dual_force[i], w)
