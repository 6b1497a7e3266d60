"""The vertices that cells of directions list: none that can be the farthest is missing."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.loaders import hull_cells


def hull(points):
    """A model of the hull of some points."""
    text = " ".join(f"{x:.9g}" for x in np.ravel(points))
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="a" vertex="{text}"/></asset>'
        '<worldbody><geom type="mesh" mesh="a"/></worldbody></mujoco>'
    )


def shapes():
    rng = np.random.default_rng(0)
    round_ = rng.normal(size=(500, 3))
    round_ /= np.linalg.norm(round_, axis=1, keepdims=True)
    turn = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    rim = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    wide = np.concatenate([rim, 0.7 * rim + [0, 0, 0.3], 0.7 * rim - [0, 0, 0.01]])
    return {"round": 0.1 * round_, "wide": wide, "small": rng.normal(size=(40, 3))}


def directions(points, rng):
    """Any, along axes, and across edges and faces, where vertices are equally far."""
    u = [rng.normal(size=(3000, 3)), np.eye(3), -np.eye(3)]
    a, b, c = points[rng.integers(len(points), size=(3, 2000))]
    u.append(np.cross(b - a, c - a))
    u.append(np.cross(b - a, rng.normal(size=(2000, 3))))
    u = np.concatenate(u)
    length = np.linalg.norm(u, axis=1)
    return u[length > 1e-9] / length[length > 1e-9, None]


@pytest.mark.parametrize("name", shapes())
def test_no_vertex_is_missing(name):
    mj_model = hull(shapes()[name])
    m, rng = lw.load(mj_model), np.random.default_rng(1)
    n, graph = int(mj_model.mesh_graph[0]), mj_model.mesh_graph
    points = mj_model.mesh_vert[graph[2 + n : 2 + 2 * n]].astype(float)
    number = int(m.mesh_cells[0])
    assert number == hull_cells.cells_of(n)
    longest = 0
    for u in directions(points, rng):
        cell = cell_of(u, number)
        count, row = m.hull_cell_num[cell], m.hull_cell_rowadr[cell]
        listed = m.hull_number[row : row + -(-count // 8)].ravel()[:count]
        height = points @ u
        # all that are not listed are lower, and surely so
        others = np.setdiff1d(np.arange(n), listed)
        if len(others):
            assert height.max() - height[others].max() > 0.0
        longest = max(longest, count)
    assert longest < 0.7 * n or number == 1


def cell_of(u, n):
    """As (3) of hull.py has it, once more."""
    x, y, z = u / abs(u).sum()
    if z < 0.0:
        x, y = np.copysign(1 - abs(y), x), np.copysign(1 - abs(x), y)
    i, j = (min(int(0.5 * n * (c + 1)), n - 1) for c in (x, y))
    return n * i + j


def test_hollow_edges_make_a_search_careful():
    """Of a convex body all slopes are steep; the more hollow its edges are, the fewer."""
    points = shapes()["round"]
    mj_model = hull(points)
    n, faces = int(mj_model.mesh_graph[0]), int(mj_model.mesh_graph[1])
    triangles = mj_model.mesh_graph[2 + 3 * n + 3 * faces :][: 3 * faces].reshape(-1, 3)
    vertices = mj_model.mesh_vert.astype(float)
    assert hull_cells.steepness(vertices, triangles) < 2e-6
    assert hull_cells.steepness(vertices, triangles[:, ::-1]) < 2e-6
    dented = vertices.copy()
    dented[triangles[0, 0]] *= 0.98
    assert hull_cells.steepness(dented, triangles) == hull_cells.STEEP
    assert hull_cells.steepness(vertices, triangles[1:]) == hull_cells.STEEP  # not closed


def test_vertices_in_one_place():
    """Neither of them is missing where they are the farthest."""
    vertices = np.array([[0, 0, 1.0], [0, 0, 1], [1, 0, 0], [-1, 1, 0], [-1, -1, 0]])
    edges = np.array([[j for j in range(5) if j != i] for i in range(5)])
    starts, degree = 4 * np.arange(5), np.full(5, 4)
    cell, vertex = hull_cells.candidates(vertices, starts, degree, edges.ravel(), 16, 1e-6)
    up = cell_of(np.array([0.01, 0.01, 1.0]), 16)
    assert set(vertex[cell == up]) == {0, 1}
