"""Turn a block in the hand to a goal's orientation, which then turns on."""

import numpy as np

from ... import frames
from ...public import Batch
from ..costs import Term
from ..task import Task
from . import scene

PLACE = (-0.003, -0.018, 0.243)  # of the block in the hand [m]
HOLD = np.array([0.0, 1.4, 1.0, 0.5] * 3 + [0.45, 0.5, 0.6, 0.4])  # fingers around it [rad]
BLOCK = 16  # where it begins in qpos
TURN = np.pi / 6.0  # from a goal to the next, about the vertical [rad]
FALLEN = 0.1  # height of the block [m]
NEAR = 0.2  # where a goal is reached [rad]

COST = (
    Term("turn", 2.5, "l2", 0.05, part=slice(1, 4)),
    Term("place", 10.0, "l2", 0.01, target=PLACE),
    Term("speed", 0.05),
    Term("spin", 0.001),
    Term("qpos", 0.02, part=slice(0, 16), target=HOLD, name="fingers"),
    Term("qvel", 0.00005, part=slice(0, 16), name="finger speed"),
)


def make() -> Task:
    return Task(
        scene("cube"), COST, 0.42, name="cube", timestep=0.007, knots=5, vary=0.8, period=0.05,
        keyframe="hold", reset=begin, update=turn_goal, measure=measure,
    )  # fmt: skip


def begin(batch: Batch, rng: np.random.Generator) -> None:
    """The first goal."""
    batch.mocap_quat[0, 0] = batch.qpos[0, BLOCK + 3 :]
    turn_on(batch)


def turn_on(batch: Batch) -> None:
    """The goal, turned about the vertical."""
    by = frames.axis_angle_to_quat(np.array([0.0, 0.0, 1.0]), TURN)
    batch.mocap_quat[0, 0] = frames.mul_quat(by, batch.mocap_quat[0, 0])


def turn_goal(batch: Batch) -> None:
    """The next goal, if this one is reached; a block that was dropped is put back."""
    if angle(batch) < NEAR:
        turn_on(batch)
    if batch.qpos[0, BLOCK + 2] < FALLEN:
        batch.qpos[0], batch.qvel[0] = batch.model.key_qpos[0], 0.0


def angle(batch: Batch) -> float:
    """Between the block and its goal [rad]."""
    w = abs(float(batch.qpos[0, BLOCK + 3 :] @ batch.mocap_quat[0, 0]))
    return 2.0 * float(np.arccos(min(w, 1.0)))


def measure(batch: Batch) -> dict[str, float]:
    off = float(np.linalg.norm(batch.qpos[0, BLOCK : BLOCK + 3] - PLACE))
    return {"angle": angle(batch), "off": off}
