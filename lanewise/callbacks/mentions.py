"""Which fields kernels mention, found without compiling.

A call has to compute what they read, and to store what they write.
"""

from types import ModuleType

from ..lanes import Kernel


def mentioned(kernels, known=frozenset()):
    """Names of attributes that kernels may read or write, with those of kernels that they call; and
    which of the known kernels they call, which are not looked into."""
    seen, words = set(), set()
    todo = list(kernels)
    while todo:
        kernel = todo.pop()
        if kernel not in seen:
            seen.add(kernel)
            if kernel in known:
                continue
            code, things = kernel.python_function.__code__, _things(kernel.python_function)
            words |= set(code.co_names)
            # names that getattr is given
            words |= {x for x in (*code.co_consts, *things) if isinstance(x, str)}
            todo += [x for x in things if isinstance(x, Kernel)]
    return words, seen & known


def _things(function):
    """What a function refers to from outside: by its own names, or as a part of a module."""
    names = function.__code__.co_names
    things = [function.__globals__.get(name) for name in names]
    things += [cell.cell_contents for cell in function.__closure__ or () if _is_full(cell)]
    modules = [thing for thing in things if isinstance(thing, ModuleType)]
    return things + [getattr(module, name, None) for module in modules for name in names]


def _is_full(cell):
    try:
        cell.cell_contents  # noqa: B018  an empty cell raises
    except ValueError:
        return False
    return True
