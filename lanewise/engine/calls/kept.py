"""What a Batch remembers of stages: the states at which they were last computed.

A workspace does not outlast a call, and the results of the stages of a world take far more memory
than its state. So what is kept is the row of the state, as it was when its positions were computed,
and the row of when its velocities were, if that was later; `remake` computes from these what a
call wants to skip: the same numbers, to the bit, as if nothing had been forgotten.
"""

from ...lanes import W, kernel
from ...lanes.records import Record, record_at
from ...mjconst import STAGE_VEL
from ..pipeline import fwd_position, fwd_velocity
from ..senses import senses
from ..sensors.position import sensor_pos
from ..sensors.velocity import sensor_vel
from .gang import load_gang, load_outputs
from .rows import DOUBLE, NUMBER, int32_item, load_row, load_rows, put_int32_item, store_rows

KEPT = Record("Kept", """
positions   address of the states at which position stages were computed: rows as those of the state
velocities  address of those of velocity stages, in worlds where they are others
known       address of int32s: what is known of a world, KNOWN_...
sensed      whether sensors belong to the stages that are computed again: user code reads them
""")  # fmt: skip

# stages of one state, as in mjtStage; or of two
KNOWN_NONE, KNOWN_POS, KNOWN_VEL, KNOWN_APART = range(4)


@kernel
def keep_states(d, rows, w, known):
    """The states whose stages are computed now. Nothing is known of them until `keep`."""
    kept = record_at(rows.kept, KEPT, 0)
    apart = known == KNOWN_APART
    to = kept.velocities if apart else kept.positions
    store_rows(d.lane_world, w.block, rows.nstate, to, NUMBER * rows.nstate, DOUBLE)
    keep(d, rows, KNOWN_POS if apart else KNOWN_NONE)


@kernel
def keep(d, rows, known):
    """What is known of the worlds of a gang from now on"""
    kept = record_at(rows.kept, KEPT, 0)
    for lane in range(W):
        put_int32_item(kept.known, d.lane_world[lane], known)


@kernel
def remake(m, d, rows, results, w, skip):
    """Stages up to `skip`, as they were when they were last computed; then the present states

    What sensors of these stages read is left as outputs have it.
    """
    kept = record_at(rows.kept, KEPT, 0)
    stride = NUMBER * rows.nstate
    load_gang(d, rows, w)
    load_rows(d.lane_world, kept.positions, stride, rows.nstate, w.block, 0)
    worlds = d.timed
    d.timed = 0  # it takes time again, but is no other call
    fwd_position(m, d)
    if kept.sensed and senses(m, d):
        sensor_pos(m, d)
    if skip == STAGE_VEL:
        for lane in range(W):
            if int32_item(kept.known, d.lane_world[lane]) == KNOWN_APART:
                row = kept.velocities + stride * d.lane_world[lane]
                load_row(lane, row, rows.nstate, w.block)
        fwd_velocity(m, d)
        if kept.sensed and senses(m, d):
            sensor_vel(m, d)
    d.timed = worlds
    if d.no_room == 0:
        load_outputs(d, results)
        load_gang(d, rows, w)
