"""The call `sample`: forward dynamics at many inputs of each world. Batch.sample

A place of the call has a share of a world's samples, one after the other: stages that the inputs
cannot change are computed once, before the first. With few worlds and many samples, a world has
several places, so that all lanes are of use.

Each sample begins with the whole state of its world, the solver's start included: it does not
depend on the one before.
"""

from ...lanes import W, kernel
from ...lanes.records import Record, record_at
from ...mjconst import STAGE_NONE
from ..readers import for_readers
from .gang import RESULTS, ROWS, load_gang, zero_fields
from .rollout import PIECE, RECORDED, record_row
from .rows import NUMBER, load_rows
from .run import compute
from .threads import WORKER

SAMPLE = Record("Sample", """
rows        address of where the worlds are, ROWS
results     address of which fields begin as zero, RESULTS
common      stages that the samples of a world have in common, up to this one of mjtStage
stage       stage that is computed of each
nsample     samples of a world
nplace      places of a world in the call
share       samples of a place
ninput      numbers in an input
inputs      address of the inputs, by world of the call and sample
npiece      state components in an input
pieces      address of their records, PIECE
nrecord     records of a sample
records     address of their records, RECORDED
""")  # fmt: skip


@kernel
def sample_gang(m, d, record, worker):
    c, w = record_at(record, SAMPLE, 0), record_at(worker, WORKER, 0)
    rows, results = record_at(c.rows, ROWS, 0), record_at(c.results, RESULTS, 0)
    load_gang(d, rows, w)
    zero_fields(d, results)
    compute(m, d, STAGE_NONE, c.common)
    for k in range(c.share):
        if d.no_room:
            break
        choose_sample(d, c, k)
        load_rows(d.lane_world, rows.state, NUMBER * rows.nstate, rows.nstate, w.block, 0)
        load_inputs(d, c, w)
        if c.common == STAGE_NONE:
            zero_fields(d, results)
        compute(m, d, c.common, c.stage)
        for_readers(m, d, c.stage)
        for r in range(c.nrecord):
            record_row(d, record_at(c.records, RECORDED, r), 0)


@kernel
def choose_sample(d, c, k):
    """lane_place <= sample k of each lane, counted through all worlds; the last one over again, if
    a place has no more"""
    n = c.nsample
    for lane in range(W):
        at = d.lane_place[lane]
        if k == 0:
            first = min((at % c.nplace) * c.share, n - 1)
            d.lane_place[lane] = (at // c.nplace) * n + first
        else:
            d.lane_place[lane] = min(at + 1, (at // n) * n + n - 1)


@kernel
def load_inputs(d, c, w):
    """The inputs of a sample => state components"""
    for p in range(c.npiece):
        piece = record_at(c.pieces, PIECE, p)
        target = w.block + NUMBER * W * piece.target
        source = c.inputs + NUMBER * piece.source
        load_rows(d.lane_place, source, NUMBER * c.ninput, piece.count, target, 0)
