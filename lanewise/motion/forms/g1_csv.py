"""Rows of a robot in text: position [m], quaternion, joints [rad], as Unitree's LAFAN1 files.

These files have no names, no rate and no word on the quaternion; the published ones are 30 frames
a second, xyzw, in MuJoCo's order. A first line with names of the columns is read: seven of the
root, then the joints; a column before them may be the frame or the time.
"""

from typing import Any

import numpy as np

from ..clip import Clip
from ..decisions import Case, Moving, decide_fps, decide_joints, decide_root_rot
from ..robot import Robot
from ..tables import Table
from .form import Form, frame_times, needs_robot

COUNTERS = ("frame", "index", "")
CLOCKS = ("time", "t", "times", "timestamp")
TO_DEGREES = 2.0 * np.pi  # [rad] beyond this, angles of hinges are degrees


def recognizes(contents: Any) -> bool:
    return isinstance(contents, Table)


def read(case: Case, contents: Table) -> Clip:
    values, names = contents.values, list(contents.names or [])
    times = None
    if names and names[0].lower() in (*COUNTERS, *CLOCKS):
        times = values[:, 0] if names[0].lower() in CLOCKS else None
        values, names = values[:, 1:], names[1:]
    if values.shape[1] < 8:
        raise case.refuse(
            f"a row has {values.shape[1]} numbers; it takes three of a position, four of a"
            " quaternion, and joints"
        )
    if not np.isfinite(values).all():
        frame = int(np.argwhere(~np.isfinite(values))[0][0])
        raise case.refuse(f"row {frame} is not finite")
    case.note("form", "csv", "file", "a table of 7 columns and joints")
    case.note("up", "z", "form")
    joints = values[:, 7:]
    if np.abs(joints).max() > 2.0 * TO_DEGREES:
        raise case.refuse(
            f"angles up to {np.abs(joints).max():.4g}: in radians that is more than two turns."
            " Files of this form have radians; those of Bones-SEED, by the names of their columns,"
            " degrees"
        )
    own = [name.removesuffix("_dof") for name in names[7:]] or None
    found = decide_joints(case, joints, names=own, by_form="mujoco")
    q = decide_root_rot(case, values[:, 3:7], by_form="xyzw", where="columns 4 to 7",
                        moving=Moving(values[:, :3], joints, found))  # fmt: skip
    if times is not None and case.said.fps is None:
        case.note("fps", "by times", "file", "first column")
    else:
        times = frame_times(len(values), decide_fps(case, by_form=30.0))
    robot = case.said.robot
    return Clip(times, values[:, :3], q, joints, tuple(found), meaning=case.meaning,
                root=robot.root_name if robot else None)  # fmt: skip


def write(clip: Clip, robot: Robot | None, options: dict[str, Any]) -> Table:
    own = clip.in_order("mujoco", needs_robot(robot, "csv"))
    own.as_conventions()
    order = options.get("root_rot", "xyzw")
    q = own.q_WB[:, [1, 2, 3, 0]] if order == "xyzw" else own.q_WB
    names = None
    if options.get("names", False):
        names = (*(f"root_{a}" for a in "xyz"), *(f"root_q{a}" for a in order), *own.joint_names)
    return Table(np.concatenate([own.p_WB, q, own.joints], 1), names)


CSV = Form(
    "csv", "rows of root and joints, as Unitree's LAFAN1 files", "csv", recognizes, read, write,
    ("names", "root_rot"),
)  # fmt: skip
