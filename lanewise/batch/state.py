"""State vectors of all worlds, with any of mjtState's components."""

from typing import Any

import numpy as np

from ..components import INTEGRATION, spec_bits, state_parts
from .arguments import numbers
from .base import BatchBase


class BatchState(BatchBase):
    """The part of a Batch that reads and writes state vectors."""

    def state_size(self, spec: Any = INTEGRATION) -> int:
        """Length of a state vector with the components of spec.

        spec is bits of mujoco.mjtState, the name of a component ("qpos") or of a set of MuJoCo's
        ("physics", "fullphysics", "user", "integration"), or several of these; by default all.
        """
        return state_parts(self._model, spec_bits(spec))[1]

    def get_state(self, spec: Any = INTEGRATION, ids: Any = None) -> np.ndarray:
        """State vectors with the components of spec, as in `state_size`, in the order of mjtState:
        a copy, (n, size)."""
        ids, _ = self._chosen(ids)
        parts, _ = state_parts(self._model, spec_bits(spec))
        rows = self._runner.state if ids is None else self._runner.state[ids]
        return np.concatenate([rows[:, :0], *(rows[:, at : at + n] for _, at, n in parts)], axis=1)

    def set_state(self, state: Any, spec: Any = INTEGRATION, ids: Any = None) -> None:
        """Set the state components of spec, as in `state_size`, from a vector for each world,
        (n, size), or one for all.

        This is as writing to qpos, ctrl, ...: other components, warnings and outputs stay as they
        are, and so do the stages that `forward_skip` knows.
        """
        ids, n = self._chosen(ids)
        parts, size = state_parts(self._model, spec_bits(spec))
        rows = numbers(state, (n, size), "state")
        place = slice(None) if ids is None else ids
        for source, at, count in parts:
            self._runner.state[place, at : at + count] = rows[:, source : source + count]
