"""The rows in which candidates wait until every world's list of contacts is made of them.

A row is written and fetched whole, so that what belongs to a contact lies together. These functions
are the only ones that know where in a row a number is.

    hit_geometry    distance, position (3), normal and first tangent (6), row of hit_parameters
    hit_parameters  solref (2), solreffriction (2), solimp (5), friction (5), adhesion, margin,
                    dimension, geoms (2)
"""

from ...lanes import concat, kernel, vec


@kernel(inline=True)
def pack_geometry(dist, pos, frame, row):
    """A row of hit_geometry; `row` is the one of hit_parameters that belongs to it."""
    return concat(concat(vec(dist), concat(pos, frame)), vec(row * 1.0))


@kernel(inline=True)
def unpack_geometry(g):
    """dist, pos, frame"""
    return g[0], g[1:4], g[4:10]


@kernel(inline=True)
def parameters_row(g):
    """The row of hit_parameters that belongs to a row of hit_geometry."""
    return g[10]


@kernel(inline=True)
def pack_parameters(parameters, margin, dim, g1, g2):
    """A row of hit_parameters; `parameters` are those of mix.contact_parameters."""
    return concat(parameters, concat(vec(margin), vec(dim * 1.0, g1 * 1.0, g2 * 1.0)))


@kernel(inline=True)
def unpack_parameters(p):
    """solref, solreffriction, solimp, friction, adhesion, margin, dim, geom"""
    return p[0:2], p[2:4], p[4:9], p[9:14], p[14], p[15], p[16], p[17:19]
