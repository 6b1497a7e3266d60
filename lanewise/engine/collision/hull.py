"""The vertex of a mesh that is farthest in a direction.

MuJoCo looks at each vertex of a small mesh, and climbs the hull of a large one: from vertex to the
best neighbour as long as that is farther, beginning where the last search ended, or at a vertex
that is known to be far in about this direction. Which vertex is found among equals follows from
this way, and has to be the same here.

Vertices are looked at by eights, as Rows of one world: those around a vertex, so that a step of a
climb compares them all at once, all vertices of meshes and hulls that are small, and of larger
hulls those that can be the farthest in about a direction. Which way a search goes does not matter
if all ways lead to the same vertex: of small hulls, if one is farther than all others,

    (1)  u . (v - p) >= SURE  for all vertices p but v

and of any hull if that is clearly so from everywhere. A hull is convex up to the rounding of its
vertices: nothing but this could hold up a climb, and not where it is steep.

    (2)  u . (v - p) >= steep |v - p|  for all vertices p

Where this holds, a search may go any way: by looking at each vertex, for all worlds of a gang at
once; at the vertex of the last search and its neighbours, which is enough for (2) because a hull is
convex; or at the vertices of a cell of directions. Elsewhere it has to go MuJoCo's.

Cells divide the sphere of directions as squares do the surface of an octahedron, unfolded: with
s = |x| + |y| + |z|, a direction (x, y, z) of the upper half is at (x, y)/s of the square [-1, 1]^2;
of the lower half, mirrored over the edges of the middle.

    (3)  (x, y)/s,   or for z < 0  ((1 - |y|/s) sign x, (1 - |x|/s) sign y)

A cell lists all vertices from which there is no steep way up, for some direction in it: of a
thousand vertices about ten (loaders/hull_cells.py). They are so close together that (2) holds if
one of them is farther than the others by hull_cell_gap: `steep` times the room that they take.

    hull_row          vertices, eight by eight
    hull_number       which they are
    mesh_rowadr       rows with all vertices
    hull_rowadr       rows with the neighbours of each
    hull_cell_rowadr  rows with the vertices of each cell
"""

from ...lanes import (
    NROW,
    W,
    abs_,
    any_lane,
    bits,
    fma,
    kernel,
    lane_item,
    load_flat,
    load_lane,
    lowest_bit,
    mask_item,
    mask_of,
    maximum,
    minimum,
    not_,
    row_mask,
    row_max,
    row_top,
    splat,
    store_lane,
    to_int,
    vec,
    where,
)
from ..spatial import dot3

HUGE = 1.7976931348623157e308
TIE = 1e-12  # vertices that differ by less are equally far, as to the way to them
SURE, STEEP = 1e-6, 1e-3  # of (1), and the most of (2)
SWEEP = 64  # hulls of at most so many vertices are looked at as a whole
CLIMB = 10  # meshes of at least so many vertices are searched along their hull's edges
VERTEX, IN_HULL = 0, 1  # in ccd_hint and gjk_hint


# ------------------------------------------------------------------------------- of small meshes


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


