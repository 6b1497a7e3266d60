"""How the force of one actuator, damper or spring changes with its velocity or length.

The implicit integrators and the discrete metric are built from these slopes. They are those that
MuJoCo uses, not always the whole derivative: what a bristle of a motor's friction does within the
step, say, is left out, and so is the integral of an error.

With x the length and v the velocity, and the laws of forces/actuation.py, servo.py and muscle.py,

    (1)  d force = (d gain) drive + d bias,   of an actuator with a gain
    (2)  d force = K di,  di = share (dV - K dv) / R,   of a motor,

where share = 1 - exp(-h / te) is what an inductance lets through within the step, 1 without one. A
controller's voltage has dV = -(R0 / K) (kp dx + kd dv) + K dv, which cancels the back-EMF.
"""

from ...lanes import abs_, any_lane, cos, exp, kernel, load3, maximum, not_, splat, where
from ...mjconst import (
    BIAS_AFFINE,
    BIAS_DCMOTOR,
    BIAS_MUSCLE,
    BIAS_SO3,
    GAIN_AFFINE,
    GAIN_DCMOTOR,
    GAIN_MUSCLE,
    GAIN_SO3,
    INPUT_FF,
    INPUT_POS,
    INPUT_VEL,
    JNT_BALL,
    JNT_FREE,
    MINVAL,
    TRN_JOINT,
    TRN_JOINTINPARENT,
    TRN_TENDON,
)  # fmt: skip
from ..forces.actuation import effective_activation, is_disabled
from ..forces.muscle import bell, peak_force, resting_length
from ..forces.passive import ball_displacement, has_terms, joint_reference, tendon_stretch
from ..forces.servo import (
    MOTOR_BRISTLE_DAMPING,
    MOTOR_COGGING,
    MOTOR_K,
    MOTOR_KD,
    MOTOR_KP,
    MOTOR_MAX_CURRENT_RATE,
    MOTOR_MAX_VOLTAGE,
    MOTOR_PHASE,
    MOTOR_POLES,
    MOTOR_R,
    MOTOR_TE,
    inputs,
    motor_friction,
    motor_resistance,
    motor_slots,
    motor_voltage,
)  # fmt: skip
from ..smooth.reflected import (
    DAMPING,
    DAMPING2,
    DAMPING3,
    NO_ACTUATOR,
    joint_reflected,
    tendon_reflected,
)  # fmt: skip
from ..spatial import norm3

ROUND_OFF = 1e-10  # relative slack of a limit that a force was scaled to


@kernel(inline=True)
def poly_slope(b, p, q, x):
    """d/dx of b x + p x|x| + q x^3"""
    return b + 2.0 * p * abs_(x) + 3.0 * q * x * x


@kernel(inline=True)
def dof_damping_slope(m, d, i):
    """- d force / d velocity of a joint's damper, with what its actuators add"""
    j, v, poly = m.dof_jntid[i], d.qvel[i], m.dof_dampingpoly[i]
    slope = splat(m.dof_damping[i])
    if any_lane((poly[0] != 0.0) | (poly[1] != 0.0)):
        slope = poly_slope(slope, poly[0], poly[1], v)
    if m.jnt_actuatorid[j] != NO_ACTUATOR:
        slope = slope + reflected_slope(m, j, v)
    return slope


@kernel
def reflected_slope(m, j, v):
    """What actuators add to the slope of a joint's dampers"""
    b, p = joint_reflected(m, j, DAMPING), joint_reflected(m, j, DAMPING2)
    return poly_slope(b, p, joint_reflected(m, j, DAMPING3), v)


@kernel
def tendon_damping_slope(m, d, t):
    """- d force / d velocity of a tendon's damper, with what its actuators add"""
    b = m.tendon_damping[t] + tendon_reflected(m, t, DAMPING)
    p = m.tendon_dampingpoly[t, 0] + tendon_reflected(m, t, DAMPING2)
    q = m.tendon_dampingpoly[t, 1] + tendon_reflected(m, t, DAMPING3)
    return poly_slope(b, p, q, d.ten_velocity[t])


