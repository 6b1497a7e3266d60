"""Servos and DC motors: actuators with several inputs and a controller of their own.

A `pid` actuator commands the force

    (1)  f = kp (u_pos - l) + kv (u_vel - v) + ki x_I + u_ff

from up to three inputs (`actuator_ctrlspec` tells which; the others are zero). Its position
setpoint may be limited in rate, and x_I, the integral of the position error, in size; each of the
two is an activation.

A `dcmotor` is an electric machine. Its current i follows the terminal voltage against the back-EMF
K v,

    (2)  te di/dt = (V - K v) / R - i,        f = K i,

or at once if there is no inductance (te = 0). V is an input, or comes from a controller like that
of a pid whose torque tau needs

    (3)  V = R / K tau + K v.

The winding may heat up by its losses, and R with it: with T above the ambient temperature,

    (4)  heat capacity dT/dt = R i^2 - T / thermal resistance
    (5)  R = R0 (1 + coefficient (T + ambient - reference)).

Cogging and LuGre friction act on the shaft whatever the electronics do. Friction is a bristle of
stiffness s0 and deflection z that slips at g(v), which falls from static to Coulomb friction:

    (6)  dz/dt = v - s0 |v| / g(v) z,   friction = -s0 z - s1 dz/dt.

Activations, those that there are: setpoint, integral, T, z, i.
"""

from ...lanes import (  # fmt: skip
    abs_,
    any_lane,
    clip,
    copysign,
    exp,
    floor,
    kernel,
    maximum,
    minimum,
    sin,
    splat,
    vec,
    where,
)
from ...mjconst import INPUT_FF, INPUT_POS, INPUT_VEL, INPUT_VOLTAGE, MINVAL

# what the numbers of a pid's parameters are: of dynprm and gainprm; its bias is affine
PID_MAX_INTEGRAL, PID_SLEW_RATE = range(2)
PID_KI = 0

# of a motor's dynprm, gainprm and biasprm
MOTOR_TE, MOTOR_MAX_CURRENT_RATE, MOTOR_THERMAL_RESISTANCE, MOTOR_HEAT_CAPACITY = range(4)
MOTOR_AMBIENT, MOTOR_BRISTLE_STIFFNESS, MOTOR_BRISTLE_DAMPING = range(4, 7)
MOTOR_SLEW_RATE, MOTOR_MAX_INTEGRAL = 7, 8
MOTOR_R, MOTOR_K, MOTOR_R_COEFFICIENT, MOTOR_R_REFERENCE = range(4)
MOTOR_KP, MOTOR_KI, MOTOR_KD, MOTOR_MAX_VOLTAGE = range(4, 8)
MOTOR_COGGING, MOTOR_POLES, MOTOR_PHASE = range(3)
MOTOR_COULOMB, MOTOR_STATIC, MOTOR_STRIBECK = range(3, 6)

MOST_TURNS = 2.0**31 - 1.0


@kernel
def inputs(m, i, ctrl):
    """Position and velocity setpoint, feedforward, voltage; zero if there is no such input."""
    spec, k = m.actuator_ctrlspec[i], m.actuator_ctrladr[i]
    position, velocity, feedforward, voltage = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    if spec & INPUT_POS:
        position = ctrl[k]
        k += 1
    if spec & INPUT_VEL:
        velocity = ctrl[k]
        k += 1
    if spec & INPUT_FF:
        feedforward = ctrl[k]
        k += 1
    if spec & INPUT_VOLTAGE:
        voltage = ctrl[k]
    return vec(position, velocity, feedforward, voltage)


@kernel
def nearest_turn(u, center, period):
    """The setpoint on a circle that is nearest to center; u itself where the period is zero.

    As in MuJoCo, no more turns are taken away than an int has.
    """
    circular = period > 0.0
    if any_lane(circular):
        turns = (u - center) / where(circular, period, 1.0)
        whole = minimum(floor(abs_(turns) + 0.5), MOST_TURNS)
        u = where(circular, u - period * copysign(whole, turns), u)
    return u


@kernel
def limit_slew(m, d, k, a, rate, period):
    """Let control k follow its setpoint no faster than rate; activation a is where it was."""
    h = m.opt.timestep
    was = d.act[a]
    low, high = was - rate * h, was + rate * h
    u = clip(nearest_turn(d.ctrl_used[k], was, period), low, high)
    d.act_dot[a] = (u - was) / h
    d.ctrl_used[k] = u
    d.ctrl_read[k] = clip(nearest_turn(d.ctrl_read[k], was, period), low, high)


@kernel
def integrate_error(d, a, error, limit):
    """Integrate into activation a, but not further out than the limit (0: none)."""
    x = d.act[a]
    error = where((limit > 0.0) & (x >= limit), minimum(error, 0.0), error)
    d.act_dot[a] = where((limit > 0.0) & (x <= -limit), maximum(error, 0.0), error)


