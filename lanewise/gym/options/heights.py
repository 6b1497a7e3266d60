"""Heights of the ground as arrays: kinds of terrain.

All are (rows along y, columns along x) in metres, between -height and height.
"""

from collections.abc import Callable

import numpy as np


def rough(x: np.ndarray, y: np.ndarray, height: float, rng: np.random.Generator) -> np.ndarray:
    """Bumps of all widths up to 2 m, each half as high as those twice as wide."""
    spacing = x[1] - x[0]
    total, weight, width = np.zeros((len(y), len(x))), 1.0, 2.0
    while width >= spacing:
        knots = [max(2, int(np.ptp(axis) / width) + 2) for axis in (y, x)]
        total += weight * _stretched(rng.uniform(-1.0, 1.0, knots), total.shape)
        weight, width = weight / 2.0, width / 2.0
    return height * total / np.abs(total).max()


def waves(x: np.ndarray, y: np.ndarray, height: float, rng: np.random.Generator) -> np.ndarray:
    """Waves of 2 to 4 m in both directions."""
    lengths, phases = rng.uniform(2.0, 4.0, 2), rng.uniform(0.0, 2.0 * np.pi, 2)
    along_x = np.sin(2.0 * np.pi * x / lengths[0] + phases[0])
    along_y = np.sin(2.0 * np.pi * y / lengths[1] + phases[1])
    return 0.5 * height * (along_x[None] + along_y[:, None])


def slopes(x: np.ndarray, y: np.ndarray, height: float, rng: np.random.Generator) -> np.ndarray:
    """Ramps along x, up and down by 2 height within 4 m, with flat tops and bottoms of 1 m."""
    place = (x - x[0] + rng.uniform(0.0, 10.0)) % 10.0
    profile = np.interp(place, [0.0, 4.0, 5.0, 9.0, 10.0], [-1.0, 1.0, 1.0, -1.0, -1.0])
    return np.tile(height * profile, (len(y), 1))


def steps(x: np.ndarray, y: np.ndarray, height: float, rng: np.random.Generator) -> np.ndarray:
    """Squares of 1 m, each flat and at a height of its own."""
    rows, columns = (((axis - axis[0]) // 1.0).astype(int) for axis in (y, x))
    blocks = rng.uniform(-height, height, (rows.max() + 1, columns.max() + 1))
    return blocks[rows[:, None], columns[None]]


KINDS: dict[str, Callable] = {f.__name__: f for f in (rough, slopes, steps, waves)}


def _stretched(knots: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A grid of numbers, made as large as a shape by straight lines along both axes."""
    for axis, n in enumerate(shape):
        place = np.linspace(0.0, knots.shape[axis] - 1.0, n)
        first = np.minimum(place.astype(int), knots.shape[axis] - 2)
        part = (place - first).reshape((-1, 1) if axis == 0 else (1, -1))
        low, high = knots.take(first, axis), knots.take(first + 1, axis)
        knots = low + part * (high - low)
    return knots
