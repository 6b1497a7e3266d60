"""The Hessian of a heap, in blocks of one world each.

A block is a 6x6 matrix of one world, kept as six columns, with the rows in the lanes. A contact
with stiffness W at its point, r, gives, where W has changed,

    H_tt += P_t' W P_t,     H_uv += P_u' W P_v,     P_t = (v + w x r) of the dofs of tree t (1)

where P_t has three rows: the motion of the contact point by each dof of tree t, with the opposite
sign for the second of two trees. v and w are the rows of heap_axes: translation and rotation by
each dof. If there is friction of spin or rolling, the stiffness is that of six directions, S of
primal/hessian.py, and P_t has the six rows (w, v) about the centre of the first tree.

A world has an eighth of heap_sum. In it the blocks of trees come first, then those of pairs, whose
rows are those of the tree that is eliminated later. Only what has changed since the last iteration
is added; node_dirty tells which trees have changed.
"""

from ....lanes import (
    NROW,
    W,
    bits,
    concat,
    kernel,
    load3,
    load_lane,
    store3,
    store_lane,
    vec,
)
from ....mjconst import CONE_ELLIPTIC
from ...spatial import cross, mul_stiffness
from ..primal.hessian import (
    cone_matrix,
    cone_spin,
    is_any_nonzero,
    is_nonzero,
    pyramid_matrix,
    pyramid_spin,
    turning_stiffness,
)


@kernel
def add_contacts(m, d, w, bare):
    """bunch_u, bunch_w => heap_sum: what has changed since the last call; all if it is `bare`"""
    for g in range(d.nbunch):
        if d.bunch_turns[g] == 1:
            changed = change_with_spin(m, d, g, bare)
            for k in range(d.bunch_size[g]):
                if (changed >> k) & 1:
                    add_body(m, d, w, g, k)
        else:
            changed = change(m, d, g, bare)
            for k in range(d.bunch_size[g]):
                if (changed >> k) & 1:
                    add_point(m, d, w, g, k)


@kernel
def change(m, d, g, bare):
    """bunch_change, bunch_S <= stiffness of the points of a bunch; bits: where it has changed"""
    u, F, D = d.bunch_u[g], d.bunch_frame[g], d.bunch_D[g]
    if m.opt.cone == CONE_ELLIPTIC:
        K, _, _, _ = cone_matrix(F, D[0], d.bunch_mu[g], u, d.bunch_w[g])
    else:
        # a pyramid has the stiffness of the edges that push
        edges = pushing_edges(u)
        if bare == 0 and edges == d.bunch_edges[g]:
            return 0
        d.bunch_edges[g] = edges
        K = pyramid_matrix(F, D[0], u, 0.0)
    new = K
    if bare == 0:
        new = K - load_six(d.bunch_S, g)
    store_six(d.bunch_S, g, K)
    store_six(d.bunch_change, 0, new)
    return bits(is_nonzero(new))


@kernel(inline=True)
def pushing_edges(u):
    """Bits: which edges of eight pyramids push."""
    first = bits(u[0] + u[1] < 0.0) | bits(u[0] - u[1] < 0.0) << 8
    return first | bits(u[0] + u[2] < 0.0) << 16 | bits(u[0] - u[2] < 0.0) << 24


@kernel(inline=True)
def load_six(field, g):
    """The first six numbers of a row."""
    a, b = vec(field[g, 0], field[g, 1], field[g, 2]), vec(field[g, 3], field[g, 4], field[g, 5])
    return concat(a, b)


@kernel(inline=True)
def store_six(field, g, x):
    """The first six numbers of a row <= x"""
    field[g, 0] = x[0]
    field[g, 1] = x[1]
    field[g, 2] = x[2]
    field[g, 3] = x[3]
    field[g, 4] = x[4]
    field[g, 5] = x[5]


@kernel
def change_with_spin(m, d, g, bare):
    """The same with friction of spin and rolling: stiffness of the body"""
    u, w, F, D = d.bunch_u[g], d.bunch_w[g], d.bunch_frame[g], d.bunch_D[g]
    scale, r = d.bunch_turnscale[g], d.bunch_r[g]
    if m.opt.cone == CONE_ELLIPTIC:
        K, q, b, c = cone_matrix(F, D[0], d.bunch_mu[g], u, w)
        o, spin = cone_spin(F, scale, w, b, c)
        S = turning_stiffness(r, K, o, q, spin)
    else:
        spinning, o, spin = pyramid_spin(F, D, scale, u, w)
        S = turning_stiffness(r, pyramid_matrix(F, D[0], u, spinning), o, F[0:3], spin)
    new = S
    if bare == 0:
        new = S - d.bunch_S[g]
    d.bunch_S[g] = S
    d.bunch_change[0] = new
    return bits(is_any_nonzero(new))


