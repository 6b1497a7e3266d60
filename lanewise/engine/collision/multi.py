"""Several contacts where two convex shapes meet along a face or an edge.

One point does not hold a box on a table. The simplex that gave depth and direction says which
features of the shapes meet: a corner, an edge or a face, by one, two or three different vertices.
Around these, a face of one shape is looked for that lies against a face of the other: with outward
normals u and v

    (1)  u . v < -FACING

or an edge of one, of unit direction e, that lies along a face of the other:

    (2)  |e . u| < LEVEL

Both bounds are of the same angle, about 5 degrees. Whatever lies on the face, a polygon or an edge,
is cut off at the sides of the face. These stand on its edges: from corner a to corner b, which go
clockwise around the outward normal n, everything inside has

    (3)  x(p) = (p - a) . ((b - a) x n)  >=  0

An edge of the polygon from p to q that crosses a side is cut at

    (4)  p + t (q - p),   t = x(p) / (x(p) - x(q))

The corners that are left, as far as they are not above the face, become contacts. Such a corner p
stands over a point of the face, from which the other surface is found back along r, the normal of
the other face (or for an edge, -n):

    (5)  y = p - n n . (p - a),   depth = (y - p) . r,   other point = y - r depth

Four contacts at most are kept, those that span a large quadrilateral; of an edge, its two ends.

Capsules have an edge only, cylinders two faces, whose rims are taken as polygons of 16 corners, and
edges along the side.

    ccd_way      normals of the faces that may meet, ccd_wayid which faces they are: from row 0 on
                 those of the first shape, from row WAYS on those of the second
    ccd_edge     directions of the edges that may meet, ccd_end where they end
    ccd_polygon  what is clipped, now from row 0 on, now from row CORNERS on
    ccd_stack    the corners of it that become contacts
"""

from ...lanes import kernel, load_lane, sqrt, vec
from ...mjconst import GEOM_BOX, GEOM_CAPSULE, GEOM_CYLINDER, GEOM_MESH, MINVAL
from ..spatial import cross, dot3, mat_t_vec, mat_vec, norm3, normalize3
from .support import TINY

FACING = 0.996  # cosine between the normals of faces that lie against each other
LEVEL = 0.0888  # sine of the angle up to which an edge lies along a face
WAYS = 256  # at most so many faces or edges meet in a corner
CORNERS = 512  # at most so many corners has a clipped polygon
COS16 = (
    1.0, 0.923879532511287, 0.707106781186548, 0.38268343236509,
    0.0, -0.38268343236509, -0.707106781186547, -0.923879532511287,
    -1.0, -0.923879532511287, -0.707106781186548, -0.38268343236509,
    0.0, 0.38268343236509, 0.707106781186547, 0.923879532511287,
)  # fmt: skip
SIN16 = (
    0.0, 0.38268343236509, 0.707106781186547, 0.923879532511287,
    1.0, 0.923879532511287, 0.707106781186548, 0.38268343236509,
    0.0, -0.38268343236509, -0.707106781186547, -0.923879532511287,
    -1.0, -0.923879532511287, -0.707106781186548, -0.38268343236509,
)  # fmt: skip
# corners of a box's faces +x, -x, +y, -y, +z, -z, clockwise from outside: three bits for each, the
# first corner's lowest, with the signs of x, y, z
BOX_FACES = (0o5137, 0o0462, 0o6732, 0o0154, 0o4576, 0o1023)


