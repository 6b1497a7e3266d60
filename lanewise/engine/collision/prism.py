"""Prisms under the triangles of a height field. (1) is the equation of hfield.py."""

from ...lanes import floor, kernel, splat, vec, where
from .convex import place_prism


@kernel(inline=True)
def on_near_line(i):
    """1 where vertex i of a strip is on the near grid line, else 0; and its column."""
    c = floor(0.5 * i)
    return i - 2.0 * c, c


@kernel(inline=True)
def elevation(m, field, r, i, on):
    """How high vertex i of strip r stands in each world of `on`, by (1)."""
    near, c = on_near_line(i)
    place = where(on & (i >= 0.0), (r + 1.0 - near) * (m.hfield_ncol[field] * 1.0) + c, 0.0)
    return m.hfield_data[m.hfield_adr[field] + place] * m.hfield_size[field][2]


@kernel
def make_prism(m, d, field, r, i, z):
    """The prism under vertex i of strip r and the two before it, of these heights."""
    nrow, ncol, size = m.hfield_nrow[field], m.hfield_ncol[field], m.hfield_size[field]
    dx, dy = 2.0 * size[0] / (ncol - 1), 2.0 * size[1] / (nrow - 1)
    near, c = on_near_line(i)
    # (1): the last vertex, the one before on the other grid line, and one on the same line again
    x2, y2 = dx * c - size[0], dy * (r + 1.0 - near) - size[1]
    x1, y1 = dx * (c - 1.0 + near) - size[0], dy * (r + near) - size[1]
    x0 = dx * (c - 1.0) - size[0]
    set_column(d, 0, x0, y2, z[0], -size[3])
    set_column(d, 1, x1, y1, z[1], -size[3])
    set_column(d, 2, x2, y2, z[2], -size[3])


@kernel(inline=True)
def set_column(d, k, x, y, z, bottom):
    """Vertex k of the prisms, at the bottom and at the top."""
    d.gjk_prism[k] = vec(x, y, splat(bottom))
    d.gjk_prism[k + 3] = vec(x, y, z)


@kernel
def place_prisms(m, d, field, vertex, reach, on):
    """Make the prisms under vertices (r, i) and the two before each shape 0, in worlds of `on`."""
    r, i = vertex[0], vertex[1]
    z0, z1 = elevation(m, field, r, i - 2.0, on), elevation(m, field, r, i - 1.0, on)
    make_prism(m, d, field, r, i, vec(z0, z1, elevation(m, field, r, i, on)))
    place_prism(d, reach)
