"""Triangle meshes: whether they are closed and convex, and where their centre of mass is.

Points that lie in the same place count as one, so that meshes whose triangles share no points, as
in STL files, are closed too.
"""

from typing import Any

import numpy as np

from ..errors import ConventionError

SLACK = 1e-6  # of the size of a mesh: how far a point of a convex one may be off


def checked_triangles(faces: Any, npoints: int, name: str) -> np.ndarray:
    """Faces as rows of three numbers of points."""
    faces = np.asarray(faces)
    if faces.dtype.kind not in "iu" or faces.size % 3:
        raise ConventionError(
            f"{name} must be whole numbers, three a triangle; got {faces.dtype} {faces.shape}"
        )
    if faces.size and not 0 <= faces.min() <= faces.max() < npoints:
        raise ConventionError(
            f"{name} must be in [0, {npoints}), the points; got {faces.min()} to {faces.max()}"
        )
    return faces.reshape(-1, 3)


def is_convex(points: np.ndarray, triangles: np.ndarray) -> bool:
    """Whether a mesh is closed, and has all its points on one side of each triangle."""
    points, triangles = _welded(points, triangles)
    edges = np.sort(_edges(triangles), axis=1)
    _, count = np.unique(edges, axis=0, return_counts=True)
    if not len(edges) or (count != 2).any():
        return False
    slack = SLACK * float(np.ptp(points, axis=0).max())
    for k in range(0, len(triangles), 256):  # the table of heights stays small
        a, b, c = (points[i] for i in triangles[k : k + 256].T)
        normal = np.cross(b - a, c - a)
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        normal /= np.where(length > 0.0, length, 1.0)
        height = normal @ points.T - np.einsum("ij,ij->i", normal, a)[:, None]
        if ((height.max(axis=1) > slack) & (height.min(axis=1) < -slack)).any():
            return False
    return True


def centre_of_mass(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Of the solid within: summed over the tetrahedra between its triangles and a point."""
    points, triangles = _welded(points, triangles)
    edges = _edges(triangles)
    there, back = (np.unique(e, axis=0) for e in (edges, edges[:, ::-1]))
    if not len(edges) or len(there) < len(edges) or not np.array_equal(there, back):
        raise ConventionError(
            "the centre of mass needs a mesh that is closed, with all triangles in the same sense"
        )
    middle = points.mean(axis=0)
    a, b, c = (points[i] - middle for i in triangles.T)
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    return middle + volume @ (a + b + c) / (4.0 * volume.sum())


def _welded(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Without points that are there twice, and triangles that have two corners in one place."""
    points, number = np.unique(points, axis=0, return_inverse=True)
    triangles = number.reshape(-1)[triangles]
    a, b, c = triangles.T
    return points, triangles[(a != b) & (b != c) & (c != a)]


def _edges(triangles: np.ndarray) -> np.ndarray:
    return np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
