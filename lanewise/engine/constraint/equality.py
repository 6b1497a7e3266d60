"""Equality constraints: two bodies connected or welded, two joints or tendons coupled.

A connect holds two points together, one of each body, with the residual

    (1)  p1 - p2, in W.

A body moves its point at p_C from C's origin with v + w x p_C, where (w, v) = cdof_i per unit of
qvel_i: a column of J is that of the first body less that of the second. The bias Jdot qvel is the
difference of the points' accelerations at constant qvel, each

    (2)  a + alpha x p_C + w x (v + w x p_C),   (alpha, a) the rate of cvel, (w, v) = cvel.

A weld also holds two orientations together, q1 and q2 in the world, by the vector part of the
quaternion that leads from one to the other, times a scale of torque:

    (3)  scale vec(conj(q2) q1).

With dq/dt = 1/2 w q for w in W, that moves by

    (4)  d/dt conj(q2) q1 = 1/2 conj(q2) (w1 - w2) q1,

which gives the rotational rows of the Jacobian. Its own rate at constant qvel, by the product rule,
is their bias:

    (5)  1/2 (conj(q2)' w q1 + conj(q2) w' q1 + conj(q2) w q1'),   w = w1 - w2, ' for d/dt.

Points and orientations are given in bodies, or are those of sites.

Joints and tendons are coupled by a polynomial of the second's displacement x from its reference:

    (6)  y - y0 - (c0 + c1 x + c2 x^2 + c3 x^3 + c4 x^4),   row J_y - slope J_x.
"""

from ...lanes import any_lane, concat, kernel, splat, vec, where
from ...mjconst import (
    DSBL_EQUALITY,
    EQ_CONNECT,
    EQ_JOINT,
    EQ_WELD,
    JAC_AUTO,
    JAC_SPARSE,
    OBJ_SITE,
)
from ..smooth.com import velocity_at
from ..smooth.tendon import bias_motion
from ..spatial import cross, mat_vec, mul_quat, neg_quat, zeros3

SPARSE_FROM = 60  # dofs from which MuJoCo's Jacobian is sparse, if that is left to it
FIRST, SECOND = 1, 2  # bits of row_side: which object of an equality has the dof
RELPOSE, TORQUESCALE = 6, 10  # in eq_data of a weld: relative quaternion, scale of torque


@kernel
def equality_rows(m, d):
    """(poses, cdof, qpos, ten_*, eq_active) => rows of equalities; returns how many, by lane"""
    number = splat(0.0)
    if m.opt.disableflags & DSBL_EQUALITY:
        return number
    for i in range(m.neq):
        on = d.eq_active[i] != 0.0
        r = m.eq_rowadr[i]
        if not any_lane(on) or m.row_rownnz[r] == 0:
            continue
        # Jacobian and residual
        if m.eq_type[i] <= EQ_WELD:
            rows = 3 if m.eq_type[i] == EQ_CONNECT else 6
            anchored_rows(m, d, i)
        else:
            rows = 1
            coupled_row(m, d, i)
        # the rows that a world has
        on = on & is_there(m, d, r, rows)
        for s in range(r, r + rows):
            enter_row(d, s, on)
        number = number + where(on, rows * 1.0, 0.0)
    return number


@kernel
def enter_row(d, r, on):
    """Enter a static row in the list of those that some world has."""
    d.row_on[r] = where(on, 1.0, 0.0)
    d.active_row[d.nactive] = r
    d.nactive = d.nactive + 1


@kernel
def is_there(m, d, r, number):
    """Mask: worlds in which rows from r on are not all zero; MuJoCo drops those, if it is dense."""
    size = splat(0.0)
    if m.opt.jacobian == JAC_SPARSE or (m.opt.jacobian == JAC_AUTO and m.nv >= SPARSE_FROM):
        size = splat(1.0)
    else:
        adr = m.row_rowadr[r]
        for e in range(adr, adr + number * m.row_rownnz[r]):
            size = where(d.row_J[e] != 0.0, 1.0, size)
    return size > 0.0


# --------------------------------------------------------------------------------- connect and weld


