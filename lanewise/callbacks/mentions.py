"""Which fields kernels mention: what a call has to store for them, found without compiling."""

from types import ModuleType

from ..lanes import Kernel

_BY_OTHER_NAMES = {"getattr", "field_at", "state"}  # ways to write a field without saying its name


def mentioned(kernels, names):
    """Those of the names that occur in kernels, or in kernels that these call; a superset of the
    fields that they write."""
    seen, words = set(), set()
    todo = list(kernels)
    while todo:
        kernel = todo.pop()
        if kernel in seen:
            continue
        seen.add(kernel)
        words |= set(kernel.python_function.__code__.co_names)
        todo += _called(kernel.python_function)
    return set(names) if words & _BY_OTHER_NAMES else words & set(names)


def _called(function):
    """Kernels that a function refers to, by its own names or as a part of a module."""
    names = function.__code__.co_names
    things = [function.__globals__.get(name) for name in names]
    things += [cell.cell_contents for cell in function.__closure__ or () if _is_full(cell)]
    modules = [thing for thing in things if isinstance(thing, ModuleType)]
    things += [getattr(module, name, None) for module in modules for name in names]
    return [thing for thing in things if isinstance(thing, Kernel)]


def _is_full(cell):
    try:
        cell.cell_contents  # noqa: B018  an empty cell raises
    except ValueError:
        return False
    return True
