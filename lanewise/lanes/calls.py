"""Calls of code that was compiled apart, by its address.

A kernel calls others by name, and all of them are compiled together. What a user adds to a model is
not known then: it is compiled into an object file of its own, and reached by the address that the
model's table holds. `call_code` passes the structs on, so the two sides share the memory of a gang.

`world_of` gives one world of a gang to a part that was compiled one lane wide.

`call_clock` calls a function of C's library in the same way: clock_gettime, whose address
`clock_of` gives.

With the JIT off an address is the number under which `code_of` keeps the Python function.
"""

import ctypes
import time

import numpy as np

from .primitives import W

_FUNCTIONS: list = [None]  # 0 is no code


def code_of(function):
    """The number that stands for a plain-Python function f(m, d, i, k)."""
    if function not in _FUNCTIONS:
        _FUNCTIONS.append(function)
    return _FUNCTIONS.index(function)


def call_code(address, m, d, i, k):
    """Call the code at an address with two structs and two integers."""
    _FUNCTIONS[address](m, d, i, k)


# ---- one world of a gang


def world_tables(table, lanes):
    """A table of pointers, and after it one for each world of the gang: `lanes` says which fields
    have lanes. Of these it leads to the world's own numbers, which are W apart."""
    own = np.dtype(float).itemsize * np.asarray(lanes, np.int64)
    return np.stack([table, *(table + w * own for w in range(W))])


def world_of(struct, w):
    """The struct of world w alone, for a kernel of a part that is `lone`: see library.py.

    As plain Python, that goes on with the whole gang: what it does may not harm the other worlds.
    """
    return struct


# ---- the clock


def call_clock(address, which, place):
    """Ask a clock: seconds and nanoseconds, two int64s, are written to a place in memory."""
    parts = divmod(time.perf_counter_ns(), 1_000_000_000)
    (ctypes.c_int64 * 2).from_address(place)[:] = parts


def _ask_python(which, place):
    """What stands in for clock_gettime where the library has none."""
    call_clock(0, which, place)
    return 0


_CLOCK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32, ctypes.c_int64)(_ask_python)


def clock_of():
    """(address, number) of the clock that `time.perf_counter` has too: it never goes back."""
    try:
        clock = ctypes.CDLL(None).clock_gettime
    except (AttributeError, OSError, TypeError):
        clock = _CLOCK
    which = getattr(time, "CLOCK_MONOTONIC", 0)
    return ctypes.cast(clock, ctypes.c_void_p).value, which
