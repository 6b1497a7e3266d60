"""Pairs of boxes that wait until lanes are full.

Boxes that lie about are near other boxes in each world, and a pair that few worlds have would leave
most lanes idle in the costliest of all closed forms. So such a pair waits, once for each world that
has it: its numbers in a lane of box_pair, whose world they are in wait_world. Eight of them are
looked at together (take_waiting), and every candidate is noted in the world that it belongs to, in
the order in which the pairs came.

A pair that does not wait comes after all that do, and they are looked at before it. A lane's
numbers are the same in either way: to a world it is all the same which of its pairs waited.
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
from ...mjconst import GEOM_BOX, WARN_CONTACTFULL
from ..counters import ROOM_CONTACTS, lack
from .box_box import boxes_touch
from .constants import NO_CONTACT
from .custom import pair_code
from .hits import pack_geometry
from .listing import note_parameters
from .mix import contact_margin


@kernel
def may_wait(m, d, g1, g2, near):
    """Whether a pair is one of boxes which less than half of the lanes have."""
    if W == 1 or m.geom_type[g1] != GEOM_BOX or m.geom_type[g2] != GEOM_BOX:
        return False
    n = 0
    for w in range(W):
        n += (bits(near) >> w) & 1
    return 2 * n < W and not pair_code(m, d, g1, g2)


@kernel
def wait(m, d, g1, g2, pair, reach, near):
    """A pair of boxes, in the worlds `near`: a lane of box_pair each"""
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
    """The size of a box in one world."""
    return vec(lane_item(size[0], w), lane_item(size[1], w), lane_item(size[2], w))


@kernel
def take_waiting(m, d):
    """The contacts of all pairs that wait, each noted in its world"""
    waiting, row = d.nwait, -1
    d.nwait = 0
    n = boxes_touch(d, lane_mask(waiting))
    if n == 0:
        return
    for w in range(W):
        d.wait_new[w] = 0
    for k in range(waiting):
        # worlds that have the same pair share its parameters
        if k == 0 or not same_pair(d, k):
            row = -1
        w = d.wait_world[k]
        for c in range(n):
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
