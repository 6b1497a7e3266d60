"""Tendons: lengths, Jacobians, paths, and the inertia of their change of length.

A fixed tendon is a linear combination of joint positions. A spatial tendon is a string through
sites and around geoms, in branches that a pulley separates; a branch counts by 1 / divisor. Its
length changes by the pull of unit tension: at a site that the string enters along u and leaves
along v, unit tension exerts the force v - u, and the string lengthens at the rate
(u - v) . velocity. So a row of ten_J is the sum over the path's points of the dofs' work against
that force, J_i = cdof_i . F with F the wrench of u - v at the point, about C. Where the string
lies on a geom, the two ends of the arc are points of the geom's body, and the arc moves with it.

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
    length, divisor, pull, always = splat(0.0), splat(1.0), zeros3(), splat(0.0) < 1.0
    while k < last:
        if m.wrap_type[k] == WRAP_PULLEY:
            divisor = splat(m.wrap_prm[k])
            put_point(d, point, zeros3(), PULLEY, always)
            point = point + 1.0
        if m.wrap_type[k] == WRAP_PULLEY or m.wrap_type[k + 1] == WRAP_PULLEY:
            k += 1
            continue
        s0, g = m.wrap_objid[k], m.wrap_objid[k + 1]
        is_geom = m.wrap_type[k + 1] != WRAP_SITE
        k += 2 if is_geom else 1
        s1 = m.wrap_objid[k]
        x0, x1 = d.site_xpos[s0], d.site_xpos[s1]
        put_point(d, point, x0, SITE, always)
        point = point + 1.0

        # from x0 along u, to x1 along v
        span = norm3(x1 - x0)
        u = normalize3(x1 - x0) / divisor
        v = u
        if is_geom:
            on, arc, w0, w1 = wrap_geom(m, d, k - 1, x0, x1)
            if any_lane(on):
                u = where(on, normalize3(w0 - x0) / divisor, u)
                v = where(on, normalize3(x1 - w1) / divisor, v)
                span = where(on, norm3(w0 - x0) + arc + norm3(x1 - w1), span)
                put_point(d, point, w0, g * 1.0, on)
                put_point(d, point + 1.0, w1, g * 1.0, on)
                point = point + where(on, 2.0, 0.0)
                # where the geom is not touched, u and v cancel at one and the same point
                b = m.geom_bodyid[g]
                F = wrench(m, d, b, where(on, w0, x0), u) - wrench(m, d, b, where(on, w1, x0), v)
                add_work(m, d, t, b, F)
        length = length + span / divisor
        b = m.site_bodyid[s0]
        add_work(m, d, t, b, wrench(m, d, b, x0, pull - u))
        pull = v
        if k == last or m.wrap_type[k + 1] == WRAP_PULLEY:
            put_point(d, point, x1, SITE, always)
            point = point + 1.0
            b = m.site_bodyid[s1]
            add_work(m, d, t, b, wrench(m, d, b, x1, pull))
            pull = zeros3()
    d.ten_length[t] = length
    return point


@kernel(inline=True)
def wrap_geom(m, d, k, x0, x1):
    """(wraps, arc length, first and last point) at the geom of path object k, between x0 and x1"""
    g = m.wrap_objid[k]
    side = int(lane_item(splat(m.wrap_prm[k]), 0))  # a site, or -1
    p_WS = d.site_xpos[side] if side >= 0 else x0
    is_sphere = m.wrap_type[k] == WRAP_SPHERE
    return wrap(
        x0, x1, d.geom_xpos[g], d.geom_xmat[g], m.geom_size[g, 0], is_sphere, p_WS, side >= 0
    )


@kernel(inline=True)
def wrench(m, d, b, x, f):
    """A force f at the point x of body b, about C."""
    return concat(cross(x - d.subtree_com[m.body_rootid[b]], f), f)


@kernel
def add_work(m, d, t, b, F):
    """ten_J += work of a wrench F on body b, per unit of each dof's velocity"""
    first = m.ten_J_rowadr[t]
    i, e = last_dof(m, b), first + m.ten_J_rownnz[t] - 1
    while i >= 0:
        while e >= first and m.ten_J_colind[e] > i:
            e -= 1
        if e >= first and m.ten_J_colind[e] == i:
            d.ten_J[e] = d.ten_J[e] + dot6(d.cdof[i], F)
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
    """M += J' armature J, where two dofs are on one chain to the root"""
    for t in range(m.ntendon):
        a = armature(m, t)
        if not any_lane(a != 0.0):
            continue
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
    """qfrc_bias += J' armature (dJ/dt qvel); only paths through sites can have armature"""
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
    """dJ/dt qvel: how the length of a path through sites accelerates when qvel is constant

    Between two points with unit vector u, relative velocity v and relative acceleration a, the
    distance s accelerates by u . a + |v - u (u . v)|^2 / s.
    """
    total, divisor = splat(0.0), splat(1.0)
    first = m.tendon_adr[t]
    for k in range(first, first + m.tendon_num[t] - 1):
        if m.wrap_type[k] == WRAP_PULLEY:
            divisor = splat(m.wrap_prm[k])
        elif m.wrap_type[k] == WRAP_SITE and m.wrap_type[k + 1] == WRAP_SITE:
            s0, s1 = m.wrap_objid[k], m.wrap_objid[k + 1]
            x = d.site_xpos[s1] - d.site_xpos[s0]
            motion = point_motion(m, d, s1) - point_motion(m, d, s0)
            v, a = motion[0:3], motion[3:6]
            u, s = normalize3(x), norm3(x)
            v = v - u * dot3(u, v)
            total = total + (dot3(u, a) + where(s > MINVAL, dot3(v, v) / s, 0.0)) / divisor
    return total


@kernel
def point_motion(m, d, s):
    """Velocity of a site, and its acceleration when qvel is constant, in W."""
    b = m.site_bodyid[s]
    r = d.site_xpos[s] - d.subtree_com[m.body_rootid[b]]
    V, A = d.cvel[b], bias_motion(m, d, b)
    v = velocity_at(V, r)
    return concat(v, velocity_at(A, r) + cross(V[0:3], v))


@kernel
def bias_motion(m, d, b):
    """Rate of a body's cvel when qvel is constant, by the motion of the axes."""
    A, i = zeros6(), last_dof(m, b)
    while i >= 0:
        j = m.dof_jntid[i]
        rate = d.cdof_dot[i]
        if m.jnt_type[j] == JNT_BALL or (m.jnt_type[j] == JNT_FREE and i >= m.jnt_dofadr[j] + 3):
            # the axes of a rotation turn with the body, also by joints that come after it
            rate = cross_motion(d.cvel[m.dof_bodyid[i]], d.cdof[i])
        A = A + rate * d.qvel[i]
        i = m.dof_parentid[i]
    return A
