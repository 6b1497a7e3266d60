"""The Hessian of a heap, in blocks of one world each.

A block is a 6x6 matrix of one world, kept as six columns, with the rows in the lanes. A contact
with stiffness W at its point, r, gives, in every world in which W has changed,

    H_tt += P_t' W P_t,     H_uv += P_u' W P_v,     P_t = (v + w x r) of the dofs of tree t (1)

where P_t has three rows: the motion of the contact point by each dof of tree t, with the opposite
sign for the second of two trees. v and w are the rows of heap_axes: translation and rotation by
each dof. If there is friction of spin or rolling, the stiffness is that of six directions, S of
primal/hessian.py, and P_t has the six rows (w, v) about the centre of the first tree.

A world has an eighth of heap_sum. In it the blocks of trees come first, then those of pairs, whose
rows are those of the tree that is eliminated later. Only what has changed since the last iteration
is added; node_dirty tells which trees have changed, in which worlds.
"""

from ....lanes import (
    NROW,
    W,
    any_lane,
    concat,
    kernel,
    lane_item,
    load3,
    load_lane,
    put_rows,
    splat,
    store3,
    store_lane,
    to_int,
    vec,
)
from ...spatial import cross, mul_stiffness
from .factor import load8
from .graph import tree_of


@kernel
def first_heap_hessian(m, d):
    """M => heap_sum, cdof => heap_axes; no constraint counts yet"""
    share = d.nBmax // W
    for t in range(m.ntree):
        # in all worlds the column is to be made
        d.node_dirty[t] = (1 << W) - 1
        first, n = m.tree_dofadr[t], m.tree_dofnum[t]
        # M of the tree, and 1 on the diagonal where there is no dof: column j, row i is at 8 j + i,
        # with worlds in the lanes
        for j in range(6):
            for i in range(NROW):
                d.heap_block[NROW * j + i] = splat(1.0 if i == j and j >= n else 0.0)
        for i in range(first, first + n):
            for k in range(m.M_rowadr[i], m.M_rowadr[i] + m.M_rownnz[i]):
                j = m.M_colind[k]
                d.heap_block[NROW * (j - first) + i - first] = d.M[k]
                d.heap_block[NROW * (i - first) + j - first] = d.M[k]
        # turned: each world gets its six columns, with the rows in a Row
        for j in range(6):
            put_rows(d.heap_sum, 6 * t + j, share, load8(d.heap_block, NROW * j))
        # cdof in the same way
        for i in range(n):
            for k in range(6):
                d.heap_block[NROW * k + i] = d.cdof[first + i, k]
        for i in range(n, NROW):
            for k in range(6):
                d.heap_block[NROW * k + i] = splat(0.0)
        for k in range(6):
            put_rows(d.heap_axes, 6 * t + k, 6 * m.ntree, load8(d.heap_block, NROW * k))
    # blocks of pairs
    for w in range(W):
        first = w * share + 6 * m.ntree
        for k in range(first, first + 6 * d.heap_npair):
            d.heap_sum[k] = 0.0
    d.H_bare = 1


# ---------------------------------------------------------------------------------------- contacts


