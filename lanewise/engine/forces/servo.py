"""Servos and DC motors: actuators with several inputs and a controller of their own.

A `pid` actuator commands the force

    f = kp (u_pos - l) + kv (u_vel - v) + ki x_I + u_ff

from up to three inputs (`actuator_ctrlspec` tells which; the others are zero). Its position
setpoint may be limited in rate, and x_I, the integral of the position error, in size; each of the
two is an activation.

A `dcmotor` is an electric machine. Its current i follows the terminal voltage against the back-EMF
K v,

    te di/dt = (V - K v) / R - i,        f = K i,

or at once if there is no inductance (te = 0). V is an input, or comes from a controller like that
of a pid whose torque tau needs V = R / K tau + K v. The winding may heat up and R with it; cogging
and LuGre friction, a bristle of deflection z that slips at g(v), act on the shaft whatever the
electronics do.

dynprm    0 te, 1 limit of di/dt, 2 thermal resistance, 3 heat capacity, 4 ambient temperature,
          5, 6 stiffness and damping of the bristle, 7 limit of the setpoint's rate,
          8 limit of the integral
gainprm   0 R, 1 K, 2 temperature coefficient, 3 reference temperature, 4 kp, 5 ki, 6 kd,
          7 limit of V
biasprm   0, 1, 2 amplitude, poles and phase of cogging, 3, 4 Coulomb and static friction,
          5 Stribeck speed
Activations, those that there are: setpoint, integral, temperature above ambient, z, i.
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


@kernel
def inputs(m, d, i):
    """Position and velocity setpoint, feedforward, voltage; zero if there is no such input."""
    spec, k = m.actuator_ctrlspec[i], m.actuator_ctrladr[i]
    position, velocity, feedforward, voltage = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    if spec & INPUT_POS:
        position = d.ctrl_used[k]
        k += 1
    if spec & INPUT_VEL:
        velocity = d.ctrl_used[k]
        k += 1
    if spec & INPUT_FF:
        feedforward = d.ctrl_used[k]
        k += 1
    if spec & INPUT_VOLTAGE:
        voltage = d.ctrl_used[k]
    return vec(position, velocity, feedforward, voltage)


@kernel
def nearest_turn(u, center, period):
    """The setpoint on a circle that is nearest to center; u itself where the period is zero."""
    circular = period > 0.0
    if any_lane(circular):
        turns = (u - center) / where(circular, period, 1.0)
        u = where(circular, u - period * copysign(floor(abs_(turns) + 0.5), turns), u)
    return u


@kernel
def limit_slew(m, d, k, a, rate, period):
    """Let control k follow its setpoint no faster than rate; activation a is where it was."""
    h = m.opt.timestep
    was = d.act[a]
    u = clip(nearest_turn(d.ctrl_used[k], was, period), was - rate * h, was + rate * h)
    d.act_dot[a] = (u - was) / h
    d.ctrl_used[k] = u


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
    slew = 0 if any_lane(m.actuator_dynprm[i, 1] > 0.0) else -1
    integral = slew + 1 if any_lane(m.actuator_gainprm[i, 0] > 0.0) else -1
    return slew, integral


@kernel
def pid_rates(m, d, i, period):
    slew, integral = pid_slots(m, i)
    a = m.actuator_actadr[i]
    if slew >= 0:
        limit_slew(m, d, m.actuator_ctrladr[i], a + slew, m.actuator_dynprm[i, 1], period)
    if integral >= 0:
        length = d.actuator_length[m.actuator_outadr[i]]
        error = nearest_turn(inputs(m, d, i)[0], length, period) - length
        integrate_error(d, a + integral, error, m.actuator_dynprm[i, 0])


@kernel
def pid_feedforward(m, d, i, period):
    """The part of the force that comes from the inputs; the bias is -kp l - kv v."""
    u = inputs(m, d, i)
    position = nearest_turn(u[0], d.actuator_length[m.actuator_outadr[i]], period)
    return u[2] - m.actuator_biasprm[i, 1] * position - m.actuator_biasprm[i, 2] * u[1]


# ---------------------------------------------------------------------------------------- dcmotor


@kernel
def motor_slots(m, i):
    """Places of setpoint, integral, temperature, bristle, current among activations, or -1."""
    n = 0
    slew, integral, temperature, bristle, current = -1, -1, -1, -1, -1
    if any_lane(m.actuator_dynprm[i, 7] > 0.0):
        slew = n
        n += 1
    if any_lane(m.actuator_gainprm[i, 5] > 0.0):
        integral = n
        n += 1
    if any_lane(m.actuator_dynprm[i, 2] > 0.0):
        temperature = n
        n += 1
    if any_lane(m.actuator_dynprm[i, 5] > 0.0):
        bristle = n
        n += 1
    if any_lane(m.actuator_dynprm[i, 0] > 0.0):
        current = n
    return slew, integral, temperature, bristle, current


@kernel
def motor_resistance(m, d, i, temperature):
    """R, hotter than at the reference temperature if the motor has a thermal model."""
    R = splat(m.actuator_gainprm[i, 0])
    if temperature >= 0:
        ambient, reference = m.actuator_dynprm[i, 4], m.actuator_gainprm[i, 3]
        degrees = d.act[m.actuator_actadr[i] + temperature] + ambient - reference
        R = R * (1.0 + m.actuator_gainprm[i, 2] * degrees)
    return R


@kernel
def motor_voltage(m, d, i, integral):
    """Terminal voltage: that of the controller, limited, plus the raw input."""
    o = m.actuator_outadr[i]
    u, velocity = inputs(m, d, i), d.actuator_velocity[o]
    V = splat(0.0)
    if m.actuator_ctrlspec[i] & (INPUT_POS | INPUT_VEL | INPUT_FF):
        prm = m.actuator_gainprm[i]
        tau = prm[4] * (u[0] - d.actuator_length[o]) + prm[6] * (u[1] - velocity) + u[2]
        if integral >= 0:
            tau = tau + prm[5] * d.act[m.actuator_actadr[i] + integral]
        V = (prm[0] / prm[1]) * tau + prm[1] * velocity
        V = where(prm[7] > 0.0, clip(V, -prm[7], prm[7]), V)
    return V + u[3]


@kernel(inline=True)
def slip_rate(m, i, velocity):
    """-sigma0 |v| / g(v): rate at which a bristle loses its deflection; g is Stribeck's curve."""
    prm = m.actuator_biasprm[i]
    x = velocity / maximum(prm[5], MINVAL)
    g = prm[3] + (prm[4] - prm[3]) * exp(-x * x)
    return -m.actuator_dynprm[i, 5] * abs_(velocity) / maximum(g, MINVAL)


