"""Products with Y."""

from ....lanes import W, kernel, lane_item, splat


@kernel
def row_dot(d, i, k, w):
    """Y_i . Y_k of world w; both have their Lanes in the order of columns"""
    a, b = d.dual_adr[i, w], d.dual_adr[k, w]
    last_a, last_b = a + d.dual_num[i, w], b + d.dual_num[k, w]
    total = splat(0.0)
    while a < last_a and b < last_b:
        if d.dual_column[a] == d.dual_column[b]:
            total = total + d.dual_Y[a] * d.dual_Y[b]
            a += 1
            b += 1
        elif d.dual_column[a] < d.dual_column[b]:
            a += 1
        else:
            b += 1
    return lane_sum(total)


@kernel(inline=True)
def lane_sum(x):
    a = (lane_item(x, 0) + lane_item(x, 4)) + (lane_item(x, 2) + lane_item(x, 6))
    return a + ((lane_item(x, 1) + lane_item(x, 5)) + (lane_item(x, 3) + lane_item(x, 7)))


@kernel
def response(d, i, w):
    """Y_i . w: the acceleration of a row by all forces"""
    total = splat(0.0)
    first = d.dual_adr[i, w]
    for e in range(first, first + d.dual_num[i, w]):
        total = total + d.dual_Y[e] * d.dual_z[d.dual_column[e]]
    return lane_sum(total)


@kernel
def push(d, i, df, w):
    """w += Y_i df"""
    first = d.dual_adr[i, w]
    for e in range(first, first + d.dual_num[i, w]):
        c = d.dual_column[e]
        d.dual_z[c] = d.dual_z[c] + d.dual_Y[e] * df


@kernel
def respond(m, d, first, n, w):
    """w <= Y'f over n rows of dual_row"""
    for c in range((m.nv + W - 1) // W):
        d.dual_z[c] = 0.0
    for p in range(first, first + n):
        i = d.dual_row[p]
        if d.dual_force[i] != 0.0:
            push(d, i, d.dual_force[i], w)
