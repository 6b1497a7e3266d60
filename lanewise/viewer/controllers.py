"""What drives the worlds while one looks: a kernel, a Python function, or a policy from a file.

    --control file.py:name    a @lanewise.kernel, compiled into the step, or a function of the Batch
    --policy file.npz         dense layers

A kernel that takes parameters finds them in its file, under the names that `lanewise.load` has for
them, in capitals: PARAMETERS, STATE, SCRATCH.

A policy has arrays w1, b1, w2, b2, ... with a row of weights for each output, as in PyTorch. It
sees the fields in `observe` (names; qpos and qvel if there are none), one after the other, and the
last layer's outputs are the controls. Between layers stands `activation` (tanh). Optional:
`scale` and `offset`, ctrl = offset + scale * output; `every`, for how many steps a control stays;
`limit`, beyond which what it sees is cut, on both sides.
"""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LanewiseError, no_such
from ..lanes import Kernel

KERNEL_ARGUMENTS = ("parameters", "state", "scratch")
ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0.0),
    "elu": lambda x: np.where(x > 0.0, x, np.expm1(np.minimum(x, 0.0))),
    "swish": lambda x: x / (1.0 + np.exp(-x)),
    "identity": lambda x: x,
}


class ControllerError(LanewiseError, ValueError):
    """A controller that cannot be read; the message says what is wrong with it."""


def from_file(text: str) -> tuple[dict[str, Any], Callable | None]:
    """What `path.py:name` names: arguments for `lanewise.load`, if it is a kernel, and a function
    for `Batch.step(control=)`, if it is one."""
    path, colon, name = text.rpartition(":")
    if not colon or not path.endswith(".py"):
        raise ControllerError(
            f"a controller is given as FILE.py:NAME, such as controller.py:control; got {text!r}"
        )
    if not Path(path).is_file():
        raise ControllerError(f"no file {path!r}: a controller is given as FILE.py:NAME")
    module = _module(Path(path))
    if not hasattr(module, name):
        functions = [n for n, x in vars(module).items() if callable(x) and not n.startswith("_")]
        raise ControllerError(f"{path} has {no_such('function', name, functions)}")
    found = getattr(module, name)
    if isinstance(found, Kernel):
        given = {n: getattr(module, n.upper(), None) for n in KERNEL_ARGUMENTS}
        return {"control": found, **{n: x for n, x in given.items() if x is not None}}, None
    if not callable(found):
        raise ControllerError(f"{name} of {path} is a {type(found).__name__}, and not a function")
    return {}, found


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None  # it ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))  # it may have neighbours
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ControllerError(
            f"{path} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    finally:
        sys.path.pop(0)
    return module


class Policy:
    """Dense layers that write controls: a function for `Batch.step(control=)`."""

    def __init__(self, arrays: dict[str, np.ndarray], model: Any, name: str = "the policy"):
        self._layers = _layers(arrays, name)
        self._observe = [str(x) for x in np.atleast_1d(arrays.get("observe", ["qpos", "qvel"]))]
        activation = str(arrays.get("activation", "tanh"))
        if activation not in ACTIVATIONS:
            raise ControllerError(f"{name} has {no_such('activation', activation, ACTIVATIONS)}")
        self._activation = ACTIVATIONS[activation]
        self._scale = np.asarray(arrays.get("scale", 1.0), float)
        self._offset = np.asarray(arrays.get("offset", 0.0), float)
        self._limit = np.asarray(arrays.get("limit", np.inf), float)
        inputs = self._layers[0][0].shape[1]
        if self._limit.shape not in ((), (inputs,)) or not (self._limit >= 0.0).all():
            raise ControllerError(
                f"limit of {name} is a number or {inputs} of them, none negative; got {self._limit}"
            )
        self._every = max(1, int(arrays.get("every", 1)))
        self._steps = 0
        outputs = self._layers[-1][0].shape[0]
        if outputs != model.nu:
            raise ControllerError(
                f"{name} has {outputs} outputs, and the model {model.nu} controls"
            )

    @classmethod
    def load(cls, path: str | Path, model: Any) -> "Policy":
        """From an npz file."""
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {key: file[key] for key in file.files}
        except FileNotFoundError:
            raise ControllerError(f"no file {str(path)!r}") from None
        except (OSError, ValueError, AttributeError) as error:
            raise ControllerError(
                f"{path} is no npz file with the arrays of a policy: {error}"
            ) from None
        return cls(arrays, model, str(path))

    def __call__(self, batch: Any) -> None:
        self._steps += 1
        if (self._steps - 1) % self._every:
            return
        fields = [getattr(batch, name).reshape(batch.nsim, -1) for name in self._observe]
        x = np.concatenate(fields, axis=1)
        first = self._layers[0][0]
        if x.shape[1] != first.shape[1]:
            sizes = ", ".join(f"{n} {f.shape[1]}" for n, f in zip(self._observe, fields))
            raise ControllerError(
                f"the policy takes {first.shape[1]} numbers, and sees {x.shape[1]}: {sizes}"
            )
        x = np.clip(x, -self._limit, self._limit)
        for k, (weights, bias) in enumerate(self._layers):
            x = x @ weights.T + bias
            if k < len(self._layers) - 1:
                x = self._activation(x)
        batch.ctrl[:] = self._offset + self._scale * x


def _layers(arrays: dict[str, np.ndarray], name: str) -> list[tuple[np.ndarray, np.ndarray]]:
    layers: list[tuple[np.ndarray, np.ndarray]] = []
    while f"w{len(layers) + 1}" in arrays:
        k = len(layers) + 1
        w = np.asarray(arrays[f"w{k}"], float)
        b = np.asarray(arrays.get(f"b{k}", np.zeros(len(w))), float)
        before = layers[-1][0].shape[0] if layers else None
        if w.ndim != 2 or b.shape != (len(w),) or (before is not None and w.shape[1] != before):
            inputs = "inputs" if before is None else before
            raise ControllerError(
                f"w{k} {w.shape} and b{k} {b.shape} of {name} must be (outputs, {inputs}) and"
                " (outputs,)"
            )
        layers.append((w, b))
    if not layers:
        raise ControllerError(f"{name} has no layers: there must be arrays w1, b1, w2, b2, ...")
    return layers
