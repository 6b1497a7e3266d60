"""Worlds take turns: each goes through its islands and sweeps, from one place to the next.

Each world is at its own place: world_phase says what is done with its island, world_sweep is the
next sweep, and world_at the next block of this one. A row goes by itself. Where the next block is
an elliptic contact, the world waits until all worlds are at one, and then contacts are updated side
by side (cones.py). Without these, two worlds go at a time, so that neither has to wait for its own
last row (pgs.py), and their matrices stay in the nearest cache.
"""

from ....lanes import W, kernel, load_lane
from ....mjconst import CONE_ELLIPTIC, SOL_PGS
from .cones import ask_cone, ask_three, update_cones, update_threes
from .noslip import (
    begin_noslip,
    next_noslip_sweep,
    slide,
    slide_edges,
    slide_four,
    slide_two_pairs,
)
from .one_island import close_island, open_island
from .pgs import (
    begin_pgs,
    next_pgs_sweep,
    visit,
    visit_next,
    visit_rows,
    visit_rows_of_two,
    visit_run,
)
from .states import update_states

NOTHING, PGS, NOSLIP = range(3)
TOGETHER = 2  # worlds that take turns, if none has to wait for contacts of others


@kernel
def take_turns(m, d):
    """efc_force, efc_state of all worlds <= solved"""
    elliptic = m.opt.cone == CONE_ELLIPTIC
    n = W if elliptic else min(W, TOGETHER)
    for w in range(W):
        d.world_island[w] = -1
        d.world_phase[w] = NOTHING
        d.world_at[w] = 0
        d.world_nblock[w] = 0
        d.turn_world[w] = w
        d.cone_place[w] = 0
        d.cone_line[w] = 0
    waiting = n
    while n > 0:
        cones, threes, hard_cones, hard_threes, s = 0, 0, 0, 0, 0
        while s < n:
            w = d.turn_world[s]
            if d.world_at[w] >= d.world_nblock[w] and not next_sweep(m, d, w):
                # all done: another world has this place in the list
                if waiting < W:
                    d.turn_world[s] = waiting
                    waiting += 1
                else:
                    n -= 1
                    d.turn_world[s] = d.turn_world[n]
            elif not elliptic:
                s += 1
            elif d.world_phase[w] == PGS:
                size = visit_blocks(d, w)
                threes |= (1 if size == 3 else 0) << w
                cones |= (1 if size > 3 else 0) << w
                s += 1 if size > 0 else 0
            else:
                size = slide_blocks(d, w)
                hard_threes |= (1 if size == 3 else 0) << w
                hard_cones |= (1 if size > 3 else 0) << w
                s += 1 if size > 0 else 0
        if not elliptic:
            visit_in_pairs(d, n)
        if threes != 0:
            update_threes(d, threes, False)
        if hard_threes != 0:
            update_threes(d, hard_threes, True)
        if cones != 0:
            update_cones(d, cones, False)
        if hard_cones != 0:
            update_cones(d, hard_cones, True)


@kernel
def visit_in_pairs(d, n):
    """The n worlds that take turns, if there are no elliptic contacts, each a part of its sweep"""
    s = 0
    while s < n:
        w = d.turn_world[s]
        s += 1
        if d.world_phase[w] == NOSLIP:
            slide_next(d, w)
        elif d.world_dense[w] == 0:
            visit_next(d, w)
        elif s < n and has_matrix(d, d.turn_world[s]):
            visit_rows_of_two(d, w, d.turn_world[s])
            s += 1
        else:
            visit_rows(d, w)


@kernel(inline=True)
def has_matrix(d, w):
    """Whether a world is in PGS, and has its matrix."""
    return d.world_phase[w] == PGS and d.world_dense[w] > 0