# -------------------------------------------------------------------------------------------- pid


@kernel(inline=True)
def pid_slots(m, i):
    """Places of setpoint and integral among the actuator's activations, or -1."""
    # what was switched on after loading has no activation
    num = m.actuator_actnum[i]
    slew = 0 if num > 0 and any_lane(m.actuator_dynprm[i, PID_SLEW_RATE] > 0.0) else -1
    has_room = slew + 1 < num
    integral = slew + 1 if has_room and any_lane(m.actuator_gainprm[i, PID_KI] > 0.0) else -1
    return slew, integral


@kernel
def pid_rates(m, d, i, period):
    """act_dot of a pid; a limited setpoint replaces the control"""
    slew, integral = pid_slots(m, i)
    a = m.actuator_actadr[i]
    if slew >= 0:
        rate = m.actuator_dynprm[i, PID_SLEW_RATE]
        limit_slew(m, d, m.actuator_ctrladr[i], a + slew, rate, period)
    if integral >= 0:
        length = d.actuator_length[m.actuator_outadr[i]]
        error = nearest_turn(inputs(m, i, d.ctrl_used)[0], length, period) - length
        integrate_error(d, a + integral, error, m.actuator_dynprm[i, PID_MAX_INTEGRAL])


@kernel
def pid_feedforward(m, d, i, period):
    """The part of (1) that comes from the inputs; the bias is -kp l - kv v"""
    u = inputs(m, i, d.ctrl_used)
    u_pos, u_vel, u_ff = u[0], u[1], u[2]
    position = nearest_turn(u_pos, d.actuator_length[m.actuator_outadr[i]], period)
    return u_ff - m.actuator_biasprm[i, 1] * position - m.actuator_biasprm[i, 2] * u_vel


# ---------------------------------------------------------------------------------------- dcmotor


@kernel
def motor_slots(m, i):
    """Places of setpoint, integral, temperature, bristle, current among activations, or -1."""
    n, num = 0, m.actuator_actnum[i]  # what was switched on after loading has no activation
    slew, integral, temperature, bristle, current = -1, -1, -1, -1, -1
    if n < num and any_lane(m.actuator_dynprm[i, MOTOR_SLEW_RATE] > 0.0):
        slew = n
        n += 1
    if n < num and any_lane(m.actuator_gainprm[i, MOTOR_KI] > 0.0):
        integral = n
        n += 1
    if n < num and any_lane(m.actuator_dynprm[i, MOTOR_THERMAL_RESISTANCE] > 0.0):
        temperature = n
        n += 1
    if n < num and any_lane(m.actuator_dynprm[i, MOTOR_BRISTLE_STIFFNESS] > 0.0):
        bristle = n
        n += 1
    if n < num and any_lane(m.actuator_dynprm[i, MOTOR_TE] > 0.0):
        current = n
    return slew, integral, temperature, bristle, current


@kernel
def motor_resistance(m, d, i, temperature):
    """R, by (5) if the motor has a thermal model"""
    R = splat(m.actuator_gainprm[i, MOTOR_R])
    if temperature >= 0:
        ambient = m.actuator_dynprm[i, MOTOR_AMBIENT]
        reference = m.actuator_gainprm[i, MOTOR_R_REFERENCE]
        degrees = d.act[m.actuator_actadr[i] + temperature] + ambient - reference
        R = R * (1.0 + m.actuator_gainprm[i, MOTOR_R_COEFFICIENT] * degrees)
    return R


@kernel
def motor_voltage(m, d, i, integral, ctrl):
    """Terminal voltage: that of the controller, limited, plus the raw input."""
    o = m.actuator_outadr[i]
    u, velocity = inputs(m, i, ctrl), d.actuator_velocity[o]
    u_pos, u_vel, u_ff, u_voltage = u[0], u[1], u[2], u[3]
    V = splat(0.0)
    if m.actuator_ctrlspec[i] & (INPUT_POS | INPUT_VEL | INPUT_FF):
        R, K = m.actuator_gainprm[i, MOTOR_R], m.actuator_gainprm[i, MOTOR_K]
        kp, kd = m.actuator_gainprm[i, MOTOR_KP], m.actuator_gainprm[i, MOTOR_KD]
        limit = m.actuator_gainprm[i, MOTOR_MAX_VOLTAGE]
        # the torque as in (1), the voltage by (3)
        tau = kp * (u_pos - d.actuator_length[o]) + kd * (u_vel - velocity) + u_ff
        if integral >= 0:
            ki = m.actuator_gainprm[i, MOTOR_KI]
            tau = tau + ki * d.act[m.actuator_actadr[i] + integral]
        V = (R / K) * tau + K * velocity
        V = where(limit > 0.0, clip(V, -limit, limit), V)
    return V + u_voltage


