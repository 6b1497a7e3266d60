"""Rollouts from given states on all nodes, called as `mujoco.rollout` is: for planners.

    from lanewise import cluster
    state, sensordata = cluster.rollout(model, None, initial_state, control)

Rows are shared out by the processors of the nodes. Nodes remember nothing but models, which they
fetch when they are new or were edited; so a node that dies costs its part of one call.
"""

import pickle
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..errors import ClusterError
from ..rollout import CTRL, Call, image_of
from ..rollout import Rollout as LocalRollout
from . import host
from .carrying import portable
from .held import rehearse
from .nodes import Share, need_ray, split
from .spread import Spread

MOST_MODELS = 64  # that are remembered, here and on nodes


class Sampler:
    """What a node has for rollouts: the models that it has met."""

    def __init__(self, model: None, share: Share):
        self._nthread = share.nthread
        self._models: OrderedDict[int, Any] = OrderedDict()

    def rollout(
        self, models: Mapping[int, Any], of_rows: Sequence[int], arrays: Mapping[str, Any],
        nbatch: int, nstep: int, sizes: Mapping[str, int | None], control_spec: int,
    ) -> dict[str, np.ndarray]:  # fmt: skip
        """The states and sensor data of nbatch rows.

        models: references to pickles of models, by number. of_rows: the number of the model of each
        row, or one for all. sizes: of the vectors that are returned, None of those that are not.
        """
        made = {name: np.empty((nbatch, nstep, size)) if size is not None else None
                for name, size in sizes.items()}  # fmt: skip
        mine = [self._model(k, models[k]) for k in of_rows]
        call = Call(mine, state=made["state"], sensordata=made["sensordata"], **arrays)
        call.nbatch, call.nstep = nbatch, nstep
        call.run(control_spec, self._nthread)
        while len(self._models) > MOST_MODELS:
            self._models.popitem(last=False)
        return {name: array for name, array in made.items() if array is not None}

    def _model(self, number: int, reference: Any) -> Any:
        if number not in self._models:
            self._models[number] = pickle.loads(need_ray().get(reference))
        self._models.move_to_end(number)
        return self._models[number]


class Rollout(LocalRollout):
    """Rollouts on all nodes of the Ray cluster in use, until `close`.

    cpus: how many processors are used on each node, at most. reserve: whether they are taken from
    what Ray gives to others.
    """

    def __init__(self, *, cpus: int | None = None, reserve: bool = False):
        super().__init__()
        self._spread = Spread(Sampler, None, cpus=cpus, checkpoint=0, reserve=reserve)
        self._numbers = 0
        # {id of a model: (the model, its image, its number, a reference to its pickle)}
        self._sent: OrderedDict[int, tuple[Any, bytes, int, Any]] = OrderedDict()
        self._rehearsed: set[tuple[int, bool, bool]] = set()

    def __repr__(self) -> str:
        return f"<lanewise.cluster.Rollout {self._spread.places()}>"

    def close(self) -> None:
        """End the processes on all nodes; rollouts are refused from now on."""
        super().close()
        self._spread.close()

    @property
    def is_usable(self) -> bool:
        """Whether the cluster is still there."""
        try:
            self._spread.check()
        except ClusterError:
            return False
        return self._open

    def _check_data(self, data: Any) -> None:
        """How many MjData there are does not matter: nodes have as many threads as processors."""

    def _run(self, call: Call, control_spec: int) -> None:
        if call.nbatch == 0 or call.nstep == 0:
            return
        sent = {number: (model, ref) for model, number, ref in map(self._send, call.models)}
        numbers = [self._sent[id(model)][2] for model in call.models]
        self._prepare(call, sent)
        models = {number: ref for number, (_, ref) in sent.items()}
        wanted = {"state": call.state, "sensordata": call.sensordata}
        sizes = {name: None if x is None else x.shape[-1] for name, x in wanted.items()}
        places, calls = {}, {}
        weights = [member.share.nthread for member in self._spread.members]
        for k, (first, count) in enumerate(split(call.nbatch, weights)):
            if count:
                places[k] = rows = slice(first, first + count)
                mine = numbers if len(numbers) == 1 else numbers[rows]
                arrays = {
                    name: x if x is None or len(x) == 1 else x[rows]
                    for name, x in (("initial_state", call.initial_state),
                                    ("control", call.control), ("warmstart", call.warmstart))
                }  # fmt: skip
                needed = {number: models[number] for number in mine}
                calls[k] = host.Call(
                    "rollout", [needed, mine, arrays, count, call.nstep, sizes, control_spec]
                )
        for k, answer in self._spread.each(calls, changes=False).items():
            for name, rows in answer.value.items():
                wanted[name][places[k]] = rows

    def _send(self, model: Any) -> tuple[Any, int, Any]:
        """A model, its number, and a reference to its pickle; another if it was edited."""
        image, known = image_of(model), self._sent.get(id(model))
        if known is None or known[1] != image:
            reference = self._spread.put(portable(model))
            self._numbers += 1
            known = self._sent[id(model)] = (model, image, self._numbers, reference)
        self._sent.move_to_end(id(model))
        return known[0], known[2], known[3]

    def _prepare(self, call: Call, sent: Mapping[int, tuple[Any, Any]]) -> None:
        """Nodes get the kernels that this takes."""
        number, (model, reference) = next(iter(sent.items()))
        differ, alone = len(sent) > 1, call.nbatch % 8 == 1
        if (number, differ, alone) not in self._rehearsed:
            self._rehearsed.add((number, differ, alone))
            expanded = ["body_mass"] if differ else []
            work = partial(rehearse, how={}, alone=alone, read=["sensordata"], expanded=expanded,
                           parameters=[])  # fmt: skip
            self._spread.rehearse(work, model, reference)
        while len(self._sent) > max(MOST_MODELS, len(sent)):
            self._sent.popitem(last=False)


_kept: Rollout | None = None


def rollout(
    model: Any,
    data: Any,
    initial_state: Any,
    control: Any = None,
    *,
    control_spec: int = CTRL,
    skip_checks: bool = False,
    nstep: int | None = None,
    initial_warmstart: Any = None,
    state: Any = None,
    sensordata: Any = None,
    chunk_size: int | None = None,
    persistent_pool: bool = True,
) -> tuple[Any, Any]:
    """`lanewise.rollout.rollout` on all nodes: the same arguments, and the same bits.

    data is not used, and can be None. Processes on the nodes stay for the next call; with
    persistent_pool=False they end.
    """
    global _kept
    if _kept is None or not _kept.is_usable:
        _kept = Rollout()
    try:
        return _kept.rollout(
            model, data, initial_state, control, control_spec=control_spec,
            skip_checks=skip_checks, nstep=nstep, initial_warmstart=initial_warmstart,
            state=state, sensordata=sensordata, chunk_size=chunk_size,
        )  # fmt: skip
    finally:
        if not persistent_pool:
            shutdown_persistent_pool()


def shutdown_persistent_pool() -> None:
    """End the processes on the nodes that `rollout` has kept."""
    global _kept
    if _kept is not None:
        _kept.close()
    _kept = None