@kernel
def visit_blocks(d, w):
    """World w in PGS up to its next contact, which waits: its rows; 0 if there is none"""
    while d.world_at[w] < d.world_nblock[w]:
        if d.world_dense[w] > 0 and visit_run(d, w):
            return 3
        n = W * d.order[d.world_order[w] + d.world_at[w]] + w
        p, size = d.sweep_block[n], d.sweep_size[n]
        if size == 0:
            return 0
        d.world_at[w] = d.world_at[w] + 1
        if size > 1:
            ask(d, p, size, w, False)
            return size
        visit(d, p, w)
    return 0


@kernel
def slide_blocks(d, w):
    """The same in noslip"""
    while d.world_at[w] < d.world_dry[w]:
        slide_next_dry(d, w)
    if d.world_at[w] < d.world_nblock[w]:
        n = W * d.world_at[w] + w
        p, size = d.sweep_block[n], d.sweep_size[n]
        d.world_at[w] = d.world_at[w] + 1
        ask(d, p, size, w, True)
        return size
    return 0


@kernel(inline=True)
def slide_next_dry(d, w):
    """The next row of dry friction of a world in noslip, or four, if it has its matrix."""
    k = d.world_at[w]
    p, more = d.sweep_block[W * k + w], k + 3 < d.world_dry[w]
    if d.world_dense[w] > 0 and more and d.sweep_block[W * (k + 3) + w] == p + 3:
        slide_four(d, p, w)
        d.world_at[w] = k + 4
    else:
        slide(d, p, w)
        d.world_at[w] = k + 1


@kernel(inline=True)
def ask(d, p, size, w, hard):
    """The contact of world w whose rows begin at p."""
    if size == 3:
        ask_three(d, p, w)
    else:
        ask_cone(d, p, size, w, hard)


@kernel
def slide_next(d, w):
    """The next blocks of a world in noslip, if there are no elliptic contacts"""
    if d.world_at[w] < d.world_dry[w]:
        slide_next_dry(d, w)
        return
    k = d.world_at[w]
    p, more = d.sweep_block[W * k + w], k + 1 < d.world_nblock[w]
    d.world_at[w] = k + 1
    if d.world_dense[w] > 0 and more:
        # after edges there are edges only, and most of them side by side
        if d.sweep_block[W * (k + 1) + w] == p + 2:
            slide_two_pairs(d, p, w)
            d.world_at[w] = k + 2
        else:
            slide_edges(d, p, w)
    else:
        slide_edges(d, p, w)


@kernel
def next_sweep(m, d, w):
    """World w to its next sweep that visits anything; False if there is none"""
    while d.world_at[w] >= d.world_nblock[w]:
        more, phase = False, d.world_phase[w]
        if phase == PGS:
            more = next_pgs_sweep(m, d, w)
        elif phase == NOSLIP:
            more = next_noslip_sweep(m, d, w)
        if more:
            d.world_at[w] = 0
            d.world_sweep[w] = d.world_sweep[w] + 1
        elif not next_phase(m, d, w):
            return False
    return True


@kernel
def next_phase(m, d, w):
    """What is done next: noslip after PGS, or another island; False if there is none"""
    phase = d.world_phase[w]
    if phase == PGS and m.opt.noslip_iterations > 0:
        d.world_phase[w] = NOSLIP
        begin_noslip(m, d, w)
    else:
        if phase != NOTHING:
            if d.want_efc:
                update_states(m, d, w)
            close_island(m, d, w)
        q = d.world_island[w] + 1
        if q >= d.world_nisland[w]:
            return False
        d.world_island[w] = q
        d.world_scale[w] = load_lane(d.dual_scale, q, w)
        open_island(m, d, q, w)
        if m.opt.solver == SOL_PGS:
            d.world_phase[w] = PGS
            begin_pgs(m, d, w)
        else:
            d.world_phase[w] = NOSLIP
            begin_noslip(m, d, w)
    # before the first sweep
    d.world_sweep[w] = 0
    d.world_at[w] = d.world_nblock[w]
    return True
