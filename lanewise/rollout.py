"""Open-loop rollouts from given states, as `mujoco.rollout`: swap the import and it runs here.

    from lanewise import rollout                      # instead of: from mujoco import rollout
    state, sensordata = rollout.rollout(model, data, initial_state, control)

`model` is an MjModel or a lanewise Model, or a list of them with one for each row. `data` is an
MjData or a list of them, as MuJoCo takes them; only their number matters, which is the number of
threads. With a lanewise Model, which may bring controllers along, it can be None.

Workspaces are kept for the next call with the same model, as long as nothing in it was edited.
"""

import atexit
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from .batch import Batch
from .loaders.loading import load
from .model import Model

__all__ = ["Rollout", "rollout", "shutdown_persistent_pool"]

_STATE = mujoco.mjtState
FULL = int(_STATE.mjSTATE_FULLPHYSICS)
CTRL, USER, WARMSTART = (
    int(s) for s in (_STATE.mjSTATE_CTRL, _STATE.mjSTATE_USER, _STATE.mjSTATE_WARMSTART)
)


class Rollout:
    """Rollouts on a number of threads; 0 is the calling one alone."""

    def __init__(self, *, nthread: int | None = None):
        self.nthread = 0 if nthread is None else nthread
        self._open = True

    def __enter__(self) -> "Rollout":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def close(self) -> None:
        """Rollouts are refused from now on."""
        self._open = False

    def rollout(
        self,
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
    ) -> tuple[Any, Any]:
        """Roll out from each initial state: (state, sensordata) after every step.

        initial_state is ([nbatch or 1] x nstate), control ([nbatch or 1] x [nstep or 1] x ncontrol)
        of the inputs in control_spec, initial_warmstart ([nbatch or 1] x nv). What is returned is
        (nbatch x nstep x nstate) and (nbatch x nstep x nsensordata), in the arrays `state` and
        `sensordata` if they are given. A world that diverges repeats its last state.

        skip_checks: all arrays are given with their full shapes, and are taken as they are.
        chunk_size: accepted and not used.
        """
        if not self._open:
            raise RuntimeError("rollout requested after thread pool shutdown")
        models = [model] if _is_model(model) else list(model)
        call = Call(models, initial_state, control, initial_warmstart, state, sensordata)
        _check_nstep(nstep)
        self._check_data(data)
        if chunk_size is not None and (not _is_int(chunk_size) or chunk_size <= 0):
            raise ValueError(f"chunk_size must be a positive integer, got {chunk_size!r}")
        if skip_checks:
            call.nbatch = len(initial_state)
            call.models = models[: call.nbatch]
            call.nstep = 0 if nstep is None else int(nstep)
            self._run(call, int(control_spec))
            return state, sensordata
        if int(control_spec) & ~USER:
            raise ValueError("control_spec can only contain bits in mjSTATE_USER")
        call.infer(nstep, control_spec)
        self._run(call, int(control_spec))
        return call.state, call.sensordata

    def _check_data(self, data: Any) -> None:
        _check_data(data, self.nthread)

    def _run(self, call: "Call", control_spec: int) -> None:
        call.run(control_spec, max(self.nthread, 1))


class Call:
    """The arrays of one call, brought to their full shapes."""

    def __init__(self, models, initial_state, control, warmstart, state, sensordata):
        self.models = models
        self.initial_state, self.control, self.warmstart = initial_state, control, warmstart
        self.state, self.sensordata = state, sensordata
        self.nbatch = self.nstep = 1

    def infer(self, nstep, control_spec):
        """nbatch and nstep from the shapes; single rows are repeated, missing outputs made."""
        self.initial_state = _array(self.initial_state, 2, "initial_state")
        self.warmstart = _array(self.warmstart, 2, "initial_warmstart")
        self.control = _array(self.control, 3, "control")
        self.state = _array(self.state, 3, "state")
        self.sensordata = _array(self.sensordata, 3, "sensordata")
        shaped = {"control": self.control, "state": self.state, "sensordata": self.sensordata}
        first = {"initial_state": self.initial_state, "initial_warmstart": self.warmstart}
        self.nbatch = _common(0, 1, {**first, **shaped})
        if self.nbatch == 1:
            self.nbatch = len(self.models)
        if len(self.models) not in (1, self.nbatch):
            raise ValueError(
                f"nbatch inferred as {self.nbatch} but model is length {len(self.models)}"
            )
        self.nstep = _common(1, 1 if nstep is None else int(nstep), shaped)
        sizes = {_sizes(m, control_spec) for m in self.models}
        if len(sizes) > 1:
            raise ValueError("models are not compatible: their states have different sizes")
        nstate, ncontrol, nv, nsensordata = sizes.pop()
        _check_last(nstate, initial_state=self.initial_state, state=self.state)
        _check_last(ncontrol, control=self.control)
        _check_last(nv, initial_warmstart=self.warmstart)
        _check_last(nsensordata, sensordata=self.sensordata)
        if self.state is None:
            self.state = np.empty((self.nbatch, self.nstep, nstate))
        if self.sensordata is None:
            self.sensordata = np.empty((self.nbatch, self.nstep, nsensordata))

    def run(self, control_spec, nthread):
        """All rollouts, into state and sensordata."""
        if self.nbatch == 0 or self.nstep == 0:
            return
        same = all(m is self.models[0] for m in self.models)
        batch = _batch(self.models[:1] if same else self.models, self.nbatch, nthread)
        batch.reset(stage=0)
        batch.set_state(self.initial_state, FULL)
        if self.warmstart is not None:
            batch.set_state(self.warmstart, WARMSTART)
        out, record = {}, []
        for item, array in ((FULL, self.state), ("sensordata", self.sensordata)):
            if array is not None and array.size:
                record.append(item)
                if array.dtype == np.float64 and array.flags.c_contiguous:
                    out[item] = array
        control = self.control
        if control is not None:
            size = control.shape[-1]
            control = np.broadcast_to(control, (self.nbatch, self.nstep, size))
        recorded = batch.rollout(
            self.nstep, control=control, control_spec=int(control_spec), record=record, out=out
        )
        for item, array in ((FULL, self.state), ("sensordata", self.sensordata)):
            if item in recorded and item not in out:
                array[...] = recorded[item]


