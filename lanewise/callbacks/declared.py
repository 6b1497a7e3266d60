"""What user code declares beside its kernels: parameters, state and scratch memory, its struct `p`.

parameters  arrays that kernels read. Their shapes are part of the compiled code, their numbers
            are not: they can be written between steps, and in a Batch differ between worlds.
state       numbers of each world that are kept from step to step. They are the first ones of
            `userdata`, so they are reset, copied, saved and rolled out as that is.
scratch     numbers of each world that nobody keeps.
outputs     numbers of each world that `observe` leaves for whoever made the call. They are the
            field `observed`, so they are bound, read and recorded as any field is.
"""

from collections.abc import Iterator, Mapping, MutableMapping

import numpy as np

from ..errors import did_you_mean, whole_number
from ..lanes.own_fields import OwnField, OwnFields


class Parameters(MutableMapping):
    """{name: array} of a model's parameters; arrays are live, and assigning fills them."""

    def __init__(self, arrays: Mapping[str, np.ndarray]):
        self._arrays = dict(arrays)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._arrays:
            raise KeyError(unknown(name, self._arrays))
        return self._arrays[name]

    def __setitem__(self, name: str, value: object) -> None:
        self[name][...] = numbers_of(name, value, self[name].shape)

    def __delitem__(self, name: str) -> None:
        raise TypeError("parameters are part of the compiled code: they cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in self._arrays.items())
        return f"<parameters: {shapes}>"

    def copy(self) -> "Parameters":
        return Parameters({name: array.copy() for name, array in self._arrays.items()})


def unknown(name: object, names) -> str:
    """What to say of a parameter that is not there."""
    there = f"there are {', '.join(names)}" if names else "the model was loaded without any"
    close = did_you_mean(name, names) if isinstance(name, str) else ""
    return f"no parameter {name!r}{close or f'; {there}'}"


def numbers_of(name: str, value: object, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """value as float64s, which fill the shape if there is one."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"parameter {name!r} takes numbers, got {type(value).__name__}")
    if shape is None:
        return np.array(array, np.float64, order="C")
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(
            f"parameter {name!r} takes shape {shape} or what broadcasts to it, got {array.shape}"
        ) from None


class Declared:
    """The fields of p: parameters with their first values, shapes of state and scratch."""

    def __init__(self, parameters=None, state=None, scratch=None, outputs=None):
        given = _mapping("parameters", parameters, "arrays")
        self.parameters = {name: numbers_of(name, value) for name, value in given.items()}
        self.state = _shapes("state", state)
        self.scratch = _shapes("scratch", scratch)
        self.outputs = _shapes("outputs", outputs)
        self.shapes = {name: array.shape for name, array in self.parameters.items()}
        kinds = {"state": self.state, "scratch": self.scratch, "outputs": self.outputs}
        for kind, shapes in kinds.items():
            for name, shape in shapes.items():
                if name in self.shapes:
                    raise ValueError(f"{kind} {name!r} has the name of another field of p")
                self.shapes[name] = shape
        for name, shape in self.shapes.items():
            _check(name, shape)

    def __bool__(self):
        return bool(self.shapes)

    @property
    def nuserdata(self) -> int:
        """How many numbers of userdata the state takes."""
        return sum(size(shape) for shape in self.state.values())

    @property
    def nobserved(self) -> int:
        """How many numbers the outputs are."""
        return sum(size(shape) for shape in self.outputs.values())

    def places(self) -> dict[str, dict[str, slice]]:
        """The parts of p that are parts of a field: of the state, and of the outputs."""
        return {"userdata": _slices(self.state), "observed": _slices(self.outputs)}

    def place(self, name: str) -> tuple[str, slice, tuple[int, ...]]:
        """Of a part of the state or an output: its field, where it is in there, and its shape."""
        for field, slices in self.places().items():
            if name in slices:
                return field, slices[name], self.shapes[name]
        there = {**self.state, **self.outputs}
        known = f"there are {', '.join(there)}" if there else "the model was loaded without any"
        raise ValueError(
            f"no state or output {name!r} of user code{did_you_mean(name, there)}; {known}"
        )

    def fields(self, expanded=frozenset()) -> OwnFields:
        """p as kernels see it, with these parameters in lanes."""
        return OwnFields(tuple(
            OwnField(name, shape, name not in self.parameters or name in expanded,
                     name in self.parameters)
            for name, shape in self.shapes.items()
        ))  # fmt: skip


def size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape))


def _slices(shapes):
    """{name: slice} of fields one after another."""
    slices, start = {}, 0
    for name, shape in shapes.items():
        slices[name] = slice(start, start + size(shape))
        start += size(shape)
    return slices


def _mapping(what, given, values):
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} maps names to {values}, got {type(given).__name__}")
    return given


def _shapes(what, given):
    """{name: shape} of numbers, or of a number of rows and of columns."""
    shapes = {}
    for name, shape in _mapping(what, given, "sizes").items():
        sizes = shape if isinstance(shape, tuple) else (shape,)
        shapes[name] = tuple(whole_number(n, f"{what} {name!r}") for n in sizes)
    return shapes


def _check(name, shape):
    if not isinstance(name, str) or not name.isidentifier() or name.startswith("_"):
        raise ValueError(f"a field of p is read as p.name, so its name cannot be {name!r}")
    if len(shape) > 2:
        raise ValueError(f"{name!r} has shape {shape}: a field has rows and columns, no more")
    if any(n < 1 for n in shape):
        raise ValueError(f"{name!r} has shape {shape}: it must have at least one number")
