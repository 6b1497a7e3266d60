"""Islands: kinematic trees that constraints connect, world by world.

Constraints of different islands have nothing to do with each other, and each island is solved by
itself: it has its own steps, its own tolerance and its own end, whatever the others need. All of
them are on their way at the same time, and only what is a sum over dofs or constraints, such as the
slope of the cost along the search direction, is kept for each. Trees without constraints do not
take part.

An island has the number of its first tree, and its numbers have that place in the fields island_*.
Worlds have islands of their own. Mostly they agree about a tree, a slot or a row, and then its
island is a plain number (tree_common, slot_island, row_island). Else that is -1, and each world has
its own (island_first, slot_islands, row_islands). An island's sum is taken in one order either way:
a world's bits do not depend on the others.
"""

from ....lanes import (
    W,
    add_at,
    all_lanes,
    any_lane,
    highest,
    kernel,
    lane_mask,
    maximum,
    minimum,
    put,
    splat,
    vec,
    where,
)
from ....mjconst import DSBL_ISLAND, INT_DISCRETE
from ...smooth.tendon import last_dof
from ..slots import no_world


@kernel
def find_islands(m, d):
    """(slots, active rows) => island_first, tree_on"""
    whole = m.opt.disableflags & DSBL_ISLAND != 0 or m.ntree == 1
    # every tree by itself, and none has constraints, unless all of them are one island
    for t in range(m.ntree):
        d.island_first[t] = 0.0 if whole else t * 1.0
        d.tree_on[t] = where(d.nefc > 0.0, 1.0, 0.0) if whole else splat(0.0)
    if whole:
        return
    coupled = False
    if m.opt.integrator == INT_DISCRETE:
        coupled = couple_trees(m, d)
    # contacts connect the trees of their bodies
    for s in range(d.nslot):
        mine, lo = d.slot_con[s] >= 0.0, d.slot_lo[s]
        t = m.dof_treeid[last_dof(m, d.slot_hi[s])]
        d.tree_on[t] = where(mine, 1.0, d.tree_on[t])
        if lo > 0:
            connect(m, d, t, m.dof_treeid[last_dof(m, lo)], mine)
    # static rows connect the trees of all their dofs
    for a in range(d.nactive):
        r = d.active_row[a]
        first, n, mine = m.row_rowadr[r], m.row_rownnz[r], d.row_on[r] > 0.0
        if n > 0:
            t = m.dof_treeid[m.row_colind[first]]
            d.tree_on[t] = where(mine, 1.0, d.tree_on[t])
            for k in range(first + 1, first + n):
                connect(m, d, t, m.dof_treeid[m.row_colind[k]], mine)
    # what the metric connects with a constrained tree takes part
    if coupled:
        for t in range(m.ntree):
            for other in range(m.ntree):
                mine = (d.tree_on[t] > 0.0) & (d.island_first[other] == d.island_first[t])
                d.tree_on[other] = where(mine, 1.0, d.tree_on[other])


@kernel
def couple_trees(m, d):
    """Join trees that the discrete integrator's metric connects, by tendons and actuators; whether
    there are any"""
    found = False
    for t in range(m.ntendon):
        first = m.ten_J_rowadr[t]
        if join_all(m, d, m.ten_J_colind, first, first + m.ten_J_rownnz[t]):
            found = True
    for o in range(m.nout):
        first = m.trn_rowadr[o]
        if join_all(m, d, m.trn_colind, first, first + m.trn_rownnz[o]):
            found = True
    return found


@kernel
def join_all(m, d, dofs, first, end):
    """The trees of some dofs are one; whether they are several"""
    found = False
    for k in range(first + 1, end):
        t1, t2 = m.dof_treeid[dofs[first]], m.dof_treeid[dofs[k]]
        if t1 != t2:
            join(m, d, t1, t2, lane_mask(W))
            found = True
    return found


@kernel
def connect(m, d, t1, t2, mine):
    """Trees t1 and t2 are on one island, in the worlds `mine`."""
    if t1 == t2:
        return
    d.tree_on[t2] = where(mine, 1.0, d.tree_on[t2])
    join(m, d, t1, t2, mine)


@kernel
def join(m, d, t1, t2, mine):
    """One island instead of two, in the worlds `mine`"""
    # the higher number of the two islands gives way, in all trees that have it
    a, b = d.island_first[t1], d.island_first[t2]
    first, second = minimum(a, b), maximum(a, b)
    apart = mine & (first != second)
    if any_lane(apart):
        for t in range(m.ntree):
            island = d.island_first[t]
            d.island_first[t] = where(apart & (island == second), first, island)


@kernel
def list_islands(m, d):
    """(island_first, tree_on) => run_island, island_rank, island_scale, and what belongs to each;
    nisland"""
    n, before = 0, splat(0.0)
    for t in range(m.ntree):
        first = begins(d, t)
        d.tree_common[t] = agreed(d.island_first[t], d.tree_on[t] > 0.0)
        d.island_rank[t] = before
        d.island_niter[t] = 0.0
        d.island_noise[t] = 0.0
        d.island_blur[t] = 0.0
        d.island_whole[t] = 0.0
        # trees without an island do not move
        d.island_alpha[t] = 0.0
        d.island_beta[t] = 0.0
        if any_lane(first):
            d.run_island[n] = t
            n += 1
            before = before + where(first, 1.0, 0.0)
    d.nrun_island = n
    d.nisland = splat(0.0) if m.opt.disableflags & DSBL_ISLAND else before
    list_constraints(m, d)
    scale_tolerances(m, d)


