"""Derivatives of the smooth forces by velocity, on the sparsity pattern of the kinematic tree.

    (1)  qDeriv = d (qfrc_actuator + qfrc_passive - qfrc_bias) / d qvel

An actuator or a tendon acts along a row J of a Jacobian, and adds

    (2)  J' b J,   b its slope, d force / d velocity;

a joint's damper adds to the diagonal. Pairs of dofs that are not on one chain to the root are
outside of the pattern and dropped. The forces of bodies are taken for whole subtrees at once. In C,
axes of the world about one point of the tree, the motion axes S of all dofs and the forces on all
bodies add up as they are. A unit of qvel_j changes the velocity of every body k that dof j moves by
S_j, and its acceleration by

    (3)  w_j - v_k x S_j,     w_j = v_before x S_j + v_after x S_j,

before and after meaning the two sides of j's joint. So its force I a + v x* I v changes by

    (4)  I_k w_j + G_k S_j,   G_k = v_k x* I_k - I_k v_k x + (how S_j turns the momentum I_k v_k).

Of the 36 numbers of G only two blocks are not zero: the rotational one, a symmetric matrix Y (the
rate of the rotational inertia) less [angular momentum]x, and below it -2 [momentum]x. Summed over
the subtree of the deeper of two dofs, with crb for I, they give the pair's derivative in a few dot
products:

    (5)  d bias_i / d qvel_j = S_i . (G S_j + I w_j).

The bias of tendon armature, constraint forces and springs have no part in qDeriv.
"""

from ...lanes import any_lane, concat, kernel, load3, vec
from ...mjconst import DSBL_ACTUATION, DSBL_DAMPER, DSBL_SPRING, JNT_BALL, JNT_FREE
from ..forces.actuation import is_disabled
from ..spatial import (
    column,
    cross,
    cross_motion,
    dot3,
    dot6,
    mat_t_vec,
    mat_vec,
    mul_inertia,
    zeros3,
)
from ..user import user_passive_slope
from .fluid_derivative import ALL_TERMS, add_fluid, fluid_vel
from .lu import upper
from .slopes import actuator_slopes, dof_damping_slope, tendon_damping_slope

WITHOUT_BIAS, WITH_BIAS = 0, 1  # whether qDeriv has the derivatives of the bias force


@kernel
def smooth_vel(m, d, with_bias):
    """(velocity and actuation stages) => qDeriv; its bias force only WITH_BIAS"""
    for k in range(m.nD):
        d.qDeriv[k] = 0.0
    actuator_vel(m, d)
    passive_vel(m, d)
    if with_bias:
        bias_vel(m, d)


@kernel
def actuator_vel(m, d):
    """qDeriv += d qfrc_actuator / d qvel"""
    if m.opt.disableflags & DSBL_ACTUATION:
        return
    for i in range(m.nactuator):
        if is_disabled(m, i):
            continue
        _, slope = actuator_slopes(m, d, i)
        if any_lane(slope != 0.0):
            for o in range(m.actuator_outadr[i], m.actuator_outadr[i] + m.actuator_outnum[i]):
                add_outer(m, d, m.trn_rownnz, m.trn_rowadr, m.trn_colind, d.trn_J, o, slope)


@kernel
def passive_vel(m, d):
    """qDeriv += d qfrc_passive / d qvel"""
    if m.opt.disableflags & DSBL_SPRING and m.opt.disableflags & DSBL_DAMPER:
        return
    user_passive_slope(m, d)
    if any_lane((m.opt.viscosity > 0.0) | (m.opt.density > 0.0)):
        fluid_vel(m, d, ALL_TERMS)
        add_fluid(m, d)
    if m.opt.disableflags & DSBL_DAMPER:
        return
    for i in range(m.nv):
        k = upper(m, i, i)
        d.qDeriv[k] = d.qDeriv[k] - dof_damping_slope(m, d, i)
    for t in range(m.ntendon):
        slope = tendon_damping_slope(m, d, t)
        if any_lane(slope != 0.0):
            add_outer(m, d, m.arm_rownnz, m.arm_rowadr, m.arm_colind, d.ten_arm, t, -slope)


@kernel
def add_outer(m, d, rownnz, rowadr, colind, J, row, b):
    """qDeriv += (2) for one row of a sparse Jacobian, as far as its dofs are on one chain"""
    # number j of dof i's row is an ancestor of i if it stands where that ancestor would
    adr = rowadr[row]
    for p in range(rownnz[row]):
        i = colind[adr + p]
        depth = m.D_diag[i]
        k = m.D_rowadr[i] + depth
        bJ = b * J[adr + p]
        d.qDeriv[k] = d.qDeriv[k] + bJ * J[adr + p]
        for q in range(p):
            j = colind[adr + q]
            k = m.D_rowadr[i] + m.D_diag[j]
            if m.D_diag[j] < depth and m.D_colind[k] == j:
                x = bJ * J[adr + q]
                d.qDeriv[k] = d.qDeriv[k] + x
                k = upper(m, j, i)
                d.qDeriv[k] = d.qDeriv[k] + x


