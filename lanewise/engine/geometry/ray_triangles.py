"""Where rays meet triangles: one by one, in meshes, and in height fields.

Eight rays at once, as in ray_shapes.py. They are looked at along v: seen that way, a ray is the
origin of a plane with the unit axes a and b, and it meets a triangle if that contains the origin.
With the corners q0, q1, q2 there, that is

    (1)  t0 (q0 - q2) + t1 (q1 - q2) = -q2,    t0 >= 0, t1 >= 0, t0 + t1 <= 1

A mesh has MuJoCo's tree of boxes, a face in every leaf. The packet goes down where one of its rays
meets the box before what it met already, first to the child that is nearer along the first ray.

A height field stands on a box. Of its surface, the packet looks at the cells under its rays, row by
row: between the lines y = r and y = r + 1 of the grid each ray has a piece, whose ends say which
columns it passes over, and how low it gets.
"""

from ...lanes import (
    NROW,
    abs_,
    all_lanes,
    any_lane,
    floor,
    kernel,
    lane_item,
    load_lane,
    maximum,
    minimum,
    not_,
    store_lane,
    vec,
    where,
)
from ...mjconst import MINVAL
from ..spatial import cross, dot3, norm3
from .ray_shapes import INF, NO_HIT, least, meets_box, meets_faces, meets_sphere

TRIANGLES = 6  # parts of a height field: the faces of a box, then triangles from this number on
EARLIER = 1.0 - 1e-12  # room for round-off where a box ends at what it is around
BESIDE = 0.01  # by how much of a cell a ray may pass beside it


@kernel(inline=True)
def normalized(a):
    """a to unit length; too short: the x axis"""
    n = norm3(a)
    short = n < MINVAL
    scale = 1.0 / where(short, 1.0, n)
    x = where(short, 1.0, a[0] * scale)
    return vec(x, where(short, 0.0, a[1] * scale), where(short, 0.0, a[2] * scale))


@kernel(fused=False)
def across(v):
    """Unit axes a and b of the plane across v"""
    x, y, z = abs_(v[0]), abs_(v[1]), abs_(v[2])
    most_x = (x >= y) & (x >= z)
    most_y = (y >= z) & ((x < y) | (x < z))
    # the diagonal of the two smaller axes, made orthogonal to v
    ones = where(most_x | most_y, 1.0, 0.0)
    diagonal = vec(where(most_x, 0.0, 1.0), where(most_y, 0.0, 1.0), ones)
    scale = -dot3(v, diagonal) / dot3(v, v)
    b = normalized(diagonal + v * scale)
    return normalized(cross(b, v)), b


@kernel(fused=False)
def meets_triangle(p, v, a, b, v0, v1, v2):
    """x where a ray meets the triangle, or -1"""
    d0, d1, d2 = v0 - p, v1 - p, v2 - p
    a0, a1, a2 = dot3(a, d0), dot3(a, d1), dot3(a, d2)
    b0, b1, b2 = dot3(b, d0), dot3(b, d1), dot3(b, d2)
    # all corners on one side
    beside = ((a0 > 0.0) & (a1 > 0.0) & (a2 > 0.0)) | ((a0 < 0.0) & (a1 < 0.0) & (a2 < 0.0))
    beside = beside | ((b0 > 0.0) & (b1 > 0.0) & (b2 > 0.0))
    beside = beside | ((b0 < 0.0) & (b1 < 0.0) & (b2 < 0.0))
    if all_lanes(beside):
        return where(beside, NO_HIT, a0)
    # (1)
    A00, A01, A10, A11 = a0 - a2, a1 - a2, b0 - b2, b1 - b2
    det = A00 * A11 - A01 * A10
    flat = abs_(det) < MINVAL
    det = where(flat, 1.0, det)
    t0 = (A11 * -a2 - A01 * -b2) / det
    t1 = (-A10 * -a2 + A00 * -b2) / det
    inside = (t0 >= 0.0) & (t1 >= 0.0) & (t0 + t1 <= 1.0)
    # the plane of the triangle
    normal = cross(v0 - v2, v1 - v2)
    slope = dot3(v, normal)
    level = abs_(slope) < MINVAL
    x = -dot3(p - v2, normal) / where(level, 1.0, slope)
    return where(inside & not_(beside | flat | level) & (x >= 0.0), x, NO_HIT)


# ------------------------------------------------------------------------------------------- meshes


