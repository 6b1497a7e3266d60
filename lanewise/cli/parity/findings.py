"""What a comparison found: by part, place and name the largest difference, and what it means."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SAME, UNDECIDED, DIFFERENT = "same", "undecided", "different"


@dataclass
class Finding:
    """One field of a stage, one function, one kind of sensor: in all worlds."""

    part: str
    place: str
    name: str
    tolerance: float
    worlds: int = 0
    undecided: int = 0  # where MuJoCo's own answer moves as far
    different: int = 0
    largest: float = 0.0  # difference, of worlds that are not undecided
    unsure: float = 0.0  # difference, of worlds that are
    moved: float = 0.0  # how far MuJoCo's own answer moved there
    notes: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """`same`, `different`, or `undecided` if no world was decided."""
        if self.different:
            return DIFFERENT
        return UNDECIDED if self.worlds and self.undecided == self.worlds else SAME

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and texts."""
        finite = lambda x: float(x) if np.isfinite(x) else None  # noqa: E731
        return {
            "part": self.part, "place": self.place, "name": self.name, "verdict": self.verdict,
            "worlds": self.worlds, "undecided": self.undecided, "different": self.different,
            "largest": finite(self.largest), "tolerance": self.tolerance,
            "undecided_difference": finite(self.unsure), "mujoco_nudged": finite(self.moved),
            "notes": self.notes,
        }  # fmt: skip


@dataclass
class Findings:
    """Everything that was compared."""

    rows: dict[tuple[str, str, str], Finding] = field(default_factory=dict)
    contacts: dict[str, int] = field(default_factory=dict)  # pairs of geoms: same, undecided, ...
    notes: list[str] = field(default_factory=list)

    def saw(
        self, part: str, place: str, name: str, difference: float,
        moves: Callable[[], float] = lambda: 0.0, *, tolerance: float, note: str = "",
    ) -> str:  # fmt: skip
        """Note a difference in one world. `moves` says how far a difference may be there, by
        MuJoCo's own; it is asked only where the tolerance does not do."""
        key = (part, place, name)
        row = self.rows.setdefault(key, Finding(part, place, name, tolerance))
        row.worlds += 1
        if difference <= tolerance:
            row.largest = max(row.largest, difference)
            return SAME
        moved = moves()
        if difference <= moved:
            row.undecided += 1
            row.unsure, row.moved = max(row.unsure, difference), max(row.moved, moved)
            return UNDECIDED
        row.different += 1
        row.largest = max(row.largest, difference)
        if note and len(row.notes) < 3:
            row.notes.append(note)
        return DIFFERENT

    def of(self, part: str) -> list[Finding]:
        """The findings of a part."""
        return [row for row in self.rows.values() if row.part == part]

    @property
    def parts(self) -> list[str]:
        """The parts there are, in the order in which they were compared."""
        return list(dict.fromkeys(row.part for row in self.rows.values()))

    @property
    def different(self) -> list[Finding]:
        """What differs from MuJoCo where MuJoCo is sure."""
        return [row for row in self.rows.values() if row.verdict == DIFFERENT]

    @property
    def undecided(self) -> list[Finding]:
        """What could not be compared, because MuJoCo's own answer moves in every state."""
        return [row for row in self.rows.values() if row.verdict == UNDECIDED]
