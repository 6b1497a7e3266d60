"""How far a convex shape juts out of a site: negative where it is enclosed, with room to spare.

With h(n) = max over a shape of n . p, how far the shape A reaches in direction n beyond the site B
is

    (1)  f(n) = h_A(n) - h_B(n) = n . g,    g = a(n) - b(n),

a and b the farthest points of both, and the greatest f of all directions is what is asked for. As
MuJoCo does, it is searched from six directions, those of the axes of B. Each search walks on the
sphere along the tangent part of g, the gradient of f, by steps that become half as long where f
does not grow. There f has a kink, so that the next attempt goes along the bisector of the two
gradients, the one here and the one beyond. A search ends where steps or gradients vanish, or after
opt.ccd_iterations. It may end on a lesser maximum, or short of it: the answer is MuJoCo's.

The walk magnifies roundings, so that numbers are rounded in MuJoCo's order.
"""

from ...lanes import W, kernel, load_lane, store_lane
from ...mjconst import GEOM_MESH, OBJ_SITE
from ..collision.convex import place_geom
from ..collision.hull import IN_HULL, VERTEX, is_climbed
from ..collision.support import HULL, support, tolerance_of
from ..spatial import column, dot3, mat_vec, mul_quat, norm3, normalize3, quat_mat

STARTS = 6
FIRST_STEP = 0.5


@kernel
def enclosure_query(m, d):
    """(query_shape, query_site) => query_dist, how far a geom or site juts out of a site"""
    for w in range(W):
        if d.query_shape[0] == OBJ_SITE:
            place_site(m, d, 0, d.query_shape[1], w)
        else:
            place_geom(m, d, 0, d.query_shape[1], w, 0.0)
        place_site(m, d, 1, d.query_site[0], w)
        store_lane(d.found_dist, 0, w, protrusion(m, d))
    d.query_dist = d.found_dist[0]


@kernel
def place_site(m, d, s, site, w):
    """Make a site of world w shape s."""
    kind, mesh = m.site_type[site], m.site_dataid[site]
    p, R = load_lane(d.site_xpos, site, w), load_lane(d.site_xmat, site, w)
    d.ccd_mesh[s] = mesh
    d.ccd_pos[s] = p
    d.ccd_mat[s] = R
    if kind == GEOM_MESH:
        # vertices have axes of their own
        q = mul_quat(load_lane(d.site_xquat, site, w), load_lane(m.mesh_quat, mesh, w))
        d.ccd_pos[s] = p + mat_vec(R, load_lane(m.mesh_pos, mesh, w))
        d.ccd_mat[s] = quat_mat(q)
        if is_climbed(m, mesh):
            kind = HULL
    d.ccd_type[s] = m.site_type[site]
    d.ccd_kind[s] = kind
    d.ccd_size[s] = load_lane(m.site_size, site, w)
    d.ccd_margin[s] = 0.0
    d.ccd_hint[s, VERTEX] = -1
    d.ccd_hint[s, IN_HULL] = -1
    d.ccd_lane = w


@kernel
def protrusion(m, d):
    """The greatest (1) that the searches find, of the two shapes that were placed."""
    R, tolerance = d.ccd_mat[1], tolerance_of(m, d)
    for k in range(STARTS):
        n = column(R, k // 2) * (1.0 if k % 2 == 0 else -1.0)
        g = reach(m, d, n)
        d.search_at[k] = n
        d.search_along[k] = g
        d.search_best[k] = dot3(n, g)
        d.search_step[k] = FIRST_STEP
    for _ in range(1, m.opt.ccd_iterations):
        for k in range(STARTS):
            walk(m, d, k, tolerance)
    best = d.search_best[0]
    for k in range(1, STARTS):
        best = max(best, d.search_best[k])
    return best


@kernel
def walk(m, d, k, tolerance):
    """An attempt of search k."""
    n, step = d.search_at[k], d.search_step[k]
    along = tangent(n, d.search_along[k])
    if norm3(along) < tolerance or step < tolerance:
        d.search_step[k] = 0.0
        return
    along = normalize3(along)
    there = normalize3(n + along * step)
    g = reach(m, d, there)
    x = dot3(there, g)
    if x > d.search_best[k]:
        d.search_at[k] = there
        d.search_along[k] = g
        d.search_best[k] = x
    else:
        d.search_along[k] = along + normalize3(tangent(there, g))
        d.search_step[k] = 0.5 * step


@kernel(inline=True)
def reach(m, d, n):
    """The farthest point of the shape minus that of the site: g in (1)"""
    return support(m, d, 0, n) - support(m, d, 1, n)


@kernel(inline=True)
def tangent(n, v):
    """The part of v that is perpendicular to n."""
    return v + n * -dot3(v, n)
