"""Tendons: lengths, Jacobians, paths, and the inertia of their change of length.

A fixed tendon is a linear combination of joint positions. A spatial tendon is a string through
sites and around geoms, in branches that a pulley separates; a branch counts by 1 / divisor. It is
made of straight legs between points of two bodies, and of arcs on geoms, which move with the geom's
body. A leg along the unit vector u lengthens at the rate u . (velocity of its end - velocity of its
beginning). A dof that moves both ends, or none, leaves it as it is; one that moves the end alone
does the work of a unit force along the leg,

    (1)  J_i = sum over legs of +- cdof_i . F_C_W,   F_C_W the wrench of u / divisor, about C,

with minus if it is the beginning that moves. So a row needs few products, where each joint that the
string passes counts once, and dofs that carry the whole string have none: the arms, ten_arm in the
structure of arm_colind (loaders/structure_tendon.py). All forces of tendons go by the arms. ten_J
has MuJoCo's structure, with all dofs that move any point of the path, and is made of them for
readers.

Armature is inertia a of the change of length: kinetic energy a/2 (J qvel)^2, which adds

    (2)  a J' J to M,   a J' (dJ/dt qvel) to the bias force.

Between two points with the unit vector u from one to the other, relative velocity v and relative
acceleration A, the distance s = |x| has ds/dt = u . v, and u turns at the rate (v - u (u . v)) / s:

    (3)  d2s/dt2 = u . A + |v - u (u . v)|^2 / s.

With A that of constant qvel, this is dJ/dt qvel of a straight segment.

Whether a geom is wrapped differs from world to world, and so does the number of points in a path.
MuJoCo packs the paths of all tendons one after another; each lane has its own place in wrap_xpos.
They, too, are for readers.
"""

from ...lanes import (
    W,
    all_lanes,
    any_lane,
    concat,
    kernel,
    lane_item,
    lane_mask,
    not_,
    splat,
    to_lane,
    where,
)
from ...mjconst import (
    JNT_BALL,
    JNT_FREE,
    MINVAL,
    TENDON_FIXED,
    WRAP_PULLEY,
    WRAP_SITE,
    WRAP_SPHERE,
)
from ..spatial import cross, cross_motion, dot3, dot6, norm3, normalize3, zeros3, zeros6
from .com import velocity_at
from .kinematics import site_position
from .reflected import ARMATURE, tendon_reflected
from .wrap import wrap

SITE, PULLEY = -1.0, -2.0  # in wrap_obj


@kernel
def tendon(m, d):
    """(qpos, xpos, xmat, geom_x*, cdof) => (ten_length, ten_arm, ten_J, ten_wrap*, wrap_*)"""
    point = splat(0.0)  # points in all paths so far
    for t in range(m.ntendon):
        adr = m.arm_rowadr[t]
        for e in range(adr, adr + m.arm_rownnz[t]):
            d.ten_arm[e] = 0.0
        first = point
        if m.tendon_type[t] == TENDON_FIXED:
            fixed_tendon(m, d, t)
        else:
            point = spatial_tendon(m, d, t, point)
        if d.want_paths:
            d.ten_wrapadr[t] = first
            d.ten_wrapnum[t] = point - first
    show_arms(m, d)


@kernel
def show_arms(m, d):
    """ten_arm => ten_J, if somebody reads it"""
    if d.want_tendon_rows or d.want_moments:
        for e in range(m.nJten):
            d.ten_J[e] = 0.0
        for e in range(m.narm):
            d.ten_J[m.arm_place[e]] = d.ten_arm[e]


@kernel
def fixed_tendon(m, d, t):
    """length = sum of coefficient * qpos"""
    length = splat(0.0)
    adr = m.arm_rowadr[t]
    for k in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
        j = m.wrap_objid[k]
        length = length + m.wrap_prm[k] * d.qpos[m.jnt_qposadr[j]]
        for e in range(adr, adr + m.arm_rownnz[t]):
            if m.arm_colind[e] == m.jnt_dofadr[j]:
                d.ten_arm[e] = m.wrap_prm[k]
    d.ten_length[t] = length