@kernel
def multiple_contacts(m, d, most):
    """Replace the one result by up to `most` that lie along the same faces or edges."""
    if no_polygons(m, d, 0) or no_polygons(m, d, 1):
        return
    # what of either shape is in the simplex, and the faces that this belongs to
    dim1, a1, b1, c1 = feature(d, 0)
    dim2, a2, b2, c2 = feature(d, 1)
    into = d.ccd_x2[0] - d.ccd_x1[0]  # into the first shape, out of the second
    n1 = faces_at(m, d, 0, a1, b1, c1, dim1, -into)
    n2 = faces_at(m, d, 1, a2, b2, c2, dim2, into)

    # two faces by (1), else an edge and a face by (2)
    edge = -1  # the shape of which an edge lies along a face of the other
    pair = facing(d, n1, n2, into)
    if pair < 0:
        # the smaller feature is the edge; or the other one, if that does not lie along a face
        s = 1 if dim2 != 3 and n1 > 0 and (dim2 < dim1 or n2 == 0) else 0
        for _ in range(2):
            dim, faces = (dim2, n1) if s == 1 else (dim1, n2)
            if pair < 0 and dim != 3 and faces > 0:
                edges = edges_at(m, d, s, dim, a2 if s == 1 else a1, b2 if s == 1 else b1)
                pair = edge_on_face(d, WAYS * (1 - s), faces, edges, into if s == 0 else -into)
                edge = s
            s = 1 - s
        if pair < 0:
            return
    i, j = pair // WAYS, pair % WAYS

    # the face by which the other feature is clipped, and the direction from that back to the face
    upon = 1 if edge == 0 else 0
    way = i if edge < 0 else WAYS * upon + j
    f, normal = d.ccd_wayid[way], d.ccd_way[way]
    back = -normal if edge >= 0 else d.ccd_way[WAYS + j]
    # what is clipped: an edge, whose beginning is there already, or the other face
    corners = 2
    if edge >= 0:
        d.ccd_polygon[1] = d.ccd_end[i]
    else:
        other = d.ccd_wayid[WAYS + j]
        corners = min(face_size(m, d, 1, other), CORNERS)
        for k in range(corners):
            d.ccd_polygon[k] = face_corner(m, d, 1, other, k)

    # half of the margins; capsules have theirs in the edge already
    grown1 = 0.0 if d.ccd_type[0] == GEOM_CAPSULE else 0.5 * d.ccd_margin[0]
    grown2 = 0.0 if d.ccd_type[1] == GEOM_CAPSULE else 0.5 * d.ccd_margin[1]
    # (3) and (4), without what is above the face; then (5) for the corners to be kept
    n = clip_polygon(m, d, upon, f, normal, corners)
    rim = face_corner(m, d, upon, f, 0)
    n = choose(d, keep_below(d, n, rim, normal, grown1 + grown2), most, edge >= 0)
    if n > 0:
        write_results(d, n, rim, normal, back, upon)
        inflate(d, n, grown1, grown2, normal if edge == 1 else -normal if edge == 0 else -back)
        d.ccd_nfound = n


@kernel(inline=True)
def no_polygons(m, d, s):
    """A mesh whose faces are not known."""
    return d.ccd_type[s] == GEOM_MESH and m.mesh_polynum[d.ccd_mesh[s]] == 0


@kernel(inline=True)
def feature(d, s):
    """How many different vertices of shape s are in the simplex, and which: up to three."""
    n = d.ccd_nsimplex
    a = d.ccd_vertid[0, s]
    b = d.ccd_vertid[1, s] if n > 1 else a
    c = d.ccd_vertid[2, s] if n > 2 else a
    if a == b:
        return (1 if a == c else 2), a, c, c
    if b == c:
        return 2, a, b, c
    return (2 if a == c else 3), a, b, c


@kernel
def inflate(d, n, grown1, grown2, normal):
    """Move the points of the first n results outwards; normal points out of the first shape."""
    if grown1 != 0.0 or grown2 != 0.0:
        for i in range(n):
            d.ccd_x1[i] = d.ccd_x1[i] + normal * grown1
            d.ccd_x2[i] = d.ccd_x2[i] + normal * -grown2
            d.ccd_dist[i] = d.ccd_dist[i] - (grown1 + grown2)


# ------------------------------------------------------------------------------ faces and edges


@kernel
def faces_at(m, d, s, a, b, c, dim, out):
    """List the faces of shape s that have these vertices; how many."""
    kind, row = d.ccd_type[s], WAYS * s
    if kind == GEOM_CYLINDER:
        # a single point is on one of the two ends; more are along the side
        if dim > 1:
            return 0
        d.ccd_way[row] = mat_vec(d.ccd_mat[s], vec(0.0, 0.0, -1.0 if a else 1.0))
        d.ccd_wayid[row] = a
        return 1
    if kind == GEOM_BOX:
        return box_faces(d, s, a & b & c, a | b | c, out)
    if kind == GEOM_MESH:
        return mesh_faces(m, d, s, a, b, c, dim)
    return 0


