"""Recursive Newton-Euler with all forces known: accelerations, external and internal forces.

    cacc      acceleration of a body, about C; what a body at rest feels of gravity included
    cfrc_ext  wrench on a body of everything but its joints: the user, contacts, connect and weld,
              and spatial tendons
    cfrc_int  wrench that a body gets from its parent: what moves it, less cfrc_ext, plus what it
              passes on to its children

With V, A and I a body's motion, acceleration and inertia, the recursion is that of rne.py, now with
the accelerations of the dofs:

    (1)  A = A_parent + sum of cdof_dot_i qvel_i + cdof_i qacc_i,   A_world = (0, -g)
    (2)  cfrc_int = I A + V x* I V - cfrc_ext + sum of the children's cfrc_int

The rotational rows of a weld have the velocity s/2 vec(conj(q2) w q1) (equality.py). A force y on
them does the work of the torque

    (3)  s/2 vec(q2 y conj(q1)),   as (conj(q2) w q1) . y = w . (q2 y conj(q1)) for quaternions.

A tendon pulls with one tension along all of its path. Its tension is the sum of its spring, damper,
actuators and constraints, less what its own inertia takes.
"""

from ...lanes import add_at, any_lane, concat, highest, kernel, splat, vec, where
from ...mjconst import (
    CNSTR_EQUALITY,
    CNSTR_FRICTION_TENDON,
    CNSTR_LIMIT_TENDON,
    DSBL_DAMPER,
    DSBL_GRAVITY,
    DSBL_SPRING,
    EQ_CONNECT,
    EQ_TENDON,
    EQ_WELD,
    MINVAL,
    OBJ_BODY,
    TENDON_FIXED,
    TRN_TENDON,
    WRAP_PULLEY,
    WRAP_SITE,
)
from ..forces.passive import tendon_damping, tendon_spring
from ..smooth.kinematics import site_position
from ..smooth.tendon import armature, length_bias, point_wrench, wrap_geom
from ..spatial import (
    cross,
    cross_force,
    mat_t_vec,
    mul_inertia,
    mul_quat,
    neg_quat,
    norm3,
    normalize3,
    zeros3,
    zeros6,
)
from .contact_force import net_force
from .equality import anchor, body_of


@kernel
def rne_post_constraint(m, d):
    """(all forces, qacc) => (cacc, cfrc_int, cfrc_ext)"""
    # cfrc_ext
    applied_forces(m, d)
    for k in range(highest(d.ncon)):
        contact_wrenches(m, d, k)
    for e in range(m.neq):
        if m.eq_type[e] == EQ_CONNECT or m.eq_type[e] == EQ_WELD:
            equality_wrenches(m, d, e)
    for t in range(m.ntendon):
        if m.tendon_type[t] != TENDON_FIXED:
            tendon_wrenches(m, d, t)
    # what moves a body less cfrc_ext
    body_accelerations(m, d)
    d.cfrc_int[0] = zeros6()
    for b in range(1, m.nbody):
        a, v, inertia = d.cacc[b], d.cvel[b], d.cinert[b]
        F = mul_inertia(inertia, a) + cross_force(v, mul_inertia(inertia, v))
        d.cfrc_int[b] = F - d.cfrc_ext[b]
    # inwards: the rest of (2)
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        d.cfrc_int[p] = d.cfrc_int[p] + d.cfrc_int[b]


@kernel
def body_accelerations(m, d):
    """qacc => cacc: (1), outwards"""
    z = splat(0.0)
    g = m.opt.gravity
    up = 0.0 if m.opt.disableflags & DSBL_GRAVITY else -1.0
    d.cacc[0] = vec(z, z, z, g[0] * up, g[1] * up, g[2] * up)
    for b in range(1, m.nbody):
        a = d.cacc[m.body_parentid[b]]
        first = m.body_dofadr[b]
        for i in range(first, first + m.body_dofnum[b]):
            a = a + d.cdof_dot[i] * d.qvel[i] + d.cdof[i] * d.qacc[i]
        d.cacc[b] = a


