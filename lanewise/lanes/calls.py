"""Calls of code that was compiled apart, by its address.

A kernel calls others by name, and all of them are compiled together. What a user adds to a model is
not known then: it is compiled into an object file of its own, and reached by the address that the
model's table holds. `call_code` passes the structs on, so the two sides share the memory of a gang.

With the JIT off an address is the number under which `code_of` keeps the Python function.
"""

_FUNCTIONS: list = [None]  # 0 is no code


def code_of(function):
    """The number that stands for a plain-Python function f(m, d, i, k)."""
    if function not in _FUNCTIONS:
        _FUNCTIONS.append(function)
    return _FUNCTIONS.index(function)


def call_code(address, m, d, i, k):
    """Call the code at an address with two structs and two integers."""
    _FUNCTIONS[address](m, d, i, k)
