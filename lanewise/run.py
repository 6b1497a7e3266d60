"""Running the stages of the pipeline on a Model and a Data: compiled, or as plain Python."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .engine import entries
from .engine.stages import OPERATIONS, STAGES, Stage
from .lanes import JIT

_STAGES: dict[str, Stage] = {**STAGES, **OPERATIONS}


def runner(name: str) -> Callable[[Any, Any], None]:
    """The stage or operation of this name, as a function of a Model and a Data.

    The first run may have to compile.
    """
    return _compiled(name) if JIT else _python(name)


def _compiled(name: str) -> Callable[[Any, Any], None]:
    entry: Any = None

    def run(m: Any, d: Any) -> None:
        nonlocal entry
        if entry is None:
            entry = entries.SHARED[name]
        entry(m.pointer, d.pointer)

    return run


def _python(name: str) -> Callable[[Any, Any], None]:
    def run(m: Any, d: Any) -> None:
        with np.errstate(all="ignore"):
            _STAGES[name].kernel(m.struct, d.struct)

    return run
