"""What a Batch remembers of stages between calls: see engine/calls/kept.py.

Rows are made when the first call keeps something. Calls that move worlds on, and resets, forget.
"""

from typing import Any

import numpy as np

from ..engine.calls.kept import KEPT, KNOWN_NONE, KNOWN_VEL
from ..lanes.records import Records
from .aligned import aligned


class Kept:
    """The states at which stages of the worlds were last computed."""

    def __init__(self, state: np.ndarray, sensed: bool):
        self._state = state
        self.rows: dict[str, np.ndarray] = {}  # members of the record that are arrays
        self.record = Records(KEPT)
        self.record.set(sensed=sensed)

    def open(self, apart: bool = False) -> None:
        """A call is going to keep states; apart: those of velocity stages by themselves."""
        if not self.rows:
            self._make("known", (len(self._state),), np.int32)
            self._make("positions", self._state.shape)
        if apart and "velocities" not in self.rows:
            self._make("velocities", self._state.shape)

    def _make(self, name: str, shape: tuple[int, ...], dtype: Any = np.float64) -> None:
        self.rows[name] = aligned(shape, dtype)
        self.record.set(**{name: self.rows[name]})

    def forget(self, ids: np.ndarray | None) -> None:
        """Nothing is known of these worlds any more."""
        if self.rows:
            self.rows["known"][slice(None) if ids is None else ids] = KNOWN_NONE

    def unknown(self, ids: np.ndarray | None, skip: int) -> np.ndarray:
        """Those of these worlds of which not all stages up to `skip` are known."""
        sims = np.arange(len(self._state)) if ids is None else ids
        return sims[self.rows["known"][sims] < skip] if self.rows else sims

    def take(self, sims: np.ndarray) -> None:
        """Let the present states be those that are known."""
        self.rows["positions"][sims] = self._state[sims]
        self.rows["known"][sims] = KNOWN_VEL

    def contents(self) -> dict[str, np.ndarray]:
        """What there is to keep of it in a copy."""
        return self.rows

    def restore(self, contents: dict[str, np.ndarray]) -> None:
        """Hold what another holds."""
        if contents:
            self.open("velocities" in contents)
            for name, rows in contents.items():
                self.rows[name][...] = rows
