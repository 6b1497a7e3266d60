"""Running the stages of the pipeline on a Model and a Data: compiled, or as plain Python."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .engine.pipeline import steps
from .engine.stages import OPERATIONS, STAGES, Stage
from .lanes import JIT

_STAGES: dict[str, Stage] = {**STAGES, **OPERATIONS}


def runner(name: str) -> Callable[[Any, Any], None]:
    """The stage or operation of this name, as a function of a Model and a Data.

    The first run may have to compile.
    """
    return _compiled(name) if JIT else _python(name)


def _compiled(name: str) -> Callable[[Any, Any], None]:
    def run(m: Any, d: Any) -> None:
        if d.spare:
            d.follow()
        d.functions[name](m.pointer, d.pointer)

    return run


def _python(name: str) -> Callable[[Any, Any], None]:
    def run(m: Any, d: Any) -> None:
        if d.spare:
            d.follow()
        with np.errstate(all="ignore"):
            _STAGES[name].kernel(m.struct, d.struct)

    return run


def advance_python(m: Any, d: Any) -> Callable[[int], int]:
    """n steps as plain Python; as the compiled `steps`."""

    def advance(n: int) -> int:
        with np.errstate(all="ignore"):
            return steps(m.struct, d.struct, n)

    return advance
