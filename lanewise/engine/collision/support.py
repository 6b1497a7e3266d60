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
    W,
    any_lane,
    kernel,
    lane_item,
    load_lane,
    mask_item,
    maximum,
    minimum,
    not_,
    splat,
    sqrt,
    store_lane,
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

POINT, SEGMENT, HULL = 16, 17, 18  # ways besides the geom types: round geoms shrunk, large meshes
CORNERED = sum(1 << k for k in (GEOM_BOX, GEOM_MESH, HULL, GEOM_HFIELD, POINT, SEGMENT))
TINY = 1e-30  # a squared length below this is zero
HUGE = 1.7976931348623157e308
TIE = 1e-12  # vertices that differ by less are equally far, as to the way to them
SWEEP = 64  # hulls of at most so many are looked at as a whole, if worlds are many
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
        return farthest_of_prism(d.ccd_prism, direction)
    # the others: the farthest point p along u, both in the axes of the shape
    R, mesh = d.ccd_mat[s], d.ccd_mesh[s]
    u = mat_t_vec(R, direction)
    if kind == GEOM_MESH:
        d.ccd_hint[s, VERTEX] = to_int(
            farthest_of_all(m, d, mesh, u, d.ccd_hint[s, VERTEX] * 1.0, True)
        )
        p = m.mesh_vert[m.mesh_vertadr[mesh] + d.ccd_hint[s, VERTEX]]
    elif kind == HULL:
        best = farthest_on_hull(m, d, mesh, u, d.ccd_hint[s, IN_HULL])
        d.ccd_hint[s, IN_HULL] = best
        d.ccd_hint[s, VERTEX] = vertex_of(m, mesh, best)
        p = m.mesh_vert[m.mesh_vertadr[mesh] + d.ccd_hint[s, VERTEX]]
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
        if kind == HULL:
            climb(m, d, s, mesh, u, on)
        else:
            last = d.gjk_hint[s, VERTEX]
            d.gjk_hint[s, VERTEX] = where(on, farthest_of_all(m, d, mesh, u, last, on), last)
        p = m.mesh_vert[m.mesh_vertadr[mesh] + maximum(d.gjk_hint[s, VERTEX], 0.0)]
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


@kernel(inline=True)
def farthest_of_all(m, d, mesh, u, last, on):
    """The vertex of a small mesh, by looking at each; among equals the last one found stays."""
    first = m.mesh_vertadr[mesh]
    best, most, again, second = 0.0, -3.4028234663852886e38, -HUGE, -HUGE
    for i in range(m.mesh_vertnum[mesh]):
        x = dot3(u, m.mesh_vert[first + i])
        again = where(last == i * 1.0, x, again)
        second = maximum(second, minimum(x, most))
        best, most = where(x > most, i * 1.0, best), where(x > most, x, most)
    if any_lane(on & (most - second < TIE)):
        d.ccd_tie = 1
    return where(again >= most, last, best)


@kernel
def climb(m, d, s, mesh, u, on):
    """Find the vertex of a large mesh in each world of `on`: gjk_hint.

    Of a small hull all vertices are looked at, for all worlds at once, which gives the same where
    one vertex is farther than all others. Else the way decides, and is gone world by world.
    """
    if W > 1 and m.mesh_graph[m.mesh_graphadr[mesh]] <= SWEEP:
        best, sure = sweep(m, mesh, u)
        sure = on & sure
        graph = m.mesh_graphadr[mesh]
        vertex = m.mesh_graph[graph + 2 + m.mesh_graph[graph] + best]
        d.gjk_hint[s] = where(sure, vec(vertex, best), d.gjk_hint[s])
        on = on & not_(sure)
        if not any_lane(on):
            return
    d.gjk_along[0] = u
    for w in range(W):
        if mask_item(on, w):
            last = to_int(load_lane(d.gjk_hint, (s, IN_HULL), w))
            best = farthest_on_hull(m, d, mesh, load_lane(d.gjk_along, 0, w), last)
            store_lane(d.gjk_hint, (s, IN_HULL), w, best * 1.0)
            store_lane(d.gjk_hint, (s, VERTEX), w, vertex_of(m, mesh, best) * 1.0)


@kernel(inline=True)
def sweep(m, mesh, u):
    """The farthest vertex of a hull, by looking at each; and where none is as far."""
    first, graph = m.mesh_vertadr[mesh], m.mesh_graphadr[mesh]
    n = m.mesh_graph[graph]
    best, most, second = splat(0.0), splat(-HUGE), splat(-HUGE)
    for i in range(n):
        x = dot3(u, m.mesh_vert[first + m.mesh_graph[graph + 2 + n + i]])
        second = maximum(second, minimum(x, most))
        best, most = where(x > most, i * 1.0, best), maximum(x, most)
    return best, most - second >= TIE


@kernel(inline=True)
def vertex_of(m, mesh, i):
    """Which vertex of a mesh the hull's vertex i is."""
    graph = m.mesh_graphadr[mesh]
    return m.mesh_graph[graph + 2 + m.mesh_graph[graph] + i]


@kernel
def farthest_on_hull(m, d, mesh, u, last):
    """The vertex of a large mesh, as one of its hull: uphill along edges, from the better of two
    starts; `last` is where a search ended before, or -1.
    """
    first = m.mesh_vertadr[mesh]
    graph = m.mesh_graphadr[mesh]
    n = m.mesh_graph[graph]
    vertex = graph + 2 + n  # in mesh_graph: vertices of the hull, as vertices of the mesh
    edges = vertex + n  # their neighbours, in lists that end with -1

    # a vertex that is far in about this direction, or the one found last if that is no worse
    best = m.mesh_extrema[mesh, 13 + 9 * third(u[0]) + 3 * third(u[1]) + third(u[2])]
    best = best if best >= 0 else 0
    most = dot3(u, m.mesh_vert[first + m.mesh_graph[vertex + best]])
    if last >= 0:
        x = dot3(u, m.mesh_vert[first + m.mesh_graph[vertex + last]])
        if not most > x:
            best, most = last, x
    # to the best neighbour, until there is no better one
    before, second = -1, -HUGE
    while best != before:
        before, second = best, -HUGE
        i = edges + m.mesh_graph[graph + 2 + before]
        neighbour = m.mesh_graph[i]
        while neighbour >= 0:
            x = dot3(u, m.mesh_vert[first + m.mesh_graph[vertex + neighbour]])
            second = max(second, x)
            if x > most:
                best, most = neighbour, x
            i += 1
            neighbour = m.mesh_graph[i]
    if most - second < TIE:
        d.ccd_tie = 1
    return best


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
