"""Stand up from lying on the back, and keep standing.

Plans are made of angles, not of torques: every motor becomes a servo that is no stronger than the
motor was. A pose is then a point among the knots, where torques would have to find it by
themselves.
"""

import xml.etree.ElementTree as ET

import numpy as np

from ... import models
from ...public import Batch
from ..task import Task
from . import scene

HEAD = 1.49  # its height, standing [m]
LIE = (0.0, 0.0, 0.12, 0.70710678, 0.0, -0.70710678, 0.0)  # pelvis: on the back
NQ = 28
KP, KV = 3.0, 0.15  # of a servo, for each Nm of its motor [1/rad, s/rad]


def cost(states: np.ndarray, sensors: np.ndarray, controls: np.ndarray) -> np.ndarray:
    head, pelvis, chest_up, pelvis_up, left, right, left_up, right_up, com, com_speed = (
        sensors[..., 3 * k : 3 * k + 3] for k in range(10)
    )
    joints, joint_speed = states[..., 7:NQ], states[..., NQ + 6 :]
    feet = 0.5 * (left + right)
    height = head[..., 2] - feet[..., 2]
    up = np.clip(height / HEAD, 0.0, 1.0)  # how far it stands
    # where the centre of mass would come to rest, if it were an inverted pendulum
    capture = com[..., :2] + com_speed[..., :2] * np.sqrt(np.maximum(com[..., 2:3], 0.1) / 9.81)
    off = _norm(capture - feet[..., :2], 0.1)
    return (
        20.0 * (HEAD - height) / HEAD
        + 10.0 * np.maximum(0.93 - pelvis[..., 2], 0.0)
        + 5.0 * off * (0.2 + up)
        + 2.0 * (2.0 - left_up[..., 2] - right_up[..., 2])
        + 3.0 * up * (2.0 - chest_up[..., 2] - pelvis_up[..., 2])
        + 0.1 * up**2 * (joints**2).sum(axis=-1)
        + 0.002 * (joint_speed**2).sum(axis=-1)
    )


def _norm(x: np.ndarray, p: float) -> np.ndarray:
    return np.sqrt((x * x).sum(axis=-1) + p * p) - p


def make() -> Task:
    return Task(
        with_servos(), cost, 0.6, name="humanoid", timestep=0.01, knots=6, period=0.04,
        reset=lie_down, measure=measure,
    )  # fmt: skip


def with_servos() -> str:
    """The model with servos for motors, and with the scene's sensors, as MJCF."""
    root = ET.parse(models.path("humanoid")).getroot()
    for option in root.iter("option"):
        option.set("integrator", "implicitfast")  # for the damping of servos
    for motor in root.findall("actuator/motor"):
        torque = float(motor.attrib.pop("gear"))
        motor.tag = "position"
        motor.attrib |= {
            "kp": f"{KP * torque}", "kv": f"{KV * torque}", "inheritrange": "1",
            "forcerange": f"{-torque} {torque}",
        }  # fmt: skip
    root.extend(ET.parse(scene("humanoid")).getroot().findall("sensor"))
    return ET.tostring(root, encoding="unicode")


def lie_down(batch: Batch, rng: np.random.Generator) -> None:
    batch.qpos[0, :7] = LIE
    batch.qpos[0, 7:] = 0.05 * rng.standard_normal(NQ - 7)
    batch.step(nstep=200)
    batch.time[:] = 0.0


def measure(batch: Batch) -> dict[str, float]:
    batch.forward(stage=1)
    head = batch.geom("head").xpos[0, 2]
    return {"head": float(head), "pelvis": float(batch.qpos[0, 2])}
