"""Pairs of geoms that few worlds have, which wait until lanes are full.

Things that lie about are near others in each world, and a pair that few worlds have would leave
most lanes idle in the costliest ways to find contacts. So such a pair waits, once for each world
that has it: its numbers in a lane of pair_shapes, whose world they are in wait_world. Eight of them
are looked at together (take_waiting), and every candidate is noted in the world that it belongs to.
A lane's numbers are the same in either way: to a world it is all the same which of its pairs wait.

There are a few queues. All that wait in one have the same kinds of shapes, which is what decides
how contacts are found; meshes may differ. What is noted has the number of its pair in the walk over
all pairs (nmet), by which a world's list is sorted in the end if something came late
(listing.py). As a list that is full takes no more, nothing may come late there: pairs wait only
while each world has room for all that its pairs can still find (pending).
"""

from ...lanes import (
    W,
    any_lane,
    concat,
    kernel,
    lane_item,
    lane_mask,
    load_lane,
    mask_item,
    mask_of,
    splat,
    store_lane,
    to_int,
    vec,
    where,
)
from ...mjconst import GEOM_BOX, GEOM_CAPSULE, GEOM_MESH, WARN_CONTACTFULL
from ..counters import ROOM_CONTACTS, lack
from .box_box import boxes_touch
from .constants import NO_CONTACT
from .convex import pairs_touch
from .custom import pair_code
from .found import QUEUE, WAITED
from .hits import pack_geometry
from .hull import is_climbed
from .listing import note_parameters
from .mix import contact_margin
from .pairs import MOST_CONTACTS
from .round import capsules_touch

QUEUES = 16
CLIMBED1, CLIMBED2 = 64, 128  # in wait_kind: meshes that are searched along their hulls


@kernel
def forget_waiting(d):
    """No pair waits, and none has been met."""
    for q in range(QUEUES):
        d.nwait[q] = 0
    d.nwaiting = 0
    d.nmet = 0
    d.late = 0
    d.pending = splat(0.0)
    d.last_met = splat(0.0)


@kernel
def may_wait(m, d, g1, g2):
    """Whether a pair is of types with a closed form that may wait. Others decide for themselves."""
    kind = m.geom_type[g1]
    if W == 1 or m.geom_type[g2] != GEOM_BOX or (kind != GEOM_BOX and kind != GEOM_CAPSULE):
        return False
    return not pair_code(m, d, g1, g2)


@kernel(inline=True)
def most_of(m, g1, g2):
    """How many contacts two geoms can have."""
    return 1.0 * MOST_CONTACTS[8 * m.geom_type[g1] + m.geom_type[g2]]


@kernel
def has_room(d, near, most):
    """Whether the worlds `near` have room for so many contacts more, whatever still waits finds."""
    return not any_lane(near & (d.ncon + d.pending + most > d.nconmax * 1.0))


@kernel
def kind_of(m, g1, g2):
    """What decides how contacts are found, as a number."""
    kind = 8 * m.geom_type[g1] + m.geom_type[g2]
    if m.geom_type[g1] == GEOM_MESH and is_climbed(m, m.geom_dataid[g1]):
        kind = kind | CLIMBED1
    if m.geom_type[g2] == GEOM_MESH and is_climbed(m, m.geom_dataid[g2]):
        kind = kind | CLIMBED2
    return kind


@kernel
def queue_of(m, d, kind):
    """The queue for a kind: where others of it wait, or an empty one, or the longest is emptied."""
    empty, longest = -1, 0
    for q in range(QUEUES):
        if d.nwait[q] == 0:
            empty = q
        elif d.wait_kind[q] == kind:
            return q
        elif d.nwait[q] > d.nwait[longest]:
            longest = q
    if empty < 0:
        take_waiting(m, d, longest)
        empty = longest
    d.wait_kind[empty] = kind
    return empty


