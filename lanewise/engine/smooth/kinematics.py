"""Forward kinematics: qpos, mocap => poses of bodies, joints, geoms, sites, cameras and lights.

Bodies come in an order in which parents precede children. A body's frame is its parent's, moved by
the body's fixed offset and then by each of its joints in turn. A joint turns about its anchor, not
about the body's origin: after a rotation the origin is put back to where the anchor stays in place.
Quaternions in qpos are normalized on use and left as they are in memory; a body's own quaternion is
normalized once its joints are done, which is what keeps long chains from drifting.
"""

from ...lanes import any_lane, kernel, load3, load4, vec
from ...mjconst import (
    CAMLIGHT_FIXED,
    CAMLIGHT_TARGETBODYCOM,
    CAMLIGHT_TRACK,
    CAMLIGHT_TRACKCOM,
    DSBL_CONSTRAINT,
    DSBL_CONTACT,
    JNT_BALL,
    JNT_FREE,
    JNT_SLIDE,
    SAMEFRAME_BODY,
    SAMEFRAME_BODYROT,
    SAMEFRAME_INERTIA,
    SAMEFRAME_NONE,
)  # fmt: skip
from ..senses import senses
from ..spatial import (
    axis_angle_quat,
    cross,
    mat_vec,
    mul_quat,
    normalize3,
    normalize4,
    quat_mat,
    rot_vec_quat,
)  # fmt: skip


@kernel(fused=False)
def kinematics(m, d):
    """(qpos, mocap) => (xpos, xquat, xmat, xi*, xanchor, xaxis, geom_x*, site_x*)"""
    body_frames(m, d)
    touch = m.needs_touch and not m.opt.disableflags & (DSBL_CONSTRAINT | DSBL_CONTACT)
    seen = d.want_geoms or (m.sensor_geoms and senses(m, d))
    if m.needs_geoms or touch or seen or has_ellipsoids(m):
        geom_frames(m, d)
    if m.needs_sites or d.want_sites or (m.sensor_sites and senses(m, d)):
        site_frames(m, d)


@kernel
def has_ellipsoids(m):
    """Whether there is a medium that acts on geoms"""
    if any_lane((m.opt.density > 0.0) | (m.opt.viscosity > 0.0)):
        for g in range(m.ngeom):
            if any_lane(m.geom_fluid[g, 0] > 0.0):
                return True
    return False


