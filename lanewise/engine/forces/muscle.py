"""Muscles: force by activation, length and velocity, and how activation follows excitation.

Lengths are in units of the resting length L0, at which the muscle is strongest: the actuator's
range of lengths stands for prm[0] to prm[1] of these units. The active force is the product of a
bell-shaped curve of length and a saturating curve of velocity; the passive force rises beyond the
resting length:

    (1)  x = prm[0] + (length - lengthrange[0]) / L0,   v = velocity / (L0 vmax)
    (2)  gain = -peak FL(x) FV(v),   bias = -peak fpmax FP(x)

FV is a parabola up to 1 at rest, another one to fvmax when the muscle is stretched, and flat
outside.

prm: range (2), force, scale, lmin, lmax, vmax, fpmax, fvmax
"""

from ...lanes import clip, kernel, maximum, where
from ...mjconst import MINVAL


@kernel(inline=True)
def peak_force(acc0, prm):
    """The given force or, if negative, the force that gives an acceleration of `scale` at qpos0."""
    force, scale = prm[2], prm[3]
    return where(force < 0.0, scale / maximum(acc0, MINVAL), force)


@kernel(inline=True)
def resting_length(lengthrange, prm):
    """L0"""
    return (lengthrange[1] - lengthrange[0]) / maximum(prm[1] - prm[0], MINVAL)


@kernel
def muscle_gain(length, velocity, lengthrange, acc0, prm):
    """Active force at full activation; negative, it pulls."""
    lmin, lmax, vmax, fvmax = prm[4], prm[5], prm[6], prm[8]
    # (1)
    rest = resting_length(lengthrange, prm)
    x = prm[0] + (length - lengthrange[0]) / maximum(rest, MINVAL)
    v = velocity / maximum(rest * vmax, MINVAL)
    # (2)
    y = fvmax - 1.0
    lengthening = fvmax - (y - v) * (y - v) / maximum(y, MINVAL)
    by_velocity = where(v <= 0.0, (v + 1.0) * (v + 1.0), where(v <= y, lengthening, fvmax))
    by_velocity = where(v <= -1.0, 0.0, by_velocity)
    return -peak_force(acc0, prm) * bell(x, lmin, lmax) * by_velocity


@kernel
def bell(x, lmin, lmax):
    """Four parabolas from 0 at lmin over 1 at the resting length to 0 at lmax."""
    a, b = 0.5 * (lmin + 1.0), 0.5 * (1.0 + lmax)
    half = where(x <= 1.0, maximum(a - lmin, MINVAL), maximum(b - 1.0, MINVAL))
    outer = where(x <= 1.0, x - lmin, lmax - x) / half
    inner = (x - 1.0) / half
    f = where((x <= a) | (x > b), 0.5 * outer * outer, 1.0 - 0.5 * inner * inner)
    return where((x >= lmin) & (x <= lmax), f, 0.0)


@kernel
def muscle_bias(length, lengthrange, acc0, prm):
    """Passive force: half a parabola up to the middle of the way to lmax, then a line."""
    rest = resting_length(lengthrange, prm)
    x = prm[0] + (length - lengthrange[0]) / maximum(rest, MINVAL)
    lmax, fpmax = prm[5], prm[7]
    b = 0.5 * (1.0 + lmax)
    y = where(x <= b, x - 1.0, x - b) / maximum(b - 1.0, MINVAL)
    f = where(x <= b, 0.5 * y * y, 0.5 + y)
    return where(x <= 1.0, 0.0, -peak_force(acc0, prm) * fpmax * f)


@kernel
def muscle_rate(ctrl, act, prm):
    """Rate of activation: a filter; prm is time constants up and down, width of smoothing."""
    up, down, width = prm[0], prm[1], prm[2]
    # an active muscle rises more slowly and falls faster
    clamped = clip(act, 0.0, 1.0)
    slow = 0.5 + 1.5 * clamped
    rising, falling = up * slow, down / slow
    # from one time constant to the other by the sign of the error, over a width if there is one
    error = clip(ctrl, 0.0, 1.0) - act
    smooth = width >= MINVAL
    x = clip(error / where(smooth, width, 1.0) + 0.5, 0.0, 1.0)
    blend = x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0)
    tau = where(smooth, falling + (rising - falling) * blend, where(error > 0.0, rising, falling))
    return error / maximum(tau, MINVAL)
