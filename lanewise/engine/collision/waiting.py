"""Pairs of boxes, or of a capsule and a box, that wait until lanes are full.

Boxes that lie about are near others in each world, and a pair that few worlds have would leave
most lanes idle in the costliest of all closed forms. So such a pair waits, once for each world that
has it: its numbers in a lane of box_pair, whose world they are in wait_world. Eight of them are
looked at together (take_waiting), and every candidate is noted in the world that it belongs to, in
the order in which the pairs came.

All that wait have the same types. What another pair has found comes after them, and they are looked
at before it is noted: their candidates have rows of their own, from WAITED on. A lane's numbers are
the same in either way: to a world it is all the same which of its pairs waited.
"""

from ...lanes import (
    W,
    bits,
    concat,
    kernel,
    lane_item,
    lane_mask,
    load_lane,
    mask_of,
    store_lane,
    to_int,
    vec,
    where,
)
from ...mjconst import GEOM_BOX, GEOM_CAPSULE, WARN_CONTACTFULL
from ..counters import ROOM_CONTACTS, lack
from .box_box import boxes_touch
from .constants import NO_CONTACT
from .custom import pair_code
from .hits import pack_geometry
from .listing import note_parameters
from .mix import contact_margin
from .pairs import MOST_FOUND
from .round import capsules_touch

# first row of found_* for the candidates of pairs that waited; of boxes one of edges, 12 of faces
WAITED = MOST_FOUND


@kernel
def may_wait(m, d, g1, g2):
    """Whether a pair is of types that may wait."""
    kind = m.geom_type[g1]
    if W == 1 or m.geom_type[g2] != GEOM_BOX or (kind != GEOM_BOX and kind != GEOM_CAPSULE):
        return False
    return not pair_code(m, d, g1, g2)


@kernel
def few(near):
    """Whether less than half of the lanes are near."""
    n = 0
    for w in range(W):
        n += (bits(near) >> w) & 1
    return 2 * n < W


@kernel
def wait(m, d, g1, g2, pair, reach, near):
    """A pair that may wait, in the worlds `near`: a lane of box_pair each"""
    if d.nwait > 0 and m.geom_type[g1] != m.geom_type[d.wait_geom1[0]]:
        take_waiting(m, d)
    for w in range(W):
        if (bits(near) >> w) & 1:
            k = d.nwait
            poses = concat(
                concat(load_lane(d.geom_xpos, g1, w), load_lane(d.geom_xpos, g2, w)),
                concat(load_lane(d.geom_xmat, g1, w), load_lane(d.geom_xmat, g2, w)),
            )
            size1, size2 = m.geom_size[g1], m.geom_size[g2]
            sizes = concat(size_in(size1, w), size_in(size2, w))
            numbers = concat(concat(sizes, poses), vec(lane_item(reach, w)))
            store_lane(d.box_pair, 0, k, numbers)
            d.wait_world[k] = w
            d.wait_geom1[k] = g1
            d.wait_geom2[k] = g2
            d.wait_pair[k] = pair
            d.nwait = k + 1
            if k + 1 == W:
                take_waiting(m, d)


@kernel(inline=True)
def size_in(size, w):
    """The size of a geom in one world."""
    return vec(lane_item(size[0], w), lane_item(size[1], w), lane_item(size[2], w))


@kernel
def take_waiting(m, d):
    """The contacts of all pairs that wait, each noted in its world"""
    waiting, row = d.nwait, -1
    d.nwait = 0
    if m.geom_type[d.wait_geom1[0]] == GEOM_BOX:
        end = boxes_touch(d, lane_mask(waiting), WAITED)
    else:
        end = capsules_touch(d, lane_mask(waiting), WAITED)
    if end == WAITED:
        return
    for w in range(W):
        d.wait_new[w] = 0
    for k in range(waiting):
        # worlds that have the same pair share its parameters
        if k == 0 or not same_pair(d, k):
            row = -1
        w = d.wait_world[k]
        for c in range(WAITED, end):
            if load_lane(d.found_dist, c, k) < NO_CONTACT:
                i = to_int(lane_item(d.ncon, w)) + d.wait_new[w]
                if i >= d.nconmax:
                    lack(d, ROOM_CONTACTS, WARN_CONTACTFULL, mask_of(1 << w), d.nconmax)
                    continue
                g1, g2, pair = d.wait_geom1[k], d.wait_geom2[k], d.wait_pair[k]
                if row < 0:
                    row = note_parameters(m, d, g1, g2, pair, contact_margin(m, g1, g2, pair))
                dist, pos = load_lane(d.found_dist, c, k), load_lane(d.found_pos, c, k)
                hit, frame = d.nhit + d.wait_new[w], load_lane(d.found_frame, c, k)
                geometry = pack_geometry(dist, pos, frame, g1, g2, row)
                store_lane(d.hit_geometry, hit, w, geometry)
                store_lane(d.con_hit, i, w, 1.0 * hit)
                d.wait_new[w] = d.wait_new[w] + 1
    # what the worlds have got by now
    most = 0
    for w in range(W):
        most = max(most, d.wait_new[w])
        d.ncon = where(mask_of(1 << w), d.ncon + 1.0 * d.wait_new[w], d.ncon)
    d.nhit = d.nhit + most


@kernel(inline=True)
def same_pair(d, k):
    """Whether lane k has the pair of the lane before."""
    same = d.wait_geom1[k] == d.wait_geom1[k - 1] and d.wait_geom2[k] == d.wait_geom2[k - 1]
    return same and d.wait_pair[k] == d.wait_pair[k - 1]
