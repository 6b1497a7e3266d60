"""Transmission: how long an actuator is, and its moment arms, the gradient of that length by qpos.

A force f along an actuator acts on the dofs as moment' f, and its length changes at the rate moment
qvel. For a joint the arms are the gear itself; for a tendon, the tendon's Jacobian. At a site the
gear is a force and a torque that the actuator would exert per unit of f. Written as a 6-vector
about C that wrench gives every arm by one product, as it would in the principle of virtual work,

    (1)  arm_i = cdof_i . F_C_W;

the reaction at the reference site is another wrench, -F about C of its own tree.

A slider-crank has the same form. With v from the slider's site to the crank's, a the slider's axis
and s the rod's length, the slider stands at the place l on its axis with |v - l a| = s:

    (2)  l = a.v - sqrt(s^2 - v.v + (a.v)^2)
    (3)  dl/dv = a (1 - a.v / root) + v / root,   dl/da = v (1 - a.v / root),

root being that square root. The force is dl/dv at the crank, with its reaction at the slider, where
the turning axis, da = w x a, adds the torque a x dl/da.

An adhesive body pulls at its contacts, by the mean of their normal Jacobians.

Arms are kept as d.trn_J in the fixed structure of m.trn_colind; see
loaders/structure_actuation.py. The engine uses these; MuJoCo's arrays, which have other zeros, are
made of them last.
"""

from ...lanes import (  # fmt: skip
    W,
    abs_,
    all_lanes,
    any_lane,
    atan2,
    concat,
    kernel,
    lane_item,
    lane_mask,
    load4,
    not_,
    splat,
    sqrt,
    store3,
    to_lane,
    vec,
    where,
)
from ...mjconst import (
    DSBL_ACTUATION,
    EXCLUDE_GAP,
    JNT_BALL,
    JNT_FREE,
    MINVAL,
    PI,
    TRN_BODY,
    TRN_JOINT,
    TRN_JOINTINPARENT,
    TRN_SLIDERCRANK,
    TRN_SO3,
    TRN_TENDON,
)  # fmt: skip
from ..spatial import (
    column,
    cross,
    dot3,
    dot6,
    mat_t_vec,
    mat_vec,
    mul_quat,
    neg_quat,
    normalize4,
    rot_vec_quat,
    zeros3,
)  # fmt: skip
from .contact_jacobian import add_contact_force

AT_SITE = 1  # in trn_side: the dof moves the site, not the reference


@kernel
def transmission(m, d):
    """(qpos, site_x*, cdof, ten_*, contact) => (actuator_length, trn_J, *moment*)"""
    # by what each actuator is attached to
    for i in range(m.nactuator):
        o, kind = m.actuator_outadr[i], m.actuator_trntype[i]
        target, reference = m.actuator_trnid[i, 0], m.actuator_trnid[i, 1]
        if kind == TRN_JOINT or kind == TRN_JOINTINPARENT or (kind == TRN_SO3 and reference < 0):
            joint_transmission(m, d, o, kind, target)
        elif kind == TRN_SLIDERCRANK:
            slidercrank(m, d, o, target, reference, m.actuator_cranklength[i])
        elif kind == TRN_TENDON:
            gear = m.actuator_gear[o, 0]
            d.actuator_length[o] = d.ten_length[target] * gear
            for e in range(m.trn_rownnz[o]):
                d.trn_J[m.trn_rowadr[o] + e] = d.ten_arm[m.arm_rowadr[target] + e] * gear
        elif kind == TRN_BODY:
            body_transmission(m, d, o, target)
        elif kind == TRN_SO3:
            relative_orientation(m, d, o, target, reference)
        else:
            site_transmission(m, d, o, target, reference)
    if d.want_moments:
        pack_moment(m, d)


@kernel
def joint_transmission(m, d, o, kind, j):
    """The gear is the moment arm; on ball and free joints in the child's or parent's axes."""
    e, q, jnt = m.trn_rowadr[o], m.jnt_qposadr[j], m.jnt_type[j]
    gear = m.actuator_gear[o]
    # slide and hinge: one number
    if jnt != JNT_BALL and jnt != JNT_FREE:
        d.actuator_length[o] = d.qpos[q] * gear[0]
        d.trn_J[e] = gear[0]
        return
    # the translation of a free joint, which has no length
    if jnt == JNT_FREE:
        d.actuator_length[o] = 0.0
        store3(d.trn_J, e, gear[0:3])
        e += 3
        q += 3
        axis = gear[3:6]
    else:
        axis = gear[0:3]
    # the rotation, whose dofs are in the child's axes
    q_PB = normalize4(load4(d.qpos, q))
    if kind == TRN_SO3:
        store3(d.actuator_length, o, rotation_vector(q_PB))
        store3(d.trn_J, e, vec(1.0, 1.0, 1.0))
        return
    arm = zeros3() + axis
    if kind == TRN_JOINTINPARENT:
        arm = rot_vec_quat(arm, neg_quat(q_PB))
    store3(d.trn_J, e, arm)
    if jnt == JNT_BALL:
        d.actuator_length[o] = dot3(rotation_vector(q_PB), arm)


