"""Arrays of Isaac Lab in an npz file, by their names there.

    root_state_w  (T, 13), or root_pose_w or root_link_pose_w (T, 7): position and quaternion, wxyz
                  in version 2 and xyzw in version 3; then velocities of the centre of mass
    joint_pos     (T, n) [rad], joint_vel (T, n) [rad/s], in Isaac Lab's order
    joint_names   optional, with it the order is told by names
    fps           frames a second
    body_pos_w    (T, B, 3) and body_quat_w (T, B, 4), optional: they tell the orders

The quaternion is found by forward kinematics if there are bodies, and else by which way is up.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..clip import Bodies, Clip
from ..decisions import Case, Moving, decide_by_bodies, decide_fps, decide_joints, decide_root_rot
from ..frame_blocks import by_blocks
from ..kinematics_of_clips import body_states
from ..robot import Robot
from .form import Form, array, frame_times, needs_robot, same_length, words

ROOTS = {"root_state_w": 13, "root_pose_w": 7, "root_link_pose_w": 7, "root_link_state_w": 13}
ORDER = {"isaaclab-2": "wxyz", "isaaclab-3": "xyzw"}


def recognizes(contents: Any) -> bool:
    return "joint_pos" in contents and any(name in contents for name in ROOTS)


def read(case: Case, contents: Any) -> Clip:
    root = next(name for name in ROOTS if name in contents)
    pose = array(case, contents, root, ROOTS[root])[:, :7]
    joints = array(case, contents, "joint_pos", -1)
    T = same_length(case, joint_pos=joints, **{root: pose})
    case.note("form", case.said.form or "isaaclab", "file", root)
    case.note("up", "z", "form")
    names, bodies = words(contents.get("joint_names")), None
    if "body_pos_w" in contents and "body_quat_w" in contents and case.said.robot is not None:
        pos = array(case, contents, "body_pos_w", -1, 3)
        quat = array(case, contents, "body_quat_w", -1, 4)
        same_length(case, joint_pos=joints, body_pos_w=pos, body_quat_w=quat)
        found, listed, quat = decide_by_bodies(
            case, joints, pos, quat, names=names, body_names=words(contents.get("body_names"))
        )
        p, q, bodies = pos[:, 0], quat[:, 0], Bodies(tuple(listed), pos, quat)
    else:
        by_form = ORDER.get(case.said.form or "")
        found = decide_joints(case, joints, names=names, by_form=case.said.form)
        p = pose[:, :3]
        q = decide_root_rot(case, pose[:, 3:], by_form=by_form, where=root,
                            moving=Moving(p, joints, found))  # fmt: skip
    fps = decide_fps(case, contents.get("fps"), joints, contents.get("joint_vel"))
    robot = case.said.robot
    return Clip(frame_times(T, fps), p, q, joints, tuple(found), bodies=bodies,
                root=robot.root_name if robot else None, meaning=case.meaning)  # fmt: skip


def body_arrays(
    clip: Clip, robot: Robot, order: str, point: str, pick: Sequence[int] | None = None
) -> dict[str, np.ndarray]:
    """joint_pos, joint_vel, bodies and their velocities in an order; quaternions wxyz. pick: the
    bodies by their numbers in this order; all if it is not given."""
    own = clip.in_order(order, robot)
    own.as_conventions()  # hinges only
    m = robot.model
    dofs = dict(zip(robot.joint_names, m.jnt_dofadr[robot.joints], strict=True))
    number = dict(zip(robot.body_names, robot.bodies, strict=True))
    listed = robot.body_orders(order)[0]
    if pick is not None:
        listed = [listed[k] for k in pick]
    qvel = clip.qvel(robot)
    pos, quat, lin_vel, ang_vel = body_states(
        m, clip.qpos(robot), qvel, [number[name] for name in listed], point
    )
    return {
        "fps": np.array([clip.fps]), "joint_pos": own.joints,
        "joint_vel": qvel[:, [dofs[name] for name in own.joint_names]],
        "body_pos_w": pos, "body_quat_w": quat, "body_lin_vel_w": lin_vel,
        "body_ang_vel_w": ang_vel, "joint_names": np.array(own.joint_names),
        "body_names": np.array(listed),
    }  # fmt: skip


def _write(version: str) -> Any:
    def write(clip: Clip, robot: Robot | None, options: dict[str, Any]) -> dict[str, Any]:
        arrays = body_arrays(clip, needs_robot(robot, version), version, "com")
        if ORDER[version] == "xyzw":
            _to_xyzw(arrays["body_quat_w"])
        arrays["root_state_w"] = np.concatenate(
            [arrays[f"body_{x}_w"][:, 0] for x in ("pos", "quat", "lin_vel", "ang_vel")], 1
        )
        return without_names(arrays, options)

    return write


def _to_xyzw(q: np.ndarray) -> None:
    """In place."""

    def turn(part: slice) -> None:
        q[part] = np.roll(q[part], -1, -1)

    by_blocks(len(q), turn)


def without_names(arrays: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Names of joints and bodies are left out with names=False, as most files have it."""
    if options.get("names", True):
        return arrays
    return {k: x for k, x in arrays.items() if not k.endswith("_names")}


ISAACLAB_2, ISAACLAB_3 = (
    Form(name, f"arrays of Isaac Lab {name[-1]}", "npz", recognizes, read, _write(name), ("names",))
    for name in ORDER
)