@kernel(fused=False)
def meets_mesh(m, d, mesh, size, p, v, best, on):
    """The first face that a ray of `on` meets before `best`: x or -1, and the face's node

    Faces that share an edge are met at the same x: then the one counts that MuJoCo comes to first,
    which has the higher number of a node.
    """
    # the box around all
    box, _ = meets_box(p, v, size)
    on = on & (box >= 0.0)
    x, part = best, INF
    if any_lane(on):
        a, b = across(v)
        inverse = vec(1.0 / v[0], 1.0 / v[1], 1.0 / v[2])
        way = vec(lane_item(v[0], 0), lane_item(v[1], 0), lane_item(v[2], 0))
        first, faces, vertices = m.mesh_bvhadr[mesh], m.mesh_faceadr[mesh], m.mesh_vertadr[mesh]
        d.ray_stack[0] = first
        n = 1
        while n > 0:
            n -= 1
            node = d.ray_stack[n]
            start = enters(m.mesh_box[node - m.nbodybox], p, inverse)
            if not any_lane(on & (start * EARLIER < x)):
                continue
            if m.bvh_child[node, 0] < 0:
                # a leaf
                f = faces + m.bvh_nodeid[node]
                v0 = m.mesh_vert[vertices + m.mesh_face[f, 0]]
                v1 = m.mesh_vert[vertices + m.mesh_face[f, 1]]
                v2 = m.mesh_vert[vertices + m.mesh_face[f, 2]]
                hit = meets_triangle(p, v, a, b, v0, v1, v2)
                closer = (hit < x) | ((hit == x) & (part < node))
                closer = on & (start < INF) & (hit >= 0.0) & closer
                x, part = where(closer, hit, x), where(closer, node, part)
            else:
                # the nearer child is looked at first
                one, two = first + m.bvh_child[node, 0], first + m.bvh_child[node, 1]
                c1, c2 = m.mesh_box[one - m.nbodybox], m.mesh_box[two - m.nbodybox]
                ahead = dot3(way, c2[0:3] - c1[0:3]) >= 0.0
                d.ray_stack[n] = two if ahead else one
                d.ray_stack[n + 1] = one if ahead else two
                n += 2
    return where(part < INF, x, NO_HIT), part


@kernel(inline=True)
def enters(box, p, inverse):
    """x where a ray enters a box, given by centre and half sizes; infinite if it never does

    Where a ray runs along a face, 0 * inf is NaN; comparisons decide as MuJoCo's do then.
    """
    low, high = slab(box[0] - box[3], box[0] + box[3], p[0], inverse[0])
    start, end = maximum(0.0, low), minimum(INF, high)
    low, high = slab(box[1] - box[4], box[1] + box[4], p[1], inverse[1])
    start, end = maximum(start, low), minimum(end, high)
    low, high = slab(box[2] - box[5], box[2] + box[5], p[2], inverse[2])
    start, end = maximum(start, low), minimum(end, high)
    return where(start <= end, start, INF)


@kernel(inline=True)
def slab(low, high, p, inverse):
    """x where a ray enters and leaves the space between two planes"""
    t1, t2 = (low - p) * inverse, (high - p) * inverse
    return minimum(t1, t2), where(t1 < t2, t2, t1)


# ------------------------------------------------------------------------------------ height fields


@kernel(fused=False)
def meets_field(m, d, field, size, p, v, best, on):
    """The first hit of a ray of `on` before `best`: x or -1, and which face or triangle it is"""
    # the base
    base, q = vec(size[0], size[1], size[3] * 0.5), vec(p[0], p[1], p[2] + size[3] * 0.5)
    x, part = meets_box(q, v, base)
    closer = on & (x >= 0.0) & (x < best) & (meets_sphere(q, v, dot3(base, base)) >= 0.0)
    x, part = where(closer, x, best), where(closer, part, NO_HIT)
    # the box that holds the surface, and the piece of a ray in it
    top, q = vec(size[0], size[1], size[2] * 0.5), vec(p[0], p[1], p[2] - size[2] * 0.5)
    sides = meets_faces(q, v, top)
    enter = least(sides)
    on = on & (enter >= 0.0) & (meets_sphere(q, v, dot3(top, top)) >= 0.0)
    if any_lane(on):
        leave = maximum(maximum(sides[0], sides[1]), maximum(sides[2], sides[3]))
        leave = maximum(leave, maximum(sides[4], sides[5]))
        enter = where(leave > enter, enter, 0.0)
        x, part = meets_surface(m, d, field, size, p, v, enter, leave, x, part, on)
        x, part = meets_sides(m, d, field, size, p, v, sides, x, part, on)
    return where(part >= 0.0, x, NO_HIT), part


