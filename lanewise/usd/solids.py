"""Shapes: UsdGeom's, scaled as they stand, as geoms of MuJoCo's.

USD has full edges and heights, and the axis that the prim says; MuJoCo has halves, along z. A cone
becomes a mesh whose points are on it, and keeps its own mass and centre (matter.py). What a scale
makes of a shape is that shape only if it is even across its axis; a sphere becomes an ellipsoid,
all else is refused.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .losses import Findings
from .placing import Place, quaternion
from .stage_values import value

AROUND = 48  # points around a cone or a cylinder that is a mesh
EVEN = 1e-5  # how much scales may differ where they must not
# turns that take z to the axis of a shape, exactly
ALONG = {
    "X": np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]),
    "Y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),
    "Z": np.eye(3),
}
KINDS = (
    "Cube",
    "Sphere",
    "Capsule",
    "Cylinder",
    "Cone",
    "Plane",
    "Mesh",
    "Capsule_1",
    "Cylinder_1",
)
HULLS = ("convexDecomposition", "meshSimplification", "sdf")
THIN = 1e-3  # [m], half of what a flat mesh that collides is made to have


@dataclass(frozen=True)
class Solid:
    """A geom of MuJoCo's in the frame of its body [m]; of a mesh, its points and triangles."""

    kind: str  # box, sphere, ellipsoid, capsule, cylinder, plane or mesh
    size: tuple[float, ...]
    p: np.ndarray
    R: np.ndarray
    points: np.ndarray | None = None
    faces: np.ndarray | None = None
    cone: tuple[float, float] | None = None  # radius and height, of a mesh that is one
    closed: bool = True  # whether a mesh is, with all its triangles in the same sense

    @property
    def q(self) -> np.ndarray:
        """The frame's quaternion (w, x, y, z)."""
        return quaternion(self.R)


def solid_of(prim: Any, place: Place, collides: bool, findings: Findings) -> Solid | None:
    """The geom of a shape at its place in its body; None if there is none."""
    kind = str(prim.GetTypeName())
    if kind == "Mesh":
        return _mesh(prim, place, collides, findings)
    if place.sheared:
        where = findings.refuse if collides else findings.name
        where("shapes that are sheared, or scaled to nothing", prim)
        return None
    scale, p, R = np.abs(place.scale), place.p, place.R
    if kind == "Cube":
        half = tuple(value(prim.GetAttribute("size")) * scale / 2.0)
        return Solid("box", half, p, R)
    if kind == "Sphere":
        radii = value(prim.GetAttribute("radius")) * scale
        if _even(*scale):
            return Solid("sphere", (radii[0],), p, R)
        return Solid("ellipsoid", tuple(radii), p, R)
    axis = "XYZ".index(value(prim.GetAttribute("axis")))
    along, (across, other) = scale[axis], np.delete(scale, axis)
    R_G = R @ ALONG["XYZ"[axis]]
    if kind == "Plane":
        return _plane(prim, p, R_G, axis, scale)
    if not _even(across, other) or ("Capsule" in kind and not _even(along, across)):
        where = findings.refuse if collides else findings.name
        where("round shapes that are scaled unevenly", prim)
        return None
    bottom, top = _radii(prim, kind)
    r, other, half = bottom * across, top * across, value(prim.GetAttribute("height")) * along / 2.0
    if place.scale[axis] < 0.0:  # mirrored along its axis
        r, other = other, r
    if "Capsule" in kind:
        if not _even(r, other):
            findings.refuse("capsules of two radii", prim)
        return Solid("capsule", (r, half), p, R_G)
    if _even(r, other):
        return Solid("cylinder", (r, half), p, R_G)
    points, faces = frustum(r, other, half)
    pointed = 0.0 in (r, other)
    if r == 0.0:  # the apex of a mirrored cone is below; matter.py has it on +z
        R_G = R_G @ np.diag([1.0, -1.0, -1.0])
        points, faces = frustum(other, r, half)
    cone = (max(r, other), 2.0 * half) if pointed else None
    return Solid("mesh", (), p, R_G, points, faces, cone)


def _even(*numbers):
    return np.ptp(numbers) <= EVEN * max(map(abs, numbers))


def _radii(prim, kind):
    """(at the bottom, at the top)"""
    if kind.endswith("_1"):
        return value(prim.GetAttribute("radiusBottom")), value(prim.GetAttribute("radiusTop"))
    radius = value(prim.GetAttribute("radius"))
    return radius, 0.0 if kind == "Cone" else radius


def _plane(prim, p, R, axis, scale):
    """Width and length are along the axes that ALONG takes x and y to; they are drawn only."""
    width, length = value(prim.GetAttribute("width")), value(prim.GetAttribute("length"))
    i, j = {0: (2, 1), 1: (0, 2), 2: (0, 1)}[axis]
    return Solid("plane", (width * scale[i] / 2.0, length * scale[j] / 2.0, 1.0), p, R)