@kernel
def wait(m, d, g1, g2, pair, reach, near):
    """A pair that may wait, in the worlds `near`: a lane of a queue for each"""
    most, kind = most_of(m, g1, g2), kind_of(m, g1, g2)
    for w in range(W):
        if mask_item(near, w):
            q = queue_of(m, d, kind)
            k = d.nwait[q]
            poses = concat(
                concat(load_lane(d.geom_xpos, g1, w), load_lane(d.geom_xpos, g2, w)),
                concat(load_lane(d.geom_xmat, g1, w), load_lane(d.geom_xmat, g2, w)),
            )
            size1, size2 = m.geom_size[g1], m.geom_size[g2]
            sizes = concat(size_in(size1, w), size_in(size2, w))
            numbers = concat(concat(sizes, poses), vec(lane_item(reach, w)))
            store_lane(d.pair_shapes, QUEUE + q, k, numbers)
            d.wait_world[W * q + k] = w
            d.wait_geom1[W * q + k] = g1
            d.wait_geom2[W * q + k] = g2
            d.wait_pair[W * q + k] = pair
            d.wait_met[W * q + k] = d.nmet
            d.nwait[q] = k + 1
            d.nwaiting = d.nwaiting + 1
            d.pending = where(mask_of(1 << w), d.pending + most, d.pending)
            if k + 1 == W:
                take_waiting(m, d, q)


@kernel(inline=True)
def size_in(size, w):
    """The size of a geom in one world."""
    return vec(lane_item(size[0], w), lane_item(size[1], w), lane_item(size[2], w))


@kernel
def take_all(m, d):
    """take_waiting of all queues"""
    for q in range(QUEUES):
        if d.nwait[q] > 0:
            take_waiting(m, d, q)


@kernel
def take_waiting(m, d, q):
    """The contacts of all pairs that wait in a queue, each noted in its world"""
    waiting, row, end = d.nwait[q], -1, WAITED
    kind = d.wait_kind[q]
    if kind == 9 * GEOM_BOX:
        end = boxes_touch(d, QUEUE + q, lane_mask(waiting), WAITED)
    elif kind == 8 * GEOM_CAPSULE + GEOM_BOX:
        end = capsules_touch(d, QUEUE + q, lane_mask(waiting), WAITED)
    else:
        end = pairs_touch(m, d, q)
    d.nwait[q] = 0
    d.nwaiting = d.nwaiting - waiting
    for w in range(W):
        d.wait_new[w] = 0
    for e in range(W * q, W * q + waiting):
        # worlds that have the same pair share its parameters
        g1, g2, pair = d.wait_geom1[e], d.wait_geom2[e], d.wait_pair[e]
        if e == W * q or not same_pair(d, e):
            row = -1
        w = d.wait_world[e]
        d.pending = where(mask_of(1 << w), d.pending - most_of(m, g1, g2), d.pending)
        for c in range(WAITED, end):
            if load_lane(d.found_dist, c, e - W * q) < NO_CONTACT:
                i = to_int(lane_item(d.ncon, w)) + d.wait_new[w]
                if i >= d.nconmax:
                    lack(d, ROOM_CONTACTS, WARN_CONTACTFULL, mask_of(1 << w), d.nconmax)
                    continue
                if row < 0:
                    row = note_parameters(m, d, g1, g2, pair, contact_margin(m, g1, g2, pair))
                note_one(d, c, e - W * q, w, i, g1, g2, row, d.wait_met[e])
    # what the worlds have got by now
    most = 0
    for w in range(W):
        most = max(most, d.wait_new[w])
        d.ncon = where(mask_of(1 << w), d.ncon + 1.0 * d.wait_new[w], d.ncon)
    d.nhit = d.nhit + most


@kernel
def note_one(d, c, lane, w, i, g1, g2, row, met):
    """Candidate c of a lane, which is of world w, as number i of its list"""
    dist, pos = load_lane(d.found_dist, c, lane), load_lane(d.found_pos, c, lane)
    frame, hit = load_lane(d.found_frame, c, lane), d.nhit + d.wait_new[w]
    store_lane(d.hit_geometry, hit, w, pack_geometry(dist, pos, frame, g1, g2, row, met))
    store_lane(d.con_hit, i, w, 1.0 * hit)
    d.wait_new[w] = d.wait_new[w] + 1
    if 1.0 * met < lane_item(d.last_met, w):
        d.late = d.late | 1 << w
    else:
        d.last_met = where(mask_of(1 << w), 1.0 * met, d.last_met)


@kernel(inline=True)
def same_pair(d, e):
    """Whether a place in the queues has the pair of the place before."""
    same = d.wait_geom1[e] == d.wait_geom1[e - 1] and d.wait_geom2[e] == d.wait_geom2[e - 1]
    return same and d.wait_pair[e] == d.wait_pair[e - 1]
