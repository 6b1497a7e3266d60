"""Actuation: controls and activations => forces of actuators, and their sum on the dofs.

Each actuator takes its controls (delayed if it has a delay, clamped, zero in a world with a bad
one), finds the rate of its activations, and makes a force along each of its outputs:

    (1)  force = gain * (activation or control) + bias

gain and bias being constants, affine in length and velocity, or muscle curves; servos, motors and
orientation servos have laws of their own. Forces that pull a tendon too hard together are scaled
down, then each is clamped, then moment' force is the force on the dofs, clamped again per joint.

A servo whose length is an angle about an axis takes its setpoint modulo a full turn and goes the
short way.

Activations move at act_dot for a time step h. A filter's rate (u - act) / tau would carry it past
its setpoint where h is large; `filterexact` moves it by what the filter does in that time,

    (2)  act + act_dot tau (1 - exp(-h / tau)).
"""

from ...lanes import (  # fmt: skip
    abs_,
    any_lane,
    clip,
    exp,
    floor,
    kernel,
    lane_mask,
    load3,
    load4,
    maximum,
    not_,
    splat,
    store3,
    where,
)
from ...mjconst import (
    BIAS_AFFINE,
    BIAS_DCMOTOR,
    BIAS_MUSCLE,
    BIAS_USER,
    CHART_QUAT,
    DSBL_ACTUATION,
    DSBL_CLAMPCTRL,
    DSBL_GRAVITY,
    DYN_DCMOTOR,
    DYN_FILTER,
    DYN_FILTEREXACT,
    DYN_INTEGRATOR,
    DYN_MUSCLE,
    DYN_NONE,
    DYN_PID,
    DYN_USER,
    GAIN_AFFINE,
    GAIN_DCMOTOR,
    GAIN_FIXED,
    GAIN_MUSCLE,
    GAIN_PID,
    GAIN_SO3,
    GAIN_USER,
    JNT_BALL,
    JNT_FREE,
    MAXVAL,
    MINVAL,
    PI,
    TIMER_ACTUATION,
    TRN_JOINT,
    TRN_JOINTINPARENT,
    TRN_SITE,
    TRN_TENDON,
    WARN_BADCTRL,
)  # fmt: skip
from ..counters import warn
from ..smooth.transmission import difference
from ..spatial import TURN, axis_angle_quat, norm3, normalize3, normalize4
from ..timing import lap, start
from ..user import user_bias, user_gain, user_rate
from .history import INTERP, NSAMPLE, history_read
from .muscle import muscle_bias, muscle_gain, muscle_rate
from .servo import (
    MOTOR_K,
    MOTOR_TE,
    PID_KI,
    motor_friction,
    motor_next,
    motor_rates,
    motor_resistance,
    motor_slots,
    motor_voltage,
    nearest_turn,
    pid_feedforward,
    pid_rates,
)  # fmt: skip

LAST_GROUP = 30  # the last group that has a bit in opt.disableactuator


@kernel
def fwd_actuation(m, d):
    """(ctrl, act, history, actuator_length, actuator_velocity, trn_J, qfrc_gravcomp)
    => (act_dot, actuator_force, qfrc_actuator)
    """
    begin = start(d)
    for o in range(m.nout):
        d.actuator_force[o] = 0.0
    for k in range(m.nv):
        d.qfrc_actuator[k] = 0.0
    if m.nactuator > 0 and not m.opt.disableflags & DSBL_ACTUATION:
        actuate(m, d)
    lap(d, TIMER_ACTUATION, begin)


@kernel
def actuate(m, d):
    """What actuators command, and what limits leave of it"""
    # what each commands, one by one
    bad, first = read_controls(m, d)
    if any_lane(bad):
        warn(d, WARN_BADCTRL, bad, first)
        for k in range(m.nu):
            d.ctrl_used[k] = where(bad, 0.0, d.ctrl_used[k])
    for i in range(m.nactuator):
        period = setpoint_period(m, i)
        if m.actuator_actnum[i] > 0:
            activation_rates(m, d, i, period)
        if not is_disabled(m, i):
            if m.actuator_gaintype[i] == GAIN_SO3:
                orientation_torque(m, d, i)
            else:
                scalar_force(m, d, i, period)
    # what limits leave of it, and its sum on the dofs
    limit_tendon_forces(m, d)
    limit_forces(m, d)
    push_dofs(m, d)


@kernel(inline=True)
def is_disabled(m, i):
    group = m.actuator_group[i]
    return 0 <= group <= LAST_GROUP and (m.opt.disableactuator >> group) & 1 == 1