@kernel
def box_faces(d, s, every, some, out):
    """The faces that all corners are on, or else the one that faces out."""
    R, row, n = d.ccd_mat[s], WAYS * s, 0
    for axis in range(3):
        high, low = (every >> axis) & 1, 1 - ((some >> axis) & 1)
        if high + low > 0:
            add_box_face(d, R, row + n, 2 * axis + low)
            n += 1
    # corners of no common face, as those of a diagonal through the box
    if n == 0:
        u = mat_t_vec(R, out)
        u = u * (1.0 / norm3(u))
        for f in range(6):
            x = u[0] if f < 2 else u[1] if f < 4 else u[2]
            if n == 0 and (-x if f % 2 else x) > FACING:
                add_box_face(d, R, row, f)
                n = 1
    return n


@kernel
def add_box_face(d, R, row, f):
    sign, axis = (-1.0 if f % 2 else 1.0), f // 2
    d.ccd_way[row] = mat_vec(
        R,
        vec(
            sign if axis == 0 else 0.0,
            sign if axis == 1 else 0.0,
            sign if axis == 2 else 0.0,
        ),
    )
    d.ccd_wayid[row] = f


@kernel
def mesh_faces(m, d, s, a, b, c, dim):
    """The polygons of one vertex, or up to two of an edge, or one of three vertices."""
    mesh, row, n = d.ccd_mesh[s], WAYS * s, 0
    first = m.mesh_vertadr[mesh]
    start = m.mesh_polymapadr[first + a]
    most = WAYS if dim == 1 else 2
    # the polygons of the first vertex, if the second is on them too
    for i in range(m.mesh_polymapnum[first + a]):
        f = m.mesh_polymap[start + i]
        if n < most and (dim == 1 or has_polygon(m, first + b, f)):
            d.ccd_wayid[row + n] = f
            n += 1
    # and of these the first that has the third vertex
    if dim == 3:
        i = 0
        while i < n and not has_polygon(m, first + c, d.ccd_wayid[row + i]):
            i += 1
        if i == n:
            return 0
        d.ccd_wayid[row] = d.ccd_wayid[row + i]
        n = 1
    R = d.ccd_mat[s]
    for i in range(n):
        f = m.mesh_polyadr[mesh] + d.ccd_wayid[row + i]
        d.ccd_way[row + i] = mat_vec(R, load_lane(m.mesh_polynormal, f, d.ccd_lane))
    return n


@kernel(inline=True)
def has_polygon(m, vertex, f):
    """Whether a polygon has a vertex, this counted over all meshes."""
    start, found = m.mesh_polymapadr[vertex], False
    for i in range(m.mesh_polymapnum[vertex]):
        found = found or m.mesh_polymap[start + i] == f
    return found


@kernel(inline=True)
def box_corner(d, s, bits):
    """The corner of a box with these signs."""
    size = d.ccd_size[s]
    return to_world(
        d,
        s,
        vec(
            size[0] if bits & 1 else -size[0],
            size[1] if bits & 2 else -size[1],
            size[2] if bits & 4 else -size[2],
        ),
    )


@kernel
def to_world(d, s, p):
    """A point given in the axes of shape s."""
    return mat_vec(d.ccd_mat[s], p) + d.ccd_pos[s]


@kernel
def edges_at(m, d, s, dim, a, b):
    """List the edges of shape s at a vertex, or the one to another vertex; how many.

    The point they start from becomes the first corner of ccd_polygon.
    """
    kind, n = d.ccd_type[s], 1
    p = d.ccd_vert1[0] if s == 0 else d.ccd_vert2[0]
    if kind == GEOM_CAPSULE:
        # along the axis, but in the surface: through the point found
        R, x, half = d.ccd_mat[s], d.ccd_x1[0] if s == 0 else d.ccd_x2[0], d.ccd_size[s, 1]
        axis = vec(R[2], R[5], R[8])
        t = dot3(axis, x - d.ccd_pos[s])
        p = axis * (-t - half) + x
        d.ccd_edge[0] = axis
        d.ccd_end[0] = axis * (half - t) + x
    elif kind == GEOM_CYLINDER:
        # along the side, from the end where the point is (vertex 0 top, 1 bottom) to the other
        R, sign = d.ccd_mat[s], 1.0 if a else -1.0
        axis = vec(sign * R[2], sign * R[5], sign * R[8])
        if d.ccd_margin[s] > 0.0:  # the margin is not part of the rim
            u = mat_t_vec(R, p - d.ccd_pos[s])
            norm2 = u[0] * u[0] + u[1] * u[1]
            f = d.ccd_size[s, 0] / sqrt(norm2) if norm2 >= TINY else 0.0
            p = to_world(d, s, vec(u[0] * f, u[1] * f, -sign * d.ccd_size[s, 1]))
        d.ccd_edge[0] = axis
        d.ccd_end[0] = axis * (2.0 * d.ccd_size[s, 1]) + p
    elif kind == GEOM_BOX:
        # to the other corner, or to the three that differ in one sign
        p = box_corner(d, s, a)
        n = 1 if dim == 2 else 3
        for i in range(n):
            end = box_corner(d, s, b if dim == 2 else a ^ (1 << i))
            d.ccd_end[i] = end
            d.ccd_edge[i] = normalize3(end - p)
    elif kind == GEOM_MESH:
        # to the other vertex, or to the one before in each polygon around
        first = m.mesh_vertadr[d.ccd_mesh[s]]
        p = to_world(d, s, m.mesh_vert[first + a])
        start = m.mesh_polymapadr[first + a]
        n = 1 if dim == 2 else min(m.mesh_polymapnum[first + a], WAYS)
        for i in range(n):
            v = b if dim == 2 else corner_before(m, d.ccd_mesh[s], m.mesh_polymap[start + i], a)
            end = to_world(d, s, m.mesh_vert[first + v])
            d.ccd_end[i] = end
            d.ccd_edge[i] = normalize3(end - p)
    else:
        n = 0
    d.ccd_polygon[0] = p
    return n


