"""AMASS and other poses of SMPL bodies.

    trans      (T, 3) [m]; also transl
    poses      (T, 3 * joints), axis times angle: 24 joints of SMPL, 52 of SMPL-H, 55 of SMPL-X;
               also root_orient with pose_body and pose_hand, or SONIC's pose_aa of 72 numbers
    mocap_framerate or mocap_frame_rate; also fps
    mocap_time_length  [s], optional: it must agree with the rate
    betas, gender      of the body's shape

AMASS is z up, SMPL's own scenes y up, and files do not say: the body's y axis points up in most
frames, and tells which axis of the world that is. The pelvis is at J0 + trans, and J0 belongs to
the body model, which is not here: pelvis= gives it. Without it the root's position is trans, and
there is a warning.
"""

import warnings
from typing import Any

import numpy as np

from ...conventions.axes import convert_up_axis
from ...conventions.rotations import convert_rotation
from ..clip import Clip
from ..decisions import Case, decide_fps
from ..frame_blocks import by_blocks
from ..motion_errors import MotionError, spelled
from ..robot import Robot
from ..smpl import BY_NUMBER, MODELS
from .form import Form, array, frame_times, same_length

RATES = ("mocap_framerate", "mocap_frame_rate", "fps", "framerate", "frame_rate")
PARTS = ("pose_body", "pose_jaw", "pose_eye", "pose_hand")
CLEAR = 0.75  # mean cosine that makes an axis the one that is up
LATE = 0.05  # part by which a length may differ from frames over rate


def recognizes(contents: Any) -> bool:
    return isinstance(contents, dict) and ("trans" in contents or "transl" in contents) and (
        "poses" in contents or "root_orient" in contents or "pose_aa" in contents)  # fmt: skip


def read(case: Case, contents: Any) -> Clip:
    t = array(case, contents, "trans" if "trans" in contents else "transl", 3)
    aa = _poses(case, contents)
    T = same_length(case, trans=t, poses=aa)
    if aa.shape[1] not in BY_NUMBER:
        raise case.refuse(f"poses are of {aa.shape[1]} joints; there are {_kinds()}")
    kind = BY_NUMBER[aa.shape[1]]
    q = convert_rotation(aa, "axis_angle", "wxyz")
    amass = any(name in contents for name in RATES[:2])
    case.note("form", f"{'amass' if amass else 'smpl'}, {kind}", "file", f"{aa.shape[1]} joints")
    up = _up(case, q[:, 0], "z" if amass else None)
    fps = _rate(case, contents, T)
    p, root = t + _pelvis(case), q[:, 0]
    p = convert_up_axis(p, up, "z", kind="point")
    root = convert_up_axis(root, up, "z", kind="wxyz")
    names = MODELS[kind]
    case.note("joints", "by name", "form", kind)
    extras = {k: contents[k] for k in ("betas", "gender") if k in contents}
    return Clip(frame_times(T, fps), p, root, q[:, 1:].reshape(T, -1), names[1:],
                (4,) * (len(names) - 1), root=names[0], meaning=case.meaning,
                extras=extras)  # fmt: skip


def _kinds() -> str:
    return ", ".join(f"{len(names)} ({kind})" for kind, names in MODELS.items())


def _poses(case: Case, contents: Any) -> np.ndarray:
    name = next((n for n in ("poses", "pose_aa") if n in contents), None)
    if name is not None:
        x = np.asarray(contents[name])
        x = array(case, {name: x.reshape(len(x), -1)} if x.ndim == 3 else contents, name, -1)
    else:
        found = ["root_orient", *(n for n in PARTS if n in contents)]
        x = np.concatenate([array(case, contents, n, -1) for n in found], 1)
    if x.shape[1] % 3:
        raise case.refuse(f"poses have {x.shape[1]} numbers a frame, which are no rows of three")
    return x.reshape(len(x), -1, 3)


