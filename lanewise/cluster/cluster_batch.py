"""Batch: many worlds of one model on all nodes of a cluster, with the interface of a local Batch.

    b = lanewise.cluster.Batch(model, nsim=65536)
    for _ in range(1000):
        b.ctrl = policy(b.qpos, b.xpos)
        b.step(nstep=5)

A node has a share of the worlds, and runs it as a local Batch on all its processors (held.py). What
is here of them is what somebody reads (far.py): to read a field, `b.qpos` or `b.xpos`, is to bind
it, and from then on its rows come back with every call, until `unbind`. Rows of the state that were
written go out with the next call.

This file has the interface: it checks arguments as a local Batch does, and calls.
"""

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..batch import Batch as LocalBatch
from ..batch.arguments import (
    check_index,
    check_int,
    check_stage,
    control_parts,
    keyframes,
    make_ids,
    numbers,
    read_only,
    record_buffer,
)
from ..batch.by_name import BatchObjects
from ..batch.contacts import OF_PAIRS, pair_force
from ..batch.field_names import (
    DATA_FIELDS,
    MORE_FIELDS,
    computed_error,
    hint,
    not_bindable,
    not_expandable,
)
from ..batch.outputs import Outputs
from ..batch.reading import ASKED, PASSING, way_of
from ..batch.recording import Recording
from ..components import INTEGRATION, spec_bits, state_parts
from ..data import capacities
from ..fields import DATA_FIELDS as TABLE
from ..fields import STATE_FIELDS
from ..loaders import per_world
from ..mjconst import STAGE_ACC, STAGE_NONE
from ..naming import numbers_of
from .chosen_worlds import Chosen
from .far import Far
from .held import COUNTERS
from .mirrors import joined
from .parameters import Parameters
from .pieces import Rows, merged
from .results import Recorded

BLOCK = 1 << 26  # bytes of a rollout's records that are fetched in one piece
CTRL = 1 << 6  # of mjtState


class Place(NamedTuple):
    """A node's part of the worlds."""

    address: str
    worlds: int
    pid: int


