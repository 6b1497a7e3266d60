"""The call `look`: outputs of the state that worlds have, and nothing else. The first read of an
output, and Batch(fresh=True)

A bad state is taken as it is, since nothing may be reset; warnings are not counted, nor what stages
take.
"""

from ...lanes import kernel
from ...lanes.records import Record, record_at
from ...mjconst import STAGE_ACC, STAGE_NONE
from ..readers import for_readers
from ..user import observe
from .gang import RESULTS, ROWS, load_gang, store_outputs, zero_fields
from .run import compute
from .threads import WORKER

LOOK = Record("Look", """
rows        address of where the worlds are, ROWS
results     address of what is given back, RESULTS
stage       stage of mjtStage to compute
""")  # fmt: skip


@kernel
def look_gang(m, d, record, worker):
    look, w = record_at(record, LOOK, 0), record_at(worker, WORKER, 0)
    results = record_at(look.results, RESULTS, 0)
    load_gang(d, record_at(look.rows, ROWS, 0), w)
    zero_fields(d, results)
    timing = d.timing
    d.timing = 0
    compute(m, d, STAGE_NONE, look.stage)
    d.timing = timing
    for_readers(m, d, look.stage)
    if look.stage == STAGE_ACC:
        observe(m, d)
    store_outputs(d, results)
