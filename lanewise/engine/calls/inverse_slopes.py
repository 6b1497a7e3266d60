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
from .nudges import COLUMNS, choose_rows, keep_own, nudge, stage_done
from .rows import NUMBER, load_rows, number_item, store_rows
from .run import compute
from .threads import WORKER

INVERSE_SLOPES = Record("InverseSlopes", """
rows        address of where the worlds are, ROWS
columns     address of what is nudged, COLUMNS
actuation   whether forces of actuators are taken off
qacc        address of the accelerations, by place
force       address of the derivatives of f, rows by place and column
sensor      address of those of s, likewise; 0: nobody reads them
inertia     address of those of M, likewise; 0: nobody reads them
acceleration  numbers of fields in the table of d: qacc
df          plus_qvel
ds          plus_sensor
dM          modified_M
""")  # fmt: skip


@kernel
def inverse_slopes_gang(m, d, record, worker):
    c, w = record_at(record, INVERSE_SLOPES, 0), record_at(worker, WORKER, 0)
    columns = record_at(c.columns, COLUMNS, 0)
    load_inputs(m, d, c, w)
    compute(m, d, STAGE_NONE, STAGE_VEL)
    copy_into(m.nC, d.fd_M, d.M)
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
        keep_own(columns, m.nsensordata, d.next_sensor, d.sensordata)
    # (1)
    choose_rows(d, columns, first)
    quotient(m.nv, d.plus_qvel, d.plus_qvel, d.fd_force, eps)
    store_rows(d.fd_row, field_at(d, c.df), m.nv, c.force, NUMBER * m.nv, 0)
    if c.sensor != 0:
        ns = m.nsensordata
        quotient(ns, d.plus_sensor, d.sensordata, d.next_sensor, eps)
        store_rows(d.fd_row, field_at(d, c.ds), ns, c.sensor, NUMBER * ns, 0)
    if c.inertia != 0 and done == STAGE_NONE:
        quotient(m.nC, d.modified_M, d.M, d.fd_M, eps)
        store_rows(d.fd_row, field_at(d, c.dM), m.nC, c.inertia, NUMBER * m.nC, 0)


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
