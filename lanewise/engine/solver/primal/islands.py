"""Which kinematic trees constraints connect, world by world.

MuJoCo solves each such island by itself: it scales the tolerance by the trace of the island's M,
and trees without constraints do not take part. Here all islands of a world are solved at once; what
is taken over from this is the start, and a tolerance that is as strict for every island.

An island has the number of its first tree.
"""

from ....lanes import add_at, any_lane, kernel, maximum, minimum, splat, where
from ....mjconst import DSBL_ISLAND
from ...smooth.tendon import last_dof

FAR = 1e300


@kernel
def find_islands(m, d):
    """(slots, active rows) => island_first, tree_on"""
    whole = m.opt.disableflags & DSBL_ISLAND != 0 or m.ntree == 1
    # every tree by itself, and none has constraints, unless all of them are one island
    for t in range(m.ntree):
        d.island_first[t] = t * 1.0
        d.tree_on[t] = where(d.nefc > 0.0, 1.0, 0.0) if whole else splat(0.0)
    if whole:
        return
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


@kernel
def connect(m, d, t1, t2, mine):
    """Trees t1 and t2 are on one island, in the worlds `mine`."""
    if t1 == t2:
        return
    d.tree_on[t2] = where(mine, 1.0, d.tree_on[t2])
    # the higher number of the two islands gives way, in all trees that have it
    a, b = d.island_first[t1], d.island_first[t2]
    first, second = minimum(a, b), maximum(a, b)
    apart = mine & (first != second)
    if any_lane(apart):
        for t in range(m.ntree):
            island = d.island_first[t]
            d.island_first[t] = where(apart & (island == second), first, island)


@kernel
def island_number(m, d):
    """How many islands a world has; 1 if they are not to be looked at"""
    number = splat(1.0)
    if not m.opt.disableflags & DSBL_ISLAND:
        number = splat(0.0)
        for t in range(m.ntree):
            first = (d.island_first[t] == t * 1.0) & (d.tree_on[t] > 0.0)
            number = number + where(first, 1.0, 0.0)
    return number


@kernel
def tolerance_scale(m, d):
    """1 / the trace of M, by which tolerances are scaled: of the island that has the smallest"""
    whole = m.opt.disableflags & DSBL_ISLAND != 0 or m.ntree == 1
    # traces of M, summed by islands
    for t in range(m.ntree):
        d.tree_trace[t] = 0.0
    for t in range(m.ntree):
        trace = splat(0.0)
        for i in range(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t]):
            trace = trace + d.M[m.M_rowadr[i] + m.M_rownnz[i] - 1]
        if whole:
            d.tree_trace[0] = d.tree_trace[0] + trace
        else:
            add_at(d.tree_trace, d.island_first[t], trace, d.tree_on[t] > 0.0)
    # the smallest of an island that has constraints
    least = splat(FAR)
    for t in range(m.ntree):
        trace = d.tree_trace[t]
        least = where(trace > 0.0, minimum(trace, least), least)
    return 1.0 / least
