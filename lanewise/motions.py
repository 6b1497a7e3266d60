"""Motions of objects, frames in bodies, forces on bodies, and steps in the space of positions.

The functions with a Data use what its stages left there; those of a Batch have the same names, and
compute what it takes for the present state of each world. Those with arrays of positions need no
world: they are NumPy, on arrays of any leading shape.
"""

from typing import Any

import numpy as np

from . import frames
from .asking import OBJECTS, Items, Places, ask, numbers, object_kind, objects, vectors
from .data import PLACE
from .engine.calls.motion import MOTION
from .engine.calls.place import PLACE as PLACING
from .engine.calls.push import PUSH
from .errors import whole_number
from .functions import check_arguments, check_model
from .lanes.records import Records
from .mjconst import JNT_BALL, JNT_FREE, SAMEFRAME_INERTIAROT
from .naming import numbers_of


def object_velocity(m: Any, d: Any, kind: Any, id: Any, local: bool = False) -> np.ndarray:
    """Velocity (6,) of an object: angular [rad/s], then linear [m/s] of its origin.
    mj_objectVelocity

    kind: "body" (the inertial frame, at the centre of mass), "xbody" (the body's own frame),
    "geom", "site", "camera", or one of mjtObj; id: name or number, a sequence of k gives (k, 6).
    In the axes of W, or with local=True in the object's own. d has positions and velocities:
    `lw.fwd_velocity`, or at least `lw.com_vel`. With several worlds, after an axis of them.
    """
    check_arguments(m, d)
    motions = Motions(Places.of_data(d), m, kind, id, local, accelerate=False)
    ask(m, d, "motion", motions.record)
    return motions.values


def object_acceleration(m: Any, d: Any, kind: Any, id: Any, local: bool = False) -> np.ndarray:
    """Acceleration (6,) of an object: angular [rad/s^2], then linear [m/s^2] of its origin, as
    `object_velocity`. mj_objectAcceleration

    It is what an accelerometer there feels: gravity counts as an acceleration upwards. d has cacc:
    call `lw.rne_post_constraint` after `lw.forward`.
    """
    check_arguments(m, d)
    motions = Motions(Places.of_data(d), m, kind, id, local, accelerate=True)
    ask(m, d, "motion", motions.record)
    return motions.values


def local_to_global(
    m: Any, d: Any, pos: Any, quat: Any, body: Any, sameframe: Any = 0
) -> tuple[np.ndarray, np.ndarray]:
    """(xpos (3,) [m], xmat (9,)) in W of a frame that is fixed in a body, with the position
    pos (3,) and the orientation quat (4,), wxyz, in the body's frame. mj_local2Global

    sameframe: of mjtSameFrame; 1 is the body's frame itself and 2 its inertial frame, 3 and 4 only
    their axes. d has positions. (k, 3), (k, 4) and (k,) bodies give k frames; with several worlds,
    shapes are as in `lw.jac`.
    """
    check_arguments(m, d)
    placed = Placed(Places.of_data(d), m, pos, quat, body, sameframe)
    ask(m, d, "place", placed.record)
    return placed.xpos, placed.xmat


def apply_ft(m: Any, d: Any, force: Any, torque: Any, point: Any, body: Any) -> np.ndarray:
    """The generalized force (nv,) of a force (3,) [N] at a point (3,) [m] of a body, and of a
    torque (3,) [Nm] on it, all in W: jacp' force + jacr' torque. mj_applyFT

    Forces (k, 3), torques, points and bodies (k,) add up. d has positions. With several worlds
    the result is (worlds, nv), and shapes are as in `lw.jac`.
    """
    check_arguments(m, d)
    push = Push(Places.of_data(d), m, force, torque, point, body)
    ask(m, d, "push", push.record)
    return push.qfrc


class Motions:
    """Velocities or accelerations that are asked for, and room for them."""

    def __init__(self, places: Places, m: Any, kind: Any, ids: Any, local: Any, accelerate: bool):
        number, kind, field = OBJECTS[object_kind(kind)]
        items = Items.of_objects(places, objects(m, kind, ids))
        values = items.empty(6)
        self.values = items.result(values)
        self.fields = [field, *(["cacc"] if accelerate else [])]
        self.record = Records(MOTION)
        self.record.set(
            kind=number, accelerate=accelerate, local=bool(local), values=values, **items.members
        )  # fmt: skip


