"""Ends of messages: what somebody may have meant, and what an operation does."""

import difflib
import inspect
import sys


def like(name, names):
    """What somebody may have meant, as the end of a message."""
    close = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {close[0]}?" if close else ""


def in_lanes():
    """What lanewise.lanes has, by name."""
    return vars(sys.modules[__package__])


def usage(function):
    """An operation with the names of its arguments: where(c, a, b)."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & inspect.CO_VARARGS:
        return f"{function.__name__}(...)"
    return f"{function.__name__}({', '.join(code.co_varnames[: code.co_argcount])})"


def meaning(function):
    """What an operation does, as the end of a message."""
    if function in (min, max):
        return f"; of Lanes, there is {function.__name__}imum(a, b)"
    lines = (function.__doc__ or "").strip().splitlines() if hasattr(function, "__code__") else []
    return f": {lines[0]}" if lines else ""
