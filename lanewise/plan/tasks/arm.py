"""Keep an arm's gripper at a target that moves on an ellipse, and may be dragged about."""

import numpy as np

from ...public import Batch
from ..costs import Term
from ..task import Task
from . import scene

COST = (
    Term("reach", 10.0, "l2", 0.02),
    Term("qvel", 0.002, name="speed"),
)
SIZE = np.array([0.05, 0.28, 0.12])  # of the ellipse [m], by axis
TURN = 6.0  # seconds for a turn


def make() -> Task:
    vary = np.full(8, 0.25)
    vary[7] = 0.0  # the gripper has nothing to do
    return Task(
        scene("arm"), COST, 0.4, name="arm", timestep=0.01, knots=4, vary=vary, keyframe="ready",
        update=Mover(), measure=measure,
    )  # fmt: skip


def path(time: float) -> np.ndarray:
    """Where the target is, less where it began (3,) [m]."""
    phase = 2.0 * np.pi * time / TURN
    return SIZE * np.array([np.cos(phase) - 1.0, np.sin(phase), np.sin(2.0 * phase)])


class Mover:
    """Moves the target from where it is, so that it goes on from where a hand has put it."""

    def __init__(self) -> None:
        self.last = 0.0  # when it was moved [s]

    def __call__(self, batch: Batch) -> None:
        now = float(batch.time[0])
        before = min(self.last, now)  # time may have been set back, and the target with it
        batch.mocap_pos[0, 0] += path(now) - path(before)
        self.last = now


def measure(batch: Batch) -> dict[str, float]:
    batch.forward(stage=1)
    return {"distance": float(np.linalg.norm(batch.site("grip").xpos[0] - batch.mocap_pos[0, 0]))}
