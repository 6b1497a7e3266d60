"""The Hessian of a heap, factorized island by island: H = U inverse(D) U', in blocks of 6x6.

Columns j are made in the order of elimination. With k the columns before j that have a row j,

    U_ij = H_ij - sum over k of U_ik T_jk',     T_jk = U_jk inverse(D_k)                    (1)
    D_j = U_jj                                                                              (2)

for all rows i of column j. A block is six columns of eight numbers, each a Row, all of one
world; inverse(D) stands in place of D. The world's share of H has these first, in
the order of elimination, then the blocks of its links.

A column depends on what has changed of H in it, and on the columns that it takes from. These form a
tree: column k goes into the columns of its rows i, the first of which passes on to all the others,
as it has their rows, too. So a column that is made anew has its first row made anew, and no other
column need be.

H x = b is solved by

    y_j = inverse(D_j) (b_j - sum over columns k before j of U_jk y_k)                      (3)
    x_j = y_j - inverse(D_j) sum over rows i of column j of U_ij' x_i                       (4)
"""

from ....lanes import W, kernel, lane_item, load_lane, mask_of, row_mask, store3, vec, where
from ....lanes.memory import transpose
from ....mjconst import MINVAL, WARN_INERTIA
from ...counters import warn


@kernel
def factor_island(m, d, w):
    """The columns of an island that are to be made anew, in the order of elimination

    heap_sum => U and inverse(D) in heap_H
    """
    nodes, share = w * m.ntree, d.nBmax // W
    # links of a world are numbered from `first` on, too
    first = w * share
    blocks = first + 6 * d.world_nnode[w] - 6 * first  # of link e: blocks + 6 e
    for a in range(d.nisle):
        j = d.isle_node[a]
        if d.node_dirty[j] == 1:
            # column j of H
            d.node_dirty[j] = 0
            diagonal = first + 6 * d.node_rank[nodes + j]
            begin, end = d.node_links[nodes + j], d.node_linkend[nodes + j]
            q = d.node_row[nodes + j]
            # a tree by itself has (2) only
            if begin == end and q < 0:
                invert(m, d, d.heap_sum, first + 6 * j, diagonal, w, j)
                continue
            start_column(m, d, w, j, diagonal, blocks, begin, end)
            # (1): every column k with a row j, for its rows from j on, all of which j has, too
            while q >= 0:
                k = nodes + d.link_column[q]
                block_ratios(d, blocks + 6 * q, first + 6 * d.node_rank[k])
                for e in range(q, d.node_linkend[k]):
                    subtract(d, d.node_place[d.link_row[e]], blocks + 6 * e)
                q = d.link_next[q]
            # (2)
            invert(m, d, d.heap_H, diagonal, diagonal, w, j)
            # the column of its first row depends on it
            if end > begin:
                d.node_dirty[d.link_row[begin]] = 1


