"""The graph of a heap: which trees touch, world by world, and in which order to eliminate them.

The trees of a heap are its nodes, each of one body with up to six dofs. A contact of two of them is
an edge, a pair; so are two trees of one static row. H has a block of its own for every node and for
every pair. Eliminating a node leaves blocks among all its neighbours, so the node that has fewest
neighbours left goes first: most bodies of a heap are supported by few others.

The neighbours that node v has when it goes are column v of the factor: its links. They are not
looked up in a graph that grows. A neighbour of v is either one by a pair, or in a column that v is
in, too; such columns lie within column v from then on, and are not asked again. The list of the
columns that a node is in runs through its links.

In the end the links of a column are sorted by the order of elimination, and those of a row are
listed in it. If there is no room for a world's links, that world goes to conjugate gradients.
"""

from ....lanes import kernel, lane_item, load_lane, mask_of, splat, store_lane, to_int, where
from ....mjconst import DSBL_ISLAND, SOL_NEWTON


@kernel
def lay_out_heap(m, d):
    """(slots, active rows) => islands, pairs; for Newton the structure of H; heap_fits"""
    whole = m.opt.disableflags & DSBL_ISLAND != 0
    most, fits = 0, splat(1.0)
    for t in range(m.ntree):
        d.tree_on[t] = where(d.nefc > 0.0, 1.0, 0.0) if whole else splat(0.0)
        d.island_first[t] = t * 1.0
    for w in range(d.nworld):
        pairs = find_pairs(m, d, w)
        for t in range(m.ntree):
            if not whole:
                store_lane(d.tree_on, t, w, 1.0 * d.node_on[t])
                store_lane(d.island_first, t, w, 1.0 * island_of(d, t))
            elif lane_item(d.nefc, w) > 0.0:
                d.node_on[t] = 1
        links = -1
        if pairs >= 0 and m.opt.solver == SOL_NEWTON:
            links = eliminate(m, d, w)
        if links >= 0:
            sort_links(d, w, w * m.ntree)
        else:
            fits = where(mask_of(1 << w), 0.0, fits)
            pairs = 0
        most = max(most, pairs)
    d.heap_fits = fits
    d.heap[1] = most


# ------------------------------------------------------------------------------------------ pairs