@kernel(inline=True)
def corner_before(m, mesh, f, vertex):
    """The corner before a given one, around a polygon."""
    f = m.mesh_polyadr[mesh] + f
    start, n = m.mesh_polyvertadr[f], m.mesh_polyvertnum[f]
    before = m.mesh_polyvert[start + n - 1]
    for i in range(n):
        v = m.mesh_polyvert[start + i]
        if v == vertex:
            return before
        before = v
    return vertex


@kernel(inline=True)
def facing(d, n1, n2, into):
    """The two faces that are most opposite by (1), as i * WAYS + j; -1 if none are."""
    slant = LEVEL * norm3(into)
    best, least = -1, -FACING
    for i in range(n1):
        u = d.ccd_way[i]
        if dot3(u, into) < -slant:
            for j in range(n2):
                v = d.ccd_way[WAYS + j]
                x = dot3(u, v)
                if dot3(v, into) > slant and x < least:
                    best, least = i * WAYS + j, x
    return best


@kernel
def edge_on_face(d, row, faces, edges, out):
    """The first edge and face that faces out of which (2) holds, as edge * WAYS + face, or -1."""
    for j in range(faces):
        u = d.ccd_way[row + j]
        if dot3(u, out) > MINVAL:
            for i in range(edges):
                if abs(dot3(d.ccd_edge[i], u)) < LEVEL:
                    return i * WAYS + j
    return -1


@kernel(inline=True)
def face_size(m, d, s, f):
    """How many corners a face has."""
    kind = d.ccd_type[s]
    if kind == GEOM_MESH:
        return m.mesh_polyvertnum[m.mesh_polyadr[d.ccd_mesh[s]] + f]
    return 4 if kind == GEOM_BOX else 16


@kernel
def face_corner(m, d, s, f, k):
    """Corner k of a face, clockwise from outside."""
    kind = d.ccd_type[s]
    if kind == GEOM_BOX:
        return box_corner(d, s, (BOX_FACES[f] >> (3 * k)) & 7)
    if kind == GEOM_CYLINDER:
        sign, size = (-1.0 if f else 1.0), d.ccd_size[s]
        p = vec(size[0] * COS16[k], size[0] * -SIN16[k] * sign, sign * size[1])
        return to_world(d, s, p)
    mesh = d.ccd_mesh[s]
    f = m.mesh_polyadr[mesh] + f
    v = m.mesh_polyvert[m.mesh_polyvertadr[f] + m.mesh_polyvertnum[f] - 1 - k]
    return to_world(d, s, m.mesh_vert[m.mesh_vertadr[mesh] + v])


# ------------------------------------------------------------------------------------- clipping


