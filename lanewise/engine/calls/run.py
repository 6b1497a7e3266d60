"""The call `run`: steps, then stages of the state they lead to. Batch.step, forward and reset."""

from ...lanes import W, any_lane, kernel, lane_item, to_int
from ...lanes.memory import atomic_at
from ...lanes.records import Record, record_at
from ...mjconst import STAGE_ACC, STAGE_NONE, STAGE_POS
from ..checks import check_pos, check_vel
from ..pipeline import forward, position_stage, step, velocity_stage
from ..readers import for_readers
from .gang import (
    RESULTS,
    ROWS,
    count_warnings,
    load_gang,
    store_outputs,
    store_outputs_of,
    store_warnings,
    zero_fields,
)
from .rows import NUMBER, put_int32_item, store_row, store_rows
from .threads import WORKER, last_step, spend

RUN = Record("Run", """
rows        address of where the worlds are, ROWS
results     address of what is given back, RESULTS
nstep       steps
stage       stage of mjtStage to compute after them
nchanged    numbers at the beginning of a row that the call changes
plastic     first of the others that it changes
nplastic    their number
effort      address of int32s: what a world's last step took, to be put beside similar ones
""")  # fmt: skip


@kernel
def run_gang(m, d, record, worker):
    run, w = record_at(record, RUN, 0), record_at(worker, WORKER, 0)
    load_gang(d, record_at(run.rows, ROWS, 0), w)
    k = d.steps_made
    if k == 0:
        zero_fields(d, record_at(run.results, RESULTS, 0))
    last, stop = last_step(d, run.nstep), w.stop
    while k < last and (k == 0 or atomic_at(stop) == 0):
        step(m, d)
        k += 1
    spend(d, k)
    if k == run.nstep or atomic_at(w.stop) != 0:
        run_stage(m, d, run.stage)
    for_readers(m, d)
    store_gang(d, run, w)
    d.steps_made = k if k < run.nstep else 0


@kernel
def run_stage(m, d, stage):
    """Everything up to a stage, of the present state; a bad state is reset before."""
    if stage > STAGE_NONE:
        check_pos(m, d)
        check_vel(m, d)
    compute_up_to(m, d, stage)


@kernel
def compute_up_to(m, d, stage):
    """Everything up to a stage, of the present state."""
    if stage == STAGE_ACC:
        forward(m, d)
    elif stage > STAGE_NONE:
        position_stage(m, d)
        if stage > STAGE_POS:
            velocity_stage(m, d)


@kernel
def store_gang(d, run, w):
    """All worlds of a gang: rows of the state, warnings, outputs."""
    rows = record_at(run.rows, ROWS, 0)
    stride = NUMBER * rows.nstate
    if any_lane(count_warnings(d) > 0.0):  # a reset may have changed everything
        for lane in range(W):
            store_warnings(d, rows, lane)
        store_rows(d.lane_world, w.block, rows.nstate, rows.state, stride, 0)
    else:
        store_rows(d.lane_world, w.block, run.nchanged, rows.state, stride, 0)
        if run.nplastic > 0:
            first, lanes = rows.state + NUMBER * run.plastic, w.block + NUMBER * W * run.plastic
            store_rows(d.lane_world, lanes, run.nplastic, first, stride, 0)
    store_outputs(d, record_at(run.results, RESULTS, 0))
    for lane in range(W):
        put_int32_item(run.effort, d.lane_world[lane], effort(d, lane))


@kernel
def store_world(d, run, w, lane):
    """One world of a gang: the row of its state, its warnings and outputs."""
    rows = record_at(run.rows, ROWS, 0)
    store_warnings(d, rows, lane)
    row = rows.state + NUMBER * rows.nstate * d.lane_world[lane]
    store_row(lane, w.block, rows.nstate, row, 0)
    store_outputs_of(d, record_at(run.results, RESULTS, 0), lane)


@kernel
def effort(d, lane):
    """A measure of what constraints cost a world: iterations of the solver, then rows"""
    return to_int(lane_item(d.solver_niter[0] * 4096.0 + d.nefc, lane))
