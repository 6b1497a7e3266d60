"""Random numbers of environments: each has a generator of its own, seeded as Gymnasium does.

A generator is made when it is first needed. Drawing goes through the environments that are reset
one by one, so that each has the numbers that it would have alone; what is made of them is
arithmetic on arrays.

As long as all that is drawn are a few uniform numbers at a time, the generators of many
environments draw for some episodes ahead: a call for each environment that begins would take as
long as a small model's step. When somebody wants a generator itself, it goes back by what it was
ahead.
"""

from collections.abc import Sequence

import numpy as np

AHEAD = 128  # uniform numbers that a generator draws at a time
MANY = 16  # environments, from which on it does
_PERIOD = 1 << 128  # of PCG64: one step for each uniform number


class Generators:
    """A generator for each of n environments."""

    def __init__(self, n: int):
        self._n = n
        self._uniform = True  # whether nothing but uniform numbers was drawn
        self._ahead = np.empty((0, AHEAD))  # what generators have drawn ahead, when there is any
        self._left = np.zeros(n, np.int64)  # how many numbers of it, the last ones, are still there
        self._root = np.random.SeedSequence()
        self._seeds: list[int | None] = [None] * n
        self._made: list[np.random.Generator | None] = [None] * n
        self._others: list[np.random.Generator | None] = [None] * n  # of options

    def seed(self, seeds: Sequence[int | None], which: np.ndarray) -> None:
        """New seeds for some environments; None leaves a generator as it is."""
        for i in which.tolist():
            if seeds[i] is not None:
                self._seeds[i], self._made[i], self._others[i] = seeds[i], None, None
                self._left[i] = 0

    def __getitem__(self, i: int) -> np.random.Generator:
        return self.exact(np.array([i]))[0]

    def exact(self, which: np.ndarray) -> list[np.random.Generator]:
        """Those of some environments, to draw anything from."""
        self._uniform = False
        return [self._exact(i) for i in which.tolist()]

    def _exact(self, i: int) -> np.random.Generator:
        """A generator, not ahead of what was asked for."""
        made = self._made[i]
        if made is not None and self._left[i]:
            made.bit_generator.advance(_PERIOD - int(self._left[i]))  # type: ignore[attr-defined]
            self._left[i] = 0
        if made is None:
            sequence = np.random.SeedSequence(self._seed_of(i))
            made = self._made[i] = np.random.Generator(np.random.PCG64(sequence))
        return made

    def _seed_of(self, i: int) -> int:
        seed = self._seeds[i]
        if seed is None:  # nobody cares which
            seed = self._seeds[i] = int(self._root.spawn(1)[0].generate_state(1, np.uint64)[0])
        return seed

    def __len__(self) -> int:
        return self._n

    @property
    def seeds(self) -> tuple[int | None, ...]:
        """The seed of each environment; None where no number was drawn yet and none was given."""
        return tuple(self._seeds)

    def draws(self, which: np.ndarray) -> "Draws":
        """Numbers for some environments."""
        return TaskDraws(self, which)

    def uniform(self, which: np.ndarray, size: int) -> np.ndarray | None:
        """(n, size) between 0 and 1, from what was drawn ahead; None if that is not done."""
        if not self._uniform or self._n < MANY or 4 * size > AHEAD:
            return None
        if not len(self._ahead):
            self._ahead = np.empty((self._n, AHEAD))
        left = self._left[which]
        empty = left < size
        for i in which[empty].tolist():
            self._exact(i).random(out=self._ahead[i])
        left[empty] = AHEAD
        first = which * AHEAD
        first += AHEAD - left
        self._left[which] = left - size
        return self._ahead.take(first[:, None] + np.arange(size))

    def option_draws(self, which: np.ndarray) -> "Draws":
        """Numbers of the same seeds for options: those of the task are the same without them."""
        ids, made = which.tolist(), self._others
        new = np.array([made[i] is None for i in ids], bool)
        for i in which[new].tolist():
            sequence = np.random.SeedSequence(self._seed_of(i), spawn_key=(0,))
            made[i] = np.random.Generator(np.random.PCG64(sequence))
        return Draws([g for g in (made[i] for i in ids) if g is not None], new)


class Draws:
    """Random numbers, a row for each of some environments, from the generator of each.

    new: which of them draw for the first time since they were seeded.
    """

    def __init__(self, generators: list[np.random.Generator], new: np.ndarray | None = None):
        self.generators = generators
        self.new = np.zeros(len(generators), bool) if new is None else new

    def of(self, mask: np.ndarray) -> "Draws":
        """Those of some of the environments."""
        return Draws([g for g, take in zip(self.generators, mask) if take], self.new[mask])

    def keys(self) -> np.ndarray:
        """(n,) numbers of 64 bits."""
        return np.array([g.bit_generator.random_raw() for g in self.generators], np.uint64)

    def __len__(self) -> int:
        return len(self.generators)

    def uniform(self, low: float, high: float, size: int) -> np.ndarray:
        """(n, size) between low and high: the numbers of Generator.uniform."""
        rows = np.empty((len(self), size))
        for generator, row in zip(self.generators, rows):
            generator.random(out=row)
        rows *= high - low
        rows += low
        return rows

    def normal(self, size: int) -> np.ndarray:
        """(n, size) of mean 0 and deviation 1: the numbers of Generator.standard_normal."""
        rows = np.empty((len(self), size))
        for generator, row in zip(self.generators, rows):
            generator.standard_normal(out=row)
        return rows


class TaskDraws(Draws):
    """Numbers for a task, from its environments' generators, which may have drawn them already."""

    def __init__(self, source: Generators, which: np.ndarray):
        self._source, self._which = source, which
        self.new = np.zeros(len(which), bool)

    @property
    def generators(self) -> list[np.random.Generator]:  # type: ignore[override]
        """Those of the environments."""
        return self._source.exact(self._which)

    def of(self, mask: np.ndarray) -> "Draws":
        return TaskDraws(self._source, self._which[mask])

    def __len__(self) -> int:
        return len(self._which)

    def uniform(self, low: float, high: float, size: int) -> np.ndarray:
        rows = self._source.uniform(self._which, size)
        if rows is None:
            return super().uniform(low, high, size)
        rows *= high - low
        rows += low
        return rows
