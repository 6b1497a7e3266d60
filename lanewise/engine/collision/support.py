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

from ...lanes import (
    kernel,
    lane_item,
    maximum,
    splat,
    sqrt,
    to_int,
    vec,
    where,
)
from ...mjconst import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_SPHERE,
)
from ..spatial import dot3, mat_t_vec, mat_vec, zeros3
from .hull import (
    IN_HULL,
    VERTEX,
    climb,
    farthest_by_lanes,
    farthest_in_one,
    farthest_of_all,
    farthest_on_hull,
    vertex_of,
)

POINT, SEGMENT, HULL = 16, 17, 18  # ways besides the geom types: round geoms shrunk, large meshes
CORNERED = sum(1 << k for k in (GEOM_BOX, GEOM_MESH, HULL, GEOM_HFIELD, POINT, SEGMENT))
TINY = 1e-30  # a squared length below this is zero

POLYTOPE = 4  # first row of ccd_vert that belongs to the polytope
MOST_ITERATIONS = 200  # rows are there for so many


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
        return farthest_of_prism(d.ccd_prism, direction)
    # the others: the farthest point p along u, both in the axes of the shape
    R, mesh = d.ccd_mat[s], d.ccd_mesh[s]
    u = mat_t_vec(R, direction)
    if kind == GEOM_MESH:
        d.ccd_hint[s, VERTEX] = farthest_in_one(m, d, mesh, u, d.ccd_hint[s, VERTEX])
        p = m.mesh_vert[m.mesh_vertadr[mesh] + d.ccd_hint[s, VERTEX]]
    elif kind == HULL:
        best, p = farthest_on_hull(m, d, mesh, u, d.ccd_hint[s, IN_HULL])
        d.ccd_hint[s, IN_HULL] = best
        d.ccd_hint[s, VERTEX] = vertex_of(m, mesh, best)
    else:
        p, corner = farthest(kind, size, u)
        d.ccd_hint[s, VERTEX] = to_int(corner)
    return mat_vec(R, p) + pos


@kernel(fused=False)
def supports(m, d, s, direction, on):
    """The same of shape s in each world of `on`, in a direction of its own."""
    kind = d.ccd_kind[s]
    pos, size = d.gjk_pos[s], d.gjk_size[s]
    if kind == POINT:
        return pos
    if kind == GEOM_SPHERE:
        return direction * size[0] + pos
    if kind == GEOM_HFIELD:
        return farthest_of_prism(d.gjk_prism, direction)
    R, mesh = d.gjk_mat[s], d.ccd_mesh[s]
    u = mat_t_vec(R, direction)
    if kind == GEOM_MESH or kind == HULL:
        first = splat(1.0 * m.mesh_vertadr[mesh])
        if d.ccd_mixed == 1:
            first = farthest_by_lanes(m, d, s, kind == HULL, u, on)
        elif kind == HULL:
            climb(m, d, s, mesh, u, on)
        else:
            last = d.gjk_hint[s, VERTEX]
            d.gjk_hint[s, VERTEX] = where(on, farthest_of_all(m, d, mesh, u, last, on), last)
        p = m.mesh_vert[first + maximum(d.gjk_hint[s, VERTEX], 0.0)]
    else:
        p, corner = farthest(kind, size, u)
        d.gjk_hint[s, VERTEX] = where(on, corner, d.gjk_hint[s, VERTEX])
    return mat_vec(R, p) + pos


@kernel(inline=True)
def farthest(kind, size, u):
    """The point of a geom with a formula that is farthest along u, both in its axes; its corner."""
    p, corner = u, -1.0
    top = where(u[2] >= 0.0, size[1], -size[1])
    if kind == SEGMENT:
        p = vec(0.0, 0.0, top)
    elif kind == GEOM_CAPSULE:
        p = u * size[0]
        p = vec(p[0], p[1], p[2] + top)
    elif kind == GEOM_ELLIPSOID:
        # S^2 u / |S u|, S the half-axes
        v = vec(u[0] * size[0], u[1] * size[1], u[2] * size[2])
        norm2 = dot3(v, v)
        f = 1.0 / sqrt(norm2)
        p = vec(v[0] * (f * size[0]), v[1] * (f * size[1]), v[2] * (f * size[2]))
        p = where(norm2 >= TINY, p, vec(size[0], 0.0, 0.0))
    elif kind == GEOM_CYLINDER:
        # on the rim of the end that u points to
        norm2 = u[0] * u[0] + u[1] * u[1]
        f = where(norm2 >= TINY, size[0] / sqrt(norm2), 0.0)
        p, corner = vec(f * u[0], f * u[1], top), where(u[2] >= 0.0, 0.0, 1.0)
    elif kind == GEOM_BOX:
        p = vec(
            where(u[0] >= 0.0, size[0], -size[0]),
            where(u[1] >= 0.0, size[1], -size[1]),
            where(u[2] >= 0.0, size[2], -size[2]),
        )
        corner = where(p[0] > 0.0, 1.0, 0.0) + where(p[1] > 0.0, 2.0, 0.0)
        corner = corner + where(p[2] > 0.0, 4.0, 0.0)
    return p, corner


@kernel(inline=True)
def farthest_of_prism(prism, direction):
    """The vertex of a prism: among the upper three if the direction points up."""
    down = direction[2] < 0.0
    best = where(down, prism[0], prism[3])
    most = dot3(best, direction)
    for i in range(1, 3):
        p = where(down, prism[i], prism[i + 3])
        x = dot3(p, direction)
        best, most = where(x > most, p, best), where(x > most, x, most)
    return best


@kernel
def add_point(m, d, row, direction):
    """The farthest point of the first shape minus the second, in a direction; into a row, too."""
    p1 = support(m, d, 0, direction)
    if d.ccd_margin[0] > 0.0:
        p1 = p1 + direction * (0.5 * d.ccd_margin[0])
    back = -direction
    p2 = support(m, d, 1, back)
    if d.ccd_margin[1] > 0.0:
        p2 = p2 + back * (0.5 * d.ccd_margin[1])
    d.ccd_vert1[row] = p1
    d.ccd_vert2[row] = p2
    p = p1 - p2
    d.ccd_vert[row] = p
    d.ccd_vertid[row, 0] = d.ccd_hint[0, VERTEX]
    d.ccd_vertid[row, 1] = d.ccd_hint[1, VERTEX]
    return p


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
    """Where shape s is in each world, for a first guess."""
    if d.ccd_kind[s] == GEOM_HFIELD:
        p = zeros3()
        for i in range(6):
            p = p + d.gjk_prism[i]
        return p * (1.0 / 6.0)
    return d.gjk_pos[s]


@kernel(inline=True)
def flat(d, s, margin):
    """Whether a shape that is grown by a margin has corners only."""
    return (CORNERED >> d.ccd_kind[s] & 1 == 1) & (margin == 0.0)
