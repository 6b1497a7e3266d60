"""Contacts of convex geoms for which there is no formula.

Distance and nearest points come from gjk.py as long as the shapes are apart, in all worlds of a
gang at once. Spheres and capsules are shrunk to a point or a segment, and all shapes by their
margin, so that those that just touch are still apart then, and are grown again afterwards. What
overlaps even so gets its depth from epa.py. If faces or edges lie against each other, multi.py
makes several contacts of the one. These two take one world after the other: what they do has
nothing in common. Before all this apart.py leaves out what is apart as it was before; of pairs of
which few worlds are left then, those of one kind wait for each other until lanes are full
(waiting.py, pairs_touch).

MuJoCo's older method (flag nativeccd disabled) is not reproduced: the same as above is done.
"""

from ...lanes import (
    W,
    all_lanes,
    any_lane,
    bits,
    concat,
    kernel,
    lane_item,
    lane_mask,
    load_lane,
    mask_item,
    mask_of,
    not_,
    splat,
    store_lane,
    to_int,
    vec,
    where,
)
from ...mjconst import (
    DSBL_MULTICCD,
    GEOM_CAPSULE,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_SPHERE,
)
from ..spatial import normalize3
from .apart import remember, remember_lane, still_apart
from .constants import NO_CONTACT, WAITS
from .epa import epa
from .found import QUEUE, WAITED, normal_only, offer, placed_pair
from .gjk import few, gjk, take_lane
from .hull import IN_HULL, VERTEX, is_climbed
from .multi import multiple_contacts
from .pairs import MOST_CONTACTS
from .polytope import first_polytope
from .support import HULL, POINT, SEGMENT, center, support

# geom types that are points or segments with a radius, as bits
ROUND = 1 << GEOM_SPHERE | 1 << GEOM_CAPSULE

__all__ = ["convex", "place_geom", "support"]


@kernel(fused=False)
def convex(m, d, g1, g2, reach, mask):
    """Candidates of two convex geoms."""
    place_geoms(m, d, 0, g1, reach)
    place_geoms(m, d, 1, g2, reach)
    mask = mask & not_(still_apart(m, d, g1, g2, reach, mask))
    if not any_lane(mask):
        return 0
    if W > 1 and d.pair_waits == 1 and few(mask) and same_for_all(m.opt.ccd_tolerance):
        d.pair_lanes = bits(mask)
        return WAITS
    forget(d, 0, reach)
    forget(d, 1, reach)
    touching, deep = meet(m, d, reach, mask)
    apart = mask & not_(touching | deep)
    if any_lane(apart):
        remember(m, d, g1, g2, apart)
        if all_lanes(apart | not_(mask)):
            return 0
    return touch(m, d, 0, touching, deep)


@kernel(fused=False)
def pairs_touch(m, d, q):
    """Candidates of the pairs that wait in a queue, a lane each, from WAITED on; where they end."""
    n, first = d.nwait[q], W * q
    on, reach = lane_mask(n), place_waiting(m, d, q)
    touching, deep = meet(m, d, reach, on)
    for k in range(n):
        if not mask_item(touching | deep, k):
            g1, g2 = d.wait_geom1[first + k], d.wait_geom2[first + k]
            remember_lane(m, d, g1, g2, d.wait_world[first + k], k)
    if not any_lane(touching | deep):
        return WAITED
    return touch(m, d, WAITED, touching, deep)


@kernel
def touch(m, d, first, touching, deep):
    """Candidates of shapes that touch or overlap, from candidate `first` on; where they end."""
    most = MOST_CONTACTS[8 * d.ccd_type[0] + d.ccd_type[1]]
    if most > 1 and not m.opt.disableflags & DSBL_MULTICCD:
        return several(m, d, first, most, touching, deep)
    touching = touching | deeper(m, d, deep)
    dist, pos, frame = contact(d)
    return offer(d, first, touching, dist, pos, frame)