@kernel(fused=False)
def meets_surface(m, d, field, size, p, v, enter, leave, x, part, on):
    """(x, part), or what a ray of `on` meets before, of the triangles between two of its points"""
    nrow, ncol, adr = m.hfield_nrow[field], m.hfield_ncol[field], m.hfield_adr[field]
    dx, dy = 2.0 * size[0] / (ncol - 1), 2.0 * size[1] / (nrow - 1)
    a, b = across(v)
    # in units of cells, rays are c + x vc, r + x vr
    c, r = (p[0] + size[0]) / dx, (p[1] + size[1]) / dy
    vc, vr = v[0] / dx, v[1] / dy
    low, high = bounds(d, on, r + enter * vr, r + leave * vr)
    for row in range(cell_of(low - BESIDE, nrow), cell_of(high + BESIDE, nrow) + 1):
        # the piece of each ray over this row
        t1, t2 = (row - BESIDE - r) / vr, (row + 1.0 + BESIDE - r) / vr
        start, end = maximum(enter, minimum(t1, t2)), minimum(leave, maximum(t1, t2))
        here = on & (start <= end) & (start * EARLIER < x)
        if not any_lane(here):
            continue
        low, high = bounds(d, here, c + start * vc, c + end * vc)
        zmin, _ = bounds(d, here, p[2] + start * v[2], p[2] + end * v[2])
        zmin = zmin - 1e-9 * size[2]
        y0, y1 = dy * row - size[1], dy * (row + 1) - size[1]
        line = adr + row * ncol
        for col in range(cell_of(low - BESIDE, ncol), cell_of(high + BESIDE, ncol) + 1):
            k = line + col
            z00, z01 = m.hfield_data[k] * size[2], m.hfield_data[k + 1] * size[2]
            z10, z11 = m.hfield_data[k + ncol] * size[2], m.hfield_data[k + ncol + 1] * size[2]
            if max(max(z00, z01), max(z10, z11)) < zmin:
                continue
            x0, x1 = dx * col - size[0], dx * (col + 1) - size[0]
            v00, v11 = vec(x0, y0, z00), vec(x1, y1, z11)
            cell = TRIANGLES + 2 * (row * ncol + col)
            hit = meets_triangle(p, v, a, b, v00, vec(x1, y0, z01), v11)
            closer = here & (hit >= 0.0) & (hit < x)
            x, part = where(closer, hit, x), where(closer, cell, part)
            hit = meets_triangle(p, v, a, b, v00, v11, vec(x0, y1, z10))
            closer = here & (hit >= 0.0) & (hit < x)
            x, part = where(closer, hit, x), where(closer, cell + 1, part)
    return x, part


@kernel
def bounds(d, on, a, b):
    """The least and the greatest of two numbers of the rays of `on`"""
    d.ray_work[0] = where(on, minimum(a, b), INF)
    d.ray_work[1] = where(on, maximum(a, b), -INF)
    low, high = INF, -INF
    for lane in range(NROW):
        low = min(low, load_lane(d.ray_work, 0, lane))
        high = max(high, load_lane(d.ray_work, 1, lane))
    return low, high


@kernel(inline=True)
def cell_of(x, n):
    """The cell that x is in, or the nearest of those between n lines"""
    return int(minimum(maximum(floor(x), 0.0), n - 2.0))


@kernel(fused=False)
def meets_sides(m, d, field, size, p, v, sides, x, part, on):
    """(x, part), or the side of the box around the surface that a ray of `on` meets before, below
    the surface"""
    for side in range(4):
        hit = sides[0]
        if side == 1:
            hit = sides[1]
        elif side == 2:
            hit = sides[2]
        elif side == 3:
            hit = sides[3]
        closer = on & (hit >= 0.0) & (hit < x)
        if not any_lane(closer):
            continue
        d.ray_work[0] = where(closer, 1.0, 0.0)
        d.ray_work[1] = (p[2] + hit * v[2]) / size[2]
        nrow, ncol = m.hfield_nrow[field], m.hfield_ncol[field]
        if side < 2:
            d.ray_work[2] = (p[1] + hit * v[1] + size[1]) / (2.0 * size[1] / (nrow - 1))
        else:
            d.ray_work[2] = (p[0] + hit * v[0] + size[0]) / (2.0 * size[0] / (ncol - 1))
        # ray by ray: each is over another edge of the surface
        for lane in range(NROW):
            if load_lane(d.ray_work, 0, lane) > 0.0:
                y, z = load_lane(d.ray_work, 2, lane), load_lane(d.ray_work, 1, lane)
                below = z < edge_height(m, field, side, y)
                store_lane(d.ray_work, 0, lane, 1.0 if below else 0.0)
        closer = d.ray_work[0] > 0.0
        x, part = where(closer, hit, x), where(closer, side, part)
    return x, part


@kernel(fused=False)
def edge_height(m, field, side, y):
    """Elevation, 0 to 1, at y cells along one of the field's four edges"""
    nrow, ncol, k = m.hfield_nrow[field], m.hfield_ncol[field], m.hfield_adr[field]
    along, stride = nrow, ncol
    if side == 1:
        k += ncol - 1
    elif side >= 2:
        along, stride = ncol, 1
        if side == 3:
            k += (nrow - 1) * ncol
    cell = cell_of(y, along)
    k += cell * stride
    return m.hfield_data[k] * (cell + 1.0 - y) + m.hfield_data[k + stride] * (y - cell)
