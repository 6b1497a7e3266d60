"""Contacts of convex geoms for which there is no formula, one world at a time.

Distance and nearest points come from gjk.py as long as the shapes are apart. Spheres and capsules
are shrunk to a point or a segment, and all shapes by their margin, so that those that just touch
are still apart then, and are grown again afterwards. What overlaps even so gets its depth from
epa.py. If faces or edges lie against each other, multi.py makes several contacts of the one.

MuJoCo's older method (flag nativeccd disabled) is not reproduced: the same as above is done.
"""

from ...lanes import W, concat, kernel, lane_item, load_lane, mask_item, splat, store_lane, vec
from ...mjconst import (
    DSBL_MULTICCD,
    GEOM_CAPSULE,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_SPHERE,
)
from ..spatial import normalize3
from .constants import NO_CONTACT
from .epa import epa
from .gjk import gjk
from .multi import inflate, multiple_contacts
from .pairs import MOST_CONTACTS
from .polytope import first_polytope
from .support import (
    CLIMB,
    HULL,
    IN_HULL,
    POINT,
    SEGMENT,
    VERTEX,
    center,
    support,
    tolerance_of,
)

# geom types that are points or segments with a radius, as bits
ROUND = 1 << GEOM_SPHERE | 1 << GEOM_CAPSULE

__all__ = ["convex", "penetration", "place_geom", "place_prism", "support"]


@kernel
def convex(m, d, g1, g2, reach, mask):
    """Candidates of two convex geoms."""
    most = MOST_CONTACTS[8 * m.geom_type[g1] + m.geom_type[g2]]
    if m.opt.disableflags & DSBL_MULTICCD:
        most = 1
    for k in range(most):
        d.found_dist[k] = splat(NO_CONTACT)
    # one world after the other: their iterations have nothing in common
    slots = 0
    for w in range(W):
        if mask_item(mask, w):
            margin = lane_item(reach, w)
            place_geom(m, d, 0, g1, w, margin)
            place_geom(m, d, 1, g2, w, margin)
            n = penetration(m, d, most, margin)
            for k in range(n):
                store_lane(d.found_dist, k, w, d.ccd_dist[k])
                store_lane(d.found_pos, k, w, d.ccd_cpos[k])
                store_lane(d.found_frame, k, w, concat(d.ccd_normal[k], vec(0.0, 0.0, 0.0)))
            slots = max(slots, n)
    return slots


@kernel
def place_geom(m, d, s, g, w, margin):
    """Make a geom of world w shape s."""
    kind, mesh = m.geom_type[g], m.geom_dataid[g]
    d.ccd_type[s] = kind
    d.ccd_mesh[s] = mesh
    if kind == GEOM_MESH and m.mesh_graphadr[mesh] >= 0 and m.mesh_vertnum[mesh] >= CLIMB:
        kind = HULL
    d.ccd_kind[s] = kind
    d.ccd_pos[s] = load_lane(d.geom_xpos, g, w)
    d.ccd_mat[s] = load_lane(d.geom_xmat, g, w)
    d.ccd_size[s] = load_lane(m.geom_size, g, w)
    d.ccd_margin[s] = margin
    d.ccd_hint[s, VERTEX] = -1
    d.ccd_hint[s, IN_HULL] = -1
    d.ccd_lane = w


@kernel
def place_prism(d, margin):
    """Make the prism in ccd_prism shape 0."""
    d.ccd_type[0] = GEOM_HFIELD
    d.ccd_kind[0] = GEOM_HFIELD
    d.ccd_mesh[0] = -1
    d.ccd_margin[0] = margin
    d.ccd_hint[0, VERTEX] = -1
    d.ccd_hint[0, IN_HULL] = -1


@kernel
def penetration(m, d, most, margin):
    """Contacts of the two shapes that were placed: ccd_dist, ccd_cpos, ccd_normal; how many.

    Both were placed with this margin. Distances are those of the shapes without it.
    """
    collide(m, d, most)
    n = d.ccd_nfound
    deep = False
    for k in range(n):
        deep = deep or d.ccd_dist[k] < 0.0
    if not deep:
        return 0
    for k in range(n):
        x1, x2 = d.ccd_x1[k], d.ccd_x2[k]
        d.ccd_dist[k] = margin + d.ccd_dist[k]
        d.ccd_cpos[k] = (x1 + x2) * 0.5
        d.ccd_normal[k] = normalize3(x1 - x2)
    return n


