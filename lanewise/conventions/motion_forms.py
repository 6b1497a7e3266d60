"""One clip of a humanoid in the forms that files and simulators have it in.

Every form is read into a Clip and written from one, so no pair of forms has code of its own. What
differs between them:

    form               position   root rotation                  joints
    qpos (MuJoCo)      m          wxyz                           rad, MuJoCo's order
    Isaac Lab          m          wxyz (2.x) or xyzw (3.x)       rad, Isaac Lab's order
    SONIC motion lib   m          axis-angle in pose_aa[:, 0],   rad, MuJoCo's order, in dof and
                                  and xyzw in root_rot           as axis times angle in pose_aa
    SONIC deploy CSV   m          wxyz, of body 0                rad, Isaac Lab's order
    Bones-SEED CSV     cm         extrinsic xyz [deg]            deg, MuJoCo's order

All of them are z-up. Orders are given as an index array, x_mujoco = x_isaaclab[..., order]: what
joint_permutation(model, "isaaclab-2", "mujoco") returns and SONIC calls ISAACLAB_TO_MUJOCO_DOF.

Motion libraries are pickles. A pickle runs code of whoever wrote it, so nothing here opens one: the
functions take what was loaded, a dictionary of arrays.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ConventionError, did_you_mean
from .arrays import as_array, check_finite, check_last, check_unit, choice
from .euler_angles import DEGREE, RADIAN, SEQUENCES, euler
from .rotations import QUATERNIONS, convert_quaternion, convert_rotation

BONES_ROTATION = "euler_xyz_extrinsic_deg"
AGREE = 2e-3  # [rad] between numbers that a file has twice, in single precision


@dataclass(frozen=True, eq=False)
class Clip:
    """Frames of a robot with a free root, in SI units and z-up.

    p_WB    position of the root's frame [m], (T, 3)
    q_WB    its orientation, wxyz, active, (T, 4)
    joints  angles [rad] in MuJoCo's order, (T, n)
    fps     frames per second; None if nobody said
    """

    p_WB: np.ndarray
    q_WB: np.ndarray
    joints: np.ndarray
    fps: float | None = None

    def __post_init__(self) -> None:
        for name, width in (("p_WB", 3), ("q_WB", 4), ("joints", None)):
            x = np.asarray(as_array(getattr(self, name), name))
            if x.ndim != 2 or width not in (None, x.shape[1]):
                raise ConventionError(
                    f"{name} must have shape (frames, {width or 'joints'}); got {x.shape}"
                )
            if len(x) != len(self.p_WB):
                raise ConventionError(f"{name} has {len(x)} frames, p_WB {len(self.p_WB)}")
            check_finite(x, name)
            object.__setattr__(self, name, x)
        check_unit(self.q_WB, "q_WB")
        if self.fps is not None and not self.fps > 0:
            raise ConventionError(f"fps must be positive; got {self.fps!r}")


# ---- MuJoCo


def clip_from_qpos(qpos: Any, fps: float | None = None) -> Clip:
    """Of rows [x y z qw qx qy qz joints...] of MuJoCo."""
    qpos = _table(qpos, "qpos", at_least=7)
    return Clip(qpos[:, :3], qpos[:, 3:7], qpos[:, 7:], fps)


def qpos_from_clip(clip: Clip) -> np.ndarray:
    """Rows [x y z qw qx qy qz joints...] of MuJoCo, (frames, 7 + joints)."""
    return np.concatenate([clip.p_WB, clip.q_WB, clip.joints], 1)


# ---- Isaac Lab


def clip_from_isaaclab(
    root_pose: Any, joint_pos: Any, isaaclab_to_mujoco: Any, quaternion: str,
    fps: float | None = None,
) -> Clip:  # fmt: skip
    """Of root poses (T, 7), or root states (T, 13), and joints in Isaac Lab's order.

    `quaternion` is "wxyz" of Isaac Lab 2, or "xyzw" of Isaac Lab 3.
    """
    root = _table(root_pose, "root_pose", at_least=7)
    joints = _table(joint_pos, "joint_pos")
    order = _order(isaaclab_to_mujoco, joints.shape[1])
    choice(quaternion, QUATERNIONS, "quaternion")
    q = convert_quaternion(root[:, 3:7], quaternion, "wxyz")
    return Clip(root[:, :3], q, joints[:, order], fps)


def isaaclab_from_clip(
    clip: Clip, isaaclab_to_mujoco: Any, quaternion: str
) -> tuple[np.ndarray, np.ndarray]:
    """(root_pose (T, 7), joint_pos (T, n))"""
    order = _order(isaaclab_to_mujoco, clip.joints.shape[1])
    q = convert_quaternion(clip.q_WB, "wxyz", choice(quaternion, QUATERNIONS, "quaternion"))
    return np.concatenate([clip.p_WB, q], 1), clip.joints[:, np.argsort(order)]


# ---- SONIC: an entry of a motion library


def clip_from_sonic(entry: Mapping[str, Any], joint_axes: Any) -> Clip:
    """Of one entry of SONIC's motion library, a dictionary that was loaded already.

    The root's rotation is that of pose_aa, as SONIC's own loader has it. root_rot and dof, if they
    are there, must agree with it. `joint_axes` (n, 3) are the joints' axes in the frames of their
    bodies, in MuJoCo's order.
    """
    position = _table(_field(entry, "root_trans_offset"), "root_trans_offset")
    pose = as_array(_field(entry, "pose_aa"), "pose_aa")
    axes = _axes(joint_axes)
    check_last(pose, (len(axes) + 1, 3), "pose_aa", "the root and one row a joint")
    q = convert_rotation(pose[:, 0], "axis_angle", "wxyz")
    joints = np.einsum("tji,ji->tj", pose[:, 1:], axes.astype(pose.dtype))
    if "root_rot" in entry:
        _check_root(q, _table(entry["root_rot"], "root_rot"))
    if "dof" in entry:
        dof = _table(entry["dof"], "dof")
        _check_equal(dof[:, :, None] * axes, pose[:, 1:], "dof times its axis", "pose_aa")
        joints = dof
    return Clip(position, q, joints, entry.get("fps"))


def sonic_from_clip(clip: Clip, joint_axes: Any, dtype: Any = np.float32) -> dict[str, Any]:
    """An entry of SONIC's motion library, in single precision as they are unless dtype says so."""
    axes = _axes(joint_axes)
    if len(axes) != clip.joints.shape[1]:
        raise ConventionError(f"{len(axes)} joint_axes for {clip.joints.shape[1]} joints")
    root = convert_rotation(clip.q_WB, "wxyz", "axis_angle")
    pose = np.concatenate([root[:, None], clip.joints[:, :, None] * axes], 1)
    entry: dict[str, Any] = {
        "root_trans_offset": clip.p_WB.astype(dtype),
        "pose_aa": pose.astype(dtype),
        "dof": clip.joints.astype(dtype),
        "root_rot": convert_quaternion(clip.q_WB, "wxyz", "xyzw").astype(dtype),
        "smpl_joints": np.zeros((len(pose), 24, 3), dtype),  # SONIC's own placeholder
    }
    if clip.fps is not None:
        entry["fps"] = int(clip.fps) if float(clip.fps).is_integer() else clip.fps
    return entry


