"""The signed distance of two geoms, and the points where it is.

Where there is a formula, it is the least of the contacts that the narrow phase finds within the
distance that is asked for. All other convex pairs are asked for their distance itself.
"""

from ...lanes import (
    W,
    concat,
    kernel,
    lane_mask,
    splat,
    where,
)
from ...mjconst import GEOM_BOX, GEOM_HFIELD
from ..collision.convex import place_geoms, separation
from ..collision.narrow import narrow_convex, narrow_primitive
from ..collision.pairs import IN_CONVEX
from ..spatial import zeros6

BOXES = 9 * GEOM_BOX  # number of the pair of two boxes


@kernel
def geom_distance(m, d, g1, g2, most):
    """Signed distance, and the points on both geoms as one 6-vector; `most` and zeros beyond it."""
    kind1, kind2 = m.geom_type[g1], m.geom_type[g2]
    low, high = min(kind1, kind2), max(kind1, kind2)
    if low > GEOM_HFIELD and (IN_CONVEX[8 * low + high] or 8 * low + high == BOXES):
        return convex_distance(m, d, g1, g2, most)
    # the narrow phase takes geoms in the order of their types
    if kind1 <= kind2:
        return narrow_distance(m, d, g1, g2, most)
    dist, ends = narrow_distance(m, d, g2, g1, most)
    return dist, concat(ends[3:6], ends[0:3])


@kernel
def narrow_distance(m, d, g1, g2, most):
    """The least of the contacts that the narrow phase finds"""
    everywhere = lane_mask(W)
    if IN_CONVEX[8 * m.geom_type[g1] + m.geom_type[g2]]:
        n = narrow_convex(m, d, g1, g2, splat(most), everywhere)
    else:
        n = narrow_primitive(m, d, g1, g2, splat(most), everywhere)
    # the points are half of the distance from the middle
    dist, ends = splat(most), zeros6()
    for k in range(n):
        x, p, normal = d.found_dist[k], d.found_pos[k], d.found_frame[k][0:3]
        less = x < dist
        dist = where(less, x, dist)
        ends = where(less, concat(p - normal * (0.5 * x), p + normal * (0.5 * x)), ends)
    return dist, ends


@kernel
def convex_distance(m, d, g1, g2, most):
    """The distance itself, of convex geoms"""
    place_geoms(m, d, 0, g1, 0.0)
    place_geoms(m, d, 1, g2, 0.0)
    found = separation(m, d, splat(most))
    found = found & (d.gjk_dist[0] <= most)
    ends = concat(d.gjk_x1[0], d.gjk_x2[0])
    return where(found, d.gjk_dist[0], most), where(found, ends, zeros6())


@kernel
def distance_query(m, d):
    """(query_geom, query_most) => (query_dist, query_ends)"""
    dist, ends = geom_distance(m, d, d.query_geom[0], d.query_geom[1], d.query_most)
    d.query_dist = dist
    d.query_ends = ends