@kernel
def collide(m, d, most):
    """Signed distances and points of the two shapes with their margins: FOUND of them."""
    # first without radii and margins: what only touches is apart then, and its distance exact
    d.ccd_x1[0] = center(d, 0)
    d.ccd_x2[0] = center(d, 1)
    round1, round2 = is_round(d, 0), is_round(d, 1)
    margin1, margin2 = d.ccd_margin[0], d.ccd_margin[1]
    if round1 or round2 or margin1 > 0.0 or margin2 > 0.0:
        kind1, kind2 = d.ccd_kind[0], d.ccd_kind[1]
        grown1, grown2 = shrink(d, 0), shrink(d, 1)
        gjk(m, d, grown1 + grown2)
        # as they were
        d.ccd_kind[0] = kind1
        d.ccd_kind[1] = kind2
        d.ccd_margin[0] = margin1
        d.ccd_margin[1] = margin2
        if d.ccd_dist[0] > tolerance_of(m, d):
            # apart: out to the surfaces again
            n = d.ccd_nfound
            inflate(d, n, grown1, grown2, normalize3(d.ccd_x2[0] - d.ccd_x1[0]))
            if d.ccd_dist[0] >= 0.0:
                d.ccd_nfound = 0
            elif most > 1 and d.ccd_nsimplex > 0:
                multiple_contacts(m, d, most)
            return
        d.ccd_x1[0] = center(d, 0)
        d.ccd_x2[0] = center(d, 1)
    # the whole shapes: whether they overlap, and how deep
    gjk(m, d, 0.0)
    apart = d.ccd_dist[0] > tolerance_of(m, d) or d.ccd_separated == 1
    if apart or d.ccd_nsimplex < 2 or not first_polytope(m, d):
        d.ccd_nfound = 0
    elif epa(m, d) and most > 1:
        multiple_contacts(m, d, most)


@kernel
def separation(m, d, cutoff):
    """Signed distance of the two shapes that were placed without margins, up to a cutoff: ccd_dist,
    and its points ccd_x1, ccd_x2; whether there is one.
    """
    d.ccd_x1[0] = center(d, 0)
    d.ccd_x2[0] = center(d, 1)
    # without radii: what only touches is apart then, and its distance exact
    kind1, kind2 = d.ccd_kind[0], d.ccd_kind[1]
    grown1, grown2 = shrink(d, 0), shrink(d, 1)
    gjk(m, d, cutoff + grown1 + grown2)
    d.ccd_kind[0] = kind1
    d.ccd_kind[1] = kind2
    if d.ccd_dist[0] > tolerance_of(m, d):
        inflate(d, 1, grown1, grown2, normalize3(d.ccd_x2[0] - d.ccd_x1[0]))
        return d.ccd_nfound > 0
    # the whole shapes overlap
    if grown1 + grown2 > 0.0:
        d.ccd_x1[0] = center(d, 0)
        d.ccd_x2[0] = center(d, 1)
        gjk(m, d, 0.0)
    x1, x2 = d.ccd_x1[0], d.ccd_x2[0]
    if d.ccd_nsimplex < 2 or not first_polytope(m, d) or not epa(m, d):
        # they touch
        d.ccd_dist[0] = 0.0
        d.ccd_x1[0] = x1
        d.ccd_x2[0] = x2
    return True


@kernel(inline=True)
def is_round(d, s):
    return ROUND >> d.ccd_type[s] & 1 == 1


@kernel
def shrink(d, s):
    """Take away a shape's margin and, of a round geom, its radius; how much that is."""
    grown = 0.5 * d.ccd_margin[s]
    d.ccd_margin[s] = 0.0
    if is_round(d, s):
        grown += d.ccd_size[s, 0]
        d.ccd_kind[s] = POINT if d.ccd_type[s] == GEOM_SPHERE else SEGMENT
    return grown