@kernel(inline=True)
def body_of(m, i, k):
    """Body of the first (k = 0) or second (k = 1) object of a connect or weld."""
    obj = m.eq_obj1id[i] if k == 0 else m.eq_obj2id[i]
    return m.site_bodyid[obj] if m.eq_objtype[i] == OBJ_SITE else obj


@kernel
def anchor(m, d, i, k):
    """The point that a connect or weld holds, as its first (k = 0) or second object has it."""
    obj = m.eq_obj1id[i] if k == 0 else m.eq_obj2id[i]
    if m.eq_objtype[i] == OBJ_SITE:
        return d.site_xpos[obj]
    # a weld has the anchor in its second body before that in its first
    first = 3 * k if m.eq_type[i] == EQ_CONNECT else 3 - 3 * k
    p_BA = vec(m.eq_data[i, first], m.eq_data[i, first + 1], m.eq_data[i, first + 2])
    return d.xpos[obj] + mat_vec(d.xmat[obj], p_BA)


@kernel
def weld_quats(m, d, i):
    """The orientations that a weld holds together, q1 with the relative pose, then conj(q2)"""
    first, second = m.eq_obj1id[i], m.eq_obj2id[i]
    if m.eq_objtype[i] == OBJ_SITE:
        q1 = mul_quat(d.xquat[m.site_bodyid[first]], m.site_quat[first])
        q2 = mul_quat(d.xquat[m.site_bodyid[second]], m.site_quat[second])
    else:
        q_BA = vec(
            m.eq_data[i, RELPOSE],
            m.eq_data[i, RELPOSE + 1],
            m.eq_data[i, RELPOSE + 2],
            m.eq_data[i, RELPOSE + 3],
        )
        q1 = mul_quat(d.xquat[first], q_BA)
        q2 = d.xquat[second]
    return concat(q1, neg_quat(q2))


@kernel
def between(q2_conj, w, q1):
    """vec(conj(q2) w q1)"""
    product = mul_quat(mul_quat(q2_conj, concat(vec(splat(0.0)), w)), q1)
    return product[1:4]


@kernel
def anchored_rows(m, d, i):
    """row_pos and row_J of a connect or weld"""
    b1, b2 = body_of(m, i, 0), body_of(m, i, 1)
    p_W1, p_W2 = anchor(m, d, i, 0), anchor(m, d, i, 1)
    weld = m.eq_type[i] == EQ_WELD
    r = m.eq_rowadr[i]
    adr, n = m.row_rowadr[r], m.row_rownnz[r]
    # residuals (1) and (3)
    store_residual(d, r, p_W1 - p_W2)
    none = vec(0.0, 0.0, 0.0, 0.0) * p_W1[0]
    q1, q2_conj, scale = none, none, splat(0.0)
    if weld:
        pair = weld_quats(m, d, i)
        q1, q2_conj, scale = pair[0:4], pair[4:8], splat(m.eq_data[i, TORQUESCALE])
        turn = mul_quat(q2_conj, q1)
        store_residual(d, r + 3, turn[1:4] * scale)
    # by dof: how it slides the points apart, and turns the orientations by (4)
    p_C1 = p_W1 - d.subtree_com[m.body_rootid[b1]]
    p_C2 = p_W2 - d.subtree_com[m.body_rootid[b2]]
    for e in range(n):
        axis = d.cdof[m.row_colind[adr + e]]
        slide, turn = zeros3(), zeros3()
        if m.row_side[adr + e] & FIRST:
            slide, turn = velocity_at(axis, p_C1), axis[0:3]
        if m.row_side[adr + e] & SECOND:
            slide, turn = slide - velocity_at(axis, p_C2), turn - axis[0:3]
        store_column(d, adr + e, n, slide)
        if weld:
            store_column(d, adr + 3 * n + e, n, between(q2_conj, turn, q1) * (0.5 * scale))


@kernel(inline=True)
def store_residual(d, r, residual):
    """Three rows of a connect or weld"""
    for k in range(3):
        d.row_margin[r + k] = 0.0
        d.row_frictionloss[r + k] = 0.0
    d.row_pos[r] = residual[0]
    d.row_pos[r + 1] = residual[1]
    d.row_pos[r + 2] = residual[2]


