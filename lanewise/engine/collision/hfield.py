"""A height field against a convex geom.

The surface is a grid of elevations, each cell cut into two triangles. Vertex (r, c) of nrow by ncol
stands, in the axes F of the field and with its sizes a, b (half-lengths), h (height) and e (depth
of the base), at

    (1)  x = a (2 c / (ncol - 1) - 1),   y = b (2 r / (nrow - 1) - 1),   z = h elevation(r, c)

Under every triangle stands a prism that reaches down to z = -e: convex, so the convex method can
tell how it meets the other geom. Only the prisms under the geom's bounding box [xmin, xmax] x
[ymin, ymax] can, which are, by (1), those between the grid lines

    (2)  c = (ncol - 1) (a + x) / (2 a),  rounded down for xmin and up for xmax; r likewise

and of these only the ones that reach up to the geom's lowest point.

All happens in F, where the prisms are upright and the geom has its pose relative to them,

    (3)  R_FG = R_WF^T R_WG,   p_FG = R_WF^T (p_WG - p_WF)

A row of cells is walked as a strip: vertices alternate between the far and the near grid line, and
each new one makes a triangle with the two before it. Every prism that touches gives one contact.
"""

from ...lanes import (
    W,
    floor,
    kernel,
    lane_item,
    load_lane,
    mask_item,
    maximum,
    minimum,
    splat,
    store_lane,
    to_int,
    vec,
)
from ..spatial import mat_t_vec, mat_vec
from .constants import NO_CONTACT
from .convex import penetration, place_geom, place_prism
from .pairs import MOST_FOUND
from .support import support


@kernel
def hfield_pair(m, d, g1, g2, reach, mask):
    """Candidates of a height field and a convex geom: one per prism that touches."""
    mask = mask & near_field(m, d, g1, g2, reach)
    slots = 0
    for w in range(W):
        if mask_item(mask, w):
            slots = walk_prisms(m, d, g1, g2, lane_item(reach, w), w, slots)
    return slots


@kernel
def near_field(m, d, g1, g2, reach):
    """In which worlds the geom's bounding sphere meets the box around the field."""
    p = mat_t_vec(d.geom_xmat[g1], d.geom_xpos[g2] - d.geom_xpos[g1])
    size, r = m.hfield_size[m.geom_dataid[g1]], m.geom_rbound[g2] + reach
    inside = (p[0] - r <= size[0]) & (p[0] + r >= -size[0])
    inside = inside & (p[1] - r <= size[1]) & (p[1] + r >= -size[1])
    return inside & (p[2] - r <= size[2]) & (p[2] + r >= -size[3])


@kernel
def walk_prisms(m, d, g1, g2, reach, w, slots):
    """Find the contacts of one world; returns the slots in use by it or by a world before it."""
    field = m.geom_dataid[g1]
    nrow, ncol = m.hfield_nrow[field], m.hfield_ncol[field]
    size = load_lane(m.hfield_size, field, w)
    place_geom(m, d, 1, g2, w, reach)
    relative_pose(d, g1, g2, w)

    # the geom's bounding box, and the part of the grid under it
    xmax, xmin = far(m, d, 0, 1.0) + reach, far(m, d, 0, -1.0) - reach
    ymax, ymin = far(m, d, 1, 1.0) + reach, far(m, d, 1, -1.0) - reach
    zmax, zmin = far(m, d, 2, 1.0) + reach, far(m, d, 2, -1.0) - reach
    outside = xmin > size[0] or xmax < -size[0] or ymin > size[1] or ymax < -size[1]
    if outside or zmin > size[2] or zmax < -size[3]:
        return slots
    # (2)
    cmin, cmax = grid_line(xmin, size[0], ncol, 1.0), grid_line(xmax, size[0], ncol, -1.0)
    rmin, rmax = grid_line(ymin, size[1], nrow, 1.0), grid_line(ymax, size[1], nrow, -1.0)

    # one strip of triangles after the other
    dx, dy = 2.0 * size[0] / (ncol - 1), 2.0 * size[1] / (nrow - 1)
    count = 0
    for r in range(rmin, rmax):
        for i in range(2 * cmin, 2 * cmax + 2):  # the strip: far and near vertex of each column
            c, row = i // 2, r + 1 - i % 2  # (1)
            z = m.hfield_data[m.hfield_adr[field] + row * ncol + c] * size[2]
            add_vertex(d, dx * c - size[0], dy * row - size[1], z, -size[3])
            top = maximum(d.ccd_prism[3, 2], maximum(d.ccd_prism[4, 2], z))
            # the first two vertices make no triangle yet; a prism below the geom is passed over
            if i < 2 * cmin + 2 or zmin > top or count == MOST_FOUND:
                continue
            place_prism(d, reach)
            if penetration(m, d, 1, reach) > 0:
                if count == slots:  # a slot that no world before has used
                    d.found_dist[slots] = splat(NO_CONTACT)
                    slots += 1
                emit(d, g1, w, count)
                count += 1
        if count == MOST_FOUND:
            break
    return slots


@kernel
def relative_pose(d, g1, g2, w):
    """Give the geom its pose relative to the field, (3)."""
    R_WF, R_WG = load_lane(d.geom_xmat, g1, w), load_lane(d.geom_xmat, g2, w)
    x = mat_t_vec(R_WF, vec(R_WG[0], R_WG[3], R_WG[6]))
    y = mat_t_vec(R_WF, vec(R_WG[1], R_WG[4], R_WG[7]))
    z = mat_t_vec(R_WF, vec(R_WG[2], R_WG[5], R_WG[8]))
    d.ccd_mat[1] = vec(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
    p = load_lane(d.geom_xpos, g2, w) - load_lane(d.geom_xpos, g1, w)
    d.ccd_pos[1] = mat_t_vec(R_WF, p)


@kernel
def far(m, d, axis, sign):
    """How far the geom reaches along an axis of the field, to one side: the coordinate there."""
    x = sign if axis == 0 else 0.0
    y = sign if axis == 1 else 0.0
    z = sign if axis == 2 else 0.0
    p = support(m, d, 1, vec(x, y, z))
    return p[0] if axis == 0 else p[1] if axis == 1 else p[2]


@kernel
def grid_line(x, size, n, side):
    """The grid line at or before x (side 1) or at or after it (side -1), within the grid."""
    # rounding up is rounding the negative down
    line = side * floor(side * ((size + x) / (2.0 * size) * (n - 1)))
    return to_int(minimum(maximum(line, 0.0), n - 1.0))  # NaN becomes 0


@kernel
def add_vertex(d, x, y, z, bottom):
    """Move the prism on along the strip by one vertex."""
    for i in range(2):
        d.ccd_prism[i] = d.ccd_prism[i + 1]
        d.ccd_prism[i + 3] = d.ccd_prism[i + 4]
    d.ccd_prism[2] = vec(x, y, bottom)
    d.ccd_prism[5] = vec(x, y, z)


@kernel
def emit(d, g1, w, k):
    """Make what the convex method found the k-th contact of a world."""
    R_WF = load_lane(d.geom_xmat, g1, w)
    normal = mat_vec(R_WF, d.ccd_normal[0])
    store_lane(d.found_dist, k, w, d.ccd_dist[0])
    store_lane(d.found_pos, k, w, mat_vec(R_WF, d.ccd_cpos[0]) + load_lane(d.geom_xpos, g1, w))
    store_lane(d.found_frame, k, w, vec(normal[0], normal[1], normal[2], 0.0, 0.0, 0.0))