@kernel
def spatial_tendon(m, d, t, point):
    """Follow the path of a tendon, whose points begin at `point`; returns the place after."""
    k, last = m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t] - 1
    length, divisor, always = splat(0.0), splat(1.0), splat(0.0) < 1.0
    p_W1, shared = zeros3(), False  # whether there was a pulley: divisions take their time
    while k < last:
        # a pulley begins another branch; there is no segment to it or from it
        if m.wrap_type[k] == WRAP_PULLEY:
            divisor, shared = splat(m.wrap_prm[k]), True
            point = put_point(d, point, zeros3(), PULLEY, always)
        if m.wrap_type[k] == WRAP_PULLEY or m.wrap_type[k + 1] == WRAP_PULLEY:
            k += 1
            continue
        # the next segment: from a site to a site, perhaps around a geom in between
        leg, s0 = m.wrap_leg[k], m.wrap_objid[k]
        is_geom = m.wrap_type[k + 1] != WRAP_SITE
        starts = k == m.tendon_adr[t] or m.wrap_type[k - 1] == WRAP_PULLEY
        k += 2 if is_geom else 1
        s1 = m.wrap_objid[k]
        p_W0 = site_position(m, d, s0) if starts else p_W1
        p_W1 = site_position(m, d, s1)
        point = put_point(d, point, p_W0, SITE, always)
        b0, b1 = m.site_bodyid[s0], m.site_bodyid[s1]
        if not is_geom:
            span = add_leg(m, d, leg, b0, b1, p_W0, p_W1, shared, divisor, always)
        else:
            g = m.wrap_objid[k - 1]
            on, arc, p_WT0, p_WT1 = wrap_geom(m, d, k - 1, p_W0, p_W1)
            span = splat(0.0)
            if not all_lanes(on):
                span = add_leg(m, d, leg, b0, b1, p_W0, p_W1, shared, divisor, not_(on))
            if any_lane(on):
                b = m.geom_bodyid[g]
                before = add_leg(m, d, leg + 1, b0, b, p_W0, p_WT0, shared, divisor, on)
                after = add_leg(m, d, leg + 2, b, b1, p_WT1, p_W1, shared, divisor, on)
                span = where(on, before + arc + after, span)
                point = put_point(d, point, p_WT0, g * 1.0, on)
                point = put_point(d, point, p_WT1, g * 1.0, on)
        length = length + (span / divisor if shared else span)
        if k == last or m.wrap_type[k + 1] == WRAP_PULLEY:
            point = put_point(d, point, p_W1, SITE, always)
    d.ten_length[t] = length
    return point


@kernel(inline=True)
def wrap_geom(m, d, k, p_W0, p_W1):
    """(wraps, arc length, p_WT0, p_WT1) at the geom of path object k, between two points"""
    g = m.wrap_objid[k]
    side = int(lane_item(splat(m.wrap_prm[k]), 0))  # a site, or -1
    p_WS = site_position(m, d, side) if side >= 0 else p_W0
    is_sphere = m.wrap_type[k] == WRAP_SPHERE
    return wrap(
        p_W0, p_W1, d.geom_xpos[g], d.geom_xmat[g], m.geom_size[g, 0], is_sphere, p_WS, side >= 0
    )


@kernel
def add_leg(m, d, leg, b0, b1, p_W0, p_W1, shared, divisor, mask):
    """ten_arm += (1) of a leg from a point of body b0 to one of b1, where mask is; its length"""
    x = p_W1 - p_W0
    first, middle, end = m.leg_adr[leg, 0], m.leg_adr[leg, 1], m.leg_adr[leg, 2]
    if first < end:
        u = normalize3(x) / divisor if shared else normalize3(x)
        F_C_W = point_wrench(m, d, b0, p_W0, u)
        for e in range(first, middle):
            a = m.leg_arm[e]
            J = d.ten_arm[a]
            d.ten_arm[a] = where(mask, J - dot6(d.cdof[m.leg_dof[e]], F_C_W), J)
        # of another tree, if the leg leads there: about another C
        if m.body_rootid[b1] != m.body_rootid[b0]:
            F_C_W = point_wrench(m, d, b1, p_W1, u)
        for e in range(middle, end):
            a = m.leg_arm[e]
            J = d.ten_arm[a]
            d.ten_arm[a] = where(mask, J + dot6(d.cdof[m.leg_dof[e]], F_C_W), J)
    return norm3(x)


@kernel(inline=True)
def point_wrench(m, d, b, p_WP, f_P_W):
    """F_C_W of a force at the point P of body b"""
    return concat(cross(p_WP - d.subtree_com[m.body_rootid[b]], f_P_W), f_P_W)


@kernel(inline=True)
def last_dof(m, b):
    """The last dof that moves body b, or -1; the others follow by dof_parentid."""
    weld = m.body_weldid[b]
    return m.body_dofadr[weld] + m.body_dofnum[weld] - 1 if m.body_dofnum[weld] > 0 else -1


@kernel(inline=True)
def put_point(d, point, x, obj, mask):
    """The place after a path point of the lanes in mask, which is stored if somebody reads it"""
    if d.want_paths:
        store_point(d, point, x, obj, mask)
    return point + where(mask, 1.0, 0.0)


