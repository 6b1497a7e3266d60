"""What numbers are drawn from, and what is made of them: the values of `Randomize`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..seeds import Draws

DEVIATIONS = 3.0  # a normal number that is farther off is put back to here
EACH = ("object", "number", "world")
LAWS = ("uniform", "log", "normal")


@dataclass(frozen=True)
class Range:
    """Numbers between low and high, uniformly.

    of: which objects, a name, a pattern such as "*_foot", a number, or several of these. columns:
    which numbers of an object, friction's 0 say. each: whether every object, every number or every
    world has a draw of its own; by default every object, and every number of what has no objects.
    low and high may have a number for each draw.
    """

    low: Any
    high: Any
    of: Any = field(default=None, kw_only=True)
    columns: int | Sequence[int] | None = field(default=None, kw_only=True)
    each: str | None = field(default=None, kw_only=True)
    law: str = field(default="uniform", kw_only=True)

    def __post_init__(self) -> None:
        kind = type(self).__name__
        if self.each not in (None, *EACH):
            raise ValueError(f"{kind}: each is one of {', '.join(EACH)}, got {self.each!r}")
        if self.law not in LAWS:
            raise ValueError(f"{kind}: law is one of {', '.join(LAWS)}, got {self.law!r}")
        low, high = np.asarray(self.low, float), np.asarray(self.high, float)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise ValueError(f"{kind}: bounds are finite numbers, got {self.low} and {self.high}")
        if self.law == "normal":
            if (high < 0.0).any():
                raise ValueError(f"{kind}: a deviation is not negative, got {self.high}")
        elif (low > high).any():
            raise ValueError(f"{kind}: low is {self.low}, above high, {self.high}")
        if self.law == "log" and (low <= 0.0).any():
            raise ValueError(f"{kind}: a logarithmic range begins above 0, got {self.low}")

    @classmethod
    def log(cls, low: Any, high: Any, **chosen: Any) -> Any:
        """Between low and high, uniformly in the logarithm: 1/2 is as likely as 2."""
        return cls(low, high, law="log", **chosen)

    @classmethod
    def normal(cls, mean: Any, deviation: Any, **chosen: Any) -> Any:
        """Normally about a mean, at most three deviations off."""
        return cls(mean, deviation, law="normal", **chosen)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest number that can be drawn."""
        low, high = np.asarray(self.low, float), np.asarray(self.high, float)
        if self.law == "normal":
            return low - DEVIATIONS * high, low + DEVIATIONS * high
        return low, high

    def draw(self, draws: Draws, shape: tuple[int, ...]) -> np.ndarray:
        """(n, *shape) numbers."""
        size = int(np.prod(shape))
        low, high = np.asarray(self.low, float), np.asarray(self.high, float)
        if self.law == "normal":
            x = np.clip(draws.normal(size), -DEVIATIONS, DEVIATIONS)
            return low + high * x.reshape(-1, *shape)
        u = draws.uniform(0.0, 1.0, size).reshape(-1, *shape)
        if self.law == "log":
            return low * (high / low) ** u
        return low + (high - low) * u

    def applied(self, base: np.ndarray, x: np.ndarray) -> np.ndarray:
        """What a field is, where the model has `base` and x was drawn."""
        raise NotImplementedError


class Scale(Range):
    """A factor of the model's numbers."""

    def applied(self, base: np.ndarray, x: np.ndarray) -> np.ndarray:
        return base * x


class Offset(Range):
    """What is added to the model's numbers."""

    def applied(self, base: np.ndarray, x: np.ndarray) -> np.ndarray:
        return base + x


class Value(Range):
    """What stands in place of the model's numbers."""

    def applied(self, base: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.broadcast_to(x, base.shape)


class Choice(Range):
    """One of several numbers, in place of the model's: Choice([1, 3, 4]). The only one for fields
    of whole numbers."""

    def __init__(self, values: Any, **chosen: Any):
        numbers = np.asarray(values)
        if numbers.ndim != 1 or numbers.size == 0 or numbers.dtype.kind not in "fiub":
            raise ValueError(f"Choice takes a sequence of numbers, got {values!r}")
        object.__setattr__(self, "values", numbers)
        super().__init__(numbers.min(), numbers.max(), **chosen)

    values: np.ndarray

    def draw(self, draws: Draws, shape: tuple[int, ...]) -> np.ndarray:
        u = draws.uniform(0.0, len(self.values), int(np.prod(shape))).reshape(-1, *shape)
        return self.values[np.minimum(u.astype(int), len(self.values) - 1)]

    def applied(self, base: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.broadcast_to(x, base.shape)