@kernel
def add_to_worlds(m, d, s, changed, turns):
    """heap_changes, of the stiffness of slot s => heap_sum, node_dirty of the worlds `changed`"""
    for w in range(d.nworld):
        if (changed >> w) & 1 and lane_item(d.heap_fits, w) > 0.0:
            # the first tree with itself
            t = tree_of(m, to_int(load_lane(d.heap_hi, s, w)))
            p, nodes = to_int(load_lane(d.heap_pair, s, w)), w * m.ntree
            first = w * (d.nBmax // W)
            directions(d, s, w, 6 * (nodes + t), 0, turns)
            add_block(d, first + 6 * t, 0, 0, turns)
            d.node_dirty[t] = d.node_dirty[t] | (1 << w)
            if p >= 0:
                # the second tree with itself, and one with the other: rows of the one that is later
                u = tree_of(m, to_int(load_lane(d.heap_lo, s, w)))
                directions(d, s, w, 6 * (nodes + u), 6, turns)
                add_block(d, first + 6 * u, 6, 6, turns)
                d.node_dirty[u] = d.node_dirty[u] | (1 << w)
                later = 0 if d.node_rank[nodes + t] > d.node_rank[nodes + u] else 6
                add_block(d, first + 6 * (m.ntree + p), later, 6 - later, turns)


@kernel
def directions(d, s, w, axes, k, turns):
    """heap_P, heap_WP <= P and W P of a tree, from row k on; k is 6 for the second of two trees"""
    turn, slide = load3(d.heap_axes, axes), load3(d.heap_axes, axes + 3)
    shift = load_lane(d.heap_shift, s, w)
    # six directions: lo's axes as seen from hi's centre
    if turns == 1:
        if k == 6:
            turn, slide = -turn, -(slide + cross(turn, shift))
        WP = mul_stiffness(load_lane(d.heap_changes, 0, w), concat(turn, slide))
        store3(d.heap_P, k, turn)
        store3(d.heap_P, k + 3, slide)
        store3(d.heap_WP, k, WP[0:3])
        store3(d.heap_WP, k + 3, WP[3:6])
    else:
        # three directions: the translation of the point
        r, W = load_lane(d.slot_r, s, w), load_lane(d.heap_changes, 0, w)
        P = slide + cross(turn, r) if k == 0 else -(slide + cross(turn, r + shift))
        store3(d.heap_P, k, P)
        store3(d.heap_WP, k, vec(
            P[0] * W[0] + P[1] * W[1] + P[2] * W[2],
            P[0] * W[1] + P[1] * W[3] + P[2] * W[4],
            P[0] * W[2] + P[1] * W[4] + P[2] * W[5],
        ))  # fmt: skip


@kernel
def add_block(d, place, a, b, turns):
    """The block of heap_sum at `place` += P' W P, P from row a and W P from row b on"""
    # P and W P have dofs in the lanes: three directions at a time, column by column
    for k in range(0, 6 if turns == 1 else 3, 3):
        P, x = load3(d.heap_P, a + k), d.heap_WP
        for j in range(6):
            h = d.heap_sum[place + j] + P[0] * load_lane(x, b + k, j)
            h = h + P[1] * load_lane(x, b + k + 1, j)
            d.heap_sum[place + j] = h + P[2] * load_lane(x, b + k + 2, j)


# ------------------------------------------------------------------------------------- static rows


@kernel
def add_row_to_worlds(m, d, r, D):
    """heap_sum += J' D J of a static row, world by world"""
    if not any_lane(D != 0.0):
        return
    first, end = m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r]
    for w in range(d.nworld):
        # every two dofs of the row, and which trees that changes
        D_w = lane_item(D, w)
        if D_w != 0.0 and lane_item(d.heap_fits, w) > 0.0:
            for k in range(first, end):
                t = m.dof_treeid[m.row_colind[k]]
                d.node_dirty[t] = d.node_dirty[t] | (1 << w)
                DJ = D_w * load_lane(d.row_J, k, w)
                for q in range(first, end):
                    x = DJ * load_lane(d.row_J, q, w)
                    add_to_world(m, d, w, m.row_colind[k], m.row_colind[q], x)


@kernel
def add_to_world(m, d, w, i, j, x):
    """heap_sum += x at dofs i, j of world w, unless it is the mirror image of what is kept"""
    t, u, nodes = m.dof_treeid[i], m.dof_treeid[j], w * m.ntree
    # the block of the tree, or that of the pair: rows of the later tree only
    block = t
    if t != u:
        if d.node_rank[nodes + t] < d.node_rank[nodes + u]:
            return
        e = d.node_links[nodes + u]
        while d.link_row[e] != t:
            e += 1
        block = m.ntree + d.link_pair[e]
    # column of dof j, lane of dof i
    k = w * (d.nBmax // W) + 6 * block + j - m.tree_dofadr[u]
    row = i - m.tree_dofadr[t]
    store_lane(d.heap_sum, k, row, load_lane(d.heap_sum, k, row) + x)
