"""What calls about bodies, geoms and sites have in common.

Where each world may have another body, records have the members ids, id_world and id_item, and
vectors of three or four numbers in the same way. `item_numbers` holds those of one item in lanes.
"""

from ...lanes import W, kernel, store_lane
from ...mjconst import OBJ_GEOM, OBJ_SITE
from ..smooth.kinematics import body_frames, geom_frames, site_frames
from .rows import int32_item

BODY_AT = 9  # where item_numbers has the body; vectors come before


@kernel
def find_frames(m, d, kind):
    """(qpos, mocap) => frames of bodies, and of geoms or sites if it is about these"""
    body_frames(m, d)
    if kind == OBJ_GEOM:
        geom_frames(m, d)
    elif kind == OBJ_SITE:
        site_frames(m, d)


@kernel
def bodies_of(d, c, k):
    """The body of item k in each world"""
    for lane in range(W):
        ids = c.ids + c.id_world * d.lane_place[lane] + c.id_item * k
        store_lane(d.item_numbers, BODY_AT, lane, int32_item(ids, 0) * 1.0)
    return d.item_numbers[BODY_AT]
