"""Recursive Newton-Euler: the force it takes to move with these velocities, unaccelerated."""

from ...lanes import kernel, vec
from ...mjconst import DSBL_GRAVITY
from ..spatial import cross_force, dot6, mul_inertia, zeros6


@kernel
def rne(m, d):
    """(cdof, cdof_dot, cvel, cinert, qvel) => qfrc_bias

    Outwards: a body's acceleration is its parent's plus the rate of its axes; the world accelerates
    against gravity. Its force is I a + v x* I v. Inwards: a body passes its force to its parent.
    """
    if m.opt.disableflags & DSBL_GRAVITY:
        d.body_acc[0] = zeros6()
    else:
        g = m.opt.gravity
        d.body_acc[0] = vec(0.0, 0.0, 0.0, -g[0], -g[1], -g[2])
    for b in range(1, m.nbody):
        a = d.body_acc[m.body_parentid[b]]
        first = m.body_dofadr[b]
        for i in range(first, first + m.body_dofnum[b]):
            a = a + d.cdof_dot[i] * d.qvel[i]
        d.body_acc[b] = a
        v, inertia = d.cvel[b], d.cinert[b]
        d.body_force[b] = mul_inertia(inertia, a) + cross_force(v, mul_inertia(inertia, v))
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            d.body_force[p] = d.body_force[p] + d.body_force[b]
    for i in range(m.nv):
        d.qfrc_bias[i] = dot6(d.cdof[i], d.body_force[m.dof_bodyid[i]])
