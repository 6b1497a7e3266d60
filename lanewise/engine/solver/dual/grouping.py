"""Rows of each world by islands: constraints that share no tree do not interact.

Each island is solved by itself, with its own order of rows and its own end. It has the number of
its first tree. Trees that a row couples are joined in dual_tree, where a tree points to another one
of its island, and the first of them to itself.
"""

from ....lanes import (
    W,
    kernel,
    lane_item,
    load_lane,
    mask_of,
    maximum,
    splat,
    store_lane,
    to_int,
    where,
)
from ....mjconst import DSBL_ISLAND, MINVAL, SOL_PGS


@kernel(inline=True)
def is_whole(m):
    """Whether all rows of a world are solved together."""
    return m.ntree < 2 or m.opt.disableflags & DSBL_ISLAND != 0


@kernel
def forget_trees(m, d):
    """Every tree is an island by itself"""
    for t in range(m.ntree):
        for w in range(W):
            d.dual_tree[W * t + w] = t


@kernel
def join_trees(d, t1, t2):
    """A constraint couples two trees, in the worlds of here_world"""
    for s in range(d.nhere):
        w = d.here_world[s]
        a, b = root_tree(d, t1, w), root_tree(d, t2, w)
        d.dual_tree[W * max(a, b) + w] = min(a, b)


@kernel
def root_tree(d, t, w):
    """The first tree of t's island in world w, so far"""
    while d.dual_tree[W * t + w] != t:
        t = d.dual_tree[W * t + w]
    return t


@kernel
def find_islands(m, d):
    """world_nisland, nisland; of each island of each world, dual_first, dual_size, dual_scale"""
    islands = where(d.dual_nrow > 0.0, 1.0, 0.0)
    if is_whole(m):
        total = splat(0.0)
        for k in range(m.nv):
            total = total + d.M[m.M_rowadr[k] + m.M_rownnz[k] - 1]
        d.dual_scale[0] = 1.0 / maximum(total, MINVAL)
    for w in range(W):
        if is_whole(m):
            d.dual_size[w] = to_int(lane_item(d.dual_nrow, w))
            d.world_nisland[w] = to_int(lane_item(islands, w))
        else:
            d.world_nisland[w] = group_rows(m, d, w)
            islands = where(mask_of(1 << w), d.world_nisland[w] * 1.0, islands)
    if m.opt.solver == SOL_PGS and not m.opt.disableflags & DSBL_ISLAND:
        d.nisland = islands


@kernel
def group_rows(m, d, w):
    """dual_row <= the rows of world w by islands; dual_first, dual_size, dual_scale of each island;
    how many there are"""
    n = to_int(lane_item(d.dual_nrow, w))
    for t in range(m.ntree):
        d.dual_count[t] = 0
        d.dual_trace[t] = 0.0
    for k in range(m.nv):
        t = root_tree(d, m.dof_treeid[k], w)
        M_kk = load_lane(d.M, m.M_rowadr[k] + m.M_rownnz[k] - 1, w)
        d.dual_trace[t] = d.dual_trace[t] + M_kk
    for i in range(n):
        t = root_tree(d, d.dual_island[W * i + w], w)
        d.dual_island[W * i + w] = t
        d.dual_count[t] = d.dual_count[t] + 1
    # counting sort: dual_count[t], the number of rows, becomes the first place of island t ...
    first, islands = 0, 0
    for t in range(m.ntree):
        number = d.dual_count[t]
        d.dual_count[t] = first
        if number > 0:
            d.dual_first[W * islands + w] = first
            d.dual_size[W * islands + w] = number
            store_lane(d.dual_scale, islands, w, 1.0 / maximum(d.dual_trace[t], MINVAL))
            islands += 1
        first += number
    # ... then the next free one
    for i in range(n):
        t = d.dual_island[W * i + w]
        d.dual_row[W * d.dual_count[t] + w] = i
        d.dual_count[t] = d.dual_count[t] + 1
    return islands