def _rate(case: Case, contents: Any, T: int) -> float:
    said = {n: contents[n] for n in RATES if n in contents}
    values = {float(np.asarray(x).reshape(-1)[0]) for x in said.values() if np.size(x) == 1}
    if len(values) > 1 and case.said.fps is None:
        told = ", ".join(f"{n} {float(np.ravel(x)[0]):g}" for n, x in said.items())
        raise case.undecided(f"its frame rates differ: {told}", "fps=RATE")
    where = next(iter(said), "mocap_framerate")
    fps = decide_fps(case, said.get(where), where=where)
    length = contents.get("mocap_time_length")
    if length is not None and np.size(length) == 1 and case.said.fps is None:
        seconds = float(np.ravel(length)[0])
        if seconds > 0 and abs(T / fps - seconds) > max(LATE * seconds, 2.0 / fps):
            raise case.undecided(
                f"{T} frames at {fps:g} a second take {T / fps:.3f} s, and mocap_time_length is"
                f" {seconds:.3f} s, as of {T / seconds:.4g} frames a second",
                f"fps={fps:g}", f"fps={T / seconds:.4g}",
            )  # fmt: skip
    return fps


def _up(case: Case, q: np.ndarray, by_form: str | None) -> str:
    """The axis of the world along which the body's own up axis, y, is in the mean."""
    if case.said.up is not None:
        case.note("up", case.said.up, "argument")
        return case.said.up
    y = np.stack(convert_rotation(q, "wxyz", "matrix")[..., 1].T, 1).mean(0)
    k = int(np.argmax(np.abs(y)))
    found = ("" if y[k] > 0 else "-") + "xyz"[k]
    if abs(y[k]) < CLEAR or found not in ("y", "z") or by_form not in (None, found):
        raise case.undecided(
            f"nothing tells which axis is up: the body's own is ({y[0]:.2f}, {y[1]:.2f},"
            f" {y[2]:.2f}) in the mean" + (f", and AMASS is {by_form} up" if by_form else ""),
            'up="z"', 'up="y"',
        )  # fmt: skip
    case.note("up", found, "test", "the body's own up axis is there in the mean")
    return found


def _pelvis(case: Case) -> np.ndarray:
    if case.said.pelvis is None:
        warnings.warn(
            f"{case.name}: the root's position is trans, and the pelvis is J0 away from it, which"
            f" the body model has: {spelled('pelvis=x,y,z')} adds it",
            stacklevel=6,
        )
        case.note("position", "trans, without J0 of the body model", "file")
        return np.zeros(3)
    J0 = np.asarray(case.said.pelvis, float)
    if J0.shape != (3,) or not np.isfinite(J0).all():
        raise case.refuse(f"pelvis must be three numbers [m]; got {case.said.pelvis!r}")
    case.note("position", "of the pelvis, J0 + trans", "argument", "pelvis=")
    return J0


def write(clip: Clip, robot: Robot | None, options: dict[str, Any]) -> dict[str, Any]:
    names = (clip.root or "pelvis", *clip.joint_names)
    kind = next((k for k, listed in MODELS.items() if set(listed) == set(names)), None)
    if kind is None:
        raise MotionError(
            "poses of SMPL have its joints: " + ", ".join(MODELS["body"][:6]) + " ...; the clip"
            f" has {', '.join(names[:6])} ..."
        )
    own = clip.named(MODELS[kind][1:])
    poses = np.empty((len(own), len(names), 3))

    def turn(part: slice) -> None:
        q = np.concatenate([own.q_WB[part], own.joints[part]], 1).reshape(-1, len(names), 4)
        poses[part] = convert_rotation(q, "wxyz", "axis_angle")

    by_blocks(len(own), turn)
    pelvis = np.asarray(options.get("pelvis", (0.0, 0.0, 0.0)), float)
    extras = {"betas": np.zeros(16), "gender": np.array("neutral")} | clip.extras
    return {
        "trans": own.p_WB - pelvis, "mocap_framerate": np.array(own.fps),
        "poses": poses.reshape(len(own), -1),
        "betas": extras["betas"], "gender": extras["gender"],
    }  # fmt: skip


AMASS = Form("amass", "AMASS: poses of SMPL bodies", "npz", recognizes, read, write, ("pelvis",))
SMPL = Form("smpl", "poses of SMPL in a pickle", "pkl", recognizes, read, None)
