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

Worlds walk side by side, each over prisms of its own, and list those that may touch (sift_vertex:
strip and vertex); then these are met, eight at once. A lane whose world has no more prisms gets one
of another world, with the geom as it is there (pack_world says which world that is). So neither
walking nor meeting waits for worlds that have less to do of the other. Which prisms may
touch is told by directions along which a prism and the geom do not overlap, by more than the
margin:

* across the triangle: the prism is on the lower side of its plane;
* across the line that cuts the cell: the prism is on one side of the upright plane there;
* along the axes of the geom, in which its box is known;
* of a capsule or cylinder, across its axis and an edge of the triangle: it reaches as far as its
  radius then;
* of a sphere, to the point of the triangle that is nearest to it;
* of a mesh, up and to one of eight sides: how far it reaches down there is found once.

The grid lines and the geom's lowest point have been compared already.

This changes nothing but the time. MuJoCo's search on a mesh begins at the vertex that was found
last, with the prism before; but where it ends does not depend on that, unless vertices are equally
far, so here all begin at the same vertex.
If this happens in the first search with a prism, which all later ones follow from, the walk is
repeated with all prisms (ccd_unsure).
"""

from ...lanes import (
    W,
    any_lane,
    concat,
    floor,
    highest,
    kernel,
    lane_item,
    load_lane,
    mask_item,
    mask_of,
    maximum,
    minimum,
    not_,
    put,
    splat,
    sqrt,
    store_lane,
    vec,
    where,
)
from ...mjconst import GEOM_CAPSULE, GEOM_CYLINDER, GEOM_MESH, GEOM_SPHERE
from ..spatial import column, cross, dot3, mat_t_vec, mat_vec, normalize3
from .constants import NO_CONTACT
from .convex import contact, deeper, meet, place_geoms, same_for_all
from .hull import HUGE
from .pairs import MOST_FOUND
from .prism import elevation, make_prism, on_near_line, place_prisms
from .simplex import on_triangle
from .support import supports

HALF_ROOT = 0.5**0.5
# directions to eight sides, of length sqrt(2)
SIDES = (
    2.0 * HALF_ROOT, 0.0, 1.0, 1.0, 0.0, 2.0 * HALF_ROOT, -1.0, 1.0,
    -2.0 * HALF_ROOT, 0.0, -1.0, -1.0, 0.0, -2.0 * HALF_ROOT, 1.0, -1.0,
)  # fmt: skip
LISTED = 64  # prisms that a world lists before they are met


@kernel(fused=False)
def hfield_pair(m, d, g1, g2, reach, mask):
    """Candidates of a height field and a convex geom: one per prism that touches."""
    mask = mask & near_field(m, d, g1, g2, reach)
    if not any_lane(mask):
        return 0
    d.ccd_unsure = 0
    slots = walk_prisms(m, d, g1, g2, reach, mask, True)
    if d.ccd_type[1] == GEOM_MESH and d.ccd_unsure:
        slots = walk_prisms(m, d, g1, g2, reach, mask, False)
    return slots


@kernel
def walk_prisms(m, d, g1, g2, reach, mask, sifts):
    """Find the contacts, of those prisms only that may touch if this is asked for."""
    field = m.geom_dataid[g1]
    nrow, ncol, size = m.hfield_nrow[field], m.hfield_ncol[field], m.hfield_size[field]
    place_geoms(m, d, 1, g2, reach)
    relative_pose(d, g1, g2)

    # the geom's bounding box, and the part of the grid under it
    xmax, xmin = far(m, d, 0, 1.0, mask) + reach, far(m, d, 0, -1.0, mask) - reach
    ymax, ymin = far(m, d, 1, 1.0, mask) + reach, far(m, d, 1, -1.0, mask) - reach
    zmax, zmin = far(m, d, 2, 1.0, mask) + reach, far(m, d, 2, -1.0, mask) - reach
    outside = (xmin > size[0]) | (xmax < -size[0]) | (ymin > size[1]) | (ymax < -size[1])
    outside = outside | (zmin > size[2]) | (zmax < -size[3])
    # (2)
    cmin, cmax = grid_line(xmin, size[0], ncol, 1.0), grid_line(xmax, size[0], ncol, -1.0)
    rmin, rmax = grid_line(ymin, size[1], nrow, 1.0), grid_line(ymax, size[1], nrow, -1.0)
    left = mask & not_(outside) & (cmin < cmax) & (rmin < rmax)
    if sifts and any_lane(left):
        measure(m, d, field, reach, left)

    r, i, slots = rmin, 2.0 * cmin, begin_packing(d, reach)
    packed = sifts and same_for_all(m.opt.ccd_tolerance) and same_for_all4(size)
    while any_lane(left):
        # list prisms in all worlds, then meet them
        left, r, i, listed = list_prisms(m, d, field, sifts, left, r, i, rmax, cmin, cmax, zmin)
        slots = meet_listed(m, d, g1, field, listed, sifts, packed, slots)
        for w in range(W):
            left = left & not_(mask_of((d.pack_count[w] >= MOST_FOUND) << w))
    return slots


@kernel(inline=True)
def same_for_all4(v):
    one, two = same_for_all(v[0]) and same_for_all(v[1]), same_for_all(v[2])
    return one and two and same_for_all(v[3])


@kernel
def list_prisms(m, d, field, sifts, left, r, i, rmax, cmin, cmax, zmin):
    """Walk from vertex i of strip r on, in the worlds of `left`, and list prisms that may touch.

    Ends where a world's list is full. Returns the worlds that have prisms left, the next vertex of
    each, and how many prisms its list has.
    """
    listed, walking = splat(0.0), left
    z = vec(
        splat(0.0), elevation(m, field, r, i - 2.0, left), elevation(m, field, r, i - 1.0, left)
    )
    while any_lane(walking):
        z = vec(z[1], z[2], elevation(m, field, r, i, walking))
        top = maximum(z[0], maximum(z[1], z[2]))
        near = walking & (i >= 2.0 * cmin + 2.0) & not_(zmin > top)
        if sifts and any_lane(near):
            make_prism(m, d, field, r, i, z)
            near = may_touch(m, d, i, near)
        if any_lane(near):
            put(d.sift_vertex, listed, vec(r, i), near)
            listed = where(near, listed + 1.0, listed)
        # on to the next vertex, or the next strip
        end = walking & (i >= 2.0 * cmax + 1.0)
        i = where(end, 2.0 * cmin, where(walking, i + 1.0, i))
        r = where(end, r + 1.0, r)
        left = left & (r < rmax)
        walking = left & (listed < LISTED * 1.0)
    return left, r, i, listed


@kernel
def near_field(m, d, g1, g2, reach):
    """In which worlds the geom's bounding sphere meets the box around the field."""
    p = mat_t_vec(d.geom_xmat[g1], d.geom_xpos[g2] - d.geom_xpos[g1])
    size, r = m.hfield_size[m.geom_dataid[g1]], m.geom_rbound[g2] + reach
    inside = (p[0] - r <= size[0]) & (p[0] + r >= -size[0])
    inside = inside & (p[1] - r <= size[1]) & (p[1] + r >= -size[1])
    return inside & (p[2] - r <= size[2]) & (p[2] + r >= -size[3])


