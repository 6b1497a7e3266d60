"""Wings as strips, and the air around them: what strip_loads.py computes with.

A surface is a flat wing with two edges: `span` along it, `chord` from its trailing edge to its
leading one. It is cut into strips across the span, each of which meets the air at its own speed and
angle, so that rolling and yawing are damped and a gust on one wing rolls. Finite span is put in
as lifting-line theory has it for an elliptic wing of aspect ratio A: the slope of lift is
2 pi A / (A + 2), and lift costs drag, CL^2 / (pi e A). Beyond the stall a strip is a flat plate,
CL = sin 2a, CD = 2 sin^2 a.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi
from numbers import Integral
from typing import Any

import numpy as np

from ..errors import ConventionError
from ..loaders import load
from .free_body import free_body
from .rigid_body import RigidBody
from .strip_loads import COLUMNS, strip_loads

EFFICIENCY = 0.9  # Oswald's, e


@dataclass(frozen=True, eq=False)
class Surface:
    """A wing, or half of one, a tail or a fin, in the axes of its body.

    at         (3,) [m] the middle of its quarter-chord line
    chord      (3,) [m] from the trailing edge to the leading one: its tilt is the incidence
    span       (3,) [m] from one tip to the other: its tilt is the dihedral. Lift of a positive
               angle goes along chord x span: with x forward and z up, a span to the left (+y)
               lifts upwards
    strips     how many
    aspect     the aspect ratio, of both halves together if this is one; by default span / chord
    zero_lift  [degrees] the angle without lift: negative for a cambered wing
    drag       the coefficient without lift
    stall      [degrees] from the angle without lift
    """

    at: Any
    chord: Any
    span: Any
    strips: int = 8
    aspect: float | None = None
    zero_lift: float = 0.0
    drag: float = 0.02
    stall: float = 14.0

    def __post_init__(self) -> None:
        for name in ("at", "chord", "span"):
            x = np.asarray(getattr(self, name), float)
            if x.shape != (3,) or not np.isfinite(x).all():
                raise ConventionError(f"{name} must be three numbers [m], in the axes of the body")
            object.__setattr__(self, name, x)
        if np.linalg.norm(np.cross(self.chord, self.span)) == 0.0:
            raise ConventionError("chord and span must not be parallel or zero: they make an area")
        if not isinstance(self.strips, Integral) or self.strips < 1:
            raise ConventionError(f"strips must be a whole number, 1 or more; got {self.strips!r}")
        if self.aspect is not None and not self.aspect > 0.0:
            raise ConventionError(f"aspect must be positive; got {self.aspect}")

    def mirrored(self) -> "Surface":
        """The same on the other side, where y is -y."""
        flip = np.array([1.0, -1.0, 1.0])
        return replace(self, at=self.at * flip, chord=self.chord * flip, span=-self.span * flip)

    def rows(self) -> np.ndarray:
        """A row for each strip, with the columns of strip_loads.COLUMNS."""
        n = self.strips
        normal = np.cross(self.chord, self.span)
        chord, normal = (x / np.linalg.norm(x) for x in (self.chord, normal))
        width = np.linalg.norm(self.span - (self.span @ chord) * chord)  # across the flow
        length = np.linalg.norm(self.chord)
        aspect = width / length if self.aspect is None else self.aspect
        rows = np.zeros((n, len(COLUMNS)))
        along = (np.arange(n) + 0.5) / n - 0.5
        rows[:, 0:3] = self.at + along[:, None] * self.span
        rows[:, 3:6], rows[:, 6:9] = chord, normal
        rows[:, 9:] = (
            width * length / n, 2.0 * pi * aspect / (aspect + 2.0), np.deg2rad(self.zero_lift),
            self.drag, 1.0 / (pi * EFFICIENCY * aspect), np.deg2rad(self.stall),
        )  # fmt: skip
        return rows


class Air:
    """Surfaces of a body in air that may move: `load` makes a Model in which it flies by itself.

    surfaces  of the body
    density   [kg/m^3]
    wind      (3,) [m/s] in Earth axes: how the air moves

    The loads are passive forces, computed at every stage of the integrator from the velocity that
    the body has there; loads from outside come on top. In a Batch, `wind` (3,), `density` (1,) and
    `strips` are parameters, which may differ between worlds: b.parameters.expand("wind").
    """

    def __init__(
        self, surfaces: Sequence[Surface], *, density: float = 1.225, wind: Any = (0.0, 0.0, 0.0)
    ):
        several = isinstance(surfaces, Sequence) and len(surfaces) > 0
        if not several or not all(isinstance(s, Surface) for s in surfaces):
            raise ConventionError("Air takes a list of one or more Surface: Air([wing, tail])")
        if not density >= 0.0:
            raise ConventionError(f"density must not be negative [kg/m^3]; got {density!r}")
        self.strips = np.concatenate([surface.rows() for surface in surfaces])
        self.density = float(density)
        self.wind = np.asarray(wind, float)
        if self.wind.shape != (3,) or not np.isfinite(self.wind).all():
            raise ConventionError(f"wind must be three numbers [m/s]; got {wind!r}")

    def load(self, source: Any, body: str | int | None = None, **arguments: Any) -> Any:
        """A Model, as lanewise.load, whose free body has these surfaces. `source` may be a
        RigidBody; further arguments are those of lanewise.load, but for `passive`."""
        if "passive" in arguments:
            raise ConventionError("the air is the passive force of this model: leave passive= out")
        source = source.xml() if isinstance(source, RigidBody) else source
        flies = free_body(load(source, assets=arguments.get("assets")), body)
        own = {
            "strips": self.strips, "wind": self.wind, "density": [self.density],
            "flier": [flies.number, flies.qvel.start, len(self.strips)],
        }  # fmt: skip
        parameters = {**arguments.pop("parameters", {}), **own}
        return load(source, passive=strip_loads, parameters=parameters, **arguments)
