"""Masses and inertias: those that the stage says, and the rest from its shapes, as USD has it.

A body's own mass goes before the sum of its shapes; a shape's mass before its density; of
densities, the shape's own, then the body's, then that of the shape's material, then 1000 kg/m^3.
Where a body says its mass and no inertia, the inertia of its shapes is scaled. A body whose shapes
say all of it is left to MuJoCo's compiler; what a single shape has is asked of that compiler too,
except of cones, which are meshes there:

    m = density pi r^2 h / 3,  centre a quarter of h above the base,
    Izz = 3/10 m r^2,  Ixx = Iyy = 3/20 m r^2 + 3/80 m h^2
"""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from ..errors import ModelError
from .placing import Place, rotation
from .solids import Solid
from .stage_values import Units, value

WATER = 1000.0  # [kg/m^3], USD's density where nobody says one


@dataclass(frozen=True)
class Matter:
    """What MassAPI says of a prim, in SI; 0 or None where it says nothing."""

    mass: float = 0.0
    density: float = 0.0
    com: np.ndarray | None = None
    inertia: np.ndarray | None = None  # a matrix about the centre, in the axes of the prim

    @property
    def silent(self) -> bool:
        """Whether it leaves the centre and the mass to shapes."""
        return self.mass == 0.0 and self.com is None and self.inertia is None


def matter_of(prim: Any, place: Place, units: Units) -> Matter:
    """What a prim says of its mass; the centre in the frame of the place, without its scale."""
    from pxr import UsdPhysics

    api = UsdPhysics.MassAPI(prim)
    if not prim.HasAPI(UsdPhysics.MassAPI):
        return Matter()
    mass, density = value(api.GetMassAttr()), value(api.GetDensityAttr())
    centre = np.array(value(api.GetCenterOfMassAttr()))
    moments = np.array(value(api.GetDiagonalInertiaAttr()))
    if not np.isfinite([mass, density, *moments]).all():
        raise ModelError(f"{prim.GetPath()}: a mass, density or inertia that is infinite")
    axes = rotation(value(api.GetPrincipalAxesAttr()))
    return Matter(
        mass=max(mass, 0.0) * units.mass,
        density=max(density, 0.0) * units.mass / units.length**3,
        com=place.scale * centre if np.isfinite(centre).all() else None,
        inertia=axes @ np.diag(moments) @ axes.T * units.mass * units.length**2
        if moments.any()
        else None,
    )


@dataclass(frozen=True)
class Inertial:
    """A mass [kg], its centre [m], and its inertia about the centre [kg m^2], in a body's frame."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray


def together(parts: list[Inertial]) -> Inertial:
    """What several are as one."""
    mass = sum(part.mass for part in parts)
    if mass <= 0.0:
        return Inertial(0.0, np.zeros(3), np.zeros((3, 3)))
    com = sum((part.mass * part.com for part in parts), np.zeros(3)) / mass
    inertia = sum(
        (part.inertia + _apart(part.mass, part.com - com) for part in parts), np.zeros((3, 3))
    )
    return Inertial(mass, com, inertia)


def _apart(mass, r):
    """What a mass adds to the inertia about a point that it is r away from."""
    return mass * (r @ r * np.eye(3) - np.outer(r, r))


def of_body(said: Matter, parts: list[Inertial]) -> Inertial:
    """What a body has that says some of it itself."""
    sum_ = together(parts)
    mass = said.mass or sum_.mass
    com = sum_.com if said.com is None else said.com
    if said.inertia is not None:
        return Inertial(mass, com, said.inertia)
    about = sum_.inertia + _apart(sum_.mass, sum_.com - com)
    return Inertial(mass, com, about * (mass / sum_.mass) if sum_.mass > 0.0 else about)


def of_shape(solid: Solid, mass: float, density: float) -> Inertial:
    """What a shape has: so much mass, or if that is 0, of that density."""
    if solid.kind == "plane":
        return Inertial(0.0, np.zeros(3), np.zeros((3, 3)))
    if solid.cone is not None:
        return _cone(solid, mass, density)
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body()
    body.add_freejoint()
    add_geom(spec, body, solid, "shape", mass=mass, density=density)
    mj = spec.compile()
    R = rotation(mj.body_iquat[1])
    return Inertial(
        float(mj.body_mass[1]), mj.body_ipos[1].copy(), R @ np.diag(mj.body_inertia[1]) @ R.T
    )


def _cone(solid, mass, density):
    assert solid.cone is not None
    r, h = solid.cone
    m = mass or density * np.pi * r * r * h / 3.0
    across = m * (0.15 * r * r + 0.0375 * h * h)
    R = solid.R
    inertia = R @ np.diag([across, across, 0.3 * m * r * r]) @ R.T
    return Inertial(m, solid.p - R[:, 2] * h / 4.0, inertia)


_TYPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "plane": mujoco.mjtGeom.mjGEOM_PLANE,
    "mesh": mujoco.mjtGeom.mjGEOM_MESH,
}


def add_geom(
    spec: Any, body: Any, solid: Solid, name: str, mass=0.0, density=0.0, seen=False
) -> Any:
    """The geom of a solid, with so much mass, or of that density; or one that is only seen."""
    geom = body.add_geom(name=name, type=_TYPES[solid.kind], pos=solid.p, quat=solid.q)
    if solid.points is not None and solid.faces is not None:
        kinds = mujoco.mjtMeshInertia
        mesh = spec.add_mesh(name=name, uservert=solid.points.ravel(), userface=solid.faces.ravel())
        exact = kinds.mjMESH_INERTIA_EXACT if solid.closed else kinds.mjMESH_INERTIA_CONVEX
        mesh.inertia = kinds.mjMESH_INERTIA_SHELL if seen else exact
        geom.meshname = name
    else:
        geom.size[: len(solid.size)] = solid.size
    if seen:
        geom.mass, geom.contype, geom.conaffinity, geom.group = 0.0, 0, 0, 2
    elif mass > 0.0:
        geom.mass = mass
    else:
        geom.density = density
    return geom
