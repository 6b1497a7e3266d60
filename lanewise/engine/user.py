"""User code in the step: what each occasion calls, and what it makes of the answer.

The step calls it by the addresses in `user_code` (see callbacks/user_code.py). A wrapper gives the
user's kernel its arguments, and leaves a number that it returns in `user_value`. The engine's own
kernels here do nothing where there is no code. Nor do those that may write state if something had
no room: the host makes room then, and the same is run again.

A kernel that takes `p`, the fields that its user declared, gets them from an adapter: see
`with_own_fields`.
"""

from functools import cache

from ..lanes import W, kernel, lane_mask, maximum, not_, splat, where
from ..lanes.answers import NOTHING, NUMBER, returned
from ..lanes.calls import call_code
from ..lanes.own_fields import own_fields
from ..mjconst import DSBL_ACTUATION, DSBL_DAMPER, DSBL_SPRING
from .occasions import (
    CALL_ACT_BIAS,
    CALL_ACT_DYN,
    CALL_ACT_GAIN,
    CALL_CONTROL,
    CALL_OBSERVE,
    CALL_PASSIVE,
    CALL_PASSIVE_SLOPE,
    CALL_SENSOR,
)


@kernel(inline=True)
def user_control(m, d):
    """Controls, after velocities are known and before they are used."""
    on = d.no_room == 0 and not m.opt.disableflags & DSBL_ACTUATION
    if d.user_code[CALL_CONTROL] and on:
        call_code(d.user_code[CALL_CONTROL], m, d, 0, 0)


@kernel(inline=True)
def user_passive(m, d):
    """qfrc_passive += forces of the user's"""
    if d.user_code[CALL_PASSIVE] and d.no_room == 0:
        call_code(d.user_code[CALL_PASSIVE], m, d, 0, 0)


@kernel
def user_passive_slope(m, d):
    """qDeriv += d qfrc_passive / d qvel of the user's forces, number by number"""
    if d.user_code[CALL_PASSIVE_SLOPE]:
        for i in range(m.nv):
            for k in range(m.D_rowadr[i], m.D_rowadr[i] + m.D_rownnz[i]):
                call_code(d.user_code[CALL_PASSIVE_SLOPE], m, d, i, m.D_colind[k])
                d.qDeriv[k] = d.qDeriv[k] + d.user_value


@kernel
def user_damping(m, d, i):
    """How the user's forces damp a dof by itself, at least 0: for a metric that stays positive."""
    off = m.opt.disableflags & DSBL_SPRING and m.opt.disableflags & DSBL_DAMPER
    if d.user_code[CALL_PASSIVE_SLOPE] == 0 or off:
        return splat(0.0)
    call_code(d.user_code[CALL_PASSIVE_SLOPE], m, d, i, i)
    return maximum(-d.user_value, 0.0)


@kernel
def user_rate(m, d, i):
    """act_dot of an actuator; where it has several, the user's kernel writes them itself"""
    if d.user_code[CALL_ACT_DYN]:
        call_code(d.user_code[CALL_ACT_DYN], m, d, i, 0)
        if m.actuator_actnum[i] == 1:
            d.act_dot[m.actuator_actadr[i]] = d.user_value


@kernel
def user_gain(m, d, i):
    """Gain of an actuator; 1 if it is left open."""
    if d.user_code[CALL_ACT_GAIN]:
        call_code(d.user_code[CALL_ACT_GAIN], m, d, i, 0)
        return d.user_value
    return splat(1.0)


@kernel
def user_bias(m, d, i):
    """Bias of an actuator; 0 if it is left open."""
    if d.user_code[CALL_ACT_BIAS]:
        call_code(d.user_code[CALL_ACT_BIAS], m, d, i, 0)
        return d.user_value
    return splat(0.0)


@kernel
def user_sensor(m, d, stage):
    """sensordata of the user's sensors that follow from a stage"""
    if d.user_code[CALL_SENSOR] and d.no_room == 0:
        call_code(d.user_code[CALL_SENSOR], m, d, stage, 0)


@kernel
def observe(m, d):
    """(everything) => observed, by the user's kernel: at the end of a call"""
    if d.user_code[CALL_OBSERVE] and d.no_room == 0:
        call_code(d.user_code[CALL_OBSERVE], m, d, 0, 0)


# ---- what user code may ask


@kernel
def world(d):
    """The number of each world: its place in the Batch, or among the worlds of a Data."""
    number = splat(0.0)
    for lane in range(W):
        here = lane_mask(lane + 1) & not_(lane_mask(lane))
        number = where(here, d.lane_world[lane] * 1.0, number)
    return number


# ---- what the step calls: the user's kernel with the arguments that it takes


@cache  # the same function is the same code in every model
def plain_wrapper(function, whose):
    """A kernel (m, d)."""

    @kernel
    def wrapper(m, d, i, k):
        returned(function(m, d), NOTHING, whose)

    return wrapper


@cache
def stage_wrapper(function, whose):
    """A kernel (m, d, stage)."""

    @kernel
    def wrapper(m, d, i, k):
        returned(function(m, d, i), NOTHING, whose)

    return wrapper


@cache
def number_wrapper(function, whose):
    """A kernel (m, d, i) that returns a number."""

    @kernel
    def wrapper(m, d, i, k):
        d.user_value = returned(function(m, d, i), NUMBER, whose)

    return wrapper


@cache
def pair_number_wrapper(function, whose):
    """A kernel (m, d, i, j) that returns a number."""

    @kernel
    def wrapper(m, d, i, k):
        d.user_value = returned(function(m, d, i, k), NUMBER, whose)

    return wrapper


@cache
def with_own_fields(function, declaration, count):
    """A kernel that takes p after m and d, as one without: with so many more arguments."""

    @kernel
    def none(m, d):
        return function(m, d, own_fields(d.user_table, declaration))

    @kernel
    def one(m, d, i):
        return function(m, d, own_fields(d.user_table, declaration), i)

    @kernel
    def two(m, d, i, j):
        return function(m, d, own_fields(d.user_table, declaration), i, j)

    @kernel
    def four(m, d, g1, g2, reach, mask):
        return function(m, d, own_fields(d.user_table, declaration), g1, g2, reach, mask)

    return {0: none, 1: one, 2: two, 4: four}[count]
