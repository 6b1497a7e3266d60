"""Plain qpos: rows of MuJoCo, [x y z qw qx qy qz joints...], in an npz file.

    qpos         (T, nq), in the order of the model
    fps          frames a second; or time or times (T,) [s]
    qvel         (T, nv), optional: only the rate is checked with it
    joint_names  names of the joints after the root, optional: with it a model is not needed

`qpos` is MuJoCo's word, and its order is that of the model: nothing else is tried. A model with
another number of coordinates is refused.
"""

from typing import Any

import numpy as np

from ...mjconst import JNT_BALL
from ..clip import EVEN, Clip
from ..decisions import Case, check_sides, decide_fps, unit_rows
from ..robot import Robot
from .form import Form, array, frame_times, needs_robot, same_length, words


def recognizes(contents: Any) -> bool:
    return "qpos" in contents


def read(case: Case, contents: Any) -> Clip:
    qpos = array(case, contents, "qpos", -1)
    names = case.said.joint_names or words(contents.get("joint_names"))
    case.note("form", "mujoco", "file", "qpos")
    case.note("up", "z", "form")
    times = _times(case, contents, qpos)
    if names is not None:
        widths = _widths(case, list(names), qpos.shape[1], contents)
        check_sides(case, names, qpos[:, 7:])
        case.note("joints", "by name", "file", "joint_names")
        q = unit_rows(case, qpos[:, 3:7], "qpos[3:7]")
        return Clip(times, qpos[:, :3], q, qpos[:, 7:], tuple(names), widths,
                    root=_root(contents), meaning=case.meaning)  # fmt: skip
    robot = case.needs_model(qpos.shape[1] - 7)
    m = robot.model
    if qpos.shape[1] != m.nq:
        raise case.refuse(f"qpos has {qpos.shape[1]} numbers a frame, and the model {m.nq}:"
                          " it is of another model")  # fmt: skip
    case.note("joints", "order of mujoco", "form", "qpos is in the order of its model")
    return _of_model(case, robot, times, qpos)


def _of_model(case: Case, robot: Robot, times: np.ndarray, qpos: np.ndarray) -> Clip:
    m = robot.model
    p, q = np.zeros((len(qpos), 3)), np.tile([1.0, 0.0, 0.0, 0.0], (len(qpos), 1))
    if robot.free is not None:
        k = int(m.jnt_qposadr[robot.free])
        p, q = qpos[:, k : k + 3], unit_rows(case, qpos[:, k + 3 : k + 7], "qpos of the root")
        case.note("root_rot", "wxyz", "form")
    widths = tuple(4 if kind == JNT_BALL else 1 for kind in m.jnt_type[robot.joints])
    pick = [int(m.jnt_qposadr[j]) + i for j, w in zip(robot.joints, widths) for i in range(w)]
    check_sides(case, robot.joint_names, qpos[:, pick])
    return Clip(times, p, q, qpos[:, pick], tuple(robot.joint_names), widths,
                root=robot.root_name, meaning=case.meaning)  # fmt: skip


def _times(case: Case, contents: Any, qpos: np.ndarray) -> np.ndarray:
    """Times of the file, or by its rate; qvel of hinges tells whether the rate is right."""
    name = next((n for n in ("time", "times") if n in contents), None)
    vel = contents.get("qvel")
    both: tuple[Any, Any] = (None, None)
    if vel is not None and np.ndim(vel) == 2 and np.shape(vel)[1] == qpos.shape[1] - 1:
        both = qpos[:, 7:], np.asarray(vel, float)[:, 6:]
    if name is None or case.said.fps is not None:
        fps = decide_fps(case, contents.get("fps"), *both)
        return frame_times(len(qpos), fps)
    times = np.ravel(array(case, contents, name))
    same_length(case, qpos=qpos, time=times)
    steps = np.diff(times)
    if len(steps) and (steps > 0).all() and np.ptp(steps) < EVEN * steps.mean():
        rate = 1.0 / steps.mean()
        told = contents.get("fps")
        if told is not None and np.size(told) == 1 and abs(np.ravel(told)[0] / rate - 1.0) > EVEN:
            raise case.undecided(
                f"fps is {float(np.ravel(told)[0]):g}, and {name} has {rate:.6g} frames a second",
                f"fps={float(np.ravel(told)[0]):g}", f"fps={rate:.6g}",
            )  # fmt: skip
        decide_fps(case, rate, *both, where=name)
    case.note("fps", "by times", "file", name)
    return times


def _widths(case: Case, names: list[str], nq: int, contents: Any) -> tuple[int, ...]:
    told = contents.get("joint_widths")
    widths = tuple(int(w) for w in np.ravel(told)) if told is not None else (1,) * len(names)
    if len(widths) != len(names) or sum(widths) + 7 != nq or set(widths) - {1, 4}:
        raise case.refuse(
            f"qpos has {nq} numbers a frame: 7 of the root and {nq - 7} of joints, and there are"
            f" {len(names)} names of joints"
        )
    return widths


def _root(contents: Any) -> str | None:
    found = words(contents.get("root"))
    return found[0] if found else None


def write(clip: Clip, robot: Robot | None, options: dict[str, Any]) -> dict[str, Any]:
    if robot is None:  # in the clip's own order, with names
        qpos = np.concatenate([clip.p_WB, clip.q_WB, clip.joints], 1)
        return {"qpos": qpos, "time": clip.times, **_rate(clip),
                "joint_names": np.array(clip.joint_names), "joint_widths": np.array(clip.widths),
                "root": np.array(clip.root or "")}  # fmt: skip
    robot = needs_robot(robot, "mujoco")
    arrays = {"qpos": clip.qpos(robot), "qvel": clip.qvel(robot), "time": clip.times, **_rate(clip)}
    if robot.free is not None and robot.model.nq == 7 + clip.joints.shape[1]:
        arrays |= {"joint_names": np.array(robot.joint_names), "root": np.array(robot.root_name),
                   "joint_widths": np.where(robot.balls, 4, 1)}  # fmt: skip
    return arrays


def _rate(clip: Clip) -> dict[str, float]:
    return {"fps": clip.fps} if len(clip) > 1 and clip._even() else {}


MUJOCO = Form("mujoco", "qpos and qvel of MuJoCo", "npz", recognizes, read, write)
