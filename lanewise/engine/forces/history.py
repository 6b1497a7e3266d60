"""History: past controls and sensor values, kept with the time at which they were taken.

A buffer of n samples of dim numbers lies in d.history from `adr` on:

    last, cursor, times (n), values (n * dim)

The cursor is the slot of the newest sample; the slots before it, cyclically, hold ever older ones.
Sensors that are read at intervals keep in `last` when the last sample was due.
Worlds of a gang may have their cursors in different slots and their samples at different times, so
a search looks at all slots and compares times: the sample before t is the one with the largest time
not after t.
"""

from ...lanes import (  # fmt: skip
    W,
    all_lanes,
    any_lane,
    floor,
    kernel,
    lane_item,
    lane_mask,
    maximum,
    minimum,
    not_,
    splat,
    where,
)
from ...mjconst import MINVAL

NSAMPLE, INTERP = range(2)  # columns of actuator_history: samples kept, how they are interpolated
ZERO_ORDER, LINEAR, CUBIC = range(3)  # mjtInterp: hold, straight lines, Catmull-Rom splines
LAST, CURSOR, TIMES = range(3)  # places in a buffer; values follow the times
FAR = 1e100  # later than any time


@kernel
def record_history(m, d):
    """Controls at the current time into the buffers of the actuators that have one.

    For the end of a step, before activations and time advance. The controls are those that the
    user gave, not clamped. Readings of sensors go into theirs, where they are due.
    """
    for i in range(m.nactuator):
        n = m.actuator_history[i, NSAMPLE]
        if n > 0:
            adr, dim, ctrl = m.actuator_historyadr[i], m.actuator_ctrlnum[i], m.actuator_ctrladr[i]
            slot = history_insert(d, adr, n, dim, d.time, lane_mask(W))
            for c in range(dim):
                history_put(d, adr, n, dim, c, slot, d.ctrl[ctrl + c], lane_mask(W))
    if m.sensor_kept:
        for i in range(m.nsensor):
            if m.sensor_history[i, NSAMPLE] > 0:
                record_reading(m, d, i)


@kernel
def record_reading(m, d, i):
    """The reading of sensor i at the current time into its buffer, in the worlds where it is due"""
    n, dim = m.sensor_history[i, NSAMPLE], m.sensor_dim[i]
    adr, first = m.sensor_historyadr[i], m.sensor_adr[i]
    due = reading_is_due(m, d, i)
    if not any_lane(due):
        return
    slot = history_insert(d, adr, n, dim, d.time, due)
    for c in range(first, first + dim):
        reading = where(m.sensor_delay[i] > 0.0, d.sensor_now[c], d.sensordata[c])
        history_put(d, adr, n, dim, c - first, slot, reading, due)
    period = m.sensor_interval[i, 0]
    d.history[adr + LAST] = d.history[adr + LAST] + where(due & (period > 0.0), period, 0.0)


@kernel
def reading_is_due(m, d, i):
    """Mask: worlds in which a sensor is read at the current time."""
    period = m.sensor_interval[i, 0]
    return (d.time >= d.history[m.sensor_historyadr[i] + LAST] + period) | (period <= 0.0)