@kernel
def add_point(m, d, w, g, k):
    """bunch_change of contact k of a bunch, of three directions => heap_sum, node_dirty"""
    c, nodes, first = NROW * g + k, w * m.ntree, w * (d.nBmax // W)
    S, r = load_six_of(d.bunch_change, k), load_lane(d.bunch_r, g, k)
    # the first tree with itself: the translation of the point
    t, p = d.bunch_hi[c], d.bunch_pair[c]
    axes = 6 * (nodes + t)
    P = load3(d.heap_axes, axes + 3) + cross(load3(d.heap_axes, axes), r)
    stiffen(d, P, S, 0)
    add_three(d, first + 6 * t, P, 0)
    d.node_dirty[t] = 1
    if p >= 0:
        # the second tree with itself, and one with the other: rows of the one that is later
        u = d.bunch_lo[c]
        axes = 6 * (nodes + u)
        r = r + load_lane(d.bunch_shift, g, k)
        Q = -(load3(d.heap_axes, axes + 3) + cross(load3(d.heap_axes, axes), r))
        stiffen(d, Q, S, 3)
        add_three(d, first + 6 * u, Q, 3)
        d.node_dirty[u] = 1
        pair = first + 6 * (m.ntree + p)
        if d.node_rank[nodes + t] > d.node_rank[nodes + u]:
            add_three(d, pair, P, 3)
        else:
            add_three(d, pair, Q, 0)


@kernel(inline=True)
def load_six_of(field, lane):
    """The first six numbers of a field, in one lane."""
    return vec(
        load_lane(field, (0, 0), lane), load_lane(field, (0, 1), lane),
        load_lane(field, (0, 2), lane), load_lane(field, (0, 3), lane),
        load_lane(field, (0, 4), lane), load_lane(field, (0, 5), lane),
    )  # fmt: skip


@kernel(inline=True)
def stiffen(d, P, S, k):
    """heap_WP <= S P, from row k on"""
    store3(d.heap_WP, k, vec(
        P[0] * S[0] + P[1] * S[1] + P[2] * S[2],
        P[0] * S[1] + P[1] * S[3] + P[2] * S[4],
        P[0] * S[2] + P[1] * S[4] + P[2] * S[5],
    ))  # fmt: skip


@kernel(inline=True)
def add_three(d, place, P, b):
    """The block of heap_sum at `place` += P' W P, of three directions with W P from row b on"""
    # dofs are in the lanes: column by column
    for j in range(6):
        h = d.heap_sum[place + j] + P[0] * load_lane(d.heap_WP, b, j)
        h = h + P[1] * load_lane(d.heap_WP, b + 1, j)
        d.heap_sum[place + j] = h + P[2] * load_lane(d.heap_WP, b + 2, j)


@kernel
def add_body(m, d, w, g, k):
    """The same of six directions: rotation and translation, about the centre of the first tree"""
    c, nodes, first = NROW * g + k, w * m.ntree, w * (d.nBmax // W)
    S, shift = load_lane(d.bunch_change, 0, k), load_lane(d.bunch_shift, g, k)
    t, p = d.bunch_hi[c], d.bunch_pair[c]
    axes = 6 * (nodes + t)
    turn, slide = load3(d.heap_axes, axes), load3(d.heap_axes, axes + 3)
    store_six_rows(d.heap_WP, 0, mul_stiffness(S, concat(turn, slide)))
    add_six(d, first + 6 * t, turn, slide, 0)
    d.node_dirty[t] = 1
    if p >= 0:
        # lo's axes as seen from hi's centre
        u = d.bunch_lo[c]
        axes = 6 * (nodes + u)
        w2, v2 = load3(d.heap_axes, axes), load3(d.heap_axes, axes + 3)
        turn2, slide2 = -w2, -(v2 + cross(w2, shift))
        store_six_rows(d.heap_WP, 6, mul_stiffness(S, concat(turn2, slide2)))
        add_six(d, first + 6 * u, turn2, slide2, 6)
        d.node_dirty[u] = 1
        pair = first + 6 * (m.ntree + p)
        if d.node_rank[nodes + t] > d.node_rank[nodes + u]:
            add_six(d, pair, turn, slide, 6)
        else:
            add_six(d, pair, turn2, slide2, 0)


@kernel(inline=True)
def store_six_rows(field, k, x):
    """Six numbers of a one-column field, from row k on <= x"""
    store3(field, k, x[0:3])
    store3(field, k + 3, x[3:6])


@kernel
def add_six(d, place, turn, slide, b):
    """add_three of rotation, then of translation"""
    add_three(d, place, turn, b)
    add_three(d, place, slide, b + 3)


# ------------------------------------------------------------------------------------- static rows


@kernel
def add_row_to_world(m, d, r, w, D):
    """heap_sum += J' D J of a static row, in world w; node_dirty"""
    first, end = m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r]
    for k in range(first, end):
        d.node_dirty[m.dof_treeid[m.row_colind[k]]] = 1
        DJ = D * load_lane(d.row_J, k, w)
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