@kernel
def relative_pose(d, g1, g2):
    """Give the geom its pose relative to the field, (3)."""
    R_WF, R_WG = d.geom_xmat[g1], d.geom_xmat[g2]
    x, y, z = (
        mat_t_vec(R_WF, column(R_WG, 0)),
        mat_t_vec(R_WF, column(R_WG, 1)),
        mat_t_vec(R_WF, column(R_WG, 2)),
    )
    d.gjk_mat[1] = vec(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
    d.gjk_pos[1] = mat_t_vec(R_WF, d.geom_xpos[g2] - d.geom_xpos[g1])


@kernel
def far(m, d, axis, sign, on):
    """How far the geom reaches along an axis of the field, to one side: the coordinate there."""
    x = splat(sign if axis == 0 else 0.0)
    y = splat(sign if axis == 1 else 0.0)
    z = splat(sign if axis == 2 else 0.0)
    p = supports(m, d, 1, vec(x, y, z), on)
    return p[0] if axis == 0 else p[1] if axis == 1 else p[2]


@kernel
def grid_line(x, size, n, side):
    """The grid line at or before x (side 1) or at or after it (side -1), within the grid."""
    # rounding up is rounding the negative down
    line = side * floor(side * ((size + x) / (2.0 * size) * (n - 1)))
    return minimum(maximum(line, 0.0), n - 1.0)  # NaN becomes 0


# -------------------------------------------------------------------------------------- sifting


@kernel
def measure(m, d, field, reach, on):
    """How far the geom reaches, with margin, across the line that cuts cells and along its axes.

    sift_axis: unit vectors; sift_range: the interval that the geom covers along each.
    """
    nrow, ncol, size = m.hfield_nrow[field], m.hfield_ncol[field], m.hfield_size[field]
    dx, dy = 2.0 * size[0] / (ncol - 1), 2.0 * size[1] / (nrow - 1)
    f = 1.0 / sqrt(dx * dx + dy * dy)
    R, hint = d.gjk_mat[1], d.gjk_hint[1]
    d.sift_axis[0] = vec(splat(dy * f), splat(-dx * f), splat(0.0))
    d.sift_axis[1] = column(R, 0)
    d.sift_axis[2] = column(R, 1)
    d.sift_axis[3] = column(R, 2)
    # shapes are not shrunk by a negative margin; the slack is that by which the method may be off
    d.sift_slack[0] = maximum(reach, 0.0) + m.opt.ccd_tolerance
    for k in range(number_of_axes(d)):
        e = d.sift_axis[k]
        high, low = dot3(e, supports(m, d, 1, e, on)), dot3(e, supports(m, d, 1, -e, on))
        d.sift_range[k] = vec(low - d.sift_slack[0], high + d.sift_slack[0])
    if d.ccd_type[1] == GEOM_MESH:
        for k in range(8):
            e = tilted(k)
            d.sift_low[k] = dot3(e, supports(m, d, 1, -e, on)) - d.sift_slack[0]
    d.gjk_hint[1] = hint


@kernel(inline=True)
def tilted(k):
    """Half up and half to one of eight sides."""
    return vec(splat(0.5 * SIDES[2 * k]), splat(0.5 * SIDES[2 * k + 1]), splat(HALF_ROOT))


@kernel(inline=True)
def number_of_axes(d):
    """A sphere has none of its own."""
    return 1 if d.ccd_type[1] == GEOM_SPHERE else 4


@kernel
def may_touch(m, d, i, on):
    """The worlds of `on` in which no direction shows that the geom and the prism are apart."""
    # the half of a cell that is along e, of vertices on the near grid line, or against it
    x, span = dot3(d.sift_axis[0], d.gjk_prism[1]), d.sift_range[0]
    on = on & not_(where(on_near_line(i)[0] > 0.0, x - span[1], span[0] - x) > 0.0)
    # the prism's interval along each axis of the geom: bottom and top are the same from above
    for k in range(1, number_of_axes(d)):
        if any_lane(on):
            e, span = d.sift_axis[k], d.sift_range[k]
            low, high = splat(HUGE), splat(-HUGE)
            for v in range(6):
                x = dot3(e, d.gjk_prism[v])
                low, high = minimum(low, x), maximum(high, x)
            on = on & not_((low > span[1]) | (high < span[0]))
    kind = d.ccd_type[1]
    if kind == GEOM_SPHERE:
        return on & not_(sphere_apart(d, on))
    if kind == GEOM_CAPSULE or kind == GEOM_CYLINDER:
        on = on & not_(apart_across(d, on))
    if kind == GEOM_MESH:
        on = on & not_(below(d))
    # whether the geom reaches down to the plane of the triangle
    if any_lane(on):
        p, hint = d.gjk_prism[3], d.gjk_hint[1]
        n = normalize3(cross(d.gjk_prism[4] - p, d.gjk_prism[5] - p))
        n = where(n[2] < 0.0, -n, n)
        on = on & not_(dot3(n, supports(m, d, 1, -n, on) - p) > d.sift_slack[0])
        d.gjk_hint[1] = hint
    return on


@kernel
def sphere_apart(d, on):
    """Whether a sphere does not reach the nearest point of the triangle, and that is below it."""
    p, r = d.gjk_pos[1], d.gjk_size[1, 0] + d.sift_slack[0]
    _, x = on_triangle(d.gjk_prism[3] - p, d.gjk_prism[4] - p, d.gjk_prism[5] - p, on)
    return (x[2] <= 0.0) & (dot3(x, x) > r * r)


@kernel
def apart_across(d, on):
    """Whether a capsule or cylinder is apart from the prism across its axis and a top edge."""
    p, r, apart = d.gjk_pos[1], d.gjk_size[1, 0] + d.sift_slack[0], on & not_(on)
    for k in range(3):
        if any_lane(on & not_(apart)):
            edge = d.gjk_prism[3 + (k + 1) % 3] - d.gjk_prism[3 + k]
            n = cross(d.sift_axis[3], edge)
            low, high = splat(HUGE), splat(-HUGE)
            for v in range(6):
                x = dot3(n, d.gjk_prism[v] - p)
                low, high = minimum(low, x), maximum(high, x)
            reach = r * sqrt(dot3(n, n))
            apart = apart | (low > reach) | (high < -reach)
    return apart


@kernel
def below(d):
    """Whether the prism is below the geom along one of the tilted directions."""
    apart = splat(0.0) > 0.0
    for k in range(8):
        e = tilted(k)
        high = maximum(dot3(e, d.gjk_prism[3]), dot3(e, d.gjk_prism[4]))
        apart = apart | (maximum(high, dot3(e, d.gjk_prism[5])) < d.sift_low[k])
    return apart


# -------------------------------------------------------------------------------------- packing


@kernel
def begin_packing(d, reach):
    """Keep what the geom is in each world, whose lane holds it; no candidates yet: 0."""
    shape = concat(concat(d.gjk_pos[1], d.gjk_mat[1]), d.gjk_size[1])
    d.pack_shape[0] = concat(shape, vec(splat(reach)))
    for w in range(W):
        d.pack_geom[w] = w
        d.pack_count[w] = 0
    return 0


@kernel
def meet_listed(m, d, g1, field, listed, sifts, packed, slots):
    """Meet the prisms that worlds have listed, in lanes of their own or packed; slots in use.

    Those of a world keep their order: first ones of all worlds, second ones, ...
    """
    d.pack_hint[0] = d.gjk_hint[1]
    on, n = 0, 0
    for k in range(highest(listed)):
        for w in range(W):
            if k * 1.0 < lane_item(listed, w) and d.pack_count[w] < MOST_FOUND:
                lane = n if packed else w
                store_lane(d.pack_vertex, 0, lane, load_lane(d.sift_vertex, k, w))
                d.pack_world[lane] = w
                take_geom(d, w, lane, sifts)
                on, n = on | 1 << lane, n + 1
                if packed and n == W:
                    slots = meet_lanes(m, d, g1, field, on, slots)
                    on, n = 0, 0
        if not packed and on:
            slots = meet_lanes(m, d, g1, field, on, slots)
            on = 0
    if on:
        slots = meet_lanes(m, d, g1, field, on, slots)
    # as it was
    for w in range(W):
        take_geom(d, w, w, sifts)
    return slots


@kernel
def take_geom(d, w, lane, sifts):
    """The geom of world w in a lane; a search on it begins where that does not depend on others."""
    if d.pack_geom[lane] != w:
        d.pack_geom[lane] = w
        shape = load_lane(d.pack_shape, 0, w)
        store_lane(d.gjk_pos, 1, lane, shape[0:3])
        store_lane(d.gjk_mat, 1, lane, shape[3:12])
        store_lane(d.gjk_size, 1, lane, shape[12:15])
        store_lane(d.gjk_margin, 1, lane, shape[15])
    if sifts:
        store_lane(d.gjk_hint, 1, lane, load_lane(d.pack_hint, 0, w))


@kernel
def meet_lanes(m, d, g1, field, lanes, slots):
    """Meet the prisms in these lanes, and give each world what it has found; slots in use."""
    on, reach = mask_of(lanes), d.gjk_margin[1]
    place_prisms(m, d, field, d.pack_vertex[0], reach, on)
    touching, deep = meet(m, d, reach, on)
    touching = touching | deeper(m, d, deep)
    if any_lane(touching):
        dist, pos, frame = contact(d)
        d.pack_found[0] = concat(vec(dist), concat(pos, frame[0:3]))
        for lane in range(W):
            if mask_item(touching, lane):
                slots = emit(d, g1, lane, d.pack_world[lane], slots)
    return slots


@kernel
def emit(d, g1, lane, w, slots):
    """Make what was found in a lane a candidate of world w; slots in use."""
    k = d.pack_count[w]
    if k >= MOST_FOUND:
        return slots
    if k == slots:  # one that no world has used
        d.found_dist[slots] = splat(NO_CONTACT)
        slots += 1
    d.pack_count[w] = k + 1
    found, R_WF = load_lane(d.pack_found, 0, lane), load_lane(d.geom_xmat, g1, w)
    pos = mat_vec(R_WF, found[1:4]) + load_lane(d.geom_xpos, g1, w)
    store_lane(d.found_dist, k, w, found[0])
    store_lane(d.found_pos, k, w, pos)
    normal = mat_vec(R_WF, found[4:7])
    store_lane(d.found_frame, k, w, concat(normal, vec(0.0, 0.0, 0.0)))
    return slots