@kernel
def several(m, d, first, most, touching, deep):
    """Candidates along faces and edges that lie against each other, one world after the other."""
    for k in range(most):
        d.found_dist[first + k] = splat(NO_CONTACT)
    slots = 0
    for w in range(W):
        if mask_item(touching | deep, w):
            place_lane(d, w)
            n = 0
            if mask_item(touching, w) or depth(m, d):
                n = spread(m, d, most)
            for k in range(n):
                x1, x2 = d.ccd_x1[k], d.ccd_x2[k]
                store_lane(d.found_dist, first + k, w, d.ccd_margin[0] + d.ccd_dist[k])
                store_lane(d.found_pos, first + k, w, (x1 + x2) * 0.5)
                normal = normalize3(x1 - x2)
                store_lane(d.found_frame, first + k, w, concat(normal, vec(0.0, 0.0, 0.0)))
            slots = max(slots, n)
    return first + slots


@kernel
def spread(m, d, most):
    """Make several results of one, if they are deep enough to be contacts; how many."""
    if d.ccd_nsimplex > 0:
        multiple_contacts(m, d, most)
    deep = False
    for k in range(d.ccd_nfound):
        deep = deep or d.ccd_dist[k] < 0.0
    return d.ccd_nfound if deep else 0


# ------------------------------------------------------------------------------------- placing


@kernel
def place_kind(m, d, s, g):
    """What shape s is, in all worlds: a geom."""
    kind, mesh = m.geom_type[g], m.geom_dataid[g]
    d.ccd_type[s] = kind
    d.ccd_mesh[s] = mesh
    if kind == GEOM_MESH and is_climbed(m, mesh):
        kind = HULL
    d.ccd_kind[s] = kind
    d.ccd_mixed = 0


@kernel
def place_waiting(m, d, q):
    """Make the geoms of the pairs that wait in a queue both shapes, a pair in each lane; how far
    they reach.

    All are of one kind, but meshes may differ.
    """
    size1, size2, p1, p2, R1, R2, reach = placed_pair(d, QUEUE + q)
    place_kind(m, d, 0, d.wait_geom1[W * q])
    place_kind(m, d, 1, d.wait_geom2[W * q])
    for k in range(d.nwait[q]):
        mesh1 = m.geom_dataid[d.wait_geom1[W * q + k]]
        mesh2 = m.geom_dataid[d.wait_geom2[W * q + k]]
        d.gjk_mesh[k], d.gjk_mesh[W + k] = mesh1, mesh2
        if mesh1 != d.ccd_mesh[0] or mesh2 != d.ccd_mesh[1]:
            d.ccd_mixed = 1
    d.gjk_pos[0], d.gjk_mat[0], d.gjk_size[0] = p1, R1, size1
    d.gjk_pos[1], d.gjk_mat[1], d.gjk_size[1] = p2, R2, size2
    forget(d, 0, reach)
    forget(d, 1, reach)
    return reach


@kernel
def place_geoms(m, d, s, g, margin):
    """Make a geom shape s, in all worlds."""
    place_kind(m, d, s, g)
    d.gjk_pos[s] = d.geom_xpos[g]
    d.gjk_mat[s] = d.geom_xmat[g]
    d.gjk_size[s] = m.geom_size[g]
    forget(d, s, margin)


@kernel
def place_prism(d, margin):
    """Make the prism in gjk_prism shape 0, in all worlds."""
    d.ccd_type[0] = GEOM_HFIELD
    d.ccd_kind[0] = GEOM_HFIELD
    d.ccd_mesh[0] = -1
    d.ccd_mixed = 0
    forget(d, 0, margin)


@kernel(inline=True)
def forget(d, s, margin):
    """The margin of a shape, and no vertex that was found last."""
    d.gjk_margin[s] = splat(margin)
    d.gjk_hint[s] = vec(-1.0, -1.0)


@kernel
def place_geom(m, d, s, g, w, margin):
    """Make a geom of world w shape s, for what takes one world at a time."""
    place_kind(m, d, s, g)
    d.ccd_pos[s] = load_lane(d.geom_xpos, g, w)
    d.ccd_mat[s] = load_lane(d.geom_xmat, g, w)
    d.ccd_size[s] = load_lane(m.geom_size, g, w)
    d.ccd_margin[s] = margin
    d.ccd_hint[s, VERTEX] = -1
    d.ccd_hint[s, IN_HULL] = -1
    d.ccd_lane = w


