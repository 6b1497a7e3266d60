"""What a comparison with MuJoCo found: the largest residuals, where they were, and counts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

Key = tuple[str, ...]  # a table of docs/parity.md, then a row and a column of it


@dataclass
class Findings:
    """Residuals and counts by their place in docs/parity.md; those of several models add up."""

    worst: dict[Key, tuple[float, str]] = field(default_factory=dict)  # residual, and the model
    counts: Counter[Key] = field(default_factory=Counter)

    def saw(self, key: Key, residual: float, where: str) -> None:
        """A residual; inf is a number that is missing, or a shape that is another."""
        if residual > self.worst.get(key, (-1.0, ""))[0]:
            self.worst[key] = (float(residual), where)

    def count(self, *key: str, number: int = 1) -> None:
        self.counts[key] += number

    def merge(self, other: "Findings") -> None:
        for key, (residual, where) in other.worst.items():
            self.saw(key, residual, where)
        self.counts += other.counts

    def of(self, table: str) -> Iterator[tuple[Key, float, str]]:
        """(row and column, residual, model) of a table"""
        for key, (residual, where) in self.worst.items():
            if key[0] == table:
                yield key[1:], residual, where

    def counted(self, table: str) -> dict[Key, int]:
        return {key[1:]: number for key, number in self.counts.items() if key[0] == table}
