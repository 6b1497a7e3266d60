"""Arrays of this process whose rows are those of worlds elsewhere.

A mirror is an array that a user holds and may write. Before a call, what was written since the last
one is found by comparison, node by node, and sent along; after it, the rows that came back are put
into the same array. So an array stays live, as a view of a local Batch does.
"""

from collections.abc import Iterable

import numpy as np

from .nodes import Share


class Mirror:
    """An array with a row for each world, and what the nodes have of it."""

    def __init__(self, array: np.ndarray):
        self.array = array
        self._there = array.copy()

    def written(self, share: Share) -> np.ndarray | None:
        """The rows of a share, if somebody wrote to them."""
        here, there = self.array[share.rows], self._there[share.rows]
        whole = f"i{here.itemsize}"  # bits are compared: of NaNs, and of zeros with a sign
        same = np.array_equal(here.view(whole), there.view(whole))
        return None if same else np.ascontiguousarray(here)

    def sent(self, share: Share) -> None:
        """A node has these rows now."""
        self._there[share.rows] = self.array[share.rows]

    def take(self, places: slice | np.ndarray, rows: np.ndarray) -> None:
        """Rows have come from a node."""
        self.array[places] = rows
        self._there[places] = rows


class Output:
    """An array that only nodes write; `array` is what users see of it."""

    def __init__(self, parts: Iterable[np.ndarray]):
        self._rows = joined(parts)

    @property
    def array(self) -> np.ndarray:
        view = self._rows[...]
        view.flags.writeable = False
        return view

    def take(self, places: slice | np.ndarray, rows: np.ndarray) -> None:
        """Rows have come from a node. With more contacts than ever, the array is another."""
        fitting, rows = padded([self._rows, rows])
        self._rows = fitting
        self._rows[places] = rows


def joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    """The rows of all nodes."""
    return np.concatenate(padded(list(parts)))


def padded(parts: list[np.ndarray]) -> list[np.ndarray]:
    """Arrays that differ in their second axis, with zeros up to the longest."""
    if parts[0].ndim < 2:
        return parts
    longest = max(part.shape[1] for part in parts)
    found = []
    for part in parts:
        if part.shape[1] < longest:
            wide = np.zeros((part.shape[0], longest, *part.shape[2:]), part.dtype)
            wide[:, : part.shape[1]] = part
            part = wide
        found.append(part)
    return found
