"""The call `push`: generalized forces of forces and torques on bodies of every world.
Batch.apply_ft, and the same function on a Data"""

from ...lanes import W, kernel, lane_mask, load3
from ...lanes.memory import field_at
from ...lanes.records import Record, record_at
from ..smooth.com import com_axes
from ..smooth.contact_jacobian import add_body_force
from ..smooth.kinematics import body_frames
from .gang import ROWS, load_gang
from .items import bodies_of
from .rows import DOUBLE, NUMBER, load_rows, store_rows, zero_lanes
from .threads import WORKER

PUSH = Record("Push", """
rows        address of where the worlds are, ROWS; 0: d has positions already
nitem       how many of a world, which add up
ids         address of the bodies' int32 ids
id_world    bytes from a world's ids to the next one's, by place
id_item     bytes from an item's id to the next one's
force       address of the forces, three numbers each
force_world bytes from a world's forces to the next one's, by place
force_item  bytes from an item's force to the next one's
torque      address of the torques, likewise
torque_world  bytes from a world's to the next one's
torque_item bytes from an item's to the next one's
point       address of the points where forces act, likewise
point_world bytes from a world's to the next one's
point_item  bytes from an item's to the next one's
input       number of the field `item_numbers` in the table of d
output      number of the field `vector`
qfrc        address of the results: nv numbers for each world
""")  # fmt: skip

TORQUE_AT, POINT_AT = 3, 6  # where item_numbers has them; first the force


@kernel
def push_gang(m, d, record, worker):
    c = record_at(record, PUSH, 0)
    if c.rows:
        load_gang(d, record_at(c.rows, ROWS, 0), record_at(worker, WORKER, 0))
        body_frames(m, d)
        com_axes(m, d)
    qfrc, force = field_at(d, c.output), field_at(d, c.input)
    torque, point = force + NUMBER * W * TORQUE_AT, force + NUMBER * W * POINT_AT
    zero_lanes(qfrc, m.nv)
    for k in range(c.nitem):
        load_rows(d.lane_place, c.force + c.force_item * k, c.force_world, 3, force, 0)
        load_rows(d.lane_place, c.torque + c.torque_item * k, c.torque_world, 3, torque, 0)
        load_rows(d.lane_place, c.point + c.point_item * k, c.point_world, 3, point, 0)
        f_P_W, t_W = load3(d.item_numbers, 0), load3(d.item_numbers, TORQUE_AT)
        p_WP, b = load3(d.item_numbers, POINT_AT), bodies_of(d, c, k)
        add_body_force(m, d, b, p_WP, t_W, f_P_W, lane_mask(W), d.vector, 0.0)
    store_rows(d.lane_place, qfrc, m.nv, c.qfrc, NUMBER * m.nv, DOUBLE)