@kernel
def start_column(m, d, w, j, diagonal, blocks, begin, end):
    """Column j of H <= that of heap_sum; node_place"""
    d.node_place[j] = diagonal
    first = w * (d.nBmax // W)
    # the block on the diagonal
    for c in range(6):
        d.heap_H[diagonal + c] = d.heap_sum[first + 6 * j + c]
    for e in range(begin, end):
        place, a = blocks + 6 * e, first + 6 * (m.ntree + d.link_pair[e])
        d.node_place[d.link_row[e]] = place
        # a pair has numbers, fill has none yet
        if d.link_pair[e] >= 0:
            for c in range(6):
                d.heap_H[place + c] = d.heap_sum[a + c]
        else:
            for c in range(6):
                d.heap_H[place + c] = 0.0


@kernel
def block_ratios(d, u, inverse):
    """heap_ratio <= T = U inverse(D), of the blocks at u and at `inverse`"""
    x = d.heap_H
    u0, u1, u2, u3, u4, u5 = x[u], x[u + 1], x[u + 2], x[u + 3], x[u + 4], x[u + 5]
    for c in range(6):
        k = inverse + c
        t = u0 * load_lane(x, k, 0) + u1 * load_lane(x, k, 1) + u2 * load_lane(x, k, 2)
        s = u3 * load_lane(x, k, 3) + u4 * load_lane(x, k, 4) + u5 * load_lane(x, k, 5)
        d.heap_ratio[c] = t + s


@kernel
def subtract(d, place, u):
    """The block at `place` -= U T', of the block at u and heap_ratio"""
    x, t = d.heap_H, d.heap_ratio
    u0, u1, u2, u3, u4, u5 = x[u], x[u + 1], x[u + 2], x[u + 3], x[u + 4], x[u + 5]
    for c in range(6):
        y = x[place + c] - u0 * load_lane(t, 0, c) - u1 * load_lane(t, 1, c)
        y = y - u2 * load_lane(t, 2, c) - u3 * load_lane(t, 3, c)
        x[place + c] = y - u4 * load_lane(t, 4, c) - u5 * load_lane(t, 5, c)


def _sweep(k):
    """The kernel that sweeps row and column k."""
    k1, k2, k3, k4, k5 = ((k + i) % 6 for i in range(1, 6))

    @kernel(inline=True)
    def sweep(A, pivot):
        """Six columns, from column k on: the next five, then k, after the sweep"""
        # `own` is row k, of which A_kj / p shall be left
        column, own, inverse = A[0], row_mask(1 << k), 1.0 / pivot
        taken = where(own, -inverse, column * inverse)
        return vec(
            where(own, 0.0, A[1]) - taken * lane_item(column, k1),
            where(own, 0.0, A[2]) - taken * lane_item(column, k2),
            where(own, 0.0, A[3]) - taken * lane_item(column, k3),
            where(own, 0.0, A[4]) - taken * lane_item(column, k4),
            where(own, 0.0, A[5]) - taken * lane_item(column, k5),
            taken,
        )

    return sweep


_sweep0, _sweep1, _sweep2, _sweep3, _sweep4, _sweep5 = map(_sweep, range(6))


@kernel
def invert(m, d, x, a, place, w, j):
    """heap_H at `place` <= the inverse of the symmetric block that x has at a, of tree j

    A row and a column are taken at a time.

    Sweeping row and column k of A, with p = A_kk, gives

        A_ij - A_ik A_kj / p,     A_ik / p,     A_kj / p,     -1/p

    for i, j other than k. After all six sweeps it is -inverse(A).
    """
    A = vec(x[a], x[a + 1], x[a + 2], x[a + 3], x[a + 4], x[a + 5])
    p0 = lane_item(A[0], 0)
    A = _sweep0(A, p0)
    p1 = lane_item(A[0], 1)
    A = _sweep1(A, p1)
    p2 = lane_item(A[0], 2)
    A = _sweep2(A, p2)
    p3 = lane_item(A[0], 3)
    A = _sweep3(A, p3)
    p4 = lane_item(A[0], 4)
    A = _sweep4(A, p4)
    p5 = lane_item(A[0], 5)
    A = -_sweep5(A, p5)
    # hardly ever one is too small, which the next ones depend on
    if not min(min(p0, p1, p2), min(p3, p4, p5)) >= MINVAL:
        invert_small(m, d, x, a, place, w, j)
        return
    store3(d.heap_H, place, A[0:3])
    store3(d.heap_H, place + 3, A[3:6])


@kernel
def invert_small(m, d, x, a, place, w, j):
    """invert, with pivots of at least MINVAL and a warning where they are less"""
    A = vec(x[a], x[a + 1], x[a + 2], x[a + 3], x[a + 4], x[a + 5])
    A = _sweep0(A, checked(m, d, lane_item(A[0], 0), w, j, 0))
    A = _sweep1(A, checked(m, d, lane_item(A[0], 1), w, j, 1))
    A = _sweep2(A, checked(m, d, lane_item(A[0], 2), w, j, 2))
    A = _sweep3(A, checked(m, d, lane_item(A[0], 3), w, j, 3))
    A = _sweep4(A, checked(m, d, lane_item(A[0], 4), w, j, 4))
    A = -_sweep5(A, checked(m, d, lane_item(A[0], 5), w, j, 5))
    store3(d.heap_H, place, A[0:3])
    store3(d.heap_H, place + 3, A[3:6])


@kernel
def checked(m, d, pivot, w, j, k):
    """A pivot of dof k of tree j, at least MINVAL"""
    if pivot < MINVAL:
        warn(d, WARN_INERTIA, mask_of(1 << w), m.tree_dofadr[j] + k)
        return MINVAL
    return pivot


# ----------------------------------------------------------------------------------------- solution


@kernel
def solve_island(m, d, w):
    """heap_x of an island <= inverse(H) heap_x, by (3) and (4)"""
    nodes, first, H = w * m.ntree, w * (d.nBmax // W), d.heap_H
    blocks = first + 6 * d.world_nnode[w] - 6 * first
    # (3): y_j is final, and is taken from its rows
    for a in range(d.nisle):
        j = d.isle_node[a]
        d.heap_x[j] = multiply(d.heap_H, first + 6 * d.node_rank[nodes + j], d.heap_x, j)
        for e in range(d.node_links[nodes + j], d.node_linkend[nodes + j]):
            i = d.link_row[e]
            d.heap_x[i] = d.heap_x[i] - multiply(d.heap_H, blocks + 6 * e, d.heap_x, j)
    # (4), in reverse order
    for a in range(d.nisle - 1, -1, -1):
        j = d.isle_node[a]
        begin, end = d.node_links[nodes + j], d.node_linkend[nodes + j]
        if begin == end:
            continue
        # U' x: the sum of a Row for each of six columns, by turning them
        s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for e in range(begin, end):
            u, x = blocks + 6 * e, d.heap_x[d.link_row[e]]
            s0, s1, s2 = s0 + H[u] * x, s1 + H[u + 1] * x, s2 + H[u + 2] * x
            s3, s4, s5 = s3 + H[u + 3] * x, s4 + H[u + 4] * x, s5 + H[u + 5] * x
        s = transpose(vec(s0, s1, s2, s3, s4, s5, 0.0, 0.0))
        d.heap_total[0] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5]
        y = multiply(d.heap_H, first + 6 * d.node_rank[nodes + j], d.heap_total, 0)
        d.heap_x[j] = d.heap_x[j] - y


@kernel(inline=True)
def multiply(H, a, x, y):
    """The block of six columns at a, times row y of x"""
    s = H[a] * load_lane(x, y, 0) + H[a + 1] * load_lane(x, y, 1)
    s = s + H[a + 2] * load_lane(x, y, 2) + H[a + 3] * load_lane(x, y, 3)
    return s + H[a + 4] * load_lane(x, y, 4) + H[a + 5] * load_lane(x, y, 5)
