"""BeyondMimic's files, and mjlab's, which have the same keys and mean other things by them.

    fps             frames a second
    joint_pos       (T, n) [rad], joint_vel (T, n)
    body_pos_w      (T, B, 3) [m], body_quat_w (T, B, 4) wxyz, of the bodies' frames; the first is
                    the root
    body_lin_vel_w  (T, B, 3) [m/s], body_ang_vel_w (T, B, 3) [rad/s], in world axes

                    joints and bodies                      body_lin_vel_w
    BeyondMimic     Isaac Lab's order, breadth first       of the centres of mass
    mjlab           MuJoCo's order, depth first            of the bodies' origins

Most of them have no names. Which order it is, forward kinematics tells: the bodies must come out.
"""

from typing import Any

import numpy as np

from ..clip import Bodies, Clip
from ..decisions import Case, decide_by_bodies, decide_fps
from ..robot import Robot
from .form import Form, array, frame_times, needs_robot, same_length, words
from .isaaclab_npz import ROOTS, body_arrays, without_names

MEANS = {"mjlab": ("mujoco", "origin"), "beyondmimic": ("isaaclab-2", "com")}
CLOSE = 0.5  # times the other residual: the point that velocities are of


def recognizes(contents: Any) -> bool:
    has = {"joint_pos", "body_pos_w", "body_quat_w"} <= set(contents)
    return has and not any(name in contents for name in ROOTS)


def read(case: Case, contents: Any) -> Clip:
    joints = array(case, contents, "joint_pos", -1)
    pos = array(case, contents, "body_pos_w", -1, 3)
    quat = array(case, contents, "body_quat_w", -1, 4)
    T = same_length(case, joint_pos=joints, body_pos_w=pos, body_quat_w=quat)
    if not pos.shape[1] or pos.shape[1] != quat.shape[1]:
        raise case.refuse(f"body_pos_w has {pos.shape[1]} bodies, body_quat_w {quat.shape[1]}")
    case.note("form", case.said.form or "mjlab or beyondmimic", "file", "body_pos_w")
    case.note("up", "z", "form")
    names, listed, quat = decide_by_bodies(
        case, joints, pos, quat, names=words(contents.get("joint_names")),
        body_names=words(contents.get("body_names")),
    )  # fmt: skip
    fps = decide_fps(case, contents.get("fps"), joints, contents.get("joint_vel"))
    robot = case.needs_model(joints.shape[1])
    clip = Clip(frame_times(T, fps), pos[:, 0], quat[:, 0], joints, tuple(names),
                root=robot.root_name, bodies=Bodies(tuple(listed), pos, quat))  # fmt: skip
    _note_point(case, clip, robot, contents.get("body_lin_vel_w"))
    object.__setattr__(clip, "meaning", case.meaning)
    return clip


def _note_point(case: Case, clip: Clip, robot: Robot, lin_vel: Any) -> None:
    """Whose velocities the file has: they are not used, as they follow from the positions."""
    if lin_vel is None or len(clip) < 8 or clip.bodies is None:
        return
    n = min(len(clip), 256)
    states = {point: _few(clip, n).body_states(robot, point=point) for point in ("origin", "com")}
    pick = [states["com"].names.index(name) for name in clip.bodies.names]
    given = np.asarray(lin_vel, float)[:n]
    if given.shape != (n, len(pick), 3):
        return
    away = {point: float(np.abs(x.lin_vel[1:-1, pick] - given[1:-1]).mean())
            for point, x in states.items()}  # fmt: skip
    best, other = sorted(away, key=lambda point: away[point])
    if away[best] < CLOSE * away[other]:
        what = {"origin": "of bodies' origins", "com": "of centres of mass"}[best]
        case.note("body_lin_vel_w", what, "test", "beside differences of positions")


def _few(clip: Clip, n: int) -> Clip:
    return Clip(clip.times[:n], clip.p_WB[:n], clip.q_WB[:n], clip.joints[:n], clip.joint_names)


def _write(name: str) -> Any:
    order, point = MEANS[name]

    def write(clip: Clip, robot: Robot | None, options: dict[str, Any]) -> dict[str, Any]:
        return without_names(body_arrays(clip, needs_robot(robot, name), order, point), options)

    return write


MJLAB = Form("mjlab", "mjlab's reference motions", "npz", recognizes, read, _write("mjlab"),
             ("names",))  # fmt: skip
BEYONDMIMIC = Form("beyondmimic", "BeyondMimic's reference motions", "npz", recognizes, read,
                   _write("beyondmimic"), ("names",))  # fmt: skip
