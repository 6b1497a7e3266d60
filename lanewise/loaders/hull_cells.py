"""Which vertices of a hull can be the farthest in about a direction (engine/collision/hull.py).

Of a convex body, a climb from vertex to vertex never ends before the top. A hull is convex but for
the rounding of its vertices: some of its edges are a little hollow. On a way along the surface the
slope grows only where such edges are crossed, by their angle. So where a climb is held up, what is
higher is seen from there under less than the sum of all these angles,

    steep = 2 (sum of hollow angles) + 1e-6,   at most STEEP                                (1)

which is bounded, because degenerate triangles may have any angle. A cell of directions u has its
middle c, and all of it is within a distance r of that. From a vertex p to another q it is steep
along all of these directions if

    c . (q - p) >= (r + steep) |q - p|                                                      (2)

because u . (q - p) differs from c . (q - p) by no more than |u - c| |q - p|. So p is left out of
the cell. It is tried with q the farthest vertex along c, and of what is left, with the neighbours
of p: the way up from p begins there.
"""

from functools import cache

import numpy as np

from ..engine.collision.hull import STEEP

WHOLE = 24  # hulls of at most so many vertices have one cell
COARSE = 256  # hulls of at most so many have 16 x 16 cells, larger ones 32 x 32
SLACK = 1e-6  # of r, for round-off


def cells_of(n):
    """How many cells a hull of n vertices has in a row."""
    return 1 if n <= WHOLE else 16 if n <= COARSE else 32


def candidates(vertices, starts, degree, edges, number, steep):
    """(cells, vertices): all pairs of a cell, of number x number, and a vertex that is listed there

    starts, degree, edges: the neighbours of vertex i are edges[starts[i]:][:degree[i]].
    """
    if number == 1:
        return np.zeros(len(vertices), int), np.arange(len(vertices))
    middle, radius = _cells(number)
    radius = radius + steep
    pairs = [_above(vertices, block, middle, radius) for block in _blocks(number)]
    cell, vertex = (np.concatenate(part) for part in zip(*pairs, strict=True))
    order = np.argsort(cell, kind="stable")
    cell, vertex = cell[order], vertex[order]
    # (2) with neighbours
    n = degree[vertex]
    first = np.cumsum(n) - n
    neighbour = edges[np.repeat(starts[vertex] - first, n) + np.arange(n.sum())]
    of = np.repeat(np.arange(len(cell)), n)
    way = vertices[neighbour] - vertices[vertex[of]]
    higher = (way * middle[cell[of]]).sum(axis=1)
    length = np.sqrt((way**2).sum(axis=1))
    least = np.minimum.reduceat(radius[cell[of]] * length - higher, first)
    # two vertices in one place do not leave each other out
    cell, vertex = cell[least >= 0.0], vertex[least >= 0.0]
    # the lowest comes last, as it is repeated in what is left of a row: hardly ever the farthest
    height = (vertices[vertex] * middle[cell]).sum(axis=1)
    order = np.lexsort((-height, cell))
    return cell[order], vertex[order]


def _above(vertices, block, middle, radius):
    """(2) with the farthest vertex along the middle of a block of cells, then of each cell."""
    c = middle[block].mean(axis=0)
    c /= np.linalg.norm(c)
    r = (np.linalg.norm(middle[block] - c, axis=1) + radius[block]).max()
    some = np.flatnonzero(_not_below(vertices, c[None], np.array([r]))[0])
    cell, vertex = np.nonzero(_not_below(vertices[some], middle[block], radius[block]))
    return block[cell], some[vertex]


def _not_below(vertices, middle, radius):
    """Whether (2) does not hold of each vertex and the farthest one along each middle."""
    height = middle @ vertices.T
    top = height.argmax(axis=1)
    far = np.linalg.norm(vertices - vertices[top][:, None], axis=2)
    return height[np.arange(len(top)), top][:, None] - height < radius[:, None] * far + 1e-9


def steepness(vertices, faces):
    """(1), of a hull with these triangles"""
    corners = vertices[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    # every edge is there in both directions, of a triangle each
    p, q = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    n = len(vertices)
    order = np.argsort(p * n + q)
    back = order[np.searchsorted(p * n + q, q * n + p, sorter=order) % len(order)]
    if not (np.array_equal(p[back], q) and np.array_equal(q[back], p)):
        return STEEP
    way = vertices[q] - vertices[p]
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-300)
    one, other = normal[np.arange(len(p)) // 3], normal[back // 3]
    angle = (np.cross(one, other) * way).sum(axis=1)
    angle = angle if angle.sum() > 0.0 else -angle  # triangles may be seen from inside
    return min(STEEP, -angle[angle < 0.0].sum() + 1e-6)  # each edge is there twice


def gaps(vertices, cell, vertex, steep):
    """`steep` times the size of the box around the vertices of each cell, and a little more."""
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    points = vertices[vertex]
    size = np.maximum.reduceat(points, first) - np.minimum.reduceat(points, first)
    return steep * np.linalg.norm(size, axis=1) + 1e-9


@cache
def _blocks(number):
    """Numbers of cells, four by four."""
    cells = np.arange(number * number).reshape(number // 4, 4, number // 4, 4)
    return list(cells.swapaxes(1, 2).reshape(-1, 16))


@cache
def _cells(number):
    """(middle, r) of all cells."""
    edge = np.linspace(-1.0, 1.0, number + 1)
    center = 0.5 * (edge[1:] + edge[:-1])
    middle = _direction(*np.meshgrid(center, center, indexing="ij"))
    corner = _direction(*np.meshgrid(edge, edge, indexing="ij"))
    # the corners are what is farthest from the middle
    corners = (corner[:-1, :-1], corner[1:, :-1], corner[:-1, 1:], corner[1:, 1:])
    radius = np.max([np.linalg.norm(c - middle, axis=-1) for c in corners], axis=0)
    return middle.reshape(-1, 3), radius.ravel() + SLACK


def _direction(x, y):
    """Directions at (x, y) of the square: (2) of hull.py, backwards."""
    z = 1.0 - abs(x) - abs(y)
    below = z < 0.0
    back_x, back_y = np.copysign(1.0 - abs(y), x), np.copysign(1.0 - abs(x), y)
    u = np.stack([np.where(below, back_x, x), np.where(below, back_y, y), z], axis=-1)
    return u / np.linalg.norm(u, axis=-1, keepdims=True)
