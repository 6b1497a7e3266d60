"""Tasks that come along, a file each: `tasks.make("cartpole")`.

A file has a function `make`, which returns the Task; its docstring says what is to be done.
"""

import importlib
import pkgutil
from pathlib import Path

from ...errors import no_such
from ..task import Task

_SCENES = Path(__file__).resolve().parent.parent / "scenes"


def names() -> list[str]:
    """What `make` knows."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def make(name: str) -> Task:
    """A task that comes along, by its name."""
    if name not in names():
        raise ValueError(no_such("task", name, names()))
    return importlib.import_module(f".{name}", __name__).make()


def about(name: str) -> str:
    """What is to be done in it, in a line."""
    if name not in names():
        raise ValueError(no_such("task", name, names()))
    return (importlib.import_module(f".{name}", __name__).__doc__ or "").partition("\n")[0]


def scene(name: str) -> Path:
    """The MJCF file of a task."""
    return _SCENES / f"{name}.xml"
