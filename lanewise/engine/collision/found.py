"""How a narrow-phase function hands over what it found.

A function is called for one pair of geoms and all lanes, and writes candidates k = 0, 1, ... into
found_dist, found_pos and found_frame. In each lane the candidates that exist, read in order of k,
are MuJoCo's contacts in MuJoCo's order; in the lanes where candidate k does not exist its distance
is NO_CONTACT. A frame is the normal, from the first geom to the second, and the first tangent;
zeros for the tangent leave its choice to the driver.
"""

from ...lanes import any_lane, concat, kernel, where
from ..spatial import zeros3
from .constants import NO_CONTACT


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
