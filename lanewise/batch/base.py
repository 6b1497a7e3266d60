"""What the parts of a Batch know of each other: batch.py is made of them.

A part is a class with a file of its own:

    by_name.py       bodies, joints, ... by name, contacts, parameters of user code
    state.py         state vectors
    jacobians.py     Jacobians of points, objects and subtrees
    motions.py       velocities and accelerations of objects, frames in bodies, forces on them
    skipping.py      halves of a step, forward dynamics in part, inverse dynamics
    sampling.py      forward dynamics of each world at many inputs
    analysis.py      the inertia matrix, products with it and with constraints
    differences.py   derivatives
    looking.py       rays, distances, insides
    world_models.py  the models of the worlds: expanded fields, set_const, set_models
    diagnostics.py   timers, solver iterations, room and memory
"""

from typing import Any

import numpy as np

from .arguments import make_ids
from .reading import ASKED
from .runner import Runner
from .variation import Variation


class BatchBase:
    """The worlds of a Batch, as its parts see them."""

    model: Any
    nsim: int
    nthread: int
    persistent: bool
    fresh: bool
    cpu_ids: tuple[int, ...] | None
    nstate: int
    state: np.ndarray
    warning: np.ndarray
    resets: np.ndarray
    maxuse_con: np.ndarray
    maxuse_efc: np.ndarray
    status: np.ndarray
    _model: Any
    _nthread: int
    _runner: Runner
    _given: Any
    _models: Any
    _unread: bool

    @property
    def _variation(self) -> Variation:
        return self._runner.variation

    def _chosen(self, ids: Any) -> tuple[np.ndarray | None, int]:
        """The worlds of a call, None for all, and how many they are."""
        ids = make_ids(ids, self.nsim)
        return ids, self.nsim if ids is None else len(ids)

    def _read(self, name: str, way: int = ASKED) -> np.ndarray:
        raise NotImplementedError

    def _run(self, ids: np.ndarray | None, nstep: int, stage: int, keep: bool = False) -> None:
        raise NotImplementedError

    def bind(self, name: str, dtype: Any = None) -> np.ndarray:
        raise NotImplementedError
