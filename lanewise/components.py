"""Components of the state: which a spec means, and where they lie in a state row.

A spec is bits of mujoco.mjtState, as a number or a member of it; or a name: of a component, "qpos",
or of one of MuJoCo's sets of them, "integration"; or several of these, which count together.
"""

import operator

import numpy as np

from .errors import did_you_mean
from .fields import STATE

_BITS = {field.name: 1 << k for k, field in enumerate(STATE)}
_PHYSICS = ("qpos", "qvel", "act", "history", "plastic")
# MuJoCo's sets, mjSTATE_...
INTEGRATION = (1 << len(STATE)) - 1
USER = sum(_BITS[field.name] for field in STATE[6:13])  # ctrl to userdata: what users set
_SETS = {
    "physics": sum(_BITS[name] for name in _PHYSICS),
    "fullphysics": sum(_BITS[name] for name in ("time", *_PHYSICS, "plugin_state")),
    "user": USER,
    "integration": INTEGRATION,
}
_NAMES = _BITS | _SETS


def spec_bits(spec, name="spec"):
    """The bits of mjtState that a spec means; `name` is what errors call it."""
    if isinstance(spec, str):
        if spec not in _NAMES:
            raise ValueError(
                f"{name}: no component of the state is called {spec!r}"
                f"{did_you_mean(spec, _NAMES)}; there are {', '.join(_BITS)}, and the sets"
                f" {', '.join(_SETS)}"
            )
        return _NAMES[spec]
    if isinstance(spec, (list, tuple, set, frozenset)):
        bits = 0
        for part in spec:
            bits |= spec_bits(part, name)
        return bits
    try:
        bits = operator.index(spec)
    except TypeError:
        raise TypeError(
            f"{name} takes bits of mujoco.mjtState or names of components, got {spec!r}"
            f" ({type(spec).__name__})"
        ) from None
    if not 0 <= bits <= INTEGRATION:
        raise ValueError(
            f"{name} must be bits of mujoco.mjtState, from 0 to {INTEGRATION}, got {bits}"
        )
    return bits


def state_parts(model, bits):
    """(column in the vector, column in a state row, count) of each component; and their sum."""
    parts, size = [], 0
    for field in STATE:
        if bits & _BITS[field.name]:
            place = model.state_slices[field.name]
            count = place.stop - place.start
            parts.append((size, place.start, count))
            size += count
    return parts, size


def state_index(model, spec):
    """Places of the components of a spec in a full state row."""
    parts, _ = state_parts(model, spec_bits(spec))
    places = [np.arange(start, start + count) for _, start, count in parts]
    return np.concatenate(places) if places else np.zeros(0, int)


def component_names(bits):
    """The names of components."""
    return [name for name, bit in _BITS.items() if bits & bit]
