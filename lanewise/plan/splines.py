"""Splines through knots that stand at fixed times.

A plan is a few rows of numbers, the knots, and what is between them:

    zero      the number of the last knot stays
    linear    straight lines
    cubic     Hermite's cubics, whose slope at a knot is that of the line between its neighbours

All three are linear in the knots. So the controls of a horizon are a matrix times the knots,

    controls (samples, steps, nu) = basis (steps, knots) @ knots (samples, knots, nu)

one product for all samples. Knot number i stands at the time i * spacing, whatever the time is
now: when one has passed, it is dropped, and another is added at the end. What is left is the same
curve as before, where knots that were read off it at new times would smear it. The spacing is such
that the knots reach over the horizon at every moment between two of them.
"""

from dataclasses import dataclass

import numpy as np

from ..errors import no_such, whole_number

# knots before the present one and beyond the horizon, so that all of it is between two knots
_BEFORE = {"zero": 0, "linear": 0, "cubic": 1}
_SPARE = {"zero": 1, "linear": 2, "cubic": 3}
KINDS = tuple(_BEFORE)
_HAIR = 1e-9  # of a spacing: a time that is a knot's but for round-off is that knot's


@dataclass(frozen=True)
class Spline:
    """A kind, a number of knots, and the horizon [s] that they reach over."""

    kind: str
    knots: int
    horizon: float

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(no_such("spline", self.kind, KINDS))
        least = _SPARE[self.kind] + 1
        if whole_number(self.knots, "knots") < least:
            raise ValueError(
                f"a {self.kind} spline needs knots >= {least}, got {self.knots}: some of them are"
                " before and beyond the horizon"
            )
        if not 0.0 < self.horizon < np.inf:
            raise ValueError(f"horizon must be a time above 0 s, got {self.horizon}")

    @property
    def spacing(self) -> float:
        """Time from a knot to the next [s]."""
        return self.horizon / (self.knots - _SPARE[self.kind])

    def first(self, time: float) -> int:
        """The number of the first knot that a plan from this time on has."""
        return int(np.floor(time / self.spacing + _HAIR)) - _BEFORE[self.kind]

    def basis(self, first: int, times: np.ndarray) -> np.ndarray:
        """(times, knots): what each knot counts at each time [s]; before the first knot and after
        the last, the curve stays where it is there."""
        place = np.asarray(times, float) / self.spacing - first + _HAIR  # in spacings
        place = np.clip(place, 0.0, self.knots - 1.0)
        rows = np.eye(self.knots)
        if self.kind == "zero":
            return rows[place.astype(int)]
        k = np.minimum(place.astype(int), self.knots - 2)
        s = (place - k)[:, None]
        if self.kind == "linear":
            return (1.0 - s) * rows[k] + s * rows[k + 1]
        slope = np.gradient(rows, axis=0)  # of each knot, by neighbours; one-sided at both ends
        return (
            (1.0 + 2.0 * s) * (1.0 - s) ** 2 * rows[k] + s * (1.0 - s) ** 2 * slope[k]
            + s**2 * (3.0 - 2.0 * s) * rows[k + 1] - s**2 * (1.0 - s) * slope[k + 1]
        )  # fmt: skip


def shifted(knots: np.ndarray, passed: int) -> np.ndarray:
    """The knots (knots, ...) after so many have passed; the last is repeated."""
    number = np.minimum(np.arange(len(knots)) + passed, len(knots) - 1)
    return knots[number]
