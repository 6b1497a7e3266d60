"""What the numbers of a clip mean, and where each part of that was taken from.

A decision has a value and its source:

    file                the file says it in words: a name, a rate, a list of names
    names               names of the file are names of the model
    forward kinematics  bodies come out where the file has them
    test                another part of the file agrees with one reading and with no other
    form                every file of this form has it so
    argument            whoever loaded it said so

What none of these decides is refused (decisions.py): there is no source "default".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SOURCES = ("file", "names", "forward kinematics", "test", "form", "argument")


@dataclass(frozen=True)
class Decision:
    """A value, its source, and in what way the source says it."""

    value: Any
    source: str
    why: str = ""

    def __str__(self) -> str:
        return f"{self.value} ({self.source}{': ' + self.why if self.why else ''})"


class Meaning(Mapping[str, Decision]):
    """Decisions by what was decided: form, fps, up, root_rot, joints ..."""

    def __init__(self, decisions: Mapping[str, Decision] | None = None):
        self._decisions = dict(decisions or {})

    def __getitem__(self, what: str) -> Decision:
        return self._decisions[what]

    def __iter__(self) -> Iterator[str]:
        return iter(self._decisions)

    def __len__(self) -> int:
        return len(self._decisions)

    def with_(self, what: str, value: Any, source: str, why: str = "") -> "Meaning":
        """The same with one more decision, or another one in its place."""
        return Meaning({**self._decisions, what: Decision(value, source, why)})

    def lines(self) -> list[str]:
        """A line for each."""
        width = max(map(len, self._decisions), default=0)
        return [f"{what:{width}}  {decision}" for what, decision in self._decisions.items()]

    def __repr__(self) -> str:
        return "\n".join(self.lines())
