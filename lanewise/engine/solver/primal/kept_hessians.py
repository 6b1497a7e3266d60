"""Hessians that serve several searches, with their factors: for finite differences.

While positions stay, so do M, J and the stiffness D of constraints, and the Hessian

    H = M + J' K J                                                                          (1)

follows from K alone: from which constraints push, and where on their cone those are that slide.
Worlds that are nudged a little go to their minimum by the same way, with the same constraints
pushing, and meet the same Hessians, one after the other. The first search keeps them. Where all
worlds of a later one have the K of the one that was kept, and had those of all before it, the kept
one is the one that would be made, to the last bit, and its factor is used.

The first that differs is made, as are all after it. H_sum is a sum of changes, in the order of the
search, so those that were left out are added before (catch_up).
"""

from ....lanes import all_lanes, bits, kernel, mask_of, not_
from ....mjconst import CONE_ELLIPTIC
from ...spatial import zeros3
from .edges import edge
from .hessian import make_hessian, row_stiffness
from .matrix_free import angular, cone

KEPT = 7  # Hessians of a search that are kept; there is room for one more point


@kernel
def begin_search(m, d, mine):
    """(keep_factors, worlds `mine` of a search) => kept_path, H_made: it has no Hessian yet"""
    keep = d.keep_factors == 1 and d.is_heap + d.some_stiff == 0 and all_lanes(mine)
    room = max(max(d.nslot, m.nrow), d.nH) * (KEPT + 1) <= d.nkeptmax
    d.kept_path = 1 if keep and room else 0
    d.H_made = 0


@kernel
def is_kept(m, d, run, k):
    """Whether the worlds `run` have the kept Hessian k, as they had those before"""
    if d.kept_path == 0 or k >= d.nkept:
        return False
    same = mask_of(d.kept_run[k])
    for e in range(d.nrun_slot):
        same = same & is_same_slot(m, d, d.run_slot[e], k)
    for a in range(d.nrun_row):
        r = d.run_row[a]
        now, then = row_stiffness(m, d, r, d.row_jar[r]), d.kept_jar[m.nrow * k + r]
        same = same & (now == row_stiffness(m, d, r, then))
    d.kept_path = 1 if all_lanes(same | not_(run)) else 0
    return d.kept_path == 1


@kernel
def is_same_slot(m, d, s, k):
    """Worlds in which a slot has the stiffness that it has at kept point k"""
    at, D = d.nslot * k + s, d.slot_D[s]
    u, w, v, o = d.slot_u[s], angular(d, d.slot_w, s), d.kept_u[at], zeros3()
    turns = d.slot_turns[s] == 1
    if turns:
        o = d.kept_w[at]
    if m.opt.cone == CONE_ELLIPTIC:
        # in the middle zone the stiffness changes from point to point
        _, _, top, bottom = cone(u, w, d.slot_mu[s])
        _, _, top_then, bottom_then = cone(v, o, d.slot_mu[s])
        same = (u[0] == v[0]) & (u[1] == v[1]) & (u[2] == v[2])
        same = same & (w[0] == o[0]) & (w[1] == o[1]) & (w[2] == o[2])
        return same | (top & top_then) | (bottom & bottom_then) | (D[0] == 0.0)
    same = same_edges(u[0], u[1], v[0], v[1], D[0]) & same_edges(u[0], u[2], v[0], v[2], D[0])
    if turns:
        same = same & same_edges(u[0], w[0], v[0], o[0], D[1])
        same = same & same_edges(u[0], w[1], v[0], o[1], D[2])
        same = same & same_edges(u[0], w[2], v[0], o[2], D[2])
    return same


@kernel(inline=True)
def same_edges(u0, uj, v0, vj, D):
    """Worlds in which two opposite edges of a pyramid push at (u0, uj) as they do at (v0, vj)"""
    p, q = edge(u0 + uj, D), edge(u0 - uj, D)
    return (p == edge(v0 + vj, D)) & (q == edge(v0 - vj, D))


@kernel
def catch_up(m, d, k):
    """H_sum <= with the kept Hessians before k, as far as they were left out"""
    if d.H_made < k:
        keep_point(m, d, KEPT)
        for j in range(d.H_made, k):
            go_to_point(m, d, j)
            make_hessian(m, d, j)
        go_to_point(m, d, KEPT)


@kernel
def keep(m, d, run, k):
    """Hessian k, just made for the worlds `run` => kept, if all before it are"""
    if d.kept_path == 0 or k != d.nkept or k == KEPT:
        return
    d.nkept = k + 1
    d.kept_run[k] = bits(run)
    keep_point(m, d, k)
    for a in range(d.nH):
        d.kept_H[d.nH * k + a] = d.H[a]
    for a in range(m.nplace):
        d.kept_inverse[m.nplace * k + a] = d.sol_inverse[a]


@kernel
def keep_point(m, d, k):
    """(slot_u, slot_w, row_jar) => kept point k"""
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        d.kept_u[d.nslot * k + s] = d.slot_u[s]
        if d.slot_turns[s] == 1:
            d.kept_w[d.nslot * k + s] = d.slot_w[s]
    for a in range(d.nrun_row):
        r = d.run_row[a]
        d.kept_jar[m.nrow * k + r] = d.row_jar[r]


@kernel
def go_to_point(m, d, k):
    """kept point k => (slot_u, slot_w, row_jar)"""
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        d.slot_u[s] = d.kept_u[d.nslot * k + s]
        if d.slot_turns[s] == 1:
            d.slot_w[s] = d.kept_w[d.nslot * k + s]
    for a in range(d.nrun_row):
        r = d.run_row[a]
        d.row_jar[r] = d.kept_jar[m.nrow * k + r]