@kernel
def joint_stiffness(m, d, j):
    """efm_ck of a joint's dofs <= h times the slope of its spring, but not less than 0

    A free or ball joint's spring is taken as if its slope were the same in all directions.
    """
    k, poly = m.jnt_stiffness[j], m.jnt_stiffnesspoly[j]
    if not has_terms(k, poly):
        return
    # the translation of a free joint, the rotation of a free or ball joint, or one dof
    q, i, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
    n = 1
    if kind == JNT_FREE:
        x = norm3(load3(d.qpos, q) - load3(m.qpos_spring, q))
        for e in range(i, i + 3):
            d.efm_ck[e] = m.opt.timestep * spring_slope(k, poly, x)
        q += 3
        i += 3
    if kind <= JNT_BALL:
        x = norm3(ball_displacement(m, d, j, q))
        n = 3
    else:
        x = d.qpos[q] - joint_reference(m, d, j, q)
    for e in range(i, i + n):
        d.efm_ck[e] = m.opt.timestep * spring_slope(k, poly, x)


@kernel
def tendon_stiffness(m, d, t):
    """- d force / d length of a tendon's spring, but not less than 0; none while it is slack"""
    x = tendon_stretch(m, d, t, d.ten_length[t])
    slope = spring_slope(m.tendon_stiffness[t], m.tendon_stiffnesspoly[t], x)
    return where(x == 0.0, 0.0, slope)


@kernel(inline=True)
def spring_slope(k, poly, x):
    """d/dx of k x + p x^2 + q x^3, bounded from below by 0"""
    return maximum(k + x * (2.0 * poly[0] + 3.0 * poly[1] * x), 0.0)


# --------------------------------------------------------------------------------------- actuators


@kernel
def actuator_slopes(m, d, i):
    """(d force / d length, d force / d velocity) of an actuator, without what a limit takes away

    A limit of the joint stops everything. The other limits act on what an actuator commands, not on
    what a motor's shaft feels besides.
    """
    bias, gain, out = m.actuator_biastype[i], m.actuator_gaintype[i], m.actuator_outadr[i]
    by_length, by_velocity = splat(0.0), splat(0.0)
    # the bias
    if bias == BIAS_AFFINE or bias == BIAS_SO3:
        by_length, by_velocity = splat(m.actuator_biasprm[i, 1]), splat(m.actuator_biasprm[i, 2])
    elif bias == BIAS_MUSCLE:
        by_length = muscle_bias_slope(m, d, i)
    # the gain (1), or all of what a motor commands (2)
    if gain == GAIN_AFFINE:
        u, prm = drive(m, d, i), m.actuator_gainprm[i]
        by_length = add_product(by_length, prm[1], u)
        by_velocity = add_product(by_velocity, prm[2], u)
    elif gain == GAIN_MUSCLE:
        u = drive(m, d, i)
        gain_by_length, gain_by_velocity = muscle_gain_slopes(m, d, i)
        by_length = add_product(by_length, gain_by_length, u)
        by_velocity = add_product(by_velocity, gain_by_velocity, u)
    elif gain == GAIN_DCMOTOR:
        by_length, by_velocity = motor_slopes(m, d, i)
    # a limit holds what is commanded
    held = command_held(m, d, i)
    by_length, by_velocity = where(held, 0.0, by_length), where(held, 0.0, by_velocity)
    # a shaft feels cogging and the damping of its bristle besides
    if bias == BIAS_DCMOTOR:
        amplitude, poles = m.actuator_biasprm[i, MOTOR_COGGING], m.actuator_biasprm[i, MOTOR_POLES]
        phase = m.actuator_biasprm[i, MOTOR_PHASE]
        slope = amplitude * poles * cos(poles * d.actuator_length[out] + phase)
        by_length = by_length + slope
        by_velocity = by_velocity - maximum(m.actuator_dynprm[i, MOTOR_BRISTLE_DAMPING], 0.0)
    # a limit of the joint holds everything
    kind, j = m.actuator_trntype[i], m.actuator_trnid[i, 0]
    if (kind == TRN_JOINT or kind == TRN_JOINTINPARENT) and m.jnt_actfrclimited[j]:
        f = d.qfrc_actuator[m.jnt_dofadr[j]]
        held = (f <= m.jnt_actfrcrange[j, 0]) | (f >= m.jnt_actfrcrange[j, 1])
        by_length, by_velocity = where(held, 0.0, by_length), where(held, 0.0, by_velocity)
    return by_length, by_velocity


