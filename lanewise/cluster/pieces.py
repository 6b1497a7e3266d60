"""Arguments in pieces, one for each node, and results that are put together."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any

import numpy as np


class Rows:
    """An argument with a row for each world: every node gets the rows of its own worlds."""

    def __init__(self, array: Any):
        self.array = np.asarray(array)

    def __repr__(self) -> str:
        return f"Rows({self.array!r})"


def part_of(argument: Any, rows: slice, n: int | None) -> Any:
    """What one node gets of an argument."""
    if not isinstance(argument, Rows):
        return argument
    if argument.array.shape[:1] != (n,):
        raise ValueError(f"Rows takes a row for each of {n}, got shape {argument.array.shape}")
    return argument.array[rows]


def merged(parts: Sequence[Any]) -> Any:
    """What all nodes returned, as one."""
    first = parts[0]
    if isinstance(first, np.ndarray) and first.ndim:
        return np.concatenate(parts)
    if isinstance(first, Mapping) and all(part.keys() == first.keys() for part in parts):
        return {name: merged([part[name] for part in parts]) for name in first}
    if isinstance(first, (tuple, list)):
        found = [merged(items) for items in zip(*parts, strict=True)]
        return tuple(found) if isinstance(first, tuple) else found
    same = all(type(part) is type(first) and part == first for part in parts)
    return first if same else list(parts)


def nbytes_of(x: Any) -> int:
    """How large the arrays in an argument are."""
    if isinstance(x, np.ndarray):
        return x.nbytes
    if isinstance(x, bytes):
        return len(x)
    if isinstance(x, Mapping):
        return sum(map(nbytes_of, x.values()))
    if is_dataclass(x):
        return nbytes_of(vars(x))
    return sum(map(nbytes_of, x)) if isinstance(x, (tuple, list)) else 0


def shifted(message: str, first: int) -> str:
    """A message about a world of a node, with the number that the world has among all."""
    return re.sub(r"\bin world (\d+)", lambda m: f"in world {int(m[1]) + first}", message)
