"""Convex shapes, as the convex collision method sees them: by their farthest points.

`support` gives the point of a shape that is farthest in a direction. All that the method does, it
does with such points, so that a shape is whatever has a way to find them. Two shapes at a time are
placed in fields of the gang, s = 0 and 1, and the method runs on plain numbers, one world after the
other:

    ccd_type, ccd_kind, ccd_mesh    what geom it is, which way to find its points, its mesh
    ccd_pos, ccd_mat, ccd_size      its pose and sizes
    ccd_margin                      it is grown by half of this, in all directions
    ccd_hint                        the vertex found last, and its place in the hull's graph: where
                                    the next search begins; of a box, bits of the corner's signs; of
                                    a cylinder 0 at the top and 1 at the bottom; else -1

The method works on the differences of points, one of the first shape minus one of the second: they
make up a convex body that has the origin in it where the shapes overlap. `add_point` writes such a
point into a row of ccd_vert, and the two it comes from next to it. Rows 0 to 3 are the simplex that
closes in on the origin, the rows from POLYTOPE on the polytope that is grown from it.
"""

from ...lanes import kernel, lane_item, sqrt, vec
from ...mjconst import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_SPHERE,
)
from ..spatial import dot3, mat_t_vec, mat_vec

POINT, SEGMENT, HULL = 16, 17, 18  # ways besides the geom types: round geoms shrunk, large meshes
CORNERED = sum(1 << k for k in (GEOM_BOX, GEOM_MESH, HULL, GEOM_HFIELD, POINT, SEGMENT))
TINY = 1e-30  # a squared length below this is zero
HUGE = 1.7976931348623157e308
CLIMB = 10  # meshes of at least so many vertices are searched along their hull's edges

POLYTOPE = 4  # first row of ccd_vert that belongs to the polytope
MOST_ITERATIONS = 200  # rows are there for so many
VERTEX, IN_HULL = 0, 1  # in ccd_hint


@kernel(inline=True)
def tolerance_of(m, d):
    """opt.ccd_tolerance of the world that is looked at."""
    return lane_item(m.opt.ccd_tolerance, d.ccd_lane)


@kernel
def support(m, d, s, direction):
    """The point of shape s that is farthest in a direction of unit length."""
    kind = d.ccd_kind[s]
    pos, size = d.ccd_pos[s], d.ccd_size[s]
    # shapes that need no axes of their own
    if kind == POINT:
        return pos
    if kind == GEOM_SPHERE:
        return direction * size[0] + pos
    if kind == GEOM_HFIELD:
        return d.ccd_prism[farthest_of_prism(d, direction)]
    # the others: the farthest point p along u, both in the axes of the shape
    R = d.ccd_mat[s]
    u = mat_t_vec(R, direction)
    p = vec(0.0, 0.0, 0.0)
    if kind == SEGMENT:
        p = vec(0.0, 0.0, size[1] if u[2] >= 0.0 else -size[1])
    elif kind == GEOM_CAPSULE:
        p = u * size[0]
        p = vec(p[0], p[1], p[2] + (size[1] if u[2] >= 0.0 else -size[1]))
    elif kind == GEOM_ELLIPSOID:
        # S^2 u / |S u|, S the half-axes
        v = vec(u[0] * size[0], u[1] * size[1], u[2] * size[2])
        norm2 = dot3(v, v)
        p = vec(size[0], 0.0, 0.0)
        if norm2 >= TINY:
            f = 1.0 / sqrt(norm2)
            p = vec(v[0] * (f * size[0]), v[1] * (f * size[1]), v[2] * (f * size[2]))
    elif kind == GEOM_CYLINDER:
        # on the rim of the end that u points to
        norm2 = u[0] * u[0] + u[1] * u[1]
        f = size[0] / sqrt(norm2) if norm2 >= TINY else 0.0
        d.ccd_hint[s, VERTEX] = 0 if u[2] >= 0.0 else 1
        p = vec(f * u[0], f * u[1], size[1] if u[2] >= 0.0 else -size[1])
    elif kind == GEOM_BOX:
        p = vec(
            size[0] if u[0] >= 0.0 else -size[0],
            size[1] if u[1] >= 0.0 else -size[1],
            size[2] if u[2] >= 0.0 else -size[2],
        )
        bit0, bit1, bit2 = p[0] > 0.0, p[1] > 0.0, p[2] > 0.0
        d.ccd_hint[s, VERTEX] = (1 if bit0 else 0) + (2 if bit1 else 0) + (4 if bit2 else 0)
    elif kind == GEOM_MESH:
        p = m.mesh_vert[m.mesh_vertadr[d.ccd_mesh[s]] + farthest_of_all(m, d, s, u)]
    elif kind == HULL:
        p = m.mesh_vert[m.mesh_vertadr[d.ccd_mesh[s]] + farthest_on_hull(m, d, s, u)]
    return mat_vec(R, p) + pos


