"""The @kernel decorator.

A `Kernel` called from Python runs as plain Python on the twins in primitives.py. Compiled
(compiler.py), it is reached through the C functions of a library (library.py).
"""

import os
import pickle
import sys

JIT = os.environ.get("LANEWISE_JIT", "1") != "0"


class Kernel:
    """A function on lanes: plain Python when called, machine code inside a library."""

    def __init__(self, python_function, inline, fused=True):
        self.python_function, self.inline, self.fused = python_function, inline, fused
        self.__name__, self.__doc__ = python_function.__name__, python_function.__doc__
        self.__module__, self.__wrapped__ = python_function.__module__, python_function

    def __call__(self, *args):
        return self.python_function(*args)

    def __repr__(self):
        return f"<kernel {self.__module__}.{self.__name__}>"

    def __reduce__(self):
        """As a function: by where it is found."""
        if getattr(sys.modules.get(self.__module__), self.__name__, None) is not self:
            raise pickle.PicklingError(
                f"{self!r} cannot be pickled: that takes a kernel that other processes can import,"
                f" defined in a module under its own name, and {self.__module__} has no such"
                f" {self.__name__}"
            )
        return self.__name__


def kernel(function=None, *, inline=False, fused=True):
    """Make a function on lanes. `inline=True` for formulas, which are copied into their callers.

    With `fused=False`, a * b + c is rounded twice, in it and in all kernels that it calls: as
    MuJoCo does, so that the same numbers have the same bits.
    """
    if function is None:
        return lambda f: Kernel(f, inline, fused)
    return Kernel(function, inline, fused)
