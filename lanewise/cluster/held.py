"""The worlds of one node: a Batch, and what the Batch of all worlds asks of it."""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..batch import Batch, SimulationError
from ..loaders.per_world import own_model
from ..model import Model
from .nodes import Share

# what can be read of a Batch beside its fields
COUNTERS = ("warning", "resets", "maxuse_con", "maxuse_efc", "status", "steps_done")


@dataclass
class Errand:
    """What comes with every call: rows that were written on the other side, and what is read there.

    written: {("state", "qpos"): rows, ("model", "body_mass"): rows, ("parameter", "gain"): rows}
    read: names of fields and counters. ids: the worlds of the call; only their rows are answered.
    """

    written: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)
    read: Sequence[str] = ()
    ids: np.ndarray | None = None


@dataclass
class Answered:
    """What comes back: the rows that are read, and what was wrong with which worlds."""

    value: Any = None
    rows: dict[str, np.ndarray] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)


class Worlds:
    """A node's share of the worlds; Ray's actor holds it."""

    CHANGE_NOTHING = ("read", "look", "get_state", "errors")

    def __init__(self, model: Model, share: Share, how: Mapping[str, Any]):
        self._model = model
        self._batch = Batch(model, share.count, nthread=share.nthread, **how)

    def keep(self) -> Any:
        """All that a Batch is, by its pickle, but for the model: that is at hand everywhere."""
        _, (_, _, _, *kept) = self._batch.__reduce__()
        return kept

    def take(self, kept: Any) -> None:
        """Be as the worlds were that kept this."""
        make, (kind, *_) = self._batch.__reduce__()
        self._batch = make(kind, own_model(self._model), self._model, *kept)

    def renew(self, model: bytes) -> None:
        """Go on with another model of the same sizes."""
        kept = self.keep()
        self._model = pickle.loads(model)
        self.take(kept)

    # --------------------------------------------------------------------------------------- calls

    def do(self, errand: Errand, method: str, *args: Any, **kwargs: Any) -> Answered:
        """Call a method of the Batch."""
        answered = Answered()
        self._write(errand)
        if errand.ids is not None:
            kwargs["ids"] = errand.ids
        try:
            answered.value = getattr(self._batch, method)(*args, **kwargs)
        except SimulationError as error:
            answered.failed = {int(i): self._batch.error(int(i)) for i in error.ids}
        answered.rows = self._rows(errand)
        return answered

    def bind(self, errand: Errand) -> Answered:
        """Read fields, from now on."""
        return self.read(errand)

    def read(self, errand: Errand) -> Answered:
        """Write and read."""
        self._write(errand)
        return Answered(rows=self._rows(errand))

    def get_state(self, errand: Errand, bits: int) -> Answered:
        """Batch.get_state"""
        self._write(errand)
        return Answered(self._batch.get_state(bits, errand.ids), self._rows(errand))

    def errors(self, errand: Errand) -> Answered:
        """Batch.error of all worlds of the call."""
        answered = self.read(errand)
        ids = range(self._batch.nsim) if errand.ids is None else errand.ids
        answered.value = [self._batch.error(int(i)) for i in ids]
        return answered

    def look(self, errand: Errand, name: str) -> Answered:
        """Read a field this once."""
        bound = name in self._batch.bound
        answered = self.read(Errand(errand.written, [*errand.read, name]))
        answered.value = answered.rows.pop(name)
        if not bound:
            self._batch.unbind(name)
        return answered

    def rollout(
        self, errand: Errand, nblock: int, **kwargs: Any
    ) -> tuple[Answered, list[dict[Any, np.ndarray]]]:
        """Batch.rollout; its records are in blocks of worlds."""
        answered = self.do(errand, "rollout", **kwargs)
        recorded, answered.value = answered.value or {}, None
        parts = {item: np.array_split(array, nblock) for item, array in recorded.items()}
        return answered, [{item: parts[item][k] for item in parts} for k in range(nblock)]

    def expand_parameter(self, errand: Errand, name: str) -> Answered:
        """Give a parameter rows."""
        answered = self.read(errand)
        answered.value = self._batch.parameters.expand(name)
        return answered

    def set_const(self, errand: Errand, names: Sequence[str]) -> Answered:
        """Batch.set_const; the rows of these expanded fields, which it may have written."""
        answered = self.do(errand, "set_const")
        answered.value = {name: self._batch.expand(name) for name in names}
        return answered

    def _write(self, errand: Errand) -> None:
        for (kind, name), rows in errand.written.items():
            if kind == "state":
                self._batch.bind(name)[...] = rows
            elif kind == "model":
                self._batch.expand(name)[...] = rows
            else:
                self._batch.parameters.expand(name)[...] = rows

    def _rows(self, errand: Errand) -> dict[str, np.ndarray]:
        read = {
            name: getattr(self._batch, name) if name in COUNTERS else self._batch.bind(name)
            for name in errand.read
        }
        ids = errand.ids
        return read if ids is None else {name: rows[ids] for name, rows in read.items()}


def state_of(kept: bytes) -> np.ndarray:
    """The state rows in what `Worlds` has kept."""
    _, (_, of_runner, *_) = pickle.loads(kept)
    return of_runner["arrays"][0]


def rehearse(
    model: Model, how: Mapping[str, Any], alone: bool, read: Sequence[str],
    expanded: Sequence[str], parameters: Sequence[str],
) -> None:  # fmt: skip
    """A few worlds take a step: what that takes is compiled, if it is not there yet.

    alone: a world that has a gang to itself is among them.
    """
    batch = Batch(model, 9 if alone else 8, nthread=1, **how)
    for name in read:
        batch.bind(name)
    for name in expanded:
        batch.expand(name)
    for name in parameters:
        batch.parameters.expand(name)
    batch.step(stage=3)
