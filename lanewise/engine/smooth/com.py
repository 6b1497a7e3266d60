"""Quantities about the centre of mass, and their rates.

Spatial quantities of a kinematic tree are expressed in C: the axes of the world, with the origin at
the tree's centre of mass. That keeps numbers small far from the world's origin, and makes the
inertias and motion axes of all bodies of a tree addable as they are.

A body with mass m, principal moments I in the axes R = R_WI, and its centre of mass at r = p_CBcm
has the spatial inertia

    (1)  R diag(I) R' + m (r'r 1 - r r'),   m r,   m.

A dof moves everything beyond it by cdof, an angular and a linear velocity per unit of qvel. The
linear one is that of the point at C's origin, as if it were part of the body:

    (2)  cdof = (0, axis) of a slide,   (axis, axis x p_JC) of a rotation about an anchor J.

Motions add up along the chain, and an axis moves with the motion V of what carries it:

    (3)  cvel = sum of cdof_i qvel_i from the root to the body
    (4)  cdof_dot_i = V x cdof_i

The momentum of a subtree about its own centre of mass S is gathered from the leaves. A part with
mass m, its centre of mass at r from S, moving there with v relative to S, and with the angular
momentum L about its own centre of mass, contributes

    (5)  L + r x m v.
"""

from ...lanes import concat, kernel, splat, vec, where
from ...mjconst import JNT_BALL, JNT_FREE, JNT_SLIDE, MINVAL
from ..spatial import cross, cross_motion, zeros3, zeros6


@kernel
def com_pos(m, d):
    """(xipos, ximat, xanchor, xaxis, xmat) => (subtree_com, cinert, cdof)"""
    com_axes(m, d)
    # inertias; the world has none
    z = splat(0.0)
    d.cinert[0] = vec(z, z, z, z, z, z, z, z, z, z)
    for b in range(1, m.nbody):
        p_CBcm = d.xipos[b] - d.subtree_com[m.body_rootid[b]]
        d.cinert[b] = inertia_about_com(m.body_mass[b], m.body_inertia[b], d.ximat[b], p_CBcm)


@kernel
def com_axes(m, d):
    """(xipos, xanchor, xaxis, xmat) => (subtree_com, cdof): `com_pos` without inertias"""
    subtree_com(m, d)
    for j in range(m.njnt):
        motion_axes(m, d, j)


@kernel
def subtree_com(m, d):
    """(xipos) => subtree_com; a subtree without mass has it at its body's own"""
    # mass times centre of mass, summed towards the root
    for b in range(m.nbody):
        d.subtree_com[b] = d.xipos[b] * m.body_mass[b]
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        d.subtree_com[p] = d.subtree_com[p] + d.subtree_com[b]
    # divided by the mass of the subtree
    for b in range(m.nbody):
        mass = m.body_subtreemass[b]
        massless = mass < MINVAL
        com = d.subtree_com[b] * (1.0 / where(massless, 1.0, mass))
        d.subtree_com[b] = where(massless, d.xipos[b], com)


@kernel(inline=True)
def inertia_about_com(mass, moments, R, r):
    """(1): spatial inertia of a body with axes R = R_WI and its centre of mass at r = p_CBcm."""
    # rows of R diag(moments)
    a = vec(R[0] * moments[0], R[1] * moments[1], R[2] * moments[2])
    b = vec(R[3] * moments[0], R[4] * moments[1], R[5] * moments[2])
    c = vec(R[6] * moments[0], R[7] * moments[1], R[8] * moments[2])
    h = r * mass
    return vec(
        a[0] * R[0] + a[1] * R[1] + a[2] * R[2] + h[1] * r[1] + h[2] * r[2],
        b[0] * R[3] + b[1] * R[4] + b[2] * R[5] + h[0] * r[0] + h[2] * r[2],
        c[0] * R[6] + c[1] * R[7] + c[2] * R[8] + h[0] * r[0] + h[1] * r[1],
        a[0] * R[3] + a[1] * R[4] + a[2] * R[5] - h[0] * r[1],
        a[0] * R[6] + a[1] * R[7] + a[2] * R[8] - h[0] * r[2],
        b[0] * R[6] + b[1] * R[7] + b[2] * R[8] - h[1] * r[2],
        h[0], h[1], h[2], mass,
    )  # fmt: skip


