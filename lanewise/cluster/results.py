"""What a rollout recorded: in the object stores of the nodes, until somebody reads it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .members import Answer
from .spread import Spread


class Recorded(Mapping):
    """{item: (n, nstep, ...) array} of a rollout. An item comes to this process when it is read.

    `blocks` reads it part by part, where all of it would be too large. A part that was lost with
    its node is computed again.
    """

    def __init__(
        self, spread: Spread, answers: Sequence[Answer], empty: Mapping[Any, np.ndarray],
        out: Mapping[Any, np.ndarray],
    ):  # fmt: skip
        """empty: records of no worlds. out: arrays to read into, now."""
        self._spread, self._answers, self._items = spread, list(answers), list(empty)
        for answer in answers:
            answer.value = None  # rows of fields, which were taken
        self._read: dict[Any, np.ndarray] = {} if answers else dict(empty)
        for item, array in out.items():
            self._read[item] = _joined(self.blocks(item), array)

    def __getitem__(self, item: Any) -> np.ndarray:
        if item not in self._items:
            raise KeyError(f"{item!r} was not recorded; there are {self._items}")
        if item not in self._read:
            self._read[item] = _joined(self.blocks(item), None)
        if len(self._read) == len(self._items):
            self._answers = []  # nodes need not hold it any more
        return self._read[item]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        read = ", ".join(map(str, self._read)) or "nothing"
        return f"<lanewise.cluster.Recorded {', '.join(map(str, self._items))}; read: {read}>"

    def blocks(self, item: Any) -> Iterator[np.ndarray]:
        """The same in parts, worlds after worlds, each fetched when it is its turn. They are views
        of the object store's memory, read-only."""
        if item in self._read:
            yield self._read[item]
            return
        for k in range(len(self._answers)):
            for j in range(len(self._answers[k].blocks)):
                yield self._block(k, j)[item]

    def _block(self, k: int, j: int) -> Mapping[Any, np.ndarray]:
        block, self._answers[k] = self._spread.block(self._answers[k], j)
        return block


def _joined(parts: Iterator[np.ndarray], out: np.ndarray | None) -> np.ndarray:
    if out is None:
        return np.concatenate(list(parts))
    first = 0
    for part in parts:
        out[first : first + len(part)] = part
        first += len(part)
    return out
