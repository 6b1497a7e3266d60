"""The call `place`: frames that are given in bodies, as W sees them. Batch.local_to_global, and the
same function on a Data"""

from ...lanes import W, kernel, load3, load4, store3
from ...lanes.memory import field_at
from ...lanes.records import Record, record_at
from ...mjconst import (
    SAMEFRAME_BODY,
    SAMEFRAME_BODYROT,
    SAMEFRAME_INERTIA,
    SAMEFRAME_INERTIAROT,
)
from ..smooth.kinematics import body_frames
from ..spatial import mat_vec, mul_quat, quat_mat
from .gang import ROWS, load_gang
from .items import bodies_of
from .rows import DOUBLE, NUMBER, load_rows, store_rows
from .threads import WORKER

PLACE = Record("Place", """
rows        address of where the worlds are, ROWS; 0: d has positions already
sameframe   which frame of the body it is, mjtSameFrame
nitem       how many of a world
ids         address of the bodies' int32 ids
id_world    bytes from a world's ids to the next one's, by place
id_item     bytes from an item's id to the next one's
pos         address of the positions in the body, three numbers each
pos_world   bytes from a world's positions to the next one's, by place
pos_item    bytes from an item's position to the next one's
quat        address of the orientations, four numbers each
quat_world  bytes from a world's to the next one's
quat_item   bytes from an item's to the next one's
input       number of the field `item_numbers` in the table of d
output      number of the field `frame_numbers`
xpos        address of the results: three numbers for each item of each world
xmat        address of the matrices, nine numbers each
""")  # fmt: skip

QUAT_AT = 3  # where item_numbers has the orientation; first the position


@kernel
def place_gang(m, d, record, worker):
    c = record_at(record, PLACE, 0)
    if c.rows:
        load_gang(d, record_at(c.rows, ROWS, 0), record_at(worker, WORKER, 0))
        body_frames(m, d)
    pos, xpos = field_at(d, c.input), field_at(d, c.output)
    quat, xmat = pos + NUMBER * W * QUAT_AT, xpos + NUMBER * W * 3
    for k in range(c.nitem):
        load_rows(d.lane_place, c.pos + c.pos_item * k, c.pos_world, 3, pos, 0)
        load_rows(d.lane_place, c.quat + c.quat_item * k, c.quat_world, 4, quat, 0)
        place_item(d, c.sameframe, bodies_of(d, c, k))
        store_rows(d.lane_place, xpos, 3, c.xpos + NUMBER * 3 * k, NUMBER * 3 * c.nitem, DOUBLE)
        store_rows(d.lane_place, xmat, 9, c.xmat + NUMBER * 9 * k, NUMBER * 9 * c.nitem, DOUBLE)


@kernel
def place_item(d, sameframe, b):
    """frame_numbers <= xpos, xmat of a frame in body b, which is another one in each world"""
    x = d.xpos[b] + mat_vec(d.xmat[b], load3(d.item_numbers, 0))
    if sameframe == SAMEFRAME_BODY:
        x = d.xpos[b]
    elif sameframe == SAMEFRAME_INERTIA:
        x = d.xipos[b]
    R = d.xmat[b]
    if sameframe == SAMEFRAME_INERTIA or sameframe == SAMEFRAME_INERTIAROT:
        R = d.ximat[b]
    elif sameframe != SAMEFRAME_BODY and sameframe != SAMEFRAME_BODYROT:
        R = quat_mat(mul_quat(d.xquat[b], load4(d.item_numbers, QUAT_AT)))
    store3(d.frame_numbers, 0, x)
    store3(d.frame_numbers, 3, R[0:3])
    store3(d.frame_numbers, 6, R[3:6])
    store3(d.frame_numbers, 9, R[6:9])