@kernel(inline=True)
def store_column(d, e, stride, column):
    """One dof of three rows"""
    d.row_J[e] = column[0]
    d.row_J[e + stride] = column[1]
    d.row_J[e + 2 * stride] = column[2]


@kernel
def equality_bias(m, d, i):
    """Jdot qvel of a connect (the first three numbers) or weld"""
    b1, b2 = body_of(m, i, 0), body_of(m, i, 1)
    V1, V2 = d.cvel[b1], d.cvel[b2]
    A1, A2 = bias_motion(m, d, b1), bias_motion(m, d, b2)
    # (2)
    slide = point_bias(V1, A1, anchor(m, d, i, 0) - d.subtree_com[m.body_rootid[b1]])
    slide = slide - point_bias(V2, A2, anchor(m, d, i, 1) - d.subtree_com[m.body_rootid[b2]])
    if m.eq_type[i] == EQ_CONNECT:
        return concat(slide, zeros3())
    # (5): q1 moves by 1/2 w1 q1, conj(q2) by -1/2 conj(q2) w2
    pair = weld_quats(m, d, i)
    q1, q2_conj, w = pair[0:4], pair[4:8], V1[0:3] - V2[0:3]
    zero = vec(splat(0.0))
    rate1 = mul_quat(concat(zero, V1[0:3]), q1) * 0.5
    rate2 = mul_quat(q2_conj, concat(zero, V2[0:3])) * -0.5
    turn = between(rate2, w, q1) + between(q2_conj, A1[0:3] - A2[0:3], q1)
    turn = turn + between(q2_conj, w, rate1)
    return concat(slide, turn * (0.5 * m.eq_data[i, TORQUESCALE]))


@kernel(inline=True)
def point_bias(V_C, A_C, p_CP):
    """(2): acceleration of a point P when qvel is constant"""
    return velocity_at(A_C, p_CP) + cross(V_C[0:3], velocity_at(V_C, p_CP))


# --------------------------------------------------------------------------------- joint and tendon


@kernel
def coupled_row(m, d, i):
    """row_pos and row_J of two coupled joints or tendons, or of one that is held"""
    r, first, second = m.eq_rowadr[i], m.eq_obj1id[i], m.eq_obj2id[i]
    # residual (6): the polynomial and its slope, by Horner's rule
    c0, c1, c2 = m.eq_data[i, 0], m.eq_data[i, 1], m.eq_data[i, 2]
    c3, c4 = m.eq_data[i, 3], m.eq_data[i, 4]
    curve, slope = splat(0.0), splat(0.0)
    if second >= 0:
        x = displacement(m, d, m.eq_type[i], second)
        cubic = c3 + x * c4
        slope = splat(c3) * 3.0 + x * (4.0 * c4)
        slope = c1 + x * (2.0 * c2 + x * slope)
        curve = x * (c1 + x * (c2 + x * cubic))
    d.row_pos[r] = displacement(m, d, m.eq_type[i], first) - c0 - curve
    d.row_margin[r] = 0.0
    d.row_frictionloss[r] = 0.0
    # Jacobian (6): ones of the joints' dofs, or the rows of the tendons, merged
    by_joints = m.eq_type[i] == EQ_JOINT
    k1 = 0 if by_joints else m.arm_rowadr[first]
    k2 = 0 if by_joints or second < 0 else m.arm_rowadr[second]
    for e in range(m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r]):
        J = splat(0.0)
        if m.row_side[e] & FIRST:
            J = splat(1.0) if by_joints else d.ten_arm[k1]
            k1 += 1
        if m.row_side[e] & SECOND:
            J = J - slope * (splat(1.0) if by_joints else d.ten_arm[k2])
            k2 += 1
        d.row_J[e] = J


@kernel
def displacement(m, d, kind, i):
    """Of a joint or tendon, from where it is at qpos0"""
    if kind == EQ_JOINT:
        return d.qpos[m.jnt_qposadr[i]] - m.qpos0[m.jnt_qposadr[i]]
    return d.ten_length[i] - m.tendon_length0[i]
