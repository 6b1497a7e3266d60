"""Dofs in groups of three, for the Hessian of the constraint solver.

A group is up to three consecutive dofs, each the parent of the next, without a branch in between.
So a constraint that couples one of them to other dofs nearly always couples all, and the Hessian is
a matrix of 3x3 blocks.
"""

import numpy as np

HEAP = 10  # loose bodies from which on a model is solved as a heap


def group_structure(mj):
    """Where dofs are in groups, and which dof is at each place of a group.

    dof_group, dof_inner    group of a dof, and its place in it: 0, 1, 2
    group_size              dofs of a group
    group_dof               the dof at each place, three places to a group, or -1
    """
    parent = mj.dof_parentid
    children = np.bincount(parent[parent >= 0], minlength=mj.nv)
    groups: list[list[int]] = []
    for i in range(mj.nv):
        joins = i > 0 and parent[i] == i - 1 and children[i - 1] == 1
        if joins and len(groups[-1]) < 3:
            groups[-1].append(i)
        else:
            groups.append([i])
    return {
        "dof_group": _int32(g for g, dofs in enumerate(groups) for _ in dofs),
        "dof_inner": _int32(k for dofs in groups for k in range(len(dofs))),
        "group_size": _int32(map(len, groups)),
        "group_dof": _int32(i for dofs in groups for i in (*dofs, -1, -1)[:3]),
    }


def loose_bodies(mj):
    """The body that moves in each tree, if the model is a heap of such; else nothing.

    A heap has many trees of one body each, with up to six dofs; bodies without joints count as a
    part of the one that carries them. Its worlds have few contacts in common, so the solver takes
    them one by one (engine/solver/heap).
    """
    moves = np.flatnonzero(mj.body_dofnum > 0)
    simple = mj.ntree >= HEAP and len(moves) == mj.ntree and mj.tree_dofnum.max() <= 6
    return {"loose_body": _int32(moves if simple else ())}


def _int32(values):
    return np.array(list(values), np.int32)