def _check_root(q_WB: np.ndarray, root_rot: np.ndarray) -> None:
    """root_rot must be q_WB as xyzw; another order is named."""
    check_last(root_rot, 4, "root_rot", "a quaternion a frame")
    away = {order: _most_apart(q_WB, convert_quaternion(root_rot, order, "wxyz"))
            for order in QUATERNIONS}  # fmt: skip
    if away["xyzw"] > AGREE:
        found = " It is wxyz: reorder it." if away["wxyz"] <= AGREE else ""
        raise ConventionError(
            f"root_rot, read as xyzw, is up to {away['xyzw']:.3g} rad away from"
            f" pose_aa[:, 0].{found}"
        )


def _most_apart(a: np.ndarray, b: np.ndarray) -> float:
    """The largest angle between two lists of rotations [rad]."""
    if a.shape != b.shape:
        raise ConventionError(f"root_rot has shape {b.shape}, pose_aa that of {len(a)} frames")
    chord = np.minimum(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
    return float(4.0 * np.arcsin(np.minimum(chord / 2.0, 1.0)).max(initial=0.0))


# ---- SONIC: a folder of CSV files for deployment


def clip_from_deploy(
    tables: Mapping[str, Any], isaaclab_to_mujoco: Any, fps: float | None = None
) -> Clip:
    """Of the tables joint_pos, body_pos and body_quat of a deployment folder, (T, columns) each.

    The first body of body_pos and body_quat must be the root: metadata.txt lists it as 0.
    """
    joints = _table(_field(tables, "joint_pos"), "joint_pos")
    position = _table(_field(tables, "body_pos"), "body_pos", at_least=3)
    q = _table(_field(tables, "body_quat"), "body_quat", at_least=4)
    order = _order(isaaclab_to_mujoco, joints.shape[1])
    return Clip(position[:, :3], q[:, :4], joints[:, order], fps)


def deploy_from_clip(clip: Clip, isaaclab_to_mujoco: Any) -> dict[str, np.ndarray]:
    """The tables joint_pos, body_pos and body_quat, with the root for the only body."""
    order = _order(isaaclab_to_mujoco, clip.joints.shape[1])
    return {"joint_pos": clip.joints[:, np.argsort(order)],
            "body_pos": clip.p_WB.copy(), "body_quat": clip.q_WB.copy()}  # fmt: skip


# ---- Bones-SEED


def clip_from_bones(
    columns: Mapping[str, Any], joint_names: Sequence[str] | None = None, fps: float | None = None
) -> Clip:
    """Of the columns of a Bones-SEED CSV by name, as read_csv returns them.

    Joints are the columns that end in _dof, in the order of `joint_names` or else of the file.
    SONIC's reader calls the root's angles intrinsic and reads them as extrinsic; so does this. The
    files have 120 frames a second.
    """
    dof = [name for name in columns if name.endswith("_dof")]
    if joint_names is not None:
        dof = [f"{name}_dof" for name in joint_names]
    root = {what: np.stack([_column(columns, f"root_{what}{axis}") for axis in "XYZ"], 1)
            for what in ("translate", "rotate")}  # fmt: skip
    joints = [_column(columns, name) for name in dof]
    return Clip(
        root["translate"] * 0.01,
        convert_rotation(root["rotate"], BONES_ROTATION, "wxyz"),
        np.stack(joints, 1) * DEGREE if joints else np.empty((len(root["rotate"]), 0)),
        fps,
    )


def bones_from_clip(clip: Clip, joint_names: Sequence[str]) -> dict[str, np.ndarray]:
    """The columns of a Bones-SEED CSV."""
    if len(joint_names) != clip.joints.shape[1]:
        raise ConventionError(f"{len(joint_names)} joint_names for {clip.joints.shape[1]} joints")
    angles = convert_rotation(clip.q_WB, "wxyz", BONES_ROTATION)
    columns = {"Frame": np.arange(len(angles), dtype=float)}
    columns |= {f"root_translate{axis}": clip.p_WB[:, k] * 100.0 for k, axis in enumerate("XYZ")}
    columns |= {f"root_rotate{axis}": angles[:, k] for k, axis in enumerate("XYZ")}
    return columns | {f"{name}_dof": clip.joints[:, k] * RADIAN
                      for k, name in enumerate(joint_names)}  # fmt: skip


# ---- files


def read_csv(path: str | Path) -> dict[str, np.ndarray]:
    """The columns of a CSV file by the names in its first line."""
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    if not rows:
        raise ConventionError(f"{path} is empty")
    names = [name.strip() for name in rows[0]]
    if len(set(names)) < len(names):
        raise ConventionError(
            f"{path}: names in the first line must differ; got {', '.join(names)}"
        )
    try:
        numbers = np.array([row for row in rows[1:] if row], float).reshape(-1, len(names))
    except ValueError as error:
        raise ConventionError(f"{path}: {error}") from None
    return dict(zip(names, numbers.T))


def read_deploy(folder: str | Path) -> dict[str, np.ndarray]:
    """The tables of a deployment folder of SONIC that a Clip needs."""
    return {name: np.stack(list(read_csv(Path(folder) / f"{name}.csv").values()), 1)
            for name in ("joint_pos", "body_pos", "body_quat")}  # fmt: skip


def bvh_rotation_kind(channels: Sequence[str]) -> str:
    """The kind of the angles of a BVH joint: its channels, as listed, are intrinsic and in degrees.

    bvh_rotation_kind(["Zrotation", "Xrotation", "Yrotation"]) is "euler_zxy_intrinsic_deg".
    Channels of position are left out. Mind that BVH is usually y-up and in centimetres.
    """
    sequence = "".join(name[0].lower() for name in channels if name.lower().endswith("rotation"))
    if sequence not in SEQUENCES:
        raise ConventionError(
            f"channels must have three rotations, as Zrotation, Xrotation, Yrotation;"
            f" got {', '.join(map(str, channels))}"
        )
    return euler(sequence, "intrinsic", "deg")


# ---- checks


def _table(x: Any, name: str, at_least: int = 0) -> np.ndarray:
    """A number for each frame and column."""
    x = np.asarray(as_array(x, name))
    if x.ndim != 2 or x.shape[1] < at_least:
        columns = f"at least {at_least}" if at_least else "columns"
        raise ConventionError(f"{name} must have shape (frames, {columns}); got {x.shape}")
    check_finite(x, name)
    return x


def _field(entry: Mapping[str, Any], name: str) -> Any:
    if not isinstance(entry, Mapping):
        raise ConventionError(
            f"needs a dictionary of arrays that was loaded; got {type(entry).__name__}."
            " A pickle runs code of whoever wrote it: open only your own"
        )
    if name not in entry:
        raise ConventionError(
            f"no {name!r}{did_you_mean(name, entry)}; there are {', '.join(map(str, entry))}"
        )
    return entry[name]


def _column(columns: Mapping[str, Any], name: str) -> np.ndarray:
    x = np.asarray(as_array(_field(columns, name), name))
    if x.ndim != 1:
        raise ConventionError(f"{name} must be one column; got shape {x.shape}")
    check_finite(x, name)
    return x


def _order(isaaclab_to_mujoco: Any, number: int) -> np.ndarray:
    """An index array over all joints."""
    order = np.asarray(isaaclab_to_mujoco)
    if order.dtype.kind not in "iu" or sorted(order.tolist()) != list(range(number)):
        raise ConventionError(
            f"the order of {number} joints must have each of 0 to {number - 1} once;"
            f" got {order.tolist()}"
        )
    return order


def _axes(joint_axes: Any) -> np.ndarray:
    axes = np.asarray(as_array(joint_axes, "joint_axes"), float)
    check_last(axes, 3, "joint_axes")
    check_unit(axes, "joint_axes")
    return axes


def _check_equal(a: np.ndarray, b: np.ndarray, first: str, second: str) -> None:
    if a.shape != b.shape:
        raise ConventionError(f"{first} has shape {a.shape}, {second} {b.shape}")
    away = np.abs(a - b).max(axis=(1, 2), initial=0.0)
    if np.any(away > AGREE):
        frame = int(np.argmax(away > AGREE))
        raise ConventionError(
            f"{first} and {second} differ by {away[frame]:.3g} rad in frame {frame}:"
            " the joints may be in another order, or the axes of another robot"
        )
