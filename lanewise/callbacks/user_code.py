"""Kernels of the user's that a model brings along: compiled apart, called from within the step.

The step asks `user_code` for addresses, one for each occasion on which user code can run, and calls
what it finds there (see lanes/calls.py). So the engine itself is compiled once for all models, and
what a user wrote takes a moment, or nothing if the cache has it: the name of its object file is a
digest of all that the code consists of, down to the numbers it refers to.

An occasion has a wrapper, a kernel (m, d, i, k) that gives the user's kernel its arguments and
puts its answer where the step looks for it.

    control         (m, d)           before actuators: writes ctrl, qfrc_applied, xfrc_applied, ...
    passive         (m, d)           adds to qfrc_passive
    passive_slope   (m, d, i, j)     returns what qvel[j] adds to qfrc_passive[i], per unit
    act_dyn         (m, d, i)        returns act_dot of an actuator of dyntype user
    act_gain        (m, d, i)        returns the gain of an actuator of gaintype user
    act_bias        (m, d, i)        returns the bias of an actuator of biastype user
    sensor          (m, d, stage)    writes sensordata of the user's sensors of a stage of mjtStage
    contact_filter  (m, d, g1, g2)   returns whether two geoms may touch

`passive` may be two kernels, the force and its slope, which implicit integrators then use.

In collision detection:

    @lanewise.kernel
    def touch(m, d, g1, g2, reach, mask):       # as in lanewise/engine/collision
        ...
        return n                                # candidates in found_dist, found_pos, found_frame

    @lanewise.kernel
    def may_touch(m, d, g1, g2):                # a Mask, or True or False for all worlds
        return d.geom_xpos[g1, 2] > 0.5

    lanewise.load(path, collision={("sphere", "box"): touch}, contact_filter=may_touch)

The first geom is the one of lower type, in the order of mjtGeom. A function of the user's takes
the place of the engine's for its pair of types; pairs for which MuJoCo has none (two planes, say)
can have one too. The filter is asked about pairs of geoms whose contact types match and that are
near each other; explicit pairs are not asked about.
"""

import inspect

import numpy as np

from ..engine import parts
from ..engine.collision.custom import filter_wrapper, pair_wrapper
from ..engine.collision.pairs import GEOM_TYPES, number
from ..engine.occasions import (
    CALL_ACT_BIAS,
    CALL_ACT_DYN,
    CALL_ACT_GAIN,
    CALL_CONTROL,
    CALL_FILTER,
    CALL_PAIR,
    CALL_PASSIVE,
    CALL_PASSIVE_SLOPE,
    CALL_SENSOR,
    NCALL,
)
from ..engine.user import (
    number_wrapper,
    pair_number_wrapper,
    plain_wrapper,
    stage_wrapper,
)
from ..lanes import JIT, Entries, Kernel
from ..lanes.calls import code_of
from ..lanes.kinds import INT


class UserCode:
    """{occasion: wrapper kernel} of a model, as addresses; compiled when first asked for."""

    def __init__(self, wrappers, made_by=None):
        """made_by: (function, arguments) that makes the same again, for copies and pickles."""
        self.wrappers, self.made_by = dict(wrappers), made_by
        self._addresses = {}

    def __reduce__(self):
        return self.made_by

    def addresses(self, variant):
        """What stands in `user_code`: int64 addresses by occasion, 0 where there is no code."""
        if variant not in self._addresses:
            table = np.zeros(NCALL, np.int64)
            for occasion, wrapper in self.wrappers.items():
                table[occasion] = self._code(variant, occasion) if JIT else code_of(wrapper)
            self._addresses[variant] = table
        return self._addresses[variant]

    def _code(self, variant, occasion):
        """The address of compiled code; the same code is compiled once for all models."""
        key = variant, frozenset(self.wrappers.items())
        if key not in _ENTRIES:
            per_world, width = parts.VARIANTS[variant]
            arguments = (*parts.struct_types(per_world), INT, INT)
            entries = {
                f"occasion_{k}": (wrapper, arguments) for k, wrapper in self.wrappers.items()
            }
            _ENTRIES[key] = Entries("user", lambda: entries, width)
        return _ENTRIES[key].address(f"occasion_{occasion}")


_ENTRIES: dict = {}


# occasions of `lanewise.load`: number, wrapper, arguments of the user's kernel
OCCASIONS = {
    "control": (CALL_CONTROL, plain_wrapper, "m, d"),
    "passive": (CALL_PASSIVE, plain_wrapper, "m, d"),
    "passive_slope": (CALL_PASSIVE_SLOPE, pair_number_wrapper, "m, d, i, j"),
    "act_dyn": (CALL_ACT_DYN, number_wrapper, "m, d, i"),
    "act_gain": (CALL_ACT_GAIN, number_wrapper, "m, d, i"),
    "act_bias": (CALL_ACT_BIAS, number_wrapper, "m, d, i"),
    "sensor": (CALL_SENSOR, stage_wrapper, "m, d, stage"),
    "contact_filter": (CALL_FILTER, filter_wrapper, "m, d, g1, g2"),
}


def user_code(collision=None, **code):
    """The UserCode of these kernels, by occasion; or None if there are none."""
    wrappers = {}
    for types, function in (collision or {}).items():
        checked = _checked(function, f"{types}", "m, d, g1, g2, reach, mask")
        wrappers[CALL_PAIR + pair_number(types)] = pair_wrapper(checked)
    if isinstance(code.get("passive"), tuple):
        if len(code["passive"]) != 2:
            raise TypeError("passive: a kernel, or a force and its derivative by velocity")
        code["passive"], code["passive_slope"] = code["passive"]
    for name, function in code.items():
        if function is not None:
            occasion, wrapper, arguments = OCCASIONS[name]
            wrappers[occasion] = wrapper(_checked(function, name, arguments))
    made_by = (_again, (collision, dict(code)))
    return UserCode(wrappers, made_by) if wrappers else None


def _again(collision, code):
    return user_code(collision, **code)


def pair_number(types):
    """8 * lower type + higher type, of two names."""
    if not isinstance(types, tuple) or len(types) != 2 or not set(types) <= set(GEOM_TYPES):
        raise ValueError(f"a pair of geom types is two of {', '.join(GEOM_TYPES)}; got {types!r}")
    return number(types)


def _checked(function, what, arguments):
    """The user's kernel, if it is one that takes these arguments."""
    if not isinstance(function, Kernel):
        raise TypeError(
            f"{what}: user code is a function decorated with @lanewise.kernel,"
            f" got {type(function).__name__}"
        )
    given = list(inspect.signature(function.python_function).parameters)
    if len(given) != len(arguments.split(", ")):
        raise TypeError(
            f"{what}: the kernel {function.__name__} takes ({', '.join(given)}), where the step"
            f" gives ({arguments})"
        )
    return function
