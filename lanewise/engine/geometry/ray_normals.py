"""Normals where rays hit: unit length, out of the geom, also where a ray comes from inside.

A ray at a time: the geoms of a packet's rays are all different. The part of the surface that was
hit is known from casting: see ray_shapes.py and ray_triangles.py for the numbers.
"""

from ...lanes import NROW, kernel, load_lane, store_lane, vec
from ...mjconst import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_PLANE,
    GEOM_SPHERE,
)
from ..spatial import cross, mat_t_vec, mat_vec, normalize3
from .ray_triangles import TRIANGLES


@kernel(fused=False)
def find_normals(m, d, w):
    """(packet_pnt, packet_vec, packet_dist, packet_geom, packet_part) => packet_normal"""
    for lane in range(NROW):
        n, g = vec(0.0, 0.0, 0.0), int(load_lane(d.packet_geom, 0, lane))
        if g >= 0:
            x = load_lane(d.packet_dist, 0, lane)
            p, v = load_lane(d.packet_pnt, 0, lane), load_lane(d.packet_vec, 0, lane)
            n = normal_at(m, d, w, g, int(load_lane(d.packet_part, 0, lane)), p, v, x)
        store_lane(d.packet_normal, 0, lane, n)


@kernel(fused=False)
def normal_at(m, d, w, g, part, p_W, v_W, x):
    """The normal of geom g at the point p + x v of its surface"""
    kind, R, center = m.geom_type[g], load_lane(d.geom_xmat, g, w), load_lane(d.geom_xpos, g, w)
    if kind == GEOM_PLANE:
        return vec(R[2], R[5], R[8])
    if kind == GEOM_SPHERE:
        return normalize3(p_W + v_W * x - center)
    p, size = mat_t_vec(R, p_W - center) + mat_t_vec(R, v_W) * x, load_lane(m.geom_size, g, w)
    n = vec(0.0, 0.0, part * 1.0)
    if kind == GEOM_CAPSULE:
        z = p[2] - size[1] * part if part != 0 else 0.0
        n = normalize3(vec(p[0], p[1], z))
    elif kind == GEOM_CYLINDER and part == 0:
        n = normalize3(vec(p[0], p[1], 0.0))
    elif kind == GEOM_ELLIPSOID:
        a, b, c = size[0], size[1], size[2]
        a, b, c = 1.0 / (a * a), 1.0 / (b * b), 1.0 / (c * c)
        n = normalize3(vec(a * p[0], b * p[1], c * p[2]))
    elif kind == GEOM_BOX or (kind == GEOM_HFIELD and part < TRIANGLES):
        n = face_normal(part)
    elif kind == GEOM_MESH:
        n = mesh_normal(m, m.geom_dataid[g], part)
    elif kind == GEOM_HFIELD:
        field = m.geom_dataid[g]
        n = surface_normal(m, field, load_lane(m.hfield_size, field, w), part - TRIANGLES)
    return mat_vec(R, n)


@kernel(inline=True)
def face_normal(part):
    """Of a box's face, by its number"""
    side = 1.0 if part % 2 == 1 else -1.0
    x = side if part < 2 else 0.0
    y = side if part == 2 or part == 3 else 0.0
    return vec(x, y, side if part >= 4 else 0.0)


@kernel(inline=True)
def triangle_normal(v0, v1, v2):
    return normalize3(cross(v0 - v2, v1 - v2))


@kernel(fused=False)
def mesh_normal(m, mesh, node):
    """Of a face of a mesh, by its node in the tree"""
    k, face = m.mesh_vertadr[mesh], m.mesh_faceadr[mesh] + m.bvh_nodeid[node]
    return triangle_normal(
        m.mesh_vert[k + m.mesh_face[face, 0]],
        m.mesh_vert[k + m.mesh_face[face, 1]],
        m.mesh_vert[k + m.mesh_face[face, 2]],
    )


@kernel(fused=False)
def surface_normal(m, field, size, triangle):
    """Of a triangle of a height field: two for each cell"""
    nrow, ncol, cell = m.hfield_nrow[field], m.hfield_ncol[field], triangle // 2
    row, col, k = cell // ncol, cell % ncol, m.hfield_adr[field] + cell
    dx, dy = 2.0 * size[0] / (ncol - 1), 2.0 * size[1] / (nrow - 1)
    x0, x1 = dx * col - size[0], dx * (col + 1) - size[0]
    y0, y1 = dy * row - size[1], dy * (row + 1) - size[1]
    v00 = vec(x0, y0, m.hfield_data[k] * size[2])
    v01 = vec(x1, y0, m.hfield_data[k + 1] * size[2])
    v10 = vec(x0, y1, m.hfield_data[k + ncol] * size[2])
    v11 = vec(x1, y1, m.hfield_data[k + ncol + 1] * size[2])
    if triangle % 2 == 0:
        return triangle_normal(v00, v01, v11)
    return triangle_normal(v00, v11, v10)
