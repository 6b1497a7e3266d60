"""Edges of stiff pyramids, each with a number of its own.

An edge of a pyramid is normal + or - tangent (slots.py),

    p = U0 + Uj,     q = U0 - Uj                                                            (1)

Where a dof hardly moves a point along an edge, U0 and Uj are nearly opposite, and the edge is what
is left of 1e3, say, to round-off of 1e-13. With a stiffness of 5e14 that is a force of 50 N, which
no step can take away. So a stiff contact has its edges as it has its directions (stiff.py), by
columns of J that are added before they are multiplied:

    (J x)_p = sum of (c_0i + c_ji) x_i,     (J' f)_i = sum over edges of (c_0i + c_ji) f_p  (2)

and they move along a line by themselves. Their part of the Hessian is made of the same columns:

    H_ik += sum over edges that push of D (c_0i + c_ji) (c_0k + c_jk)                       (3)

There are two edges of each direction: two of sliding, then spin, then two of rolling. What a
contact has not, has no stiffness.
"""

from ....lanes import any_lane, kernel, minimum, splat, vec, where
from ...smooth.tendon import last_dof
from ...spatial import zeros6
from .coupling import place_in_H, relative_dofs
from .stiff import column

EDGES = 10


@kernel(inline=True)
def edge(x, D):
    """D where an edge pushes."""
    return where(x < 0.0, D, 0.0)


@kernel(inline=True)
def edge_change(x, v, D):
    """Twice the change of an edge's cost, from x to x + v."""
    y = x + v
    # as a product if the edge pushes before and after: then no digits cancel
    before, after = x < 0.0, y < 0.0
    jump = where(after, y * y, 0.0) - where(before, x * x, 0.0)
    return D * where(before & after, v * (x + y), jump)


@kernel(inline=True)
def edge_slope(D, x, v):
    """(slope, curvature) of an edge or a limit at x, along v"""
    Dv = edge(x, D) * v
    return vec(Dv * x, Dv * v)


@kernel(inline=True)
def has_edges(d, s):
    """Whether some world has a stiff pyramid in slot s."""
    return d.some_stiff == 1 and d.slot_edged[s] > 0


@kernel(inline=True)
def edges_of_slot(d, s):
    """How many edges a slot has: those of sliding, or all."""
    return EDGES if d.slot_turns[s] == 1 else 4


@kernel(inline=True)
def edge_D(d, s, k):
    """The stiffness of edge k: of sliding, spin or rolling."""
    return d.slot_D[s, 0 if k < 4 else 1 if k < 6 else 2]


@kernel(inline=True)
def stiff_or(d, s, x, other):
    """x, of the edges of slot s, where it is stiff, else what it has otherwise."""
    return where(d.slot_stiff[s] > 0.0, x, other)


