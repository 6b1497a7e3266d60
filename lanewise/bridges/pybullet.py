"""The state of a Data or Batch as PyBullet has it: one robot, base and links.

    axes = [p.getDynamicsInfo(robot, i)[4] for i in range(-1, p.getNumJoints(robot))]
    s = pybullet.read(m, d, inertial_axes=axes)
    p.resetBasePositionAndOrientation(robot, s.base_position, s.base_orientation)
    p.resetBaseVelocity(robot, s.base_linear_velocity, s.base_angular_velocity)
    for i in range(p.getNumJoints(robot)):
        p.resetJointState(robot, i, s.joint_position[i], s.joint_velocity[i])

Joint i carries link i, and fixed joints count; the root is the base, link -1. `root` names the
tree, if several stand on the world.

What PyBullet calls the position and orientation of the base or a link is that of its inertial
frame: the centre of mass, and the axes that its importer has chosen for the inertia. These axes
depend on the file and on flags, so they have to be said: `inertial_axes`, quaternions xyzw of the
base and of all links as getDynamicsInfo has them, or "model" for those of the compiled model
(body_iquat). link_frame_* are of the link's own frame (worldLinkFramePosition of getLinkState).
Velocities are of centres of mass, in world axes.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..conventions import Body, convert_free_state, convert_wrench
from ..conventions.arrays import check_unit, choice
from ..conventions.order import body_permutation
from ..conventions.rotations import convert_rotation
from ..conventions.systems import SYSTEMS
from ..errors import ConventionError
from . import links
from .joints import held_or_free, no_reference, one_joint_each, robot, single_numbers
from .simulation import Arrays, Changes, Worlds, says_choices

NAME = "pybullet"


@dataclass(frozen=True, eq=False)
class PyBulletState(Arrays):
    """What PyBullet's functions return; with several worlds, a leading axis of them.

    joint_names, link_names    of joints and links 0, 1, ...
    base_position              (3,) and base_orientation (4,), xyzw, of the inertial frame
    base_linear_velocity       (3,) of the centre of mass, and base_angular_velocity (3,)
    joint_position             (joints,) and joint_velocity; zero for fixed joints
    link_position              (links, 3) and link_orientation (links, 4) of inertial frames
    link_frame_position        (links, 3) and link_frame_orientation (links, 4) of link frames
    link_linear_velocity       (links, 3) of centres of mass, and link_angular_velocity (links, 3)
    """

    joint_names: tuple[str, ...]
    link_names: tuple[str, ...]
    base_position: np.ndarray
    base_orientation: np.ndarray
    base_linear_velocity: np.ndarray
    base_angular_velocity: np.ndarray
    joint_position: np.ndarray
    joint_velocity: np.ndarray
    link_position: np.ndarray
    link_orientation: np.ndarray
    link_frame_position: np.ndarray
    link_frame_orientation: np.ndarray
    link_linear_velocity: np.ndarray
    link_angular_velocity: np.ndarray


@says_choices
def read(m: Any, d: Any, *, inertial_axes: Any, root: str | None = None) -> PyBulletState:
    """The present state, links included: they are computed from qpos and qvel."""
    worlds = Worlds(m, d)
    it = _Robot(worlds, root, inertial_axes)
    m = worlds.model
    qpos, qvel = worlds.field("qpos"), worlds.field("qvel")
    q, v = (x[:, it.bodies] for x in links.links(worlds, qpos, qvel))
    own_frame = replace(SYSTEMS[NAME], pose_point="origin", pose_axes="body")
    frames, _ = convert_free_state(q, None, "mujoco", own_frame)
    each = [convert_free_state(q[:, i], v[:, i], "mujoco", NAME, body=it.body(i))
            for i in range(len(it.bodies))]  # fmt: skip
    pose, twist = (np.stack(rows, 1) for rows in zip(*each))
    position, velocity = np.zeros((2, worlds.n, len(it.bodies) - 1))
    position[:, it.moving] = qpos[:, m.jnt_qposadr[it.joints]]
    velocity[:, it.moving] = qvel[:, m.jnt_dofadr[it.joints]]
    arrays = (
        pose[:, 0, :3], pose[:, 0, 3:], twist[:, 0, :3], twist[:, 0, 3:], position, velocity,
        pose[:, 1:, :3], pose[:, 1:, 3:], frames[:, 1:, :3], frames[:, 1:, 3:],
        twist[:, 1:, :3], twist[:, 1:, 3:],
    )  # fmt: skip
    return PyBulletState(it.joint_names, it.link_names, *map(worlds.result, arrays))


@says_choices
def write(
    m: Any, d: Any, *, inertial_axes: Any, root: str | None = None,
    base_position: Any = None, base_orientation: Any = None,
    base_linear_velocity: Any = None, base_angular_velocity: Any = None,
    joint_position: Any = None, joint_velocity: Any = None, joint_torque: Any = None,
    external_force: Any = None, external_torque: Any = None,
) -> None:  # fmt: skip
    """Set qpos, qvel, qfrc_applied (joint_torque) and xfrc_applied (external_*).

    Nothing else is computed: forward does that. Velocities belong to the pose that is written with
    them, or else to the present one. Position and orientation go together, and so do the two
    velocities. Numbers for fixed joints must be zero. external_force and external_torque, (1 +
    links, 3), the base first, are in the world's axes (WORLD_FRAME), at the centre of mass; they
    replace what acts on the robot, and one that is not given is zero.
    """
    worlds = Worlds(m, d)
    it, changes = _Robot(worlds, root, inertial_axes), Changes(worlds)
    pose = _pair(worlds, "base_position", base_position, "base_orientation", base_orientation, 4)
    motion = _pair(worlds, "base_linear_velocity", base_linear_velocity,
                   "base_angular_velocity", base_angular_velocity, 3)  # fmt: skip
    if pose is not None:
        place, _ = it.tree.base("base_position")
        changes["qpos"][:, place], _ = convert_free_state(
            pose, None, NAME, "mujoco", body=it.body(0)
        )
    if motion is not None:
        place, dofs = it.tree.base("base_linear_velocity")
        at, _ = convert_free_state(changes.seen("qpos")[:, place], None, "mujoco", NAME,
                                   body=it.body(0))  # fmt: skip
        _, changes["qvel"][:, dofs] = convert_free_state(
            at, motion, NAME, "mujoco", body=it.body(0)
        )
    m = worlds.model
    for x, name, field, places in (
        (joint_position, "joint_position", "qpos", m.jnt_qposadr),
        (joint_velocity, "joint_velocity", "qvel", m.jnt_dofadr),
        (joint_torque, "joint_torque", "qfrc_applied", m.jnt_dofadr),
    ):
        if x is not None:
            x = worlds.given(x, (len(it.bodies) - 1,), name)
            if np.delete(x, it.moving, 1).any():
                raise ConventionError(f"{name} has numbers other than zero for fixed joints")
            changes[field][:, places[it.joints]] = x[:, it.moving]
    wrench = _wrench(worlds, len(it.bodies), external_force, external_torque)
    if wrench is not None:
        changes["xfrc_applied"][:, it.bodies] = convert_wrench(wrench, NAME, "mujoco")
    changes.write()


def _pair(
    worlds: Worlds, first_name: str, first: Any, second_name: str, second: Any, width: int
) -> np.ndarray | None:
    if first is None and second is None:
        return None
    if first is None or second is None:
        raise ConventionError(f"{first_name} and {second_name} go together: give both")
    return np.concatenate(
        (worlds.given(first, (3,), first_name), worlds.given(second, (width,), second_name)), -1
    )


def _wrench(worlds: Worlds, bodies: int, force: Any, torque: Any) -> np.ndarray | None:
    if force is None and torque is None:
        return None
    zero = np.zeros((bodies, 3))
    f = worlds.given(zero if force is None else force, zero.shape, "external_force")
    t = worlds.given(zero if torque is None else torque, zero.shape, "external_torque")
    return np.concatenate((f, t), -1)


class _Robot:
    """One tree as PyBullet numbers it: the base, and links with a joint each."""

    def __init__(self, worlds: Worlds, root: str | None, inertial_axes: Any):
        self.worlds = worlds
        self.tree = robot(worlds, root, "PyBullet")
        held_or_free(self.tree, "PyBullet")
        one_joint_each(self.tree, "PyBullet")
        m = worlds.model
        order = body_permutation(self.tree.tree, "mujoco", NAME)
        self.bodies = [self.tree.bodies[i] for i in order]
        below = np.array(self.bodies[1:], int)
        self.moving = np.flatnonzero(m.body_jntnum[below])  # links whose joints are not fixed
        self.joints = m.body_jntadr[below[self.moving]]
        single_numbers(worlds, self.joints, "PyBullet")
        no_reference(worlds, self.joints, "PyBullet")
        self.link_names = tuple(worlds.name("body", b) for b in below)
        self.joint_names = tuple(
            worlds.name("joint", m.body_jntadr[b]) if m.body_jntnum[b] else "" for b in below
        )
        self.com = worlds.rows("body_ipos", self.bodies)
        self.axes = self._axes(inertial_axes)

    def _axes(self, given: Any) -> np.ndarray:
        """R_BI of every body"""
        if isinstance(given, str):
            choice(given, ("model",), "inertial_axes")
            quat = self.worlds.rows("body_iquat", self.bodies)
            if quat.ndim > 2:
                raise ConventionError("worlds have a body_iquat of their own: give inertial_axes")
            return convert_rotation(quat, "wxyz", "matrix")
        quat = np.asarray(given, float)
        if quat.shape != (len(self.bodies), 4):
            raise ConventionError(
                f"inertial_axes must be quaternions xyzw of the base and {len(self.bodies) - 1}"
                f" links, shape {(len(self.bodies), 4)}; got {quat.shape}"
            )
        check_unit(quat, "inertial_axes")
        return convert_rotation(quat, "xyzw", "matrix")

    def body(self, i: int) -> Body:
        return Body(com=self.com[..., i, :], principal=self.axes[i])
