"""The call `run`: steps, then stages of the state they lead to. Batch.step, forward and reset."""

from ...lanes import W, any_lane, kernel, lane_item, load_lane, to_int, where
from ...lanes.memory import atomic_at, put_word
from ...lanes.records import Record, record_at
from ...mjconst import STAGE_ACC, STAGE_NONE, STAGE_POS, STAGE_VEL, TIMER_FORWARD
from ..checks import check_pos, check_vel
from ..pipeline import acceleration_stage, compare, find_rates, move, position_stage, velocity_stage
from ..readers import for_readers
from ..timing import lap, start
from ..user import observe, user_control
from .gang import (
    RESULTS,
    ROWS,
    count_warnings,
    load_gang,
    store_outputs,
    store_outputs_of,
    store_uses,
    store_warnings,
    zero_fields,
)
from .kept import keep, keep_states
from .rows import DOUBLE, NUMBER, put_int32_item, store_row, store_rows
from .threads import WORKER

RUN = Record("Run", """
rows        address of where the worlds are, ROWS
results     address of what is given back, RESULTS
nstep       steps
first       steps that the worlds have made of these already
stage       stage of mjtStage to compute after them
keep        whether to keep the states at which these stages are computed: KNOWN_..., or 0
nchanged    numbers at the beginning of a row that the call changes
plastic     first of the others that it changes
nplastic    their number
effort      address of int32s: what a world's last steps took, to be put beside similar ones
touching    address of int64s: what touches in a world, to the same end
""")  # fmt: skip

NEWEST = 0.125  # weight of the newest step in a mean
KINDS = 63  # of pairs of bodies that are told apart, a bit for each
MOST = 32  # contacts that are looked at


@kernel
def run_gang(m, d, record, worker):
    run, w = record_at(record, RUN, 0), record_at(worker, WORKER, 0)
    load_gang(d, record_at(run.rows, ROWS, 0), w)
    fresh = d.steps_made == 0
    if fresh:
        begin_gang(d, record_at(run.results, RESULTS, 0))
    begun = first_step(d, run)
    k, last, stop = begun, min(run.nstep, begun + d.patience), w.stop
    going = fresh or atomic_at(stop) == 0
    while k < last and going:
        find_rates(m, d)
        count_effort(d)
        going = atomic_at(stop) == 0
        # before the state moves on, if it may be the last time
        if run.stage < STAGE_ACC and (k == last - 1 or not going):
            for_readers(m, d, STAGE_ACC)
        move(m, d)
        if d.no_room:
            break
        k += 1
    d.patience -= k - begun
    over = k == run.nstep or atomic_at(stop) != 0
    if over and not d.no_room:
        run_stage(m, d, run, w)
    if d.no_room:
        leave_worlds(d, run, begun)
        return
    if over:
        for_readers(m, d, run.stage)
        if run.nstep > 0 or run.stage == STAGE_ACC:
            observe(m, d)
    store_gang(d, run, w)
    if run.keep:
        keep(d, record_at(run.rows, ROWS, 0), run.keep)
    d.steps_made = k if k < run.nstep else 0


@kernel
def run_stage(m, d, run, w):
    """Everything up to a stage, of the present state; a bad state is reset before."""
    if run.stage > STAGE_NONE:
        check_pos(m, d)
        check_vel(m, d)
    if run.keep:
        keep_states(d, record_at(run.rows, ROWS, 0), w, run.keep)
    compute(m, d, STAGE_NONE, run.stage)


@kernel
def compute(m, d, skip, stage):
    """Everything up to a stage, of the present state, but for what is known: that up to `skip`"""
    begin = start(d)
    if skip < STAGE_POS and stage >= STAGE_POS:
        position_stage(m, d)
    if skip < STAGE_VEL and stage >= STAGE_VEL:
        velocity_stage(m, d)
    if stage == STAGE_ACC:
        user_control(m, d)
        acceleration_stage(m, d)
        lap(d, TIMER_FORWARD, begin)
        compare(m, d)  # which a step of MuJoCo's does, and here who reads it


@kernel
def begin_gang(d, results):
    """Worlds that the thread has not run before in this call."""
    zero_fields(d, results)
    d.effort = -1.0
    for lane in range(W):
        d.lane_stopped[lane] = 0


@kernel(inline=True)
def first_step(d, run):
    """How many steps the worlds of a gang have made of a call."""
    return d.steps_made if d.steps_made > 0 else run.first


@kernel
def leave_worlds(d, run, begun):
    """For want of room: the worlds stay as they were after `begun` steps, and the host, which makes
    room and runs them again, finds -1 - begun in the place of their effort.

    Those whose rollout has ended are stored, and done.
    """
    for lane in range(W):
        if d.lane_stopped[lane] == 0:
            put_int32_item(run.effort, d.lane_world[lane], -1 - begun)
    d.steps_made = 0


@kernel
def store_gang(d, run, w):
    """All worlds of a gang: rows of the state, warnings, outputs."""
    rows = record_at(run.rows, ROWS, 0)
    stride = NUMBER * rows.nstate
    warned = any_lane(count_warnings(d) > 0.0)
    if warned:  # a reset may have changed everything
        for lane in range(W):
            store_warnings(d, rows, lane)
        store_rows(d.lane_world, w.block, rows.nstate, rows.state, stride, DOUBLE)
    else:
        store_rows(d.lane_world, w.block, run.nchanged, rows.state, stride, DOUBLE)
        if run.nplastic > 0:
            first, lanes = rows.state + NUMBER * run.plastic, w.block + NUMBER * W * run.plastic
            store_rows(d.lane_world, lanes, run.nplastic, first, stride, DOUBLE)
    if warned or any_lane(d.maxuse_efc + d.maxuse_con > 0.0):
        for lane in range(W):
            store_uses(d, rows, lane)
    store_outputs(d, record_at(run.results, RESULTS, 0))
    for lane in range(W):
        put_int32_item(run.effort, d.lane_world[lane], to_int(lane_item(total_effort(d), lane)))
        put_word(run.touching + NUMBER * d.lane_world[lane], touching(d, lane))


@kernel
def store_world(d, run, w, lane):
    """One world of a gang: the row of its state, its warnings and outputs."""
    rows = record_at(run.rows, ROWS, 0)
    store_warnings(d, rows, lane)
    store_uses(d, rows, lane)
    row = rows.state + NUMBER * rows.nstate * d.lane_world[lane]
    store_row(lane, w.block, rows.nstate, row, DOUBLE)
    store_outputs_of(d, record_at(run.results, RESULTS, 0), lane)


@kernel
def count_effort(d):
    """effort <= its mean over the last steps, older ones less and less: one step tells little"""
    now = present_effort(d)
    d.effort = where(d.effort < 0.0, now, d.effort + (now - d.effort) * NEWEST)


@kernel
def total_effort(d):
    """What the steps of a call took, or what was computed without a step"""
    return where(d.effort < 0.0, present_effort(d), d.effort)


@kernel(inline=True)
def present_effort(d):
    """A measure of what constraints cost a world: iterations of the solver, then rows"""
    return d.solver_niter[0] * 4096.0 + d.nefc


@kernel
def touching(d, lane):
    """Which bodies touch in a world, as bits: pairs that share one are not told apart"""
    found = 0
    for k in range(min(to_int(lane_item(d.ncon, lane)), MOST)):
        b1, b2 = to_int(load_lane(d.con_body1, k, lane)), to_int(load_lane(d.con_body2, k, lane))
        found = found | (1 << ((37 * b1 + b2) % KINDS))
    return found
