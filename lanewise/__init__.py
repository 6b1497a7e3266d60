"""Lanewise: multi-joint physics, eight worlds in the lanes of one SIMD register.

    m = lanewise.load("humanoid.xml")
    d = lanewise.Data(m)                  # one world
    lanewise.step(m, d)
    b = lanewise.Batch(m, nsim=4096)      # many worlds, on all cores
    b.step(nstep=10)

Every stage of the pipeline is a function by its name: kinematics, com_pos, crb, ...; see
docs/fields.md for the fields that each of them computes.

    from lanewise import conventions      # what the numbers of other systems mean; NumPy only
    from lanewise import bridges          # a running simulation in their layouts

Names of the engine are imported when one of them is first used: who only converts numbers does not
wait for it.
"""

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import bridges, conventions, models
    from .public import *

    def __getattr__(name: str) -> Any: ...  # the stages, which come from their table


PARTS = ("bridges", "conventions", "models")  # modules that are attributes too
FUNCTIONS = ("collision", "load")  # functions that have the name of a module


class Package(ModuleType):
    """This module. Importing lanewise.load does not put it in the place of the function `load`."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in FUNCTIONS or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name in PARTS:
            return importlib.import_module(f".{name}", __name__)
        if not name.startswith("_"):
            public = importlib.import_module(".public", __name__)
            if name in public.__all__:
                value = getattr(public, name)
                setattr(self, name, value)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        public = importlib.import_module(".public", __name__)
        return sorted({*super().__dir__(), *public.__all__, *PARTS})


sys.modules[__name__].__class__ = Package
