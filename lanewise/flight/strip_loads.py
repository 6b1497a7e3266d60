"""What the air does to the strips of wings: a kernel of passive forces.

For each strip, with u the velocity of its quarter-chord point through the air in body axes, c the
direction of its chord and n its normal:

    a  = atan2(-u.n, u.c) - a0                        the angle to the air, from that without lift
    s  = 1 / (1 + exp(-(|a| - stall) / SOFT))         0 where the flow is attached, 1 where not
    CL = (1 - s) k a + s sin 2a
    CD = CD0 + (1 - s) i (k a)^2 + s 2 sin^2 a
    f  = rho/2 A |u| (CL (u.c n - u.n c) - CD (u.c c + u.n n))

Air along the span does nothing. Lift is at right angles to u in the plane of c and n, drag against
u; with |u| taken out there is no division, and at rest no force.

Forces of all strips act on the free joint: as a force in world axes, and as a torque about the
origin of the body in body axes, which is what does work on qvel.
"""

from typing import Any

from ..lanes import abs_, atan2, exp, kernel, sin, sqrt, to_int, vec

COLUMNS = (
    "x", "y", "z", "chord x", "chord y", "chord z", "normal x", "normal y", "normal z", "area",
    "lift slope", "zero lift", "drag", "induced drag", "stall",
)  # fmt: skip

SOFT = 0.03  # [rad] over which the flow separates


@kernel
def strip_loads(m: Any, d: Any, p: Any) -> None:
    """(xmat, qvel) => qfrc_passive"""
    body, dof, strips = to_int(p.flier[0]), to_int(p.flier[1]), to_int(p.flier[2])
    R = d.xmat[body]
    # through the air, in world axes and then in the body's
    x, y, z = d.qvel[dof] - p.wind[0], d.qvel[dof + 1] - p.wind[1], d.qvel[dof + 2] - p.wind[2]
    v = vec(
        R[0] * x + R[3] * y + R[6] * z,
        R[1] * x + R[4] * y + R[7] * z,
        R[2] * x + R[5] * y + R[8] * z,
    )
    w = vec(d.qvel[dof + 3], d.qvel[dof + 4], d.qvel[dof + 5])
    force, torque = 0.0 * v, 0.0 * v
    for i in range(strips):
        r = vec(p.strips[i, 0], p.strips[i, 1], p.strips[i, 2])
        f = strip_force(p, i, v + cross(w, r))
        force = force + f
        torque = torque + cross(r, f)
    add3(d, dof, vec(
        R[0] * force[0] + R[1] * force[1] + R[2] * force[2],
        R[3] * force[0] + R[4] * force[1] + R[5] * force[2],
        R[6] * force[0] + R[7] * force[1] + R[8] * force[2],
    ))  # fmt: skip
    add3(d, dof + 3, torque)


@kernel
def add3(d: Any, dof: Any, f: Any) -> None:
    d.qfrc_passive[dof] = d.qfrc_passive[dof] + f[0]
    d.qfrc_passive[dof + 1] = d.qfrc_passive[dof + 1] + f[1]
    d.qfrc_passive[dof + 2] = d.qfrc_passive[dof + 2] + f[2]


@kernel(inline=True)
def cross(a: Any, b: Any) -> Any:
    return vec(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def strip_force(p: Any, i: Any, u: Any) -> Any:
    """The force on a strip that moves with u through the air, both in body axes."""
    c = vec(p.strips[i, 3], p.strips[i, 4], p.strips[i, 5])
    n = vec(p.strips[i, 6], p.strips[i, 7], p.strips[i, 8])
    ahead = u[0] * c[0] + u[1] * c[1] + u[2] * c[2]
    up = u[0] * n[0] + u[1] * n[1] + u[2] * n[2]
    speed = sqrt(ahead * ahead + up * up)
    a = atan2(-up, ahead) - p.strips[i, 11]
    lost = 1.0 / (1.0 + exp((p.strips[i, 14] - abs_(a)) / SOFT))
    attached, plate = p.strips[i, 10] * a, sin(a)
    CL = (1.0 - lost) * attached + lost * sin(2.0 * a)
    CD = p.strips[i, 12] + (1.0 - lost) * p.strips[i, 13] * attached * attached
    CD = CD + lost * 2.0 * plate * plate
    scale = 0.5 * p.density[0] * p.strips[i, 9] * speed
    return (n * ahead - c * up) * (scale * CL) - (c * ahead + n * up) * (scale * CD)
