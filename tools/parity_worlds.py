"""A model in some states, in MuJoCo, in a Data and in a Batch: what functions are compared on.

A comparison is one call of `Worlds.compare`: the name in tools/twins.toml, what MuJoCo says, and
what one world and a batch of worlds say. Where ours is not there yet, it waits.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import mujoco
import numpy as np

import lanewise as lw
import twins
from parity_findings import Findings
from parity_nudges import SURE, forwarded, undecided
from support import parity

STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
DIFFERENCES = 1e-6  # the bar of what is a quotient of differences, by as much

Function = Callable[..., Any]


def there(codes: Sequence[str]) -> bool:
    """Whether all names of ours in a line of the table exist."""
    roots = {"lw": lw, "b": lw.Batch}
    for name in (name for code in codes for name in twins.dotted(code)):
        first, *rest = name.split(".")
        thing: Any = roots.get(first)
        for part in rest if thing is not None else ():
            if thing is lw.Batch and part in lw.Batch.__annotations__:
                break
            if not hasattr(thing, part):
                return False
            thing = getattr(thing, part)
    return True


def parts(result: Any) -> list[np.ndarray]:
    """Results as arrays, one for each that a function returns."""
    results = result if isinstance(result, tuple) else (result,)
    return [np.asarray(x, dtype=float) for x in results]


def residual(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> float:
    """The largest of several; inf if a shape is another."""
    if len(ours) != len(theirs) or any(a.size != b.size for a, b in zip(ours, theirs)):
        return np.inf
    return max(
        (parity.residual(a.reshape(b.shape), b, ~np.isnan(b)) for a, b in zip(ours, theirs)),
        default=0.0,
    )


def filled(*shapes: tuple[int, ...]) -> Function:
    """Calls a function of MuJoCo's with arrays to fill, and returns these."""

    def run(call: Function) -> Any:
        arrays = [np.zeros(shape) for shape in shapes]
        call(*arrays)
        return tuple(arrays)

    return run


class Worlds:
    """A model in some states: complete data of MuJoCo's, and the same in a Data and in a Batch."""

    def __init__(
        self, mj_model: Any, datas: Sequence[Any], rng: np.random.Generator, found: Findings,
        label: str,
    ):  # fmt: skip
        self.mj, self.datas, self.rng, self.found = mj_model, datas, rng, found
        self.label, self.m, self.nv = label, lw.load(mj_model), mj_model.nv
        self.rows = np.stack([self._row(data) for data in datas])
        self._others: dict[int, list[Any]] = {}

    def _row(self, data: Any) -> np.ndarray:
        row = np.zeros(mujoco.mj_stateSize(self.mj, STATE))
        mujoco.mj_getState(self.mj, data, row, STATE)
        return row

    def batch(self) -> Any:
        b = lw.Batch(self.m, len(self.datas), nthread=1)
        b.state[:] = self.rows
        return b

    def normal(self, *shape: int) -> np.ndarray:
        return self.rng.normal(size=shape)

    def some(self, number: int) -> int:
        return int(self.rng.integers(number))

    def compare(
        self, name: str, theirs: Function, one: Function | None = None,
        batch: Function | None = None,
    ) -> None:  # fmt: skip
        """theirs(mj, data), one(m, d) and batch(b) give an array or several; those of a batch have
        a leading axis of worlds. Each gets data of its own."""
        twin = twins.twin_of(name)
        assert twin is not None, name
        one = one if there(twin.one) else None
        batch = batch if there(twin.batch) else None
        if one is None and batch is None:
            return
        expected = [parts(theirs(self.mj, copy.copy(data))) for data in self.datas]
        if one is not None:
            for world, data in enumerate(self.datas):
                ours = parts(one(self.m, lw.put_data(self.m, data)))
                self._note(name, "one", ours, theirs, world, expected[world])
        if batch is not None:
            rows = parts(batch(self.batch()))
            for world, values in enumerate(expected):
                self._note(name, "batch", [row[world] for row in rows], theirs, world, values)

    def _note(self, name: str, column: str, ours: Sequence[np.ndarray], theirs: Function,
              world: int, values: Sequence[np.ndarray]) -> None:  # fmt: skip
        """A residual, unless it is MuJoCo that is not sure."""
        value, bar = residual(ours, values), DIFFERENCES if name.startswith("mjd_") else SURE

        def moved() -> float:
            answers = (parts(theirs(self.mj, copy.copy(other))) for other in self._nudged(world))
            return max((residual(answer, values) for answer in answers), default=0.0)

        if undecided(value, moved, bar):
            self.found.count("undecided", "answers")
            return
        self.found.count("decided", "answers")
        self.found.saw(("functions", name, column), value, self.label)

    def _nudged(self, world: int) -> list[Any]:
        """Complete data of MuJoCo's from nearly the same state."""
        if world not in self._others:
            self._others[world] = forwarded(self.mj, self.datas[world])[1]
        return self._others[world]


def read(data: Any, *names: str) -> tuple[np.ndarray, ...]:
    """Copies of fields, of a Data or of an MjData."""
    return tuple(np.array(getattr(data, name), dtype=float) for name in names)


def after(call: Function, *names: str) -> Function:
    """A function of both engines, and the fields that it leaves."""

    def run(m: Any, d: Any) -> tuple[np.ndarray, ...]:
        call(m, d)
        return read(d, *names)

    return run


def of_batch(call: Function, *names: str) -> Function:
    def run(b: Any) -> tuple[np.ndarray, ...]:
        call(b)
        return tuple(np.array(getattr(b, name), dtype=float) for name in names)

    return run
