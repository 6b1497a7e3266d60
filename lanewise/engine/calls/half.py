"""The call `half`: half of a step; between two of them Python controls. Batch.step1, step2 and
step(control=)

The second half makes the first one again, from the states that it had, then takes the states that
were left to it, with what was written in between, and goes on (kept.py).
"""

from ...lanes import kernel
from ...lanes.records import Record, record_at
from ...mjconst import STAGE_ACC, STAGE_VEL
from ..checks import check_pos, check_vel
from ..pipeline import find_rates2, move2, step1
from ..readers import for_readers
from ..user import observe
from .gang import RESULTS, ROWS, load_gang, load_outputs
from .kept import KNOWN_NONE, KNOWN_VEL, keep, keep_states, remake
from .run import RUN, begin_gang, leave_worlds, store_gang
from .threads import WORKER

HALF = Record("Half", """
run         address of what is common with a run, RUN
second      whether it is the second
""")  # fmt: skip


@kernel
def half_gang(m, d, record, worker):
    half, w = record_at(record, HALF, 0), record_at(worker, WORKER, 0)
    run = record_at(half.run, RUN, 0)
    rows = record_at(run.rows, ROWS, 0)
    results = record_at(run.results, RESULTS, 0)
    begin_gang(d, results)
    if half.second:
        remake(m, d, rows, results, w, STAGE_VEL)
        if d.no_room == 0:
            find_rates2(m, d)
            for_readers(m, d, STAGE_ACC)
            move2(m, d)
            observe(m, d)
    else:
        load_outputs(d, results)  # what the second half writes stays as it was until then
        load_gang(d, rows, w)
        check_pos(m, d)
        check_vel(m, d)
        keep_states(d, rows, w, KNOWN_VEL)
        step1(m, d)
        if d.no_room == 0:
            for_readers(m, d, STAGE_VEL)
    if d.no_room:
        leave_worlds(d, run, 0)
    else:
        store_gang(d, run, w)
        keep(d, rows, KNOWN_NONE if half.second else KNOWN_VEL)
