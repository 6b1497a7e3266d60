"""The call `inverse_slopes`: derivatives of inverse dynamics. Batch.inverse_fd

With f(q, v, a) the force of inverse dynamics, s what sensors read and M the inertia matrix,

    (1)  df/dq_i = (f(q + e_i, v, a) - f(q, v, a)) / eps,   likewise by v and a, and of s and M,

with e_i a nudge of size eps, of positions in the tangent space. Columns are taken in the order of
nudges.py.
"""

from ...lanes import kernel, splat
from ...lanes.memory import field_at
from ...lanes.records import Record, record_at
from ...mjconst import ENBL_INVDISCRETE, INT_DISCRETE, STAGE_NONE, STAGE_VEL
from ..forces.actuation import fwd_actuation
from ..integrate.integrators import copy_into
from ..inverse import inverse_force
from ..senses import senses
from ..sensors.acceleration import sensor_acc
from .gang import ROWS, load_gang
from .nudges import COLUMNS, keep_own, nudge, place_rows, stage_done, store_slopes
from .rows import NUMBER, load_rows, number_item
from .run import compute
from .threads import WORKER

INVERSE_SLOPES = Record("InverseSlopes", """
rows        address of where the worlds are, ROWS
columns     address of what is nudged, COLUMNS
actuation   whether forces of actuators are taken off
qacc        address of the accelerations, by place
DfDq        address of the derivatives of f by q, matrices by place
DfDv        likewise
DfDa        likewise
DsDq        of s; 0: nobody reads them
DsDv        likewise
DsDa        likewise
DmDq        of M
acceleration  number of a field in the table of d: qacc
""")  # fmt: skip


@kernel
def inverse_slopes_gang(m, d, record, worker):
    c, w = record_at(record, INVERSE_SLOPES, 0), record_at(worker, WORKER, 0)
    columns = record_at(c.columns, COLUMNS, 0)
    # what the first columns leave as it is
    load_inputs(m, d, c, w)
    compute(m, d, STAGE_NONE, stage_done(columns, 0))
    first = 0
    while first < columns.total and d.no_room == 0:
        take_slopes(m, d, c, columns, first, w)
        first += columns.share


@kernel
def load_inputs(m, d, c, w):
    """(qpos, qvel, qacc, ...) of the worlds => lanes"""
    load_gang(d, record_at(c.rows, ROWS, 0), w)
    load_rows(d.lane_place, c.qacc, NUMBER * m.nv, m.nv, field_at(d, c.acceleration), 0)


@kernel
def take_slopes(m, d, c, columns, first, w):
    """One column for each lane."""
    eps, done = number_item(columns.eps, 0), stage_done(columns, first)
    load_inputs(m, d, c, w)
    nudge(m, d, columns, first, splat(eps))
    force_from(m, d, c, done, d.plus_qvel)
    if first == 0:
        keep_own(columns, m.nv, d.fd_force, d.plus_qvel)
        keep_own(columns, m.nC, d.fd_M, d.M)
        keep_own(columns, m.nsensordata, d.next_sensor, d.sensordata)
    # (1)
    quotient(m.nv, d.plus_qvel, d.plus_qvel, d.fd_force, eps)
    place_rows(d, columns, first, m.nv, c.DfDq, c.DfDv, c.DfDa)
    store_slopes(d, 0, d.plus_qvel, m.nv)
    quotient(m.nsensordata, d.plus_sensor, d.sensordata, d.next_sensor, eps)
    place_rows(d, columns, first, m.nsensordata, c.DsDq, c.DsDv, c.DsDa)
    store_slopes(d, 0, d.plus_sensor, m.nsensordata)
    if done == STAGE_NONE:
        quotient(m.nC, d.modified_M, d.M, d.fd_M, eps)
        place_rows(d, columns, first, m.nC, c.DmDq, 0, 0)
        store_slopes(d, 0, d.modified_M, m.nC)


@kernel
def force_from(m, d, c, done, force):
    """force <= that of inverse dynamics, of which the stages up to `done` (mjtStage) are done"""
    compute(m, d, done, STAGE_VEL)
    # an integrator's matrix leaves out what is at its limit, by the forces of actuators
    if m.opt.integrator == INT_DISCRETE or m.opt.enableflags & ENBL_INVDISCRETE != 0:
        fwd_actuation(m, d)
    inverse_force(m, d)
    if senses(m, d):
        sensor_acc(m, d)
    copy_into(m.nv, force, d.qfrc_inverse)
    if c.actuation:
        fwd_actuation(m, d)
        for i in range(m.nv):
            force[i] = force[i] - d.qfrc_actuator[i]


@kernel
def quotient(n, to, high, low, eps):
    """to <= (high - low) / eps"""
    for k in range(n):
        to[k] = (high[k] - low[k]) / eps
