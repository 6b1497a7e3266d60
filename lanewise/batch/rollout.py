"""What a rollout is given, and what it records."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data import PLACE
from ..engine.calls.rollout import PIECE, RECORDED, ROLLOUT
from ..fields import DATA_FIELDS as _TABLE
from ..lanes.records import Records
from ..model import Model
from .arguments import numbers, record_buffer, state_parts
from .field_names import DATA_FIELDS, not_bindable
from .outputs import Outputs


class Rollout:
    """The controls and records of a rollout of n worlds over nstep steps."""

    def __init__(self, model: Model, outputs: Outputs, n: int, nstep: int):
        self.nstep = nstep
        self.record = Records(ROLLOUT)
        self.buffers: dict[Any, np.ndarray] = {}  # by item, for the user
        self.names: list[str] = []  # of fields that are recorded
        self.has_control = False
        self._model, self._outputs, self._n = model, outputs, n
        # instead of buffers of bytes, which rows do not have
        self._floats: dict[Any, np.ndarray] = {}

    def control(self, control: Any, spec: Any) -> None:
        """Set the state components of spec before each step."""
        parts, size = state_parts(self._model, spec, "control_spec")
        control = numbers(control, (self._n, self.nstep, size), "control")
        pieces = Records.of(PIECE, [
            {"source": source, "target": target, "count": count} for source, target, count in parts
        ])  # fmt: skip
        self.record.set(
            ncontrol=size, control=np.ascontiguousarray(control, np.float64), npiece=len(pieces),
            pieces=pieces,
        )  # fmt: skip
        self.has_control = size > 0

    def records(self, items: Sequence[str | int], out: dict) -> None:
        """Record these after each step, into the arrays of `out` where it has any."""
        rows: list[dict[str, Any]] = []
        for item in dict.fromkeys(items):
            shape, dtype, parts = self._parts(item)
            shape = (self._n, self.nstep, *shape)
            target = self.buffers[item] = record_buffer(item, out.get(item), shape, dtype)
            if target.itemsize == 1:
                target = self._floats[item] = np.zeros(shape)
            size = int(np.prod(shape[2:]))
            numbers_of_step, first = target.reshape(self._n, self.nstep, size), 0
            for field, start, count in parts:
                rows.append({
                    "rows": numbers_of_step[:, :, first:], "count": count,
                    "field": field, "first": start,
                    "stride": size * self.nstep * target.itemsize, "step": size * target.itemsize,
                    "whole": target.dtype == np.int32,
                })  # fmt: skip
                first += count
        records = Records.of(RECORDED, rows)
        self.record.set(nrecord=len(records), records=records)
        self.names = [item for item in self.buffers if isinstance(item, str)]

    def _parts(self, item: str | int) -> tuple[tuple[int, ...], Any, list[tuple[int, int, int]]]:
        """Shape and dtype of an item, and its parts: (field, first number in it, count)."""
        if not isinstance(item, str):
            parts, size = state_parts(self._model, item, "record")
            return (
                (size,),
                np.float64,
                [(PLACE["state"], start, count) for _, start, count in parts],
            )
        if item not in DATA_FIELDS:
            raise not_bindable(item)
        field = _TABLE[item]
        if field.capacity:
            raise ValueError(f"{item} has another length in every step: bind it instead")
        shape = self._outputs.shape(field)
        dtype: Any = np.float64 if field.dtype == "float" else np.int32
        if item == "eq_active":
            dtype = self._model.mj.eq_active0.dtype
        return shape, dtype, [(PLACE[item], 0, int(np.prod(shape)))]

    def finish(self) -> None:
        """Give the user what was recorded as floats."""
        for item, values in self._floats.items():
            self.buffers[item][...] = values
