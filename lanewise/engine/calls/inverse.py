"""The call `inverse`: the forces that given accelerations take. Batch.inverse"""

from ...lanes import kernel
from ...lanes.memory import field_at
from ...lanes.records import Record, record_at
from ...mjconst import ENBL_INVDISCRETE, INT_DISCRETE, STAGE_ACC
from ..forces.actuation import fwd_actuation
from ..inverse import inverse_force
from ..pipeline import position_stage, velocity_stage
from ..readers import for_readers
from ..senses import senses
from ..sensors.acceleration import sensor_acc
from ..solver.primal.iteration_log import forget_statistics
from .gang import RESULTS, ROWS, load_gang, store_outputs
from .rows import NUMBER, load_rows
from .threads import WORKER

INVERSE = Record("Inverse", """
rows        address of where the worlds are, ROWS
results     address of what is given back, RESULTS
qacc        address of the accelerations, by place
field       number of the field qacc in the table of d
""")  # fmt: skip


@kernel
def inverse_gang(m, d, record, worker):
    """Inverse dynamics at the accelerations of the call; only outputs are stored."""
    c, w = record_at(record, INVERSE, 0), record_at(worker, WORKER, 0)
    load_gang(d, record_at(c.rows, ROWS, 0), w)
    load_rows(d.lane_place, c.qacc, NUMBER * m.nv, m.nv, field_at(d, c.field), 0)
    position_stage(m, d)
    velocity_stage(m, d)
    # an integrator's matrix leaves out what is at its limit: by the forces of these worlds, not of
    # those that the workspace had before
    if m.opt.integrator == INT_DISCRETE or m.opt.enableflags & ENBL_INVDISCRETE != 0:
        fwd_actuation(m, d)
    inverse_force(m, d)
    if senses(m, d):
        sensor_acc(m, d)
    forget_statistics(d)  # no solver ran: they would be those of another gang
    for_readers(m, d, STAGE_ACC)
    store_outputs(d, record_at(c.results, RESULTS, 0))
