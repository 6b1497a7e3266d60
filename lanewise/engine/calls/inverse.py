"""The call `inverse`: the forces that given accelerations take. Batch.inverse and inverse_skip"""

from ...lanes import kernel
from ...lanes.memory import field_at
from ...lanes.records import Record, record_at
from ...mjconst import (
    ENBL_INVDISCRETE,
    INT_DISCRETE,
    STAGE_ACC,
    STAGE_NONE,
    STAGE_VEL,
    TIMER_INVERSE,
)
from ..forces.actuation import fwd_actuation
from ..inverse import inverse_force
from ..readers import for_readers
from ..senses import senses
from ..sensors.acceleration import sensor_acc
from ..solver.primal.iteration_log import forget_statistics
from ..timing import lap, start
from .gang import RESULTS, ROWS, load_gang, store_outputs, zero_fields
from .kept import KNOWN_APART, KNOWN_VEL, keep, keep_states, remake
from .rows import NUMBER, load_rows
from .run import compute
from .threads import WORKER

INVERSE = Record("Inverse", """
rows        address of where the worlds are, ROWS
results     address of what is given back, RESULTS
qacc        address of the accelerations, by place
field       number of the field qacc in the table of d
skip        stage of mjtStage up to which nothing is computed anew
blind       whether to leave sensors as they were
""")  # fmt: skip


@kernel
def inverse_gang(m, d, record, worker):
    """Inverse dynamics at the accelerations of the call; only outputs are stored."""
    c, w = record_at(record, INVERSE, 0), record_at(worker, WORKER, 0)
    rows, results = record_at(c.rows, ROWS, 0), record_at(c.results, RESULTS, 0)
    zero_fields(d, results)
    if c.skip == STAGE_NONE:
        load_gang(d, rows, w)
        keep_states(d, rows, w, KNOWN_VEL)
    else:
        remake(m, d, rows, results, w, c.skip)
        if d.no_room:
            return
        if c.skip < STAGE_VEL:
            keep_states(d, rows, w, KNOWN_APART)
    d.skip_sensors = c.blind
    begin = start(d)
    compute(m, d, c.skip, STAGE_VEL)
    load_rows(d.lane_place, c.qacc, NUMBER * m.nv, m.nv, field_at(d, c.field), 0)
    # an integrator's matrix leaves out what is at its limit, and sensors show forces of actuators:
    # those of these worlds, not of others that the workspace had before
    discrete = m.opt.integrator == INT_DISCRETE or m.opt.enableflags & ENBL_INVDISCRETE != 0
    if discrete or senses(m, d):
        fwd_actuation(m, d)
    inverse_force(m, d)
    if senses(m, d):
        sensor_acc(m, d)
    lap(d, TIMER_INVERSE, begin)
    forget_statistics(d)  # no solver ran: they would be those of another gang
    for_readers(m, d, STAGE_ACC)
    d.skip_sensors = 0
    store_outputs(d, results)
    if c.skip < STAGE_VEL and d.no_room == 0:
        keep(d, rows, KNOWN_VEL if c.skip == STAGE_NONE else KNOWN_APART)