@kernel(inline=True)
def farthest_of_prism(d, direction):
    """The vertex of the prism: among the upper three if the direction points up."""
    first = 0 if direction[2] < 0.0 else 3
    best = first
    most = dot3(d.ccd_prism[first], direction)
    for i in range(first + 1, first + 3):
        x = dot3(d.ccd_prism[i], direction)
        if x > most:
            best, most = i, x
    return best


@kernel(inline=True)
def farthest_of_all(m, d, s, u):
    """The vertex of a small mesh, by looking at each; among equals the last one found stays."""
    mesh = d.ccd_mesh[s]
    first = m.mesh_vertadr[mesh]
    best, most = 0, -3.4028234663852886e38
    if d.ccd_hint[s, VERTEX] >= 0:
        best = d.ccd_hint[s, VERTEX]
        most = dot3(u, m.mesh_vert[first + best])
    for i in range(m.mesh_vertnum[mesh]):
        x = dot3(u, m.mesh_vert[first + i])
        if x > most:
            best, most = i, x
    d.ccd_hint[s, VERTEX] = best
    return best


@kernel(inline=True)
def farthest_on_hull(m, d, s, u):
    """The vertex of a large mesh: uphill along the hull's edges, from the better of two starts."""
    mesh = d.ccd_mesh[s]
    first = m.mesh_vertadr[mesh]
    graph = m.mesh_graphadr[mesh]
    n = m.mesh_graph[graph]
    vertex = graph + 2 + n  # in mesh_graph: vertices of the hull, as vertices of the mesh
    edges = vertex + n  # their neighbours, in lists that end with -1

    # a vertex that is far in about this direction, or the one found last if that is no worse
    best = m.mesh_extrema[mesh, 13 + 9 * third(u[0]) + 3 * third(u[1]) + third(u[2])]
    best = best if best >= 0 else 0
    most = dot3(u, m.mesh_vert[first + m.mesh_graph[vertex + best]])
    last = d.ccd_hint[s, IN_HULL]
    if last >= 0:
        x = dot3(u, m.mesh_vert[first + m.mesh_graph[vertex + last]])
        if not most > x:
            best, most = last, x
    # to the best neighbour, until there is no better one
    before = -1
    while best != before:
        before = best
        i = edges + m.mesh_graph[graph + 2 + before]
        neighbour = m.mesh_graph[i]
        while neighbour >= 0:
            x = dot3(u, m.mesh_vert[first + m.mesh_graph[vertex + neighbour]])
            if x > most:
                best, most = neighbour, x
            i += 1
            neighbour = m.mesh_graph[i]
    d.ccd_hint[s, IN_HULL] = best
    d.ccd_hint[s, VERTEX] = m.mesh_graph[vertex + best]
    return d.ccd_hint[s, VERTEX]


@kernel(inline=True)
def third(x):
    """Which third of the range of a unit vector's component: -1, 0 or 1."""
    if x > 0.4:
        return 1
    return -1 if x < -0.4 else 0


@kernel
def add_point(m, d, row, direction):
    """The farthest point of the first shape minus the second, in a direction, into a row."""
    p1 = support(m, d, 0, direction)
    if d.ccd_margin[0] > 0.0:
        p1 = p1 + direction * (0.5 * d.ccd_margin[0])
    back = -direction
    p2 = support(m, d, 1, back)
    if d.ccd_margin[1] > 0.0:
        p2 = p2 + back * (0.5 * d.ccd_margin[1])
    d.ccd_vert1[row] = p1
    d.ccd_vert2[row] = p2
    d.ccd_vert[row] = p1 - p2
    d.ccd_vertid[row, 0] = d.ccd_hint[0, VERTEX]
    d.ccd_vertid[row, 1] = d.ccd_hint[1, VERTEX]


@kernel
def copy_point(d, row, to):
    """Copy a point with all that belongs to it."""
    d.ccd_vert[to] = d.ccd_vert[row]
    d.ccd_vert1[to] = d.ccd_vert1[row]
    d.ccd_vert2[to] = d.ccd_vert2[row]
    d.ccd_vertid[to, 0] = d.ccd_vertid[row, 0]
    d.ccd_vertid[to, 1] = d.ccd_vertid[row, 1]


@kernel
def center(d, s):
    """Where shape s is, for a first guess."""
    if d.ccd_kind[s] == GEOM_HFIELD:
        p = vec(0.0, 0.0, 0.0)
        for i in range(6):
            p = p + d.ccd_prism[i]
        return p * (1.0 / 6.0)
    return d.ccd_pos[s]


@kernel(inline=True)
def flat(d, s):
    """Whether a shape has corners only."""
    return CORNERED >> d.ccd_kind[s] & 1 == 1 and d.ccd_margin[s] == 0.0
