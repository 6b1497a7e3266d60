"""The objects of a model by name or by number."""

import operator

from .errors import UnknownName, no_such

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
        raise IndexError(f"the model has {size} of kind {kind}: no number {number}")
    return number
