"""The call `skip`: forward dynamics without the stages that are known. Batch.forward_skip"""

from ...lanes import kernel
from ...lanes.records import Record, record_at
from ...mjconst import STAGE_ACC, STAGE_NONE, STAGE_VEL
from ..checks import check_pos, check_vel
from ..readers import for_readers
from ..user import observe
from .gang import RESULTS, ROWS, load_gang
from .kept import KNOWN_APART, KNOWN_VEL, keep, keep_states, remake
from .run import RUN, begin_gang, compute, leave_worlds, store_gang
from .threads import WORKER

SKIP = Record("Skip", """
run         address of what is common with a run, RUN
skip        stage of mjtStage up to which nothing is computed anew
blind       whether to leave sensors as they were
""")  # fmt: skip


@kernel
def skip_gang(m, d, record, worker):
    c, w = record_at(record, SKIP, 0), record_at(worker, WORKER, 0)
    run = record_at(c.run, RUN, 0)
    rows = record_at(run.rows, ROWS, 0)
    results = record_at(run.results, RESULTS, 0)
    begin_gang(d, results)
    if c.skip == STAGE_NONE:
        load_gang(d, rows, w)
        check_pos(m, d)
        check_vel(m, d)
        keep_states(d, rows, w, KNOWN_VEL)
    else:
        remake(m, d, rows, results, w, c.skip)
        if c.skip < STAGE_VEL and d.no_room == 0:
            keep_states(d, rows, w, KNOWN_APART)
    if d.no_room == 0:
        d.skip_sensors = c.blind
        compute(m, d, c.skip, STAGE_ACC)
        for_readers(m, d, STAGE_ACC)
        observe(m, d)
        d.skip_sensors = 0
    if d.no_room:
        leave_worlds(d, run, 0)
        return
    store_gang(d, run, w)
    if c.skip < STAGE_VEL:
        keep(d, rows, KNOWN_VEL if c.skip == STAGE_NONE else KNOWN_APART)
