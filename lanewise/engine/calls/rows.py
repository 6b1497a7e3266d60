"""Between rows and lanes: a world is a row of numbers outside, and a lane inside.

Rows are C-ordered, as users see them. Eight rows are transposed in blocks of 8x8 into the lanes of
a workspace, and back; a world alone is copied. What leaves may be rounded on the way: rows are of
float64, of int32 or of float32. Here, and only here, addresses are computed by hand: a number has 8
bytes, an int32 or float32 has 4, a Lane W numbers.
"""

from ...lanes import W, kernel, lane_item, splat, vec
from ...lanes.memory import (
    int32_at,
    int64_at,
    lane_at,
    number_at,
    prefetch,
    put_int32,
    put_lane,
    put_number,
    put_single,
    put_singles,
    transpose,
)  # fmt: skip

NUMBER = 8  # bytes
DOUBLE, WHOLE, SINGLE = range(3)  # kinds of rows: float64, int32, float32


@kernel(inline=True)
def int64_item(address, k):
    """Number k of int64s."""
    return int64_at(address + 8 * k)


@kernel(inline=True)
def int32_item(address, k):
    """Number k of int32s."""
    return int32_at(address + 4 * k)


@kernel(inline=True)
def put_int32_item(address, k, i):
    put_int32(address + 4 * k, i)


@kernel(inline=True)
def number_item(address, k):
    """Number k of float64s."""
    return number_at(address + 8 * k)


@kernel(inline=True)
def put_number_item(address, k, x):
    put_number(address + 8 * k, x)


@kernel(inline=True)
def put_six(address, first, v, lane):
    """Six numbers of one lane, from number `first` on."""
    put_number_item(address, first, lane_item(v[0], lane))
    put_number_item(address, first + 1, lane_item(v[1], lane))
    put_number_item(address, first + 2, lane_item(v[2], lane))
    put_number_item(address, first + 3, lane_item(v[3], lane))
    put_number_item(address, first + 4, lane_item(v[4], lane))
    put_number_item(address, first + 5, lane_item(v[5], lane))


@kernel
def load_rows(index, rows, stride, count, lanes, ahead):
    """count numbers of W rows => lanes; what lies `ahead` bytes farther on is needed next"""
    if W == 1:
        row = rows + stride * index[0]
        for k in range(count):
            put_number_item(lanes, k, number_item(row, k))
        return
    step = NUMBER * W
    r0, r1, r2, r3, r4, r5, r6, r7 = row_addresses(index, rows, stride)
    if count < 8:
        for k in range(count):
            to = lanes + step * k
            put_number_item(to, 0, number_item(r0, k))
            put_number_item(to, 1, number_item(r1, k))
            put_number_item(to, 2, number_item(r2, k))
            put_number_item(to, 3, number_item(r3, k))
            put_number_item(to, 4, number_item(r4, k))
            put_number_item(to, 5, number_item(r5, k))
            put_number_item(to, 6, number_item(r6, k))
            put_number_item(to, 7, number_item(r7, k))
        return
    k = 0
    while k < count:
        k = min(k, count - 8)  # the last block may overlap the one before
        o = NUMBER * k
        if ahead != 0:
            prefetch8(r0 + o + ahead, r1 + o + ahead, r2 + o + ahead, r3 + o + ahead,
                      r4 + o + ahead, r5 + o + ahead, r6 + o + ahead, r7 + o + ahead)  # fmt: skip
        block = transpose(
            vec(
                lane_at(r0 + o), lane_at(r1 + o), lane_at(r2 + o), lane_at(r3 + o),
                lane_at(r4 + o), lane_at(r5 + o), lane_at(r6 + o), lane_at(r7 + o),
            )
        )  # fmt: skip
        to = lanes + step * k
        put_lane(to, block[0])
        put_lane(to + step, block[1])
        put_lane(to + 2 * step, block[2])
        put_lane(to + 3 * step, block[3])
        put_lane(to + 4 * step, block[4])
        put_lane(to + 5 * step, block[5])
        put_lane(to + 6 * step, block[6])
        put_lane(to + 7 * step, block[7])
        k += 8


@kernel
def load_row(lane, row, count, lanes):
    """count numbers of a row => one lane"""
    for k in range(count):
        put_number_item(lanes, W * k + lane, number_item(row, k))


@kernel
def store_rows(index, lanes, count, rows, stride, kind):
    """lanes => count numbers of W rows of a kind"""
    if W == 1 or count < 8 or kind == WHOLE:
        for lane in range(W):
            store_row(lane, lanes, count, rows + stride * index[lane], kind)
        return
    step = NUMBER * W
    r0, r1, r2, r3, r4, r5, r6, r7 = row_addresses(index, rows, stride)
    k = 0
    while k < count:
        k = min(k, count - 8)
        at = lanes + step * k
        block = transpose(
            vec(
                lane_at(at), lane_at(at + step), lane_at(at + 2 * step), lane_at(at + 3 * step),
                lane_at(at + 4 * step), lane_at(at + 5 * step), lane_at(at + 6 * step),
                lane_at(at + 7 * step),
            )
        )  # fmt: skip
        if kind == SINGLE:
            o = 4 * k
            put_singles(r0 + o, block[0])
            put_singles(r1 + o, block[1])
            put_singles(r2 + o, block[2])
            put_singles(r3 + o, block[3])
            put_singles(r4 + o, block[4])
            put_singles(r5 + o, block[5])
            put_singles(r6 + o, block[6])
            put_singles(r7 + o, block[7])
        else:
            o = NUMBER * k
            put_lane(r0 + o, block[0])
            put_lane(r1 + o, block[1])
            put_lane(r2 + o, block[2])
            put_lane(r3 + o, block[3])
            put_lane(r4 + o, block[4])
            put_lane(r5 + o, block[5])
            put_lane(r6 + o, block[6])
            put_lane(r7 + o, block[7])
        k += 8


@kernel(inline=True)
def prefetch8(a0, a1, a2, a3, a4, a5, a6, a7):
    prefetch(a0)
    prefetch(a1)
    prefetch(a2)
    prefetch(a3)
    prefetch(a4)
    prefetch(a5)
    prefetch(a6)
    prefetch(a7)


@kernel(inline=True)
def row_addresses(index, rows, stride):
    return (
        rows + stride * index[0], rows + stride * index[1], rows + stride * index[2],
        rows + stride * index[3], rows + stride * index[4], rows + stride * index[5],
        rows + stride * index[6], rows + stride * index[7],
    )  # fmt: skip


@kernel
def store_row(lane, lanes, count, row, kind):
    """One lane => count numbers of a row of a kind"""
    for k in range(count):
        x = number_item(lanes, W * k + lane)
        if kind == DOUBLE:
            put_number_item(row, k, x)
        elif kind == WHOLE:
            put_int32_item(row, k, int(x))
        else:
            put_single(row + 4 * k, x)


@kernel
def zero_row(row, first, last, kind):
    """Numbers first to last - 1 of a row become zero."""
    for k in range(first, last):
        if kind != DOUBLE:
            put_int32_item(row, k, 0)
        else:
            put_number_item(row, k, 0.0)


@kernel
def zero_lanes(lanes, count):
    for k in range(count):
        put_lane(lanes + NUMBER * W * k, splat(0.0))