@kernel
def store_point(d, point, x, obj, mask):
    """Store a path point at the place that `point` has in each lane, in the lanes of mask."""
    for lane in range(W):
        if any_lane(mask & lane_mask(lane + 1) & not_(lane_mask(lane))):
            k = int(lane_item(point, lane))
            here = mask & (point == to_lane(k))
            row, col = k // 2, k % 2
            d.wrap_obj[row, col] = where(here, obj, d.wrap_obj[row, col])
            d.wrap_xpos[row, 3 * col] = where(here, x[0], d.wrap_xpos[row, 3 * col])
            d.wrap_xpos[row, 3 * col + 1] = where(here, x[1], d.wrap_xpos[row, 3 * col + 1])
            d.wrap_xpos[row, 3 * col + 2] = where(here, x[2], d.wrap_xpos[row, 3 * col + 2])
            mask = mask & not_(here)


@kernel
def tendon_velocity(m, d):
    """(ten_arm, qvel) => ten_velocity"""
    for t in range(m.ntendon):
        v = splat(0.0)
        adr = m.arm_rowadr[t]
        for e in range(adr, adr + m.arm_rownnz[t]):
            v = v + d.ten_arm[e] * d.qvel[m.arm_colind[e]]
        d.ten_velocity[t] = v


# --------------------------------------------------------------------------------------- armature


@kernel
def tendon_armature(m, d):
    """M += a J' J (2), where two dofs are on one chain to the root"""
    for t in range(m.ntendon):
        a = armature(m, t)
        if not any_lane(a != 0.0):
            continue
        # the columns of row i of M and those of J up to i both rise
        adr = m.arm_rowadr[t]
        for p in range(adr, adr + m.arm_rownnz[t]):
            i = m.arm_colind[p]
            aJ = a * d.ten_arm[p]
            k = m.M_rowadr[i]
            end = k + m.M_rownnz[i]
            for q in range(adr, p + 1):
                j = m.arm_colind[q]
                while k < end and m.M_colind[k] < j:
                    k += 1
                if k < end and m.M_colind[k] == j:
                    d.M[k] = d.M[k] + aJ * d.ten_arm[q]


@kernel
def tendon_bias(m, d):
    """qfrc_bias += a J' (dJ/dt qvel) (2); only paths through sites can have armature"""
    for t in range(m.ntendon):
        a = armature(m, t)
        if m.tendon_type[t] != TENDON_FIXED and any_lane(a != 0.0):
            force = a * length_bias(m, d, t)
            adr = m.arm_rowadr[t]
            for e in range(adr, adr + m.arm_rownnz[t]):
                i = m.arm_colind[e]
                d.qfrc_bias[i] = d.qfrc_bias[i] + d.ten_arm[e] * force


@kernel(inline=True)
def armature(m, t):
    return m.tendon_armature[t] + tendon_reflected(m, t, ARMATURE)


@kernel
def length_bias(m, d, t):
    """dJ/dt qvel: how the length of a path through sites accelerates when qvel is constant (3)"""
    total, divisor = splat(0.0), splat(1.0)
    first = m.tendon_adr[t]
    for k in range(first, first + m.tendon_num[t] - 1):
        if m.wrap_type[k] == WRAP_PULLEY:
            divisor = splat(m.wrap_prm[k])
        elif m.wrap_type[k] == WRAP_SITE and m.wrap_type[k + 1] == WRAP_SITE:
            s0, s1 = m.wrap_objid[k], m.wrap_objid[k + 1]
            p_W0, p_W1 = site_position(m, d, s0), site_position(m, d, s1)
            p_S0S1 = p_W1 - p_W0
            motion = point_motion(m, d, s1, p_W1) - point_motion(m, d, s0, p_W0)
            v, A = motion[0:3], motion[3:6]
            u, s = normalize3(p_S0S1), norm3(p_S0S1)
            v = v - u * dot3(u, v)
            total = total + (dot3(u, A) + where(s > MINVAL, dot3(v, v) / s, 0.0)) / divisor
    return total


@kernel
def point_motion(m, d, s, p_WS):
    """Velocity of a site S, and its acceleration when qvel is constant, in W."""
    b = m.site_bodyid[s]
    p_CS = p_WS - d.subtree_com[m.body_rootid[b]]
    V_C, A_C = d.cvel[b], bias_motion(m, d, b)
    v_WS_W = velocity_at(V_C, p_CS)
    return concat(v_WS_W, velocity_at(A_C, p_CS) + cross(V_C[0:3], v_WS_W))


@kernel
def bias_motion(m, d, b):
    """Rate of a body's cvel when qvel is constant, by the motion of the axes."""
    A_C, i = zeros6(), last_dof(m, b)
    while i >= 0:
        j = m.dof_jntid[i]
        rate = d.cdof_dot[i]
        if m.jnt_type[j] == JNT_BALL or (m.jnt_type[j] == JNT_FREE and i >= m.jnt_dofadr[j] + 3):
            # the axes of a rotation turn with the body, also by joints that come after it
            rate = cross_motion(d.cvel[m.dof_bodyid[i]], d.cdof[i])
        A_C = A_C + rate * d.qvel[i]
        i = m.dof_parentid[i]
    return A_C
