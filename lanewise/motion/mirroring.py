"""Clips with left and right exchanged.

A mirror M takes the side that it stands across to its opposite, here y of the world. A rotation R
becomes M R M: about the axis a by an angle, it is about -M a by the same angle. So a hinge on the
left takes the angle of its twin on the right, with the sign by which the twin's axis differs from
-M times its own. That this is the mirror image is checked by forward kinematics: bodies must come
out at M times where their twins were. A robot that is not its own mirror image is refused.

Skeletons of motion capture have the sides along x, and all their rest frames in parallel; their
mirror is across x.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from .clip import Clip
from .kinematics_of_clips import body_states
from .motion_errors import MotionError
from .robot import Robot, as_robot, other_side

NEAR = 5e-3  # [m] between bodies and mirror images of their twins


def mirror(clip: Clip, m: Any = None) -> Clip:
    """The mirror image of a clip; m is the model, which a robot's clip needs."""
    if set(clip.widths) == {4}:
        return _of_skeleton(clip)
    if m is None:
        raise MotionError("the mirror image of a robot's motion takes its axes: mirror(m)")
    robot = as_robot(m)
    clip._check_joints(robot, partial=False)
    if robot.balls.any():
        raise MotionError("mirror images of ball joints are for skeletons without a model")
    own = clip.named(robot.joint_names)
    twins = [_twin(robot.joint_names, name) for name in robot.joint_names]
    expected = -robot.axes * (1.0, -1.0, 1.0)  # of the twin's axis, if the sign is the same
    signs = np.sign(np.einsum("ij,ij->i", robot.axes, expected[twins]))
    out = replace(
        own, p_WB=own.p_WB * (1.0, -1.0, 1.0), q_WB=own.q_WB * (1.0, -1.0, 1.0, -1.0),
        joints=own.joints[:, twins] * np.where(signs == 0.0, 1.0, signs), bodies=None,
    )  # fmt: skip
    _check(own, out, robot)
    return replace(out, meaning=clip.meaning.with_("mirrored", "left and right", "argument"))


def _of_skeleton(clip: Clip) -> Clip:
    across = np.array([1.0, 1.0, -1.0, -1.0])  # of quaternions, mirrored across x
    joints = clip.joints.copy()
    for name in clip.joint_names:
        twin = clip.joint_names[_twin(list(clip.joint_names), name)]
        joints[:, clip.columns(name)] = clip.joints[:, clip.columns(twin)] * across
    return replace(
        clip, p_WB=clip.p_WB * (-1.0, 1.0, 1.0), q_WB=clip.q_WB * across, joints=joints,
        bodies=None, meaning=clip.meaning.with_("mirrored", "left and right", "argument"),
    )  # fmt: skip


def _twin(names: list[str], name: str) -> int:
    twin = other_side(name)
    if twin not in names:
        raise MotionError(f"{name} has no twin {twin}: the mirror image needs both sides")
    return names.index(twin)


def _check(clip: Clip, image: Clip, robot: Robot) -> None:
    """Bodies of the image must be where the mirror has their twins."""
    pick = slice(0, len(clip), max(1, len(clip) // 32))
    was, now = (body_states(robot.model, x.qpos(robot)[pick])[0] for x in (clip, image))
    number = dict(zip(robot.body_names, robot.bodies))
    for name, b in number.items():
        twin = number.get(other_side(name), b)
        away = np.abs(now[:, b] - was[:, twin] * (1.0, -1.0, 1.0)).max()
        if away > NEAR:
            raise MotionError(
                f"this robot is not its own mirror image: {name} would be {away:.3g} m from where"
                f" the mirror has {other_side(name)}"
            )
