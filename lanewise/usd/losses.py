"""What a stage has and a model will not: wrong, refused, or named.

Wrong is what nobody could simulate. Refused is what would make another motion of it. Named is what
is left out, or has a meaning that is near but not the same; `lw.load` warns of it in one message,
and `lanewise usd info` lists it.
"""

import warnings

from ..errors import ModelError, UnsupportedFeature


class Findings:
    """What was found: {what: [paths of prims]}, each."""

    def __init__(self) -> None:
        self.mistakes: dict[str, list[str]] = {}
        self.refused: dict[str, list[str]] = {}
        self.named: dict[str, list[str]] = {}

    @property
    def stops(self) -> bool:
        """Whether there will be no model."""
        return bool(self.mistakes or self.refused)

    def wrong(self, what: str, where: object) -> None:
        """What makes no sense."""
        self._add(self.mistakes, what, where)

    def refuse(self, what: str, where: object) -> None:
        """What cannot be simulated."""
        self._add(self.refused, what, where)

    def name(self, what: str, where: object) -> None:
        """What is left out, or is not quite the same."""
        self._add(self.named, what, where)

    @staticmethod
    def _add(found, what, where):
        places = found.setdefault(what, [])
        path = where if isinstance(where, str) else str(where.GetPath())
        if path not in places:
            places.append(path)

    def check(self, named: str) -> None:
        """Raise ModelError if anything is wrong, UnsupportedFeature if anything is refused."""
        if self.refused:
            features = {**self.mistakes, **self.refused}
            raise UnsupportedFeature(features, what=f"{named} has what MuJoCo does not simulate")
        if self.mistakes:
            lines = "\n".join(f"  {line}" for line in _lines(self.mistakes))
            raise ModelError(f"{named} cannot be a model:\n{lines}")

    def warn(self, named: str, stacklevel: int) -> None:
        """Say what is named, in one warning."""
        if self.named:
            lines = "\n".join(f"  {line}" for line in self.lines())
            warnings.warn(
                f"{named} has what the model has not, or not quite:\n{lines}", stacklevel=stacklevel
            )

    def lines(self) -> list[str]:
        """What is named, a line each."""
        return _lines(self.named)


def _lines(found):
    return [f"{what}: {_listed(places)}" for what, places in found.items()]


def _listed(places, most=3):
    more = f" and {len(places) - most} more" if len(places) > most else ""
    return ", ".join(places[:most]) + more
