"""Static rows: a fixed place for every constraint but contacts that a world could ever have.

Which constraints exist differs from world to world and from step to step, but not where they could
be. So each has a row of its own in MuJoCo's order, present or not: equalities, friction of dofs and
of tendons, limits of joints (lower, upper; a ball joint has one) and of tendons. A row of the
Jacobian holds every dof that it can ever have a number for, in rising order.
"""

import numpy as np

from ..mjconst import (
    CNSTR_EQUALITY,
    CNSTR_FRICTION_DOF,
    CNSTR_FRICTION_TENDON,
    CNSTR_LIMIT_JOINT,
    CNSTR_LIMIT_TENDON,
    EQ_CONNECT,
    EQ_JOINT,
    EQ_TENDON,
    EQ_WELD,
    JNT_BALL,
    JNT_FREE,
    OBJ_SITE,
)
from .structure_tendon import arm_dofs, body_dofs


def row_structure(mj, tendons):
    """Fields row_* of the Model, and where each element's rows start, {name: int32 array}.

    tendons: their structure, see structure_tendon.py.

    row_type, row_id, row_sub      kind (mjtConstraint), element, and which of its rows
    row_rownnz, row_rowadr, row_colind   the dofs of a row
    row_side                       bits: 1 the first object has the dof, 2 the second
    eq_rowadr, dof_rowadr, jnt_rowadr, tendon_rowadr   first rows; of a tendon: friction, limits
    """
    rows = _Rows()
    eq = []
    for i, kind in enumerate(mj.eq_type):
        dofs = _equality_dofs(mj, tendons, i)
        eq.append(rows.add(CNSTR_EQUALITY, i, _EQUALITY_ROWS[kind], *dofs))
    dof = [rows.add(CNSTR_FRICTION_DOF, i, 1, {i}) for i in range(mj.nv)]
    arms = [set(arm_dofs(tendons, t)) for t in range(mj.ntendon)]
    friction = [rows.add(CNSTR_FRICTION_TENDON, t, 1, arms[t]) for t in range(mj.ntendon)]
    jnt = [rows.add(CNSTR_LIMIT_JOINT, j, *_limit(mj, j)) for j in range(mj.njnt)]
    limit = [rows.add(CNSTR_LIMIT_TENDON, t, 2, arms[t]) for t in range(mj.ntendon)]
    starts: dict = {"eq_rowadr": eq, "dof_rowadr": dof, "jnt_rowadr": jnt}
    starts["tendon_rowadr"] = np.reshape([friction, limit], (2, mj.ntendon)).T
    return {
        name: np.ascontiguousarray(values, np.int32)
        for name, values in {**starts, **rows.fields()}.items()
    }


_EQUALITY_ROWS = {EQ_CONNECT: 3, EQ_WELD: 6, EQ_JOINT: 1, EQ_TENDON: 1}


class _Rows:
    """Rows in the making."""

    def __init__(self):
        self.kind, self.id, self.sub, self.nnz, self.columns, self.side = [], [], [], [], [], []

    def add(self, kind, element, number, first, second=frozenset()):
        """Rows of one element, on the dofs of its two objects; returns the first row's place."""
        start, columns = len(self.kind), sorted(first | second)
        for sub in range(number):
            self.kind.append(kind)
            self.id.append(element)
            self.sub.append(sub)
            self.nnz.append(len(columns))
            self.columns += columns
            self.side += [(k in first) + 2 * (k in second) for k in columns]
        return start

    def fields(self):
        return {
            "row_type": self.kind,
            "row_id": self.id,
            "row_sub": self.sub,
            "row_rownnz": self.nnz,
            "row_rowadr": np.cumsum([0, *self.nnz])[: len(self.nnz)],
            "row_colind": self.columns,
            "row_side": self.side,
        }


def _equality_dofs(mj, tendons, i):
    """The dofs of both objects of an equality, as two sets."""
    kind, objects = mj.eq_type[i], (int(mj.eq_obj1id[i]), int(mj.eq_obj2id[i]))
    if kind == EQ_JOINT:
        return tuple({int(mj.jnt_dofadr[k])} if k >= 0 else set() for k in objects)
    if kind == EQ_TENDON:
        return tuple(set(arm_dofs(tendons, k)) if k >= 0 else set() for k in objects)
    if mj.eq_objtype[i] == OBJ_SITE:
        return tuple(body_dofs(mj, mj.site_bodyid[k]) for k in objects)
    return tuple(body_dofs(mj, b) for b in objects)


def _limit(mj, j):
    """(number of rows, dofs) of a joint's limits."""
    first = int(mj.jnt_dofadr[j])
    if mj.jnt_type[j] == JNT_FREE:
        return 0, set()
    return (1, set(range(first, first + 3))) if mj.jnt_type[j] == JNT_BALL else (2, {first})