class Placed:
    """Frames in bodies, and room for where they are in W."""

    def __init__(self, places: Places, m: Any, pos: Any, quat: Any, body: Any, sameframe: Any):
        sameframe = whole_number(sameframe, "sameframe")
        if not 0 <= sameframe <= SAMEFRAME_INERTIAROT:
            raise ValueError(
                f"sameframe must be from 0 to {SAMEFRAME_INERTIAROT} (mjtSameFrame),"
                f" got {sameframe}"
            )
        body = numbers_of(m.mj, "body", body)
        items = Items.of_bodies(
            places, body, pos=vectors(pos, "pos"), quat=vectors(quat, "quat", 4)
        )
        xpos, xmat = items.empty(3), items.empty(9)
        self.xpos, self.xmat = items.result(xpos), items.result(xmat)
        self.record = Records(PLACING)
        self.record.set(
            sameframe=sameframe, input=PLACE["item_numbers"], output=PLACE["frame_numbers"],
            xpos=xpos, xmat=xmat, **items.members,
        )  # fmt: skip


class Push:
    """Forces and torques on bodies, and room for the generalized force."""

    def __init__(self, places: Places, m: Any, force: Any, torque: Any, point: Any, body: Any):
        items = Items.of_bodies(
            places, numbers_of(m.mj, "body", body), force=vectors(force, "force"),
            torque=vectors(torque, "torque"), point=vectors(point, "point"),
        )  # fmt: skip
        qfrc = np.empty((places.room, m.nv))
        self.qfrc = qfrc[0] if places.alone else qfrc[: places.n]
        self.record = Records(PUSH)
        self.record.set(
            input=PLACE["item_numbers"], output=PLACE["vector"], qfrc=qfrc, **items.members
        )


# ---------------------------------------------------------------------------------------- positions


def integrate_pos(m: Any, qpos: Any, qvel: Any, dt: Any) -> np.ndarray:
    """qpos (..., nq) after the time dt [s] with the velocity qvel (..., nv). mj_integratePos

    Quaternions turn, and come out normalized. Leading axes of all three broadcast; dt is one
    number, or (...).
    """
    check_model(m)
    qpos, qvel, dt = _positions(m, qpos, "qpos"), _velocities(m, qvel), numbers(dt, "dt")[..., None]
    single, dofs, quats, turns = _layout(m)
    shape = np.broadcast_shapes(qpos.shape[:-1], qvel.shape[:-1], dt.shape[:-1])
    out = np.empty((*shape, m.nq))
    out[..., single] = qpos[..., single] + dt * qvel[..., dofs]
    out[..., quats] = frames.quat_integrate(qpos[..., quats], qvel[..., turns], dt)
    return out


def differentiate_pos(m: Any, dt: Any, qpos1: Any, qpos2: Any) -> np.ndarray:
    """The velocity qvel (..., nv) that leads from qpos1 to qpos2, (..., nq), in the time dt [s].
    mj_differentiatePos

    Quaternions turn the shorter way. Leading axes broadcast, as in `integrate_pos`.
    """
    check_model(m)
    one, two = _positions(m, qpos1, "qpos1"), _positions(m, qpos2, "qpos2")
    dt = numbers(dt, "dt")[..., None]
    single, dofs, quats, turns = _layout(m)
    out = np.empty((*np.broadcast_shapes(one.shape[:-1], two.shape[:-1], dt.shape[:-1]), m.nv))
    with np.errstate(divide="ignore", invalid="ignore"):
        out[..., dofs] = (two[..., single] - one[..., single]) / dt
    turn = frames.mul_quat(frames.neg_quat(one[..., quats]), two[..., quats])
    out[..., turns] = frames.quat_to_vel(turn, dt)
    return out


def normalize_quat(m: Any, qpos: Any) -> np.ndarray:
    """qpos (..., nq) with all its quaternions of unit length; those without a length become no
    turn. mj_normalizeQuat"""
    check_model(m)
    qpos = _positions(m, qpos, "qpos").copy()
    _, _, quats, _ = _layout(m)
    qpos[..., quats] = frames.normalize4(qpos[..., quats])
    return qpos


def _layout(m: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Places in qpos and in qvel: of numbers that add up, and of quaternions (n, 4) and (n, 3)."""
    kind, q, v = m.jnt_type, m.jnt_qposadr, m.jnt_dofadr
    free, ball = kind == JNT_FREE, kind == JNT_BALL
    line, three = ~(free | ball), np.arange(3)
    single = [q[line], (q[free, None] + three).ravel()]
    dofs = [v[line], (v[free, None] + three).ravel()]
    quats = np.concatenate([q[free] + 3, q[ball]])[:, None] + np.arange(4)
    turns = np.concatenate([v[free] + 3, v[ball]])[:, None] + three
    return np.concatenate(single), np.concatenate(dofs), quats, turns


def _positions(m: Any, x: Any, name: str) -> np.ndarray:
    x = numbers(x, name)
    if x.shape[-1:] != (m.nq,):
        raise ValueError(f"{name} must have shape (..., {m.nq}), got {x.shape}")
    return x


def _velocities(m: Any, x: Any) -> np.ndarray:
    x = numbers(x, "qvel")
    if x.shape[-1:] != (m.nv,):
        raise ValueError(f"qvel must have shape (..., {m.nv}), got {x.shape}")
    return x
