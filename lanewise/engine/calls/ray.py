"""The call `ray`: what rays meet in every world. Batch.ray, and lanewise.ray on a Data

Rays are given in W or in a frame of the model. A thread takes a gang's worlds one after the other,
and of each the rays in packets of eight.
"""

from ...lanes import NROW, W, kernel, load_lane, sqrt, store_lane, vec, where
from ...lanes.records import Record, record_at
from ...mjconst import MINVAL, OBJ_BODY, OBJ_CAMERA, OBJ_GEOM, OBJ_SITE
from ..geometry.casting import cast_packet, find_candidates
from ..geometry.ray_angles import find_angles
from ..geometry.ray_normals import find_normals
from ..geometry.ray_shapes import INF
from ..smooth.com import com_pos
from ..smooth.kinematics import camlight, kinematics
from ..spatial import dot3, mat_vec
from .gang import ROWS, load_gang
from .rows import int32_item, number_item, put_int32_item, put_number_item
from .threads import WORKER

RAY = Record("Ray", """
rows        address of where the worlds are, ROWS; 0: d has the frames of its worlds already
nray        rays of a world
order       address of their int32 numbers in the order in which packets take them, or 0
pnt         address of where they start, three numbers each
pnt_world   bytes from a world's points to the next one's, by place; 0: all have the same
pnt_ray     bytes from a ray's point to the next one's; 0: all start at the same
vec         address of their directions, three numbers each
vec_world   bytes from a world's directions to the next one's
vec_ray     bytes from a ray's direction to the next one's
exclude     address of the bodies that they do not see, int32
exclude_world  bytes from a world's bodies to the next one's
exclude_ray bytes from a ray's body to the next one's
reach       address of two numbers: how far they see, and by how much their starts are lifted
pruned      whether to leave out geoms as mj_multiRay does: then all start at the first point
groups      bits of the groups that count
kinds       which geoms count: STATIC, MOVING
frame       kind of the frame that rays are given in, mjtObj; 0: in W
frame_id    which it is
yaw_only    whether the frame is turned upright
level       whether directions are given in W all the same
heights     whether distances become heights in W, NaN without a hit
dist        address of the distances, a row of nray for each world
geom        address of the int32 ids
normal      address of the normals, or 0
""")  # fmt: skip

NAN = float("nan")


@kernel
def ray_gang(m, d, record, worker):
    c = record_at(record, RAY, 0)
    if c.rows:
        load_gang(d, record_at(c.rows, ROWS, 0), record_at(worker, WORKER, 0))
        kinematics(m, d)
        if c.frame == OBJ_CAMERA:
            com_pos(m, d)
            camlight(m, d)
    for lane in range(W):
        if lane == 0 or d.lane_place[lane] != d.lane_place[0]:
            cast_world(m, d, c, lane)


@kernel
def cast_world(m, d, c, w):
    """dist, geom, normal <= what the rays of one world meet"""
    place, cutoff, lift = d.lane_place[w], number_item(c.reach, 0), number_item(c.reach, 1)
    find_candidates(m, d, w, c.groups, c.kinds)
    x, R = vec(0.0, 0.0, 0.0), vec(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    if c.frame != 0:
        x, R = frame_of(m, d, c, w)
    for first in range(0, c.nray, NROW):
        # the last packet repeats its first ray
        for i in range(NROW):
            r = ray_of(c, first + i if first + i < c.nray else first)
            p = three(c.pnt + c.pnt_world * place + c.pnt_ray * r)
            v = three(c.vec + c.vec_world * place + c.vec_ray * r)
            if c.frame != 0:
                p = mat_vec(R, p) + x
                if not c.level:
                    v = mat_vec(R, v)
            store_lane(d.packet_pnt, 0, i, vec(p[0], p[1], p[2] + lift))
            store_lane(d.packet_vec, 0, i, v)
            body = int32_item(c.exclude + c.exclude_world * place + c.exclude_ray * r, 0)
            store_lane(d.packet_exclude, 0, i, body * 1.0)
        d.packet_reach[0] = INF
        if c.pruned:
            if first == 0:
                find_angles(m, d, w, load_lane(d.packet_pnt, 0, 0), cutoff)
        elif cutoff < INF:
            v = d.packet_vec[0]
            d.packet_reach[0] = cutoff / sqrt(dot3(v, v))
        cast_packet(m, d, w, c.pruned)
        if c.heights:
            hit, z = d.packet_dist[0], d.packet_pnt[0][2] + d.packet_dist[0] * d.packet_vec[0][2]
            d.packet_dist[0] = where(hit >= 0.0, z, NAN)
        # results
        if c.normal:
            find_normals(m, d, w)
        for i in range(min(NROW, c.nray - first)):
            k = place * c.nray + ray_of(c, first + i)
            put_number_item(c.dist, k, load_lane(d.packet_dist, 0, i))
            put_int32_item(c.geom, k, int(load_lane(d.packet_geom, 0, i)))
            if c.normal:
                n = load_lane(d.packet_normal, 0, i)
                put_number_item(c.normal, 3 * k, n[0])
                put_number_item(c.normal, 3 * k + 1, n[1])
                put_number_item(c.normal, 3 * k + 2, n[2])


@kernel(inline=True)
def ray_of(c, k):
    """The number of the ray that is taken as the k-th"""
    return int32_item(c.order, k) if c.order else k


@kernel(inline=True)
def three(address):
    """Three numbers at an address"""
    return vec(number_item(address, 0), number_item(address, 1), number_item(address, 2))


@kernel
def frame_of(m, d, c, w):
    """Origin and axes of the frame that rays are given in; upright, the axes turn about z only"""
    k = c.frame_id
    x, R = load_lane(d.xpos, 0, w), load_lane(d.xmat, 0, w)
    if c.frame == OBJ_BODY:
        x, R = load_lane(d.xpos, k, w), load_lane(d.xmat, k, w)
    elif c.frame == OBJ_SITE:
        x, R = load_lane(d.site_xpos, k, w), load_lane(d.site_xmat, k, w)
    elif c.frame == OBJ_GEOM:
        x, R = load_lane(d.geom_xpos, k, w), load_lane(d.geom_xmat, k, w)
    elif c.frame == OBJ_CAMERA:
        x, R = load_lane(d.cam_xpos, k, w), load_lane(d.cam_xmat, k, w)
    if c.yaw_only:
        # towards where the x axis points; x of W where it points up or down
        ahead = sqrt(R[0] * R[0] + R[3] * R[3])
        cos, sin = 1.0, 0.0
        if ahead > MINVAL:
            cos, sin = R[0] / ahead, R[3] / ahead
        R = vec(cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0)
    return x, R
