"""Passive forces: springs, dampers, gravity compensation, fluid, adhesion.

A spring resists a displacement x with k(x) x and a damper a velocity v with b(v) v, where

    (1)  k(x) = k + p x + q x^2,     b(v) = b + p |v| + q v^2.

On slides, hinges and tendons x is a signed number. The three translations of a free joint, and the
rotation of a free or ball joint, are one displacement each, along the vector from the reference,
with k of its length. Dampers act on each dof by itself. The spring of a tendon is slack between two
lengths.

A spring that yields has its reference in the state (`plastic`). After a step the reference is moved
so far that the displacement is at the yield threshold y at most; what the spring gave way stays:

    (2)  reference += max(x - y, 0) + min(x + y, 0).

Forces on bodies (gravity compensation, fluid) are written as wrenches about C, summed towards the
root, and projected on the dofs once:

    (3)  qfrc_i = cdof_i . (sum of F_C_W over the subtree of the body of i).
"""

from ...lanes import (
    abs_,
    any_lane,
    concat,
    kernel,
    load3,
    load4,
    maximum,
    minimum,
    sincos,
    splat,
    store3,
    store4,
    vec,
    where,
)
from ...mjconst import (
    DSBL_CONTACT,
    DSBL_DAMPER,
    DSBL_GRAVITY,
    DSBL_SPRING,
    EXCLUDE_GAP,
    JNT_BALL,
    JNT_FREE,
    TENDON_FIXED,
)  # fmt: skip
from ..smooth.contact_jacobian import add_contact_force
from ..smooth.reflected import (
    DAMPING,
    DAMPING2,
    DAMPING3,
    NO_ACTUATOR,
    joint_reflected,
    tendon_reflected,
)  # fmt: skip
from ..spatial import cross, dot3, dot6, mul_quat, norm3, normalize4, sub_quat
from ..user import user_passive
from .fluid import fluid


@kernel
def passive(m, d):
    """(qpos, qvel, plastic, ten_*, cvel, poses) => (qfrc_spring, _damper, ..., _passive)"""
    for i in range(m.nv):
        d.qfrc_spring[i] = 0.0
        d.qfrc_damper[i] = 0.0
        d.qfrc_gravcomp[i] = 0.0
        d.qfrc_fluid[i] = 0.0
        d.qfrc_adhesion[i] = 0.0
    springs = m.opt.disableflags & DSBL_SPRING == 0
    dampers = m.opt.disableflags & DSBL_DAMPER == 0
    # joints and dofs
    if springs:
        for j in range(m.njnt):
            joint_spring(m, d, j)
    if dampers:
        for i in range(m.nv):
            d.qfrc_damper[i] = -dof_damping(m, i, d.qvel[i]) * d.qvel[i]
    # tendons
    for t in range(m.ntendon):
        if springs:
            pull_dofs(m, d, t, d.qfrc_spring, tendon_spring(m, d, t))
        if dampers:
            v = d.ten_velocity[t]
            pull_dofs(m, d, t, d.qfrc_damper, -tendon_damping(m, t, v) * v)
    # bodies; MuJoCo has these behind the same two switches
    if springs or dampers:
        gravcomp(m, d)
        if fluid(m, d):
            project_wrenches(m, d, d.qfrc_fluid)
        adhesion(m, d)
    # the sum, without the gravity compensation that actuators provide
    for i in range(m.nv):
        total = d.qfrc_spring[i] + d.qfrc_damper[i] + d.qfrc_fluid[i] + d.qfrc_adhesion[i]
        if not m.jnt_actgravcomp[m.dof_jntid[i]]:
            total = total + d.qfrc_gravcomp[i]
        d.qfrc_passive[i] = total
    if springs or dampers:
        user_passive(m, d)


# --------------------------------------------------------------------------------- springs, dampers


@kernel(inline=True)
def coefficient(k, poly, x):
    """(1)"""
    return k + x * (poly[0] + x * poly[1])


@kernel(inline=True)
def has_terms(k, poly):
    """Whether a spring is there at all, in some world"""
    return any_lane((k != 0.0) | (poly[0] != 0.0) | (poly[1] != 0.0))


