"""What is here of worlds that are elsewhere: arrays that users hold, and the exchange with nodes.

A call takes to each node what was written here since the last one, and brings back the rows of all
fields that are bound. So it is one message to each node and one back.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..batch import SimulationError
from ..errors import ClusterError
from ..fields import DATA_FIELDS as TABLE
from ..fields import STATE_FIELDS
from ..model import Model
from ..rollout import image_of
from .chosen_worlds import Chosen, chosen
from .held import COUNTERS, Answered, Errand, Worlds, rehearse, state_of
from .host import Call
from .members import Answer
from .mirrors import Mirror, Output
from .spread import Spread


class Far:
    """nsim worlds of a model on the nodes of a cluster; how: arguments of their Batches."""

    def __init__(
        self, model: Model, nsim: int, how: Mapping[str, Any], cpus: int | None,
        checkpoint: int | None, reserve: bool,
    ):  # fmt: skip
        self.model, self.nsim, self._how = model, nsim, dict(how)
        self._image: bytes | None = None  # of the model as nodes have it, if somebody may edit it
        self.state = np.zeros((nsim, model.nstate))
        self._views: dict[str, np.ndarray] = {}
        # by kind and name: ("state", "qpos"), ("model", "body_mass"), ("parameter", "gain")
        self.mirrors: dict[tuple[str, str], Mirror] = {}
        self.outputs: dict[str, Output] = {}
        self._rehearsed: set[str] = set()
        self.spread = Spread(
            Worlds, nsim, model, [self._how], cpus, checkpoint, reserve, self._rehearsal()
        )
        self.spread.remains = "; `state` has the worlds as they were then"

    # -------------------------------------------------------------------------------------- arrays

    def names(self, kind: str) -> list[str]:
        """What is mirrored of a kind."""
        return [name for its, name in self.mirrors if its == kind]

    def view(self, name: str) -> np.ndarray:
        """The columns of the state that are a field."""
        if name not in self._views:
            field, place = TABLE[name], self.model.state_slices[name]
            columns = self.state[:, place] if field.dims else self.state[:, place.start]
            self._views[name] = columns.reshape(self.nsim, *field.shape(self.model.sizes))
        return self._views[name]

    def fetch(self, names: Sequence[str]) -> None:
        """Fetch fields and counters, which come back with every call from now on."""
        state = [name for name in names if name in STATE_FIELDS]
        others = [name for name in names if name not in STATE_FIELDS]
        self.rehearse(others)
        # nodes have the state anyway; outputs have to be computed from now on
        found = self.exchange("bind" if others else "read", None, read=names)
        for name in state:
            view = self.view(name)
            view[...] = np.concatenate([answer.value.rows[name] for answer in found])
            self.mirrors["state", name] = Mirror(view)
        for name in others:
            self.outputs[name] = Output([answer.value.rows[name] for answer in found])

    def expand(self, kind: str, name: str, rows: Callable[[], np.ndarray]) -> np.ndarray:
        """The live rows of a model field or a parameter; rows() makes nodes have some."""
        if (kind, name) not in self.mirrors:
            array = rows()
            self.mirrors[kind, name] = Mirror(array)
            self.spread.rehearse(self._rehearsal())
        return self.mirrors[kind, name].array

    # --------------------------------------------------------------------------------------- model

    def watched(self) -> Model:
        """The model, in the hands of somebody who may edit it."""
        if self._image is None:
            self._image = image_of(self.model)
        return self.model

    def _send_model(self) -> None:
        """Nodes get the model anew if it was edited."""
        now = None if self._image is None else image_of(self.model)
        if now != self._image:
            self.spread.renew(self.model)
            self._image = now

    def rehearse(self, names: Sequence[str]) -> None:
        """These outputs are going to be read: nodes get the kernels that compute them."""
        outputs = {name for name in names if name not in STATE_FIELDS and name not in COUNTERS}
        if outputs - self._rehearsed:
            self._rehearsed |= outputs
            self.spread.rehearse(self._rehearsal())

    def _rehearsal(self) -> Callable[[Model], None]:
        """What takes all kernels that worlds need by now."""
        return partial(
            rehearse, how=self._how, alone=self.nsim % 8 == 1, read=sorted(self._rehearsed),
            expanded=self.names("model"), parameters=self.names("parameter"),
        )  # fmt: skip

    # ------------------------------------------------------------------------------------- exchange

    def exchange(
        self, method: str, ids: np.ndarray | None, *args: Any, read: Sequence[str] = (),
        nblock: Callable[[Chosen], int] | None = None, **kwargs: Any,
    ) -> list[Answer]:  # fmt: skip
        """Call a method of `Worlds` at all nodes that have some of the worlds ids.

        Of arguments that are Rows, a node gets those of its worlds. read: fields to read besides
        those that are bound. nblock: in how many blocks a node keeps its result. Raises
        SimulationError when all is done.
        """
        self._send_model()
        bound = [*self.names("state"), *self.outputs]
        calls, errands, asked = {}, {}, list(chosen(self.spread.members, ids, self.nsim))
        for c in asked:
            errands[c] = Errand(self._written(c), [*bound, *read], c.ids)
            blocks = 0 if nblock is None else nblock(c)
            more = [] if nblock is None else [blocks]
            named = {name: c.of(x) for name, x in kwargs.items()}
            calls[c.member] = Call(method, [errands[c], *more, *map(c.of, args)], named, blocks)
        changes = method not in Worlds.CHANGE_NOTHING
        changes |= any(errand.written for errand in errands.values())
        try:
            answers = self.spread.each(calls, changes)
        except ClusterError:
            if self.spread.is_lost:
                self._fall_back()
            raise
        for c in asked:
            self._take(c, errands[c], answers[c.member].value)
        failed = {
            i + c.share.first: message
            for c in asked
            for i, message in answers[c.member].value.failed.items()
        }
        if failed:
            first, ncall = min(failed), sum(c.count for c in asked)
            raise SimulationError(np.array(sorted(failed)), failed[first], ncall)
        return [answers[c.member] for c in asked]

    def _written(self, c: Chosen) -> dict[tuple[str, str], np.ndarray]:
        found = {key: mirror.written(c.share) for key, mirror in self.mirrors.items()}
        return {key: rows for key, rows in found.items() if rows is not None}

    def _take(self, c: Chosen, errand: Errand, answered: Answered) -> None:
        for key in errand.written:
            self.mirrors[key].sent(c.share)
        for name, rows in answered.rows.items():
            if name in self.outputs:
                self.outputs[name].take(c.places, rows)
            elif ("state", name) in self.mirrors:
                self.mirrors["state", name].take(c.places, rows)

    def _fall_back(self) -> None:
        """The cluster is lost: let the state be that of the last time it was kept."""
        for member in self.spread.members:
            if member.kept is not None:
                self.state[member.share.rows] = state_of(member.kept)
