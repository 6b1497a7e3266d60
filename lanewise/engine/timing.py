"""Time by stage, under the names of MuJoCo's mjtTimer; only if `timing` says so.

    begin = start(d)
    ...
    t = lap(d, TIMER_POS_KINEMATICS, begin)     # what ran since `begin`, once
    ...
    t = lap(d, TIMER_POS_INERTIA, t)            # and what ran since then

A stage that eight worlds run together counts eight times, so that duration by number is the time
of one world. All of it is a test of one integer where nobody measures. What a call does a second
time is no other call: then `timed` is 0, and durations only become longer.
"""

from ..lanes import kernel
from ..lanes.calls import call_clock

SECOND = 1_000_000_000  # nanoseconds


@kernel(inline=True)
def start(d):
    """The time, in nanoseconds."""
    return now(d) if d.timing else 0


@kernel(inline=True)
def lap(d, timer, since):
    """A timer gets what has passed since a time, and is counted; the time now"""
    return note_time(d, timer, since, 1) if d.timing else since


@kernel(inline=True)
def extend(d, timer, since):
    """The same, of what is counted elsewhere."""
    return note_time(d, timer, since, 0) if d.timing else since


@kernel
def note_time(d, timer, since, times):
    t = now(d)
    d.timer.duration[timer] = d.timer.duration[timer] + (t - since) * 1e-9
    d.timer.number[timer] = d.timer.number[timer] + times * d.timed
    return t


@kernel
def now(d):
    call_clock(d.clock[0], d.clock[1], d.clock[2])
    return d.clock[3] * SECOND + d.clock[4]
