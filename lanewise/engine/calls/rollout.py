"""The call `rollout`: steps with a control and a record each. Batch.rollout"""

from ...lanes import W, any_lane, kernel, lane_item
from ...lanes.memory import atomic_at, field_at
from ...lanes.records import Record, record_at
from ...mjconst import STAGE_ACC
from ..pipeline import find_rates, move
from ..readers import for_readers
from ..user import observe
from .gang import RESULTS, ROWS, count_warnings, load_gang
from .rows import DOUBLE, NUMBER, int32_item, load_rows, put_int32_item, store_rows
from .run import RUN, begin_gang, count_effort, first_step, leave_worlds, store_gang, store_world
from .threads import WORKER

ROLLOUT = Record("Rollout", """
run         address of what is common with a run, RUN
ncontrol    numbers in a control, 0 if there is none
control     address of the controls, by place and step
npiece      state components in a control
pieces      address of their records, PIECE
nrecord     records of a step
records     address of their records, RECORDED
""")  # fmt: skip

PIECE = Record("Piece", """
source      its first number in a control
target      its first number in a state row
count       its numbers
""")  # fmt: skip

RECORDED = Record("Recorded", """
rows        address of the first world's first row
stride      bytes from a world's row to the next, by place
step        bytes from a step's row to the next
count       numbers in a row
field       number of the field in the table of d
first       its first number in there
kind        what rows hold: DOUBLE, WHOLE, SINGLE
""")  # fmt: skip


@kernel
def rollout_gang(m, d, record, worker):
    """A world that raises a warning stops there: it is stored at once, and its records repeat."""
    c, w = record_at(record, ROLLOUT, 0), record_at(worker, WORKER, 0)
    run = record_at(c.run, RUN, 0)
    load_gang(d, record_at(run.rows, ROWS, 0), w)
    if d.steps_made == 0:
        begin_gang(d, record_at(run.results, RESULTS, 0))
    begun = first_step(d, run)
    k = roll_out(m, d, c, run, w)
    if d.no_room:
        leave_worlds(d, run, begun)
        return
    if count_stopped(d) == 0:
        store_gang(d, run, w)
    else:
        for lane in range(W):
            if d.lane_stopped[lane] == 0:
                store_world(d, run, w, lane)
    d.steps_made = k if k < run.nstep else 0


@kernel
def roll_out(m, d, c, run, w):
    """The steps; how many were made. Lanes of worlds that stopped go on, but nobody looks at them.

    The warnings of a world that has not stopped are those at the start, also if this goes on.
    """
    begun, nstopped, fresh = first_step(d, run), count_stopped(d), d.steps_made == 0
    at_start = count_warnings(d)
    k, last, stop = begun, min(run.nstep, begun + d.patience), w.stop
    while k < last and ((fresh and k == begun) or atomic_at(stop) == 0):
        if c.ncontrol > 0:
            load_control(d, c, run.nstep, w, k)
        find_rates(m, d)
        count_effort(d)
        for_readers(m, d, STAGE_ACC)
        move(m, d)
        if d.no_room:
            for later in range(k, run.nstep):
                for r in range(c.nrecord):
                    repeat_record(d, record_at(c.records, RECORDED, r), later)
            break
        observe(m, d)
        for r in range(c.nrecord):
            record_step(d, record_at(c.records, RECORDED, r), k, nstopped)
        if any_lane(count_warnings(d) > at_start):
            for lane in range(W):
                raised = lane_item(count_warnings(d) - at_start, lane) > 0.0
                if d.lane_stopped[lane] == 0 and raised:
                    d.lane_stopped[lane] = 1
                    nstopped += 1
                    store_world(d, run, w, lane)
        k += 1
    d.patience -= k - begun
    return k


@kernel
def count_stopped(d):
    nstopped = 0
    for lane in range(W):
        nstopped += d.lane_stopped[lane]
    return nstopped


@kernel
def load_control(d, c, nstep, w, k):
    """The control of step k => state components"""
    stride = NUMBER * c.ncontrol
    for p in range(c.npiece):
        piece = record_at(c.pieces, PIECE, p)
        source = c.control + stride * k + NUMBER * piece.source
        target = w.block + NUMBER * W * piece.target
        load_rows(d.lane_place, source, stride * nstep, piece.count, target, 0)


@kernel
def record_step(d, item, k, nstopped):
    """One record of step k; a stopped world repeats that of the step before."""
    record_row(d, item, k)
    if nstopped > 0:
        repeat_record(d, item, k)


@kernel
def record_row(d, item, k):
    """What the worlds of a gang have of an item now => rows of step k"""
    rows = item.rows + item.step * k
    lanes = field_at(d, item.field) + NUMBER * W * item.first
    store_rows(d.lane_place, lanes, item.count, rows, item.stride, item.kind)


@kernel
def repeat_record(d, item, k):
    """The record of step k - 1 is that of step k too, in worlds that stopped."""
    size = 2 * item.count if item.kind == DOUBLE else item.count
    for lane in range(W):
        if d.lane_stopped[lane] > 0:
            row = item.rows + item.step * k + item.stride * d.lane_place[lane]
            for i in range(size):
                put_int32_item(row, i, int32_item(row - item.step, i))
