"""The worlds of a Data or a Batch under one shape: fields always have a leading axis of worlds.

A Data of one world has it added while a bridge works, and removed from what the bridge returns.
Model constants are those that are simulated: a Batch has a model of its own, and may have rows of a
constant for every world (Batch.expand).
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..batch.batch import Batch
from ..data import Data
from ..errors import ConventionError, UnsupportedFeature, no_such
from ..mjconst import JNT_BALL, JNT_FREE, JNT_HINGE, JNT_SLIDE
from ..model import Model

Result = TypeVar("Result")

KINDS = {
    JNT_FREE: "free joint",
    JNT_BALL: "ball joint",
    JNT_SLIDE: "slide joint",
    JNT_HINGE: "hinge joint",
}


class Arrays:
    """What `read` returns: a frozen dataclass of arrays, which knows what it has."""

    def __getattr__(self, name: str) -> Any:
        known = [n for n in dir(self) if not n.startswith("_")]
        raise AttributeError(f"{type(self).__name__} has {no_such('array', name, known)}")


def says_choices(function: Callable[..., Result]) -> Callable[..., Result]:
    """A wrong keyword is answered with those that there are."""
    keywords = [name for name, p in inspect.signature(function).parameters.items()
                if p.kind is p.KEYWORD_ONLY]  # fmt: skip

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Result:
        for name in given:
            if name not in keywords and name not in ("m", "d"):
                module = function.__module__.rpartition(".")[2]
                what = f"{module}.{function.__name__} has {no_such('argument', name, keywords)}"
                raise TypeError(what)
        return function(*args, **given)

    return call


class Worlds:
    """n worlds of a model, one of a Data, or all of a Batch."""

    def __init__(self, m: Any, d: Any):
        if not isinstance(d, Data | Batch):
            raise TypeError(f"state is read from a Data or a Batch, got {type(d).__name__}")
        if d.model is not m and not (isinstance(d, Batch) and d.made_of(m)):
            raise ValueError(
                f"this {type(d).__name__} was made for another model than the one given"
                if isinstance(m, Model) or hasattr(m, "jnt_type")
                else f"the first argument must be the model, got {type(m).__name__}"
            )
        self.data = d
        self.batch = d if isinstance(d, Batch) else None
        if self.batch is not None and self.batch.models is not None:
            raise UnsupportedFeature(
                {"models of worlds": ["Batch.set_models"]},
                "\n  Constants that differ between worlds can be expanded: Batch.expand",
                what="bridges read one model",
            )
        self.model = m if self.batch is None else self.batch._model
        self.n = d.lanes if isinstance(d, Data) else d.nsim
        self.single = isinstance(d, Data) and d.lanes == 1

    def field(self, name: str) -> np.ndarray:
        """A field of the state, live: (n, ...)."""
        view = self.data.view(name) if isinstance(self.data, Data) else self.data.bind(name)
        return view[None] if self.single else view

    def constant(self, name: str) -> np.ndarray:
        """A constant of the model: as in the model, or (n, ...) if worlds have their own."""
        rows = None if self.batch is None else self.batch.expanded(name)
        return getattr(self.model, name) if rows is None else rows

    def rows(self, name: str, which: Any) -> np.ndarray:
        """A constant of some bodies or joints: (which, ...), or (n, which, ...)."""
        values = self.constant(name)
        shared = values.ndim == getattr(self.model, name).ndim
        return values[which] if shared else values[:, which]

    def places(self, j: int) -> tuple[slice, slice]:
        """Where a joint has its numbers in qpos and in qvel."""
        m = self.model
        k, i, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
        return slice(k, k + (7, 4, 1, 1)[kind]), slice(i, i + (6, 3, 1, 1)[kind])

    def result(self, x: np.ndarray) -> np.ndarray:
        """What a user gets: without the axis of worlds if there is only one."""
        return x[0] if self.single else x

    def given(self, x: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
        """What a user gave, as (n, *shape); one row may stand for all worlds."""
        try:
            x = np.asarray(x, np.float64)
        except (TypeError, ValueError):
            raise ConventionError(f"{name} must be an array of numbers") from None
        rows = shape if self.single else (self.n, *shape)
        if x.shape not in (rows, shape):
            or_one = "" if self.single else f", or {shape} for all worlds"
            raise ConventionError(f"{name} must have shape {rows}{or_one}; got {x.shape}")
        if not np.isfinite(x).all():
            where = tuple(int(i) for i in np.argwhere(~np.isfinite(x))[0])
            raise ConventionError(f"{name} has {x[where]} at index {where}")
        return np.broadcast_to(x, (self.n, *shape))

    def name(self, kind: str, number: int) -> str:
        """The name of a body or joint; its number if it has none."""
        m = self.model.mj
        return (m.body(number) if kind == "body" else m.joint(number)).name or f"{kind} {number}"


class Changes:
    """Fields to be written, all at once when every one of them has been found to be right."""

    def __init__(self, worlds: Worlds):
        self.worlds = worlds
        self.made: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        """A field as it will be: a copy, which may be changed."""
        if name not in self.made:
            self.made[name] = self.worlds.field(name).copy()
        return self.made[name]

    def seen(self, name: str) -> np.ndarray:
        """A field as it will be, to be read."""
        return self.made.get(name, self.worlds.field(name))

    def write(self) -> None:
        if not self.made:
            raise ConventionError("there is nothing to write: name a field")
        for name, x in self.made.items():
            self.worlds.field(name)[...] = x
