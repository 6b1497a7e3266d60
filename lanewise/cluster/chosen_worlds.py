"""The worlds of a call, node by node."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .members import Member
from .nodes import Share
from .pieces import part_of


@dataclass(frozen=True, eq=False)
class Chosen:
    """What one node has of the worlds of a call.

    member: its number. ids: its worlds of the call, by their numbers there; None for all. rows:
    which of the call's worlds they are. n: how many worlds the call has.
    """

    member: int
    share: Share
    ids: np.ndarray | None
    rows: slice
    n: int

    @property
    def places(self) -> slice | np.ndarray:
        """The same worlds among all."""
        return self.share.rows if self.ids is None else self.ids + self.share.first

    @property
    def count(self) -> int:
        return self.rows.stop - self.rows.start

    def of(self, argument: Any) -> Any:
        """What this node gets of an argument."""
        return part_of(argument, self.rows, self.n)


def chosen(members: Sequence[Member], ids: np.ndarray | None, nsim: int) -> Iterator[Chosen]:
    """The nodes that have worlds of a call."""
    for k, member in enumerate(members):
        share = member.share
        if ids is None:
            yield Chosen(k, share, None, share.rows, nsim)
            continue
        first, stop = np.searchsorted(ids, (share.first, share.first + share.count))
        if first < stop:
            mine = ids[first:stop] - share.first
            yield Chosen(k, share, mine, slice(int(first), int(stop)), len(ids))
