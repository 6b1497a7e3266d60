"""A mesh on a plane.

The mesh's lowest vertex, its farthest point in the direction down, is the first contact.

A mesh that lies on a face needs more than one contact to rest. Of the faces that meet at the lowest
vertex, the one that looks down most gives up to three more: all its vertices if it has four or
fewer, otherwise those that span the widest quadrilateral with the first. That one is found as the
callipers turn: each corner moves on along the face as long as this makes the area grow. A vertex
counts as contact if it is within reach of the plane, and below the origin of the mesh.
"""

from ...lanes import (
    W,
    any_lane,
    kernel,
    lane_item,
    load_lane,
    mask_item,
    not_,
    store_lane,
    to_int,
    where,
)
from ..spatial import column, cross, dot3, mat_t_vec, mat_vec, norm3
from .found import normal_only, offer
from .hull import farthest_anew


@kernel(fused=False)
def plane_mesh(m, d, g1, g2, reach, mask):
    """Candidates of a plane and a mesh: the lowest vertex, then others of its lowest face."""
    normal = column(d.geom_xmat[g1], 2)
    up = mat_t_vec(d.geom_xmat[g2], normal)  # in the axes of the mesh
    vertex = farthest_anew(m, d, g2, -up, mask)
    dist, pos, _ = above_plane(m, d, g1, g2, normal, vertex)
    touching, frame = mask & (dist <= reach), normal_only(normal)
    if not any_lane(touching):
        return 0
    slots = offer(d, 0, touching, dist, pos, frame)
    d.gjk_along[0] = up
    for w in range(W):
        if mask_item(touching, w):
            find_corners(m, d, m.geom_dataid[g2], to_int(lane_item(vertex, w)), w)
    for k in range(3):
        corner = d.rest_corner[k]
        there = touching & (corner >= 0.0)
        if any_lane(there):
            dist, pos, high = above_plane(m, d, g1, g2, normal, where(there, corner, 0.0))
            slots = offer(d, slots, there & (dist <= reach) & not_(high), dist, pos, frame)
    return slots


@kernel(inline=True)
def above_plane(m, d, g1, g2, normal, vertex):
    """How far a vertex of the mesh is above the plane, the point half way between, and whether the
    vertex is above the mesh's origin.
    """
    p_WP, p_WG = d.geom_xpos[g1], d.geom_xpos[g2]
    v = m.mesh_vert[m.mesh_vertadr[m.geom_dataid[g2]] + vertex]
    p = mat_vec(d.geom_xmat[g2], v) + p_WG
    dist = dot3(normal, p - p_WP)
    return dist, p + normal * (-0.5 * dist), dot3(normal, p - p_WG) > 0.0


@kernel
def find_corners(m, d, mesh, first, w):
    """Up to three other corners of the face at a vertex that looks down most, in world w."""
    for k in range(3):
        store_lane(d.rest_corner, k, w, -1.0)
    face = lowest_face(m, mesh, first, load_lane(d.gjk_along, 0, w), w)
    if face < 0:
        return
    begin, size = m.mesh_polyvertadr[face], m.mesh_polyvertnum[face]
    a = 0
    for i in range(size):
        if m.mesh_polyvert[begin + i] == first:
            a = i
            break
    b, c, e = (a + 1) % size, (a + 2) % size, (a + 3) % size
    if size > 4:
        b, c, e = widest(m, begin, size, m.mesh_vertadr[mesh], a)
    for k in range(min(size, 4) - 1):
        i = b if k == 0 else c if k == 1 else e
        store_lane(d.rest_corner, k, w, m.mesh_polyvert[begin + i] * 1.0)


@kernel
def lowest_face(m, mesh, vertex, n, w):
    """Of the faces at a vertex, the one whose normal is most opposite to n; -1 if there is none."""
    if m.mesh_polynum[mesh] == 0:
        return -1
    v = m.mesh_vertadr[mesh] + vertex
    best, least = -1, 1.0
    for i in range(m.mesh_polymapadr[v], m.mesh_polymapadr[v] + m.mesh_polymapnum[v]):
        face = m.mesh_polyadr[mesh] + m.mesh_polymap[i]
        slope = dot3(n, load_lane(m.mesh_polynormal, face, w))
        if slope < least:
            best, least = face, slope
    return best


@kernel
def widest(m, begin, size, vert, a):
    """Corners b, c, e that make the quadrilateral a b c e of a face wide."""
    b, c, e = (a + 1) % size, (a + 2) % size, (a + 3) % size
    best = twice_area(m, begin, vert, a, b, c, e)
    for _ in range(size):
        grown = twice_area(m, begin, vert, a, b, c, (e + 1) % size)
        if not grown > best:
            break
        e, best = (e + 1) % size, grown
        for _ in range(size):
            grown = twice_area(m, begin, vert, a, b, (c + 1) % size, e)
            if not grown > best:
                break
            c, best = (c + 1) % size, grown
        for _ in range(size):
            grown = twice_area(m, begin, vert, a, (b + 1) % size, c, e)
            if not grown > best:
                break
            b, best = (b + 1) % size, grown
    return b, c, e


@kernel
def twice_area(m, begin, vert, a, b, c, e):
    """Twice the area of a quadrilateral of a face: the cross product of its diagonals."""
    ac = corner(m, begin, vert, a) - corner(m, begin, vert, c)
    be = corner(m, begin, vert, b) - corner(m, begin, vert, e)
    return norm3(cross(ac, be))


@kernel(inline=True)
def corner(m, begin, vert, i):
    return m.mesh_vert[vert + m.mesh_polyvert[begin + i]]
