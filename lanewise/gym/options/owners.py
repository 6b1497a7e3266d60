"""Which rows of a model field belong to objects that are given by name."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ...errors import UnknownName, no_such
from ...fields import MODEL_FIELDS
from ...naming import names_of, number_of

# the kind of object that a field's first size counts
_KINDS = {
    "nactuator": "actuator", "nu": "actuator", "nbody": "body", "ncam": "camera",
    "neq": "equality", "ngeom": "geom", "njnt": "joint", "nq": "joint", "nv": "joint",
    "nlight": "light", "nmat": "material", "npair": "pair", "nsensor": "sensor", "nsite": "site",
    "ntendon": "tendon",
}  # fmt: skip
# where several rows are of one object: their first row
_FIRST = {"nq": "jnt_qposadr", "nv": "jnt_dofadr", "nu": "actuator_ctrladr"}


def kind_of(name: str) -> str:
    """The kind of object that a field has rows for; '' if for none."""
    known = MODEL_FIELDS.get(name)
    return _KINDS.get(str(known.dims[0]), "") if known is not None and known.dims else ""


def rows_of_objects(mj: Any, name: str, of: Any) -> np.ndarray:
    """The rows of a field that belong to some objects: a name, a pattern, a number, or several."""
    kind = kind_of(name)
    if not kind:
        raise ValueError(f"{name} belongs to no objects: leave out of={of!r}")
    if isinstance(of, str) or not isinstance(of, Iterable):
        of = [of]
    chosen = sorted({k for key in of for k in _matching(mj, kind, key)})
    size = str(MODEL_FIELDS[name].dims[0])
    if size not in _FIRST:
        return np.array(chosen)
    firsts = np.append(getattr(mj, _FIRST[size]), getattr(mj, size))
    return np.concatenate([np.arange(firsts[k], firsts[k + 1]) for k in chosen])


def said_of(mj: Any, name: str, row: int) -> str:
    """' of body 'trunk'', for errors: whose a row of a field is, if it is one object's."""
    kind = kind_of(name)
    if not kind or str(MODEL_FIELDS[name].dims[0]) in _FIRST:
        return ""
    return f" of {kind} {names_of(mj, kind)[row] or row!r}"


def _matching(mj: Any, kind: str, key: Any) -> list[int]:
    if not isinstance(key, str) or not set(key) & set("*?["):
        return [number_of(mj, kind, key)]
    names = names_of(mj, kind)
    if found := [k for k, name in enumerate(names) if name and fnmatchcase(name, key)]:
        return found
    raise UnknownName(no_such(kind, key, names))
