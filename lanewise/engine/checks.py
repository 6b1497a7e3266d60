"""Bad numbers in a world: counted, and the world is reset unless the model says not to.

A number is bad when it is NaN or beyond 1e10. Only the worlds that have one are touched.
"""

from ..lanes import abs_, any_lane, floor, kernel, maximum, not_, splat, where
from ..mjconst import (
    DSBL_AUTORESET,
    JNT_BALL,
    MAXVAL,
    NWARNING,
    WARN_BADQACC,
    WARN_BADQPOS,
    WARN_BADQVEL,
)
from .counters import warn_of

# the column of actuator_history, and the place in a buffer: forces/history.py
NSAMPLE, TIMES = 0, 2
ROUNDING = 1e-12  # relative: what multiples of the time step may lack


@kernel
def check_pos(m, d):
    """Reset the worlds with a bad qpos."""
    check(m, d, d.qpos, m.nq, WARN_BADQPOS)


@kernel
def check_vel(m, d):
    """Reset the worlds with a bad qvel."""
    check(m, d, d.qvel, m.nv, WARN_BADQVEL)


@kernel(inline=True)
def is_bad(x):
    return not_(abs_(x) <= MAXVAL)


@kernel
def check_acc_mask(m, d):
    """Which worlds have a bad qacc."""
    return bad_worlds(d.qacc, m.nv)


@kernel
def reset_bad_acc(m, d, bad):
    handle_bad(m, d, bad, first_bad(d.qacc, m.nv), WARN_BADQACC)


@kernel
def check(m, d, x, n, kind):
    """Handle the worlds with a bad number in x[0:n]."""
    bad = bad_worlds(x, n)
    if any_lane(bad):
        handle_bad(m, d, bad, first_bad(x, n), kind)


@kernel(inline=True)
def bad_worlds(x, n):
    worst = splat(0.0)
    for i in range(n):
        worst = where(is_bad(x[i]), MAXVAL * 2.0, worst)
    return worst > 0.0


@kernel
def first_bad(x, n):
    """Index of the first bad number, as a Lane."""
    first = splat(0.0)
    for i in range(n - 1, -1, -1):
        first = where(is_bad(x[i]), i * 1.0, first)
    return first


@kernel
def handle_bad(m, d, bad, index, kind):
    """Count a warning in the worlds of bad, and reset them."""
    time = d.time
    if not m.opt.disableflags & DSBL_AUTORESET:
        reset_worlds(m, d, bad)
        d.resets = where(bad, d.resets + 1.0, d.resets)
    warn_of(d, kind, bad, index, time)


@kernel
def reset_worlds(m, d, mask):
    """The reference state, no warnings and no room used, in the worlds of mask."""
    # what fields say now, which may have been edited since the state was noted
    for k in range(m.nstate):
        d.state[k] = where(mask, m.reset_state[k], d.state[k])
    for k in range(m.nq):
        d.qpos[k] = where(mask, m.qpos0[k], d.qpos[k])
    for b in range(m.nbody):
        k = m.body_mocapid[b]
        if k >= 0:
            d.mocap_pos[k] = where(mask, m.body_pos[b], d.mocap_pos[k])
            d.mocap_quat[k] = where(mask, m.body_quat[b], d.mocap_quat[k])
    if m.nplastic > 0:
        reset_plastic(m, d, mask)
    if m.nhistory > 0:
        reset_history(m, d, mask)
    for k in range(NWARNING):
        d.warning.number[k] = where(mask, 0.0, d.warning.number[k])
        d.warning.lastinfo[k] = where(mask, 0.0, d.warning.lastinfo[k])
    d.maxuse_con = where(mask, 0.0, d.maxuse_con)
    d.maxuse_efc = where(mask, 0.0, d.maxuse_efc)


@kernel
def reset_history(m, d, mask):
    """Times of samples of before the start: one time step apart, or the interval of a sensor

    See Model.past_samples.
    """
    dt = m.opt.timestep
    for i in range(m.nactuator):
        n, first = m.actuator_history[i, NSAMPLE], m.actuator_historyadr[i] + TIMES
        for k in range(n):
            d.history[first + k] = where(mask, (k - n) * dt, d.history[first + k])
    for i in range(m.nsensor):
        n, adr = m.sensor_history[i, NSAMPLE], m.sensor_historyadr[i]
        if n > 0:
            period, phase = m.sensor_interval[i, 0], m.sensor_interval[i, 1]
            on, given = period > 0.0, phase != 0.0
            last = where(on, where(given, phase, -period), -dt)
            apart = where(on, maximum(period, dt), dt)
            newest = where(on & given, phase, -apart)
            d.history[adr] = where(mask, last, d.history[adr])
            for k in range(n):
                # the next time at which it could have been read
                x = (newest + (k + 1 - n) * apart) / dt
                x = -floor(ROUNDING * maximum(1.0, abs_(x)) - x)
                d.history[adr + TIMES + k] = where(mask, x * dt, d.history[adr + TIMES + k])


@kernel
def reset_plastic(m, d, mask):
    """The references of springs that can yield, as they were before they did."""
    for j in range(m.njnt):
        adr, q = m.jnt_plasticadr[j], m.jnt_qposadr[j]
        if adr >= 0:
            for k in range(4 if m.jnt_type[j] <= JNT_BALL else 1):
                d.plastic[adr + k] = where(mask, m.qpos_spring[q + k], d.plastic[adr + k])
    for t in range(m.ntendon):
        adr = m.tendon_plasticadr[t]
        if adr >= 0:
            for k in range(2):
                d.plastic[adr + k] = where(mask, m.tendon_lengthspring[t, k], d.plastic[adr + k])


@kernel
def save_warnings(d):
    for k in range(NWARNING):
        d.warning_saved[k] = d.warning.number[k]


@kernel
def keep_warnings(d, mask):
    """Put back the saved counters, but in the worlds of mask."""
    for k in range(NWARNING):
        d.warning.number[k] = where(mask, d.warning.number[k], d.warning_saved[k])
