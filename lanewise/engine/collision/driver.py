"""Collision detection: walk the pairs of bodies in MuJoCo's order and list every world's contacts.

The walk is the same for all eight worlds of a gang, its numbers are plain integers. A pair of
geoms whose bounding spheres overlap in some world goes to the function for its types, which finds
candidates on lanes; every candidate is then added to the list of each world that has it. Slot k of
a lane is contact k of its world, so within a slot the geoms differ from lane to lane. Pairs that
few worlds have and that take long wait for each other (waiting.py).

The order is that of MuJoCo: by bodies, lower before higher; explicit pairs before others of the
same bodies; within two bodies with several geoms by the geom of lower type, then the other (without
the midphase by the geoms of the lower body, then the other's). Of two geoms the one of lower type
is the first, so that every pair of types has one function.

As to its timers, narrowphase begins with two bodies that are near each other, and all else is
broadphase.
"""

from ...lanes import any_lane, kernel, mask_of, maximum, splat
from ...mjconst import (
    DSBL_CONSTRAINT,
    DSBL_CONTACT,
    DSBL_FILTERPARENT,
    DSBL_MIDPHASE,
    TIMER_COL_BROAD,
    TIMER_COL_NARROW,
    TIMER_POS_COLLISION,
)
from ..occasions import CALL_FILTER
from ..timing import extend, lap, note_time, start
from .broad import boxes_near, find_bodies, geoms_near, overlap
from .constants import WAITS
from .custom import user_filter
from .gjk import few
from .grid import MANY, file_bodies, is_filed, neighbours
from .listing import list_contacts, note
from .mix import contact_gap, contact_margin
from .narrow import costly, narrow
from .pairs import IN_CONVEX
from .waiting import forget_waiting, has_room, may_wait, most_of, take_all, wait


@kernel(fused=False)
def collision(m, d):
    """(geom_xpos, geom_xmat) => ncon, contact, maxuse_con"""
    begin, narrow_before = start(d), d.timer.duration[TIMER_COL_NARROW]
    d.ncon = splat(0.0)
    d.nhit = 0
    d.nhit_pair = 0
    forget_waiting(d)
    d.pair_waits = 1
    # runs are pairs of bodies in MuJoCo's order: a body with consecutive others
    enabled = not m.opt.disableflags & (DSBL_CONSTRAINT | DSBL_CONTACT) and m.nbody > 1
    if enabled:
        n = find_bodies(m, d)
        file_bodies(d, n)
        for r in range(m.nrun):
            for pair in range(m.run_pair[r], m.run_pairend[r]):
                t = start(d)
                in_order(m, d, m.pair_geom1[pair], m.pair_geom2[pair], pair)
                extend(d, TIMER_COL_NARROW, t)
            if not m.run_parent[r] or m.opt.disableflags & DSBL_FILTERPARENT:
                walk(m, d, r, n)
    t = start(d)
    take_all(m, d)
    list_contacts(m, d)
    if enabled:
        lap(d, TIMER_COL_NARROW, t)
    d.maxuse_con = maximum(d.maxuse_con, d.ncon)
    if d.timing:
        note_phases(d, begin, narrow_before, enabled)


@kernel
def note_phases(d, begin, narrow_before, enabled):
    """The time of all; and of broadphase, which is what narrowphase leaves"""
    whole = (note_time(d, TIMER_POS_COLLISION, begin, 1) - begin) * 1e-9
    if enabled:
        narrow = d.timer.duration[TIMER_COL_NARROW] - narrow_before
        d.timer.duration[TIMER_COL_BROAD] = d.timer.duration[TIMER_COL_BROAD] + whole - narrow
        d.timer.number[TIMER_COL_BROAD] = d.timer.number[TIMER_COL_BROAD] + d.timed


@kernel
def walk(m, d, r, n):
    """One body with a run of others: those whose spheres overlap in some world."""
    b1, last = m.run_body[r], n
    if m.run_last[r] < m.nbody:
        last = d.near_rank[m.run_last[r]]
    # all others of the run, or those that are filed near it if they are many
    if m.body_contype[b1] | m.body_conaffinity[b1]:
        first, rank = d.near_rank[m.run_first[r]], d.near_rank[b1]
        sphere = d.near_sphere[rank]
        if last - first >= MANY and d.near_ncell > 0 and is_filed(d, rank):
            for k in range(neighbours(d, sphere, rank, first, last)):
                two_near_bodies(m, d, b1, d.near_body[d.near_list[k]], r)
        else:
            for i in range(first, last):
                if any_lane(overlap(sphere, d.near_sphere[i])):
                    two_near_bodies(m, d, b1, d.near_body[i], r)