class _Kept(threading.local):
    """What a thread of the caller's has used last: {key: (models, their images, batch)}"""

    def __init__(self):
        self.batches: OrderedDict[tuple, tuple[list, list[bytes], Batch]] = OrderedDict()


_here = _Kept()
_MOST_KEPT = 4


def _batch(models, nbatch, nthread):
    """A Batch for these models; the one of an earlier call, if nothing has changed since."""
    key = (*(id(m) for m in models), nbatch, nthread)
    images, kept = [image_of(m) for m in models], _here.batches
    if key in kept:
        kept.move_to_end(key)
        _, earlier, batch = kept[key]
        if images == earlier:
            return batch
    first = models[0]
    batch = Batch(first if isinstance(first, Model) else load(first), nbatch, nthread=nthread)
    if len(models) > 1:
        batch.set_models(models)
    kept[key] = (models, images, batch)  # the models are held: their ids stay theirs
    while len(kept) > _MOST_KEPT:
        kept.popitem(last=False)
    return batch


def image_of(model):
    """Everything in a model, with its parameters of user code, to see whether it was edited."""
    mj = model.mj if isinstance(model, Model) else model
    image = np.empty(mujoco.mj_sizeModel(mj), np.uint8)
    mujoco.mj_saveModel(mj, None, image)
    parameters = model.parameters.values() if isinstance(model, Model) else ()
    return b"".join([image.tobytes(), *(array.tobytes() for array in parameters)])


_persistent: Rollout | None = None


def shutdown_persistent_pool() -> None:
    """Give up what persistent_pool=True has kept."""
    global _persistent
    if _persistent is not None:
        _persistent.close()
    _persistent = None
    _here.batches.clear()


atexit.register(shutdown_persistent_pool)


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
    persistent_pool: bool = False,
) -> tuple[Any, Any]:
    """`Rollout.rollout` on as many threads as there are MjData."""
    global _persistent
    number = len(data) if isinstance(data, (list, tuple)) else 1
    nthread = number if number > 1 else 0
    if persistent_pool:
        if _persistent is None or _persistent.nthread != nthread:
            _persistent = Rollout(nthread=nthread)
        one = _persistent
    else:
        one = Rollout(nthread=nthread)
    return one.rollout(
        model, data, initial_state, control, control_spec=control_spec, skip_checks=skip_checks,
        nstep=nstep, initial_warmstart=initial_warmstart, state=state, sensordata=sensordata,
        chunk_size=chunk_size,
    )  # fmt: skip


# ---- checks


def _is_model(model):
    return isinstance(model, (Model, mujoco.MjModel))


def _is_int(value):
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _check_nstep(nstep):
    if nstep is not None and not _is_int(nstep):
        raise ValueError(f"nstep must be an integer, got {nstep!r}")
    if nstep is not None and nstep < 0:
        raise ValueError(f"nstep must be non-negative, got {nstep}")


def _check_data(data, nthread):
    """As many MjData as threads; they are not used otherwise."""
    if data is None:
        return
    number = len(data) if isinstance(data, Sequence) else 1
    if number == 0:
        raise ValueError("The list of data instances is empty")
    if nthread == 0 and number > 1:
        raise ValueError(
            "More than one data instance passed but rollout is configured to run on main thread"
        )
    if nthread > 0 and number != nthread:
        raise ValueError(f"Length of data: {number} not equal to nthread: {nthread}")


def _sizes(model, control_spec):
    mj = model.mj if isinstance(model, Model) else model
    state, control = mujoco.mj_stateSize(mj, FULL), mujoco.mj_stateSize(mj, int(control_spec))
    return state, control, mj.nv, mj.nsensordata


def _array(value, ndim, name):
    """A C-ordered float64 array with leading axes of 1 where it has fewer; None stays None."""
    if value is None:
        return None
    if not isinstance(value, (np.ndarray, float)):
        raise ValueError(f"{name} must be a numpy array or float")
    if np.ndim(value) > ndim:
        raise ValueError(f"{name} can have at most {ndim} dimensions")
    value = np.asarray(value)
    value = value.reshape((1,) * (ndim - value.ndim) + value.shape)
    return np.ascontiguousarray(value, np.float64)


def _common(axis, known, arrays):
    """The length of an axis that is not 1 in some array; all others have it too, or 1."""
    for name, array in arrays.items():
        if array is None or array.shape[axis] == known:
            continue
        if known == 1:
            known = array.shape[axis]
        elif array.shape[axis] != 1:
            raise ValueError(
                f"dimension {axis} inferred as {known} but {name} has {array.shape[axis]}"
            )
    return known


def _check_last(size, **arrays):
    for name, array in arrays.items():
        if array is not None and array.shape[-1] != size:
            raise ValueError(f"trailing dimension of {name} must be {size}, got {array.shape[-1]}")
