"""The call `motion`: velocities and accelerations of objects in every world. Batch.object_velocity,
Batch.object_acceleration, and the same functions on a Data"""

from ...lanes import W, concat, kernel
from ...lanes.records import Record, record_at
from ...mjconst import OBJ_CAMERA, STAGE_ACC, STAGE_NONE
from ..constraint.rne_post import rne_post_constraint
from ..sensors.frames import object_acceleration, object_rotation, object_velocity
from ..smooth.com import com_axes, com_vel
from ..smooth.kinematics import camlight
from ..spatial import mat_t_vec
from .gang import RESULTS, ROWS, load_gang, zero_fields
from .items import find_frames
from .rows import int32_item, put_six
from .run import compute
from .threads import WORKER

MOTION = Record("Motion", """
rows        address of where the worlds are, ROWS; 0: d has what it takes already
results     address of RESULTS, for the fields that begin as zero
kind        mjtObj of the objects
nitem       how many of a world
ids         address of their int32 ids, the same in all worlds
id_item     bytes from an item's id to the next one's
accelerate  whether to give accelerations, and not velocities
local       whether in the object's own axes, and not in those of W
values      address of the results: six numbers for each item of each world, rotation first
""")  # fmt: skip


@kernel
def motion_gang(m, d, record, worker):
    c = record_at(record, MOTION, 0)
    if c.rows:
        load_gang(d, record_at(c.rows, ROWS, 0), record_at(worker, WORKER, 0))
        if c.accelerate:
            zero_fields(d, record_at(c.results, RESULTS, 0))
            compute(m, d, STAGE_NONE, STAGE_ACC)
            rne_post_constraint(m, d)
        else:
            find_frames(m, d, c.kind)
            com_axes(m, d)
            com_vel(m, d)
            if c.kind == OBJ_CAMERA:
                camlight(m, d)
    for k in range(c.nitem):
        x = motion_of(m, d, c, int32_item(c.ids + c.id_item * k, 0))
        for lane in range(W):
            put_six(c.values, 6 * (c.nitem * d.lane_place[lane] + k), x, lane)


@kernel
def motion_of(m, d, c, o):
    """Velocity or acceleration of object o, rotation first"""
    x = object_velocity(m, d, c.kind, o)
    if c.accelerate:
        x = object_acceleration(m, d, c.kind, o)
    if c.local:
        R = object_rotation(m, d, c.kind, o)
        x = concat(mat_t_vec(R, x[0:3]), mat_t_vec(R, x[3:6]))
    return x
