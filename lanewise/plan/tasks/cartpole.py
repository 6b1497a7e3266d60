"""Swing a pole up from hanging, and balance it in the middle of the rail."""

import numpy as np

from ...public import Batch
from ..costs import Term
from ..task import Task
from . import scene

COST = (
    Term("pole", 10.0, target=(0.0, 0.0, 1.0), name="upright"),
    Term("cart", 2.0, name="middle"),
    Term("qvel", 0.02, name="speed"),
    Term("ctrl", 0.02, name="effort"),
)


def make() -> Task:
    return Task(
        scene("cartpole"), COST, 1.2, name="cartpole", timestep=0.01, knots=8, keyframe="hanging",
        measure=measure,
    )  # fmt: skip


def measure(batch: Batch) -> dict[str, float]:
    angle = batch.qpos[0, 1] % (2.0 * np.pi)
    return {"angle": float(min(angle, 2.0 * np.pi - angle)), "cart": float(batch.qpos[0, 0])}
