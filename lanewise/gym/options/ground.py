"""The height of a height field at a place: on arrays, and for kernels of tasks.

A cell between four points of the grid is two triangles, with the corners (0, 0) and (1, 1) in
common, as MuJoCo has them.
"""

import numpy as np

from ...lanes import clip, floor, kernel, minimum, where

HFIELD = 1  # mjGEOM_HFIELD


@kernel
def ground_height(m, x, y):
    """The height of the ground at x and y in the world: of the last height field, which stands
    upright and does not move, up to its edges; 0 without one."""
    z = 0.0 * x
    for g in range(m.ngeom):
        if m.geom_type[g] == HFIELD:
            z = field_height(m, g, x - m.geom_pos[g, 0], y - m.geom_pos[g, 1]) + m.geom_pos[g, 2]
    return z


@kernel
def field_height(m, g, x, y):
    """The height of a geom's field at x and y in its frame"""
    k = m.geom_dataid[g]
    nrow, ncol = m.hfield_nrow[k], m.hfield_ncol[k]
    sx, sy = m.hfield_size[k, 0], m.hfield_size[k, 1]
    # in units of cells
    c = clip((x + sx) * ((ncol - 1) / (2.0 * sx)), 0.0, ncol - 1.0)
    r = clip((y + sy) * ((nrow - 1) / (2.0 * sy)), 0.0, nrow - 1.0)
    col, row = minimum(floor(c), ncol - 2.0), minimum(floor(r), nrow - 2.0)
    u, v = c - col, r - row
    at = m.hfield_adr[k] + row * ncol + col
    z00, z01 = m.hfield_data[at], m.hfield_data[at + 1.0]
    z10, z11 = m.hfield_data[at + ncol], m.hfield_data[at + (ncol + 1.0)]
    lower = z00 + u * (z01 - z00) + v * (z11 - z01)
    upper = z00 + v * (z10 - z00) + u * (z11 - z10)
    return where(u > v, lower, upper) * m.hfield_size[k, 2]


def height_at(
    heights: np.ndarray, size: tuple[float, float], x: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """The same on arrays, for heights over x and y within size [m] about 0."""
    nrow, ncol = heights.shape
    c = np.clip((x / size[0] + 0.5) * (ncol - 1), 0.0, ncol - 1.0)
    r = np.clip((y / size[1] + 0.5) * (nrow - 1), 0.0, nrow - 1.0)
    col, row = np.minimum(c.astype(int), ncol - 2), np.minimum(r.astype(int), nrow - 2)
    u, v = c - col, r - row
    z00, z01 = heights[row, col], heights[row, col + 1]
    z10, z11 = heights[row + 1, col], heights[row + 1, col + 1]
    lower = z00 + u * (z01 - z00) + v * (z11 - z01)
    upper = z00 + v * (z10 - z00) + u * (z11 - z10)
    return np.where(u > v, lower, upper)