@kernel
def place_lane(d, w):
    """Take both shapes of world w, and the simplex and points that gjk left, out of the lanes."""
    take_lane(d, w)
    d.ccd_nsimplex = to_int(load_lane(d.gjk_nsimplex, 0, w))
    for i in range(d.ccd_nsimplex):
        d.ccd_vert[i] = load_lane(d.gjk_vert, i, w)
        d.ccd_vert1[i] = load_lane(d.gjk_vert1, i, w)
        d.ccd_vert2[i] = load_lane(d.gjk_vert2, i, w)
        d.ccd_vertid[i, 0] = to_int(load_lane(d.gjk_vertid, (i, 0), w))
        d.ccd_vertid[i, 1] = to_int(load_lane(d.gjk_vertid, (i, 1), w))
    d.ccd_dist[0] = load_lane(d.gjk_dist, 0, w)
    d.ccd_nfound = 1


# ------------------------------------------------------------------------------------- meeting


@kernel(fused=False)
def meet(m, d, margin, on):
    """The worlds in which the two shapes that were placed touch, and in which they overlap deeper.

    Both were placed with this margin. Of those that touch, gjk_dist, gjk_x1 and gjk_x2 have the
    signed distance of the shapes with their margins and its points; of the others the simplex, if
    EPA can begin with it.
    """
    touching, left = on & not_(on), on
    # first without radii and margins: what only touches is apart then, and its distance exact
    shrunk = on & (margin > 0.0)
    if is_round(d, 0) or is_round(d, 1):
        shrunk = on
    if any_lane(shrunk):
        kind1, kind2 = d.ccd_kind[0], d.ccd_kind[1]
        d.gjk_margin[0] = splat(0.0)
        d.gjk_margin[1] = splat(0.0)
        grown1, grown2 = 0.5 * margin + shrink(d, 0), 0.5 * margin + shrink(d, 1)
        begin(d)
        gjk(m, d, grown1 + grown2, shrunk)
        # as they were
        d.ccd_kind[0] = kind1
        d.ccd_kind[1] = kind2
        d.gjk_margin[0] = splat(margin)
        d.gjk_margin[1] = splat(margin)
        # apart: out to the surfaces again
        apart = shrunk & (d.gjk_dist[0] > m.opt.ccd_tolerance)
        left = on & not_(apart)
        inflate(d, grown1, grown2)
        touching = apart & (d.gjk_dist[0] < 0.0)
    if not any_lane(left):
        return touching, left
    # the whole shapes: whether they overlap
    dist, x1, x2, n = d.gjk_dist[0], d.gjk_x1[0], d.gjk_x2[0], d.gjk_nsimplex[0]
    begin(d)
    found, apart = gjk(m, d, 0.0, left)
    apart = apart | (d.gjk_dist[0] > m.opt.ccd_tolerance)
    deep = left & found & not_(apart) & (d.gjk_nsimplex[0] >= 2.0)
    d.gjk_dist[0] = where(touching, dist, d.gjk_dist[0])
    d.gjk_x1[0] = where(touching, x1, d.gjk_x1[0])
    d.gjk_x2[0] = where(touching, x2, d.gjk_x2[0])
    d.gjk_nsimplex[0] = where(touching, n, d.gjk_nsimplex[0])
    return touching, deep


@kernel(inline=True)
def begin(d):
    """The points from which gjk sets out."""
    d.gjk_x1[0] = center(d, 0)
    d.gjk_x2[0] = center(d, 1)


@kernel(inline=True)
def inflate(d, grown1, grown2):
    """Move the points that gjk found outwards by so much."""
    x1, x2 = d.gjk_x1[0], d.gjk_x2[0]
    normal = normalize3(x2 - x1)
    grows = not_((grown1 == 0.0) & (grown2 == 0.0))
    d.gjk_x1[0] = where(grows, x1 + normal * grown1, x1)
    d.gjk_x2[0] = where(grows, x2 + normal * -grown2, x2)
    d.gjk_dist[0] = where(grows, d.gjk_dist[0] - (grown1 + grown2), d.gjk_dist[0])


