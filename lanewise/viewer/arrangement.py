"""Where worlds stand in the picture: side by side on a grid, or all in one place as ghosts."""

import math

import numpy as np

SIDE_BY_SIDE, GHOSTS = "side by side", "ghosts"
ARRANGEMENTS = (SIDE_BY_SIDE, GHOSTS)


def offsets(n: int, apart: np.ndarray, arrangement: str = SIDE_BY_SIDE) -> np.ndarray:
    """(n, 3) what is added to positions of each world. The first world stays where it is; further
    ones stand in rows along y, and the rows behind each other along -x, `apart` (2,) [m]."""
    places = np.zeros((n, 3))
    if arrangement == SIDE_BY_SIDE:
        across = columns(n, apart)
        places[:, 0] = -apart[0] * (np.arange(n) // across)
        places[:, 1] = apart[1] * (np.arange(n) % across)
    return places


def columns(n: int, apart: np.ndarray) -> int:
    """How many worlds stand in a row, so that all of them fill about a square."""
    return min(n, max(1, math.ceil(math.sqrt(n * apart[0] / apart[1]) - 1e-9)))


def spacing(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How far worlds in a box from low to high [m] stand apart, (2,): room to fall over."""
    size = high - low
    return np.maximum(1.25 * size[:2], max(0.75 * size[2], 1e-3))
