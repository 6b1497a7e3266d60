"""What calls have in common: the worlds of a gang are loaded, and what they leave is stored.

ROWS says where the worlds are kept, and RESULTS what a call gives back besides: the fields that
somebody asked for, as rows.
"""

from ...lanes import W, kernel, lane_item, lane_mask, load_lane, not_, splat, to_int, where
from ...lanes.memory import field_at
from ...lanes.records import Record, record_at
from ...mjconst import NWARNING
from .rows import (
    DOUBLE,
    NUMBER,
    int32_item,
    int64_item,
    load_rows,
    put_int32_item,
    store_row,
    store_rows,
    zero_lanes,
    zero_row,
)

ROWS = Record("Rows", """
state       address of the state rows
nstate      numbers in a row
ahead       distance of the rows of the next gang, if they are far from the processor
warning     address of the warning counters: int32 pairs, what the last was about and how many
resets      address of int32s: how often a world was reset because of bad numbers
uses        address of int32 pairs: the most contacts and rows of a world
nconstant   model constants that differ between worlds
constants   address of their records, CONSTANT
nparameter  parameters of user code that do
parameters  address of their records, CONSTANT
kept        address of where stages were last computed, KEPT
""")  # fmt: skip

CONSTANT = Record("Constant", """
rows        address of the rows
stride      bytes from a world's row to the next
count       numbers in a row
lanes       distance of its lanes in a thread's block of them
""")  # fmt: skip

RESULTS = Record("Results", """
noutput     fields to copy out
outputs     address of their records, OUTPUT
counts      address of int32 pairs: contacts and rows that a world's outputs hold; or 0
nzero       fields that may not be written
zeros       address of their records, ZERO
""")  # fmt: skip

OUTPUT = Record("Output", """
rows        address of the rows
stride      bytes from a world's row to the next
count       numbers in a row
field       number of the field in the table of d
kind        what rows hold: DOUBLE, WHOLE, SINGLE
counted     0, or whether it is as long as contacts, rows, or iterations of islands (PER_...)
each        numbers for each of them, or for each island
mixed       whether several stages of mjtStage write it, each a part: sensordata
""")  # fmt: skip

ZERO = Record("Zero", """
field       number of the field in the table of d
count       its numbers
""")  # fmt: skip

PER_CONTACT, PER_ROW, PER_ITERATION = 1, 2, 3


@kernel
def load_gang(d, rows, w):
    """Rows of the worlds of a gang => the state, the warnings, the constants in lanes"""
    state = rows.state
    load_rows(d.lane_world, state, NUMBER * rows.nstate, rows.nstate, w.block, rows.ahead)
    load_warnings(d, rows)
    load_uses(d, rows)
    d.lacked = d.lacked | d.no_room
    d.no_room = 0
    for k in range(rows.nconstant):
        c = record_at(rows.constants, CONSTANT, k)
        load_rows(d.lane_world, c.rows, c.stride, c.count, w.constants + c.lanes, 0)
    for k in range(rows.nparameter):
        p = record_at(rows.parameters, CONSTANT, k)
        load_rows(d.lane_world, p.rows, p.stride, p.count, w.parameters + p.lanes, 0)


@kernel
def zero_fields(d, results):
    """What nobody may write in this call becomes zero, so that it is not another gang's."""
    for k in range(results.nzero):
        zero = record_at(results.zeros, ZERO, k)
        zero_lanes(field_at(d, zero.field), zero.count)


# ------------------------------------------------------------------------------------------ outputs


@kernel
def store_outputs(d, results):
    """The outputs of all worlds of a gang."""
    for k in range(results.noutput):
        output = record_at(results.outputs, OUTPUT, k)
        if output.counted:
            for lane in range(W):
                store_counted(d, results, output, lane)
        else:
            lanes = field_at(d, output.field)
            store_rows(d.lane_world, lanes, output.count, output.rows, output.stride, output.kind)
    for lane in range(W):
        store_counts(d, results, lane)


@kernel
def load_outputs(d, results):
    """What outputs hold of the worlds of a gang => lanes, of fields that a call writes in part"""
    for k in range(results.noutput):
        output = record_at(results.outputs, OUTPUT, k)
        if output.mixed:
            lanes = field_at(d, output.field)
            load_rows(d.lane_world, output.rows, output.stride, output.count, lanes, 0)


@kernel
def store_outputs_of(d, results, lane):
    """The outputs of one world."""
    for k in range(results.noutput):
        output = record_at(results.outputs, OUTPUT, k)
        if output.counted:
            store_counted(d, results, output, lane)
        else:
            row = output.rows + output.stride * d.lane_world[lane]
            store_row(lane, field_at(d, output.field), output.count, row, output.kind)
    store_counts(d, results, lane)