@kernel(inline=True)
def joint_spring(m, d, j):
    """qfrc_spring of the dofs of a joint"""
    k, poly = m.jnt_stiffness[j], m.jnt_stiffnesspoly[j]
    if not has_terms(k, poly):
        return
    q, i, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
    # the translation of a free joint, the rotation of a free or ball joint, or one number
    if kind == JNT_FREE:
        x = load3(d.qpos, q) - load3(m.qpos_spring, q)
        store3(d.qfrc_spring, i, x * -coefficient(k, poly, norm3(x)))
        q += 3
        i += 3
    if kind <= JNT_BALL:
        x = ball_displacement(m, d, j, q)
        store3(d.qfrc_spring, i, x * -coefficient(k, poly, norm3(x)))
    else:
        x = d.qpos[q] - joint_reference(m, d, j, q)
        d.qfrc_spring[i] = -coefficient(k, poly, x) * x


@kernel(inline=True)
def joint_reference(m, d, j, q):
    """Where the spring of a slide or hinge rests; q is the joint's place in qpos."""
    adr = m.jnt_plasticadr[j]
    return d.plastic[adr] if adr >= 0 else splat(m.qpos_spring[q])


@kernel
def ball_displacement(m, d, j, q):
    """The rotation vector from the reference of a ball or free joint to its orientation at q."""
    return sub_quat(normalize4(load4(d.qpos, q)), ball_reference(m, d, j, q))


@kernel
def ball_reference(m, d, j, q):
    """The orientation at which the spring of a ball or free joint rests."""
    adr = m.jnt_plasticadr[j]
    return load4(d.plastic, adr) if adr >= 0 else load4(m.qpos_spring, q)


@kernel(inline=True)
def dof_damping(m, i, v):
    """b(v) of a dof, with what actuators add"""
    b, poly = splat(m.dof_damping[i]), m.dof_dampingpoly[i]
    if any_lane((poly[0] != 0.0) | (poly[1] != 0.0)):
        b = coefficient(b, poly, abs_(v))
    j = m.dof_jntid[i]
    if m.jnt_actuatorid[j] != NO_ACTUATOR:
        b = b + reflected_damping(m, j, v)
    return b


@kernel
def reflected_damping(m, j, v):
    """What actuators add to b(v) of a joint's dofs"""
    p, q = joint_reflected(m, j, DAMPING2), joint_reflected(m, j, DAMPING3)
    return coefficient(joint_reflected(m, j, DAMPING), vec(p, q), abs_(v))


@kernel
def tendon_damping(m, t, v):
    """b(v) of a tendon, with what actuators add"""
    b, poly = splat(m.tendon_damping[t]), m.tendon_dampingpoly[t]
    p, q = splat(poly[0]), splat(poly[1])
    if m.tendon_actuatorid[t] != NO_ACTUATOR:
        b = b + tendon_reflected(m, t, DAMPING)
        p = p + tendon_reflected(m, t, DAMPING2)
        q = q + tendon_reflected(m, t, DAMPING3)
    return coefficient(b, vec(p, q), abs_(v))


@kernel
def tendon_spring(m, d, t):
    """Force along a tendon that is longer or shorter than its spring's range"""
    k, poly = m.tendon_stiffness[t], m.tendon_stiffnesspoly[t]
    x = tendon_stretch(m, d, t, d.ten_length[t])
    return -coefficient(k, poly, x) * x


@kernel(inline=True)
def tendon_stretch(m, d, t, length):
    """How far a length is beyond the range where a tendon's spring rests; negative: short of it."""
    low, high = splat(m.tendon_lengthspring[t, 0]), splat(m.tendon_lengthspring[t, 1])
    adr = m.tendon_plasticadr[t]
    if adr >= 0:
        low, high = d.plastic[adr], d.plastic[adr + 1]
    return where(length > high, length - high, where(length < low, length - low, 0.0))


@kernel
def pull_dofs(m, d, t, out, force):
    """out += J' force for a tendon"""
    if any_lane(force != 0.0):
        adr = m.arm_rowadr[t]
        for e in range(adr, adr + m.arm_rownnz[t]):
            i = m.arm_colind[e]
            out[i] = out[i] + d.ten_arm[e] * force


# ------------------------------------------------------------------------------------ body forces


@kernel
def adhesion(m, d):
    """The constant attraction of adhesive contacts, along their normals => qfrc_adhesion"""
    if not m.flg_adhesion or m.opt.disableflags & DSBL_CONTACT:
        return
    zero = splat(0.0)
    for k in range(d.ncon_most):
        on = (d.ncon > k) & (d.contact.exclude[k] <= EXCLUDE_GAP) & (d.contact.adhesion[k] != 0.0)
        if any_lane(on):
            pull = vec(-d.contact.adhesion[k], zero, zero, zero, zero, zero)
            add_contact_force(m, d, k, pull, on, d.qfrc_adhesion)