@kernel
def slidercrank(m, d, o, crank, slider, rod):
    """A rod from a crank's pin to a slider on its axis"""
    axis = column(d.site_xmat[slider], 2)
    v = d.site_xpos[crank] - d.site_xpos[slider]
    # (2)
    along = dot3(v, axis)
    square = along * along + rod * rod - dot3(v, v)
    reaches = square > 0.0  # else the rod is too short: the nearest point of the axis
    root = sqrt(where(reaches, square, 1.0))
    lever = where(reaches, 1.0 - along / root, 1.0)
    gear = m.actuator_gear[o, 0]
    d.actuator_length[o] = (along - where(reaches, root, 0.0)) * gear
    # (3)
    dl_dv = (axis * lever + v * where(reaches, 1.0 / root, 0.0)) * gear
    turning = cross(axis, v * (lever * gear))
    F_C_W = site_wrench(m, d, crank, zeros3(), dl_dv)
    reaction = site_wrench(m, d, slider, turning, -dl_dv)
    moment_arms(m, d, o, F_C_W, reaction)


@kernel
def site_transmission(m, d, o, site, reference):
    """The gear as force and torque at a site, in its own axes or those of a reference site."""
    gear = m.actuator_gear[o]
    axes = site if reference < 0 else reference
    R_WA = d.site_xmat[axes]
    f_S_W = mat_vec(R_WA, gear[0:3])
    t_W = mat_vec(R_WA, gear[3:6])
    F_C_W = site_wrench(m, d, site, t_W, f_S_W)
    # only a reference gives a length: the pose of the site in it, by the gear
    length = splat(0.0)
    reaction = F_C_W
    if reference >= 0:
        reaction = site_wrench(m, d, reference, -t_W, -f_S_W)
        p_AS_W = d.site_xpos[site] - d.site_xpos[reference]
        length = length + dot3(mat_t_vec(R_WA, p_AS_W), gear[0:3])
        if any_lane((abs_(gear[3]) + abs_(gear[4]) + abs_(gear[5])) != 0.0):
            turned = difference(d.site_xquat[site], d.site_xquat[reference])
            length = length + dot3(turned, gear[3:6])
    d.actuator_length[o] = length
    moment_arms(m, d, o, F_C_W, reaction)


@kernel
def body_transmission(m, d, o, body):
    """Pull at a body's contacts along their normals, shared equally; those in the gap count too"""
    # the sum of their normal Jacobians in dof_work, and how many there are
    for i in range(m.nv):
        d.dof_work[i] = 0.0
    number, one, zero = splat(0.0), splat(1.0), splat(0.0)
    normal = vec(one, zero, zero, zero, zero, zero)
    for k in range(d.ncon_most):
        on = (d.ncon > k) & (d.contact.exclude[k] <= EXCLUDE_GAP)
        on = on & ((d.con_body1[k] == body) | (d.con_body2[k] == body))
        if any_lane(on):
            add_contact_force(m, d, k, normal, on, d.dof_work)
            number = number + where(on, 1.0, 0.0)
    # their mean, with the sign of a pull
    share = -1.0 / where(number > 0.0, number, 1.0)
    d.actuator_length[o] = 0.0
    for e in range(m.trn_rowadr[o], m.trn_rowadr[o] + m.trn_rownnz[o]):
        d.trn_J[e] = d.dof_work[m.trn_colind[e]] * share


@kernel
def relative_orientation(m, d, o, site, reference):
    """Three lengths: the rotation vector from reference to site; arms in the site's axes."""
    store3(d.actuator_length, o, difference(d.site_xquat[site], d.site_xquat[reference]))
    for k in range(3):
        F_C_W = concat(column(d.site_xmat[site], k), zeros3())
        moment_arms(m, d, o + k, F_C_W, -F_C_W)


