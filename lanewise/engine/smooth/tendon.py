"""Tendons: lengths, Jacobians, paths, and the inertia of their change of length.

A fixed tendon is a linear combination of joint positions. A spatial tendon is a string through
sites and around geoms, in branches that a pulley separates; a branch counts by 1 / divisor. Its
length changes by the pull of unit tension: at a point that the string enters along u and leaves
along v, unit tension exerts the force v - u, and the string lengthens at the rate
(u - v) . velocity. So a row of ten_J is the sum over the path's points of the dofs' work against
that force,

    (1)  J_i = sum over points of cdof_i . F_C_W,   F_C_W the wrench of (u - v) / divisor, about C.

Where the string lies on a geom, the two ends of the arc are points of the geom's body, and the arc
moves with it.

Armature is inertia a of the change of length: kinetic energy a/2 (J qvel)^2, which adds

    (2)  a J' J to M,   a J' (dJ/dt qvel) to the bias force.

Between two points with the unit vector u from one to the other, relative velocity v and relative
acceleration A, the distance s = |x| has ds/dt = u . v, and u turns at the rate (v - u (u . v)) / s:

    (3)  d2s/dt2 = u . A + |v - u (u . v)|^2 / s.

With A that of constant qvel, this is dJ/dt qvel of a straight segment.

Whether a geom is wrapped differs from world to world, and so does the number of points in a path.
MuJoCo packs the paths of all tendons one after another; each lane has its own place in wrap_xpos.

ten_J has a fixed structure (ten_J_colind) that holds every dof that can have a part.
"""

from ...lanes import W, any_lane, concat, kernel, lane_item, lane_mask, not_, splat, to_lane, where
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
from .reflected import ARMATURE, tendon_reflected
from .wrap import wrap

SITE, PULLEY = -1.0, -2.0  # in wrap_obj


@kernel
def tendon(m, d):
    """(qpos, site_xpos, geom_x*, cdof) => (ten_length, ten_J, ten_wrap*, wrap_*)"""
    point = splat(0.0)  # points in all paths so far
    for t in range(m.ntendon):
        adr = m.ten_J_rowadr[t]
        for e in range(adr, adr + m.ten_J_rownnz[t]):
            d.ten_J[e] = 0.0
        first = point
        if m.tendon_type[t] == TENDON_FIXED:
            fixed_tendon(m, d, t)
        else:
            point = spatial_tendon(m, d, t, point)
        d.ten_wrapadr[t] = first
        d.ten_wrapnum[t] = point - first


@kernel
def fixed_tendon(m, d, t):
    """length = sum of coefficient * qpos"""
    length = splat(0.0)
    adr = m.ten_J_rowadr[t]
    for k in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
        j = m.wrap_objid[k]
        length = length + m.wrap_prm[k] * d.qpos[m.jnt_qposadr[j]]
        for e in range(adr, adr + m.ten_J_rownnz[t]):
            if m.ten_J_colind[e] == m.jnt_dofadr[j]:
                d.ten_J[e] = m.wrap_prm[k]
    d.ten_length[t] = length


@kernel
def spatial_tendon(m, d, t, point):
    """Follow the path of a tendon, storing its points from `point` on; returns the place after."""
    k, last = m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t] - 1
    length, divisor, always = splat(0.0), splat(1.0), splat(0.0) < 1.0
    arriving = (
        zeros3()
    )  # u of (1), over the divisor, of the segment before; none at a branch's start
    while k < last:
        # a pulley begins another branch; there is no segment to it or from it
        if m.wrap_type[k] == WRAP_PULLEY:
            divisor = splat(m.wrap_prm[k])
            put_point(d, point, zeros3(), PULLEY, always)
            point = point + 1.0
        if m.wrap_type[k] == WRAP_PULLEY or m.wrap_type[k + 1] == WRAP_PULLEY:
            k += 1
            continue
        # the next segment: from a site to a site, perhaps around a geom in between
        s0, g = m.wrap_objid[k], m.wrap_objid[k + 1]
        is_geom = m.wrap_type[k + 1] != WRAP_SITE
        k += 2 if is_geom else 1
        s1 = m.wrap_objid[k]
        p_W0, p_W1 = d.site_xpos[s0], d.site_xpos[s1]
        put_point(d, point, p_W0, SITE, always)
        point = point + 1.0

        # from the first site along u, to the second along v; nothing between points of one body,
        # where round-off would be taken for a way to move the tendon
        b0, b1 = m.site_bodyid[s0], m.site_bodyid[s1]
        span = norm3(p_W1 - p_W0)
        u = normalize3(p_W1 - p_W0) / divisor if b0 != b1 else zeros3()
        v = u
        if is_geom:
            on, arc, p_WT0, p_WT1 = wrap_geom(m, d, k - 1, p_W0, p_W1)
            if any_lane(on):
                b = m.geom_bodyid[g]
                u0 = normalize3(p_WT0 - p_W0) / divisor if b0 != b else zeros3()
                v1 = normalize3(p_W1 - p_WT1) / divisor if b1 != b else zeros3()
                u, v = where(on, u0, u), where(on, v1, v)
                span = where(on, norm3(p_WT0 - p_W0) + arc + norm3(p_W1 - p_WT1), span)
                put_point(d, point, p_WT0, g * 1.0, on)
                put_point(d, point + 1.0, p_WT1, g * 1.0, on)
                point = point + where(on, 2.0, 0.0)
                # the geom's share of (1); where it is not touched, u and v cancel at one point
                F_C_W = point_wrench(m, d, b, where(on, p_WT0, p_W0), u)
                F_C_W = F_C_W - point_wrench(m, d, b, where(on, p_WT1, p_W0), v)
                add_work(m, d, t, b, F_C_W)

        # the first site's share of (1), and at the end of a branch that of the second
        length = length + span / divisor
        add_work(m, d, t, b0, point_wrench(m, d, b0, p_W0, arriving - u))
        arriving = v
        if k == last or m.wrap_type[k + 1] == WRAP_PULLEY:
            put_point(d, point, p_W1, SITE, always)
            point = point + 1.0
            add_work(m, d, t, b1, point_wrench(m, d, b1, p_W1, arriving))
            arriving = zeros3()
    d.ten_length[t] = length
    return point


