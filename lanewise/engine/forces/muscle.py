"""Muscles: force by activation, length and velocity, and how activation follows excitation.

Lengths are in units of the resting length L0, at which the muscle is strongest: the actuator's
range of lengths stands for prm[0] to prm[1] of these units. The active force is the product of a
bell-shaped curve of length and a saturating curve of velocity; the passive force rises beyond the
resting length.

prm: range (2), force, scale, lmin, lmax, vmax, fpmax, fvmax
"""

from ...lanes import clip, kernel, maximum, where
from ...mjconst import MINVAL


@kernel(inline=True)
def peak_force(acc0, prm):
    """The given force or, if negative, the force that gives an acceleration of `scale` at qpos0."""
    return where(prm[2] < 0.0, prm[3] / maximum(acc0, MINVAL), prm[2])


@kernel(inline=True)
def resting_length(lengthrange, prm):
    return (lengthrange[1] - lengthrange[0]) / maximum(prm[1] - prm[0], MINVAL)


@kernel
def muscle_gain(length, velocity, lengthrange, acc0, prm):
    """Active force at full activation; negative, it pulls."""
    rest = resting_length(lengthrange, prm)
    x = prm[0] + (length - lengthrange[0]) / maximum(rest, MINVAL)
    v = velocity / maximum(rest * prm[6], MINVAL)
    fvmax = prm[8]
    y = fvmax - 1.0
    lengthening = fvmax - (y - v) * (y - v) / maximum(y, MINVAL)
    by_velocity = where(v <= 0.0, (v + 1.0) * (v + 1.0), where(v <= y, lengthening, fvmax))
    by_velocity = where(v <= -1.0, 0.0, by_velocity)
    return -peak_force(acc0, prm) * bell(x, prm[4], prm[5]) * by_velocity


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
    b = 0.5 * (1.0 + prm[5])
    y = where(x <= b, x - 1.0, x - b) / maximum(b - 1.0, MINVAL)
    f = where(x <= b, 0.5 * y * y, 0.5 + y)
    return where(x <= 1.0, 0.0, -peak_force(acc0, prm) * prm[7] * f)


@kernel
def muscle_rate(ctrl, act, prm):
    """Rate of activation: a filter; prm is time constants up and down, width of smoothing."""
    clamped = clip(act, 0.0, 1.0)
    slow = 0.5 + 1.5 * clamped
    rising, falling = prm[0] * slow, prm[1] / slow
    error = clip(ctrl, 0.0, 1.0) - act
    smooth = prm[2] >= MINVAL
    x = clip(error / where(smooth, prm[2], 1.0) + 0.5, 0.0, 1.0)
    blend = x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0)
    tau = where(smooth, falling + (rising - falling) * blend, where(error > 0.0, rising, falling))
    return error / maximum(tau, MINVAL)
