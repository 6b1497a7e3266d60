"""A mesh on a plane.

The mesh's lowest vertex, its farthest point in the direction down, is the first contact.

A mesh that lies on a face needs more than one contact to rest. Of the faces that meet at the lowest
vertex, the one that looks down most gives up to three more: all its vertices if it has four or
fewer, otherwise those that span the widest quadrilateral with the first. That one is found as the
callipers turn: each corner moves on along the face as long as this makes the area grow. A vertex
counts as contact if it is within reach of the plane, and below the origin of the mesh.
"""

from ...lanes import W, kernel, lane_item, load_lane, mask_item, splat, store_lane
from ..spatial import column, cross, dot3, mat_t_vec, mat_vec, norm3
from .constants import NO_CONTACT
from .convex import place_geom
from .found import normal_only
from .support import VERTEX, support


@kernel
def plane_mesh(m, d, g1, g2, reach, mask):
    """Candidates of a plane and a mesh: the lowest vertex, then others of its lowest face."""
    for k in range(4):
        d.found_dist[k] = splat(NO_CONTACT)
        d.found_frame[k] = normal_only(column(d.geom_xmat[g1], 2))
    slots = 0
    for w in range(W):
        if mask_item(mask, w):
            slots = max(slots, rest_on_plane(m, d, g1, g2, lane_item(reach, w), w))
    return slots


@kernel
def rest_on_plane(m, d, g1, g2, reach, w):
    """Find the contacts of one world; returns their number."""
    mesh, normal = m.geom_dataid[g2], column(load_lane(d.geom_xmat, g1, w), 2)
    # the lowest vertex
    place_geom(m, d, 1, g2, w, 0.0)
    support(m, d, 1, -normal)
    first = d.ccd_hint[1, VERTEX]  # the vertex that it found
    if not touch(m, d, g1, g2, reach, normal, first, 0, w):
        return 0
    n = mat_t_vec(load_lane(d.geom_xmat, g2, w), normal)  # in the axes of the mesh
    # the face around it that looks down most
    face = lowest_face(m, mesh, first, n, w)
    if face < 0:
        return 1
    begin, size = m.mesh_polyvertadr[face], m.mesh_polyvertnum[face]
    a = 0
    for i in range(size):
        if m.mesh_polyvert[begin + i] == first:
            a = i
            break
    # up to three other corners of it
    b, c, e = (a + 1) % size, (a + 2) % size, (a + 3) % size
    if size > 4:
        b, c, e = widest(m, begin, size, m.mesh_vertadr[mesh], a)
    slot = 1
    for corner in range(1, min(size, 4)):
        i = b if corner == 1 else c if corner == 2 else e
        if touch(m, d, g1, g2, reach, normal, m.mesh_polyvert[begin + i], slot, w):
            slot += 1
    return slot


@kernel
def touch(m, d, g1, g2, reach, normal, vertex, slot, w):
    """Make a vertex of the mesh contact `slot` if it is within reach of the plane."""
    p_WP, p_WG = load_lane(d.geom_xpos, g1, w), load_lane(d.geom_xpos, g2, w)
    v = m.mesh_vert[m.mesh_vertadr[m.geom_dataid[g2]] + vertex]
    p = mat_vec(load_lane(d.geom_xmat, g2, w), v) + p_WG
    dist = dot3(normal, p - p_WP)
    if not dist <= reach or (slot > 0 and dot3(normal, p - p_WG) > 0.0):
        return False
    store_lane(d.found_dist, slot, w, dist)
    store_lane(d.found_pos, slot, w, p + normal * (-0.5 * dist))
    return True


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