@kernel
def site_wrench(m, d, site, t_W, f_S_W):
    """F_C_W of a torque, and a force at a site, about C of the site's tree"""
    p_CS = d.site_xpos[site] - d.subtree_com[m.body_rootid[m.site_bodyid[site]]]
    return concat(t_W + cross(p_CS, f_S_W), f_S_W)


@kernel
def moment_arms(m, d, o, F_C_W, reaction):
    """(1) for force output o: F_C_W on the dofs of its site, reaction on the reference's"""
    for e in range(m.trn_rowadr[o], m.trn_rowadr[o] + m.trn_rownnz[o]):
        axis = d.cdof[m.trn_colind[e]]
        d.trn_J[e] = dot6(axis, F_C_W if m.trn_side[e] == AT_SITE else reaction)


@kernel
def rotation_vector(q):
    """Axis times angle of a unit quaternion, the angle in (-pi, pi]."""
    u = q[1:4]
    s = sqrt(dot3(u, u))
    angle = 2.0 * atan2(s, q[0])
    angle = where(angle > PI, angle - 2.0 * PI, angle)
    short = s < MINVAL  # no axis: MuJoCo takes x
    return where(short, vec(angle, 0.0, 0.0), u * (angle / where(short, 1.0, s)))


@kernel
def difference(q_WA, q_WB):
    """The rotation vector that turns frame B into A, in the axes of B."""
    return rotation_vector(mul_quat(neg_quat(q_WB), q_WA))


@kernel
def actuator_velocity(m, d):
    """(trn_J, qvel) => actuator_velocity"""
    on = m.opt.disableflags & DSBL_ACTUATION == 0
    for o in range(m.nout):
        v = splat(0.0)
        if on:
            for e in range(m.trn_rowadr[o], m.trn_rowadr[o] + m.trn_rownnz[o]):
                v = v + d.trn_J[e] * d.qvel[m.trn_colind[e]]
        d.actuator_velocity[o] = v


@kernel
def pack_moment(m, d):
    """(trn_J, ten_J) => (actuator_moment, moment_rownnz, moment_rowadr, moment_colind), as MuJoCo's

    Rows of tendons are those of ten_J. Rows at sites lose their zeros and move together: once
    worlds differ in their zeros, a number has another place in each world.
    """
    # numbers placed so far: k while all worlds have the same zeros, n by world from then on
    k, same, n = 0, True, splat(0.0)
    for i in range(m.nactuator):
        for o in range(m.actuator_outadr[i], m.actuator_outadr[i] + m.actuator_outnum[i]):
            start, first = n, k
            if m.actuator_trntype[i] == TRN_TENDON:
                adr, gear = m.ten_J_rowadr[m.actuator_trnid[i, 0]], m.actuator_gear[o, 0]
                for e in range(adr, adr + m.ten_J_rownnz[m.actuator_trnid[i, 0]]):
                    arm, dof = d.ten_J[e] * gear, m.ten_J_colind[e]
                    start, k, same, n = pack_arm(d, arm, dof, False, first, start, k, same, n)
            else:
                packed = m.trn_packed[o] != 0
                for e in range(m.trn_rowadr[o], m.trn_rowadr[o] + m.trn_rownnz[o]):
                    arm, dof = d.trn_J[e], m.trn_colind[e]
                    start, k, same, n = pack_arm(d, arm, dof, packed, first, start, k, same, n)
            d.moment_rowadr[o] = splat(first) if same else start
            d.moment_rownnz[o] = splat(k - first) if same else n - start


@kernel
def pack_arm(d, arm, dof, packed, first, start, k, same, n):
    """Place one number, if it is kept; (start, k, same, n) of `pack_moment` afterwards"""
    if same and (not packed or all_lanes(arm != 0.0)):
        d.actuator_moment[k] = arm
        d.moment_colind[k] = to_lane(dof)
        k += 1
    elif not packed or any_lane(arm != 0.0):
        if same:  # the first number that some worlds leave out
            start, n, same = splat(first), splat(k), False
        keep = (arm != 0.0) | (not packed)
        place_arm(d, n, keep, arm, to_lane(dof))
        n = n + where(keep, 1.0, 0.0)
    return start, k, same, n


@kernel
def place_arm(d, n, keep, arm, dof):
    """Number n of actuator_moment and moment_colind, n being another number in each world."""
    for w in range(W):
        here = lane_mask(w + 1) & not_(lane_mask(w)) & keep
        if any_lane(here):
            k = int(lane_item(n, w))
            d.actuator_moment[k] = where(here, arm, d.actuator_moment[k])
            d.moment_colind[k] = where(here, dof, d.moment_colind[k])
