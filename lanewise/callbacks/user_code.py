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
    observe         (m, d)           writes outputs, when the steps of a call are done

`passive` may be two kernels, the force and its slope, which implicit integrators then use. Any of
them may take p after m and d: the fields that are declared with them (declared.py).

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
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

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
    CALL_OBSERVE,
    CALL_PAIR,
    CALL_PASSIVE,
    CALL_PASSIVE_SLOPE,
    CALL_SENSOR,
    NCALL,
)
from ..engine.stages import STAGES, wants
from ..engine.user import (
    number_wrapper,
    pair_number_wrapper,
    plain_wrapper,
    stage_wrapper,
    with_own_fields,
)
from ..fields import RESULTS, STATE_FIELDS
from ..lanes import JIT, Entries, Kernel
from ..lanes.calls import code_of
from ..lanes.kinds import INT
from .declared import Declared, Parameters
from .mentions import mentioned


@dataclass(frozen=True)
class Called:
    """A kernel of the user's, and how it is called."""

    function: Kernel
    wrapper: Callable  # a function (kernel, whose) that makes what the step calls
    whose: str  # for errors
    takes_own: bool  # whether it takes p
    more: int  # how many arguments it takes beside m, d and p

    def wrapped(self, fields):
        """What the step calls, with p of these fields."""
        function = self.function
        if self.takes_own:
            function = with_own_fields(function, fields, self.more)
        return self.wrapper(function, self.whose)


class UserCode:
    """{occasion: Called} of a model, as addresses, and its parameters; compiled when asked for."""

    def __init__(self, called, declared, made_by, parameters=None):
        """made_by: arguments of `user_code` that make the same again, for copies and pickles."""
        self.called, self.declared, self.made_by = dict(called), declared, made_by
        self.parameters = (parameters or Parameters(declared.parameters)).copy()
        self._addresses = {}

    def copy(self):
        """The same code with parameters of its own."""
        return UserCode(self.called, self.declared, self.made_by, self.parameters)

    def __reduce__(self):
        return _again, (*self.made_by, {**self.parameters})

    def is_like(self, other):
        """Whether another model's code is the same, but for the values of parameters."""
        return (
            other is not None
            and self.called == other.called
            and self.declared.fields() == other.declared.fields()
        )

    @cached_property
    def mentions(self):
        """Names that occur in its kernels, those of fields among them."""
        return self._found[0]

    @cached_property
    def _found(self):
        """Names in its kernels, and the stages of the engine that they call themselves."""
        kernels = {stage.kernel: stage for stage in STAGES.values()}
        functions = (called.function for called in self.called.values())
        words, stages = mentioned(functions, frozenset(kernels))
        return words, {kernels[kernel] for kernel in stages}

    @cached_property
    def written(self):
        """Components of the state that it may write."""
        if self.mentions & {"state", "field_at"}:  # other ways to write them
            return set(STATE_FIELDS)
        return self.mentions & {*STATE_FIELDS} | ({"userdata"} if self.declared.state else set())

    @cached_property
    def read(self):
        """Fields, beside the state, that it may read: they are computed for it."""
        made = {stage.section for stage in self._found[1]}  # by itself, when it needs them
        names = {
            f.name
            for f in RESULTS
            if f.name in self.mentions and not f.capacity and f.stage not in made
        }
        # a sensor that keeps something is called, whoever reads what it measures
        keeps = CALL_SENSOR in self.called and self.written
        return names | {"sensordata"} if keeps else names

    @cached_property
    def wants(self):
        """The flags of what is computed for it."""
        forces = any("forces" in stage.words for stage in self._found[1])
        return wants(self.read) | ({"want_forces"} if forces else frozenset())

    def addresses(self, variant, expanded=frozenset()):
        """What stands in `user_code`: int64 addresses by occasion, 0 where there is no code.

        expanded: parameters that differ between worlds.
        """
        key = variant, expanded
        if key not in self._addresses:
            fields, table = self.declared.fields(expanded), np.zeros(NCALL, np.int64)
            wrappers = {k: called.wrapped(fields) for k, called in self.called.items()}
            for occasion, wrapper in wrappers.items():
                code = _address(variant, wrappers, occasion) if JIT else code_of(wrapper)
                table[occasion] = code
            self._addresses[key] = table
        return self._addresses[key]