@kernel
def edge_columns(m, d, s):
    """rel_dof, rel_edge <= dofs that move slot s, falling, and their columns of (2); how many"""
    n = relative_dofs(m, d, d.slot_hi[s], d.slot_lo[s])
    # going up from i along hi's chain tells which are hi's
    i = last_dof(m, d.slot_hi[s])
    for a in range(n):
        j = d.rel_dof[a]
        d.rel_axis[a] = column(m, d, s, j, 1 if j == i else -1)
        if j == i:
            i = m.dof_parentid[i]
        for k in range(edges_of_slot(d, s)):
            c, sign = d.rel_axis[a, 1 + k // 2], 1.0 - 2.0 * (k & 1)
            d.rel_edge[a, k] = d.rel_axis[a, 0] + sign * c
    return n


@kernel
def edges_at(m, d, s, x, y, minus_aref):
    """y <= J x of the edges of slot s, by (2)"""
    n = edge_columns(m, d, s)
    for k in range(edges_of_slot(d, s)):
        sum_ = splat(0.0)
        for a in range(n):
            sum_ = sum_ + d.rel_edge[a, k] * x[d.rel_dof[a]]
        if minus_aref == 1:
            sign = 1.0 - 2.0 * (k & 1)
            sum_ = sum_ - (d.slot_aref[s, 0] + sign * d.slot_aref[s, 1 + k // 2])
        y[s, k] = sum_


@kernel
def edges_energy(d, s, y):
    """Twice the cost of the edges of slot s at y"""
    twice = splat(0.0)
    for k in range(edges_of_slot(d, s)):
        twice = twice + edge(y[s, k], edge_D(d, s, k)) * y[s, k] * y[s, k]
    return twice


@kernel
def edges_slope(d, s, alpha):
    """(slope, curvature) of the edges of slot s at alpha"""
    total = vec(splat(0.0), splat(0.0))
    for k in range(edges_of_slot(d, s)):
        v = d.slot_dedge[s, k]
        total = total + edge_slope(edge_D(d, s, k), d.slot_edge[s, k] + alpha * v, v)
    return total


@kernel
def edges_change(d, s, alpha, moved):
    """Twice the change of their cost by alpha; the move has been made already, or not"""
    twice = splat(0.0)
    for k in range(edges_of_slot(d, s)):
        x, v = d.slot_edge[s, k], d.slot_dedge[s, k] * alpha
        if moved == 1:
            x = x - v
        twice = twice + edge_change(x, v, edge_D(d, s, k))
    return twice


@kernel
def move_edges(d, s, alpha):
    """slot_edge += alpha J search"""
    for k in range(edges_of_slot(d, s)):
        d.slot_edge[s, k] = d.slot_edge[s, k] + alpha * d.slot_dedge[s, k]


@kernel(inline=True)
def force_of_edge(d, s, k):
    """The force of edge k, where slot s is stiff."""
    x = d.slot_edge[s, k]
    return stiff_or(d, s, -edge(x, edge_D(d, s, k)) * x, 0.0)


@kernel
def edges_force(d, s):
    """The force of the edges of slot s in its directions: six numbers"""
    d.rel_axis[0] = zeros6()
    for k in range(0, edges_of_slot(d, s), 2):
        p, q = force_of_edge(d, s, k), force_of_edge(d, s, k + 1)
        d.rel_axis[0, 0] = d.rel_axis[0, 0] + (p + q)
        d.rel_axis[0, 1 + k // 2] = p - q
    return d.rel_axis[0]


@kernel(inline=True)
def edges_push(d, s):
    """Worlds in which some edge of slot s pushes."""
    least = d.slot_edge[s, 0]
    for k in range(1, edges_of_slot(d, s)):
        least = minimum(least, d.slot_edge[s, k])
    return (d.slot_stiff[s] > 0.0) & (least < 0.0)


@kernel
def push_edges(m, d, s):
    """The forces of the edges of slot s => sol_push, by (2)"""
    if not any_lane(edges_push(d, s)):
        return
    n = edge_columns(m, d, s)
    for a in range(n):
        i = d.rel_dof[a]
        push = d.sol_push[i]
        for k in range(edges_of_slot(d, s)):
            push = push + d.rel_edge[a, k] * force_of_edge(d, s, k)
        d.sol_push[i] = push


@kernel
def add_edges(m, d, s):
    """H_sum += the stiffness of the edges of slot s that push: (3)"""
    if not any_lane(edges_push(d, s)):
        return
    n = edge_columns(m, d, s)
    for k in range(edges_of_slot(d, s)):
        D = edge(d.slot_edge[s, k], stiff_or(d, s, edge_D(d, s, k), 0.0))
        if any_lane(D != 0.0):
            for a in range(n):
                i, Dc = d.rel_dof[a], D * d.rel_edge[a, k]
                d.H_dirty[m.dof_group[i]] = 1
                for b in range(a, n):
                    p = place_in_H(m, d, i, d.rel_dof[b])
                    d.H_sum[p] = d.H_sum[p] + Dc * d.rel_edge[b, k]
