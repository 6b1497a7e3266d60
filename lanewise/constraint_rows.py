"""The constraint Jacobian in compressed rows, as MuJoCo has it for models with many dofs.

A row holds the dofs that its constraint can move, whether their numbers are zero or not: of an
equality between bodies, those that move either; of a tendon, those that move its path; of a
contact, those that move one of its bodies and not the other.
"""

import numpy as np

from .mjconst import (
    CNSTR_CONTACT_FRICTIONLESS,
    CNSTR_EQUALITY,
    CNSTR_FRICTION_TENDON,
    CNSTR_LIMIT_TENDON,
    EQ_TENDON,
    JAC_DENSE,
    JAC_SPARSE,
)

SPARSE = ("efc_J", "efc_J_rownnz", "efc_J_rowadr", "efc_J_colind")


def is_sparse(model):
    """Whether MuJoCo has the Jacobian in compressed rows."""
    kind = model.opt.jacobian  # the third kind decides by size
    return kind == JAC_SPARSE or (kind != JAC_DENSE and model.nv >= 60)


def sparse_rows(model, J, kinds, ids, geoms):
    """{efc_J, efc_J_rownnz, efc_J_rowadr, efc_J_colind} of one world.

    J is (nefc, nv); kinds and ids are efc_type and efc_id; geoms are contact.geom.
    """
    columns: list = []
    first_of: dict = {}
    for i, (kind, k) in enumerate(zip(kinds, ids, strict=True)):
        first = first_of.setdefault((int(kind), int(k)), i)
        columns.append(_contact_dofs(model, geoms[k]) if kind >= CNSTR_CONTACT_FRICTIONLESS
                       else _static_dofs(model, kind, k, i - first))  # fmt: skip
    number = np.array([len(c) for c in columns], np.int32)
    colind = np.concatenate([*columns, np.zeros(0, np.int32)]).astype(np.int32)
    return {
        "efc_J": np.asarray(J)[np.repeat(np.arange(len(columns)), number), colind],
        "efc_J_rownnz": number,
        "efc_J_rowadr": (np.cumsum(number) - number).astype(np.int32),
        "efc_J_colind": colind,
    }


def _static_dofs(model, kind, k, sub):
    """The dofs of row `sub` of a constraint that is no contact; both limits have the same."""
    if kind in (CNSTR_FRICTION_TENDON, CNSTR_LIMIT_TENDON):
        return sorted(_path_dofs(model, k))
    if kind == CNSTR_EQUALITY and model.eq_type[k] == EQ_TENDON:
        both = model.eq_obj1id[k], model.eq_obj2id[k]
        return sorted(set().union(*(_path_dofs(model, t) for t in both if t >= 0)))
    start = np.flatnonzero((model.row_type == kind) & (model.row_id == k))
    r = start[min(sub, len(start) - 1)]
    return model.row_colind[model.row_rowadr[r] : model.row_rowadr[r] + model.row_rownnz[r]]


def _path_dofs(model, t):
    adr = model.ten_J_rowadr[t]
    return set(model.ten_J_colind[adr : adr + model.ten_J_rownnz[t]].tolist())


def _contact_dofs(model, geoms):
    one, other = (_chain(model, model.geom_bodyid[g]) for g in geoms)
    return sorted(one ^ other)


def _chain(model, body):
    dofs, i = set(), model.body_lastdof[body]
    while i >= 0:
        dofs.add(int(i))
        i = model.dof_parentid[i]
    return dofs
