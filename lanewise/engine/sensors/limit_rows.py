"""Sensors of joint and tendon limits: a number of the constraint row, if there is one."""

from ...lanes import kernel, lane_mask, not_, splat, where

POSITION, VELOCITY, FORCE = range(3)


@kernel
def limit_reading(m, d, kind, k, what):
    """How far joint or tendon k is beyond a limit, how fast, or its force; 0 within its limits.

    Where both limits act, it is the lower one's.
    """
    reading, found = splat(0.0), lane_mask(0)
    for a in range(d.nactive):
        r = d.active_row[a]
        if m.row_type[r] == kind and m.row_id[r] == k:
            if what == POSITION:
                x = d.row_pos[r] - d.row_margin[r]
            elif what == VELOCITY:
                x = d.row_vel[r]
            else:
                x = d.row_force[r]
            here = (d.row_on[r] > 0.0) & not_(found)
            reading = where(here, x, reading)
            found = found | here
    return reading
