"""Which bodies may touch, in MuJoCo's order, and room for their contacts.

Contacts are ordered by the signature of their bodies, (lower body, higher body). What depends on
structure alone is settled here: a pair of bodies can touch if both have geoms, they are not fixed
to each other, one of them can move, and nobody excluded the pair. For a body b1 the admissible b2
come in runs of consecutive numbers, of which a model has few: 1000 free bodies are 1000 runs. A
pair of bodies that is a parent and its child counts only where the parent filter is off, and one
with explicit pairs of geoms must not repeat these: both get a run of their own.

Contact types and affinities are not looked at: they may be edited, so kernels read them. But as in
MuJoCo, a geom that had none when the model was compiled is in no tree of boxes, and is not found by
these later: set_const says so.
"""

import numpy as np

from ..engine.collision.pairs import GEOM_TYPES, MOST_CONTACTS, MOST_FOUND, parts_of
from ..engine.occasions import CALL_PAIR
from ..mjconst import GEOM_HFIELD

_COLUMNS = ("run_body", "run_first", "run_last", "run_parent", "run_pair", "run_pairend")


def collision_structure(mj):
    """{own field: array}: the runs, and geoms in trees of boxes; see the table of fields."""
    explicit = _explicit_pairs(mj)
    rows = [row for b1 in range(mj.nbody) for row in _runs(mj, b1, explicit.get(b1, {}))]
    columns = np.array(rows, np.int32).reshape(-1, len(_COLUMNS)).T
    runs = {name: column.copy() for name, column in zip(_COLUMNS, columns, strict=True)}
    return {**runs, "geom_leaf": _leaves(mj)}


def _leaves(mj):
    """Which geoms are in the trees of boxes: what could touch when the model was compiled."""
    nodes = mj.bvh_nodeid[: int(mj.body_bvhnum.sum())]
    leaf = np.zeros(mj.ngeom, np.uint8)
    leaf[nodes[nodes >= 0]] = 1
    return leaf


def _runs(mj, b1, pairs):
    """Rows of the table of runs whose lower body is b1; `pairs` has its explicit pairs."""
    admissible, parent = partners(mj, b1)
    kind = np.where(admissible, 1 + parent, 0)  # 0 none, 1 may touch, 2 parent and child
    new = np.diff(kind, prepend=-1) != 0
    for b2 in pairs:
        new[b2 : b2 + 2] = True
    starts = np.flatnonzero(new).tolist()
    for first, last in zip(starts, [*starts[1:], mj.nbody], strict=True):
        begin, end = pairs.get(first, (0, 0))
        if kind[first] or end > begin:
            yield b1, first, last if kind[first] else first, kind[first] == 2, begin, end


def partners(mj, b1):
    """Masks over bodies: those above b1 that may touch it, and its welded parents and children."""
    weld, weld1 = mj.body_weldid, mj.body_weldid[b1]
    moves = mj.body_dofnum[weld] > 0
    admissible = (weld != weld1) & (moves | moves[b1]) & (mj.body_geomnum > 0)
    admissible &= (np.arange(mj.nbody) > b1) & (mj.body_geomnum[b1] > 0)
    excluded = mj.exclude_signature[mj.exclude_signature >> 16 == b1] & 0xFFFF
    admissible[excluded] = False
    above = mj.body_weldid[mj.body_parentid[weld]]
    parent = (weld1 != 0) & (weld != 0) & ((above == weld1) | (weld == above[b1]))
    return admissible, parent


def _explicit_pairs(mj):
    """{b1: {b2: (first pair, end)}}; pairs are sorted by signature."""
    found: dict = {}
    for k, signature in enumerate(mj.pair_signature.tolist()):
        row = found.setdefault(signature >> 16, {})
        begin, _ = row.get(signature & 0xFFFF, (k, k))
        row[signature & 0xFFFF] = (begin, k + 1)
    return found


def may_touch(mj):
    """Whether the model can have contacts at all."""
    return mj.npair > 0 or any(partners(mj, b1)[0].any() for b1 in range(mj.nbody))


def pairs_by_type(mj):
    """How many pairs of geoms may touch: (64,) by 8 * lower type + higher type.

    Explicit pairs, and all geoms with a contact type or affinity whose bodies may touch.
    """
    n = len(GEOM_TYPES)
    number = np.zeros((n + 1, n + 1), np.int64)  # the last type is SDF, which models must not have
    np.add.at(number, (mj.geom_type[mj.pair_geom1], mj.geom_type[mj.pair_geom2]), 1)
    on = (mj.geom_contype | mj.geom_conaffinity) != 0
    counts = np.zeros((mj.nbody, n + 1), np.int64)  # geoms of a body by type
    np.add.at(counts, (mj.geom_bodyid[on], mj.geom_type[on]), 1)
    for b1 in np.flatnonzero(counts.any(axis=1)):
        admissible, _ = partners(mj, b1)
        number += np.outer(counts[b1], counts[admissible].sum(axis=0))
    lower_first = np.triu(number) + np.tril(number, -1).T
    return lower_first[:n, :n].ravel()


def collision_parts(mj, user=None):
    """The parts of the compiled engine, of collision/pairs.py, that a model's contacts need.

    What a function of the user's takes over needs none. It changes with the fields that the room
    for contacts changes with.
    """
    return parts_of(set(np.flatnonzero(pairs_by_type(mj)).tolist()) - _of_user(user))


def _of_user(user):
    """The pairs of types, as numbers, for which the user has a function."""
    occasions = user.called if user is not None else ()
    return {k - CALL_PAIR for k in occasions if CALL_PAIR <= k < CALL_PAIR + len(MOST_CONTACTS)}


# ---------------------------------------------------------------------------------------- capacity

# contacts that a moving geom is given room for in a heap, in the order of GEOM_TYPES
_IN_A_HEAP = np.array([0, 0, 6, 8, 6, 12, 20, 12])
_SMALL = 64  # contacts of a world for which there is room without asking whether they can happen


def default_capacity(mj, user=None):
    """(nconmax, njmax): contacts and constraint rows that a world has room for.

    All contacts that the pairs of geoms can have at once, or where these are many, what a heap of
    the model's bodies needs. Memory is used only for what happens.
    """
    nconmax = _most_contacts(mj, user)
    if nconmax > _SMALL:
        moves = mj.body_dofnum[mj.body_weldid[mj.geom_bodyid]] > 0
        moves &= (mj.geom_contype | mj.geom_conaffinity) != 0
        heap = int(_IN_A_HEAP[mj.geom_type[moves]].sum())
        fields = (mj.geom_type == GEOM_HFIELD).any()
        heap += 20 * int(moves.sum()) if fields else 0
        nconmax = min(nconmax, _SMALL + heap)
    dims = np.concatenate([mj.geom_condim, mj.pair_dim, [1]])
    rows_each = max(1, 2 * (int(dims.max()) - 1))
    other_rows = 6 * mj.neq + mj.nv + 2 * mj.njnt + 3 * mj.ntendon
    return nconmax, other_rows + rows_each * nconmax


def _most_contacts(mj, user):
    """The sum over all pairs of geoms that may touch, of the contacts that they can have."""
    most = np.array(MOST_CONTACTS)
    most[list(_of_user(user))] = MOST_FOUND  # as many as any function can find
    return int(pairs_by_type(mj) @ most)
