"""The call `transition`: derivatives of a step by the state and the controls. Batch.transition_fd

With x = (qpos, qvel, act), of which positions are nudged and compared in the tangent space, and
y(x, u) the state one step later, s(x, u) what sensors read on the way,

    (1)  dy/dx_i = (y(x + e_i) - y(x)) / eps                          one-sided,
    (2)  dy/dx_i = (y(x + e_i) - y(x - e_i)) / (2 eps)                centered,

with e_i a nudge of size eps. A control is not nudged out of its range: what is left of (2) then is
one side of it, or nothing, and the derivative zero.

Columns are taken in the order of nudges.py, so that stages which they do not change are those of
the state itself. The solver starts every time from the same qacc_warmstart: differences are those
of the states.
"""

from ...lanes import W, any_lane, kernel, not_, splat, where
from ...lanes.records import Record, record_at
from ...mjconst import INT_DISCRETE, STAGE_ACC, STAGE_NONE, STAGE_POS
from ..integrate.integrators import copy_into, differentiate_pos
from ..pipeline import integrate
from .gang import ROWS, load_gang
from .nudges import (
    COLUMNS,
    CTRL,
    column_of,
    keep_own,
    kind_of,
    nudge,
    only,
    place_columns,
    stage_done,
    store_slopes,
)
from .rows import number_item
from .run import compute
from .threads import WORKER

TRANSITION = Record("Transition", """
rows        address of where the worlds are, ROWS
columns     address of what is nudged, COLUMNS
centered    whether worlds are nudged both ways
A           address of the derivatives of states by states, matrices by place; 0: nobody reads them
B           likewise, of states by controls
C           of sensors by states
D           of sensors by controls
""")  # fmt: skip


@kernel
def transition_gang(m, d, record, worker):
    c, w = record_at(record, TRANSITION, 0), record_at(worker, WORKER, 0)
    rows, columns = record_at(c.rows, ROWS, 0), record_at(c.columns, COLUMNS, 0)
    # what the first columns leave as it is
    load_gang(d, rows, w)
    compute(m, d, STAGE_NONE, stage_done(columns, 0))
    first = 0
    d.nkept, d.modified_kept = 0, 0
    while first < columns.total and d.no_room == 0:
        # the discrete integrator has velocities and controls in its metric
        known = stage_done(columns, first) >= STAGE_POS and m.opt.integrator != INT_DISCRETE
        d.keep_factors = 1 if known else 0
        take_columns(m, d, c, columns, first, rows, w)
        first += columns.share
    d.keep_factors = 0


@kernel
def take_columns(m, d, c, columns, first, rows, w):
    """One column for each lane."""
    eps, done = splat(number_item(columns.eps, 0)), stage_done(columns, first)
    load_gang(d, rows, w)
    forward, back = ways(m, d, c, columns, first, eps)
    nudge(m, d, columns, first, eps)
    step_from(m, d, done)
    copy_into(m.nq, d.plus_qpos, d.qpos)
    copy_into(m.nv, d.plus_qvel, d.qvel)
    copy_into(m.na, d.plus_act, d.act)
    copy_into(m.nsensordata, d.plus_sensor, d.sensordata)
    if first == 0:
        keep_own(columns, m.nq, d.next_qpos, d.qpos)
        keep_own(columns, m.nv, d.next_qvel, d.qvel)
        keep_own(columns, m.na, d.next_act, d.act)
        keep_own(columns, m.nsensordata, d.next_sensor, d.sensordata)
    # the other way, if some lane has to
    if any_lane(back) and d.no_room == 0:
        load_gang(d, rows, w)
        nudge(m, d, columns, first, -eps)
        step_from(m, d, done)
    difference(m, d, forward, back, eps)
    store_columns(m, d, c, columns, first)


@kernel
def step_from(m, d, done):
    """A step, of which the stages up to `done` (mjtStage) are done already; bad numbers stay."""
    compute(m, d, done, STAGE_ACC)
    if d.no_room == 0:
        integrate(m, d)


@kernel
def ways(m, d, c, columns, first, eps):
    """Masks: lanes that may be nudged forward, and those that are nudged back"""
    may, may_back = splat(1.0), splat(1.0)
    for lane in range(W):
        (kind, i), here = kind_of(columns, column_of(columns, lane, first)), only(lane)
        if kind == CTRL:
            if m.actuator_ctrllimited[i]:
                u, low, high = d.ctrl[i], m.actuator_ctrlrange[i, 0], m.actuator_ctrlrange[i, 1]
                within = (u >= low) & (u <= high)
                may = where(here & not_(within & (u + eps <= high)), 0.0, may)
                may_back = where(here & not_(within & (u - eps >= low)), 0.0, may_back)
    forward, back = may > 0.0, may_back > 0.0
    if c.centered == 0:
        back = back & not_(forward)
    return forward, back


@kernel
def difference(m, d, forward, back, eps):
    """(next, plus, state) => (1) or (2), in vector, plus_qvel, plus_act, plus_sensor"""
    h = eps * (where(forward, 1.0, 0.0) + where(back, 1.0, 0.0))
    some = h > 0.0
    scale = where(some, 1.0 / where(some, h, 1.0), 0.0)
    # of positions: between both ends, where a lane is not nudged the state itself
    for k in range(m.nq):
        d.plus_qpos[k] = where(forward, d.plus_qpos[k], d.next_qpos[k])
        d.qpos[k] = where(back, d.qpos[k], d.next_qpos[k])
    differentiate_pos(m, d.vector, 1.0, d.qpos, d.plus_qpos)
    for i in range(m.nv):
        d.vector[i] = d.vector[i] * scale
    # of the rest
    slope(m.nv, d.plus_qvel, d.qvel, d.next_qvel, forward, back, scale)
    slope(m.na, d.plus_act, d.act, d.next_act, forward, back, scale)
    slope(m.nsensordata, d.plus_sensor, d.sensordata, d.next_sensor, forward, back, scale)


@kernel
def slope(n, plus, minus, own, forward, back, scale):
    """plus <= the difference of both ends, times scale"""
    for k in range(n):
        high, low = where(forward, plus[k], own[k]), where(back, minus[k], own[k])
        plus[k] = (high - low) * scale


@kernel
def store_columns(m, d, c, columns, first):
    """Derivatives of each lane's column => A, B, C, D"""
    place_columns(d, columns, first, 2 * m.nv + m.na, c.A, c.B)
    store_slopes(d, 0, d.vector, m.nv)
    store_slopes(d, m.nv, d.plus_qvel, m.nv)
    store_slopes(d, 2 * m.nv, d.plus_act, m.na)
    place_columns(d, columns, first, m.nsensordata, c.C, c.D)
    store_slopes(d, 0, d.plus_sensor, m.nsensordata)