_ENTRIES: dict = {}


def _address(variant, wrappers, occasion):
    """The address of compiled code; the same code is compiled once for all models."""
    key = variant, frozenset(wrappers.items())
    if key not in _ENTRIES:
        per_world, width = parts.VARIANTS[variant]
        arguments = (*parts.struct_types(per_world), INT, INT)
        entries = {f"occasion_{k}": (wrapper, arguments) for k, wrapper in wrappers.items()}
        _ENTRIES[key] = Entries("user", lambda: entries, width)
    return _ENTRIES[key].address(f"occasion_{occasion}")


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
    "observe": (CALL_OBSERVE, plain_wrapper, "m, d"),
}
_OF_PAIR = "m, d, g1, g2, reach, mask"


def user_code(
    collision=None, parameters=None, state=None, scratch=None, outputs=None, **code
):  # fmt: skip
    """The UserCode of these kernels, by occasion, and of what they declare; None without any."""
    declared = Declared(parameters, state, scratch, outputs)
    if declared.outputs and code.get("observe") is None:
        raise ValueError("outputs are what the kernel `observe` leaves: give observe= too")
    made_by = (collision, declared.state, declared.scratch, declared.outputs, dict(code))
    called = {}
    for types, function in (collision or {}).items():
        occasion = CALL_PAIR + pair_number(types)
        called[occasion] = _called(function, f"{types}", pair_wrapper, _OF_PAIR, declared)
    if isinstance(code.get("passive"), tuple):
        if len(code["passive"]) != 2:
            raise TypeError("passive: a kernel, or a force and its derivative by velocity")
        code["passive"], code["passive_slope"] = code["passive"]
    for name, function in code.items():
        if function is not None:
            occasion, wrapper, arguments = OCCASIONS[name]
            called[occasion] = _called(function, name, wrapper, arguments, declared)
    if not called:
        if declared:
            raise ValueError(
                "parameters, state, scratch and outputs are for kernels: give these too, control="
                " say"
            )
        return None
    return UserCode(called, declared, made_by)


def _again(collision, state, scratch, outputs, code, parameters):
    return user_code(collision, parameters, state, scratch, outputs, **code)


def pair_number(types):
    """8 * lower type + higher type, of two names."""
    if not isinstance(types, tuple) or len(types) != 2 or not set(types) <= set(GEOM_TYPES):
        raise ValueError(f"a pair of geom types is two of {', '.join(GEOM_TYPES)}; got {types!r}")
    return number(types)


def _called(function, what, wrapper, arguments, declared):
    """The user's kernel, if it is one that takes these arguments."""
    if not isinstance(function, Kernel):
        raise TypeError(
            f"{what}: user code is a function decorated with @lanewise.kernel,"
            f" got {type(function).__name__}{_advice(function, what)}"
        )
    given = list(inspect.signature(function.python_function).parameters)
    wanted = arguments.split(", ")
    takes_own = len(given) == len(wanted) + 1
    if len(given) != len(wanted) and not takes_own:
        with_own = ", ".join(["m, d, p", *wanted[2:]])
        raise TypeError(
            f"{what}: the kernel {function.__name__} takes ({', '.join(given)}), where the step"
            f" gives ({arguments}), or ({with_own}) with what is declared by parameters=, state="
            " and scratch="
        )
    if takes_own and not declared:
        raise TypeError(
            f"{what}: the kernel {function.__name__} takes ({', '.join(given)}), and nothing is"
            " declared that would be in its third argument: give parameters=, state= or scratch="
        )
    code = function.python_function.__code__
    whose = f"{what}: the kernel {function.__name__}, {code.co_filename}:{code.co_firstlineno},"
    return Called(function, wrapper, whose, takes_own, len(wanted) - 2)


def _advice(function, what):
    if what == "control" and callable(function):
        return "; a plain Python function is for Batch.step(control=function)"
    return ""
