"""Drawing numbers for random models, from one seeded stream."""

import xml.etree.ElementTree as ET

import numpy as np


def say(value) -> str:
    """A number or a sequence of numbers as an XML attribute, short enough to read."""
    return " ".join(f"{x:.4g}" for x in np.atleast_1d(value))


class Drawing:
    """A seeded stream and the distributions that random models are drawn from."""

    def __init__(self, rng: np.random.Generator):
        self.rng = rng

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def pick(self, sequence):
        return sequence[self.rng.integers(len(sequence))]

    def between(self, low: float, high: float, n: int | None = None):
        return self.rng.uniform(low, high, n)

    def log_between(self, low: float, high: float) -> float:
        return float(np.exp(self.rng.uniform(np.log(low), np.log(high))))

    def vector(self, scale: float, n: int = 3) -> np.ndarray:
        return self.rng.normal(0.0, scale, n)

    def unit_quat(self) -> np.ndarray:
        q = self.rng.normal(size=4)
        return q / np.linalg.norm(q)

    def interval(self, low: float, high: float) -> np.ndarray:
        """Two different numbers in order, around zero: low is negative, high is positive."""
        return np.array([self.between(low, 0.3 * low), self.between(0.3 * high, high)])

    def polynomial(self, scale: float) -> np.ndarray:
        """A stiffness or a damping: linear alone or with quadratic and cubic coefficients."""
        if self.chance(0.5):
            return np.array([self.between(0.1, scale)])
        return np.array([self.between(0, scale), *self.between(-0.2 * scale, 0.2 * scale, 2)])

    def place(self, element: ET.Element, scale: float, plain: bool) -> None:
        """Gives `element` a random frame; a plain one mostly stays at its parent's origin."""
        if not plain or self.chance(0.3):
            element.set("pos", say(self.vector(scale)))
        if not plain:
            element.set("quat", say(self.unit_quat()))