@kernel(inline=True)
def two_near_bodies(m, d, b1, b2, r):
    """two_bodies, if their contact types match."""
    if masks_match(m.body_contype, m.body_conaffinity, b1, b2):
        t = start(d)
        two_bodies(m, d, b1, b2, r)
        extend(d, TIMER_COL_NARROW, t)


@kernel(inline=True)
def masks_match(contype, conaffinity, i, k):
    return (contype[i] & conaffinity[k]) | (contype[k] & conaffinity[i]) != 0


@kernel
def two_bodies(m, d, b1, b2, r):
    """All pairs of geoms of two bodies, except those that are explicit in run r."""
    first1, end1 = m.body_geomadr[b1], m.body_geomadr[b1] + m.body_geomnum[b1]
    first2, end2 = m.body_geomadr[b2], m.body_geomadr[b2] + m.body_geomnum[b2]
    if m.opt.disableflags & DSBL_MIDPHASE or not by_trees(m, b1, b2):
        for g1 in range(first1, end1):
            for g2 in range(first2, end2):
                if admitted(m, d, g1, g2, r):
                    in_order(m, d, g1, g2, -1)
        return
    # by the geom of lower type: first those of b1, then those of b2
    for g1 in range(first1, end1):
        for g2 in range(first2, end2):
            if m.geom_type[g1] <= m.geom_type[g2] and admitted(m, d, g1, g2, r):
                two_leaves(m, d, g1, g2)
    for g2 in range(first2, end2):
        for g1 in range(first1, end1):
            if m.geom_type[g2] < m.geom_type[g1] and admitted(m, d, g1, g2, r):
                two_leaves(m, d, g2, g1)


@kernel(inline=True)
def by_trees(m, b1, b2):
    """Whether MuJoCo finds the geoms of two bodies by trees of boxes, which the bodies have."""
    several = m.body_geomnum[b1] > 1 or m.body_geomnum[b2] > 1
    return several and m.body_bvhadr[b1] >= 0 and m.body_bvhadr[b2] >= 0


@kernel
def two_leaves(m, d, g1, g2):
    """two_geoms, if both are in those trees: if their contact types were not zero at load"""
    if m.geom_leaf[g1] and m.geom_leaf[g2]:
        two_geoms(m, d, g1, g2, -1)


@kernel(inline=True)
def admitted(m, d, g1, g2, r):
    """Whether two geoms are near, their contact types match and no explicit pair is theirs."""
    if not masks_match(m.geom_contype, m.geom_conaffinity, g1, g2):
        return False
    near = any_lane(overlap(d.near_geom[g1], d.near_geom[g2]))
    return near and (m.run_pair[r] == m.run_pairend[r] or not explicit(m, g1, g2, r))


@kernel
def explicit(m, g1, g2, r):
    """Whether two geoms are one of the explicit pairs of run r."""
    for k in range(m.run_pair[r], m.run_pairend[r]):
        a, b = m.pair_geom1[k], m.pair_geom2[k]
        if (a == g1 and b == g2) or (a == g2 and b == g1):
            return True
    return False


@kernel
def in_order(m, d, g1, g2, pair):
    """two_geoms, the one of lower type first."""
    if m.geom_type[g1] > m.geom_type[g2]:
        two_geoms(m, d, g2, g1, pair)
    else:
        two_geoms(m, d, g1, g2, pair)


@kernel
def two_geoms(m, d, g1, g2, pair):
    """Find and note the contacts of two geoms."""
    # by bounding spheres, by boxes where that is worth it, and by the user's filter
    margin = contact_margin(m, g1, g2, pair)
    reach = margin + contact_gap(m, g1, g2, pair)
    near = geoms_near(m, d, g1, g2, reach)
    if any_lane(near) and costly(m, d, g1, g2):
        near = near & boxes_near(m, d, g1, g2, reach)
    if d.user_code[CALL_FILTER] and pair < 0 and any_lane(near):
        near = user_filter(m, d, g1, g2, near)
    if not any_lane(near):
        return
    d.nmet = d.nmet + 1
    # some pairs may wait for others, those of the convex method when little has been looked at
    n = WAITS if may_wait(m, d, g1, g2) and few(near) else narrow(m, d, g1, g2, reach, near)
    if n == WAITS:
        if IN_CONVEX[8 * m.geom_type[g1] + m.geom_type[g2]]:
            near = mask_of(d.pair_lanes)
        if has_room(d, near, most_of(m, g1, g2)):
            wait(m, d, g1, g2, pair, reach, near)
            return
        take_all(m, d)
        d.pair_waits = 0
        n = narrow(m, d, g1, g2, reach, near)
        d.pair_waits = 1
    if n > 0:
        if d.nwaiting > 0 and not has_room(d, near, 1.0 * n):
            take_all(m, d)
        note(m, d, g1, g2, pair, margin, n, near)