@kernel
def read_controls(m, d):
    """(ctrl, history) => ctrl_read, ctrl_used: delayed and clamped; where one is bad, and which"""
    clamp = m.opt.disableflags & DSBL_CLAMPCTRL == 0
    bad, first = lane_mask(0), splat(0.0)
    for i in range(m.nactuator):
        adr, num = m.actuator_ctrladr[i], m.actuator_ctrlnum[i]
        # what was commanded a delay ago, where some world has one
        delay = m.actuator_delay[i]
        delayed = m.actuator_history[i, NSAMPLE] > 0 and any_lane(delay != 0.0)
        if delayed:
            past, n = m.actuator_historyadr[i], m.actuator_history[i, NSAMPLE]
            interp = m.actuator_history[i, INTERP]
            history_read(d, past, n, num, interp, d.time - delay, d.ctrl_used, adr)
        # clamped, and the first bad control noted
        for k in range(adr, adr + num):
            u = d.ctrl[k]
            if delayed:
                u = where(delay != 0.0, d.ctrl_used[k], u)
            if clamp and m.actuator_ctrllimited[k]:
                u = clip(u, m.actuator_ctrlrange[k, 0], m.actuator_ctrlrange[k, 1])
            d.ctrl_read[k] = u
            d.ctrl_used[k] = u
            wrong = not_(abs_(u) <= MAXVAL)
            first = where(wrong & not_(bad), k * 1.0, first)
            bad = bad | wrong
    return bad, first


@kernel
def setpoint_period(m, i):
    """A full turn, in units of the actuator's length, if its setpoint lies on a circle, else 0."""
    period = splat(0.0)
    gain, dyn, kind = m.actuator_gaintype[i], m.actuator_dyntype[i], m.actuator_trntype[i]
    affine = gain == GAIN_FIXED and m.actuator_biastype[i] == BIAS_AFFINE and dyn <= DYN_FILTEREXACT
    # lengths that are angles: of a site about its reference, of a ball joint
    if affine or gain == GAIN_PID:
        gear = m.actuator_gear[m.actuator_outadr[i]]
        if kind == TRN_SITE and m.actuator_trnid[i, 1] >= 0:
            straight = abs_(gear[0]) + abs_(gear[1]) + abs_(gear[2])
            period = splat(where(straight == 0.0, TURN * norm3(gear[3:6]), 0.0))
        elif kind == TRN_JOINT or kind == TRN_JOINTINPARENT:
            if m.jnt_type[m.actuator_trnid[i, 0]] == JNT_BALL:
                period = splat(TURN * norm3(gear[0:3]))
    # an affine actuator is a servo if its force vanishes where length and setpoint agree
    if affine:
        servo = m.actuator_gainprm[i, 0] == -m.actuator_biasprm[i, 1]
        period = where(servo, period, 0.0)
    return period


# ------------------------------------------------------------------------------------ activations


@kernel
def activation_rates(m, d, i, period):
    """act_dot of an actuator; zero where it is left to the user, who does nothing."""
    a, num, kind = m.actuator_actadr[i], m.actuator_actnum[i], m.actuator_dyntype[i]
    u, last = m.actuator_ctrladr[i], a + num - 1
    for k in range(a, a + num):
        d.act_dot[k] = 0.0
    if kind == DYN_INTEGRATOR:
        for k in range(m.actuator_ctrlnum[i]):
            d.act_dot[a + num - m.actuator_ctrlnum[i] + k] = d.ctrl_used[u + k]
    elif kind == DYN_FILTER or kind == DYN_FILTEREXACT:
        act = d.act[last]
        error = nearest_turn(d.ctrl_used[u], act, period) - act
        d.act_dot[last] = error / maximum(m.actuator_dynprm[i, 0], MINVAL)
    elif kind == DYN_MUSCLE:
        d.act_dot[last] = muscle_rate(d.ctrl_used[u], d.act[last], m.actuator_dynprm[i])
    elif kind == DYN_DCMOTOR:
        motor_rates(m, d, i)
    elif kind == DYN_PID:
        pid_rates(m, d, i, period)
    elif kind == DYN_USER:
        user_rate(m, d, i)


@kernel
def next_activation(m, d, i, k, rate):
    """Value of activation k of actuator i after a step at this rate, within its limits."""
    a, h = m.actuator_actadr[i] + k, m.opt.timestep
    kind = m.actuator_dyntype[i]
    if kind == DYN_DCMOTOR:
        return motor_next(m, d, i, k, rate)
    dt = splat(h)  # by (2), less for an exact filter
    if kind == DYN_FILTEREXACT:
        tau = maximum(m.actuator_dynprm[i, 0], MINVAL)
        dt = tau * (1.0 - exp(splat(-h / tau)))
    act = d.act[a] + rate * dt
    if m.actuator_actlimited[i]:
        act = clip(act, m.actuator_actrange[i, 0], m.actuator_actrange[i, 1])
    return act


