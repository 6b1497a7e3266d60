"""Cones for systems that have none: as meshes, with the mass of the cone itself.

The points of the mesh lie on the cone, so it is a little smaller: of n sides, its mass is less by
6.6/n^2. Contacts may have the mesh; a body should have the mass, centre and inertia of the cone,
    m = density pi r^2 h / 3,  the centre a quarter of h above the base,
    Izz = 3/10 m r^2,  Ixx = Iyy = 3/20 m r^2 + 3/80 m h^2.
"""

import numpy as np

from ..errors import ConventionError
from .shapes import Shape, Solid, from_reference, shape_com, to_reference
from .spatial import rotate
from .systems import System, system


def cone_as_mesh(
    shape: Shape, source: str | System, target: str | System, around: int = 48
) -> Shape:
    """A cone of one system as a convex mesh of another, with so many sides."""
    solid = _cone(shape, source)
    if around < 3:
        raise ConventionError(f"a mesh of a cone needs 3 sides at least; got around={around}")
    r, half = solid.size
    angle = 2.0 * np.pi * np.arange(around) / around
    ring = np.stack([r * np.cos(angle), r * np.sin(angle), np.full(around, -half)], axis=1)
    k = np.arange(around)
    sides = np.stack([k, (k + 1) % around, np.full(around, around)], axis=1)
    base = np.stack([np.zeros(around - 2, int), k[2:], k[1:-1]], axis=1)
    points = np.concatenate([ring, [[0.0, 0.0, half]]])
    triangles = np.concatenate([sides, base])
    row = system(target)
    collides = "hull" if row.mesh == "hull" else "triangles"
    mesh = Solid(
        "mesh", (), solid.p, solid.q, points=points, triangles=triangles, collides=collides
    )
    return from_reference(mesh, row)


def cone_mass(
    shape: Shape, of: str | System, density: float
) -> tuple[float, np.ndarray, np.ndarray]:
    """(mass, p_BGcm, I_BGcm_B) of a cone: about its centre of mass, in the axes of its body."""
    solid = _cone(shape, of)
    if not 0.0 < density < np.inf:
        raise ConventionError(f"density must be positive; got {density}")
    r, h = solid.size[0], 2.0 * solid.size[1]
    m = density * np.pi * r * r * h / 3.0
    across = m * (0.15 * r * r + 0.0375 * h * h)
    R = np.array([rotate(solid.q, tuple(axis)) for axis in np.eye(3)]).T
    return m, shape_com(shape, of), R @ np.diag([across, across, 0.3 * m * r * r]) @ R.T


def _cone(shape, of):
    solid = to_reference(shape, system(of))
    if solid.kind != "cone":
        raise ConventionError(f"this is for cones; got a {solid.kind}")
    return solid
