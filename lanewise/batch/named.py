"""Named views: one object's columns of the fields of all worlds.

`batch.joint("knee").qpos` is the part of `batch.qpos` that `data.joint("knee").qpos` is of
`data.qpos`, which lanewise/named.py says, and `batch.body("pole").mass` the part of
`batch.expand("body_mass")` that `model.body("pole").mass` is of `model.body_mass`. Which part that
is, MuJoCo's own views say: the memory of such a view lies inside the memory of the field.

Reading a model attribute does not expand its field. Assigning does.
"""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import did_you_mean
from ..fields import STATE_FIELDS
from ..limits import FIXED
from ..loaders.per_world import expandable, model_field
from ..named import PARTS, part
from ..naming import number_of
from .arguments import numbers
from .field_names import computed_error
from .reading import ASKED, way_of

if TYPE_CHECKING:
    from .batch import Batch

# views that MjData computes, which are no part of a field
_COMPUTED = {("actuator", "moment")}

# (kind, attribute) -> field of the model; the same for all models
_fields: dict[tuple[str, str], str] = {}


class Named:
    """One object's slices of the fields of all worlds, (nsim, ...), by MuJoCo's attribute names."""

    _batch: "Batch"
    _kind: str
    _view: Any
    id: int
    name: str

    def __init__(self, batch: Any, kind: str, key: int | str):
        number = number_of(batch._model.mj, kind, key)
        view = getattr(batch._model.mj, kind)(number)
        for attribute, value in (
            ("_batch", batch), ("_kind", kind), ("_view", view), ("id", number),
            ("name", view.name),
        ):  # fmt: skip
            object.__setattr__(self, attribute, value)

    def __getattr__(self, attribute: str) -> np.ndarray:
        return self._slice(attribute, write=False, way=way_of(sys._getframe(1)))

    def __setattr__(self, attribute: str, value: Any) -> None:
        if attribute in ("id", "name") or attribute.startswith("_"):
            raise AttributeError(f"{attribute} is read-only")
        target = self._slice(attribute, write=True)
        target[...] = numbers(value, target.shape, f"{self._kind} {attribute}")

    def __dir__(self) -> Iterable[str]:
        return sorted({*object.__dir__(self), *self._attributes()})

    def __repr__(self) -> str:
        return f"<{self._kind} {self.id} {self.name!r} of {self._batch!r}>"

    def _attributes(self) -> list[str]:
        return [*PARTS.get(self._kind, ()), *(n for n in dir(self._view) if n[0] != "_")]

    def _slice(self, attribute: str, write: bool, way: int = ASKED) -> np.ndarray:
        """The (nsim, ...) part of an attribute's field, to be written if `write`."""
        found = part(self._batch._model.mj, self._kind, self.id, attribute)
        if found is not None:
            return self._of_data(attribute, *found, write, way)
        values = getattr(self._view, attribute, None)
        if isinstance(values, np.ndarray):
            if not values.size:
                return _constant(values, self._batch.nsim)
            field = self._field(attribute, values)
            if field is not None:
                return self._of_model(attribute, field, values, write)
        if isinstance(values, np.ndarray) or (self._kind, attribute) in _COMPUTED:
            raise AttributeError(
                f"{self._kind} {attribute} is not a slice of a field that the batch binds or"
                " expands"
            )
        hint = did_you_mean(attribute, self._attributes())
        raise AttributeError(f"{attribute} is not a field of a {self._kind}{hint}")

    def _field(self, attribute: str, values: np.ndarray) -> str | None:
        """The field of the model whose memory holds the values."""
        key = (self._kind, attribute)
        if key not in _fields:
            for name in expandable():
                whole = getattr(self._batch._model.mj, name, None)
                if isinstance(whole, np.ndarray) and _holds(whole, values):
                    _fields[key] = name
                    break
        return _fields.get(key)

    def _of_data(self, attribute: str, field: str, index: Any, write: bool, way: int) -> np.ndarray:
        if write and field not in STATE_FIELDS:
            raise computed_error(f"{self._kind} {attribute}")
        return self._batch._read(field, way)[:, index]

    def _of_model(self, attribute: str, field: str, part: np.ndarray, write: bool) -> np.ndarray:
        batch = self._batch
        if batch._models is not None:
            if write:
                raise ValueError(
                    f"{field} comes from the caller's models (set_models): edit them and call"
                    " set_models again"
                )
            views = (getattr(batch._model_of(i), self._kind)(self.id) for i in range(batch.nsim))
            out = np.stack([getattr(view, attribute) for view in views])
            out.flags.writeable = False
            return out
        if field not in batch._expanded and field in FIXED:
            if write:
                raise ValueError(f"{field} is structural: it cannot differ between simulations")
            return _constant(part, batch.nsim)
        rows = batch.expand(field) if write or field in batch._expanded else batch.expanded(field)
        if rows is None:
            return _constant(part, batch.nsim)
        return _columns(rows, model_field(batch._model.mj, field), part)


def _holds(whole: np.ndarray, part: np.ndarray) -> bool:
    first = part.ctypes.data - whole.ctypes.data
    return whole.dtype == part.dtype and 0 <= first and first + part.nbytes <= whole.nbytes


def _columns(rows: np.ndarray, whole: np.ndarray, part: np.ndarray) -> np.ndarray:
    """The columns of rows that part is of whole."""
    first = (part.ctypes.data - whole.ctypes.data) // whole.itemsize
    flat = rows.reshape(len(rows), -1)
    return flat[:, first : first + part.size].reshape(len(rows), *part.shape)


def _constant(part: np.ndarray, nsim: int) -> np.ndarray:
    return np.broadcast_to(part, (nsim, *part.shape))