@kernel
def gravcomp(m, d):
    """(xipos, cdof) => qfrc_gravcomp: a force against gravity at the centre of mass of each body"""
    g = m.opt.gravity
    off = not m.flg_gravcomp or m.opt.disableflags & DSBL_GRAVITY
    if off or not any_lane(dot3(g, g) != 0.0):
        return
    for b in range(m.nbody):
        f_Bcm_W = g * (-m.body_mass[b] * splat(m.body_gravcomp[b]))
        p_CBcm = d.xipos[b] - d.subtree_com[m.body_rootid[b]]
        d.body_force[b] = concat(cross(p_CBcm, f_Bcm_W), f_Bcm_W)
    project_wrenches(m, d, d.qfrc_gravcomp)


@kernel
def project_wrenches(m, d, out):
    """(3): out <= the generalized force of wrenches on all bodies, body_force, which is used up"""
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            d.body_force[p] = d.body_force[p] + d.body_force[b]
    for i in range(m.nv):
        out[i] = dot6(d.cdof[i], d.body_force[m.dof_bodyid[i]])


# ------------------------------------------------------------------------------------- plasticity


@kernel
def advance_plastic(m, d, qvel):
    """(new qpos, ten_length, ten_arm) => plastic, after positions were moved with the velocity qvel

    A joint, and a fixed tendon, is measured where it is now; a spatial tendon where qvel took it
    from its length at the beginning of the step.
    """
    if m.nplastic == 0 or m.opt.disableflags & DSBL_SPRING:
        return
    for j in range(m.njnt):
        if m.jnt_plasticadr[j] >= 0:
            joint_yield(m, d, j)
    for t in range(m.ntendon):
        if m.tendon_plasticadr[t] >= 0:
            tendon_yield(m, d, t, qvel)


@kernel(inline=True)
def excess(x, threshold):
    """What (2) adds: the part of x that is beyond the yield threshold"""
    y = maximum(threshold, 0.0)
    return maximum(x - y, 0.0) + minimum(x + y, 0.0)


@kernel
def joint_yield(m, d, j):
    """(2) for a joint's spring; the reference of a ball turns about the displacement's axis"""
    adr, q = m.jnt_plasticadr[j], m.jnt_qposadr[j]
    if m.jnt_type[j] != JNT_BALL:
        x = d.qpos[q] - d.plastic[adr]
        d.plastic[adr] = d.plastic[adr] + excess(x, m.jnt_springyield[j])
        return
    r = ball_displacement(m, d, j, q)
    angle = norm3(r)
    beyond = excess(angle, m.jnt_springyield[j])
    if any_lane(beyond > 0.0):
        s, c = sincos(0.5 * beyond)
        axis = r * (s / where(angle > 0.0, angle, 1.0))
        q_old = load4(d.plastic, adr)
        q_new = normalize4(mul_quat(normalize4(q_old), concat(vec(c), axis)))
        store4(d.plastic, adr, where(beyond > 0.0, q_new, q_old))


@kernel
def tendon_yield(m, d, t, qvel):
    """(2) for a tendon's spring, whose reference is a range"""
    adr = m.tendon_plasticadr[t]
    low, high = d.plastic[adr], d.plastic[adr + 1]
    shift = excess(tendon_stretch(m, d, t, next_length(m, d, t, qvel)), m.tendon_springyield[t])
    # a string that is slack down to length zero stays so when it is stretched
    pinned = (shift > 0.0) & (low == 0.0) & (high > 0.0)
    d.plastic[adr] = where(pinned, low, low + shift)
    d.plastic[adr + 1] = high + shift


@kernel
def next_length(m, d, t, qvel):
    """Length of a tendon at the end of the step."""
    if m.tendon_type[t] == TENDON_FIXED:
        length = splat(0.0)
        for k in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
            length = length + m.wrap_prm[k] * d.qpos[m.jnt_qposadr[m.wrap_objid[k]]]
        return length
    rate = splat(0.0)
    adr = m.arm_rowadr[t]
    for e in range(adr, adr + m.arm_rownnz[t]):
        rate = rate + d.ten_arm[e] * qvel[m.arm_colind[e]]
    return d.ten_length[t] + m.opt.timestep * rate
