"""Vertices of meshes by eights, for searches that look at eight at once (engine/collision/hull.py).

Small meshes and small hulls have rows with all of their vertices, and every vertex of a hull has
rows with its neighbours, in the order of the hull's graph. What is left of the last row repeats its
last vertex.
"""

import numpy as np

from ..engine.collision.hull import CLIMB, SWEEP
from ..lanes import NROW


def hull_structure(mj):
    """{own field: array}; see the table of fields."""
    tables = _Tables(mj.nmesh)
    for mesh in range(mj.nmesh):
        first, n = int(mj.mesh_vertadr[mesh]), int(mj.mesh_vertnum[mesh])
        if n < CLIMB:
            tables.add_all(mesh, first + np.arange(n))
        elif mj.mesh_graphadr[mesh] >= 0:
            starts, vertices, edges = _graph(mj, mesh)
            if len(vertices) <= SWEEP:
                tables.add_all(mesh, first + vertices)
            tables.add_neighbours(mesh, first + vertices, starts, edges)
    return tables.fields(mj.mesh_vert)


def _graph(mj, mesh):
    """Of a hull: where the edges of each vertex start, its vertices, edges that end with -1."""
    graph = mj.mesh_graph[int(mj.mesh_graphadr[mesh]) :]
    n, nedge = int(graph[0]), int(graph[0]) + 3 * int(graph[1])
    return np.split(graph[2 : 2 + 2 * n + nedge], [n, 2 * n])


class _Tables:
    """The fields while they grow mesh by mesh."""

    def __init__(self, nmesh):
        self.hull_adr, self.mesh_rowadr = np.full((2, nmesh), -1, np.int32)
        self.rowadr, self.numbers, self.vertices = [], [], []
        self.nvert = self.nrow = 0

    def _add(self, numbers, vertices):
        """Rows of vertices, by their numbers."""
        self.numbers.append(numbers)
        self.vertices.append(vertices[numbers])
        self.nrow += len(numbers)

    def add_all(self, mesh, vertices):
        """All vertices of a mesh."""
        n = len(vertices)
        self.mesh_rowadr[mesh] = self.nrow
        places = np.arange(-(-n // NROW) * NROW).reshape(-1, NROW)
        self._add(np.minimum(places, n - 1), vertices)

    def add_neighbours(self, mesh, vertices, starts, edges):
        """The neighbours of each vertex of a hull."""
        ends = np.flatnonzero(edges < 0)
        degree = ends[np.searchsorted(ends, starts)] - starts
        rows = -(-degree // NROW)
        first = np.cumsum(rows) - rows
        self.hull_adr[mesh] = self.nvert
        self.rowadr.append(self.nrow + np.append(first, rows.sum()))
        self.nvert += len(vertices) + 1
        of = np.repeat(np.arange(len(vertices)), rows)
        place = NROW * (np.arange(len(of)) - first[of])[:, None] + np.arange(NROW)
        place = np.minimum(place, degree[of][:, None] - 1)
        self._add(edges[starts[of][:, None] + place], vertices)

    def fields(self, mesh_vert):
        """{own field: array}"""
        empty = np.zeros((0, NROW), np.int32)
        numbers = np.concatenate([empty, *self.numbers]).astype(np.int32)
        vertices = np.concatenate([empty, *self.vertices]).astype(np.int32)
        rows = mesh_vert[vertices].astype(float).transpose(0, 2, 1)
        return {
            "hull_adr": self.hull_adr,
            "hull_rowadr": np.concatenate([empty[0:0, 0], *self.rowadr]).astype(np.int32),
            "mesh_rowadr": self.mesh_rowadr,
            "hull_row": np.ascontiguousarray(rows),
            "hull_number": numbers,
            "hull_vertex": vertices,
        }
