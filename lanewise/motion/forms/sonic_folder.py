"""SONIC's reference motions for deployment: a folder of tables, each with a line of names.

    joint_pos.csv, joint_vel.csv            (T, n) [rad], in Isaac Lab's order
    body_pos.csv, body_quat.csv             (T, B * 3) [m] and (T, B * 4), wxyz
    body_lin_vel.csv, body_ang_vel.csv      in world axes
    metadata.txt                            "Body part indexes: [0 4 10 ...]", in Isaac Lab's order

They have 50 frames a second, and do not say so; joint_vel tells. The orders are found by forward
kinematics, as the bodies are there. Of a G1, SONIC's own files have the 14 bodies that it tracks,
and so have those that are written, unless bodies="all". Velocities of bodies are not read: they
follow from positions.
"""

import re
from typing import Any

import numpy as np

from ..clip import Bodies, Clip
from ..decisions import Case, decide_by_bodies, decide_fps, decide_joints, decide_root_rot
from ..motion_errors import MotionError
from ..robot import Robot
from ..robots import variant_of
from ..tables import Table
from .form import Form, array, frame_times, needs_robot, same_length
from .isaaclab_npz import body_arrays

FPS = 50.0
G1_BODIES = (0, 4, 10, 18, 5, 11, 19, 9, 16, 22, 28, 17, 23, 29)  # that SONIC tracks


def recognizes(contents: Any) -> bool:
    return "joint_pos" in contents and "body_quat" in contents


def read(case: Case, contents: Any) -> Clip:
    joints = array(case, contents, "joint_pos", -1)
    vel = array(case, contents, "joint_vel", -1) if "joint_vel" in contents else None
    pos, quat = (
        _bodies(case, contents, name, n) for name, n in (("body_pos", 3), ("body_quat", 4))
    )
    T = same_length(case, joint_pos=joints, joint_vel=vel, body_pos=pos, body_quat=quat)
    if pos.shape[1] != quat.shape[1]:
        raise case.refuse(f"body_pos has {pos.shape[1]} bodies, body_quat {quat.shape[1]}")
    indexes = _indexes(case, contents.get("metadata", ""), pos.shape[1])
    case.note("form", "sonic-csv", "file", "joint_pos.csv")
    case.note("up", "z", "form")
    bodies = None
    if case.said.robot is not None and pos.shape[1] > 1:
        names, listed, quat = decide_by_bodies(case, joints, pos, quat, indexes=indexes)
        q, bodies = quat[:, 0], Bodies(tuple(listed), pos, quat)
    else:
        q = decide_root_rot(case, quat[:, 0], by_form="wxyz", where="body_quat")
        names = decide_joints(case, joints, by_form="isaaclab-2")
    fps = decide_fps(case, None, joints, vel, by_form=FPS)
    robot = case.said.robot
    return Clip(frame_times(T, fps), pos[:, 0], q, joints, tuple(names), bodies=bodies,
                root=robot.root_name if robot else None, meaning=case.meaning)  # fmt: skip


def _bodies(case: Case, contents: Any, name: str, n: int) -> np.ndarray:
    x = array(case, contents, name, -1)
    if not x.shape[1] or x.shape[1] % n:
        raise case.refuse(f"{name} has {x.shape[1]} columns, which are no rows of {n} for bodies")
    return x.reshape(len(x), -1, n)


def _indexes(case: Case, text: str, number: int) -> list[int] | None:
    """Which bodies of the robot a folder has."""
    found = re.search(r"indexes:?\s*\[([\d\s,]*)\]", text)
    if not found:
        return None
    indexes = [int(x) for x in re.findall(r"\d+", found[1])]
    if len(indexes) != number or indexes[:1] != [0]:
        raise case.refuse(
            f"metadata.txt lists bodies {indexes}, and the tables have {number}, the root first"
        )
    return indexes


def write(clip: Clip, robot: Robot | None, options: dict[str, Any]) -> dict[str, Any]:
    robot = needs_robot(robot, "sonic-csv")
    pick = _listed(robot, options.get("bodies", "sonic"))
    arrays = body_arrays(clip, robot, "isaaclab-2", "origin", pick)
    T, number = arrays["body_pos_w"].shape[:2]
    tables: dict[str, Any] = {}
    for name in ("joint_pos", "joint_vel"):
        x = arrays[name]
        tables[name] = Table(x, tuple(f"joint_{k}" for k in range(x.shape[1])))
    for name, axes in (("pos", "xyz"), ("quat", "wxyz"), ("lin_vel", "xyz"), ("ang_vel", "xyz")):
        names = tuple(f"body_{b}_{a}" for b in range(number) for a in axes)
        tables[f"body_{name}"] = Table(arrays[f"body_{name}_w"].reshape(T, -1), names)
    listed = " ".join(map(str, pick))
    tables["metadata"] = f"Body part indexes:\n[{listed}]\n\nTotal timesteps:\n{T}\n"
    return tables


def _listed(robot: Robot, which: Any) -> list[int]:
    """Numbers of bodies in Isaac Lab's order: SONIC's own of a G1, or all."""
    if which not in ("sonic", "all"):
        raise MotionError(f"bodies must be sonic or all; got {which!r}")
    number = len(robot.body_orders("isaaclab-2")[0])
    own = which == "sonic" and variant_of(robot.joint_names) == "g1-29"
    return list(G1_BODIES) if own and number == 30 else list(range(number))


FOLDER = Form("sonic-csv", "SONIC's reference motions, a folder of tables", "folder", recognizes,
              read, write, ("bodies",))  # fmt: skip
