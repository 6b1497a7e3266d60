"""Armature and damping of actuators, as felt by the joint or tendon they drive.

A rotor that turns gear times as fast as its joint adds gear^2 times its inertia to the joint, and
gear^2 times its damping; MuJoCo scales the coefficients of all powers by the same gear^2 (the
gear's first number, also on ball and free joints). Several actuators of one target add up. This is
part of the mechanism, not of the control: switching actuators off does not remove it.
"""

from ...lanes import kernel, splat
from ...mjconst import TRN_JOINT, TRN_JOINTINPARENT, TRN_TENDON

ARMATURE, DAMPING, DAMPING2, DAMPING3 = range(4)  # which coefficient
NO_ACTUATOR = -1  # in jnt_actuatorid and tendon_actuatorid; what is below stands for several


@kernel
def joint_reflected(m, j, which):
    """What the actuators of joint j add to one of its coefficients, on each of its dofs."""
    total = splat(0.0)
    one = m.jnt_actuatorid[j]
    if one >= 0:
        total = reflected(m, one, which)
    elif one < NO_ACTUATOR:
        for i in range(m.nactuator):
            kind = m.actuator_trntype[i]
            if (kind == TRN_JOINT or kind == TRN_JOINTINPARENT) and m.actuator_trnid[i, 0] == j:
                total = total + reflected(m, i, which)
    return total


@kernel
def tendon_reflected(m, t, which):
    """What the actuators of tendon t add to one of its coefficients."""
    total = splat(0.0)
    one = m.tendon_actuatorid[t]
    if one >= 0:
        total = reflected(m, one, which)
    elif one < NO_ACTUATOR:
        for i in range(m.nactuator):
            if m.actuator_trntype[i] == TRN_TENDON and m.actuator_trnid[i, 0] == t:
                total = total + reflected(m, i, which)
    return total


@kernel
def reflected(m, i, which):
    """gear^2 times a coefficient of actuator i."""
    gear = m.actuator_gear[m.actuator_outadr[i], 0]
    if which == ARMATURE:
        own = splat(m.actuator_armature[i])
    elif which == DAMPING:
        own = splat(m.actuator_damping[i])
    else:
        own = splat(m.actuator_dampingpoly[i, which - DAMPING2])
    return own * (gear * gear)