@kernel
def effective_activation(m, d, i, k):
    """Activation k as the force sees it: the current one, or already the next (actearly)."""
    a = m.actuator_actadr[i] + k
    if m.actuator_actearly[i]:
        return next_activation(m, d, i, k, d.act_dot[a])
    return d.act[a]


@kernel
def advance_activation(m, d, act_dot):
    """act of the next step, from the given rates: d.act_dot, or those an integrator has combined.

    Limits hold on the result. Setpoints on a circle move to the turn nearest to the length, and
    target orientations to an angle below pi. Needs actuator_length and actuator_velocity of the
    current state.
    """
    if m.na == 0 or m.opt.disableflags & DSBL_ACTUATION:
        return
    for i in range(m.nactuator):
        adr, num, kind = m.actuator_actadr[i], m.actuator_actnum[i], m.actuator_dyntype[i]
        if num == 0:
            continue
        # move on, within limits; a disabled actuator keeps what it has
        stopped = is_disabled(m, i)
        for k in range(num):
            rate = act_dot[adr + k]
            if stopped:
                rate = splat(0.0)
            d.act[adr + k] = next_activation(m, d, i, k, rate)
        # back into the range of angles
        if kind == DYN_INTEGRATOR and m.actuator_gaintype[i] == GAIN_SO3:
            target = load3(d.act, adr)
            angle = norm3(target)
            far = angle > PI
            bounded = angle - TURN * floor(angle / TURN + 0.5)
            store3(d.act, adr, target * where(far, bounded / where(far, angle, 1.0), 1.0))
        elif DYN_INTEGRATOR <= kind <= DYN_FILTEREXACT:
            length = d.actuator_length[m.actuator_outadr[i]]
            last = adr + num - 1
            d.act[last] = nearest_turn(d.act[last], length, setpoint_period(m, i))


# ----------------------------------------------------------------------------------------- forces


@kernel(inline=True)
def scalar_force(m, d, i, period):
    """Force of an actuator with one output: (1), or the law of a servo or motor, plus bias"""
    o, last = m.actuator_outadr[i], m.actuator_actnum[i] - 1
    length, velocity = d.actuator_length[o], d.actuator_velocity[o]
    prm, kind = m.actuator_gainprm[i], m.actuator_gaintype[i]
    gain = splat(1.0)
    # a servo: its inputs, and ki times its integral
    if kind == GAIN_PID:
        force = pid_feedforward(m, d, i, period)
        # the last activation, whatever it was when the model was loaded
        if last >= 0 and any_lane(prm[PID_KI] > 0.0):
            force = force + prm[PID_KI] * effective_activation(m, d, i, last)
    # a motor: K times the current, which is an activation, or V / R at once
    elif kind == GAIN_DCMOTOR:
        _, integral, temperature, _, current = motor_slots(m, i)
        gain = splat(m.actuator_gainprm[i, MOTOR_K])
        if current >= 0:
            force = gain * effective_activation(m, d, i, current)
        else:
            gain = gain / maximum(motor_resistance(m, d, i, temperature), MINVAL)
            force = gain * motor_voltage(m, d, i, integral, d.ctrl_used)
    # all others: a gain of the last activation, or of the control
    else:
        if kind == GAIN_FIXED:
            gain = splat(prm[0])
        elif kind == GAIN_AFFINE:
            gain = prm[0] + prm[1] * length + prm[2] * velocity
        elif kind == GAIN_MUSCLE:
            gain = muscle_gain(length, velocity, m.actuator_lengthrange[o], m.actuator_acc0[o], prm)
        elif kind == GAIN_USER:
            gain = user_gain(m, d, i)
        if last >= 0:
            drive = effective_activation(m, d, i, last)
        else:
            drive = d.ctrl_used[m.actuator_ctrladr[i]]
        force = gain * nearest_turn(drive, length, period)
    d.actuator_force[o] = force + scalar_bias(m, d, i, gain)


@kernel(inline=True)
def scalar_bias(m, d, i, gain):
    """The force of an actuator that is there without a drive"""
    o, kind = m.actuator_outadr[i], m.actuator_biastype[i]
    prm = m.actuator_biasprm[i]
    if kind == BIAS_AFFINE:
        return prm[0] + prm[1] * d.actuator_length[o] + prm[2] * d.actuator_velocity[o]
    if kind == BIAS_MUSCLE:
        return muscle_bias(d.actuator_length[o], m.actuator_lengthrange[o], m.actuator_acc0[o], prm)
    if kind == BIAS_DCMOTOR:
        # back-EMF; with an inductance it is in the rate of the current
        stateless = m.actuator_dynprm[i, MOTOR_TE] <= 0.0
        K = m.actuator_gainprm[i, MOTOR_K]
        return where(stateless, -gain * K * d.actuator_velocity[o], 0.0)
    if kind == BIAS_USER:
        return user_bias(m, d, i)
    return splat(0.0)


