"""What calls record besides outputs: items of worlds, step by step or sample by sample."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..components import spec_bits, state_parts
from ..data import PLACE
from ..engine.calls.rollout import RECORDED
from ..fields import DATA_FIELDS as _TABLE
from ..lanes.records import Records
from ..model import Model
from .arguments import record_buffer
from .field_names import DATA_FIELDS, MORE_FIELDS, not_bindable
from .outputs import KINDS, Outputs


class Recording:
    """Arrays (n, k, ...) that a call fills, and the records that tell it so.

    An item is the name of a field or of what user code keeps or leaves, or mjtState bits for a
    state vector. out: arrays of the caller's. dtype: that of all that is not whole numbers.
    by_place: a place of the call is one of n * k, not one of n.
    """

    def __init__(
        self, model: Model, outputs: Outputs, n: int, k: int, items: Any, out: Mapping | None,
        by_place: bool = False, dtype: Any = np.float64,
    ):  # fmt: skip
        if isinstance(items, str) or not isinstance(items, Iterable):
            raise TypeError(f"record takes a sequence of items, such as ({items!r},)")
        self._model, self._outputs = model, outputs
        self.buffers: dict[Any, np.ndarray] = {}  # by item, for the user
        # instead of buffers of bytes, which rows do not have
        self._floats: dict[Any, np.ndarray] = {}
        rows: list[dict[str, Any]] = []
        for item in dict.fromkeys(items):
            shape, kind, parts = self._parts(item)
            kind = dtype if kind == np.float64 else kind
            target = record_buffer(item, (out or {}).get(item), (n, k, *shape), kind)
            self.buffers[item] = target
            if target.itemsize == 1:
                target = self._floats[item] = np.zeros(target.shape)
            size, first = int(np.prod(shape)), 0
            for field, start, count in parts:
                rows.append({
                    "rows": target.reshape(n, k, size)[:, :, first:], "count": count,
                    "field": field, "first": start,
                    "stride": size * target.itemsize * (1 if by_place else k),
                    "step": size * target.itemsize, "kind": KINDS[target.dtype],
                })  # fmt: skip
                first += count
        self.records = Records.of(RECORDED, rows)
        self.names = [item for item in self.buffers if item in _TABLE]  # of fields

    def _parts(self, item: str | int) -> tuple[tuple[int, ...], Any, list[tuple[int, int, int]]]:
        """Shape and dtype of an item, and its parts: (field, first number in it, count)."""
        if not isinstance(item, str):
            parts, size = state_parts(self._model, spec_bits(item, "record"))
            of_state = [(PLACE["state"], start, count) for _, start, count in parts]
            return (size,), np.float64, of_state
        user = self._model.user
        if user is not None and item in (user.declared.state | user.declared.outputs):
            name, place, shape = user.declared.place(item)
            return shape, np.float64, [(PLACE[name], place.start, place.stop - place.start)]
        if item not in DATA_FIELDS and item not in MORE_FIELDS:
            raise not_bindable(item)
        field = _TABLE[item]
        if field.capacity:
            raise ValueError(
                f"{item} has another length in every world and step, and cannot be recorded: bind"
                " it instead"
            )
        shape = self._outputs.shape(field)
        dtype: Any = np.float64 if field.dtype == "float" else np.int32
        if item == "eq_active":
            dtype = self._model.mj.eq_active0.dtype
        return shape, dtype, [(PLACE[item], 0, int(np.prod(shape)))]

    def finish(self) -> None:
        """Give the user what was recorded as floats."""
        for item, values in self._floats.items():
            self.buffers[item][...] = values
