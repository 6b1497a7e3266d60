"""The graph of a heap: which trees touch, world by world, and in which order to eliminate them.

The trees of a heap are its nodes, each of one body with up to six dofs. A contact of two of them is
an edge, a pair; so are two trees of one static row. H has a block of its own for every node and for
every pair. Eliminating a node v leaves blocks among all its neighbours N(v):

    N(u) <= N(u) + N(v) - {u, v}     for all u in N(v)                                      (1)

so the node that has fewest neighbours left goes first: most bodies of a heap are supported by few
others.

The neighbours that v has when it goes are column v of the factor, C(v): its links. They are not
looked up in a graph that grows. By (1) a neighbour of v is either one by a pair, or in a column
that v is in, too:

    C(v) = pairs of v + the columns C(k) that contain v,  without what is eliminated        (2)

From then on such columns C(k) lie within C(v) and need not be asked again: they are absorbed. The
list of the columns that a node is in runs through its links.

A node counts its neighbours as (2) says, marking what it has counted with a stamp of its own. Nodes
with as many neighbours are in a list, doubly linked, from which they are taken when that changes.

In the end the links of a column are sorted by the order of elimination, and those of a row are
listed in it. If there is no room for a world's links, that world goes to conjugate gradients.

All of this follows from the bodies of the contacts. Where things rest on each other these are the
same from step to step, and what was found at the last one is taken again.
"""

from ....lanes import (
    W,
    bits,
    kernel,
    lane_item,
    load_lane,
    mask_of,
    splat,
    store_lane,
    to_int,
    where,
)
from ....mjconst import DSBL_ISLAND, SOL_NEWTON

ABSORBED = 2  # node_on of a node whose column lies within another


@kernel
def lay_out_heap(m, d):
    """(slots, active rows) => islands, pairs; for Newton the structure of H; heap_fits"""
    whole = m.opt.disableflags & DSBL_ISLAND != 0
    newton = m.opt.solver == SOL_NEWTON
    same = same_as_before(d, whole, newton)
    # islands are looked for world by world, unless all trees are one
    most, fits, kept = 0, splat(1.0), mask_of(same)
    for t in range(m.ntree):
        d.tree_on[t] = where(d.nefc > 0.0, 1.0, 0.0) if whole else where(kept, d.tree_on[t], 0.0)
        d.island_first[t] = 0.0 if whole else where(kept, d.island_first[t], t * 1.0)
    for w in range(d.nworld):
        if (same >> w) & 1 == 0:
            lay_out_world(m, d, w, whole, newton)
        if d.world_npair[w] < 0:
            fits = where(mask_of(1 << w), 0.0, fits)
        most = max(most, d.world_npair[w])
    d.heap_fits = fits
    d.heap_npair = most


@kernel
def same_as_before(d, whole, newton):
    """Bits: worlds of which all is known already, since the bodies of all contacts are the same"""
    # static rows are not compared; graph_made_for is 0 where nothing is known
    now = 1 + (1 if whole else 0) + (2 if newton else 0) + 4 * d.nworld if d.nactive == 0 else 0
    same, comparable = splat(0.0) == 0.0, now > 0 and d.graph_made_for == now
    # a lane without a contact has bodies of 0
    for s in range(max(d.nslot, d.graph_nslot)):
        hi, lo = splat(0.0), splat(0.0)
        if s < d.nslot:
            hi, lo = d.heap_hi[s], d.heap_lo[s]
        if s < d.graph_nslot:
            same = same & (hi == d.graph_hi[s]) & (lo == d.graph_lo[s])
        else:
            same = same & (hi == 0.0)
        d.graph_hi[s] = hi
        d.graph_lo[s] = lo
    d.graph_nslot = d.nslot
    d.graph_made_for = now
    return bits(same) if comparable else 0


