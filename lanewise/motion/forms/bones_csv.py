"""Bones-SEED: a table with names, centimetres and degrees.

    Frame, root_translateX Y Z [cm], root_rotateX Y Z [deg], *_dof [deg] by the names of joints

The root's angles are extrinsic xyz, as lanewise.conventions.motion_forms tells; files have 120
frames a second, and do not say so.
"""

from typing import Any

import numpy as np

from ...conventions.motion_forms import bones_from_clip, clip_from_bones
from ..clip import Clip
from ..decisions import Case, decide_fps, decide_joints
from ..robot import Robot
from ..tables import Table
from .form import Form, frame_times

FPS = 120.0
KEY = "root_translateX"


def recognizes(contents: Any) -> bool:
    return isinstance(contents, Table) and contents.names is not None and KEY in contents.names


def read(case: Case, contents: Table) -> Clip:
    columns = dict(zip(contents.names or (), contents.values.T))
    found = clip_from_bones(columns)
    names = tuple(name.removesuffix("_dof") for name in columns if name.endswith("_dof"))
    robot = case.said.robot
    if robot is not None:
        with_joint = tuple(
            f"{n}_joint" if n not in robot.joint_names and f"{n}_joint" in robot.joint_names else n
            for n in names
        )
        names = with_joint
    case.note("form", "bones", "file", KEY)
    case.note("up", "z", "form")
    case.note("unit", "cm and degrees", "form")
    names = tuple(decide_joints(case, found.joints, names=names))
    fps = decide_fps(case, by_form=FPS)
    return Clip(frame_times(len(found.p_WB), fps), found.p_WB, found.q_WB, found.joints, names,
                root=robot.root_name if robot else None, meaning=case.meaning)  # fmt: skip


def write(clip: Clip, robot: Robot | None, options: dict[str, Any]) -> Table:
    own = clip if robot is None else clip.in_order("mujoco", robot)
    columns = bones_from_clip(own.as_conventions(), own.joint_names)
    return Table(np.stack(list(columns.values()), 1), tuple(columns))


BONES = Form("bones", "Bones-SEED: centimetres, degrees, joints by name", "csv", recognizes, read,
             write)  # fmt: skip
