"""A rigid body as numbers, and the MJCF of a world in which it is alone and free.

The frame of the body is wherever its numbers are given; `com` says where the mass is in it. Ptera
Software has its body frame at the centre of mass, so that what MuJoCo says of a body's origin is
said of the centre of mass, too. Numbers are written so that reading them gives the same bits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from ..conventions import Body
from ..errors import ModelError, no_such

INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast")

# where fragments of XML may go: sections of their own, the world, and the body itself
PLACES = ("default", "asset", "visual", "worldbody", "body")


@dataclass(frozen=True, eq=False)
class RigidBody:
    """A free body: what a model needs to know of it.

    mass        [kg]
    inertia     about the centre of mass, in the axes of the body [kg m^2]: (3, 3), or (3,) of a
                diagonal
    gravity     [m/s^2], in Earth axes, (3,): zeros if weight comes as a load, as Ptera Software has
                it. There is no default: the sign says which way is up.
    com         p_BoBcm_B, the centre of mass in the body frame [m]
    timestep    [s] of the engine
    integrator  "Euler", "RK4", "implicit" or "implicitfast"
    name        of the body, and of the model
    extra_xml   fragments of MJCF by place: "default", "asset" and "visual" are whole sections,
                "worldbody" and "body" what stands in these: geoms to be seen, a ground, cameras
    """

    mass: float
    inertia: Any
    gravity: Any = field(kw_only=True)
    com: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)
    timestep: float = field(default=0.01, kw_only=True)
    integrator: str = field(default="RK4", kw_only=True)
    name: str = field(default="body", kw_only=True)
    extra_xml: Mapping[str, str] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.mass, Real):
            raise ModelError(f"mass must be a number [kg]; got {self.mass!r}")
        body = Body(com=self.com, mass=float(self.mass), inertia=self.inertia)
        least, middle, most = np.linalg.eigvalsh(body.inertia)
        if most > (least + middle) * (1.0 + 1e-6):
            raise ModelError(
                f"no body has the moments of inertia {least:g}, {middle:g} and {most:g} [kg m^2]:"
                " none may be larger than the sum of the others"
            )
        gravity = np.asarray(self.gravity, float)
        if gravity.shape != (3,) or not np.isfinite(gravity).all():
            raise ModelError(f"gravity must be three numbers [m/s^2]; got {self.gravity!r}")
        if not isinstance(self.timestep, Real) or not 0.0 < self.timestep < np.inf:
            raise ModelError(f"timestep must be positive [s]; got {self.timestep!r}")
        if self.integrator not in INTEGRATORS:
            raise ModelError(f"there is {no_such('integrator', self.integrator, INTEGRATORS)}")
        for place in self.extra_xml or ():
            if place not in PLACES:
                raise ModelError(f"extra_xml: {no_such('place', place, PLACES)}")
        for name, value in (("com", body.com), ("inertia", body.inertia), ("gravity", gravity)):
            object.__setattr__(self, name, value)

    def xml(self, keyframes: Mapping[str, tuple[Any, Any]] | None = None) -> str:
        """The MJCF of this body alone; `keyframes` maps names to (qpos, qvel)."""
        extra, name = dict.fromkeys(PLACES, "") | dict(self.extra_xml or {}), quoteattr(self.name)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.inertia
        keys = "".join(
            f'<key name={quoteattr(key)} qpos="{_text(qpos)}" qvel="{_text(qvel)}"/>'
            for key, (qpos, qvel) in (keyframes or {}).items()
        )
        return f"""<mujoco model={name}>
  <option timestep="{_text([self.timestep])}" integrator="{self.integrator}"
          gravity="{_text(self.gravity)}"/>
  {extra["default"]}
  {extra["asset"]}
  {extra["visual"]}
  <worldbody>
    {extra["worldbody"]}
    <body name={name}>
      <freejoint/>
      <inertial pos="{_text(self.com)}" mass="{_text([self.mass])}"
                fullinertia="{_text([xx, yy, zz, xy, xz, yz])}"/>
      {extra["body"]}
    </body>
  </worldbody>
  <keyframe>{keys}</keyframe>
</mujoco>
"""


def _text(numbers: Any) -> str:
    """Numbers as they are read back, bit by bit."""
    return " ".join(repr(float(x)) for x in numbers)
