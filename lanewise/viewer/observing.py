"""What a frame shows: fields that are computed of its states, in a Batch beside the one that runs.

So a picture waits for no step and no step for a picture, outputs of the user's Batch stay as they
are, and a frame of the past is looked at like the present one.
"""

import copy
from typing import Any

import numpy as np

from ..errors import LanewiseError
from .tape import Frame

MOST_WORLDS = 256  # that are drawn


class Eye:
    """Looks at the first worlds of frames, and at one of them in detail."""

    def __init__(self, batch: Any):
        self.batch = copy.copy(batch)
        self.batch.timing = False
        for name in self.batch.bound:
            self.batch.unbind(name)
        self.shown = min(batch.nsim, MOST_WORLDS)
        self._ids = None if self.shown == batch.nsim else np.arange(self.shown)
        self._poses = {name: self.batch.bind(name) for name in ("xpos", "xmat", "xipos")}

    def look(self, frame: Frame) -> None:
        """Poses of all worlds that are shown."""
        self.batch.state[: self.shown] = frame.state[: self.shown]
        self.batch.forward(ids=self._ids, stage=1)

    @property
    def xpos(self) -> np.ndarray:
        """(shown, nbody, 3) [m]"""
        return self._poses["xpos"][: self.shown]

    @property
    def xmat(self) -> np.ndarray:
        """(shown, nbody, 3, 3)"""
        return self._poses["xmat"][: self.shown].reshape(self.shown, -1, 3, 3)

    @property
    def xipos(self) -> np.ndarray:
        """(shown, nbody, 3) [m]: centres of mass"""
        return self._poses["xipos"][: self.shown]

    def state(self, name: str) -> np.ndarray:
        """A component of the state, such as qpos: (shown, ...)."""
        return self.batch.bind(name)[: self.shown]

    def velocity(self, world: int, body: int) -> np.ndarray:
        """[w_WB_W, v_WBo_W] of a body (6,) [rad/s, m/s]."""
        return self.batch.object_velocity("xbody", body, ids=[world])[0]

    def values(self, names: list[str], world: int, frames: list[Frame]) -> dict[str, np.ndarray]:
        """Any fields of one world at several moments: (T, n) each, flat."""
        bound = {name: self.batch.bind(name) for name in names}
        found: dict[str, list[np.ndarray]] = {name: [] for name in names}
        for frame in frames:
            self.batch.state[world] = frame.state[world]
            self.batch.forward(ids=[world])
            for name, array in bound.items():
                found[name].append(np.array(array[world], float).ravel())
        return {name: np.array(rows) for name, rows in found.items()}

    def size(self, name: str) -> int:
        """How many numbers a field has in each world; 0 if it cannot be read."""
        try:
            return int(self.batch.bind(name)[0].size)
        except (LanewiseError, ValueError, TypeError):
            return 0