@kernel
def history_read(d, adr, n, dim, interp, t, out, k):
    """out[k : k + dim] = the signal at time t; outside the buffer its first or last sample.

    At a time that is not a number it is not either, unless samples are held.
    """
    # the last sample not after t; if there is none, the first of all
    times, values = adr + TIMES, adr + TIMES + n
    first, before = splat(FAR), splat(-FAR)
    for p in range(n):
        time = d.history[times + p]
        first = minimum(first, time)
        before = where((time <= t + MINVAL) & (time > before), time, before)
    before = maximum(before, first)
    # its neighbours, earlier < before < after
    earlier, after, later = splat(-FAR), splat(FAR), splat(FAR)
    if interp != ZERO_ORDER:
        for p in range(n):
            time = d.history[times + p]
            earlier = where((time < before) & (time > earlier), time, earlier)
            after = where((time > before) & (time < after), time, after)
    # weights of straight lines; beyond the last sample, its value
    dt = after - before
    x = where(after < FAR, maximum(t - before, 0.0) / dt, 0.0)
    w_earlier, w_before, w_after, w_later = splat(0.0), 1.0 - x, x, splat(0.0)
    if interp == CUBIC:
        # the neighbour later > after
        for p in range(n):
            time = d.history[times + p]
            later = where((time > after) & (time < later), time, later)
        # Hermite polynomials of values and slopes; a slope at an end of the buffer is zero
        inside = after < FAR
        rise = where(inside, x * x * (3.0 - 2.0 * x), 0.0)
        slope = x * (1.0 - x) * (1.0 - x) * dt / (after - earlier)
        slope_before = where(inside & (earlier > -FAR), slope, 0.0)
        slope = x * x * (x - 1.0) * dt / (later - before)
        slope_after = where(inside & (later < FAR), slope, 0.0)
        w_earlier, w_before = -slope_before, 1.0 - rise - slope_after
        w_after, w_later = rise + slope_before, slope_after
    # the weighted sum; samples are told apart by their times
    for c in range(dim):
        total = splat(0.0)
        for p in range(n):
            time = d.history[times + p]
            w = where(time == before, w_before, where(time == after, w_after, 0.0))
            w = where(time == earlier, w_earlier, where(time == later, w_later, w))
            total = total + where(w != 0.0, w * d.history[values + p * dim + c], 0.0)
        if interp != ZERO_ORDER:
            total = where(t == t, total, t)
        out[k + c] = total


@kernel
def history_query(m, d):
    """(history, query_history, query_time) => query_past"""
    q = d.query_history
    history_read(d, q[0], q[1], q[2], q[3], d.query_time, d.query_past, 0)


@kernel
def history_insert(d, adr, n, dim, t, mask):
    """Make room for a sample at time t in the worlds of mask; the slot that it gets, in each world.

    A sample at the same time is replaced, else the oldest one is given up. Where t is older than
    the newest sample, samples older than t move one slot back.
    """
    times = adr + TIMES
    # a place outside the buffer leads to the first
    cursor = floor(d.history[adr + CURSOR])
    cursor = where((cursor >= 0.0) & (cursor < n), cursor, 0.0)
    # how many samples are older than t, and whether there is one at t
    older, same = splat(0.0), lane_mask(0)
    for p in range(n):
        time = d.history[times + p]
        older = older + where(time < t, 1.0, 0.0)
        same = same | ((time >= t) & (time - t < MINVAL))
    newest = (older == n) & not_(same)
    between = (older > 0.0) & (older < n) & not_(same) & mask
    # its place, counted from the oldest sample; those before it make room
    place = where(same, older, where(between, older - 1.0, 0.0))
    if any_lane(between & (place > 0.0)):
        shift_back(d, times, 1, n, cursor, place, between)
        for c in range(dim):
            shift_back(d, times + n + c, dim, n, cursor, place, between)
    slot = cyclic(cursor + 1.0 + place, n)
    d.history[adr + CURSOR] = where(newest & mask, slot, cursor)
    put_slot(d, times, 1, n, slot, t, mask)
    return slot


@kernel
def history_put(d, adr, n, dim, c, slot, x, mask):
    """Number c of the sample in a slot that `history_insert` gave."""
    put_slot(d, adr + TIMES + n + c, dim, n, slot, x, mask)


@kernel
def put_slot(d, first, stride, n, slot, x, mask):
    """history[first + slot * stride] = x in the worlds of mask."""
    if all_lanes(slot == lane_item(slot, 0)):
        e = first + int(lane_item(slot, 0)) * stride
        d.history[e] = where(mask, x, d.history[e])
    else:
        for p in range(n):
            e = first + p * stride
            d.history[e] = where((slot == p) & mask, x, d.history[e])


@kernel
def shift_back(d, first, stride, n, cursor, place, mask):
    """Each of the `place` oldest samples takes over the number of the next newer one."""
    head = d.history[first]
    for p in range(n):
        e = first + p * stride
        following = head if p == n - 1 else d.history[e + stride]
        rank = cyclic(p - cursor - 1.0 + n, n)
        d.history[e] = where((rank < place) & mask, following, d.history[e])


@kernel(inline=True)
def cyclic(k, n):
    """k modulo n for whole numbers 0 <= k < 2 n."""
    return where(k >= n, k - n, k)
