"""Which dofs an actuator's transmission can move: the fixed structure of the moment arms.

MuJoCo drops moment arms that happen to be zero, so the structure of its `actuator_moment` changes
from state to state. Kernels need one that all worlds share: a row holds every dof that can ever
have a moment arm, in rising order. MuJoCo's arrays are made of it at the end of the stage.

A dof can move an actuator's length from two ends, the site (or crank) and the site it is measured
from (or the slider). A dof that moves both ends moves them as one rigid body and leaves the length
as it is: it has no moment arm. (For slider-cranks MuJoCo keeps what round-off leaves of it.)
"""

import numpy as np

from ..mjconst import (
    JNT_BALL,
    JNT_FREE,
    JNT_HINGE,
    JNT_SLIDE,
    TRN_BODY,
    TRN_JOINT,
    TRN_JOINTINPARENT,
    TRN_SO3,
    TRN_TENDON,
)
from .structure_tendon import arm_dofs, body_dofs

DOFS_OF_JOINT = {JNT_FREE: 6, JNT_BALL: 3, JNT_SLIDE: 1, JNT_HINGE: 1}
AT_SITE, AT_REFERENCE = 1, 2


def moment_structure(mj, tendons):
    """Fields trn_* of the Model: rows by force output, {name: int32 array}.

    tendons: their structure, see structure_tendon.py.

    trn_rownnz, trn_rowadr, trn_colind   the rows
    trn_side                             the end that a dof moves: 1, the site, or 2, the reference
    trn_packed                           1 where MuJoCo drops the zeros of a row
    """
    rows = [row for i in range(mj.nactuator) for row in _rows(mj, tendons, i)]
    nnz = [len(columns) for columns, _, _ in rows]
    return {
        "trn_rownnz": np.array(nnz, np.int32),
        "trn_rowadr": np.array(np.cumsum([0, *nnz])[: len(rows)], np.int32),
        "trn_colind": np.array([k for columns, _, _ in rows for k in columns], np.int32),
        "trn_side": np.array([s for _, sides, _ in rows for s in sides], np.int32),
        "trn_packed": np.array([packed for _, _, packed in rows], np.int32),
    }


def moment_number(mj, structure):
    """How many numbers actuator_moment may have: rows of tendons are those of ten_J."""
    number = int(structure["trn_rownnz"].sum())
    for i in np.flatnonzero(mj.actuator_trntype == TRN_TENDON):
        row = structure["trn_rownnz"][mj.actuator_outadr[i]]
        number += int(mj.ten_J_rownnz[mj.actuator_trnid[i, 0]] - row)
    return number


def unpacked_moment(mj, data, structure):
    """trn_J of an MjData: its moment arms, with the zeros that MuJoCo has dropped."""
    out = np.zeros(len(structure["trn_colind"]))
    for o in range(mj.nout):
        adr, nnz = structure["trn_rowadr"][o], structure["trn_rownnz"][o]
        first = data.moment_rowadr[o]
        row = slice(first, first + data.moment_rownnz[o])
        dense = np.zeros(mj.nv)
        dense[data.moment_colind[row]] = data.actuator_moment[row]
        out[adr : adr + nnz] = dense[structure["trn_colind"][adr : adr + nnz]]
    return out


def _rows(mj, tendons, i):
    """(dofs, sides, packed) of each force output of actuator i."""
    kind = int(mj.actuator_trntype[i])
    target, reference = (int(k) for k in mj.actuator_trnid[i])
    if kind == TRN_TENDON:
        columns = arm_dofs(tendons, target)
        return [(columns, [AT_SITE] * len(columns), 0)]
    if kind == TRN_BODY:
        return [(list(range(mj.nv)), [AT_SITE] * mj.nv, 1)]
    if kind in (TRN_JOINT, TRN_JOINTINPARENT) or (kind == TRN_SO3 and reference < 0):
        first, num = int(mj.jnt_dofadr[target]), DOFS_OF_JOINT[int(mj.jnt_type[target])]
        if kind == TRN_SO3:
            return [([first + k], [AT_SITE], 0) for k in range(3)]
        return [(list(range(first, first + num)), [AT_SITE] * num, 0)]

    here = body_dofs(mj, mj.site_bodyid[target])
    there = body_dofs(mj, mj.site_bodyid[reference]) if reference >= 0 else set()
    columns = sorted(here ^ there)
    sides = [AT_SITE if k in here else AT_REFERENCE for k in columns]
    return [(columns, sides, 1)] * (3 if kind == TRN_SO3 else 1)
