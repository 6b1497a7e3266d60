"""Potential energy of gravity and springs, and kinetic energy.

potential  -sum of mass gravity . p_WBcm, plus for each spring the integral of k(x) x (passive.py)
kinetic    qvel . M qvel / 2
"""

from ...lanes import kernel, load3, load4, splat, vec
from ...mjconst import DSBL_GRAVITY, DSBL_SPRING, JNT_BALL, JNT_FREE
from ..smooth.inertia import mul_m
from ..spatial import dot3, norm3, sub_quat
from .passive import ball_reference, has_terms, joint_reference, tendon_stretch


@kernel
def energy_pos(m, d):
    """(xipos, qpos, ten_length) => energy[0], potential"""
    E = splat(0.0)
    # gravity
    if not m.opt.disableflags & DSBL_GRAVITY:
        for b in range(1, m.nbody):
            E = E - dot3(m.opt.gravity, d.xipos[b]) * m.body_mass[b]
    # springs of joints and tendons
    if not m.opt.disableflags & DSBL_SPRING:
        for j in range(m.njnt):
            if has_terms(m.jnt_stiffness[j], m.jnt_stiffnesspoly[j]):
                E = E + joint_spring_energy(m, d, j)
        for t in range(m.ntendon):
            k, poly = m.tendon_stiffness[t], m.tendon_stiffnesspoly[t]
            if has_terms(k, poly):
                E = E + spring_energy(tendon_stretch(m, d, t, d.ten_length[t]), k, poly)
    d.energy = vec(E, d.energy[1])


@kernel
def energy_vel(m, d):
    """(M, qvel) => energy[1], kinetic: v' M v / 2"""
    mul_m(m, d, d.qvel, d.dof_work)
    E = splat(0.0)
    for i in range(m.nv):
        E = E + d.qvel[i] * d.dof_work[i]
    d.energy = vec(d.energy[0], 0.5 * E)


@kernel
def joint_spring_energy(m, d, j):
    """Energy in the spring of a joint; a free joint's is the sum for translation and rotation"""
    k, poly = m.jnt_stiffness[j], m.jnt_stiffnesspoly[j]
    q, kind = m.jnt_qposadr[j], m.jnt_type[j]
    if kind > JNT_BALL:
        return spring_energy(d.qpos[q] - joint_reference(m, d, j, q), k, poly)
    E = splat(0.0)
    if kind == JNT_FREE:
        E = spring_energy(norm3(load3(d.qpos, q) - load3(m.qpos_spring, q)), k, poly)
        q += 3
    # not normalized first: a zero quaternion stores no energy
    turn = sub_quat(load4(d.qpos, q), ball_reference(m, d, j, q))
    return E + spring_energy(norm3(turn), k, poly)


@kernel(inline=True)
def spring_energy(x, k, poly):
    """Integral of k x + p0 x^2 + p1 x^3."""
    return x * x * (0.5 * k + x * (poly[0] / 3.0 + x * (poly[1] * 0.25)))