@kernel(inline=True)
def wrap_geom(m, d, k, p_W0, p_W1):
    """(wraps, arc length, p_WT0, p_WT1) at the geom of path object k, between two points"""
    g = m.wrap_objid[k]
    side = int(lane_item(splat(m.wrap_prm[k]), 0))  # a site, or -1
    p_WS = d.site_xpos[side] if side >= 0 else p_W0
    is_sphere = m.wrap_type[k] == WRAP_SPHERE
    return wrap(
        p_W0, p_W1, d.geom_xpos[g], d.geom_xmat[g], m.geom_size[g, 0], is_sphere, p_WS, side >= 0
    )


@kernel(inline=True)
def point_wrench(m, d, b, p_WP, f_P_W):
    """F_C_W of a force at the point P of body b"""
    return concat(cross(p_WP - d.subtree_com[m.body_rootid[b]], f_P_W), f_P_W)


@kernel
def add_work(m, d, t, b, F_C_W):
    """ten_J += work of a wrench on body b, per unit of each dof's velocity"""
    # both the dofs that move the body and the columns of the row fall
    first = m.ten_J_rowadr[t]
    i, e = last_dof(m, b), first + m.ten_J_rownnz[t] - 1
    while i >= 0:
        while e >= first and m.ten_J_colind[e] > i:
            e -= 1
        if e >= first and m.ten_J_colind[e] == i:
            d.ten_J[e] = d.ten_J[e] + dot6(d.cdof[i], F_C_W)
        i = m.dof_parentid[i]


@kernel(inline=True)
def last_dof(m, b):
    """The last dof that moves body b, or -1; the others follow by dof_parentid."""
    weld = m.body_weldid[b]
    return m.body_dofadr[weld] + m.body_dofnum[weld] - 1 if m.body_dofnum[weld] > 0 else -1


@kernel
def put_point(d, point, x, obj, mask):
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
    """(ten_J, qvel) => ten_velocity"""
    for t in range(m.ntendon):
        v = splat(0.0)
        adr = m.ten_J_rowadr[t]
        for e in range(adr, adr + m.ten_J_rownnz[t]):
            v = v + d.ten_J[e] * d.qvel[m.ten_J_colind[e]]
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
        adr = m.ten_J_rowadr[t]
        for p in range(adr, adr + m.ten_J_rownnz[t]):
            i = m.ten_J_colind[p]
            aJ = a * d.ten_J[p]
            k = m.M_rowadr[i]
            end = k + m.M_rownnz[i]
            for q in range(adr, p + 1):
                j = m.ten_J_colind[q]
                while k < end and m.M_colind[k] < j:
                    k += 1
                if k < end and m.M_colind[k] == j:
                    d.M[k] = d.M[k] + aJ * d.ten_J[q]


@kernel
def tendon_bias(m, d):
    """qfrc_bias += a J' (dJ/dt qvel) (2); only paths through sites can have armature"""
    for t in range(m.ntendon):
        a = armature(m, t)
        if m.tendon_type[t] != TENDON_FIXED and any_lane(a != 0.0):
            force = a * length_bias(m, d, t)
            adr = m.ten_J_rowadr[t]
            for e in range(adr, adr + m.ten_J_rownnz[t]):
                i = m.ten_J_colind[e]
                d.qfrc_bias[i] = d.qfrc_bias[i] + d.ten_J[e] * force


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
            p_S0S1 = d.site_xpos[s1] - d.site_xpos[s0]
            motion = point_motion(m, d, s1) - point_motion(m, d, s0)
            v, A = motion[0:3], motion[3:6]
            u, s = normalize3(p_S0S1), norm3(p_S0S1)
            v = v - u * dot3(u, v)
            total = total + (dot3(u, A) + where(s > MINVAL, dot3(v, v) / s, 0.0)) / divisor
    return total


@kernel
def point_motion(m, d, s):
    """Velocity of a site, and its acceleration when qvel is constant, in W."""
    b = m.site_bodyid[s]
    p_CS = d.site_xpos[s] - d.subtree_com[m.body_rootid[b]]
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
