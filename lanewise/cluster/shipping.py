"""Compiled kernels for all nodes: compiled once for each kind of machine, and sent to the others.

Two processes can use each other's objects if `machine_digest` is the same for both. Of each kind of
machine one process leads: this one, if there are nodes like it, else the first node of the kind. It
runs something small, the rehearsal, which takes all kernels that are going to be needed, so that
what is missing is compiled; the files that it used are sent to those nodes of the kind that lack
them. Kernels that came with the package are on all nodes, and are not sent.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..lanes import objects
from .line import Line

Rehearsal = Callable[[Any], None]  # of the model


class Kernels:
    """The files of kernels by kind of machine, as far as they are known here."""

    def __init__(self, line: Line, model: Any, reference: Any):
        self._line, self.model, self.reference = line, model, reference
        self._files: dict[str, dict[str, bytes]] = {}

    def ship(self, actors: Sequence[tuple[Any, str]], rehearsal: Rehearsal | None = None) -> None:
        """Give the actors, (actor, kind of machine), what the rehearsal takes. Without one, it is
        what their leaders have used until now."""
        for kind in dict.fromkeys(machine for _, machine in actors):
            of_kind = [actor for actor, machine in actors if machine == kind]
            self._files.setdefault(kind, {}).update(self._lead(kind, of_kind[0], rehearsal))
            self.hand(of_kind, kind)

    def hand(self, actors: Sequence[Any], kind: str) -> None:
        """Give actors of a kind what is known of it, as far as they lack it."""
        files = self._files.get(kind, {})
        asked = [(actor, actor.lacking.remote(list(files))) for actor in actors]
        handed = []
        for actor, ref in asked:
            missing = {name: files[name] for name in self._answer(ref) or ()}
            if missing:
                handed.append(actor.hand.remote(missing))
        for ref in handed:
            self._answer(ref)

    def _answer(self, ref: Any) -> Any:
        """What an actor answers; None of one that died, of which the next call will know more."""
        try:
            return self._line.get(ref)
        except self._line.losses:
            return None

    def _lead(self, kind: str, first: Any, rehearsal: Rehearsal | None) -> dict[str, bytes]:
        """The files that the leader of a kind has used, after the rehearsal."""
        here = kind == objects.machine_digest()
        if here and rehearsal is not None:
            rehearsal(self.model)
            return objects.used_files()
        report = self._answer(first.rehearse.remote(rehearsal, self.reference))
        if report is not None and report.error is not None:
            raise report.error
        theirs = {} if report is None else report.value
        return {**objects.used_files(), **theirs} if here else theirs
