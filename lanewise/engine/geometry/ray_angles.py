"""Which geoms `mj_multiRay` looks at.

For rays from one point it leaves out what is farther than a cutoff, bodies whose bounding sphere a
ray does not meet, and geoms whose box is at other angles, azimuth and elevation. The angles are
those of the box's corners, widened by a margin. Where the box lies behind the discontinuity of the
azimuth this passes over geoms that a ray does meet, so that `mj_multiRay` and `mj_ray` differ, in
about one ray of three hundred. This file has the same rules, for the same answers.
"""

from ...lanes import atan2, kernel, load_lane, maximum, minimum, sqrt, vec
from ...mjconst import MINVAL, PI
from ..spatial import dot3, mat_t_vec, mat_vec, norm3
from .ray_shapes import meets_sphere

FAR = 1e10  # mjMAXVAL


@kernel(inline=True)
def azimuth(v):
    return atan2(v[1], v[0])


@kernel(inline=True)
def elevation(v):
    """The angle from the z axis"""
    return atan2(sqrt(v[0] * v[0] + v[1] * v[1]), v[2])


@kernel(fused=False)
def find_angles(m, d, w, p_W, cutoff):
    """ray_candidate => those of them that are near enough, and ray_angles"""
    n = 0
    for k in range(d.ray_ncandidate):
        g = d.ray_candidate[k]
        d.ray_angles[n] = vec(-PI, 0.0, PI, PI)
        if m.body_bvhadr[m.geom_bodyid[g]] >= 0:
            distance = norm3(load_lane(d.geom_xpos, g, w) - p_W)
            radius = load_lane(m.geom_rbound, g, w)
            if radius > 0.0 and distance > cutoff + radius:
                continue
            d.ray_angles[n] = angles_of(m, d, w, g, p_W, distance)
        d.ray_candidate[n] = g
        d.ray_sphere[n] = d.ray_sphere[k]
        n += 1
    d.ray_ncandidate = n


@kernel(fused=False)
def angles_of(m, d, w, g, p_W, distance):
    """Least azimuth and elevation, and greatest, of the box around geom g"""
    box, x, R = (
        load_lane(m.geom_aabb, g, w),
        load_lane(d.geom_xpos, g, w),
        load_lane(d.geom_xmat, g, w),
    )
    everywhere = vec(-PI, 0.0, PI, PI)
    p = mat_t_vec(R, p_W - x) - box[0:3]
    if abs(p[0]) <= box[3] and abs(p[1]) <= box[4] and abs(p[2]) <= box[5]:
        return everywhere
    a0, e0, a1, e1 = FAR, FAR, -FAR, -FAR
    for corner in range(8):
        u = box[0] + box[3] if corner & 1 else box[0] - box[3]
        v = box[1] + box[4] if corner & 2 else box[1] - box[4]
        z = box[2] + box[5] if corner & 4 else box[2] - box[5]
        q = mat_vec(R, vec(u, v, z)) + x - p_W
        a, e = azimuth(q), elevation(q)
        a0, e0, a1, e1 = minimum(a0, a), minimum(e0, e), maximum(a1, a), maximum(e1, e)
    if distance > MINVAL:
        margin = atan2(max(max(box[3], box[4]), box[5]), distance)
        a0, e0, a1, e1 = a0 - margin, e0 - margin, a1 + margin, e1 + margin
    if a1 - a0 > PI or e1 - e0 > PI:
        return everywhere
    return vec(a0, e0, a1, e1)


@kernel(fused=False)
def meets_body(m, d, w, b, p, v):
    """Where rays meet the sphere around a body, if it has one"""
    box = load_lane(m.body_box, m.body_bvhadr[b], w)
    center = mat_vec(load_lane(d.ximat, b, w), box[0:3]) + load_lane(d.xipos, b, w)
    return meets_sphere(p - center, v, dot3(box[3:6], box[3:6])) >= 0.0