@kernel
def applied_forces(m, d):
    """xfrc_applied => cfrc_ext"""
    d.cfrc_ext[0] = zeros6()
    for b in range(1, m.nbody):
        F_Bcm_W = d.xfrc_applied[b]
        f_Bcm_W, t_W = F_Bcm_W[0:3], F_Bcm_W[3:6]
        p_CBcm = d.xipos[b] - d.subtree_com[m.body_rootid[b]]
        d.cfrc_ext[b] = concat(t_W + cross(p_CBcm, f_Bcm_W), f_Bcm_W)


@kernel
def contact_wrenches(m, d, k):
    """cfrc_ext += contact k of each world, on its two bodies; the world's body gets none"""
    F_K, R_KW = net_force(d, k), d.contact.frame[k]
    f_K_W, t_W = mat_t_vec(R_KW, F_K[0:3]), mat_t_vec(R_KW, F_K[3:6])
    on = (d.con_on[k] > 0.0) & (d.ncon > k)
    for side in range(2):
        b = where(on, d.con_body2[k] if side else d.con_body1[k], 0.0)
        p_CK = d.contact.pos[k] - d.subtree_com[m.body_rootid[b]]
        sign = 1.0 if side else -1.0
        F_C_W = concat(t_W + cross(p_CK, f_K_W), f_K_W)
        add_at(d.cfrc_ext, b, F_C_W * sign, on & (b > 0.0))


@kernel
def equality_wrenches(m, d, e):
    """cfrc_ext += force and torque of a connect or weld, on its two bodies"""
    r = m.eq_rowadr[e]
    on = d.row_on[r] > 0.0
    if not any_lane(on):
        return
    # its force, and its torque if it is a weld
    f_W = where(on, vec(d.row_force[r], d.row_force[r + 1], d.row_force[r + 2]), zeros3())
    t_W = zeros3()
    if m.eq_type[e] == EQ_WELD:
        t_W = where(on, weld_torque(m, d, e, r), zeros3())
    # on the first body at its anchor, and reversed on the second at its own
    for side in range(2):
        b = body_of(m, e, side)
        if b == 0:
            continue
        F_C_W = point_wrench(m, d, b, anchor(m, d, e, side), f_W) + concat(t_W, zeros3())
        d.cfrc_ext[b] = d.cfrc_ext[b] + F_C_W * (-1.0 if side else 1.0)


@kernel
def weld_torque(m, d, e, r):
    """(3): torque in W of a weld's three rotational rows"""
    o1, o2, data = m.eq_obj1id[e], m.eq_obj2id[e], m.eq_data[e]
    q_BA, scale = data[6:10], data[10]
    if m.eq_objtype[e] == OBJ_BODY:
        q1, q2 = mul_quat(d.xquat[o1], q_BA), d.xquat[o2]
    else:
        q1, q2 = d.site_xquat[o1], d.site_xquat[o2]
    y = vec(splat(0.0), d.row_force[r + 3], d.row_force[r + 4], d.row_force[r + 5])
    return mul_quat(mul_quat(q2, y), neg_quat(q1))[1:4] * (0.5 * scale)


