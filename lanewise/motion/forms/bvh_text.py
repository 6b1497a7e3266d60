"""BVH: a skeleton with ball joints. What its numbers mean, the file does not say.

    up    usually y. A skeleton with a head and feet stands on its feet: that tells.
    unit  centimetres, metres or others. The height from feet to head tells.

Rotations are relative to the parent, so only the root turns with the scene; its joints and offsets
stay in the axes of the skeleton.

A clip of a robot is written with the model's bodies for joints, each with the pose it has on its
parent; read with the model, angles of hinges are taken out of those rotations again.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...conventions.axes import convert_up_axis
from ...conventions.motion_forms import bvh_rotation_kind
from ...conventions.rotations import convert_rotation
from ...frames import mul_quat, neg_quat, rot_vec_quat
from ...mjconst import JNT_HINGE
from ..bvh import POSITIONS, ROTATIONS, Bvh, BvhJoint, bvh_lines
from ..clip import Clip
from ..decisions import Case, decide_fps, decide_joints
from ..frame_blocks import by_blocks
from ..kinematics_of_clips import body_states
from ..motion_errors import MotionError, spelled
from ..number_text import Lines
from ..robot import Robot
from ..skeleton import Skeleton
from .form import Form, frame_times

METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254}
TALL = (0.5, 3.0)  # [m] from feet to head
HEADS, FEET = ("head",), ("foot", "toe", "ankle")
CLEAR = 0.75
STILL = 1e-3  # part of a skeleton's size by which a joint may move away from its place
ZXY = ("Zrotation", "Xrotation", "Yrotation")
SCALE = 0.02  # part by which offsets may differ from the model's
OFF = 1e-4  # [rad] that a rotation may have beside the axis of its hinge
NEAREST = 1e-3  # part of a whole number of frames a second that rounding of Frame Time makes


def recognizes(contents: Any) -> bool:
    return isinstance(contents, Bvh)


def read(case: Case, contents: Bvh) -> Clip:
    case.note("form", "bvh", "file", "HIERARCHY")
    T, names = len(contents.values), tuple(j.name for j in contents.joints)
    q = _rotations(contents)
    offsets = _offsets(case, contents)
    rest = _rest(contents.joints, offsets)
    robot = case.said.robot if _is_robot(case.said.robot, names) else None
    axis, height = _upright(rest, q, names) if robot is None else _like(robot, q, names, offsets)
    scale = _unit(case, height, robot is not None)
    up = _up(case, axis)
    p = contents.values[:, contents.columns(0, POSITIONS)][:, _sorted(contents, 0)] * scale
    p = convert_up_axis(p, up, "z", kind="point")
    root = convert_up_axis(q[:, 0], up, "z", kind="wxyz")
    rate = 1.0 / contents.frame_time if contents.frame_time > 0 else contents.frame_time
    rate = float(round(rate)) if abs(rate - round(rate)) < NEAREST * rate else rate
    fps = decide_fps(case, rate, where="Frame Time")
    ends = tuple((k, tuple(x * scale for x in end)) for k, j in enumerate(contents.joints)
                 for end in j.ends)  # fmt: skip
    skeleton = Skeleton(names, tuple(j.parent for j in contents.joints), offsets * scale, ends)
    case.note("joints", "by name", "file")
    clip = Clip(frame_times(T, fps), p, root, q[:, 1:].reshape(T, -1), names[1:],
                (4,) * (len(names) - 1), root=names[0], skeleton=skeleton,
                meaning=case.meaning)  # fmt: skip
    return clip if robot is None else _as_robot(case, clip, robot)


def _sorted(contents: Bvh, k: int) -> list[int]:
    """Position channels as x, y, z."""
    listed = [c for c in contents.joints[k].channels if c in POSITIONS]
    return [listed.index(c) for c in POSITIONS]


def _rotations(contents: Bvh) -> np.ndarray:
    """(T, joints, 4) of all joints on their parents; joints of one order of channels at a time."""
    groups: dict[str, list[int]] = {}
    for k, joint in enumerate(contents.joints):
        groups.setdefault(bvh_rotation_kind(joint.channels), []).append(k)
    columns = {kind: [contents.columns(k, ROTATIONS) for k in ks] for kind, ks in groups.items()}
    q = np.empty((len(contents.values), len(contents.joints), 4))

    def turn(part: slice) -> None:
        for kind, ks in groups.items():
            q[part, ks] = convert_rotation(contents.values[part][:, columns[kind]], kind, "wxyz")

    by_blocks(len(q), turn)
    return q


def _offsets(case: Case, contents: Bvh) -> np.ndarray:
    """Offsets (n, 3), in whose place channels of position stand; these may not move."""
    offsets = np.array([j.offset for j in contents.joints], float)
    size = max(float(np.abs(offsets).sum(0).max()), 1e-9)
    for k, joint in enumerate(contents.joints[1:], 1):
        columns = contents.columns(k, POSITIONS)
        if not columns:
            continue
        x = contents.values[:, columns][:, _sorted(contents, k)]
        moved = float(np.abs(x - x[0]).max())
        if moved > STILL * size and case.said.translations != "ignore":
            raise case.undecided(
                f"joint {joint.name!r} moves away from its parent by up to {moved:.4g}, and joints"
                " of a clip only turn", 'translations="ignore"',
            )  # fmt: skip
        if moved > STILL * size:
            continue
        if np.abs(x[0]).max() > STILL * size or not np.abs(offsets[k]).max() > STILL * size:
            offsets[k] = x[0]
        elif case.said.translations != "ignore":
            raise case.undecided(
                f"joint {joint.name!r} has an OFFSET, and channels of position that are 0: they"
                " stand in its place, or are added to it", 'translations="ignore"',
            )  # fmt: skip
    return offsets


def _rest(joints: list[BvhJoint], offsets: np.ndarray) -> np.ndarray:
    parents = tuple(j.parent for j in joints)
    return Skeleton(tuple(j.name for j in joints), parents, offsets).rest()


def _upright(
    rest: np.ndarray, q: np.ndarray, names: tuple[str, ...]
) -> tuple[np.ndarray | None, float]:
    """The mean direction from feet to head over the frames, and how far they are apart at rest."""
    low = [k for k, n in enumerate(names) if any(w in n.lower() for w in FEET)]
    high = [k for k, n in enumerate(names) if any(w in n.lower() for w in HEADS)]
    if not low or not high:
        return None, float((rest.max(0) - rest.min(0)).max())
    spine = rest[high].mean(0) - rest[low].mean(0)
    height = float(np.linalg.norm(spine))
    if not height:
        return None, 0.0
    turned = rot_vec_quat(np.broadcast_to(spine / height, (len(q), 3)), q[:, 0])
    return turned.mean(0), height


def _like(
    robot: Robot, q: np.ndarray, names: tuple[str, ...], offsets: np.ndarray
) -> tuple[np.ndarray, float]:
    """As _upright, of a robot: where its up axis points, and how long offsets are that have a metre
    in the model."""
    m = robot.model
    up = np.array([0.0, 0.0, 1.0])
    if robot.free is not None:
        k = int(m.jnt_qposadr[robot.free]) + 3
        up = rot_vec_quat(up, neg_quat(m.qpos0[k : k + 4]))
    number = dict(zip(robot.body_names, robot.bodies, strict=True))
    own = np.linalg.norm(m.body_pos[[number[n] for n in names[1:]]], axis=1).sum()
    axis = rot_vec_quat(np.broadcast_to(up, (len(q), 3)), q[:, 0]).mean(0)
    return axis, float(np.linalg.norm(offsets[1:], axis=1).sum() / max(own, 1e-9))


def _unit(case: Case, height: float, of_model: bool) -> float:
    if case.said.unit is not None:
        case.note("unit", case.said.unit, "argument")
        return METRES[case.said.unit]
    if of_model:
        fits = [u for u, x in METRES.items() if abs(height * x - 1.0) < SCALE]
        why = "offsets are those of the model"
    else:
        fits = [u for u in ("m", "cm", "mm") if TALL[0] <= height * METRES[u] <= TALL[1]]
        why = f"the skeleton is {height * METRES[fits[0]]:.2f} m tall" if fits else ""
    if len(fits) != 1:
        size = (
            f"what is 1 m in the model is {height:.4g}" if of_model else f"it is {height:.4g} tall"
        )
        raise case.undecided(
            f"nothing tells the unit of its skeleton: {size}", 'unit="cm"', 'unit="m"',
            'unit="inch"',
        )  # fmt: skip
    case.note("unit", fits[0], "test", why)
    return METRES[fits[0]]


def _up(case: Case, axis: np.ndarray | None) -> str:
    if case.said.up is not None:
        case.note("up", case.said.up, "argument")
        return case.said.up
    if axis is not None:
        k = int(np.argmax(np.abs(axis)))
        if abs(axis[k]) > CLEAR and axis[k] > 0 and k > 0:
            case.note("up", "xyz"[k], "test", "from feet to head in the mean")
            return "xyz"[k]
    raise case.undecided(
        "nothing tells which axis is up"
        + ("" if axis is None else f": from feet to head is {np.round(axis, 2).tolist()} in the"
           " mean"), 'up="y"', 'up="z"',
    )  # fmt: skip


# ---- robots


def _is_robot(robot: Robot | None, names: tuple[str, ...]) -> bool:
    """Whether its joints are bodies of a model with hinges."""
    return robot is not None and not robot.balls.any() and set(names) == set(robot.body_names)


def _as_robot(case: Case, clip: Clip, robot: Robot) -> Clip:
    """Angles of hinges out of rotations of bodies on their parents."""
    m, angles = robot.model, []
    for j, name in zip(robot.joints, robot.joint_names, strict=True):
        b = int(m.jnt_bodyid[j])
        if m.jnt_type[j] != JNT_HINGE or m.body_jntnum[b] != 1:
            raise case.refuse(
                f"body {m.mj.body(b).name} has several joints, or one that is no hinge: their"
                " angles cannot be told from its rotation"
            )
        q = mul_quat(neg_quat(m.body_quat[b]), clip.joint(m.mj.body(b).name))
        axis = m.jnt_axis[j]
        along = q[:, 1:] @ axis
        beside = np.linalg.norm(q[:, 1:] - along[:, None] * axis, axis=1).max()
        if beside > OFF:
            raise case.refuse(f"rotations of {name} are not about its axis, by {beside:.3g} rad")
        angle = 2.0 * np.arctan2(along, q[:, 0])
        angles.append((angle + np.pi) % (2.0 * np.pi) - np.pi + m.qpos0[m.jnt_qposadr[j]])
    joints = np.stack(angles, 1)
    names = decide_joints(case, joints, names=robot.joint_names)
    case.note("joints", "hinges, of bodies by name", case.meaning["joints"].source)
    return Clip(clip.times, clip.p_WB, clip.q_WB, joints, tuple(names),
                root=robot.root_name, meaning=case.meaning)  # fmt: skip


# ---- writing


def write(clip: Clip, robot: Robot | None, options: dict[str, Any]) -> Lines:
    up, unit = options.get("up", "y"), options.get("unit", "cm")
    if unit not in METRES or up not in ("y", "z"):
        raise MotionError(f"up must be y or z, and unit one of {', '.join(METRES)}; got {up!r},"
                          f" {unit!r}")  # fmt: skip
    scale = 1.0 / METRES[unit]
    if clip.skeleton is not None and robot is None:
        skeleton = clip.skeleton
        local = _of_skeleton(clip.named(skeleton.names[1:]))
    elif robot is not None:
        skeleton, local = _of_robot(clip, robot)
    else:
        raise MotionError(
            f"a BVH file has offsets of joints, which a model gives: say {spelled('model=m')}"
        )
    kind = bvh_rotation_kind(ZXY)
    values = np.empty((len(clip), 3 + 3 * len(skeleton.names)))
    values[:, :3] = convert_up_axis(clip.p_WB, "z", up, kind="point") * scale

    def turn(part: slice) -> None:
        q = local(part)
        q[:, 0] = convert_up_axis(q[:, 0], "z", up, kind="wxyz")
        values[part, 3:] = convert_rotation(q, "wxyz", kind).reshape(len(q), -1)

    by_blocks(len(clip), turn)
    joints = [BvhJoint(name, parent, tuple(scale * x for x in offset),
                       (POSITIONS if parent < 0 else ()) + ZXY)
              for name, parent, offset in zip(skeleton.names, skeleton.parents,
                                              skeleton.offsets)]  # fmt: skip
    for k, end in skeleton.ends:
        joints[k].ends.append(tuple(scale * x for x in end))
    return bvh_lines(joints, values, 1.0 / clip.fps)


# rotations (frames, joints, 4) of a part of the frames, each joint on its parent
Local = Callable[[slice], np.ndarray]


def _of_skeleton(clip: Clip) -> Local:
    def local(part: slice) -> np.ndarray:
        x = np.concatenate([clip.q_WB[part], clip.joints[part]], 1)
        return x.reshape(len(x), -1, 4)

    return local


def _of_robot(clip: Clip, robot: Robot) -> tuple[Skeleton, Local]:
    """Bodies as joints: their places on their parents, which must not move, and rotations."""
    m = robot.model
    parents = [int(m.body_parentid[b]) for b in robot.bodies]
    number = {int(b): k for k, b in enumerate(robot.bodies)}
    simple = _hinges_at_origins(robot)
    local, offsets = _turned_hinges(clip, robot) if simple else _by_bodies(clip, robot, parents)
    offsets[0] = 0.0
    return Skeleton(tuple(robot.body_names), tuple(number.get(b, -1) for b in parents),
                    offsets), local  # fmt: skip


def _hinges_at_origins(robot: Robot) -> bool:
    """Whether a body has at most one joint, which is a hinge and at its origin."""
    m = robot.model
    hinges = (m.jnt_type[robot.joints] == JNT_HINGE).all() and not m.jnt_pos[robot.joints].any()
    return bool(hinges) and len(set(m.jnt_bodyid[robot.joints])) == len(robot.joints)


def _turned_hinges(clip: Clip, robot: Robot) -> tuple[Local, np.ndarray]:
    """Where every joint is a hinge: q = q_body (cos(a / 2) + sin(a / 2) axis)"""
    m = robot.model
    number = {int(b): k for k, b in enumerate(robot.bodies)}
    still = m.body_quat[robot.bodies]
    hinges = []
    for j, name in zip(robot.joints, robot.joint_names, strict=True):
        k = number[int(m.jnt_bodyid[j])]
        across = mul_quat(still[k], np.concatenate([[0.0], m.jnt_axis[j]]))
        hinges.append((k, clip.joint(name), m.qpos0[m.jnt_qposadr[j]], still[k], across))

    def local(part: slice) -> np.ndarray:
        q = np.tile(still, (len(clip.q_WB[part]), 1, 1))
        q[:, 0] = clip.q_WB[part]
        for k, angle, rest, along, across in hinges:
            half = 0.5 * (angle[part] - rest)[:, None]
            q[:, k] = np.cos(half) * along + np.sin(half) * across
        return q

    return local, m.body_pos[robot.bodies].copy()


def _by_bodies(clip: Clip, robot: Robot, parents: list[int]) -> tuple[Local, np.ndarray]:
    """Of any joints: where bodies come out."""
    pos, quat, _, _ = body_states(robot.model, clip.qpos(robot))
    back = neg_quat(quat[:, parents])
    turned = mul_quat(back, quat[:, robot.bodies])
    turned[:, 0] = clip.q_WB
    places = rot_vec_quat(pos[:, robot.bodies] - pos[:, parents], back)
    moved = np.abs(places[:, 1:] - places[:1, 1:]).max(initial=0.0)
    if moved > 1e-6:
        warnings.warn(
            f"joints that are not at the origin of their body, or slide, move bodies by up to"
            f" {moved:.3g} m on their parents, which a BVH file of rotations does not have",
            stacklevel=6,
        )
    return lambda part: turned[part], places[0].copy()


BVH = Form("bvh", "BVH: a skeleton of ball joints", "bvh", recognizes, read, write, ("up", "unit"))
