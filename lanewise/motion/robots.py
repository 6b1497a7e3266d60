"""Joint mappings between systems, by the names of robots.

A robot is its tree of joints, which is a fact of its description files; the orders of all systems
follow from the tree (lanewise.conventions.joint_order), so no table of numbers is kept, but for the
one that SONIC publishes and that people's code has by its name:

    x_mujoco = x_isaaclab[..., G1_ISAACLAB_TO_MUJOCO_DOF]
    x_isaaclab = x_mujoco[..., G1_MUJOCO_TO_ISAACLAB_DOF]

and likewise with _BODY for the rows of bodies, the pelvis first. A test computes them of the trees.

    variant     joints
    g1-29       all of the body
    g1-23       without waist roll and pitch, and without wrist pitch and yaw
    g1-hands    g1-29 with three fingers on each hand, 43 joints
"""

from typing import Any

import numpy as np

from ..conventions import Tree, joint_order, joint_permutation
from ..errors import did_you_mean
from .motion_errors import MotionError

G1_ISAACLAB_TO_MUJOCO_DOF = (
    0, 3, 6, 9, 13, 17, 1, 4, 7, 10, 14, 18, 2, 5, 8, 11, 15, 19, 21, 23, 25, 27, 12, 16, 20, 22,
    24, 26, 28,
)  # fmt: skip
G1_MUJOCO_TO_ISAACLAB_DOF = (
    0, 6, 12, 1, 7, 13, 2, 8, 14, 3, 9, 15, 22, 4, 10, 16, 23, 5, 11, 17, 24, 18, 25, 19, 26, 20,
    27, 21, 28,
)  # fmt: skip
G1_ISAACLAB_TO_MUJOCO_BODY = (0, *(k + 1 for k in G1_ISAACLAB_TO_MUJOCO_DOF))
G1_MUJOCO_TO_ISAACLAB_BODY = (0, *(k + 1 for k in G1_MUJOCO_TO_ISAACLAB_DOF))

_LEG = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
_WAIST = ("waist_yaw", "waist_roll", "waist_pitch")
_ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_roll", "wrist_pitch",
        "wrist_yaw")  # fmt: skip
_FINGERS = (("thumb_0", "thumb_1", "thumb_2"), ("middle_0", "middle_1"), ("index_0", "index_1"))

Nested = dict[str, Any]


def _chain(names: tuple[str, ...], below: Nested) -> Nested:
    """Joints one after the other, and what hangs on the last."""
    for name in reversed(names):
        below = {f"{name}_joint": below}
    return below


def _g1(waist: tuple[str, ...], arm: tuple[str, ...], fingers: bool) -> Nested:
    legs: Nested = {}
    arms: Nested = {}
    for side in ("left", "right"):
        legs |= _chain(tuple(f"{side}_{name}" for name in _LEG), {})
        hand: Nested = {}
        for finger in _FINGERS if fingers else ():
            hand |= _chain(tuple(f"{side}_hand_{name}" for name in finger), {})
        arms |= _chain(tuple(f"{side}_{name}" for name in arm), hand)
    return {"pelvis": legs | _chain(waist, arms)}


ROBOTS: dict[str, Tree] = {
    "g1-29": Tree.from_nested(_g1(_WAIST, _ARM, fingers=False), file="mjcf"),
    "g1-23": Tree.from_nested(_g1(_WAIST[:1], _ARM[:5], fingers=False), file="mjcf"),
    "g1-hands": Tree.from_nested(_g1(_WAIST, _ARM, fingers=True), file="mjcf"),
}


def robot_joints(robot: str, system: str = "mujoco") -> list[str]:
    """Names of a robot's joints in the order of a system; robots are the keys of ROBOTS."""
    return joint_order(_tree(robot), system)


def joint_mapping(robot: Any, source: str, target: str) -> np.ndarray:
    """Where the target's joints are in the source's order: x_target = x_source[..., mapping].

    robot is a key of ROBOTS, or a model, whose own tree is taken then.
    """
    tree = _tree(robot) if isinstance(robot, str) else robot
    return joint_permutation(tree, source, target)


def variant_of(names: Any) -> str | None:
    """The key of ROBOTS whose joints have these names, in any order; None if none has."""
    wanted = set(names)
    return next((key for key in ROBOTS if set(robot_joints(key)) == wanted), None)


def _tree(robot: str) -> Tree:
    if robot not in ROBOTS:
        raise MotionError(
            f"no robot {robot!r}{did_you_mean(robot, ROBOTS)}; there are {', '.join(ROBOTS)}, or a"
            " model of any other"
        )
    return ROBOTS[robot]