@kernel(fused=False)
def body_frames(m, d):
    """(qpos, mocap) => (xpos, xquat, xmat, xipos, xiquat, ximat, xanchor, xaxis)"""
    # the world
    d.xpos[0] = vec(0.0, 0.0, 0.0)
    d.xquat[0] = vec(1.0, 0.0, 0.0, 0.0)
    d.xmat[0] = vec(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    d.xipos[0] = vec(0.0, 0.0, 0.0)
    d.xiquat[0] = vec(1.0, 0.0, 0.0, 0.0)
    d.ximat[0] = vec(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    # parents come before children
    for b in range(1, m.nbody):
        p_WB, q_WB = body_pose(m, d, b)
        R_WB = quat_mat(q_WB)
        d.xpos[b] = p_WB
        d.xquat[b] = q_WB
        d.xmat[b] = R_WB
        # the inertial frame, as far as it differs from the body's
        same = m.body_sameframe[b]
        if same == SAMEFRAME_BODY:
            d.xipos[b] = p_WB
        else:
            d.xipos[b] = p_WB + mat_vec(R_WB, m.body_ipos[b])
        if same == SAMEFRAME_NONE:
            q_WI = mul_quat(q_WB, m.body_iquat[b])
            d.xiquat[b] = q_WI
            d.ximat[b] = quat_mat(q_WI)
        else:
            d.xiquat[b] = q_WB
            d.ximat[b] = R_WB


@kernel(inline=True)
def body_pose(m, d, b):
    """p_WB and q_WB of a body whose parent is done; writes the anchors and axes of its joints."""
    first, njnt = m.body_jntadr[b], m.body_jntnum[b]
    # a free body stands where qpos says, whatever its parent
    if njnt == 1 and m.jnt_type[first] == JNT_FREE:
        adr = m.jnt_qposadr[first]
        p_WB = load3(d.qpos, adr)
        d.xanchor[first] = p_WB
        d.xaxis[first] = m.jnt_axis[first]
        return p_WB, normalize4(load4(d.qpos, adr + 3))

    # before the joints: the fixed offset from the parent, or that of a mocap body
    p = m.body_parentid[b]
    mocap = m.body_mocapid[b]
    if mocap >= 0:
        p_PB, q_PB = d.mocap_pos[mocap], normalize4(d.mocap_quat[mocap])
    else:
        p_PB, q_PB = m.body_pos[b], m.body_quat[b]
    p_WB = d.xpos[p] + mat_vec(d.xmat[p], p_PB)
    q_WB = d.xquat[p]
    if any_lane((q_PB[0] != 1.0) | (q_PB[1] != 0.0) | (q_PB[2] != 0.0) | (q_PB[3] != 0.0)):
        q_WB = mul_quat(q_WB, q_PB)

    # each joint moves the frame that the joints before it have left
    for j in range(first, first + njnt):
        p_BJ = m.jnt_pos[j]
        centred = not any_lane((p_BJ[0] != 0.0) | (p_BJ[1] != 0.0) | (p_BJ[2] != 0.0))
        p_WJ = p_WB if centred else p_WB + rot_vec_quat(p_BJ, q_WB)
        axis = rot_vec_quat(m.jnt_axis[j], q_WB)
        adr = m.jnt_qposadr[j]
        kind = m.jnt_type[j]
        if kind == JNT_SLIDE:
            p_WB = p_WB + axis * (d.qpos[adr] - m.qpos0[adr])
        else:
            if kind == JNT_BALL:
                turn = normalize4(load4(d.qpos, adr))
            else:
                turn = axis_angle_quat(m.jnt_axis[j], d.qpos[adr] - m.qpos0[adr])
            q_WB = mul_quat(q_WB, turn)
            # the anchor stays in place
            if not centred:
                p_WB = p_WJ - rot_vec_quat(p_BJ, q_WB)
        d.xanchor[j] = p_WJ
        d.xaxis[j] = axis
    return p_WB, normalize4(q_WB)


@kernel(fused=False)
def geom_frames(m, d):
    for g in range(m.ngeom):
        b, same = m.geom_bodyid[g], m.geom_sameframe[g]
        d.geom_xpos[g] = attached_position(d, b, same, m.geom_pos[g])
        attached_rotation(d, b, same, m.geom_quat[g], g, d.geom_xquat, d.geom_xmat)


@kernel(fused=False)
def site_frames(m, d):
    for s in range(m.nsite):
        b, same = m.site_bodyid[s], m.site_sameframe[s]
        d.site_xpos[s] = site_position(m, d, s)
        attached_rotation(d, b, same, m.site_quat[s], s, d.site_xquat, d.site_xmat)


@kernel(inline=True, fused=False)
def site_position(m, d, s):
    """Where a site is, by the pose of its body: what site_xpos has if the sites' frames are made"""
    return attached_position(d, m.site_bodyid[s], m.site_sameframe[s], m.site_pos[s])


@kernel(inline=True)
def attached_rotation(d, b, same, q_BA, k, xquat, xmat):
    """Orientation of what is fixed in body b; `same` says if it is the body's or the inertia's."""
    if same == SAMEFRAME_NONE:
        q_WA = mul_quat(d.xquat[b], q_BA)
        xquat[k] = q_WA
        xmat[k] = quat_mat(q_WA)
    elif same == SAMEFRAME_BODY or same == SAMEFRAME_BODYROT:
        xquat[k] = d.xquat[b]
        xmat[k] = d.xmat[b]
    else:
        xquat[k] = d.xiquat[b]
        xmat[k] = d.ximat[b]


@kernel(inline=True)
def attached_position(d, b, same, p_BA):
    """Where a point of body b is; `same` says if it is the body's origin or centre of mass."""
    if same == SAMEFRAME_BODY:
        return d.xpos[b]
    if same == SAMEFRAME_INERTIA:
        return d.xipos[b]
    return d.xpos[b] + mat_vec(d.xmat[b], p_BA)


@kernel
def camlight(m, d):
    """(xpos, xquat, subtree_com) => (cam_xpos, cam_xmat, light_xpos, light_xdir)"""
    for c in range(m.ncam):
        # fixed in its body (frame A), unless it has another mode
        b, mode, target = m.cam_bodyid[c], m.cam_mode[c], m.cam_targetbodyid[c]
        q_WA = mul_quat(d.xquat[b], m.cam_quat[c])
        p_WA = d.xpos[b] + mat_vec(d.xmat[b], m.cam_pos[c])
        R_WA = quat_mat(q_WA)
        # following its body without turning
        if mode == CAMLIGHT_TRACK:
            p_WA = d.xpos[b] + m.cam_pos0[c]
            d.cam_xmat[c] = m.cam_mat0[c]
        elif mode == CAMLIGHT_TRACKCOM:
            p_WA = d.subtree_com[b] + m.cam_poscom0[c]
            d.cam_xmat[c] = m.cam_mat0[c]
        elif mode != CAMLIGHT_FIXED and target >= 0:
            # look against z at the target, with x level
            p_WT = d.subtree_com[target] if mode == CAMLIGHT_TARGETBODYCOM else d.xpos[target]
            z = normalize3(p_WA - p_WT)
            x = normalize3(vec(-z[1], z[0], 0.0))
            y = normalize3(cross(z, x))
            d.cam_xmat[c] = vec(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
        else:
            d.cam_xmat[c] = R_WA
        d.cam_xpos[c] = p_WA
    # lights likewise; they have a direction only
    for i in range(m.nlight):
        b, mode, target = m.light_bodyid[i], m.light_mode[i], m.light_targetbodyid[i]
        p_WA = d.xpos[b] + mat_vec(d.xmat[b], m.light_pos[i])
        direction = mat_vec(d.xmat[b], m.light_dir[i])
        if mode == CAMLIGHT_TRACK:
            p_WA = d.xpos[b] + m.light_pos0[i]
            d.light_xdir[i] = normalize3(m.light_dir0[i])
        elif mode == CAMLIGHT_TRACKCOM:
            p_WA = d.subtree_com[b] + m.light_poscom0[i]
            d.light_xdir[i] = normalize3(m.light_dir0[i])
        elif mode != CAMLIGHT_FIXED and target >= 0:
            p_WT = d.subtree_com[target] if mode == CAMLIGHT_TARGETBODYCOM else d.xpos[target]
            d.light_xdir[i] = normalize3(p_WT - p_WA)
        else:
            d.light_xdir[i] = normalize3(direction)
        d.light_xpos[i] = p_WA
