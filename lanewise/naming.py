"""The objects of a model by name or by number."""

import operator

import numpy as np

from .errors import UnknownName, UnknownNumber, no_such

# how many there are of a kind, by MuJoCo's names
_SIZES = {
    "actuator": "nactuator", "body": "nbody", "camera": "ncam", "equality": "neq",
    "geom": "ngeom", "joint": "njnt", "keyframe": "nkey", "light": "nlight",
    "material": "nmat", "numeric": "nnumeric", "pair": "npair", "sensor": "nsensor",
    "site": "nsite", "tendon": "ntendon",
}  # fmt: skip


def names_of(mj, kind):
    """The names of all bodies, joints, ...; '' for one that has none."""
    view = getattr(mj, kind)
    return [view(k).name for k in range(getattr(mj, _SIZES[kind]))]


def number_of(mj, kind, key):
    """The number of a body, joint, ... that is given by its name or its number."""
    if isinstance(key, str):
        try:
            return int(getattr(mj, kind)(str(key)).id)
        except KeyError:
            raise UnknownName(no_such(kind, str(key), names_of(mj, kind))) from None
    try:
        number = operator.index(key)
    except TypeError:
        raise TypeError(
            f"a {kind} is given by its name or number, got {key!r} ({type(key).__name__})"
        ) from None
    size = getattr(mj, _SIZES[kind])
    if not 0 <= number < size:
        raise UnknownNumber(f"the model has {size} of kind {kind}: no number {number}")
    return number


def numbers_of(mj, kind, keys, name="", least=0):
    """int32 numbers of what is given by names or numbers, which may be mixed: () of one, or of
    several in a sequence or array of any shape.

    name: of the argument, for errors, if it is not the kind. least=-1: -1 is none.
    """
    name = name or kind
    if isinstance(keys, str):
        return np.array(number_of(mj, kind, keys), np.int32)
    array = np.asarray(keys)
    if array.dtype.kind in "UO":
        # NumPy would make names of the numbers among them
        array = np.array(keys, object)
        named = {key: number_of(mj, kind, key) for key in array.flat if isinstance(key, str)}
        array = np.array([named.get(key, key) for key in array.flat]).reshape(array.shape)
    if array.dtype.kind not in "iu" and array.size:
        given = repr(keys) if array.ndim == 0 else array.dtype
        raise ValueError(f"{name} must be names or integers, got {given}")
    size = getattr(mj, _SIZES[kind])
    bad = array[(array < least) | (array >= size)]
    if bad.size:
        raise UnknownNumber(f"{name} must be in [{least}, {size}), got {bad.flat[0]}")
    return array.astype(np.int32)
