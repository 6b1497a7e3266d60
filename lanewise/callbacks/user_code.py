"""Kernels of the user's that a model brings along: compiled apart, called from within the step.

The step asks the model's `user_code` for addresses, one for each occasion on which user code can
run, and calls what it finds there (see lanes/calls.py). So the engine itself is compiled once for
all models, and what a user wrote takes a moment, or nothing if the cache has it: the name of its
object file is a digest of all that the code consists of, down to the numbers it refers to.

An occasion has a wrapper, a kernel (m, d, i, k) that gives the user's kernel its arguments and
puts its answer where the step looks for it.

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

import hashlib
from types import CodeType, FunctionType, ModuleType

import numpy as np

from ..engine import parts
from ..engine.collision.custom import filter_wrapper, pair_wrapper
from ..engine.collision.pairs import GEOM_TYPES, number
from ..engine.occasions import CALL_FILTER, CALL_PAIR, NCALL, NOCCASION
from ..lanes import JIT, Entries, Kernel, W
from ..lanes.calls import code_of


class UserCode:
    """{occasion: wrapper kernel} of a model, as addresses; compiled when first asked for."""

    def __init__(self, wrappers, made_by=None):
        """made_by: (function, arguments) that makes the same again, for copies and pickles."""
        self.wrappers, self.made_by = dict(wrappers), made_by
        self._entries = {}
        self._addresses = {}

    def __reduce__(self):
        return self.made_by

    def addresses(self, per_world=False):
        """What stands in `user_code`: int64 addresses by occasion, 0 where there is no code.

        Model fields that differ between worlds need gangs: then there is no code for a world alone.
        """
        if not JIT:
            per_world = False  # the same Python serves both
        if per_world not in self._addresses:
            table = np.zeros(NCALL, np.int64)
            for occasion, wrapper in self.wrappers.items():
                table[occasion] = self._address(wrapper, occasion, per_world, W)
                if JIT and not per_world:
                    table[NOCCASION + occasion] = self._address(wrapper, occasion, per_world, 1)
            self._addresses[per_world] = table
        return self._addresses[per_world]

    def _address(self, wrapper, occasion, per_world, width):
        if not JIT:
            return code_of(wrapper)
        variant = per_world, width
        if variant not in self._entries:
            self._entries[variant] = self._compile(per_world, width)
        return self._entries[variant].address(f"occasion_{occasion}")

    def _compile(self, per_world, width):
        def declare():
            from ..lanes.kinds import INT

            m, d = parts.struct_types(per_world)
            arguments = (m, d, INT, INT)
            return {f"occasion_{k}": (wrapper, arguments) for k, wrapper in self.wrappers.items()}

        digest = hashlib.sha256(repr((per_world, int(width))).encode())
        for occasion, wrapper in sorted(self.wrappers.items()):
            digest.update(repr((occasion, description(wrapper))).encode())
        key = digest.hexdigest()
        if key not in _ENTRIES:
            _ENTRIES[key] = Entries("user", declare, width)
        return _ENTRIES[key]


_ENTRIES: dict = {}  # by digest: the same code has the same address in every model


def user_collision(collision=None, contact_filter=None):
    """The UserCode of these functions, or None if there are none."""
    wrappers = {}
    for types, function in (collision or {}).items():
        wrappers[CALL_PAIR + pair_number(types)] = pair_wrapper(_checked(function, f"{types}"))
    if contact_filter is not None:
        wrappers[CALL_FILTER] = filter_wrapper(_checked(contact_filter, "contact_filter"))
    made_by = (user_collision, (collision, contact_filter))
    return UserCode(wrappers, made_by) if wrappers else None


def pair_number(types):
    """8 * lower type + higher type, of two names."""
    if not isinstance(types, tuple) or len(types) != 2 or not set(types) <= set(GEOM_TYPES):
        raise ValueError(f"a pair of geom types is two of {', '.join(GEOM_TYPES)}; got {types!r}")
    return number(types)


def _checked(function, what):
    if not isinstance(function, Kernel):
        raise TypeError(
            f"{what}: user code is a function decorated with @lanewise.kernel,"
            f" got {type(function).__name__}"
        )
    return function


def description(thing, names=frozenset(), seen=None):
    """All that a kernel's machine code follows from, as nested tuples of plain values.

    `names` are those that the code which refers to a thing looks up: of a module, only they count.
    """
    seen = set() if seen is None else seen
    if isinstance(thing, Kernel):
        thing = thing.python_function
    if isinstance(thing, ModuleType):
        known = [] if _ours(thing.__name__) else sorted(names & vars(thing).keys())
        return thing.__name__, *[(n, description(vars(thing)[n], names, seen)) for n in known]
    if isinstance(thing, np.ndarray):
        return thing.dtype.str, thing.shape, thing.tobytes()
    if not isinstance(thing, FunctionType):
        return repr(thing)
    if thing in seen or (_ours(thing.__module__) and not thing.__closure__):
        return thing.__module__, thing.__qualname__
    seen.add(thing)
    code, names = thing.__code__, _names(thing.__code__)
    used: dict = {n: thing.__globals__[n] for n in sorted(names & thing.__globals__.keys())}
    cells = (cell.cell_contents for cell in thing.__closure__ or ())
    used |= dict(zip(code.co_freevars, cells, strict=True))
    parts = [(n, description(x, names, seen)) for n, x in used.items()]
    return thing.__qualname__, _code(code), *parts


def _ours(module):
    """Whether it is one of the engine's own, whose sources have a digest anyway."""
    return module.partition(".")[0] == __name__.partition(".")[0]


def _code(code):
    constants = [_code(x) if isinstance(x, CodeType) else x for x in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, repr(constants)


def _names(code):
    """Names that a function looks up, those of functions inside it included."""
    inside = (_names(x) for x in code.co_consts if isinstance(x, CodeType))
    return set(code.co_names).union(*inside)