@kernel(inline=True)
def motion_axes(m, d, j):
    """(2): cdof of a joint's dofs"""
    i, b, kind = m.jnt_dofadr[j], m.jnt_bodyid[j], m.jnt_type[j]
    if kind == JNT_SLIDE:
        d.cdof[i] = concat(zeros3(), d.xaxis[j])
        return
    p_JC = d.subtree_com[m.body_rootid[b]] - d.xanchor[j]
    # a free joint first slides along the axes of the world
    if kind == JNT_FREE:
        d.cdof[i] = vec(0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
        d.cdof[i + 1] = vec(0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
        d.cdof[i + 2] = vec(0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
        i += 3
    # free and ball joints turn about the body's own axes, the columns of R_WB
    if kind <= JNT_BALL:
        for k in range(3):
            axis = vec(d.xmat[b, k], d.xmat[b, k + 3], d.xmat[b, k + 6])
            d.cdof[i + k] = concat(axis, cross(axis, p_JC))
    else:
        axis = d.xaxis[j]
        d.cdof[i] = concat(axis, cross(axis, p_JC))


@kernel
def com_vel(m, d):
    """(cdof, qvel) => (cvel, cdof_dot): (3) and (4), from the root to the leaves"""
    d.cvel[0] = zeros6()
    for b in range(1, m.nbody):
        V_C = d.cvel[m.body_parentid[b]]
        first = m.body_jntadr[b]
        for j in range(first, first + m.body_jntnum[b]):
            i, kind = m.jnt_dofadr[j], m.jnt_type[j]
            if kind == JNT_FREE:
                for k in range(i, i + 3):  # axes fixed in the world
                    d.cdof_dot[k] = zeros6()
                    V_C = V_C + d.cdof[k] * d.qvel[k]
                i += 3
            carrier = V_C  # what carries the axes of this joint: everything before it
            for k in range(i, i + (3 if kind <= JNT_BALL else 1)):
                d.cdof_dot[k] = cross_motion(carrier, d.cdof[k])
                V_C = V_C + d.cdof[k] * d.qvel[k]
        d.cvel[b] = V_C


@kernel
def subtree_vel(m, d):
    """(cvel, xipos, ximat, subtree_com) => (subtree_linvel, subtree_angmom)"""
    # each body by itself: momentum, and angular momentum R diag(moments) R' w about Bcm
    for b in range(m.nbody):
        v_WBcm_W = velocity_at(d.cvel[b], d.xipos[b] - d.subtree_com[m.body_rootid[b]])
        R, moments = d.ximat[b], m.body_inertia[b]
        w = d.cvel[b][0:3]
        L_I = vec(
            moments[0] * (R[0] * w[0] + R[3] * w[1] + R[6] * w[2]),
            moments[1] * (R[1] * w[0] + R[4] * w[1] + R[7] * w[2]),
            moments[2] * (R[2] * w[0] + R[5] * w[1] + R[8] * w[2]),
        )
        d.subtree_linvel[b] = v_WBcm_W * m.body_mass[b]
        d.subtree_angmom[b] = vec(
            R[0] * L_I[0] + R[1] * L_I[1] + R[2] * L_I[2],
            R[3] * L_I[0] + R[4] * L_I[1] + R[5] * L_I[2],
            R[6] * L_I[0] + R[7] * L_I[1] + R[8] * L_I[2],
        )
        d.body_force[b] = concat(v_WBcm_W, d.subtree_linvel[b])  # kept for below
    # momentum of subtrees, divided by their mass as soon as all children are in
    for b in range(m.nbody - 1, -1, -1):
        if b > 0:
            p = m.body_parentid[b]
            d.subtree_linvel[p] = d.subtree_linvel[p] + d.subtree_linvel[b]
        mass = m.body_subtreemass[b]
        d.subtree_linvel[b] = d.subtree_linvel[b] * (1.0 / where(mass < MINVAL, MINVAL, mass))
    # angular momentum of subtrees, by (5) twice
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        # the body's momentum about its subtree's centre of mass
        r = d.xipos[b] - d.subtree_com[b]
        dv = d.body_force[b][0:3] - d.subtree_linvel[b]
        d.subtree_angmom[b] = d.subtree_angmom[b] + cross(r, dv * m.body_mass[b])
        # the subtree's momentum about the parent's subtree's centre of mass
        r = d.subtree_com[b] - d.subtree_com[p]
        dv = d.subtree_linvel[b] - d.subtree_linvel[p]
        d.subtree_angmom[p] = (
            d.subtree_angmom[p] + d.subtree_angmom[b] + cross(r, dv * m.body_subtreemass[b])
        )


@kernel(inline=True)
def velocity_at(V_C, p_CP):
    """Linear velocity of the point P of a body that moves with V_C."""
    return V_C[3:6] + cross(V_C[0:3], p_CP)
