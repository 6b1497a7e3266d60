"""Options that can be run: choices that exist, numbers that are numbers.

Where MuJoCo has a meaning for a value, it is accepted: time steps of zero or less, no iterations,
tolerances of zero. What MuJoCo stops at, or what makes every world NaN, is refused.
"""

import ctypes
import math

import numpy as np

from ..errors import UnsupportedFeature, whole_number
from ..fields import MODEL_FIELDS
from ..mjconst import (
    CONE_ELLIPTIC,
    CONE_PYRAMIDAL,
    ENBL_IPC,
    ENBL_SLEEP,
    ENBL_SPECULATIVE,
    INT_DISCRETE,
    INT_EULER,
    INT_IMPLICIT,
    INT_IMPLICITFAST,
    INT_RK4,
    JAC_AUTO,
    JAC_DENSE,
    JAC_SPARSE,
    SOL_CG,
    SOL_NEWTON,
    SOL_PGS,
)

# options that are one number, under MuJoCo's names
OPTIONS = [
    *(n[4:] for n, f in MODEL_FIELDS.items() if f.stage == "opt" and not f.vector),
    "sleep_tolerance",
]

CHOICES = {
    "integrator": {
        INT_EULER: "Euler", INT_RK4: "RK4", INT_IMPLICIT: "implicit",
        INT_IMPLICITFAST: "implicitfast", INT_DISCRETE: "discrete",
    },
    "solver": {SOL_PGS: "PGS", SOL_CG: "CG", SOL_NEWTON: "Newton"},
    "cone": {CONE_PYRAMIDAL: "pyramidal", CONE_ELLIPTIC: "elliptic"},
    "jacobian": {JAC_DENSE: "dense", JAC_SPARSE: "sparse", JAC_AUTO: "auto"},
}  # fmt: skip

# what may be switched on in MuJoCo and is not built here
_NOT_BUILT = {ENBL_SLEEP: "sleep", ENBL_IPC: "ipc", ENBL_SPECULATIVE: "speculative"}


def not_built(enableflags):
    """The features of some enableflags that are not built, as UnsupportedFeature takes them."""
    return {f"enable flag {n}": ["option"] for bit, n in _NOT_BUILT.items() if enableflags & bit}


def option_problem(name, value):
    """'' or what is wrong with a value of an option; the name is without `opt.`."""
    if name in CHOICES and int(value) not in CHOICES[name]:
        choices = ", ".join(f"{number} ({word})" for number, word in CHOICES[name].items())
        return f"opt.{name} is {value}; it must be one of {choices}"
    if not (np.isfinite(value).all() if np.ndim(value) else math.isfinite(value)):
        return f"opt.{name} is {value}; it must be finite"
    return ""


def option_problems(mj_opt, names):
    """What is wrong with the options of an MjModel, a line each."""
    found = (option_problem(name, getattr(mj_opt, name)) for name in names)
    return [line for line in found if line]


class Watch:
    """Notices options that are written past `Model.opt`, by m.mj.opt."""

    __slots__ = ("memory", "opt", "seen")

    def __init__(self, mj_opt, arrays):
        """arrays: those over the memory of mj_opt."""
        start = min(x.ctypes.data for x in arrays)
        size = max(x.ctypes.data + x.nbytes for x in arrays) - start
        self.opt, self.seen = mj_opt, b""
        self.memory = memoryview((ctypes.c_char * size).from_address(start))

    def look(self):
        """Raise if an option has no meaning, or is not built."""
        now = self.memory.tobytes()
        if now == self.seen:
            return
        for line in option_problems(self.opt, OPTIONS):
            raise ValueError(line)
        if features := not_built(self.opt.enableflags):
            raise UnsupportedFeature(features, what="these options are not supported")
        self.seen = now


def choose(name, value, old):
    """A value for an option whose value is `old`: of its kind, and checked."""
    if isinstance(old, np.ndarray):
        new = np.array(old)
        new[...] = value
    elif isinstance(old, int):
        new = whole_number(_by_word(name, value), f"opt.{name}")
        if not -(2**31) <= new < 2**31:
            raise ValueError(f"opt.{name} must be a whole number of 32 bits, got {value}")
    else:
        new = _number(name, value)
    if name == "enableflags" and (features := not_built(new)):
        raise UnsupportedFeature(features, what="these options are not supported")
    if problem := option_problem(name, new):
        raise ValueError(problem)
    return new


def _by_word(name, value):
    """The number of a choice that is given by its word."""
    if isinstance(value, str):
        for number, word in CHOICES.get(name, {}).items():
            if value.lower() == word.lower():
                return number
        choices = ", ".join(CHOICES.get(name, {}).values())
        hint = f"one of {choices}" if choices else "a whole number"
        raise ValueError(f"opt.{name} must be {hint}, got {value!r}")
    return value


def _number(name, value):
    try:
        number = np.asarray(value, float)
        if number.ndim == 0 and np.asarray(value).dtype.kind in "fiub":
            return float(number)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"opt.{name} must be a number, got {value!r} ({type(value).__name__})")
