"""Where worlds stand in the picture: side by side on a grid, or all in one place as ghosts."""

import math

import numpy as np

SIDE_BY_SIDE, GHOSTS = "side by side", "ghosts"
ARRANGEMENTS = (SIDE_BY_SIDE, GHOSTS)


def offsets(n: int, spacing: float, arrangement: str = SIDE_BY_SIDE) -> np.ndarray:
    """(n, 3) what is added to positions of each world. The first world stays where it is; further
    ones stand in rows along y, and the rows behind each other along -x."""
    places = np.zeros((n, 3))
    if arrangement == SIDE_BY_SIDE:
        across = columns(n)
        places[:, 0] = -spacing * (np.arange(n) // across)
        places[:, 1] = spacing * (np.arange(n) % across)
    return places


def columns(n: int) -> int:
    """How many worlds stand in a row."""
    return math.ceil(math.sqrt(n))


def extent(low: np.ndarray, high: np.ndarray) -> float:
    """How far worlds of a given box [m] stand apart: room to fall over."""
    size = high - low
    return float(max(1.15 * size[0], 1.15 * size[1], 0.9 * size[2], 1e-3))
