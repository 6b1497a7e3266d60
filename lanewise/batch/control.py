"""User code of a Batch: parameters by world, and controls from a Python function."""

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import numpy as np

from ..lanes import Kernel
from ..mjconst import INT_RK4
from .arguments import numbers
from .runner import Runner
from .variation import Variation


class ParametersOfWorlds(MutableMapping):
    """{name: array} of the parameters of worlds, wherever these are; `_worlds.model` has them."""

    _worlds: Any

    def __setitem__(self, name: str, value: Any) -> None:
        target = self[name]
        target[...] = numbers(value, target.shape, f"parameter {name!r}")

    def __delitem__(self, name: str) -> None:
        raise TypeError("parameters are part of the compiled code: they cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._worlds.model.parameters)

    def __len__(self) -> int:
        return len(self._worlds.model.parameters)


class BatchParameters(ParametersOfWorlds):
    """{name: array} of a Batch's parameters: one for all worlds, or rows after `expand`."""

    def __init__(self, runner: Runner):
        self._runner = self._worlds = runner

    def expand(self, name: str) -> np.ndarray:
        """Give a parameter its own values in every world: a live (nsim, ...) array of them."""
        rows = self._runner.variation.parameters.get(name)
        if rows is None:
            self._runner.model.parameters[name]  # or an error that says which there are
            rows = self._runner.variation.expand_parameter(name)
            self._runner.changed()
        return rows

    def __getitem__(self, name: str) -> np.ndarray:
        rows = self._runner.variation.parameters.get(name)
        return self._runner.model.parameters[name] if rows is None else rows

    def __repr__(self) -> str:
        own = self._runner.variation.parameters
        shapes = (f"{n} {x.shape}{' by world' if n in own else ''}" for n, x in self.items())
        return f"<parameters: {', '.join(shapes)}>"


def check_control(control: Any, variation: Variation) -> None:
    """Refuse what is no function between the halves of a step."""
    if isinstance(control, Kernel):
        raise TypeError("a kernel runs inside of the step: give it to lanewise.load(control=)")
    if not callable(control):
        raise TypeError(f"control is a function of the Batch, got {type(control).__name__}")
    if np.any(variation.option("integrator") == INT_RK4):
        raise ValueError(
            "RK4 has no halves between which a Python function could be called: use another"
            " integrator, or a kernel, which it calls in every stage: lanewise.load(control=)"
        )


def run_control(control: Callable[[Any], Any], batch: Any) -> None:
    answer = control(batch)
    if answer is not None:
        raise TypeError(
            f"control returned {type(answer).__name__}, where it writes to the Batch it is given:"
            " batch.ctrl[:] = ..."
        )
