"""Random numbers within episodes, of all environments at once.

A stream is SplitMix64: the state goes on by a constant, and a number is the state with its bits
mixed. So the next numbers of any environments are arithmetic on an array of states. A state begins
as a number of the environment's own generator, which nothing else within an episode draws from.
"""

import numpy as np

from ..seeds import Draws
from .option import rows_of

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, odd
MIX = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)


class Streams:
    """A stream of numbers for each of n environments."""

    def __init__(self, n: int):
        self._states = np.zeros(n, np.uint64)

    def start(self, which: np.ndarray, draws: Draws) -> None:
        """Begin anew in some environments."""
        self._states[which] = draws.keys()

    def uniform(self, which: np.ndarray | None, size: int) -> np.ndarray:
        """(n, size) at least 0 and below 1, of some environments or of all."""
        rows = rows_of(which)
        x = self._states[rows, None] + GOLDEN * np.arange(1, size + 1, dtype=np.uint64)
        self._states[rows] += np.uint64(
            int(GOLDEN) * size % 2**64
        )  # scalars would warn of what arrays wrap
        for shift, factor in MIX:
            x ^= x >> shift
            x *= factor
        x ^= x >> np.uint64(31)
        return (x >> np.uint64(11)) * 2.0**-53

    def normal(self, which: np.ndarray | None, size: int) -> np.ndarray:
        """(n, size) of mean 0 and deviation 1: two of every two uniform ones, by Box and Muller."""
        half = (size + 1) // 2
        u = self.uniform(which, 2 * half)
        radius, angle = np.sqrt(-2.0 * np.log1p(-u[:, :half])), 2.0 * np.pi * u[:, half:]
        return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)], axis=1)[:, :size]