@kernel(inline=True)
def depth(m, d):
    """Whether EPA gives a depth of the shapes of the world that is looked at: ccd_dist, ..."""
    return first_polytope(m, d) and epa(m, d)


@kernel
def depths(m, d, deep):
    """Depths and points where shapes overlap, for those of gjk; the worlds that have one."""
    known = 0
    for w in range(W):
        if mask_item(deep, w):
            place_lane(d, w)
            if depth(m, d):
                store_lane(d.gjk_dist, 0, w, d.ccd_dist[0])
                store_lane(d.gjk_x1, 0, w, d.ccd_x1[0])
                store_lane(d.gjk_x2, 0, w, d.ccd_x2[0])
                known = known | 1 << w
    return mask_of(known)


@kernel
def deeper(m, d, deep):
    """The same, of which only true depths count."""
    if not any_lane(deep):
        return deep
    return depths(m, d, deep) & (d.gjk_dist[0] < 0.0)


@kernel(inline=True)
def contact(d):
    """Distance without margins, midpoint and frame of what was found."""
    x1, x2 = d.gjk_x1[0], d.gjk_x2[0]
    frame = normal_only(normalize3(x1 - x2))
    return d.gjk_margin[0] + d.gjk_dist[0], (x1 + x2) * 0.5, frame


@kernel(fused=False)
def separation(m, d, cutoff):
    """Signed distance of the two shapes that were placed without margins, up to a cutoff: gjk_dist,
    and its points gjk_x1, gjk_x2; the worlds that have one.
    """
    # without radii: what only touches is apart then, and its distance exact
    kind1, kind2 = d.ccd_kind[0], d.ccd_kind[1]
    grown1, grown2 = shrink(d, 0), shrink(d, 1)
    begin(d)
    found, _ = gjk(m, d, cutoff + grown1 + grown2, lane_mask(W))
    d.ccd_kind[0] = kind1
    d.ccd_kind[1] = kind2
    within = not_(d.gjk_dist[0] > m.opt.ccd_tolerance)
    if any_lane(within):
        overlap(m, d, grown1, grown2, within)
    else:
        inflate(d, grown1, grown2)
    return found | within


@kernel
def overlap(m, d, grown1, grown2, within):
    """separation, where the shapes without radii are within each other in some worlds."""
    # the whole shapes
    x1, x2, dist = d.gjk_x1[0], d.gjk_x2[0], d.gjk_dist[0]
    again = within & (grown1 + grown2 > 0.0)
    if any_lane(again):
        begin(d)
        gjk(m, d, 0.0, again)
    known = depths(m, d, within & (d.gjk_nsimplex[0] >= 2.0))
    y1, y2, depth = d.gjk_x1[0], d.gjk_x2[0], where(known, d.gjk_dist[0], 0.0)  # else they touch
    # the others
    d.gjk_x1[0] = x1
    d.gjk_x2[0] = x2
    d.gjk_dist[0] = dist
    inflate(d, grown1, grown2)
    d.gjk_x1[0] = where(within, y1, d.gjk_x1[0])
    d.gjk_x2[0] = where(within, y2, d.gjk_x2[0])
    d.gjk_dist[0] = where(within, depth, d.gjk_dist[0])


@kernel(inline=True)
def same_for_all(x):
    """Whether all worlds have the same number."""
    return all_lanes(x == lane_item(x, 0))


@kernel(inline=True)
def is_round(d, s):
    return ROUND >> d.ccd_type[s] & 1 == 1


@kernel
def shrink(d, s):
    """Take away the radius of a round geom; how much that is."""
    if not is_round(d, s):
        return splat(0.0)
    d.ccd_kind[s] = POINT if d.ccd_type[s] == GEOM_SPHERE else SEGMENT
    return d.gjk_size[s, 0]