@kernel
def clip_polygon(m, d, s, f, normal, n):
    """Cut a polygon of n corners off along the edges of a face of shape s; corners that remain.

    From row ccd_clipped on.
    """
    base = 0
    size = face_size(m, d, s, f)
    a = face_corner(m, d, s, f, 0)
    # one side of the face after the other, from one half of ccd_polygon into the other
    for e in range(size):
        b = face_corner(m, d, s, f, after(e, size))
        inward = normalize3(cross(b - a, a + normal - a))
        to, kept = CORNERS - base, 0
        p = d.ccd_polygon[base]
        x = dot3(p - a, inward)  # (3)
        # along each edge p q: where it crosses the side, and its end if that is inside
        for i in range(n):
            q = d.ccd_polygon[base + after(i, n)]
            y = dot3(q - a, inward)
            p_in, q_in = x > -MINVAL, y > -MINVAL
            if p_in != q_in and x - y != 0.0:
                t = x / (x - y)  # (4)
                if 0.0 <= t <= 1.0 and kept < CORNERS:
                    d.ccd_polygon[to + kept] = (q - p) * t + p
                    kept += 1
            if q_in and kept < CORNERS:
                d.ccd_polygon[to + kept] = q
                kept += 1
            p, x = q, y
        base, n, a = to, kept, b
    d.ccd_clipped = base
    return n


@kernel
def keep_below(d, n, rim, normal, height):
    """Drop the corners that are more than this above the plane of a face; how many remain."""
    base, kept = d.ccd_clipped, 0
    for i in range(n):
        p = d.ccd_polygon[base + i]
        if dot3(p - rim, normal) <= height:
            d.ccd_polygon[base + kept] = p
            kept += 1
    return kept


@kernel
def choose(d, n, most, edge):
    """List the corners to become contacts: up to `most` of n, far from each other."""
    if most < 5 and n > 4:
        largest_quadrilateral(d, n)
        return 4
    if edge and n > 2:
        farthest_two(d, n)
        return 2
    n = min(n, most)
    for i in range(n):
        d.ccd_stack[i] = i
    return n


@kernel(inline=True)
def farthest_two(d, n):
    base, most = d.ccd_clipped, 0.0
    d.ccd_stack[0] = 0
    d.ccd_stack[1] = 1
    for i in range(n):
        for j in range(i + 1, n):
            pq = d.ccd_polygon[base + j] - d.ccd_polygon[base + i]
            if dot3(pq, pq) > most:
                most = dot3(pq, pq)
                d.ccd_stack[0] = i
                d.ccd_stack[1] = j


@kernel
def quadrilateral_area(d, i, j, k, o):
    """Area of the quadrilateral of four corners."""
    base = d.ccd_clipped
    ki = d.ccd_polygon[base + i] - d.ccd_polygon[base + k]
    oj = d.ccd_polygon[base + j] - d.ccd_polygon[base + o]
    return 0.5 * norm3(cross(ki, oj))


@kernel
def largest_quadrilateral(d, n):
    """Four corners of a convex polygon with a large area, by moving them on one after the other."""
    # for each first corner i the last one moves on as long as the area grows, and after each of
    # its moves the two between catch up
    j, k, o = 1, 2, 3
    most = quadrilateral_area(d, 0, 1, 2, 3)
    for c in range(4):
        d.ccd_stack[c] = c
    for i in range(n):
        x = quadrilateral_area(d, i, j, k, after(o, n))
        while x > most:
            o, most = after(o, n), x
            x = quadrilateral_area(d, i, j, after(k, n), o)
            while x > most:
                k, most = after(k, n), x
                x = quadrilateral_area(d, i, j, after(k, n), o)
            x = quadrilateral_area(d, i, after(j, n), k, o)
            while x > most:
                j, most = after(j, n), x
                x = quadrilateral_area(d, i, after(j, n), k, o)
            d.ccd_stack[0] = i
            d.ccd_stack[1] = j
            d.ccd_stack[2] = k
            d.ccd_stack[3] = o
            x = quadrilateral_area(d, i, j, k, after(o, n))
        # none may fall behind the next first corner
        if j == i:
            j = after(j, n)
            if k == j:
                k = after(k, n)
                if o == k:
                    o = after(o, n)


@kernel(inline=True)
def after(i, n):
    """The next of n corners."""
    return i + 1 if i + 1 < n else 0


@kernel
def write_results(d, n, rim, normal, back, upon):
    """Results for n corners by (5): on the face of shape `upon`, and back from there."""
    base = d.ccd_clipped
    for i in range(n):
        p = d.ccd_polygon[base + d.ccd_stack[i]]
        on = p - normal * dot3(p - rim, normal)
        depth = dot3(on - p, back)
        off = on - back * depth
        d.ccd_dist[i] = depth
        d.ccd_x1[i] = on if upon == 0 else off
        d.ccd_x2[i] = off if upon == 0 else on