@kernel
def orientation_torque(m, d, i):
    """Along the shortest rotation to the target, in the moving axes: kp log(q^-1 q_target)."""
    o, u = m.actuator_outadr[i], m.actuator_ctrladr[i]
    # the target: given as a quaternion, as a rotation vector, or by activations that are one
    if m.actuator_ctrlspec[i] == CHART_QUAT:
        target = normalize4(load4(d.ctrl_used, u))
    elif m.actuator_dyntype[i] == DYN_NONE:
        target = exponential(load3(d.ctrl_used, u))
    else:
        for k in range(3):
            # outputs serve as scratch until the torque is known
            d.actuator_force[o + k] = effective_activation(m, d, i, k)
        target = exponential(load3(d.actuator_force, o))
    error = difference(target, exponential(load3(d.actuator_length, o)))
    kp, constant, kv = m.actuator_gainprm[i, 0], m.actuator_biasprm[i, 0], m.actuator_biasprm[i, 2]
    store3(d.actuator_force, o, error * kp + load3(d.actuator_velocity, o) * kv)
    for k in range(3):
        d.actuator_force[o + k] = d.actuator_force[o + k] + constant


@kernel
def exponential(v):
    """The quaternion of a rotation vector."""
    return axis_angle_quat(normalize3(v), norm3(v))


@kernel
def limit_tendon_forces(m, d):
    """Scale the actuators of a tendon where their total force leaves the tendon's range."""
    for t in range(m.ntendon):
        if m.tendon_actfrclimited[t]:
            total = splat(0.0)
            for i in range(m.nactuator):
                if m.actuator_trntype[i] == TRN_TENDON and m.actuator_trnid[i, 0] == t:
                    total = total + d.actuator_force[m.actuator_outadr[i]]
            bounded = clip(total, m.tendon_actfrcrange[t, 0], m.tendon_actfrcrange[t, 1])
            scale = where((bounded == total) | (total == 0.0), 1.0, bounded / total)
            for i in range(m.nactuator):
                if m.actuator_trntype[i] == TRN_TENDON and m.actuator_trnid[i, 0] == t:
                    o = m.actuator_outadr[i]
                    d.actuator_force[o] = d.actuator_force[o] * scale


@kernel
def limit_forces(m, d):
    """Clamp each output, an orientation servo by its norm; then add friction of motors"""
    for i in range(m.nactuator):
        o = m.actuator_outadr[i]
        if m.actuator_forcelimited[i]:
            low, high = m.actuator_forcerange[i, 0], m.actuator_forcerange[i, 1]
            if m.actuator_gaintype[i] == GAIN_SO3:
                torque = load3(d.actuator_force, o)
                size = norm3(torque)
                over = size > high
                scale = where(over, high / where(over, size, 1.0), 1.0)
                store3(d.actuator_force, o, torque * scale)
            else:
                for k in range(o, o + m.actuator_outnum[i]):
                    d.actuator_force[k] = clip(d.actuator_force[k], low, high)
        if m.actuator_biastype[i] == BIAS_DCMOTOR and not is_disabled(m, i):
            d.actuator_force[o] = d.actuator_force[o] + motor_friction(m, d, i)


@kernel
def push_dofs(m, d):
    """qfrc_actuator = moment' force, plus gravity compensation by actuators, clamped."""
    for o in range(m.nout):
        force = d.actuator_force[o]
        for e in range(m.trn_rowadr[o], m.trn_rowadr[o] + m.trn_rownnz[o]):
            k = m.trn_colind[e]
            d.qfrc_actuator[k] = d.qfrc_actuator[k] + d.trn_J[e] * force
    # by joint: gravity compensation that counts as the actuators', and the limit of both
    for j in range(m.njnt):
        k = m.jnt_dofadr[j]
        if m.jnt_actgravcomp[j] and m.opt.disableflags & DSBL_GRAVITY == 0:
            num = 6 if m.jnt_type[j] == JNT_FREE else (3 if m.jnt_type[j] == JNT_BALL else 1)
            for n in range(k, k + num):
                d.qfrc_actuator[n] = d.qfrc_actuator[n] + d.qfrc_gravcomp[n]
        if m.jnt_actfrclimited[j]:
            range_low, range_high = m.jnt_actfrcrange[j, 0], m.jnt_actfrcrange[j, 1]
            d.qfrc_actuator[k] = clip(d.qfrc_actuator[k], range_low, range_high)