@kernel
def lay_out_world(m, d, w, whole, newton):
    """lay_out_heap of world w => world_npair: its pairs, -1 if there is no room"""
    # what touches in this world
    pairs = find_pairs(m, d, w)
    for t in range(m.ntree):
        if not whole:
            store_lane(d.tree_on, t, w, 1.0 * d.node_on[t])
            store_lane(d.island_first, t, w, 1.0 * island_of(d, t))
        elif lane_item(d.nefc, w) > 0.0:
            d.node_on[t] = 1
    # Newton's structure, if there is room for it
    links = -1
    if pairs >= 0 and newton:
        links = eliminate(m, d, w)
    if links >= 0:
        sort_links(d, w, w * m.ntree)
        list_by_island(m, d, w, whole)
    d.world_npair[w] = pairs if links >= 0 else -1


# ------------------------------------------------------------------------------------------ pairs


@kernel
def find_pairs(m, d, w):
    """(slots, rows of world w) => heap_tree, heap_pair, node_on, node_root, edges

    The number of pairs; -1: there is no room.
    """
    # no node is touched, none has an edge
    for t in range(m.ntree):
        d.node_on[t] = 0
        d.node_root[t] = t
        d.node_edge[t] = -1
        d.node_degree[t] = 0
    # room for pairs: in lists of edges, and as blocks of six Lanes in a world's eighth of H_sum
    room = min(8 * d.nconmax, d.nBmax // (6 * W) - m.ntree)
    pairs = 0
    # contacts; a world's slots come without gaps
    for s in range(d.nslot):
        if load_lane(d.slot_con, s, w) < 0.0:
            break
        hi, lo = to_int(load_lane(d.heap_hi, s, w)), to_int(load_lane(d.heap_lo, s, w))
        c, t, u, p = w * d.nconmax + s, tree_of(m, hi), -1, -1
        d.node_on[t] = 1
        if lo > 0:
            u = tree_of(m, lo)
            p = pair_of_trees(d, t, u, pairs, room)
            pairs = max(pairs, p + 1)
        d.heap_tree[2 * c] = t
        d.heap_tree[2 * c + 1] = u
        d.heap_pair[c] = p
    # static rows: every two trees of a row
    for a in range(d.nactive):
        r = d.active_row[a]
        if load_lane(d.row_on, r, w) > 0.0:
            first, end = m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r]
            for k in range(first, end):
                t = m.dof_treeid[m.row_colind[k]]
                d.node_on[t] = 1
                for q in range(first, k):
                    other = m.dof_treeid[m.row_colind[q]]
                    if other != t:
                        pairs = max(pairs, pair_of_trees(d, t, other, pairs, room) + 1)
    return pairs if pairs <= room else -1


@kernel(inline=True)
def tree_of(m, b):
    """The tree of a body that moves."""
    return m.dof_treeid[m.body_dofadr[b]]


@kernel
def pair_of_trees(d, a, b, pairs, room):
    """The number of the pair of trees a and b, which is `pairs` if it is new"""
    join_islands(d, a, b)
    d.node_on[b] = 1
    # is there an edge already? look where there are fewer
    u, v = (a, b) if d.node_degree[a] < d.node_degree[b] else (b, a)
    e = d.node_edge[u]
    while e >= 0:
        if d.edge_node[e] == v:
            return e >> 1
        e = d.edge_next[e]
    if pairs < room:
        add_edge(d, 2 * pairs, a, b)
        add_edge(d, 2 * pairs + 1, b, a)
    return pairs


@kernel(inline=True)
def add_edge(d, e, a, b):
    """Edge e leads from a to b; edges 2 p and 2 p + 1 are those of pair p."""
    d.edge_node[e] = b
    d.edge_next[e] = d.node_edge[a]
    d.node_edge[a] = e
    d.node_degree[a] = d.node_degree[a] + 1


@kernel
def island_of(d, t):
    """The first tree of t's island; the way there becomes shorter"""
    while d.node_root[t] != t:
        d.node_root[t] = d.node_root[d.node_root[t]]
        t = d.node_root[t]
    return t


