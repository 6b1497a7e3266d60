"""Drives of joints as actuators.

USD's law is  force = stiffness (target - q) + damping (target velocity - v),  no larger than
maxForce; MuJoCo's of an affine actuator is  force = gain ctrl + b0 + b1 q + b2 v,  within
forcerange. With a stiffness, ctrl is the target position; without, the target velocity; with
neither, the force itself. What the stage says of targets is in the keyframe that acting.py makes.

Of angles, USD's gains are per degree: as numbers per radian they are 180/pi times as large.
"""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from .losses import Findings
from .stage_values import DEGREE, Units, value


@dataclass(frozen=True)
class Drive:
    """A drive in SI and radians."""

    stiffness: float
    damping: float
    target: float
    target_velocity: float
    most: float  # force or torque; infinite if not said
    by_inertia: bool  # gains are accelerations: to be multiplied by what the joint moves


def drive_of(prim: Any, which: str, units: Units, findings: Findings) -> Drive | None:
    """The drive of a joint along linear, angular, transX .. rotZ; None if there is none."""
    from pxr import UsdPhysics

    if not prim.HasAPI(UsdPhysics.DriveAPI, which):
        return None
    api = UsdPhysics.DriveAPI(prim, which)
    turns = which == "angular" or which.startswith("rot")
    angle, length = (DEGREE, units.length) if turns else (units.length, 1.0)
    # of torque, mass length^2; of force, mass length; over an angle or a length
    force = units.mass * units.length * length
    stiffness, damping, target, velocity, most = (
        value(get())
        for get in (
            api.GetStiffnessAttr, api.GetDampingAttr, api.GetTargetPositionAttr,
            api.GetTargetVelocityAttr, api.GetMaxForceAttr,
        )
    )  # fmt: skip
    if stiffness < 0.0 or damping < 0.0:
        findings.wrong("drives with a negative stiffness or damping", prim)
    by_inertia = str(value(api.GetTypeAttr())) == "acceleration"
    gain = 1.0 if by_inertia else force / angle
    return Drive(
        stiffness * gain, damping * gain, target * angle, velocity * angle,
        most * force if np.isfinite(most) and most < 3e38 else np.inf, by_inertia,
    )  # fmt: skip


def add_actuator(spec: Any, joint: str, name: str, drive: Drive, inertia: float = 1.0) -> float:
    """The actuator of a drive; returns the ctrl that is its target."""
    k, d = drive.stiffness * inertia, drive.damping * inertia
    actuator = spec.add_actuator(
        name=name, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
    )  # fmt: skip
    if np.isfinite(drive.most):
        actuator.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
        actuator.forcerange = [-drive.most, drive.most]
    if k == 0.0 and d == 0.0:
        return 0.0
    actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    gain, bias = np.zeros(10), np.zeros(10)
    gain[0] = k if k > 0.0 else d
    bias[:3] = d * drive.target_velocity if k > 0.0 else 0.0, -k, -d
    actuator.gainprm, actuator.biasprm = gain, bias
    return drive.target if k > 0.0 else drive.target_velocity
