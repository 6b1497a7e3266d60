"""Round things look round, and colours are what they are: what meshes lack when mjviser has made
them.

A corner of a face gets the mean of the normals of all faces that meet there and are nearly in the
same direction. So spheres are smooth, and boxes keep their edges. Colours of vertices are linear in
the browser (glTF), and sRGB in a model.
"""

from typing import Any

import numpy as np
import trimesh

CREASE = np.cos(np.radians(40.0))  # an edge that is sharper than this stays an edge
MOST_FACES = 30_000


class SmoothServer:
    """A viser server that finishes meshes before it shows them; all else of it is as it was."""

    def __init__(self, server: Any):
        self._server = server
        self.scene = _SmoothScene(server.scene)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)


class _SmoothScene:
    def __init__(self, scene: Any):
        self._scene = scene

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scene, name)

    def add_mesh_trimesh(self, name: str, mesh: Any, **options: Any) -> Any:
        return self._scene.add_mesh_trimesh(name, finished(mesh), **options)

    def add_batched_meshes_trimesh(self, name: str, mesh: Any, **options: Any) -> Any:
        return self._scene.add_batched_meshes_trimesh(name, finished(mesh), **options)


def finished(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """The mesh with normals and linear colours; one with a texture as it is."""
    if not isinstance(mesh.visual, trimesh.visual.ColorVisuals) or not len(mesh.faces):
        return mesh
    mesh = mesh.copy()
    mesh.visual.vertex_colors = linear(np.asarray(mesh.visual.vertex_colors))
    return smooth(mesh) if len(mesh.faces) <= MOST_FACES else mesh


def linear(colours: np.ndarray) -> np.ndarray:
    """sRGB to linear, (..., 4) uint8; opacity stays."""
    c = colours / 255.0
    bent = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    bent[..., 3] = c[..., 3]
    return np.rint(255.0 * bent).astype(np.uint8)


def smooth(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """The mesh with normals at its vertices; where an edge is sharp, there are several."""
    corners = mesh.faces.ravel()
    normals = corner_normals(np.asarray(mesh.vertices), np.asarray(mesh.faces))
    # corners with one place, normal and colour are one vertex
    colours = np.asarray(mesh.visual.vertex_colors)[corners]
    keys = np.column_stack((mesh.vertices[corners].round(6), normals.round(3), colours))
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return trimesh.Trimesh(
        vertices=mesh.vertices[corners][first], faces=inverse.reshape(-1, 3),
        vertex_normals=normals[first], vertex_colors=colours[first], process=False,
    )  # fmt: skip


def corner_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(3 F, 3) normals of the corners of faces (F, 3), one after the other."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    weighted = np.cross(b - a, c - a)  # twice the area long
    length = np.linalg.norm(weighted, axis=1, keepdims=True)
    normal = weighted / np.maximum(length, 1e-300)
    scale = max(float(np.ptp(vertices, axis=0).max()), 1e-9)
    _, place = np.unique((vertices / scale).round(6), axis=0, return_inverse=True)
    at = place.ravel()[faces.ravel()]  # the place of every corner

    # all pairs of corners at one place
    order = np.argsort(at, kind="stable")
    count = np.bincount(at)
    start = np.concatenate(([0], np.cumsum(count)[:-1]))
    many = count[at]  # how many corners are where corner i is
    i = np.repeat(np.arange(len(at)), many)
    within = np.arange(len(i)) - np.repeat(np.cumsum(many) - many, many)
    j = order[start[at[i]] + within]

    near = np.einsum("ij,ij->i", normal[i // 3], normal[j // 3]) > CREASE
    sums = np.zeros((len(at), 3))
    for k in range(3):
        sums[:, k] = np.bincount(i[near], weighted[j[near] // 3, k], minlength=len(at))
    size = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(size > 0.0, sums / np.maximum(size, 1e-300), np.repeat(normal, 3, axis=0))
