"""Rows of one world by islands: constraints that share no tree do not interact.

Each island is solved by itself, with its own order of rows and its own end. It has the number of
its first tree. Trees that a row couples are joined in dual_tree, where a tree points to another one
of its island, and the first of them to itself.
"""

from ....lanes import kernel, load_lane, maximum, to_int
from ....mjconst import (
    CNSTR_CONTACT_FRICTIONLESS,
    CNSTR_EQUALITY,
    CNSTR_FRICTION_DOF,
    CNSTR_LIMIT_JOINT,
    DSBL_ISLAND,
    MINVAL,
)


@kernel
def group_rows(m, d, n, w):
    """dual_row <= rows by islands; dual_count[t] <= first row after the island of root tree t

    Trees are joined to the smallest one that some row couples them with.
    """
    # every tree is an island by itself
    for t in range(m.ntree):
        d.dual_tree[t] = t
        d.dual_count[t] = 0
    # each row joins its trees; after that, islands are known by their first trees
    whole = m.ntree < 2 or m.opt.disableflags & DSBL_ISLAND != 0
    for i in range(n):
        d.dual_island[i] = 0 if whole else join_trees(m, d, i, w)
    for i in range(n):
        t = d.dual_island[i] if whole else root_tree(d, d.dual_island[i])
        d.dual_island[i] = t
        d.dual_count[t] = d.dual_count[t] + 1
    # counting sort: dual_count[t], the number of rows, becomes the first place of island t ...
    first = 0
    for t in range(m.ntree):
        number = d.dual_count[t]
        d.dual_count[t] = first
        first += number
    # ... then the next free one, and in the end the first place after it
    for i in range(n):
        t = d.dual_island[i]
        d.dual_row[d.dual_count[t]] = i
        d.dual_count[t] = d.dual_count[t] + 1


@kernel
def join_trees(m, d, i, w):
    """Join the trees that a row can couple; one of them"""
    kind, k, tree = d.dual_kind[i], d.dual_id[i], -1
    # a contact: the trees of both bodies, if they move
    if kind >= CNSTR_CONTACT_FRICTIONLESS:
        for side in range(2):
            b = load_lane(d.con_body2 if side else d.con_body1, k, w)
            last = m.body_lastdof[to_int(b)]
            tree = join_tree(m, d, tree, last) if last >= 0 else tree
    # an equality: all dofs that its first row can touch
    elif kind == CNSTR_EQUALITY:
        r = m.eq_rowadr[k]
        for e in range(m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r]):
            tree = join_tree(m, d, tree, m.row_colind[e])
    # friction and limits of joints have one tree, those of tendons the tendon's
    elif kind == CNSTR_FRICTION_DOF:
        tree = m.dof_treeid[k]
    elif kind == CNSTR_LIMIT_JOINT:
        tree = m.dof_treeid[m.jnt_dofadr[k]]
    else:
        for e in range(m.ten_J_rowadr[k], m.ten_J_rowadr[k] + m.ten_J_rownnz[k]):
            tree = join_tree(m, d, tree, m.ten_J_colind[e])
    return max(tree, 0)


@kernel
def join_tree(m, d, tree, k):
    """Join the tree of dof k to a tree, or to none (-1); the first tree of both"""
    t = root_tree(d, m.dof_treeid[k])
    if tree < 0 or t == tree:
        return t
    d.dual_tree[max(t, tree)] = min(t, tree)
    return min(t, tree)


@kernel
def root_tree(d, t):
    """The first tree of t's island, so far"""
    while d.dual_tree[t] != t:
        t = d.dual_tree[t]
    return t


@kernel
def inertia_scale(m, d, t, w):
    """1 / trace(M) over the dofs of the island of root tree t, or all"""
    whole = m.ntree < 2 or m.opt.disableflags & DSBL_ISLAND != 0
    total = 0.0
    for k in range(m.nv):
        if whole or root_tree(d, m.dof_treeid[k]) == t:
            total += load_lane(d.M, m.M_rowadr[k] + m.M_rownnz[k] - 1, w)
    return 1.0 / maximum(total, MINVAL)
