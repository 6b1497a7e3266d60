"""Pairs of geoms that are apart, told by the direction in which they were apart before.

Most pairs that are near each other do not touch, and what kept them apart at the last step does so
at this one. If between the farthest points of both along a unit vector x there is more than the
margin,

    (1)  x . (p1 - p2) > margin,   p1 the point of the first geom with the least x . p,
                                   p2 the point of the second with the greatest

no contact can be found, and nothing else has to be looked at. Whether x is remembered from this
world or from another that had the same lane before only matters for how often (1) holds: where it
does not, the search begins as if nothing were known. So what is remembered changes no result.

A pair has one row of the tables, and shares it with others; the one that came last is remembered.

    apart_pair  which pair it is, as a number
    apart_axis  x, as gjk.py left it
    apart_hint  the vertices of the hulls where the search for p1 and p2 begins
"""

from ...lanes import abs_, concat, kernel, load_lane, maximum, splat, store_lane, vec, where
from ..spatial import dot3, zeros3
from .hull import IN_HULL
from .support import supports

PLACES = 512  # rows of the tables
ROUND_OFF = 1e-9  # of the length of a unit vector


@kernel(inline=True)
def pair_number(m, g1, g2):
    return 1 + g1 * m.ngeom + g2


@kernel(inline=True)
def row_of(g1, g2):
    """Where a pair is remembered."""
    return (31 * g1 + g2) % PLACES


@kernel
def still_apart(m, d, g1, g2, reach, on):
    """The worlds of `on` in which (1) tells that the two shapes that were placed are apart."""
    row = row_of(g1, g2)
    if d.apart_pair[row] != pair_number(m, g1, g2):
        return on & (splat(0.0) > 0.0)
    # (1) is about unit vectors, whatever the tables have
    x = d.apart_axis[row]
    on = on & (abs_(dot3(x, x) - 1.0) < ROUND_OFF)
    hint = where(on, d.apart_hint[row], vec(splat(-1.0), splat(-1.0)))
    d.gjk_hint[0, IN_HULL] = hint[0]
    d.gjk_hint[1, IN_HULL] = hint[1]
    p = supports(m, d, 0, -x, on) - supports(m, d, 1, x, on)
    remember_hints(d, row, on)
    # shapes are not shrunk by a negative margin; the slack is that by which the method may be off
    return on & (dot3(x, p) > maximum(reach, 0.0) + m.opt.ccd_tolerance)


@kernel
def remember(m, d, g1, g2, on):
    """Keep the direction in which the two shapes were found to be apart in the worlds of `on`."""
    row, number = row_of(g1, g2), pair_number(m, g1, g2)
    if d.apart_pair[row] != number:
        forget_pair(d, row, number)
    d.apart_axis[row] = where(on, d.gjk_axis[0], d.apart_axis[row])
    remember_hints(d, row, on)


@kernel
def remember_lane(m, d, g1, g2, w, lane):
    """The same of one world w, of which another lane has what was found."""
    row, number = row_of(g1, g2), pair_number(m, g1, g2)
    if d.apart_pair[row] != number:
        forget_pair(d, row, number)
    store_lane(d.apart_axis, row, w, load_lane(d.gjk_axis, 0, lane))
    hint1 = load_lane(d.gjk_hint, (0, IN_HULL), lane)
    store_lane(d.apart_hint, row, w, vec(hint1, load_lane(d.gjk_hint, (1, IN_HULL), lane)))


@kernel
def forget_pair(d, row, number):
    """Give a row of the tables to a pair."""
    d.apart_pair[row] = number
    d.apart_axis[row] = zeros3()
    d.apart_hint[row] = vec(splat(-1.0), splat(-1.0))


@kernel(inline=True)
def remember_hints(d, row, on):
    hint = concat(vec(d.gjk_hint[0, IN_HULL]), vec(d.gjk_hint[1, IN_HULL]))
    d.apart_hint[row] = where(on, hint, d.apart_hint[row])
