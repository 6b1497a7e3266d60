"""How a narrow-phase function hands over what it found.

A function is called for one pair of geoms and all lanes, and writes candidates k = 0, 1, ... into
found_dist, found_pos and found_frame. In each lane the candidates that exist, read in order of k,
are MuJoCo's contacts in MuJoCo's order; in the lanes where candidate k does not exist its distance
is NO_CONTACT. A frame is the normal, from the first geom to the second, and the first tangent;
zeros for the tangent leave its choice to the driver.

Pairs that may wait until lanes are full (waiting.py) are looked at in rows of pair_shapes, whose
lanes need not be of one pair: sizes, positions and axes of both geoms, and the reach. Row DIRECT is
for one that does not wait, the rows from QUEUE on are the queues. Candidates of these are written
from WAITED on, beside those of a pair that does not wait.
"""

from ...lanes import any_lane, concat, kernel, splat, vec, where
from ..spatial import zeros3
from .constants import NO_CONTACT
from .pairs import MOST_FOUND

DIRECT, QUEUE = 0, 1  # rows of pair_shapes
WAITED = MOST_FOUND  # row of found_*; of boxes there are one candidate of edges, 12 of faces


@kernel(inline=True)
def offer(d, n, touch, dist, pos, frame):
    """Write a candidate after n others, unless no lane has it; how many there are now."""
    if not any_lane(touch):
        return n
    d.found_dist[n] = where(touch, dist, NO_CONTACT)
    d.found_pos[n] = pos
    d.found_frame[n] = frame
    return n + 1


@kernel(inline=True)
def normal_only(normal):
    """A frame of which only the normal is given."""
    return concat(normal, zeros3())


@kernel
def place_pair(m, d, g1, g2, reach):
    """Two geoms, in all lanes => row DIRECT of pair_shapes"""
    poses = concat(
        concat(d.geom_xpos[g1], d.geom_xpos[g2]), concat(d.geom_xmat[g1], d.geom_xmat[g2])
    )
    sizes = concat(m.geom_size[g1], m.geom_size[g2])
    d.pair_shapes[DIRECT] = concat(concat(sizes, poses), vec(splat(reach)))


@kernel(inline=True)
def placed_pair(d, row):
    """size1, size2, p1, p2, R1, R2, reach of a row of pair_shapes"""
    both = d.pair_shapes[row]
    return both[0:3], both[3:6], both[6:9], both[9:12], both[12:21], both[21:30], both[30]
