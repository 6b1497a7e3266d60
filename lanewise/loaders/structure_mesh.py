"""Vertices of meshes by eights, for searches that look at eight at once (engine/collision/hull.py).

Small meshes and small hulls have rows with all of their vertices, and every vertex of a hull has
rows with its neighbours, in the order of the hull's graph. Directions are divided into cells, each
with rows of the vertices that can be farthest there. What is left of the last row repeats its last
vertex.
"""

import numpy as np

from ..engine.collision.hull import CLIMB, STEEP, SWEEP
from ..lanes import NROW
from .hull_cells import candidates, cells_of, gaps, steepness


def hull_structure(mj):
    """{own field: array}; see the table of fields."""
    tables = _Tables(mj.nmesh)
    for mesh in range(mj.nmesh):
        first, n = int(mj.mesh_vertadr[mesh]), int(mj.mesh_vertnum[mesh])
        if n < CLIMB:
            tables.add_all(mesh, first + np.arange(n))
        elif mj.mesh_graphadr[mesh] >= 0:
            starts, vertices, edges, faces = _graph(mj, mesh)
            if len(vertices) <= SWEEP:
                tables.add_all(mesh, first + vertices)
            ends = np.flatnonzero(edges < 0)
            degree = ends[np.searchsorted(ends, starts)] - starts
            tables.add_neighbours(mesh, first + vertices, starts, degree, edges)
            number = cells_of(len(vertices))
            points = mj.mesh_vert[first + vertices].astype(float)
            steep = steepness(points, faces)
            cell, vertex = candidates(points, starts, degree, edges, number, steep)
            gap = gaps(points, cell, vertex, steep)
            tables.add_cells(mesh, first + vertices, number, cell, vertex, gap)
            tables.mesh_steep[mesh] = steep
    return tables.fields(mj.mesh_vert)


def _graph(mj, mesh):
    """Of a hull: where the edges of each vertex start, its vertices, edges that end with -1, and
    its triangles; edges and triangles by places among the vertices.
    """
    graph = mj.mesh_graph[int(mj.mesh_graphadr[mesh]) :]
    n, nface = int(graph[0]), int(graph[1])
    parts = np.split(graph[2 : 2 + 3 * n + 6 * nface], [n, 2 * n, 3 * n + 3 * nface])
    starts, vertices, edges, corners = parts
    order = np.argsort(vertices)
    faces = order[np.searchsorted(vertices, corners, sorter=order)]
    return starts, vertices, edges, faces.reshape(-1, 3)


class _Tables:
    """The fields while they grow mesh by mesh."""

    def __init__(self, nmesh):
        self.hull_adr, self.mesh_rowadr = np.full((2, nmesh), -1, np.int32)
        self.mesh_steep = np.full(nmesh, STEEP, np.float32)
        self.mesh_cells, self.mesh_celladr = np.zeros((2, nmesh), np.int32)
        self.rowadr, self.cell_rowadr, self.cell_num, self.cell_gap = [], [], [], []
        self.numbers, self.vertices = [], []
        self.nvert = self.nrow = self.ncell = 0

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

    def _add_lists(self, counts, entries, vertices):
        """Lists of so many vertices, each from a row of its own on; the first row of each, and the
        one after all

        entries: where each list begins among numbers, and these.
        """
        rows = -(-counts // NROW)
        first = np.cumsum(rows) - rows
        of = np.repeat(np.arange(len(counts)), rows)
        place = NROW * (np.arange(len(of)) - first[of])[:, None] + np.arange(NROW)
        place = np.minimum(place, counts[of][:, None] - 1)
        starts, numbers = entries
        begin = self.nrow
        self._add(numbers[starts[of][:, None] + place], vertices)
        return begin + np.append(first, rows.sum())

    def add_neighbours(self, mesh, vertices, starts, degree, edges):
        """The neighbours of each vertex of a hull."""
        self.hull_adr[mesh] = self.nvert
        self.nvert += len(vertices) + 1
        self.rowadr.append(self._add_lists(degree, (starts, edges), vertices))

    def add_cells(self, mesh, vertices, number, cell, vertex, gap):
        """The vertices that can be farthest, by cells of directions; in the order of cells."""
        counts = np.bincount(cell, minlength=number * number)
        starts = np.cumsum(counts) - counts
        self.mesh_cells[mesh], self.mesh_celladr[mesh] = number, self.ncell
        self.ncell += len(counts)
        self.cell_rowadr.append(self._add_lists(counts, (starts, vertex), vertices)[:-1])
        self.cell_num.append(counts)
        self.cell_gap.append(gap)

    def fields(self, mesh_vert):
        """{own field: array}"""
        empty, none = np.zeros((0, NROW), np.int32), np.zeros(0, np.int32)
        numbers = np.concatenate([empty, *self.numbers]).astype(np.int32)
        vertices = np.concatenate([empty, *self.vertices]).astype(np.int32)
        rows = mesh_vert[vertices].astype(float).transpose(0, 2, 1)
        return {
            "hull_adr": self.hull_adr,
            "hull_rowadr": np.concatenate([none, *self.rowadr]).astype(np.int32),
            "mesh_rowadr": self.mesh_rowadr,
            "mesh_steep": self.mesh_steep,
            "mesh_cells": self.mesh_cells,
            "mesh_celladr": self.mesh_celladr,
            "hull_cell_rowadr": np.concatenate([none, *self.cell_rowadr]).astype(np.int32),
            "hull_cell_num": np.concatenate([none, *self.cell_num]).astype(np.int32),
            "hull_cell_gap": np.concatenate([none, *self.cell_gap]).astype(np.float32),
            "hull_row": np.ascontiguousarray(rows),
            "hull_number": numbers,
            "hull_vertex": vertices,
        }