def frustum(bottom: float, top: float, half: float) -> tuple[np.ndarray, np.ndarray]:
    """(points, triangles) of a cone along z, or of what is left of one that is cut off."""
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(AROUND)], axis=1)
    below = ring * bottom - (0.0, 0.0, half)
    above = ring * top + (0.0, 0.0, half) if top > 0.0 else np.array([[0.0, 0.0, half]])
    k, n = np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
    if top > 0.0:
        k2, n2 = k + AROUND, n + AROUND
        sides = np.concatenate([np.stack([k, n, n2], 1), np.stack([k, n2, k2], 1)])
        lid = np.stack([np.full(AROUND - 2, AROUND), k2[1:-1], k2[2:]], 1)
        sides = np.concatenate([sides, lid])
    else:
        sides = np.stack([k, n, np.full(AROUND, AROUND)], 1)
    floor = np.stack([np.zeros(AROUND - 2, int), k[2:], k[1:-1]], 1)
    return np.concatenate([below, above]), np.concatenate([sides, floor])


# ---- meshes


def _mesh(prim, place, collides, findings):
    points, faces = _triangles(prim, collides, findings)
    if points is None:
        return None
    if place.sheared:
        (findings.refuse if collides else findings.name)("meshes that are sheared", prim)
        return None
    points = points * place.scale
    if np.prod(np.sign(place.scale)) < 0.0:
        faces = faces[:, ::-1]
    p, R = place.p, place.R
    approximation = _approximation(prim) if collides else "none"
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2.0
    if approximation == "boundingCube":
        return Solid("box", tuple((high - low) / 2.0), p + R @ middle, R)
    if approximation == "boundingSphere":
        radius = float(np.linalg.norm(points - middle, axis=1).max())
        return Solid("sphere", (radius,), p + R @ middle, R)
    if _is_flat(points):
        return _flat(prim, points, p, R, collides, findings)
    closed = _is_closed(faces)
    if collides and approximation in HULLS:
        findings.name(f"{approximation}: it collides by its convex hull", prim)
    elif collides and approximation == "none" and not _is_convex(points, faces):
        findings.name("a mesh of triangles collides by its convex hull, and is not convex", prim)
    return Solid("mesh", (), p, R, points, faces, closed=closed and approximation == "none")


def _approximation(prim):
    from pxr import UsdPhysics

    attribute = UsdPhysics.MeshCollisionAPI(prim).GetApproximationAttr()
    found = attribute.Get() if attribute else None
    return "none" if found is None else str(found)


def _triangles(prim, collides, findings):
    """(points, triangles) of a mesh; faces with more corners are cut into fans."""
    say = findings.wrong if collides else findings.name
    points, counts, corners = (
        np.asarray(value(prim.GetAttribute(name)) or [])
        for name in ("points", "faceVertexCounts", "faceVertexIndices")
    )
    if len(points) < 3 or not len(counts):
        say("meshes without points or faces", prim)
        return None, None
    points = points.astype(float)
    if counts.min() < 0 or counts.sum() != len(corners) or not np.isfinite(points).all():
        say("meshes whose faces and corners do not belong together, or with NaN", prim)
        return None, None
    if corners.min() < 0 or corners.max() >= len(points):
        say("meshes whose faces have points that are not there", prim)
        return None, None
    starts = np.cumsum(counts) - counts
    fans = [
        np.stack([np.full(n - 2, s), np.arange(s + 1, s + n - 1), np.arange(s + 2, s + n)], 1)
        for n in np.unique(counts)
        if n >= 3
        for s in starts[counts == n]
    ] if (counts != 3).any() else [np.arange(len(corners)).reshape(-1, 3)]  # fmt: skip
    if not fans:
        say("meshes without points or faces", prim)
        return None, None
    faces = corners[np.concatenate(fans)]
    if str(value(prim.GetAttribute("orientation"))) == "leftHanded":
        faces = faces[:, ::-1]
    return points, faces


def _is_flat(points):
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(spread[2] <= 1e-6 * spread[0])


def _flat(prim, points, p, R, collides, findings):
    """MuJoCo has no flat meshes: a thin box on the far side of what its normal points to."""
    if not collides:
        findings.name("flat meshes, which are not drawn", prim)
        return None
    middle = points.mean(axis=0)
    axes = np.linalg.svd(points - middle)[2]
    axes[2] *= np.sign(np.linalg.det(axes)) or 1.0
    along = (points - middle) @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    centre = middle + axes.T @ ((low + high) / 2.0)
    half = (high - low) / 2.0
    findings.name(f"flat meshes, which collide as boxes of {2 * THIN * 1000:g} mm", prim)
    return Solid("box", (half[0], half[1], THIN), p + R @ centre, R @ axes.T)


def _is_closed(faces):
    """Whether each edge is there once in either direction."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).astype(np.int64)
    there = edges[:, 0] * (faces.max() + 1) + edges[:, 1]
    back = edges[:, 1] * (faces.max() + 1) + edges[:, 0]
    return len(np.unique(there)) == len(there) and np.array_equal(np.sort(there), np.sort(back))


def _is_convex(points, faces):
    """Whether no point is above a face; of large meshes, of some faces."""
    if len(faces) > 512:
        faces = faces[:: len(faces) // 512 + 1]
    a, b, c = (points[i] for i in faces.T)
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal /= np.where(length > 0.0, length, 1.0)
    height = normal @ points.T - np.einsum("ij,ij->i", normal, a)[:, None]
    slack = 1e-5 * float(np.ptp(points, axis=0).max())
    both = (height.max(axis=1) > slack) & (height.min(axis=1) < -slack)
    return not both.any()