@kernel(fused=False)
def farthest_of_few(m, d, mesh, u, last):
    """The same of one world, eight at once; `last` is -1 if there was no search before."""
    first, n = m.mesh_rowadr[mesh], m.mesh_vertnum[mesh]
    best, most, second = 0, -HUGE, -HUGE
    for k in range((n + NROW - 1) // NROW):
        x = only(heights(m, first + k, u), n - NROW * k)
        top = row_top(x, x - HUGE)
        second = max(second, min(top[0], most), top[1])
        if top[0] > most:
            best, most = NROW * k + place_of(x, top[0]), top[0]
    if most - second < TIE:
        d.ccd_tie = 1
    if last >= 0 and dot3(u, m.mesh_vert[m.mesh_vertadr[mesh] + last]) >= most:
        return last
    return best


@kernel(inline=True)
def farthest_in_one(m, d, mesh, u, last):
    """The vertex of a small mesh in one world."""
    if m.mesh_rowadr[mesh] >= 0:
        return farthest_of_few(m, d, mesh, u, last)
    return to_int(farthest_of_all(m, d, mesh, u, last * 1.0, True))


@kernel
def farthest_by_lanes(m, d, s, climbed, u, on):
    """Find the vertex of the mesh that each lane of `on` has: gjk_hint. Where meshes begin."""
    d.gjk_along[0] = u
    first = splat(0.0)
    for w in range(W):
        if mask_item(on, w):
            mesh, v = d.gjk_mesh[W * s + w], load_lane(d.gjk_along, 0, w)
            first = where(mask_of(1 << w), 1.0 * m.mesh_vertadr[mesh], first)
            if climbed:
                last = to_int(load_lane(d.gjk_hint, (s, IN_HULL), w))
                best, _ = farthest_on_hull(m, d, mesh, v, last)
                keep(m, d, s, mesh, w, best)
            else:
                last = to_int(load_lane(d.gjk_hint, (s, VERTEX), w))
                vertex = farthest_in_one(m, d, mesh, v, last)
                store_lane(d.gjk_hint, (s, VERTEX), w, 1.0 * vertex)
    return first


@kernel(inline=True)
def heights(m, row, u):
    """How far the eight vertices of a row are along u."""
    p = m.hull_row[row]
    return p[0] * u[0] + p[1] * u[1] + p[2] * u[2]


@kernel(inline=True)
def only(x, n):
    """The first n numbers of a Row; others are very low."""
    return where(row_mask((1 << min(n, NROW)) - 1), x, -HUGE)


@kernel(inline=True)
def place_of(x, number):
    """Where in a Row a number is, the first of equals."""
    return lowest_bit(bits(x == number)) % NROW


# -------------------------------------------------------------------------------------- of hulls


@kernel
def climb(m, d, s, mesh, u, on):
    """Find the vertex of a large mesh in each world of `on`: gjk_hint."""
    on = on & not_(look_at_all(m, d, s, mesh, u, on))
    if not any_lane(on):
        return
    d.gjk_along[0] = u
    for w in range(W):
        if mask_item(on, w):
            last = to_int(load_lane(d.gjk_hint, (s, IN_HULL), w))
            best, _ = farthest_on_hull(m, d, mesh, load_lane(d.gjk_along, 0, w), last)
            keep(m, d, s, mesh, w, best)


@kernel(inline=True)
def keep(m, d, s, mesh, w, best):
    """Note the vertex of a hull that was found in world w."""
    store_lane(d.gjk_hint, (s, IN_HULL), w, best * 1.0)
    store_lane(d.gjk_hint, (s, VERTEX), w, vertex_of(m, mesh, best) * 1.0)


@kernel(inline=True)
def look_at_all(m, d, s, mesh, u, on):
    """Find it by looking at all vertices, if they are few; the worlds in which that is sure."""
    if W == 1 or m.mesh_rowadr[mesh] < 0:
        return on & not_(on)
    best, sure = sweep(m, mesh, u)
    sure = on & sure
    graph = m.mesh_graphadr[mesh]
    vertex = m.mesh_graph[graph + 2 + m.mesh_graph[graph] + best]
    d.gjk_hint[s] = where(sure, vec(vertex, best), d.gjk_hint[s])
    return sure


@kernel
def farthest_anew(m, d, g, u, on):
    """The vertex of the mesh of a geom in each world of `on`, as a first search finds it.

    That of a large hull is looked for at the vertex of the step before: rest_hint.
    """
    mesh = m.geom_dataid[g]
    if not is_climbed(m, mesh):
        return farthest_of_all(m, d, mesh, u, splat(-1.0), on)
    left = on & not_(look_at_all(m, d, 1, mesh, u, on))
    if any_lane(left):
        d.gjk_along[0] = u
        for w in range(W):
            if mask_item(left, w):
                u, last = load_lane(d.gjk_along, 0, w), load_lane(d.rest_hint, g, w)
                known = 0.0 <= last < m.mesh_graph[m.mesh_graphadr[mesh]] * 1.0
                best = clearly_farthest(m, mesh, u, to_int(last) if known else -1)
                if best < 0:
                    best = by_climbing(m, d, mesh, u, -1)
                store_lane(d.rest_hint, g, w, best * 1.0)
                keep(m, d, 1, mesh, w, best)
    return where(on, d.gjk_hint[1, VERTEX], 0.0)


@kernel(inline=True)
def is_climbed(m, mesh):
    """Whether a mesh is searched along its hull."""
    return m.mesh_graphadr[mesh] >= 0 and m.mesh_vertnum[mesh] >= CLIMB


@kernel(inline=True)
def sweep(m, mesh, u):
    """The farthest vertex of a hull in each world, by looking at each; and where (1) holds."""
    n, row = m.mesh_graph[m.mesh_graphadr[mesh]], m.mesh_rowadr[mesh]
    best, most, second = splat(0.0), splat(-HUGE), splat(-HUGE)
    for i in range(n):
        k = 3 * NROW * (row + i // NROW) + i % NROW
        x = fma(u[2], load_flat(m.hull_row, k + 2 * NROW), u[0] * load_flat(m.hull_row, k))
        x = fma(u[1], load_flat(m.hull_row, k + NROW), x)
        second = maximum(second, minimum(x, most))
        best, most = where(x > most, i * 1.0, best), maximum(x, most)
    return best, most - second >= SURE


@kernel(inline=True)
def vertex_of(m, mesh, i):
    """Which vertex of a mesh the hull's vertex i is."""
    graph = m.mesh_graphadr[mesh]
    return m.mesh_graph[graph + 2 + m.mesh_graph[graph] + i]


@kernel
def farthest_on_hull(m, d, mesh, u, last):
    """The vertex of a large mesh in one world, as one of its hull, and the point; `last` is where a
    search ended before, or -1.

    Directions turn so much from one search to the next that `last` is hardly ever it again.
    """
    place = farthest_in_cell(m, mesh, u)
    if place >= 0:
        return number_at(m, place), point_at(m, place)
    best = by_climbing(m, d, mesh, u, last)
    return best, m.mesh_vert[m.mesh_vertadr[mesh] + vertex_of(m, mesh, best)]


@kernel(inline=True)
def clearly_farthest(m, mesh, u, last):
    """The vertex of a hull if (2) holds, quickly if it is `last`; else -1."""
    if last >= 0 and is_peak(m, mesh, u, last):
        return last
    place = farthest_in_cell(m, mesh, u)
    return number_at(m, place) if place >= 0 else -1


@kernel(inline=True)
def number_at(m, place):
    """Which vertex is at a place of the rows, counted through all of them."""
    return m.hull_number[place // NROW, place % NROW]


@kernel(inline=True)
def point_at(m, place):
    """The vertex at a place of the rows."""
    k = 3 * NROW * (place // NROW) + place % NROW
    return vec(
        load_flat(m.hull_row, k),
        load_flat(m.hull_row, k + NROW),
        load_flat(m.hull_row, k + 2 * NROW),
    )


@kernel
def is_peak(m, mesh, u, i):
    """Whether (2) holds of vertex i of a hull, by its neighbours."""
    adr, v = m.hull_adr[mesh] + i, m.mesh_vert[m.mesh_vertadr[mesh] + vertex_of(m, mesh, i)]
    steep2 = m.mesh_steep[mesh] * m.mesh_steep[mesh]
    for k in range(m.hull_rowadr[adr], m.hull_rowadr[adr + 1]):
        p = m.hull_row[k]
        e = vec(v[0] - p[0], v[1] - p[1], v[2] - p[2])
        down = e[0] * u[0] + e[1] * u[1] + e[2] * u[2]
        length2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
        if bits((down > 0.0) & (down * down >= steep2 * length2)) != (1 << NROW) - 1:
            return False
    return True


@kernel
def by_climbing(m, d, mesh, u, last):
    """The vertex of a hull by MuJoCo's way."""
    # a vertex that is far in about this direction, or the one found last if that is no worse
    best = m.mesh_extrema[mesh, 13 + 9 * third(u[0]) + 3 * third(u[1]) + third(u[2])]
    best = best if best >= 0 else 0
    most = height(m, mesh, best, u)
    if last >= 0:
        x = height(m, mesh, last, u)
        if not most > x:
            best, most = last, x
    best, most, second = uphill(m, mesh, u, best, most)
    if most - second < TIE:
        d.ccd_tie = 1
    return best


@kernel(inline=True)
def height(m, mesh, i, u):
    """How far vertex i of a hull is along u."""
    return dot3(u, m.mesh_vert[m.mesh_vertadr[mesh] + vertex_of(m, mesh, i)])


@kernel(inline=True)
def third(x):
    """Which third of the range of a unit vector's component: -1, 0 or 1."""
    return int(x > 0.4) - int(x < -0.4)


@kernel(fused=False)
def uphill(m, mesh, u, best, most):
    """Climb from a vertex so far along u, to the best neighbour until there is no better one; the
    vertex, how far it is, and the farthest neighbour.
    """
    adr = m.hull_adr[mesh]
    before, second = -1, -HUGE
    while best != before:
        before, second = best, -HUGE
        for k in range(m.hull_rowadr[adr + before], m.hull_rowadr[adr + before + 1]):
            x = heights(m, k, u)
            top = row_max(x)
            second = max(second, top)
            if top > most:
                best, most = m.hull_number[k, place_of(x, top)], top
    return best, most, second


@kernel(inline=True)
def farthest_in_cell(m, mesh, u):
    """The place in the rows of the vertex of a hull, by looking at those of a cell; -1 if it is not
    sure that (2) holds.
    """
    n = m.mesh_cells[mesh]
    if n == 0:
        return -1
    cell = m.mesh_celladr[mesh] + (cell_of(u, n) if n > 1 else 0)
    row, n = m.hull_cell_rowadr[cell], m.hull_cell_num[cell]
    if n == 1:
        return NROW * row
    return sweep_rows(m, row, (n + NROW - 1) // NROW, u, m.hull_cell_gap[cell])


@kernel(inline=True)
def cell_of(u, n):
    """Which of n x n cells a direction is in, by (3); some cell if it is not a number."""
    per_s = 1.0 / (abs_(u[0]) + abs_(u[1]) + abs_(u[2]))
    x, y = u[0] * per_s, u[1] * per_s
    if u[2] < 0.0:
        across, along = 1.0 - abs_(y), 1.0 - abs_(x)
        x, y = (across if x >= 0.0 else -across), (along if y >= 0.0 else -along)
    return n * to_cell(x, n) + to_cell(y, n)


@kernel(inline=True)
def to_cell(x, n):
    """Which of n equal parts of [-1, 1]"""
    return min(to_int((0.5 * n) * (x + 1.0)), n - 1) if x > -1.0 else 0


@kernel
def sweep_rows(m, first, n, u, gap):
    """The place in n rows of the vertex that is farther than all others by a gap; or -1."""
    # the farthest two of each column
    most, at = heights(m, first, u), first * 1.0
    second = most - HUGE
    for k in range(first + 1, first + n):
        x = heights(m, k, u)
        second = maximum(second, minimum(x, most))
        at, most = where(x > most, k * 1.0, at), maximum(x, most)
    # one of the columns, and nothing else, reaches so far
    far = row_max(most) - gap
    top = bits(most > far)
    if top & (top - 1) != 0 or top == 0 or bits(second > far) != 0:
        return -1
    column = lowest_bit(top)
    return NROW * to_int(lane_item(at, column)) + column
