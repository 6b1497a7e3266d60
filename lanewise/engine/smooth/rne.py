"""Recursive Newton-Euler: the force it takes to move with these velocities, unaccelerated.

All about C, with V, A, I and F a body's motion, acceleration, spatial inertia and force, and x and
x* the rates of a motion and of a force that are carried along. Outwards, a body's acceleration is
its parent's plus the rate of its axes; the world accelerates against gravity,

    (1)  A = A_parent + sum of cdof_dot_i qvel_i,   A_world = (0, -g).

Newton and Euler, in one:

    (2)  F = d/dt (I V) = I A + V x* I V.

Inwards, a body passes its force to its parent, and a dof bears what its axis feels of the sum:

    (3)  qfrc_bias_i = cdof_i . (sum of F over the subtree of the body of i).
"""

from ...lanes import kernel, vec
from ...mjconst import DSBL_GRAVITY
from ..spatial import cross_force, dot6, mul_inertia, zeros6


@kernel
def rne(m, d):
    """(cdof, cdof_dot, cvel, cinert, qvel) => qfrc_bias"""
    if m.opt.disableflags & DSBL_GRAVITY:
        d.body_acc[0] = zeros6()
    else:
        g = m.opt.gravity
        d.body_acc[0] = vec(0.0, 0.0, 0.0, -g[0], -g[1], -g[2])
    # outwards: (1) and (2)
    for b in range(1, m.nbody):
        a = d.body_acc[m.body_parentid[b]]
        first = m.body_dofadr[b]
        for i in range(first, first + m.body_dofnum[b]):
            a = a + d.cdof_dot[i] * d.qvel[i]
        d.body_acc[b] = a
        v, inertia = d.cvel[b], d.cinert[b]
        d.body_force[b] = mul_inertia(inertia, a) + cross_force(v, mul_inertia(inertia, v))
    # inwards: (3)
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            d.body_force[p] = d.body_force[p] + d.body_force[b]
    for i in range(m.nv):
        d.qfrc_bias[i] = dot6(d.cdof[i], d.body_force[m.dof_bodyid[i]])