@kernel
def find_pairs(m, d, w):
    """(slots, rows of world w) => heap_pair, node_on, node_root, edges; the pairs, -1: no room"""
    for t in range(m.ntree):
        d.node_on[t] = 0
        d.node_root[t] = t
        d.node_edge[t] = -1
        d.node_degree[t] = 0
    room = min(8 * d.nconmax, d.nHmax // 48 - m.ntree)
    pairs = 0
    for s in range(d.solver_n[0]):
        if load_lane(d.slot_con, s, w) < 0.0:
            break
        hi, lo = to_int(load_lane(d.heap_hi, s, w)), to_int(load_lane(d.heap_lo, s, w))
        t = tree_of(m, hi)
        d.node_on[t] = 1
        if lo > 0:
            p = join_trees(d, t, tree_of(m, lo), pairs, room)
            store_lane(d.heap_pair, s, w, 1.0 * p)
            pairs = max(pairs, p + 1)
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
                        pairs = max(pairs, join_trees(d, t, other, pairs, room) + 1)
    return pairs if pairs <= room else -1


@kernel(inline=True)
def tree_of(m, b):
    return m.dof_treeid[m.body_dofadr[b]]


@kernel
def join_trees(d, a, b, pairs, room):
    """The number of the pair of trees a and b, which is `pairs` if it is new"""
    join_islands(d, a, b)
    d.node_on[b] = 1
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
    a, b = island_of(d, a), island_of(d, b)
    d.node_root[max(a, b)] = min(a, b)


# ------------------------------------------------------------------------------------- elimination


@kernel
def eliminate(m, d, w):
    """(edges, node_on) => node_order, node_rank, node_links, links; how many, -1: no room"""
    share, n, least = d.nHmax // 8, 0, 0
    first = w * share
    for k in range(m.ntree):
        d.degree_first[k] = -1
    for t in range(m.ntree - 1, -1, -1):
        d.node_rank[w * m.ntree + t] = -1
        d.node_mark[t] = -1
        d.node_column[t] = -1
        if d.node_on[t] == 1:
            put_in(d, t, d.node_degree[t])
            n += 1
    d.heap_nodes[w] = n
    if 6 * n > share:
        return -1
    links, stamp = 0, 0
    for rank in range(n):
        while d.degree_first[least] < 0:
            least += 1
        v = d.degree_first[least]
        take_out(d, v)
        place = w * m.ntree + v
        d.node_rank[place] = rank
        d.node_order[w * m.ntree + rank] = v
        d.node_links[place] = first + links
        if 6 * (n + links + d.node_degree[v]) > share:
            return -1
        links = neighbours(d, v, first, links, stamp, w * m.ntree)
        d.node_linkend[place] = first + links
        stamp = degrees(d, d.node_links[place], first + links, stamp + 1, w * m.ntree)
        for e in range(d.node_links[place], first + links):
            least = min(least, d.node_degree[d.link_row[e]])
    return links


@kernel
def neighbours(d, v, first, links, stamp, nodes):
    """Column v <= what v is still connected to by pairs, and by the columns that it is in"""
    e = d.node_edge[v]
    while e >= 0:
        if d.node_rank[nodes + d.edge_node[e]] < 0:
            links = add_link(d, first, links, d.edge_node[e], v, e >> 1, stamp)
        e = d.edge_next[e]
    q = d.node_column[v]
    while q >= 0:
        column = nodes + d.link_column[q]
        for e in range(d.node_links[column], d.node_linkend[column]):
            u = d.link_row[e]
            if d.node_rank[nodes + u] < 0 and d.node_mark[u] != stamp:
                links = add_link(d, first, links, u, v, -1, stamp)
        d.node_on[d.link_column[q]] = 2  # lies within column v
        q = d.link_next[q]
    return links


@kernel(inline=True)
def add_link(d, first, links, u, v, pair, stamp):
    d.node_mark[u] = stamp
    d.link_row[first + links] = u
    d.link_column[first + links] = v
    d.link_pair[first + links] = pair
    return links + 1


@kernel
def degrees(d, begin, end, stamp, nodes):
    """The columns and the number of neighbours of all nodes in a new column; the next stamp"""
    for e in range(begin, end):
        u = d.link_row[e]
        q, kept = d.node_column[u], e
        while q >= 0:  # without the columns that lie within the new one
            if d.node_on[d.link_column[q]] != 2:
                d.link_next[kept] = q
                kept = q
            q = d.link_next[q]
        d.link_next[kept] = -1
        d.node_column[u] = e
        take_out(d, u)
        degree = d.node_degree[u] - 1
        if end - begin > 1:
            degree = count(d, u, stamp, nodes)
            stamp += 1
        put_in(d, u, degree)
    return stamp


@kernel
def count(d, u, stamp, nodes):
    """How many neighbours u has; edges to nodes that are gone are taken off its list"""
    d.node_mark[u] = stamp
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
def put_in(d, v, degree):
    """Node v becomes the first of those with so many neighbours."""
    d.node_degree[v] = degree
    after = d.degree_first[degree]
    d.node_after[v] = after
    d.node_before[v] = -1
    if after >= 0:
        d.node_before[after] = v
    d.degree_first[degree] = v


@kernel
def take_out(d, v):
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
    for r in range(d.heap_nodes[w]):
        v = nodes + d.node_order[nodes + r]
        d.node_row[v] = -1
        for e in range(d.node_links[v] + 1, d.node_linkend[v]):
            row, pair, q = d.link_row[e], d.link_pair[e], e
            rank = d.node_rank[nodes + row]
            while q > d.node_links[v] and d.node_rank[nodes + d.link_row[q - 1]] > rank:
                d.link_row[q] = d.link_row[q - 1]
                d.link_pair[q] = d.link_pair[q - 1]
                q -= 1
            d.link_row[q] = row
            d.link_pair[q] = pair
    for r in range(d.heap_nodes[w] - 1, -1, -1):
        v = nodes + d.node_order[nodes + r]
        for e in range(d.node_links[v], d.node_linkend[v]):
            u = nodes + d.link_row[e]
            d.link_next[e] = d.node_row[u]
            d.node_row[u] = e
