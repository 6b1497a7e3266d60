"""What a rollout is given, and what it records."""

from typing import Any

import numpy as np

from ..engine.calls.rollout import PIECE, ROLLOUT
from ..lanes.records import Records
from ..model import Model
from .arguments import control_parts, numbers
from .recording import Recording


class Rollout:
    """The controls and records of a rollout of n worlds over nstep steps."""

    def __init__(self, model: Model, recording: Recording, n: int, nstep: int):
        self.nstep, self.recording = nstep, recording
        self.record = Records(ROLLOUT)
        self.record.set(nrecord=len(recording.records), records=recording.records)
        self.names = recording.names
        self.has_control = False
        self._model, self._n = model, n

    def control(self, control: Any, spec: Any) -> None:
        """Set the state components of spec before each step."""
        parts, size = control_parts(self._model, spec)
        control = numbers(control, (self._n, self.nstep, size), "control")
        pieces = pieces_of(parts)
        self.record.set(
            ncontrol=size, control=np.ascontiguousarray(control, np.float64), npiece=len(pieces),
            pieces=pieces,
        )  # fmt: skip
        self.has_control = size > 0


def pieces_of(parts: list[tuple[int, int, int]]) -> Records:
    """How a vector of state components becomes parts of a state row: see components.py."""
    return Records.of(PIECE, [
        {"source": source, "target": target, "count": count} for source, target, count in parts
    ])  # fmt: skip
