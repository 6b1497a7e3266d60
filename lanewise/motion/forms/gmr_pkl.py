"""GMR and what goes by its files: a pickle of one clip.

    root_pos        (T, 3) [m], z up
    root_rot        (T, 4): xyzw as its scripts write it, wxyz as some of their copies do
    dof_pos         (T, n) [rad], in MuJoCo's order
    fps             frames a second
    local_body_pos  (T, B, 3) [m] in the root's axes, or None; link_body_list has the names

Where bodies are there, they tell the order of the joints.
"""

from typing import Any

import numpy as np

from ..clip import Clip
from ..decisions import NEAR, Case, Moving, decide_fps, decide_joints, decide_root_rot, placed
from ..robot import Robot
from .form import Form, array, frame_times, needs_robot, same_length, words
from .sonic_pkl import one_entry

KEY = "dof_pos"


def recognizes(contents: Any) -> bool:
    if not isinstance(contents, dict) or not contents:
        return False
    values = [contents] if KEY in contents else list(contents.values())
    return all(isinstance(x, dict) and KEY in x and "root_pos" in x for x in values)


def read(case: Case, contents: Any) -> Clip:
    name, entry = one_entry(case, contents, KEY)
    p, dof = array(case, entry, "root_pos", 3), array(case, entry, KEY, -1)
    raw = array(case, entry, "root_rot", 4)
    T = same_length(case, root_pos=p, root_rot=raw, dof_pos=dof)
    case.note("form", "gmr", "file", KEY)
    case.note("up", "z", "form")
    own = words(entry.get("joint_names")) or words(entry.get("dof_names"))
    names = _by_bodies(case, entry, dof) if own is None else None
    if names is None:
        names = decide_joints(case, dof, names=own, by_form="mujoco")
    q = decide_root_rot(case, raw, by_form="xyzw", moving=Moving(p, dof, names))
    fps = decide_fps(case, entry.get("fps"))
    robot = case.said.robot
    return Clip(frame_times(T, fps), p, q, dof, tuple(names), meaning=case.meaning,
                root=robot.root_name if robot else None,
                extras={"name": name} if name else {})  # fmt: skip


def _by_bodies(case: Case, entry: dict[str, Any], dof: np.ndarray) -> list[str] | None:
    """Names of the joints, if bodies in the root's axes come out in one order alone."""
    robot, bodies = case.said.robot, words(entry.get("link_body_list"))
    local = entry.get("local_body_pos")
    if robot is None or not bodies or local is None or case.said.order or case.said.joint_names:
        return None
    where = np.asarray(local, float)
    known = [k for k, name in enumerate(bodies) if name in robot.body_names]
    if where.shape != (len(dof), len(bodies), 3) or len(known) < 2:
        return None
    if dof.shape[1] != len(robot.joint_names):
        return None
    number = dict(zip(robot.body_names, robot.bodies, strict=True))
    still = np.zeros((len(dof), 3)), np.tile([1.0, 0.0, 0.0, 0.0], (len(dof), 1))
    fits = {}
    for order, found in robot.candidates().items():
        own = placed(robot, found, *still, dof)[:, [number[bodies[k]] for k in known]]
        away = float(np.linalg.norm(own - where[:, known], axis=-1).max())
        if away < NEAR:
            fits[order] = away
    if len(fits) != 1:
        return None
    order, away = next(iter(fits.items()))
    case.note(
        "joints", f"order of {order}", "forward kinematics", f"bodies come out to {away:.1e} m"
    )
    return robot.candidates()[order]


def write(clip: Clip, robot: Robot | None, options: dict[str, Any]) -> dict[str, Any]:
    own = clip.in_order("mujoco", needs_robot(robot, "gmr"))
    own.as_conventions()
    order = options.get("root_rot", "xyzw")
    dtype = options.get("dtype", np.float64)
    q = own.q_WB[:, [1, 2, 3, 0]] if order == "xyzw" else own.q_WB
    return {
        "fps": own.fps, "root_pos": own.p_WB.astype(dtype), "root_rot": q.astype(dtype),
        "dof_pos": own.joints.astype(dtype), "local_body_pos": None, "link_body_list": None,
    }  # fmt: skip


GMR = Form(
    "gmr", "GMR's retargeted motions, a pickle", "pkl", recognizes, read, write,
    ("dtype", "root_rot"),
)  # fmt: skip
