"""User code in the step: what each occasion calls, and what it makes of the answer.

The step calls it by the addresses in `user_code` (see callbacks/user_code.py). A wrapper gives the
user's kernel its arguments, and leaves a number that it returns in `user_value`. The engine's own
kernels here do nothing where there is no code.
"""

from functools import cache

from ..lanes import kernel, splat
from ..lanes.calls import call_code
from .occasions import (
    CALL_ACT_BIAS,
    CALL_ACT_DYN,
    CALL_ACT_GAIN,
    CALL_CONTROL,
    CALL_PASSIVE,
    CALL_PASSIVE_SLOPE,
    CALL_SENSOR,
)


@kernel(inline=True)
def user_control(m, d):
    """Controls, after velocities are known and before they are used."""
    if d.user_code[CALL_CONTROL]:
        call_code(d.user_code[CALL_CONTROL], m, d, 0, 0)


@kernel(inline=True)
def user_passive(m, d):
    """qfrc_passive += forces of the user's"""
    if d.user_code[CALL_PASSIVE]:
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
    if d.user_code[CALL_SENSOR]:
        call_code(d.user_code[CALL_SENSOR], m, d, stage, 0)


# ---- what these call: the user's kernel with the arguments that it takes


@cache  # the same function is the same code in every model
def plain_wrapper(function):
    """A kernel (m, d)."""

    @kernel
    def wrapper(m, d, i, k):
        function(m, d)

    return wrapper


@cache
def stage_wrapper(function):
    """A kernel (m, d, stage)."""

    @kernel
    def wrapper(m, d, i, k):
        function(m, d, i)

    return wrapper


@cache
def number_wrapper(function):
    """A kernel (m, d, i) that returns a number."""

    @kernel
    def wrapper(m, d, i, k):
        d.user_value = splat(function(m, d, i))

    return wrapper


@cache
def pair_number_wrapper(function):
    """A kernel (m, d, i, j) that returns a number."""

    @kernel
    def wrapper(m, d, i, k):
        d.user_value = splat(function(m, d, i, k))

    return wrapper