@kernel
def bias_vel(m, d):
    """qDeriv -= (5)"""
    # G of each body with all below it, as Y, L and P
    for b in range(1, m.nbody):
        d.body_rate[b] = momentum_rate(d.cinert[b], d.cvel[b])
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            d.body_rate[p] = d.body_rate[p] + d.body_rate[b]
    # w of each dof
    for i in range(m.nv):
        d.dof_rate[i] = axis_rate(m, d, i)
    for i in range(m.nv):
        # i is the deeper dof: S_i' G and S_i' I, for columns j; G S_i + I w_i, for rows j
        S, rate = d.cdof[i], d.body_rate[m.dof_bodyid[i]]
        inertia = d.crb[m.dof_bodyid[i]]
        a, u = S[0:3], S[3:6]
        L, P = rate[6:9], rate[9:12]
        Ya = vec(
            rate[0] * a[0] + rate[3] * a[1] + rate[4] * a[2],
            rate[3] * a[0] + rate[1] * a[1] + rate[5] * a[2],
            rate[4] * a[0] + rate[5] * a[1] + rate[2] * a[2],
        )
        La = cross(L, a)
        momentum = mul_inertia(inertia, S)
        row = Ya + La + 2.0 * cross(P, u)
        col = concat(Ya - La, -2.0 * cross(P, a)) + mul_inertia(inertia, d.dof_rate[i])
        # (5) with every ancestor j, and (j, i) above the diagonal
        adr = m.D_rowadr[i]
        for k in range(m.D_diag[i] + 1):
            j = m.D_colind[adr + k]
            Sj = d.cdof[j]
            work = dot3(row, Sj[0:3]) + dot6(momentum, d.dof_rate[j])
            d.qDeriv[adr + k] = d.qDeriv[adr + k] - work
            if j < i:
                ji = upper(m, j, i)
                d.qDeriv[ji] = d.qDeriv[ji] - dot6(col, Sj)


@kernel(inline=True)
def momentum_rate(inertia, v):
    """Y (xx yy zz xy xz yz), angular momentum L and momentum P of a body: its share of G"""
    w, u, h = v[0:3], v[3:6], inertia[6:9]
    xx, yy, zz, xy, xz, yz = inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]
    momentum = mul_inertia(inertia, v)
    Y = vec(
        2.0 * (w[1] * xz - w[2] * xy + h[1] * u[1] + h[2] * u[2]),
        2.0 * (w[2] * xy - w[0] * yz + h[0] * u[0] + h[2] * u[2]),
        2.0 * (w[0] * yz - w[1] * xz + h[0] * u[0] + h[1] * u[1]),
        w[1] * yz - w[2] * yy + w[2] * xx - w[0] * xz - h[0] * u[1] - h[1] * u[0],
        w[1] * zz - w[2] * yz + w[0] * xy - w[1] * xx - h[0] * u[2] - h[2] * u[0],
        w[2] * xz - w[0] * zz + w[0] * yy - w[1] * xy - h[1] * u[2] - h[2] * u[1],
    )
    return concat(Y, momentum)


@kernel(inline=True)
def axis_rate(m, d, i):
    """w of (3), v_before x S + v_after x S: cdof_dot twice, and a ball's own part"""
    rate = 2.0 * d.cdof_dot[i]
    j = m.dof_jntid[i]
    first = m.jnt_dofadr[j] + (3 if m.jnt_type[j] == JNT_FREE else 0)
    if m.jnt_type[j] <= JNT_BALL and i >= first:
        v = d.cdof[first] * d.qvel[first]
        v = v + d.cdof[first + 1] * d.qvel[first + 1] + d.cdof[first + 2] * d.qvel[first + 2]
        rate = rate + cross_motion(v, d.cdof[i])
    return rate


# ------------------------------------------------------------------------------------- free bodies


@kernel(inline=True)
def is_free_body(m, j):
    """Whether joint j is a free joint that moves its tree as one rigid body."""
    return m.jnt_type[j] == JNT_FREE and m.tree_dofnum[m.dof_treeid[m.jnt_dofadr[j]]] == 6


@kernel
def free_bias(m, d, j):
    """Row 0 of body_mat, a 6x6 matrix, += h d qfrc_bias / d qvel of a free rigid body.

    With r from its origin to its centre of mass, the bias is f = mass w x (w x r), and in its axes
    the torque w x I w + r x f. The centre is subtree_com, as in MuJoCo, also where an edit of
    body_mass has left body_subtreemass behind.
    """
    b, adr = m.jnt_bodyid[j], m.jnt_dofadr[j]
    h, R, inertia = m.opt.timestep, d.xmat[b], d.crb[b]
    w, r = mat_vec(R, load3(d.qvel, adr + 3)), d.subtree_com[b] - d.xpos[b]
    momentum = mul_inertia(inertia, concat(w, zeros3()))[0:3]
    for k in range(3):
        axis = column(R, k)
        change = mul_inertia(inertia, concat(axis, zeros3()))[0:3]
        f = (cross(axis, cross(w, r)) + cross(w, cross(axis, r))) * inertia[9]
        torque = mat_t_vec(R, cross(axis, momentum) + cross(w, change) + cross(r, f))
        add_to(d, k + 3, h * f[0])
        add_to(d, k + 9, h * f[1])
        add_to(d, k + 15, h * f[2])
        add_to(d, k + 21, h * torque[0])
        add_to(d, k + 27, h * torque[1])
        add_to(d, k + 33, h * torque[2])


@kernel(inline=True)
def add_to(d, k, x):
    """Number k in row 0 of body_mat += x"""
    d.body_mat[0, k] = d.body_mat[0, k] + x


@kernel
def add_inertia(m, d, adr, matrix):
    """6x6 matrix in row 0 of body_mat += the block of a symmetric matrix in the structure of M."""
    for r in range(6):
        first = m.M_rowadr[adr + r]
        for k in range(first, first + m.M_rownnz[adr + r]):
            c = m.M_colind[k] - adr
            d.body_mat[0, 6 * r + c] = d.body_mat[0, 6 * r + c] + matrix[k]
            if c < r:
                d.body_mat[0, 6 * c + r] = d.body_mat[0, 6 * c + r] + matrix[k]
