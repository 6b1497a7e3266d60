"""Parameters of user code, of worlds on many nodes."""

import numpy as np

from ..batch.control import ParametersOfWorlds
from .far import Far
from .pieces import merged


class Parameters(ParametersOfWorlds):
    """{name: array} of a Batch's parameters: one for all worlds, or rows after `expand`."""

    def __init__(self, far: Far):
        self._far = self._worlds = far

    def expand(self, name: str) -> np.ndarray:
        """Give a parameter its own values in every world: a live (nsim, ...) array of them."""

        def rows() -> np.ndarray:
            self._far.model.parameters[name]  # or an error that says which there are
            answers = self._far.exchange("expand_parameter", None, name)
            return merged([answer.value.value for answer in answers])

        return self._far.expand("parameter", name, rows)

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self._far.names("parameter"):
            return self.expand(name)
        return self._far.watched().parameters[name]
