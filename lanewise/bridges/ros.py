"""The state of a Data or Batch as ROS messages: plain dictionaries, without ROS.

    s = ros.read(m, d, frame_id="odom")
    s.odometry[0]["pose"]["pose"]["position"]["x"], s.joint_state["position"], s.tf["transforms"]
    ros.write(m, d, frame_id="odom", odometry=message, joint_state=message, wrenches=[message])

Keys are the fields of nav_msgs/Odometry, sensor_msgs/JointState, geometry_msgs/WrenchStamped and
tf2_msgs/TFMessage of ROS 2. Frames have the names of bodies, and `frame_id` is the name of the
world's frame ("world", "map", "odom"). With several worlds, numbers are arrays with a leading axis
of them, and `pick` takes the message of one world.

    Odometry       pose in frame_id; twist of the origin of child_frame_id, in the axes of
                   child_frame_id
    tf             every body in the frame of its parent
    JointState     hinges and slides by name; qpos and qvel as they are. What is measured as effort
                   is no part of the state: it is empty
    WrenchStamped  on the body header.frame_id: about its origin, in its axes
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..conventions import Body, convert_free_state, convert_wrench
from ..conventions.arrays import join, split
from ..conventions.spatial import conjugate, multiply, sub, unrotate
from ..errors import ConventionError, no_such
from ..mjconst import JNT_FREE
from . import links
from .joints import single_numbers
from .simulation import Arrays, Changes, Worlds, says_choices

NAME = "ros"
Message = dict[str, Any]


@dataclass(frozen=True, eq=False)
class RosState(Arrays):
    """Messages. odometry: of each free body; wrenches: of each body (xfrc_applied)."""

    odometry: tuple[Message, ...]
    joint_state: Message
    tf: Message
    wrenches: tuple[Message, ...]


@says_choices
def read(m: Any, d: Any, *, frame_id: str) -> RosState:
    """All messages of the present state; tf is computed from qpos."""
    return RosState(
        odometry(m, d, frame_id=frame_id), joint_state(m, d), tf(m, d, frame_id=frame_id),
        wrenches(m, d),
    )  # fmt: skip


@says_choices
def odometry(m: Any, d: Any, *, frame_id: str) -> tuple[Message, ...]:
    """nav_msgs/Odometry of every free body."""
    worlds = Worlds(m, d)
    header = {"stamp": _stamp(worlds), "frame_id": frame_id}
    made = []
    for j in _free_joints(worlds):
        place, dofs = worlds.places(j)
        q, v = convert_free_state(
            worlds.field("qpos")[:, place], worlds.field("qvel")[:, dofs], "mujoco", NAME
        )
        made.append({
            "header": header,
            "child_frame_id": _frame(worlds, worlds.model.jnt_bodyid[j]),
            "pose": {"pose": _pose(worlds, q, "position", "orientation"), "covariance": [0.0] * 36},
            "twist": {"twist": _six(worlds, v, "linear", "angular"), "covariance": [0.0] * 36},
        })  # fmt: skip
    return tuple(made)


@says_choices
def joint_state(m: Any, d: Any) -> Message:
    """sensor_msgs/JointState of all hinges and slides."""
    worlds = Worlds(m, d)
    joints = _joints(worlds)
    m = worlds.model
    place = list(joints.values())
    return {
        "header": {"stamp": _stamp(worlds), "frame_id": ""},
        "name": list(joints),
        "position": worlds.result(worlds.field("qpos")[:, m.jnt_qposadr[place]]),
        "velocity": worlds.result(worlds.field("qvel")[:, m.jnt_dofadr[place]]),
        "effort": [],
    }


@says_choices
def tf(m: Any, d: Any, *, frame_id: str) -> Message:
    """tf2_msgs/TFMessage with a transform for every body."""
    worlds = Worlds(m, d)
    m = worlds.model
    stamp = _stamp(worlds)
    q, _ = links.links(worlds, worlds.field("qpos"), worlds.field("qvel"))
    transforms = []
    for b in range(1, m.nbody):
        parent = m.body_parentid[b]
        X_WP, X_WB = split(q[:, parent]), split(q[:, b])
        p = unrotate(X_WP[3:], sub(X_WB[:3], X_WP[:3]))
        X_PB = join((*p, *multiply(conjugate(X_WP[3:]), X_WB[3:])))
        x, _ = convert_free_state(X_PB, None, "mujoco", NAME)
        transforms.append({
            "header": {
                "stamp": stamp, "frame_id": _frame(worlds, parent) if parent else frame_id
            },
            "child_frame_id": _frame(worlds, b),
            "transform": _pose(worlds, x, "translation", "rotation"),
        })  # fmt: skip
    return {"transforms": transforms}


@says_choices
def wrenches(m: Any, d: Any) -> tuple[Message, ...]:
    """geometry_msgs/WrenchStamped of every body: what xfrc_applied does to it."""
    worlds = Worlds(m, d)
    stamp = _stamp(worlds)
    q, _ = links.links(worlds, worlds.field("qpos"), worlds.field("qvel"))
    bodies = slice(1, None)
    wrench = convert_wrench(
        worlds.field("xfrc_applied")[:, bodies], "mujoco", NAME, pose=q[:, bodies],
        pose_system="mujoco", body=Body(com=worlds.rows("body_ipos", bodies)),
    )  # fmt: skip
    return tuple(
        {"header": {"stamp": stamp, "frame_id": _frame(worlds, b)},
         "wrench": _six(worlds, wrench[:, b - 1], "force", "torque")}
        for b in range(1, worlds.model.nbody)
    )  # fmt: skip


def pick(message: Any, world: int) -> Any:
    """The message of one of several worlds."""
    if isinstance(message, Mapping):
        return {key: pick(value, world) for key, value in message.items()}
    if isinstance(message, np.ndarray):
        return message[world].tolist()
    if isinstance(message, Sequence) and not isinstance(message, str):
        return type(message)(pick(value, world) for value in message)  # type: ignore[call-arg]
    return message


@says_choices
def write(
    m: Any, d: Any, *, frame_id: str, odometry: Any = None, joint_state: Any = None,
    wrenches: Any = None,
) -> None:  # fmt: skip
    """Set qpos and qvel from Odometry (one or several) and JointState; xfrc_applied from wrenches.

    Nothing else is computed: forward does that. A JointState may name some of the joints, and its
    position or velocity may be empty; its effort goes to qfrc_applied. A wrench replaces what acts
    on its body, and belongs to the pose that is written with it, or else to the present one.
    """
    worlds = Worlds(m, d)
    changes = Changes(worlds)
    for message in _several(odometry):
        _write_odometry(worlds, message, frame_id, changes)
    if joint_state is not None:
        _write_joints(worlds, joint_state, changes)
    given = _several(wrenches)
    if given:
        q, _ = links.links(worlds, changes.seen("qpos"), worlds.field("qvel"))
        for message in given:
            b = _body(worlds, _part(message, "header", "frame_id"))
            wrench = _parts(worlds, _part(message, "wrench"), ("force", "torque"), ("xyz", "xyz"))
            body = Body(com=worlds.rows("body_ipos", b))
            changes["xfrc_applied"][:, b] = convert_wrench(
                wrench, NAME, "mujoco", pose=q[:, b], body=body
            )
    changes.write()


def _write_odometry(worlds: Worlds, message: Message, frame_id: str, changes: Changes) -> None:
    frame = _part(message, "header", "frame_id")
    if frame != frame_id:
        raise ConventionError(
            f"this Odometry is in frame {frame!r}, and the world is {frame_id!r}: transform it"
        )
    b = _body(worlds, _part(message, "child_frame_id"))
    free = {int(worlds.model.jnt_bodyid[j]): j for j in _free_joints(worlds)}
    if b not in free:
        names = ", ".join(worlds.name("body", k) for k in free) or "none"
        raise ConventionError(
            f"{message['child_frame_id']!r} has no free joint: an Odometry is of one of: {names}"
        )
    place, dofs = worlds.places(free[b])
    parts = ("position", "orientation"), ("xyz", "xyzw")
    q = _parts(worlds, _part(message, "pose", "pose"), *parts)
    v = _parts(worlds, _part(message, "twist", "twist"), ("linear", "angular"), ("xyz", "xyz"))
    changes["qpos"][:, place], changes["qvel"][:, dofs] = convert_free_state(q, v, NAME, "mujoco")


def _write_joints(worlds: Worlds, message: Message, changes: Changes) -> None:
    m = worlds.model
    known = _joints(worlds)
    names = list(_part(message, "name"))
    for key in message:
        if key not in _OF_JOINTS:
            raise ConventionError(no_such("part of a JointState", key, _OF_JOINTS))
    for name in names:
        if name not in known:
            raise ConventionError(no_such("joint", name, known))
    if len(set(names)) < len(names):
        raise ConventionError("a JointState names a joint twice")
    joints = [known[name] for name in names]
    for key, field, places in (
        ("position", "qpos", m.jnt_qposadr), ("velocity", "qvel", m.jnt_dofadr),
        ("effort", "qfrc_applied", m.jnt_dofadr),
    ):  # fmt: skip
        if len(message.get(key, ())):
            x = worlds.given(message[key], (len(names),), key)
            changes[field][:, places[joints]] = x


# ---- pieces of messages


_OF_JOINTS = ("header", "name", "position", "velocity", "effort")


def _part(message: Message, *path: str) -> Any:
    """A part of a message, or an error that says what it has instead."""
    part: Any = message
    for k, key in enumerate(path):
        if not isinstance(part, Mapping):
            raise ConventionError(
                f"{'.'.join(path[:k]) or 'a message'} must be a dict with {key!r},"
                f" got {type(part).__name__}"
            )
        if key not in part:
            raise ConventionError(
                f"the message has {no_such('part', '.'.join(path[: k + 1]), map(str, part))}"
            )
        part = part[key]
    return part


def _several(messages: Any) -> list[Any]:
    if messages is None:
        return []
    return [messages] if isinstance(messages, Mapping) else list(messages)


def _stamp(worlds: Worlds) -> Message:
    """builtin_interfaces/Time of the simulation."""
    nanoseconds = np.rint(worlds.field("time") * 1e9).astype(np.int64)
    return {
        "sec": _leaf(worlds, nanoseconds // 10**9),
        "nanosec": _leaf(worlds, nanoseconds % 10**9),
    }


def _leaf(worlds: Worlds, x: np.ndarray) -> Any:
    """A number, or an array over worlds."""
    return x[0].item() if worlds.single else x


def _pose(worlds: Worlds, x: np.ndarray, position: str, rotation: str) -> Message:
    return {
        position: {c: _leaf(worlds, x[:, i]) for i, c in enumerate("xyz")},
        rotation: {c: _leaf(worlds, x[:, 3 + i]) for i, c in enumerate("xyzw")},
    }


def _six(worlds: Worlds, x: np.ndarray, first: str, second: str) -> Message:
    return {
        first: {c: _leaf(worlds, x[:, i]) for i, c in enumerate("xyz")},
        second: {c: _leaf(worlds, x[:, 3 + i]) for i, c in enumerate("xyz")},
    }


def _parts(
    worlds: Worlds, message: Message, names: tuple[str, ...], letters: tuple[str, ...]
) -> np.ndarray:
    """Numbers of two vectors of a message: (n, ...)."""
    return np.stack(
        [worlds.given(_part(message, name, c), (), f"{name}.{c}")
         for name, each in zip(names, letters) for c in each], -1)  # fmt: skip


def _frame(worlds: Worlds, b: int) -> str:
    return worlds.name("body", int(b))


def _body(worlds: Worlds, name: str) -> int:
    names = {_frame(worlds, b): b for b in range(1, worlds.model.nbody)}
    if name not in names:
        raise ConventionError(
            no_such("body is called", name, names)
            + ". A wrench or an Odometry is given in the frame of the body that it is of"
        )
    return names[name]


def _joints(worlds: Worlds) -> dict[str, int]:
    """Hinges and slides by name."""
    m = worlds.model
    moving = [j for j in range(m.njnt) if m.jnt_type[j] != JNT_FREE]
    single_numbers(worlds, moving, "a JointState")
    return {worlds.name("joint", j): j for j in moving}


def _free_joints(worlds: Worlds) -> list[int]:
    m = worlds.model
    return [j for j in range(m.njnt) if m.jnt_type[j] == JNT_FREE]
