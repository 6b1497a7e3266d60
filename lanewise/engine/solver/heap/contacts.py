"""Heaps: contacts of eight worlds side by side, whatever bodies they are between.

In a heap of loose bodies every world has contacts of its own. Slots that belong to a pair of bodies
(slots.py) would then have one world each. So where the model is a heap (its nloose > 0), slot s is
simply the s-th contact of every world. Its bodies are another two in each lane: the motion of a
body is gathered, and a wrench is added, lane by lane. All else about slots is as it was.

From the start of the search on, Newton's method takes one island of one world at a time
(descent.py), with its contacts in the lanes (bunches.py). graph.py has the structure of its
systems, hessian.py their numbers, factor.py their solution.

What is a heap depends on the model and its options, never on the worlds. So a world has the same
bits whatever stands beside it.
"""

from ....lanes import (
    add_at,
    all_lanes,
    any_lane,
    concat,
    highest,
    kernel,
    maximum,
    minimum,
    splat,
    where,
)
from ....mjconst import INT_DISCRETE
from ...spatial import cross, zeros3, zeros6
from ..slots import arrange_gang, fill_contact, seen_from


@kernel
def arrange(m, d):
    """(contacts) => slots, live bodies; unless it is a heap, pairs of moving bodies

    The discrete integrator couples bodies by tendons and actuators too, which only a gang does.
    """
    d.is_heap = 1 if m.nloose > 0 and m.opt.integrator != INT_DISCRETE else 0
    if d.is_heap == 1:
        arrange_heap(m, d)
    else:
        d.graph_made_for = 0
        arrange_gang(m, d)


@kernel
def arrange_heap(m, d):
    """(contacts) => slots; all bodies that move are live"""
    # all bodies that move
    live = 0
    for b in range(m.nbody):
        d.body_live[b] = 0
        if m.body_dofnum[b] > 0:
            d.body_live[b] = 1
            d.live_body[live] = b
            live += 1
    d.nlive = live
    # what a gang has: pairs of bodies, and a structure of H that may be known already
    d.nbodypair = 0
    d.H_made_for = 0
    d.world_stiff = splat(0.0)
    d.some_stiff = 0  # a loose body moves in all directions
    d.body_V[0] = zeros6()  # a lane without a contact, or without a second body, is at body 0
    d.body_V2[0] = zeros6()
    d.nslot = 0
    if d.ncon_most == 0:
        return
    # the next contact of each world, until no world has one
    here, slots = next_contact(d, splat(0.0)), 0
    mine = here < d.ncon
    while any_lane(mine):
        k = where(mine, here, 0.0)
        # mostly the worlds agree on the number of the contact, and loads need no gather
        last = highest(k)
        if all_lanes(where(mine, k, last * 1.0) == last * 1.0):
            fill_heap(m, d, slots, last, mine, d.con_agreed1[last] == 0)
        else:
            fill_heap(m, d, slots, k, mine, False)
        slots += 1
        here = next_contact(d, where(mine, here + 1.0, here))
        mine = here < d.ncon
    d.nslot = slots


@kernel
def next_contact(d, here):
    """From contact `here` on, the first that is a constraint, in each world"""
    # contacts that are no constraints are passed over
    last = d.ncon_most - 1.0
    off = (here < d.ncon) & (d.con_on[minimum(here, last)] == 0.0)
    while any_lane(off):
        here = where(off, here + 1.0, here)
        off = (here < d.ncon) & (d.con_on[minimum(here, last)] == 0.0)
    return here


@kernel
def fill_heap(m, d, s, k, mine, on_world):
    """Contact k of the worlds `mine` => slot s; k is a plain number where the worlds agree

    on_world: the first body of all is known to be the world.
    """
    # the bodies; lanes without a contact have body 0, the world
    hi, lo, side = m.body_weldid[where(mine, d.con_body2[k], 0.0)], splat(0.0), splat(1.0)
    if not on_world:
        w1, w2 = m.body_weldid[where(mine, d.con_body1[k], 0.0)], hi
        lo, hi, side = minimum(w1, w2), maximum(w1, w2), where(w1 > w2, -1.0, splat(1.0))
        # hi is a body that moves, or the world if there is no contact; lo may be 0
        still = m.body_dofnum[hi] == 0.0
        lo, hi, side = where(still, hi, lo), where(still, lo, hi), where(still, -side, side)
        lo = where(m.body_dofnum[lo] == 0.0, 0.0, lo)
    # r is from the centre of hi's tree; shift leads there from lo's
    center = d.subtree_com[m.body_rootid[hi]]
    d.heap_hi[s] = hi
    d.heap_lo[s] = lo
    d.heap_shift[s] = zeros3()
    if any_lane(lo > 0.0):
        shift = center - d.subtree_com[m.body_rootid[lo]]
        d.heap_shift[s] = where(lo > 0.0, shift, zeros3())
    fill_contact(m, d, s, k, mine, side, d.contact.pos[k] - center)


@kernel
def heap_motion(d, V_, s):
    """The motion of slot s's body `hi` as `lo` sees it, about the centre of the first"""
    V, lo = V_[d.heap_hi[s]], d.heap_lo[s]
    if not any_lane(lo > 0.0):
        return V
    return V - seen_from(V_[lo], d.heap_shift[s])


@kernel
def heap_push(d, s, F, on):
    """A wrench on the body `hi` of slot s, and its opposite on `lo`, added in body_V"""
    lo = d.heap_lo[s]
    add_at(d.body_V, d.heap_hi[s], F, on)
    if any_lane(on & (lo > 0.0)):
        torque, force = F[0:3] + cross(d.heap_shift[s], F[3:6]), F[3:6]
        add_at(d.body_V, lo, -concat(torque, force), on & (lo > 0.0))
