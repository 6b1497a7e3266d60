"""Numbers of a stage, and its units.

Most numbers of USD Physics have single precision. Who wrote 9.81 meant 9.81, and not the nearest
such number, 9.81000041961670: they are read as the shortest decimal that means them, which is what
text files say.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError

DEGREE = np.pi / 180.0
# stage to world: MuJoCo's z is up
TURNS = {
    "Z": np.eye(3),
    "Y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "X": np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
}
_PYTHON: dict[str, Any] = {
    "float": (float, int),
    "double": (float, int),
    "bool": (bool, int),
    "token": str,
}
_SINGLE = ("float", "half")


@dataclass(frozen=True)
class Units:
    """Of a stage: metres and kilograms per unit, and which axis is up."""

    length: float
    mass: float
    up: str

    @property
    def C_WS(self) -> np.ndarray:
        """From points of the stage to points of the world, in metres and z up."""
        C = np.eye(4)
        C[:3, :3] = self.length * TURNS[self.up]
        return C


def short(x: float) -> float:
    """A number of single precision as the shortest decimal that means it."""
    return float(str(np.float32(x)))


def value(attribute: Any) -> Any:
    """What an attribute has, or its fallback: a float, a tuple, or what it is; None if nothing.

    Quaternions are (w, x, y, z).
    """
    from pxr import Usd

    found = attribute.Get()
    if found is None and attribute.GetNumTimeSamples():
        found = attribute.Get(Usd.TimeCode.EarliestTime())
    kind = str(attribute.GetTypeName())
    _check_kind(attribute, kind, found)
    found = plain(found, kind in _SINGLE)
    if isinstance(found, float | tuple) and np.isnan(found).any():
        raise ModelError(f"{attribute.GetPath()} is not a number: {found}")
    return found


def _check_kind(attribute, kind, found):
    """Raise ModelError unless an attribute is of the type, and a word, that its schema has.

    Schemas of MuJoCo and Newton may be there or not, and are read the same way in both cases.
    """
    if attribute.GetName().startswith(("mjc:", "newton:")):
        return
    definition = attribute.GetPrim().GetPrimDefinition().GetAttributeDefinition(attribute.GetName())
    if not definition:
        return
    wanted = str(definition.GetTypeName())
    python = _PYTHON.get(wanted)
    if found is not None and python is not None and not isinstance(found, python):
        raise ModelError(f"{attribute.GetPath()} is {found!r}, and must be of type {wanted}")
    words = attribute.GetMetadata("allowedTokens")
    if kind == "token" and words and found is not None and str(found) not in map(str, words):
        raise ModelError(f"{attribute.GetPath()} is {found!r}, and must be one of {list(words)}")


def plain(found: Any, single: bool) -> Any:
    """A value of USD's as a float or a tuple of floats, if it consists of numbers."""
    kind = type(found).__name__
    if isinstance(found, float):
        return short(found) if single else found
    if kind.startswith("Quat"):
        numbers = (found.GetReal(), *found.GetImaginary())
        return tuple(numbers if kind.endswith("d") else map(short, numbers))
    if kind.startswith("Vec"):
        return tuple(map(short, found) if kind[-1] in "fh" else found)
    return found


def authored(prim: Any, *names: str) -> Any:
    """The first of attributes that a prim has an opinion on; None if none."""
    for name in names:
        attribute = prim.GetAttribute(name)
        if attribute and attribute.HasAuthoredValue():
            return value(attribute)
    return None


def schemas(prim: Any) -> list[str]:
    """The API schemas of a prim, also those that this USD does not know."""
    return [str(name) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]
