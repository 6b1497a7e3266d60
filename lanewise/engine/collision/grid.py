"""Bodies in cells along one axis, so that with hundreds of them not every pair is tested.

A body covers an interval of the axis: where its sphere, of centre x and radius r, is in any of the
eight worlds,

    (1)  low_i = min over worlds of x - r,   high_i = max over worlds of x + r

It is filed in the cell in which the interval begins. Bodies i and j can only overlap if their
intervals do; as no interval is longer than `longest`, it follows that

    (2)  low_i - longest  <=  low_j  <=  high_i

so that what overlaps a body begins in a few cells. The longest interval is about two cells long;
with `start` the least of the beginnings,

    (3)  cell(x) = floor((x - start) scale),   scale = number of cells / (largest low - start)

Bodies that cover much more than the others (planes, and those of a world that has exploded) are
kept apart and always tested.

The axis is the one along which the bodies are spread most. Everything is a plain number, the same
for all worlds: it only says which tests are worth making.
"""

from ...lanes import W, any_lane, kernel, load_lane, to_int
from .broad import EVERYWHERE, overlap

MANY = 48  # bodies in a run from which on cells pay
WIDE = 8.0  # intervals so many times longer than the mean are kept apart
START, SCALE, LONGEST = 0, 1, 2  # in near_range: where cells begin, how many per metre; intervals


@kernel
def file_bodies(d, n):
    """Put the n bodies that can collide into cells, if they are many."""
    d.near_ncell = 0
    d.near_napart = 0
    if n < MANY:
        return
    # every body's interval, and their mean length
    axis = longest_axis(d, n)
    total, bounded = 0.0, 0
    for i in range(n):
        measure(d, i, axis)
        if d.near_high[i] - d.near_low[i] < EVERYWHERE:
            total += d.near_high[i] - d.near_low[i]
            bounded += 1
    # those much longer than that are kept apart; the others say where cells begin and end
    limit = WIDE * total / max(bounded, 1)
    start, end, longest = 1e300, -1e300, 0.0
    for i in range(n):
        low, high = d.near_low[i], d.near_high[i]
        if high - low <= limit:
            start, end = min(start, low), max(end, low)
            longest = max(longest, high - low)
        else:
            d.near_apart[d.near_napart] = i
            d.near_napart = d.near_napart + 1
    # no cells if all bodies are in one place
    if longest > 0.0 and end > start:
        cells = to_int(min(2.0 * (end - start) / longest, n - 2.0)) + 1
        d.near_ncell = cells
        d.near_range[START] = start
        d.near_range[SCALE] = cells / (end - start)
        d.near_range[LONGEST] = longest
        sort_into_cells(d, n, cells, limit)


@kernel
def longest_axis(d, n):
    """The axis along which the centres in the first world are spread most."""
    axis, most = 0, -1.0
    for k in range(3):
        low, high = 1e300, -1e300
        for i in range(n):
            if load_lane(d.near_sphere, (i, 3), 0) < EVERYWHERE:
                x = load_lane(d.near_sphere, (i, k), 0)
                low, high = min(low, x), max(high, x)
        if high - low > most:
            axis, most = k, high - low
    return axis


@kernel
def measure(d, i, axis):
    """The interval (1) of body i; a world whose numbers are none has no say."""
    low, high = 1e300, -1e300
    for w in range(W):
        x, r = load_lane(d.near_sphere, (i, axis), w), load_lane(d.near_sphere, (i, 3), w)
        if x - r < low:
            low = x - r
        if x + r > high:
            high = x + r
    d.near_low[i] = low
    d.near_high[i] = high


@kernel
def cell_of(d, x):
    """The cell (3) in which x lies, or the nearest one."""
    last = d.near_ncell - 1
    return to_int(min(max((x - d.near_range[START]) * d.near_range[SCALE], 0.0), last * 1.0))


@kernel
def sort_into_cells(d, n, cells, limit):
    """Bodies by cells, ascending within each: near_order from near_first of a cell on."""
    # how many bodies a cell has, one place further on; summed up, that is where cells end
    for c in range(cells + 1):
        d.near_first[c] = 0
    for i in range(n):
        if d.near_high[i] - d.near_low[i] <= limit:
            c = cell_of(d, d.near_low[i]) + 1
            d.near_first[c] = d.near_first[c] + 1
    for c in range(cells):
        d.near_first[c + 1] = d.near_first[c + 1] + d.near_first[c]
    # backwards: what was a cell's end becomes its beginning
    for k in range(n):
        i = n - 1 - k
        if d.near_high[i] - d.near_low[i] <= limit:
            c = cell_of(d, d.near_low[i]) + 1
            place = d.near_first[c] - 1
            d.near_first[c] = place
            d.near_order[place] = i
    # back by that one place
    for c in range(cells):
        d.near_first[c] = d.near_first[c + 1]
    d.near_first[cells] = n - d.near_napart


@kernel
def neighbours(d, sphere, i0, first, last):
    """near_list: those of bodies `first` to `last` whose spheres overlap body i0's; how many."""
    low, high = d.near_low[i0], d.near_high[i0]
    count = 0
    for k in range(d.near_napart):
        i = d.near_apart[k]
        if first <= i < last and any_lane(overlap(sphere, d.near_sphere[i])):
            count = insert(d, count, i)
    # those that begin in the cells of (2); in a cell they ascend, so from the end down to `first`
    for c in range(cell_of(d, low - d.near_range[LONGEST]), cell_of(d, high) + 1):
        k = d.near_first[c + 1] - 1
        while k >= d.near_first[c] and d.near_order[k] >= first:
            i = d.near_order[k]
            if i < last and any_lane(overlap(sphere, d.near_sphere[i])):
                count = insert(d, count, i)
            k -= 1
    return count


@kernel
def is_filed(d, i):
    """Whether a body is in a cell, not kept apart."""
    return d.near_high[i] - d.near_low[i] <= d.near_range[LONGEST]


@kernel
def insert(d, count, i):
    """Put i into the ascending near_list of `count` numbers; how many there are now."""
    k = count
    while k > 0 and d.near_list[k - 1] > i:
        d.near_list[k] = d.near_list[k - 1]
        k -= 1
    d.near_list[k] = i
    return count + 1