@kernel
def join_islands(d, a, b):
    """The islands of trees a and b become one."""
    a, b = island_of(d, a), island_of(d, b)
    d.node_root[max(a, b)] = min(a, b)


# ------------------------------------------------------------------------------------- elimination


@kernel
def eliminate(m, d, w):
    """(edges, node_on) => node_order, node_rank, node_links, links; how many, -1: no room"""
    share, n, least = d.nBmax // W, 0, 0
    first = w * share
    # lists of nodes by their number of neighbours; the lowest tree comes first
    for k in range(m.ntree):
        d.degree_first[k] = -1
    for t in range(m.ntree - 1, -1, -1):
        d.node_rank[w * m.ntree + t] = -1
        d.node_mark[t] = -1
        d.node_column[t] = -1
        if d.node_on[t] == 1:
            put_in_bucket(d, t, d.node_degree[t])
            n += 1
    # six Lanes for every node, and for every link
    d.world_nnode[w] = n
    if 6 * n > share:
        return -1
    links, stamp = 0, 0
    for rank in range(n):
        # the node with fewest neighbours
        while d.degree_first[least] < 0:
            least += 1
        v = d.degree_first[least]
        take_out_of_bucket(d, v)
        # is next in the order; its column begins where the last one ended
        place = w * m.ntree + v
        d.node_rank[place] = rank
        d.node_order[w * m.ntree + rank] = v
        d.node_links[place] = first + links
        if 6 * (n + links + d.node_degree[v]) > share:
            return -1
        # its column, and what that changes for the nodes in it
        links = gather_column(d, v, first, links, stamp, w * m.ntree)
        d.node_linkend[place] = first + links
        stamp = update_degrees(d, d.node_links[place], first + links, stamp + 1, w * m.ntree)
        # these may have fewer neighbours than any other
        for e in range(d.node_links[place], first + links):
            least = min(least, d.node_degree[d.link_row[e]])
    return links


@kernel
def gather_column(d, v, first, links, stamp, nodes):
    """Column v <= what v is still connected to, by pairs and by the columns that it is in: (2)"""
    # pairs
    e = d.node_edge[v]
    while e >= 0:
        if d.node_rank[nodes + d.edge_node[e]] < 0:
            links = add_link(d, first, links, d.edge_node[e], v, e >> 1, stamp)
        e = d.edge_next[e]
    # columns; what is in several of them is marked when it is first seen
    q = d.node_column[v]
    while q >= 0:
        column = nodes + d.link_column[q]
        for e in range(d.node_links[column], d.node_linkend[column]):
            u = d.link_row[e]
            if d.node_rank[nodes + u] < 0 and d.node_mark[u] != stamp:
                links = add_link(d, first, links, u, v, -1, stamp)
        d.node_on[d.link_column[q]] = ABSORBED  # lies within column v
        q = d.link_next[q]
    return links


@kernel(inline=True)
def add_link(d, first, links, u, v, pair, stamp):
    """A link of column v to row u; how many links there are now"""
    d.node_mark[u] = stamp
    d.link_row[first + links] = u
    d.link_column[first + links] = v
    d.link_pair[first + links] = pair
    return links + 1


@kernel
def update_degrees(d, begin, end, stamp, nodes):
    """The columns and the number of neighbours of all nodes in a new column; the next stamp"""
    for e in range(begin, end):
        u = d.link_row[e]
        # the columns that u is in: the new one, then those that were not absorbed
        q, kept = d.node_column[u], e
        while q >= 0:
            if d.node_on[d.link_column[q]] != ABSORBED:
                d.link_next[kept] = q
                kept = q
            q = d.link_next[q]
        d.link_next[kept] = -1
        d.node_column[u] = e
        # how many neighbours u has now: one less if v had no other
        take_out_of_bucket(d, u)
        degree = d.node_degree[u] - 1
        if end - begin > 1:
            degree = count_neighbours(d, u, stamp, nodes)
            stamp += 1
        put_in_bucket(d, u, degree)
    return stamp


