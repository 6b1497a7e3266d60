"""The rows in which candidates wait until every world's list of contacts is made of them.

A row is written and fetched whole, so that what belongs to a contact lies together. These functions
are the only ones that know where in a row a number is.

    hit_geometry    distance, position (3), normal and first tangent (6), geoms (2), row of
                    hit_parameters, number of the pair among all that were met
    hit_parameters  solref (2), solreffriction (2), solimp (5), friction (5), adhesion, margin,
                    dimension
"""

from ...lanes import all_lanes, concat, kernel, load_lane, splat, to_int, vec


@kernel(inline=True)
def pack_geometry(dist, pos, frame, g1, g2, row, met):
    """A row of hit_geometry; `row` is the one of hit_parameters that belongs to it."""
    numbers = vec(g1 * 1.0, g2 * 1.0, row * 1.0, met * 1.0)
    return concat(concat(vec(dist), concat(pos, frame)), numbers)


@kernel(inline=True)
def no_geometry():
    """A row for worlds that have no contact there."""
    return pack_geometry(
        splat(0.0), vec(0.0, 0.0, 0.0), vec(1.0, 0.0, 0.0, 0.0, 1.0, 0.0), 0, 0, 0, 0
    )


@kernel(inline=True)
def unpack_geometry(g):
    """dist, pos, frame, geom"""
    return g[0], g[1:4], g[4:10], g[10:12]


@kernel(inline=True)
def parameters_row(g):
    """The row of hit_parameters that belongs to a row of hit_geometry."""
    return g[12]


@kernel(inline=True)
def when_met(d, hit, w):
    """The number of the pair that a row of hit_geometry is of, in world w."""
    return load_lane(d.hit_geometry, (to_int(hit), 13), w)


@kernel(inline=True)
def pack_parameters(parameters, margin, dim):
    """A row of hit_parameters; `parameters` are those of mix.contact_parameters."""
    return concat(parameters, vec(splat(margin), dim * 1.0))


@kernel(inline=True)
def unpack_parameters(p):
    """solref, solreffriction, solimp, friction, adhesion, margin, dim"""
    return p[0:2], p[2:4], p[4:9], p[9:14], p[14], p[15], p[16]


@kernel
def same_parameters(p, q):
    """Whether two rows of hit_parameters have the same numbers."""
    same = (p[0] == q[0]) & (p[1] == q[1]) & (p[2] == q[2]) & (p[3] == q[3])
    same = same & (p[4] == q[4]) & (p[5] == q[5]) & (p[6] == q[6]) & (p[7] == q[7])
    same = same & (p[8] == q[8]) & (p[9] == q[9]) & (p[10] == q[10]) & (p[11] == q[11])
    same = same & (p[12] == q[12]) & (p[13] == q[13]) & (p[14] == q[14]) & (p[15] == q[15])
    return all_lanes(same & (p[16] == q[16]))