@kernel(inline=True)
def begins(d, t):
    """Worlds in which an island begins with tree t."""
    return (d.island_first[t] == t * 1.0) & (d.tree_on[t] > 0.0)


@kernel(inline=True)
def agreed(island, mine):
    """The island of the worlds `mine` as a plain number, or -1 if they have several."""
    last = highest(where(mine, island, 0.0))
    return last if all_lanes(where(mine, island, last * 1.0) == last * 1.0) else -1


@kernel
def list_constraints(m, d):
    """slot_island, row_island <= the islands of slots and rows: those of their first trees"""
    for s in range(d.nslot):
        if d.nrun_island == 1:
            d.slot_island[s] = d.run_island[0]
        elif d.is_heap == 1:
            # another body in each world
            mine = d.slot_con[s] >= 0.0
            dof = where(mine, m.body_dofadr[d.heap_hi[s]], 0.0)
            islands = d.island_first[m.dof_treeid[dof]]
            d.slot_islands[s] = islands
            d.slot_island[s] = agreed(islands, mine)
        else:
            t = m.dof_treeid[last_dof(m, d.slot_hi[s])]
            d.slot_island[s] = d.tree_common[t]
            d.slot_islands[s] = d.island_first[t]
    for a in range(d.nactive):
        r = d.active_row[a]
        t = m.dof_treeid[m.row_colind[m.row_rowadr[r]]] if m.row_rownnz[r] > 0 else 0
        d.row_island[r] = d.tree_common[t]
        d.row_islands[r] = d.island_first[t]


@kernel
def scale_tolerances(m, d):
    """island_scale <= 1 / the trace of M of an island"""
    # traces of M, summed by islands
    for t in range(m.ntree):
        d.island_scale[t] = 0.0
    for t in range(m.ntree):
        trace = splat(0.0)
        for i in range(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t]):
            trace = trace + d.M[m.M_rowadr[i] + m.M_rownnz[i] - 1]
        add_at(d.island_scale, d.island_first[t], trace, d.tree_on[t] > 0.0)
    for k in range(d.nrun_island):
        t = d.run_island[k]
        trace = d.island_scale[t]
        d.island_scale[t] = 1.0 / where(trace > 0.0, trace, 1.0)


@kernel
def running(d):
    """Worlds that have an island which is not done"""
    run = no_world()
    for k in range(d.nrun_island):
        run = run | (d.island_run[d.run_island[k]] > 0.0)
    return run


# ---- numbers of islands


@kernel(inline=True)
def of_tree(d, field, t):
    """What the island of tree t has in a field."""
    p = d.tree_common[t]
    return field[p] if p >= 0 else field[d.island_first[t]]


@kernel(inline=True)
def to_tree(d, field, t, x):
    """What the island of tree t has in a field <= x"""
    p = d.tree_common[t]
    if p >= 0:
        field[p] = x
    else:
        put(field, d.island_first[t], x, d.tree_on[t] > 0.0)


@kernel(inline=True)
def of_slot(d, field, s):
    """What the island of slot s has in a field."""
    p = d.slot_island[s]
    return field[p] if p >= 0 else field[d.slot_islands[s]]


@kernel(inline=True)
def of_row(d, field, r):
    """What the island of static row r has in a field."""
    p = d.row_island[r]
    return field[p] if p >= 0 else field[d.row_islands[r]]


@kernel(inline=True)
def two_zeros():
    """Zeros to begin a pair of sums with."""
    return vec(splat(0.0), splat(0.0))


@kernel
def clear_sums(d):
    """island_sum <= zeros"""
    for k in range(d.nrun_island):
        d.island_sum[d.run_island[k]] = two_zeros()


@kernel(inline=True)
def add_row(d, at, total, r, x):
    """island_sum += x, of static row r. The sum of one island, `at`, is at hand: total; both"""
    p = d.row_island[r]
    total = switch(d, at, total, p)
    if p >= 0:
        total = total + x
    else:
        q = d.row_islands[r]
        put(d.island_sum, q, d.island_sum[q] + x, d.row_on[r] > 0.0)
    return p, total


@kernel(inline=True)
def add_slot(d, at, total, s, x):
    """The same of slot s"""
    p = d.slot_island[s]
    total = switch(d, at, total, p)
    if p >= 0:
        total = total + x
    else:
        q = d.slot_islands[s]
        put(d.island_sum, q, d.island_sum[q] + x, d.slot_con[s] >= 0.0)
    return p, total


@kernel(inline=True)
def switch(d, at, total, p):
    """From the sum of island `at` to that of p; -1 is none."""
    if p != at:
        if at >= 0:
            d.island_sum[at] = total
        if p >= 0:
            total = d.island_sum[p]
    return total