class Batch(BatchObjects):
    """nsim worlds of a copy of the model, `model`, on all nodes of the Ray cluster in use.

    Worlds are shared out by processors, in multiples of eight. cpus: how many processors are used
    on each node, at most. reserve: whether they are taken from what Ray gives to others.
    checkpoint: after how many calls worlds are kept in the memory of this process, from where they
    are restored if a node dies; None: by their size, of small batches with every call. fresh,
    nconmax, njmax: as of a local Batch.

    Fields are arrays with a row for each world, and calls take `ids`, as in a local Batch. Results
    are the same, bit for bit, whatever the nodes, and whichever of them die. A Batch is for one
    Python thread. After Ctrl-C worlds are as they were before the call.
    """

    def __init__(
        self, model: Any, nsim: int, *, cpus: int | None = None, reserve: bool = True,
        checkpoint: int | None = None, fresh: bool = False, nconmax: int | None = None,
        njmax: int | None = None,
    ):  # fmt: skip
        nsim = check_int(nsim, "nsim", 1)
        cpus = None if cpus is None else check_int(cpus, "cpus", 1)
        checkpoint = None if checkpoint is None else check_int(checkpoint, "checkpoint", 1)
        own = per_world.own_model(model)
        for name, value in (("nsim", nsim), ("nstate", own.nstate), ("fresh", bool(fresh))):
            object.__setattr__(self, name, value)
        self._model, self._gives_mj = own, per_world.is_mjmodel(model)
        self._models = None  # worlds with models of the caller's are not offered here
        how = {"fresh": bool(fresh), "nconmax": nconmax, "njmax": njmax}
        self._far = Far(own, nsim, how, cpus, checkpoint, bool(reserve))

    def __repr__(self) -> str:
        return f"<lanewise.cluster.Batch {self.nsim} worlds {self._far.spread.places()}>"

    def __reduce__(self) -> Any:
        raise TypeError("worlds on other nodes cannot be copied or pickled; get_state has theirs")

    @property
    def nodes(self) -> list[Place]:
        """Where worlds are: the address, their number and the process of each node."""
        members = self._far.spread.members
        return [Place(m.node.address, m.share.count, m.pid) for m in members]

    def close(self) -> None:
        """End the processes on all nodes. Arrays keep the numbers that they have."""
        self._far.spread.close()

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    # -------------------------------------------------------------------------------------- fields

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(f"'Batch' object has no attribute {name!r}")
        if name in MORE_FIELDS:  # contact.dist, say
            return self._read(name, way_of(sys._getframe(1)))
        if hasattr(LocalBatch, name):
            raise AttributeError(
                f"{name} is of a local Batch: ask({name!r}, ...) calls it on all nodes"
            )
        raise AttributeError(f"'Batch' object has no attribute {name!r}{hint(name)}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name in STATE_FIELDS or name == "state":
            target = self.state if name == "state" else self._read(name)
            target[...] = numbers(value, target.shape, name)
        elif name in DATA_FIELDS or name in MORE_FIELDS:
            raise computed_error(name)
        elif hasattr(type(self), name) or name in self.__dict__:
            raise AttributeError(f"{name} cannot be assigned")
        else:
            raise AttributeError(f"a Batch has no field {name!r}{hint(name)}")

    @property
    def state(self) -> np.ndarray:  # type: ignore[override]  # of parts that a Batch has
        """All of the state, live: (nsim, nstate). If the cluster was lost, as it was last kept."""
        missing = [name for name in STATE_FIELDS if ("state", name) not in self._far.mirrors]
        if missing and not self._far.spread.is_lost:
            self._far.fetch(missing)
        return self._far.state

    def bind(self, name: str, dtype: Any = None) -> np.ndarray:
        """A live (nsim, ...) array over a data field: its rows come back with every call. Those of
        the state can be written, and go out with the next call. They are as computed: dtype, which
        a Batch rounds to, is for those of one machine."""
        if name not in DATA_FIELDS and name not in MORE_FIELDS:
            raise not_bindable(name)
        if dtype is not None and np.dtype(dtype) == np.float32:
            raise ValueError(f"{name}: fields of a cluster are float64, they are not rounded")
        return self._read(name)

    def unbind(self, name: str) -> None:
        """The rows of a field need not come back any more. Arrays of it keep their numbers."""
        if name not in self.bound:
            return
        if name in STATE_FIELDS:
            self._far.exchange("read", None)  # what was written goes out first
            del self._far.mirrors["state", name]
        else:
            del self._far.outputs[name]
            if name not in COUNTERS:
                self._call("unbind", name)

    @property
    def bound(self) -> list[str]:
        """The fields whose rows come back with every call."""
        return [*self._far.names("state"), *self._far.outputs]

    def _read(self, name: str, way: int = ASKED) -> np.ndarray:
        """What a user sees of a field or counter."""
        far = self._far
        if name in STATE_FIELDS:
            if ("state", name) not in far.mirrors and not far.spread.is_lost:
                far.fetch([name])
            return far.view(name)
        if name not in far.outputs:
            if way == PASSING and name not in COUNTERS:
                return read_only(joined([x.value.value for x in far.exchange("look", None, name)]))
            far.fetch([name])
        return far.outputs[name].array

    # --------------------------------------------------------------------------------------- calls

    def _call(self, method: str, *args: Any, ids: np.ndarray | None = None, **kwargs: Any) -> list:
        """What each node's Batch returns."""
        return [x.value.value for x in self._far.exchange("do", ids, method, *args, **kwargs)]

    def step(
        self, ids: Any = None, nstep: int = 1, stage: int = STAGE_NONE, control: Any = None
    ) -> None:
        """Advance worlds by nstep steps, then compute the stages up to `stage`, as Batch.step.

        Nothing of Python's can come between the halves of a step, since this process is elsewhere:
        kernels can, see lanewise.load(control=).
        """
        if control is not None:
            raise TypeError(
                "a Python function cannot control worlds on other nodes step by step: use a kernel,"
                " lanewise.load(control=), or write b.ctrl before every step"
            )
        ids, nstep = make_ids(ids, self.nsim), check_int(nstep, "nstep", 1)
        self._call("step", ids=ids, nstep=nstep, stage=check_stage(stage))

    def forward(self, ids: Any = None, stage: int = STAGE_ACC) -> None:
        """Compute the stages up to `stage`, as Batch.forward."""
        self._call("forward", ids=make_ids(ids, self.nsim), stage=check_stage(stage))

    def reset(self, ids: Any = None, keyframe: Any = -1, stage: int = STAGE_ACC) -> None:
        """Reset worlds to the reference state (-1 or None) or to keyframes, as Batch.reset."""
        ids, n = self._chosen(ids)
        keyframe = -1 if keyframe is None else keyframe
        keyframe = numbers_of(self._model.mj, "keyframe", keyframe, least=-1)
        keys = Rows(keyframes(keyframe, n, self._model.nkey))
        self._call("reset", ids=ids, keyframe=keys, stage=check_stage(stage))

    def rollout(
        self, nstep: int, control: Any = None, control_spec: Any = CTRL,
        record: Sequence[str | int] = ("qpos",), ids: Any = None, out: dict | None = None,
    ) -> Recorded:  # fmt: skip
        """Advance worlds by nstep steps and record after each, as Batch.rollout.

        What is recorded stays on the nodes until it is read: {item: (n, nstep, ...) array}, with
        `blocks(item)` for what is too large to be read at once. `out` is filled at once.
        """
        (ids, n), nstep = self._chosen(ids), check_int(nstep, "nstep", 1)
        if control is not None:
            _, size = control_parts(self._model, control_spec)
            control = Rows(numbers(control, (n, nstep, size), "control"))
        # records of no worlds: their shapes, and errors
        sizes = Outputs(0, capacities(self._model, None, None))
        empty = Recording(self._model, sizes, 0, nstep, record, None).buffers
        given = {
            item: record_buffer(item, array, (n, *empty[item].shape[1:]), empty[item].dtype)
            for item, array in (out or {}).items()
            if item in empty
        }
        self._far.rehearse([item for item in empty if isinstance(item, str)])
        each = sum(x.itemsize * int(np.prod(x.shape[1:])) for x in empty.values())

        def nblock(c: Chosen) -> int:
            return max(1, min(c.count, -(-each * c.count // BLOCK)))

        answers = self._far.exchange(
            "rollout", ids, nblock=nblock, nstep=nstep, control=control,
            control_spec=spec_bits(control_spec, "control_spec"), record=list(empty),
        )  # fmt: skip
        return Recorded(self._far.spread, answers, empty, given)

    def ask(self, method: str, *args: Any, ids: Any = None, **kwargs: Any) -> Any:
        """Call another method of Batch at all nodes: b.ask("jac_site", "foot").

        Arguments with a row for each world of the call are given as `Rows(array)`. What is returned
        is put together along its first axis.
        """
        if method.startswith("_") or not callable(getattr(LocalBatch, method, None)):
            raise ValueError(f"a Batch has no method {method!r}")
        if hasattr(type(self), method):
            raise ValueError(f"call {method} itself: ask is for what only a local Batch has")
        return merged(self._call(method, *args, ids=make_ids(ids, self.nsim), **kwargs))

    def error(self, sim: int) -> str:
        """What was wrong with a world in its last call, or ''."""
        (answer,) = self._far.exchange("errors", np.array([check_index(sim, self.nsim)]))
        return answer.value.value[0]

    # --------------------------------------------------------------------------------------- states

    def state_size(self, spec: Any = INTEGRATION) -> int:
        """Length of a state vector with the components of spec, as Batch.state_size."""
        return state_parts(self._model, spec_bits(spec))[1]

    def get_state(self, spec: Any = INTEGRATION, ids: Any = None) -> np.ndarray:
        """State vectors with the components of spec: a copy, (n, size)."""
        (ids, n), bits = self._chosen(ids), spec_bits(spec)
        if not n:
            return np.zeros((0, self.state_size(bits)))
        if self._far.spread.is_lost:
            parts, _ = state_parts(self._model, bits)
            rows = self.state if ids is None else self.state[ids]
            return np.concatenate([rows[:, at : at + k] for _, at, k in parts], axis=1)
        answers = self._far.exchange("get_state", ids, bits)
        return np.concatenate([answer.value.value for answer in answers])

    def set_state(self, state: Any, spec: Any = INTEGRATION, ids: Any = None) -> None:
        """Set the state components of spec from a vector for each world, (n, size), or one for
        all, as Batch.set_state."""
        (ids, n), bits = self._chosen(ids), spec_bits(spec)
        rows = numbers(state, (n, self.state_size(bits)), "state")
        self._call("set_state", Rows(rows), bits, ids=ids)

    def get_data(self, sim: int, data: Any = None) -> Any:
        """An MjData with the state of world sim, or data, filled."""
        sim = check_index(sim, self.nsim)
        row, warning = self.get_state(ids=[sim])[0], self._read("warning")[sim]
        return per_world.world_data(self._model, row, warning, {}, data)

    # --------------------------------------------------------------------------------------- models

    @property
    def model(self) -> Any:
        """The model of all worlds. An edit of it goes out with the next call."""
        model = self._far.watched()
        return model.mj if self._gives_mj else model

    @property
    def _expanded(self) -> list[str]:
        return self._far.names("model")

    def expand(self, name: str) -> np.ndarray:
        """Give a model field its own value in every world, as Batch.expand: a live (nsim, ...)
        array; what is written goes out with the next call."""
        if name not in per_world.expandable():
            raise not_expandable(self._model, name)
        return self._far.expand("model", name, lambda: merged(self._call("expand", name)))

    def expanded(self, name: str) -> np.ndarray | None:
        """A field's values (nsim, ...) in all worlds, read-only; None if they share the model's."""
        if name not in per_world.expandable():
            raise not_expandable(self._model, name)
        if name in self._expanded:
            return read_only(self.expand(name))
        found = self._call("expanded", name)
        if all(rows is None for rows in found):
            return None
        shared = per_world.model_field(self._model.mj, name)
        parts = [
            np.broadcast_to(shared, (count, *shared.shape)) if rows is None else rows
            for rows, (_, count, _) in zip(found, self.nodes, strict=True)
        ]
        return read_only(np.concatenate(parts))

    def set_const(self, ids: Any = None) -> None:
        """mj_setConst in every world, as Batch.set_const."""
        ids, names = make_ids(ids, self.nsim), self._expanded
        for answer in self._far.exchange("set_const", ids, names):
            for name, rows in answer.value.value.items():
                share = answer.recipe.share
                self._far.mirrors["model", name].take(share.rows, rows)

    @property
    def parameters(self) -> Any:
        """{name: array} of the parameters of user code; `expand` gives every world its own."""
        return Parameters(self._far)

    def pair_force(self, first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
        """What geoms `first` do to geoms `second`, as Batch.pair_force."""
        one, two = (numbers_of(self._model.mj, "geom", x) for x in (first, second))
        return pair_force({name: self._read(name) for name in OF_PAIRS}, one, two)


def _field(name: str) -> property:
    """A field as an attribute."""

    def read(self: Batch) -> np.ndarray:
        return self._read(name, way_of(sys._getframe(1)))

    field = TABLE[name]
    return property(read, doc=f"{field.doc}{f' [{field.unit}]' if field.unit else ''}")


def _counter(name: str) -> property:
    def read(self: Batch) -> np.ndarray:
        return self._read(name)

    return property(read, doc=f"Batch.{name} of all worlds")


for _name in sorted(DATA_FIELDS | MORE_FIELDS):
    if "." not in _name:
        setattr(Batch, _name, _field(_name))
for _name in COUNTERS:
    setattr(Batch, _name, _counter(_name))