@kernel
def count_neighbours(d, u, stamp, nodes):
    """How many neighbours u has; edges to nodes that are gone are taken off its list"""
    d.node_mark[u] = stamp
    # by pairs
    n, e, kept = 0, d.node_edge[u], -1
    while e >= 0:
        v, after = d.edge_node[e], d.edge_next[e]
        if d.node_rank[nodes + v] < 0:
            d.node_mark[v] = stamp
            n += 1
            kept = e
        elif kept < 0:
            d.node_edge[u] = after
        else:
            d.edge_next[kept] = after
        e = after
    # by columns, without what was counted
    q = d.node_column[u]
    while q >= 0:
        column = nodes + d.link_column[q]
        for e in range(d.node_links[column], d.node_linkend[column]):
            v = d.link_row[e]
            if d.node_rank[nodes + v] < 0 and d.node_mark[v] != stamp:
                d.node_mark[v] = stamp
                n += 1
        q = d.link_next[q]
    return n


@kernel
def put_in_bucket(d, v, degree):
    """Node v becomes the first of those with so many neighbours."""
    d.node_degree[v] = degree
    after = d.degree_first[degree]
    d.node_after[v] = after
    d.node_before[v] = -1
    if after >= 0:
        d.node_before[after] = v
    d.degree_first[degree] = v


@kernel
def take_out_of_bucket(d, v):
    """Node v leaves the list of those with as many neighbours."""
    before, after = d.node_before[v], d.node_after[v]
    if before >= 0:
        d.node_after[before] = after
    else:
        d.degree_first[d.node_degree[v]] = after
    if after >= 0:
        d.node_before[after] = before


# ------------------------------------------------------------------------------------------- order


@kernel
def sort_links(d, w, nodes):
    """Links of a column by the rank of their rows; node_row, link_next: those of a row by column"""
    for r in range(d.world_nnode[w]):
        v = nodes + d.node_order[nodes + r]
        d.node_row[v] = -1
        # insertion sort of a column by rank
        for e in range(d.node_links[v] + 1, d.node_linkend[v]):
            row, pair, q = d.link_row[e], d.link_pair[e], e
            rank = d.node_rank[nodes + row]
            while q > d.node_links[v] and d.node_rank[nodes + d.link_row[q - 1]] > rank:
                d.link_row[q] = d.link_row[q - 1]
                d.link_pair[q] = d.link_pair[q - 1]
                q -= 1
            d.link_row[q] = row
            d.link_pair[q] = pair
    # columns from the last to the first, each before what its rows have: lists that rise
    for r in range(d.world_nnode[w] - 1, -1, -1):
        v = nodes + d.node_order[nodes + r]
        for e in range(d.node_links[v], d.node_linkend[v]):
            u = nodes + d.link_row[e]
            d.link_next[e] = d.node_row[u]
            d.node_row[u] = e


@kernel
def list_by_island(m, d, w, whole):
    """Trees of an island, in the order of elimination; its slots, in that of contacts"""
    nodes, slots = w * m.ntree, w * d.nconmax
    for t in range(m.ntree):
        d.island_node[nodes + t] = -1
        d.contact_first[nodes + t] = -1
    # from the last to the first, each before those of the same island
    for r in range(d.world_nnode[w] - 1, -1, -1):
        v = d.node_order[nodes + r]
        t = nodes if whole else nodes + island_of(d, v)
        d.node_next[nodes + v] = d.island_node[t]
        d.island_node[t] = v
    for k in range(d.nslot):
        s = d.nslot - 1 - k
        if load_lane(d.slot_con, s, w) >= 0.0:
            t = nodes if whole else nodes + island_of(d, d.heap_tree[2 * (slots + s)])
            d.contact_next[slots + s] = d.contact_first[t]
            d.contact_first[t] = s
