"""Walk to a goal, which moves to another place whenever it is reached."""

from collections.abc import Callable

import numpy as np

from ...public import Batch
from ..costs import Term
from ..task import Task
from . import scene

STAND = np.tile([0.0, 0.75, -1.45], 4)
HEIGHT = 0.36  # of the trunk [m]
RADIUS = 0.024  # of a foot [m]
CADENCE, DUTY, LIFT = 2.0, 0.5, 0.06  # steps in a second, part on the ground, height of a step [m]
NEAR = 0.25  # where the goal is reached [m]


def foot_height(offset: float) -> Callable[[np.ndarray], np.ndarray]:
    """Of a foot at times (steps,), in a gait in which it is lifted once in a cycle: (steps, 1)."""

    def height(times: np.ndarray) -> np.ndarray:
        swing = ((CADENCE * times + offset) % 1.0 - DUTY) / (1.0 - DUTY)  # from 0 to 1 in the air
        return RADIUS + LIFT * np.sin(np.pi * np.clip(swing, 0.0, 1.0))[:, None]

    return height


COST = (
    Term("goal", 1.0, "l2", 0.2, part=slice(0, 2), name="goal"),
    Term("goal", 0.3, "l2", 0.2, part=slice(1, 2), name="heading"),
    Term("up", 5.0, "quadratic", target=(0.0, 0.0, 1.0), name="upright"),
    Term("trunk", 100.0, "quadratic", part=[2], target=HEIGHT, name="height"),
    Term("front_left", 5.0, "l2", 0.02, part=[2], target=foot_height(0.0)),
    Term("hind_right", 5.0, "l2", 0.02, part=[2], target=foot_height(0.0)),
    Term("front_right", 5.0, "l2", 0.02, part=[2], target=foot_height(0.5)),
    Term("hind_left", 5.0, "l2", 0.02, part=[2], target=foot_height(0.5)),
    Term("qpos", 0.05, part=slice(7, None), target=STAND, name="posture"),
    Term("turning", 0.01, name="turning"),
)


def make() -> Task:
    return Task(
        scene("quadruped"), COST, 0.4, name="quadruped", timestep=0.008, knots=5, spline="linear",
        vary=np.tile([0.5, 0.5, 0.7], 4), keyframe="stand", update=Goals(), measure=measure,
    )  # fmt: skip


class Goals:
    """Puts the goal elsewhere when it is reached."""

    PLACES = ((1.5, 0.8), (1.5, -0.8), (-0.5, -0.8), (0.0, 0.8))

    def __call__(self, batch: Batch) -> None:
        goal = batch.mocap_pos[0, 0, :2]
        if np.linalg.norm(goal - batch.qpos[0, :2]) < NEAR:
            near = [float(np.linalg.norm(goal - place)) for place in self.PLACES]
            goal[:] = self.PLACES[(int(np.argmin(near)) + 1) % len(self.PLACES)]


def measure(batch: Batch) -> dict[str, float]:
    batch.forward(stage=1)
    goal = batch.mocap_pos[0, 0, :2]
    return {
        "distance": float(np.linalg.norm(goal - batch.qpos[0, :2])),
        "height": float(batch.qpos[0, 2]),
        "upright": float(batch.xmat[0, 1, 2, 2] if batch.xmat.ndim == 4 else batch.xmat[0, 1, 8]),
    }