@kernel
def store_counted(d, results, output, lane):
    """What a world has of a field with a capacity; what was stored beyond becomes zero."""
    if output.counted == PER_ITERATION:
        store_iterations(d, output, lane)
        return
    i, room = d.lane_world[lane], output.count
    counted, last = (d.ncon, 0) if output.counted == PER_CONTACT else (d.nefc, 1)
    n = min(to_int(lane_item(counted, lane)) * output.each, room)
    before = min(int32_item(results.counts, 2 * i + last) * output.each, room)
    row = output.rows + output.stride * i
    store_row(lane, field_at(d, output.field), n, row, output.kind)
    zero_row(row, n, before, output.kind)


@kernel
def store_iterations(d, output, lane):
    """What a world's islands have of a field of solver iterations, and zeros"""
    size = NUMBER if output.kind == DOUBLE else 4
    for k in range(output.count // output.each):
        first = output.each * k
        n = min(to_int(load_lane(d.solver_niter, k, lane)), output.each)
        row = output.rows + output.stride * d.lane_world[lane] + size * first
        store_row(lane, field_at(d, output.field) + NUMBER * W * first, n, row, output.kind)
        zero_row(row, n, output.each, output.kind)


@kernel
def store_counts(d, results, lane):
    """How many contacts and rows a world's outputs hold from now on"""
    if results.counts == 0:
        return
    i = d.lane_world[lane]
    put_int32_item(results.counts, 2 * i, to_int(lane_item(d.ncon, lane)))
    put_int32_item(results.counts, 2 * i + 1, to_int(lane_item(d.nefc, lane)))


# ----------------------------------------------------------------------------------------- warnings


@kernel
def warning_row(d, rows, lane):
    """Address of the counters of a lane's world."""
    return rows.warning + NUMBER * NWARNING * d.lane_world[lane]


@kernel
def load_warnings(d, rows):
    """Counters of the worlds => lanes"""
    # mostly there are none: look at the pairs as a whole first
    some = 0
    for lane in range(W):
        row = warning_row(d, rows, lane)
        some |= int32_item(rows.resets, d.lane_world[lane])
        for k in range(NWARNING):
            some |= int64_item(row, k)
    d.resets = splat(0.0)
    for k in range(NWARNING):
        d.warning.number[k] = splat(0.0)
        d.warning.lastinfo[k] = splat(0.0)
    if some != 0:
        for lane in range(W):
            row = warning_row(d, rows, lane)
            here = lane_mask(lane + 1) & not_(lane_mask(lane))
            resets = int32_item(rows.resets, d.lane_world[lane]) * 1.0
            d.resets = where(here, resets, d.resets)
            for k in range(NWARNING):
                info, number = int32_item(row, 2 * k) * 1.0, int32_item(row, 2 * k + 1) * 1.0
                d.warning.lastinfo[k] = where(here, info, d.warning.lastinfo[k])
                d.warning.number[k] = where(here, number, d.warning.number[k])


@kernel
def store_warnings(d, rows, lane):
    row = warning_row(d, rows, lane)
    put_int32_item(rows.resets, d.lane_world[lane], to_int(lane_item(d.resets, lane)))
    for k in range(NWARNING):
        put_int32_item(row, 2 * k, int(lane_item(d.warning.lastinfo[k], lane)))
        put_int32_item(row, 2 * k + 1, int(lane_item(d.warning.number[k], lane)))


@kernel
def load_uses(d, rows):
    """The most contacts and rows of the worlds so far => lanes"""
    some = 0
    for lane in range(W):
        some |= int64_item(rows.uses, d.lane_world[lane])
    d.maxuse_con = splat(0.0)
    d.maxuse_efc = splat(0.0)
    if some != 0:
        for lane in range(W):
            i = d.lane_world[lane]
            here = lane_mask(lane + 1) & not_(lane_mask(lane))
            d.maxuse_con = where(here, int32_item(rows.uses, 2 * i) * 1.0, d.maxuse_con)
            d.maxuse_efc = where(here, int32_item(rows.uses, 2 * i + 1) * 1.0, d.maxuse_efc)


@kernel
def store_uses(d, rows, lane):
    i = d.lane_world[lane]
    put_int32_item(rows.uses, 2 * i, to_int(lane_item(d.maxuse_con, lane)))
    put_int32_item(rows.uses, 2 * i + 1, to_int(lane_item(d.maxuse_efc, lane)))


@kernel
def count_warnings(d):
    total = splat(0.0)
    for k in range(NWARNING):
        total = total + d.warning.number[k]
    return total