@kernel(inline=True)
def add_product(x, a, u):
    """x + a u; a bad u has no part in it where a is zero"""
    return where(a == 0.0, x, x + a * u)


@kernel
def command_held(m, d, i):
    """Whether the actuator's own limit, or that of its tendon, holds the force it commands.

    Forces that were scaled to a limit, or that friction was added to, meet it to round-off only.
    (MuJoCo has no slack for orientation servos: there it is round-off that decides.)
    """
    # its own limit; that of an orientation servo is on the norm
    held = splat(0.0) > 1.0
    if m.actuator_forcelimited[i]:
        if m.actuator_gaintype[i] == GAIN_SO3:
            f = norm3(load3(d.actuator_force, m.actuator_outadr[i]))
            held = f >= m.actuator_forcerange[i, 1] * (1.0 - ROUND_OFF)
        else:
            slack = ROUND_OFF if m.actuator_biastype[i] == BIAS_DCMOTOR else 0.0
            low, high = m.actuator_forcerange[i, 0], m.actuator_forcerange[i, 1]
            held = beyond(commanded(m, d, i), low, high, slack)
    # that of its tendon, for all of the tendon's actuators together
    t = m.actuator_trnid[i, 0]
    if m.actuator_trntype[i] == TRN_TENDON and m.tendon_actfrclimited[t]:
        f = splat(0.0)
        for k in range(m.nactuator):
            if m.actuator_trntype[k] == TRN_TENDON and m.actuator_trnid[k, 0] == t:
                f = f + commanded(m, d, k)
        low, high = m.tendon_actfrcrange[t, 0], m.tendon_actfrcrange[t, 1]
        held = held | beyond(f, low, high, ROUND_OFF)
    return held


@kernel(inline=True)
def beyond(f, low, high, slack):
    """f is at an end of the range or outside of it, up to a relative slack."""
    return (f <= low + slack * abs_(low)) | (f >= high - slack * abs_(high))


@kernel
def commanded(m, d, i):
    """Force of an actuator without the friction and cogging of a motor."""
    f = d.actuator_force[m.actuator_outadr[i]]
    if m.actuator_biastype[i] == BIAS_DCMOTOR and not is_disabled(m, i):
        f = f - motor_friction(m, d, i)
    return f


@kernel
def drive(m, d, i):
    """What the gain of an actuator multiplies: an activation or a control.

    Bad controls have no force, but MuJoCo takes the slope with them.
    """
    if m.actuator_actnum[i] > 0:
        return effective_activation(m, d, i, m.actuator_actnum[i] - 1)
    return d.ctrl_read[m.actuator_ctrladr[i]]