@kernel(inline=True)
def slip_rate(m, i, velocity):
    """-s0 |v| / g(v) of (6): rate at which a bristle loses its deflection; g is Stribeck's curve"""
    coulomb, static = m.actuator_biasprm[i, MOTOR_COULOMB], m.actuator_biasprm[i, MOTOR_STATIC]
    x = velocity / maximum(m.actuator_biasprm[i, MOTOR_STRIBECK], MINVAL)
    g = coulomb + (static - coulomb) * exp(-x * x)
    return -m.actuator_dynprm[i, MOTOR_BRISTLE_STIFFNESS] * abs_(velocity) / maximum(g, MINVAL)


@kernel
def motor_rates(m, d, i):
    """act_dot of a motor; a limited setpoint replaces the control"""
    slew, integral, temperature, bristle, current = motor_slots(m, i)
    a, o = m.actuator_actadr[i], m.actuator_outadr[i]
    K, velocity = m.actuator_gainprm[i, MOTOR_K], d.actuator_velocity[o]
    # the controller's
    if slew >= 0:
        slew_rate = m.actuator_dynprm[i, MOTOR_SLEW_RATE]
        limit_slew(m, d, m.actuator_ctrladr[i], a + slew, slew_rate, splat(0.0))
    if integral >= 0:
        error = inputs(m, i, d.ctrl_used)[0] - d.actuator_length[o]
        integrate_error(d, a + integral, error, m.actuator_dynprm[i, MOTOR_MAX_INTEGRAL])
    # (6)
    if bristle >= 0:
        d.act_dot[a + bristle] = slip_rate(m, i, velocity) * d.act[a + bristle] + velocity
    if temperature < 0 and current < 0:
        return
    # the winding: the current that (2) tends to, its heat (4), and its rate
    R = motor_resistance(m, d, i, temperature)
    settled = (motor_voltage(m, d, i, integral, d.ctrl_used) - K * velocity) / R
    if temperature >= 0:
        amps = d.act[a + current] if current >= 0 else settled
        heat = R * amps * amps
        heat = heat - d.act[a + temperature] / m.actuator_dynprm[i, MOTOR_THERMAL_RESISTANCE]
        d.act_dot[a + temperature] = heat / m.actuator_dynprm[i, MOTOR_HEAT_CAPACITY]
    if current >= 0:
        limit = m.actuator_dynprm[i, MOTOR_MAX_CURRENT_RATE]
        rate = (settled - d.act[a + current]) / m.actuator_dynprm[i, MOTOR_TE]
        d.act_dot[a + current] = where(limit > 0.0, clip(rate, -limit, limit), rate)


@kernel
def motor_friction(m, d, i):
    """Cogging and LuGre friction, which no current limit bounds."""
    o, amplitude = m.actuator_outadr[i], m.actuator_biasprm[i, MOTOR_COGGING]
    poles, phase = m.actuator_biasprm[i, MOTOR_POLES], m.actuator_biasprm[i, MOTOR_PHASE]
    force = splat(0.0)
    if any_lane(amplitude != 0.0):
        force = amplitude * sin(poles * d.actuator_length[o] + phase)
    # (6)
    _, _, _, bristle, _ = motor_slots(m, i)
    if bristle >= 0:
        z = m.actuator_actadr[i] + bristle
        s0 = m.actuator_dynprm[i, MOTOR_BRISTLE_STIFFNESS]
        s1 = m.actuator_dynprm[i, MOTOR_BRISTLE_DAMPING]
        force = force - s0 * d.act[z] - s1 * d.act_dot[z]
    return force


@kernel
def motor_next(m, d, i, k, rate):
    """Activation k of a motor after a step: exact for current and bristle, which are stiff."""
    _, integral, _, bristle, current = motor_slots(m, i)
    h, x = m.opt.timestep, d.act[m.actuator_actadr[i] + k]
    # (2) with V and v held
    if k == current:
        te = maximum(m.actuator_dynprm[i, MOTOR_TE], MINVAL)
        return x + rate * te * (1.0 - exp(splat(-h / te)))
    # (6) with v held
    if k == bristle:
        velocity = d.actuator_velocity[m.actuator_outadr[i]]
        a = slip_rate(m, i, velocity)
        decay = exp(a * h)
        slips = abs_(a) > MINVAL
        return decay * x + where(slips, (decay - 1.0) / where(slips, a, 1.0), h) * velocity
    x = x + rate * h
    if k == integral:
        limit = m.actuator_dynprm[i, MOTOR_MAX_INTEGRAL]
        x = where(limit > 0.0, clip(x, -limit, limit), x)
    return x