@kernel
def tension(m, d, t):
    """Force that shortens a tendon less what lengthens it: negative where the tendon pulls"""
    # spring and damper
    force = splat(0.0)
    if not m.opt.disableflags & DSBL_SPRING:
        force = force + tendon_spring(m, d, t)
    if not m.opt.disableflags & DSBL_DAMPER:
        force = force - tendon_damping(m, t, d.ten_velocity[t]) * d.ten_velocity[t]
    # actuators
    for i in range(m.nactuator):
        if m.actuator_trntype[i] == TRN_TENDON and m.actuator_trnid[i, 0] == t:
            o = m.actuator_outadr[i]
            force = force + m.actuator_gear[o, 0] * d.actuator_force[o]
    # constraints: dry friction, the lower and upper limit, couplings with another tendon
    for a in range(d.nactive):
        r = d.active_row[a]
        f = where(d.row_on[r] > 0.0, d.row_force[r], 0.0)
        kind, e = m.row_type[r], m.row_id[r]
        if kind == CNSTR_FRICTION_TENDON and e == t:
            force = force + f
        elif kind == CNSTR_LIMIT_TENDON and e == t:
            force = force + (-f if m.row_sub[r] else f)
        elif kind == CNSTR_EQUALITY and m.eq_type[e] == EQ_TENDON:
            if m.eq_obj1id[e] == t:
                force = force + f
            if m.eq_obj2id[e] == t:
                c, x = m.eq_data[e], d.ten_length[t] - m.tendon_length0[t]
                slope = c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]))
                force = force - f * slope
    # its inertia times the acceleration of its length
    inertia = armature(m, t)
    if any_lane(inertia != 0.0):
        acc = length_bias(m, d, t)
        for e in range(m.arm_rowadr[t], m.arm_rowadr[t] + m.arm_rownnz[t]):
            acc = acc + d.ten_arm[e] * d.qacc[m.arm_colind[e]]
        force = force - inertia * acc
    return force


@kernel
def tendon_wrenches(m, d, t):
    """cfrc_ext += pull of a spatial tendon at all points of its path, followed as in tendon.py"""
    force = tension(m, d, t)
    if not any_lane(force != 0.0):
        return
    k, last = m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t] - 1
    divisor = splat(1.0)
    arriving = zeros3()  # the force along the segment before; none at a branch's start
    while k < last:
        # a pulley begins another branch; there is no segment to it or from it
        if m.wrap_type[k] == WRAP_PULLEY:
            divisor = splat(m.wrap_prm[k])
        if m.wrap_type[k] == WRAP_PULLEY or m.wrap_type[k + 1] == WRAP_PULLEY:
            k += 1
            continue
        # the next segment: from a site along u, to a site along v
        s0, g = m.wrap_objid[k], m.wrap_objid[k + 1]
        is_geom = m.wrap_type[k + 1] != WRAP_SITE
        k += 2 if is_geom else 1
        s1 = m.wrap_objid[k]
        p_W0, p_W1 = site_position(m, d, s0), site_position(m, d, s1)
        u = pull_along(p_W1 - p_W0, force / divisor)
        v = u
        # around a geom, in the worlds where it is touched, from T0 to T1
        if is_geom:
            on, _, p_WT0, p_WT1 = wrap_geom(m, d, k - 1, p_W0, p_W1)
            p_WT0, p_WT1 = where(on, p_WT0, p_W0), where(on, p_WT1, p_W0)
            u = where(on, pull_along(p_WT0 - p_W0, force / divisor), u)
            v = where(on, pull_along(p_W1 - p_WT1, force / divisor), v)
            b = m.geom_bodyid[g]
            F_C_W = point_wrench(m, d, b, p_WT0, u) - point_wrench(m, d, b, p_WT1, v)
            add_wrench(d, b, F_C_W)
        # on the first site, and at the end of a branch on the second
        b = m.site_bodyid[s0]
        add_wrench(d, b, point_wrench(m, d, b, p_W0, arriving - u))
        arriving = v
        if k == last or m.wrap_type[k + 1] == WRAP_PULLEY:
            b = m.site_bodyid[s1]
            add_wrench(d, b, point_wrench(m, d, b, p_W1, arriving))
            arriving = zeros3()


@kernel(inline=True)
def pull_along(x, force):
    """A force along x; none where x has no length."""
    short = norm3(x) < MINVAL
    return normalize3(x) * where(short, 0.0, force)


@kernel(inline=True)
def add_wrench(d, b, F_C_W):
    """cfrc_ext += F_C_W; the world's body gets none"""
    if b > 0:
        d.cfrc_ext[b] = d.cfrc_ext[b] + F_C_W