@kernel
def motor_slopes(m, d, i):
    """(by length, by velocity) of a motor's torque K i: (2)

    The voltage brakes by back-EMF. A controller cancels that and has gains of its own, until it
    reaches its limit. With an inductance only a share of a change shows within the step, or none
    when the rate of the current is limited.
    """
    h, K = m.opt.timestep, m.actuator_gainprm[i, MOTOR_K]
    _, integral, temperature, _, current = motor_slots(m, i)
    R = maximum(motor_resistance(m, d, i, temperature), MINVAL)
    # R times the slopes: of the back-EMF, or of a controller that is not at its limit
    by_length, by_velocity = splat(0.0), splat(-K * K)
    if m.actuator_ctrlspec[i] & (INPUT_POS | INPUT_VEL | INPUT_FF):
        kp, kd = m.actuator_gainprm[i, MOTOR_KP], m.actuator_gainprm[i, MOTOR_KD]
        limit = m.actuator_gainprm[i, MOTOR_MAX_VOLTAGE]
        V = motor_voltage(m, d, i, integral, d.ctrl_read) - inputs(m, i, d.ctrl_read)[3]
        free = (limit <= 0.0) | not_(abs_(V) >= limit * (1.0 - 1e-14))
        R0 = maximum(m.actuator_gainprm[i, MOTOR_R], MINVAL)
        by_length = where(free, -kp * R0, 0.0)
        by_velocity = where(free, -kd * R0, by_velocity)
    # the share that shows within the step
    share = 1.0 / R
    if current >= 0:
        te = maximum(m.actuator_dynprm[i, MOTOR_TE], MINVAL)
        fastest = m.actuator_dynprm[i, MOTOR_MAX_CURRENT_RATE]
        rate = abs_(d.act_dot[m.actuator_actadr[i] + current])
        limited = (fastest > 0.0) & (rate >= fastest)
        share = where(limited, 0.0, share * (1.0 - exp(splat(-h / te))))
    return by_length * share, by_velocity * share


# ----------------------------------------------------------------------------------------- muscles


@kernel(inline=True)
def muscle_scale(m, i, prm):
    """(pull at full activation, resting length, least normalized length's length) of a muscle"""
    out = m.actuator_outadr[i]
    lengthrange = m.actuator_lengthrange[out]
    return -peak_force(m.actuator_acc0[out], prm), resting_length(lengthrange, prm), lengthrange[0]


@kernel
def muscle_gain_slopes(m, d, i):
    """(by length, by velocity) of the gain: parabolas of length and of velocity, flat outside"""
    out, prm = m.actuator_outadr[i], m.actuator_gainprm[i]
    lmin, lmax, vmax, fvmax = prm[4], prm[5], prm[6], prm[8]
    pull, L0, start = muscle_scale(m, i, prm)
    speed = maximum(L0 * vmax, MINVAL)
    L = prm[0] + (d.actuator_length[out] - start) / maximum(L0, MINVAL)
    # FV and its slope
    V, y = d.actuator_velocity[out] / speed, fvmax - 1.0
    shortens, flat = V <= 0.0, (V <= -1.0) | ((V > 0.0) & (V > y))
    rest = y - V
    FV = where(shortens, (V + 1.0) * (V + 1.0), fvmax - rest * rest / maximum(y, MINVAL))
    FV = where(V <= -1.0, 0.0, where((V > 0.0) & (V > y), fvmax, FV))
    dFV = where(shortens, 2.0 * V + 2.0, 2.0 * rest / maximum(y, MINVAL))
    dFV = where(flat, 0.0, dFV)
    # slope of FL, the bell
    a, b = 0.5 * (lmin + 1.0), 0.5 * (1.0 + lmax)
    half = where(L <= 1.0, maximum(a - lmin, MINVAL), maximum(b - 1.0, MINVAL))
    dFL = where(L <= a, L - lmin, where(L > b, L - lmax, 1.0 - L)) / (half * half)
    dFL = where((L >= lmin) & (L <= lmax), dFL, 0.0)
    return pull * dFL * FV / maximum(L0, MINVAL), pull * bell(L, lmin, lmax) * dFV / speed


@kernel
def muscle_bias_slope(m, d, i):
    """d bias / d length: none, then a parabola's, then a line's"""
    out, prm = m.actuator_outadr[i], m.actuator_biasprm[i]
    pull, L0, start = muscle_scale(m, i, prm)
    L = prm[0] + (d.actuator_length[out] - start) / maximum(L0, MINVAL)
    lmax, fpmax = prm[5], prm[7]
    b = 0.5 * (1.0 + lmax)
    width = maximum(b - 1.0, MINVAL)
    rise = where(L <= 1.0, 0.0, where(L <= b, (L - 1.0) / width, 1.0)) / width
    return pull * fpmax * rise / maximum(L0, MINVAL)
