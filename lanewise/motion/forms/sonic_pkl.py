"""SONIC's motion library: a pickle, usually joblib's, {name of a clip: entry}.

    root_trans_offset  (T, 3) [m], z up
    pose_aa            (T, 1 + n, 3): the root's rotation as axis times angle, then for every joint
                       its axis times its angle, in MuJoCo's order
    dof                (T, n) [rad], in MuJoCo's order
    root_rot           (T, 4): the root's rotation again. The text says wxyz, the files that are
                       published have xyzw; which it is, pose_aa tells
    fps                frames a second

The rotation of the root is that of pose_aa, as SONIC's own loader has it.
"""

from typing import Any

import numpy as np

from ...conventions.motion_forms import sonic_from_clip
from ...conventions.rotations import convert_rotation
from ...errors import no_such
from ..clip import Clip
from ..decisions import Case, decide_fps, decide_joints, decide_root_rot
from ..robot import Robot
from .form import Form, array, frame_times, needs_robot, same_length, words

KEY = "root_trans_offset"


def recognizes(contents: Any) -> bool:
    if not isinstance(contents, dict) or not contents:
        return False
    return KEY in contents or all(isinstance(x, dict) and KEY in x for x in contents.values())


def one_entry(case: Case, contents: dict[Any, Any], key: str) -> tuple[str | None, dict[str, Any]]:
    """(name, entry) of the clip that is asked for."""
    if key in contents:
        return None, contents
    names = [str(name) for name in contents]
    if case.said.clip is None and len(names) > 1:
        listed = ", ".join(map(repr, names[:8])) + (" ..." if len(names) > 8 else "")
        raise case.undecided(f"it has {len(names)} clips: {listed}", f"clip={names[0]!r}")
    name = names[0] if case.said.clip is None else case.said.clip
    if name not in names:
        raise case.refuse(no_such("clip", name, names))
    return name, {str(k): v for k, v in contents.items()}[name]


def read(case: Case, contents: Any) -> Clip:
    name, entry = one_entry(case, contents, KEY)
    p = array(case, entry, KEY, 3)
    aa = array(case, entry, "pose_aa", -1, 3) if "pose_aa" in entry else None
    dof = array(case, entry, "dof", -1) if "dof" in entry else None
    T = same_length(case, root_trans_offset=p, pose_aa=aa, dof=dof)
    case.note("form", "sonic", "file", KEY)
    case.note("up", "z", "form")
    if aa is None and dof is None:
        raise case.refuse("it has neither pose_aa nor dof, and so no joints")
    if dof is None:
        dof = _angles(case, aa)
    q = _root(case, entry, aa)
    if aa is not None and aa.shape[1] - 1 != dof.shape[1]:
        raise case.refuse(
            f"pose_aa has {aa.shape[1]} rotations a frame, and dof {dof.shape[1]} joints: there"
            " must be one more, the root"
        )
    own = words(entry.get("joint_names"))
    names = decide_joints(case, dof, names=own, by_form="mujoco",
                          aa=None if aa is None else aa[:, 1:])  # fmt: skip
    fps = decide_fps(case, entry.get("fps"))
    robot = case.said.robot
    return Clip(frame_times(T, fps), p, q, dof, tuple(names), meaning=case.meaning,
                root=robot.root_name if robot else None,
                extras={"name": name} if name else {})  # fmt: skip


def _root(case: Case, entry: dict[str, Any], aa: np.ndarray | None) -> np.ndarray:
    twin = None if aa is None else convert_rotation(aa[:, 0], "axis_angle", "wxyz")
    if "root_rot" not in entry:
        if twin is None:
            raise case.refuse("it has neither pose_aa nor root_rot, and so no rotation of the root")
        case.note("root_rot", "of pose_aa", "file")
        return twin
    q = decide_root_rot(case, array(case, entry, "root_rot", 4), twin, by_form="xyzw")
    return q if twin is None or case.said.root_rot is not None else twin


def _angles(case: Case, aa: np.ndarray | None) -> np.ndarray:
    """Angles about the model's axes, in MuJoCo's order: pose_aa alone."""
    assert aa is not None
    robot = case.needs_model(aa.shape[1] - 1)
    order = robot.joint_order(case.said.order or "mujoco")
    axes = dict(zip(robot.joint_names, robot.axes, strict=True))
    if len(order) != aa.shape[1] - 1:
        raise case.refuse(f"pose_aa has {aa.shape[1] - 1} joints, the model {len(order)}")
    return np.einsum("tji,ji->tj", aa[:, 1:], np.array([axes[name] for name in order]))


def write(clip: Clip, robot: Robot | None, options: dict[str, Any]) -> dict[str, Any]:
    robot = needs_robot(robot, "sonic")
    own = clip.in_order("mujoco", robot)
    entry = sonic_from_clip(own.as_conventions(), robot.axes, options.get("dtype", np.float64))
    if options.get("root_rot") == "wxyz":
        entry["root_rot"] = entry["root_rot"][:, [3, 0, 1, 2]]
    name = options.get("clip") or clip.extras.get("name") or "clip"
    return {name: entry}


SONIC = Form(
    "sonic", "SONIC's motion library (GR00T), joblib or pickle", "pkl", recognizes, read, write,
    ("clip", "dtype", "root_rot"),
)  # fmt: skip