@kernel
def motor_rates(m, d, i):
    slew, integral, temperature, bristle, current = motor_slots(m, i)
    a, o = m.actuator_actadr[i], m.actuator_outadr[i]
    dyn, K = m.actuator_dynprm[i], m.actuator_gainprm[i, 1]
    velocity = d.actuator_velocity[o]
    if slew >= 0:
        limit_slew(m, d, m.actuator_ctrladr[i], a + slew, dyn[7], splat(0.0))
    if integral >= 0:
        integrate_error(d, a + integral, inputs(m, d, i)[0] - d.actuator_length[o], dyn[8])
    if bristle >= 0:
        d.act_dot[a + bristle] = slip_rate(m, i, velocity) * d.act[a + bristle] + velocity
    if temperature < 0 and current < 0:
        return
    R = motor_resistance(m, d, i, temperature)
    settled = (motor_voltage(m, d, i, integral) - K * velocity) / R
    if temperature >= 0:
        amps = d.act[a + current] if current >= 0 else settled
        d.act_dot[a + temperature] = (R * amps * amps - d.act[a + temperature] / dyn[2]) / dyn[3]
    if current >= 0:
        rate = (settled - d.act[a + current]) / dyn[0]
        d.act_dot[a + current] = where(dyn[1] > 0.0, clip(rate, -dyn[1], dyn[1]), rate)


@kernel
def motor_friction(m, d, i):
    """Cogging and LuGre friction, which no current limit bounds."""
    o, prm = m.actuator_outadr[i], m.actuator_biasprm[i]
    force = splat(0.0)
    if any_lane(prm[0] != 0.0):
        force = prm[0] * sin(prm[1] * d.actuator_length[o] + prm[2])
    _, _, _, bristle, _ = motor_slots(m, i)
    if bristle >= 0:
        z = m.actuator_actadr[i] + bristle
        force = force - m.actuator_dynprm[i, 5] * d.act[z] - m.actuator_dynprm[i, 6] * d.act_dot[z]
    return force


@kernel
def motor_next(m, d, i, k, rate):
    """Activation k of a motor after a step: exact for current and bristle, which are stiff."""
    _, integral, _, bristle, current = motor_slots(m, i)
    h, dyn = m.opt.timestep, m.actuator_dynprm[i]
    x = d.act[m.actuator_actadr[i] + k]
    if k == current:
        te = maximum(dyn[0], MINVAL)
        return x + rate * te * (1.0 - exp(splat(-h / te)))
    if k == bristle:
        velocity = d.actuator_velocity[m.actuator_outadr[i]]
        a = slip_rate(m, i, velocity)
        decay = exp(a * h)
        slips = abs_(a) > MINVAL
        return decay * x + where(slips, (decay - 1.0) / where(slips, a, 1.0), h) * velocity
    x = x + rate * h
    if k == integral:
        x = where(dyn[8] > 0.0, clip(x, -dyn[8], dyn[8]), x)
    return x
