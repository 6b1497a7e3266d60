"""The call `half`: half of a step; between two of them Python controls. Batch.step(control=)

A workspace does not outlast a call. So the second half makes the first one again, from the states
before it, then takes the states that were left to it, with what was written in between, and goes
on: the same numbers, to the bit, as if nothing had been forgotten.
"""

from ...lanes import kernel
from ...lanes.records import Record, record_at
from ...mjconst import STAGE_ACC
from ..pipeline import find_rates2, move2, step1
from ..readers import for_readers
from .gang import RESULTS, ROWS, load_gang, load_outputs
from .run import RUN, begin_gang, leave_worlds, store_gang
from .threads import WORKER

HALF = Record("Half", """
run         address of what is common with a run, RUN
before      address of where the worlds were before the first half, ROWS; 0: this is the first
""")  # fmt: skip


@kernel
def half_gang(m, d, record, worker):
    half, w = record_at(record, HALF, 0), record_at(worker, WORKER, 0)
    run = record_at(half.run, RUN, 0)
    rows = record_at(run.rows, ROWS, 0)
    results = record_at(run.results, RESULTS, 0)
    begin_gang(d, results)
    if half.before == 0:
        load_outputs(d, results)  # what the second half writes stays as it was until then
        load_gang(d, rows, w)
        step1(m, d)
    else:
        load_gang(d, record_at(half.before, ROWS, 0), w)
        step1(m, d)
        if d.no_room == 0:
            load_gang(d, rows, w)
            find_rates2(m, d)
            for_readers(m, d, STAGE_ACC)
            move2(m, d)
    if d.no_room:
        leave_worlds(d, run, 0)
    else:
        store_gang(d, run, w)
