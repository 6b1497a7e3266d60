"""The state of a Data or Batch as Isaac Lab has it: an Articulation, or a RigidObject.

    s = isaaclab.read(m, b, version=2)
    s.root_state_w, s.joint_pos, s.body_lin_vel_w ...
    isaaclab.write(m, b, version=2, root_state_w=x, joint_pos=q, joint_vel=qd)

The version says the order of quaternions, wxyz in 2 and xyzw in 3. Version 3 runs on PhysX or on
Newton, and joints are in another order on each: `backend`.

Joints and bodies are in the order of PhysX, breadth first with siblings by the names of their
joints; `joint_names` and `body_names` have it. `root` names the tree, if several stand on the
world. If bodies are welded together, `fixed` says what the importer did with them: "keep", or
"merge" into their parents. Merged bodies have a centre of mass in common, and with it other
velocities.

    *_link_*   of the link's own frame: its origin, its axes
    *_com_*    of the centre of mass, and of the principal axes
    others     mix them, as Isaac Lab does: the pose of the link, the velocity of the centre of mass

Velocities are in world axes (*_w) or in the axes of the link (*_b). External forces are in the
axes of the link, at the centre of mass, as set_external_force_and_torque has them.

Which principal axes a body has, and in which order, is decided where the asset is made. So
`com_quat` is needed for orientations of *_com_*: articulation.data.body_com_quat_b, or "model" for
the axes of the compiled model (body_iquat). Without it they are None.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..conventions import Body, convert_free_state, convert_wrench
from ..conventions.arrays import check_unit, choice
from ..conventions.order import body_permutation
from ..conventions.rotations import convert_rotation
from ..conventions.systems import SYSTEMS, System
from ..errors import ConventionError
from . import links
from .joints import held_or_free, no_reference, one_joint_each, robot, single_numbers
from .links import merged_com
from .simulation import Arrays, Changes, Worlds, says_choices

BACKENDS = ("physx", "newton")


@dataclass(frozen=True, eq=False)
class IsaacLabState(Arrays):
    """Arrays of ArticulationData; with several worlds, a leading axis of them.

    joint_names, body_names  the order of joints and of bodies; body 0 is the root
    joint_pos         (num_joints,) [rad, m]
    joint_vel         (num_joints,) [rad/s, m/s]
    body_link_pose_w  (num_bodies, 7) [m, -]
    body_link_vel_w   (num_bodies, 6) [m/s, rad/s]
    body_com_vel_w    (num_bodies, 6)
    body_com_vel_b    (num_bodies, 6), in axes of the link
    body_com_pos_w    (num_bodies, 3)
    body_com_quat_w   (num_bodies, 4), or None if com_quat was not given

    All the rest follows from these: root_* are row 0, states are [pose, velocity].
    """

    joint_names: tuple[str, ...]
    body_names: tuple[str, ...]
    joint_pos: np.ndarray
    joint_vel: np.ndarray
    body_link_pose_w: np.ndarray
    body_link_vel_w: np.ndarray
    body_com_vel_w: np.ndarray
    body_com_vel_b: np.ndarray
    body_com_pos_w: np.ndarray
    body_com_quat_w: np.ndarray | None

    @property
    def body_com_pose_w(self) -> np.ndarray | None:
        """(num_bodies, 7) of the centre of mass and the principal axes; None without com_quat"""
        return _joined(self.body_com_pos_w, self.body_com_quat_w)

    @property
    def body_state_w(self) -> np.ndarray:
        """Pose of the link, velocity of the centre of mass"""
        return np.concatenate((self.body_link_pose_w, self.body_com_vel_w), -1)

    @property
    def body_link_state_w(self) -> np.ndarray:
        """(num_bodies, 13): pose and velocity of the link"""
        return np.concatenate((self.body_link_pose_w, self.body_link_vel_w), -1)

    @property
    def body_com_state_w(self) -> np.ndarray | None:
        """(num_bodies, 13): pose and velocity of the centre of mass; None without com_quat"""
        return _joined(self.body_com_pose_w, self.body_com_vel_w)

    @property
    def body_pos_w(self) -> np.ndarray:
        """Of the link"""
        return self.body_link_pose_w[..., :3]

    @property
    def body_quat_w(self) -> np.ndarray:
        """Of the link"""
        return self.body_link_pose_w[..., 3:]

    @property
    def body_lin_vel_w(self) -> np.ndarray:
        """Of the centre of mass"""
        return self.body_com_vel_w[..., :3]

    @property
    def body_ang_vel_w(self) -> np.ndarray:
        """In world axes [rad/s]"""
        return self.body_com_vel_w[..., 3:]

    @property
    def root_state_w(self) -> np.ndarray:
        """(13,): pose of the link, velocity of the centre of mass"""
        return self.body_state_w[..., 0, :]

    @property
    def root_link_state_w(self) -> np.ndarray:
        """(13,): pose and velocity of the link"""
        return self.body_link_state_w[..., 0, :]

    @property
    def root_com_state_w(self) -> np.ndarray | None:
        """(13,): pose and velocity of the centre of mass; None without com_quat"""
        return _first(self.body_com_state_w)

    @property
    def root_link_pose_w(self) -> np.ndarray:
        """(7,) of the link"""
        return self.body_link_pose_w[..., 0, :]

    @property
    def root_link_vel_w(self) -> np.ndarray:
        """(6,) of the link"""
        return self.body_link_vel_w[..., 0, :]

    @property
    def root_com_pose_w(self) -> np.ndarray | None:
        """(7,) of the centre of mass and the principal axes; None without com_quat"""
        return _first(self.body_com_pose_w)

    @property
    def root_com_pos_w(self) -> np.ndarray:
        """(3,) of the centre of mass"""
        return self.body_com_pos_w[..., 0, :]

    @property
    def root_com_vel_w(self) -> np.ndarray:
        """(6,) of the centre of mass"""
        return self.body_com_vel_w[..., 0, :]

    @property
    def root_pos_w(self) -> np.ndarray:
        """Of the link"""
        return self.body_pos_w[..., 0, :]

    @property
    def root_quat_w(self) -> np.ndarray:
        """Of the link"""
        return self.body_quat_w[..., 0, :]

    @property
    def root_lin_vel_w(self) -> np.ndarray:
        """Of the centre of mass"""
        return self.body_lin_vel_w[..., 0, :]

    @property
    def root_ang_vel_w(self) -> np.ndarray:
        """In world axes [rad/s]"""
        return self.body_ang_vel_w[..., 0, :]

    @property
    def root_lin_vel_b(self) -> np.ndarray:
        """Of the centre of mass, in axes of the link"""
        return self.body_com_vel_b[..., 0, :3]

    @property
    def root_ang_vel_b(self) -> np.ndarray:
        """In axes of the link [rad/s]"""
        return self.body_com_vel_b[..., 0, 3:]


def _joined(first: np.ndarray | None, second: np.ndarray | None) -> np.ndarray | None:
    return None if first is None or second is None else np.concatenate((first, second), -1)


def _first(rows: np.ndarray | None) -> np.ndarray | None:
    return None if rows is None else rows[..., 0, :]


@says_choices
def read(
    m: Any, d: Any, *, version: int, backend: str | None = None, root: str | None = None,
    fixed: str | None = None, com_quat: Any = None,
) -> IsaacLabState:  # fmt: skip
    """The present state, bodies included: they are computed from qpos and qvel."""
    worlds = Worlds(m, d)
    it = _Articulation(worlds, version, backend, root, fixed, com_quat)
    qpos, qvel = worlds.field("qpos"), worlds.field("qvel")
    q, v = (x[:, it.bodies] for x in links.links(worlds, qpos, qvel))
    body = Body(com=it.com)
    pose, link_vel = convert_free_state(q, v, "mujoco", it.link)
    _, com_vel = convert_free_state(q, v, "mujoco", it.row, body=body)
    in_link_axes = replace(it.row, linear_basis="body", angular_basis="body")
    _, com_vel_b = convert_free_state(q, v, "mujoco", in_link_axes, body=body)
    at_com, _ = convert_free_state(q, None, "mujoco", replace(it.row, pose_point="com"), body=body)
    axes = None if it.axes is None else np.stack(
        [convert_free_state(q[:, i], None, "mujoco", it.at_com, body=it.body(i))[0][:, 3:]
         for i in range(len(it.bodies))], 1)  # fmt: skip
    m, joints, out = worlds.model, list(it.joints), worlds.result
    return IsaacLabState(
        joint_names=tuple(worlds.name("joint", j) for j in joints),
        body_names=tuple(worlds.name("body", b) for b in it.bodies),
        joint_pos=out(qpos[:, m.jnt_qposadr[joints]]),
        joint_vel=out(qvel[:, m.jnt_dofadr[joints]]),
        body_link_pose_w=out(pose),
        body_link_vel_w=out(link_vel),
        body_com_vel_w=out(com_vel),
        body_com_vel_b=out(com_vel_b),
        body_com_pos_w=out(at_com[..., :3]),
        body_com_quat_w=None if axes is None else out(axes),
    )


@says_choices
def write(
    m: Any, d: Any, *, version: int, backend: str | None = None, root: str | None = None,
    fixed: str | None = None, com_quat: Any = None,
    root_state_w: Any = None, root_link_state_w: Any = None, root_com_state_w: Any = None,
    root_link_pose_w: Any = None, root_com_pose_w: Any = None,
    root_link_vel_w: Any = None, root_com_vel_w: Any = None,
    joint_pos: Any = None, joint_vel: Any = None, joint_effort: Any = None,
    forces_b: Any = None, torques_b: Any = None,
) -> None:  # fmt: skip
    """Set qpos, qvel, qfrc_applied (joint_effort) and xfrc_applied (forces_b and torques_b).

    Nothing else is computed: forward does that. Velocities and forces belong to the poses that are
    written with them, or else to the present ones. forces_b and torques_b, (num_bodies, 3) each,
    replace what acts on all bodies of the robot; one that is not given is zero.
    """
    worlds = Worlds(m, d)
    it = _Articulation(worlds, version, backend, root, fixed, com_quat)
    changes = Changes(worlds)
    poses, motions = _Given(worlds, "pose"), _Given(worlds, "velocity")
    poses.add("root_link_pose_w", root_link_pose_w, slice(7), 7, it.link)
    poses.add("root_com_pose_w", root_com_pose_w, slice(7), 7, it.at_com)
    motions.add("root_link_vel_w", root_link_vel_w, slice(6), 6, it.link)
    motions.add("root_com_vel_w", root_com_vel_w, slice(6), 6, it.row)
    for name, x, row in (
        ("root_state_w", root_state_w, it.row), ("root_link_state_w", root_link_state_w, it.link),
        ("root_com_state_w", root_com_state_w, it.at_com),
    ):  # fmt: skip
        poses.add(name, x, slice(7), 13, row)
        motions.add(name, x, slice(7, 13), 13, it.link if row is it.link else it.row)
    it.write_pose(poses, changes)
    it.write_motion(motions, changes)
    it.write_joints(joint_pos, joint_vel, joint_effort, changes)
    it.write_wrench(forces_b, torques_b, changes)
    changes.write()


class _Given:
    """The one form in which the pose or the velocity of the root was given, if any."""

    def __init__(self, worlds: Worlds, what: str):
        self.worlds, self.what = worlds, what
        self.name: str = ""
        self.x: Any = None
        self.row: Any = None

    def add(self, name: str, x: Any, part: slice, width: int, row: System) -> None:
        if x is None:
            return
        if self.name:
            raise ConventionError(
                f"{self.name} and {name} both have the {self.what} of the root: give one of them"
            )
        self.name, self.row = name, row
        self.x = self.worlds.given(x, (width,), name)[:, part]


class _Articulation:
    """One tree as Isaac Lab sees it: its order, its centres of mass, and what its numbers mean."""

    def __init__(
        self, worlds: Worlds, version: int, backend: str | None, root: str | None,
        fixed: str | None, com_quat: Any,
    ):  # fmt: skip
        third = choice(str(version), ("2", "3"), "version") == "3"
        name = "isaaclab-3" if third else "isaaclab-2"
        if third or backend is not None:
            choice(backend, BACKENDS if third else BACKENDS[:1], "backend")
        self.worlds = worlds
        self.row = SYSTEMS[name]
        self.link = replace(self.row, velocity_point="origin")
        self.at_com = replace(self.row, pose_point="com", pose_axes="principal")
        self.tree = robot(worlds, root, "Isaac Lab")
        held_or_free(self.tree, "Isaac Lab")
        one_joint_each(self.tree, "Isaac Lab")
        welded = [link.welded for link in self.tree.tree.links]
        if any(welded):
            choice(fixed, ("keep", "merge"), "fixed (some bodies are welded to others)")
        self.merged = any(welded) and fixed == "merge"
        choices = {"fixed": "merge" if self.merged else "keep"}
        if third:
            choices["backend"] = str(backend)
        kept = [b for b, w in zip(self.tree.bodies, welded) if not (w and self.merged)]
        order = body_permutation(self.tree.tree, "mujoco", name, **choices)
        self.bodies = [kept[i] for i in order]
        self.joints = self.tree.ordered(name, **choices)
        single_numbers(worlds, self.joints, "Isaac Lab")
        no_reference(worlds, self.joints, "Isaac Lab")
        self.com = merged_com(worlds, self.bodies) if self.merged else worlds.rows(
            "body_ipos", self.bodies)  # fmt: skip
        self.axes = None if com_quat is None else self._axes(com_quat)

    def _axes(self, com_quat: Any) -> np.ndarray:
        """R_BI of every body"""
        if isinstance(com_quat, str):
            choice(com_quat, ("model",), "com_quat")
            quat = self.worlds.rows("body_iquat", self.bodies)
            if self.merged or quat.ndim > 2:
                raise ConventionError(
                    "the model has no principal axes in common for "
                    + ("merged bodies" if self.merged else "worlds with a body_iquat of their own")
                    + ": give com_quat as an array"
                )
            return convert_rotation(quat, "wxyz", "matrix")
        quat = np.asarray(com_quat, float)
        if quat.shape != (len(self.bodies), 4):
            raise ConventionError(
                f"com_quat must have shape {(len(self.bodies), 4)}, a quaternion for each body in"
                f" the order of Isaac Lab; got {quat.shape}"
            )
        check_unit(quat, "com_quat")
        return convert_rotation(quat, self.row.quaternion, "matrix")

    def body(self, i: int) -> Body:
        """The i-th body, with its principal axes"""
        if self.axes is None:
            raise ConventionError(
                "the orientation of a centre of mass is that of its principal axes: give com_quat="
            )
        return Body(com=self.com[..., i, :], principal=self.axes[i])

    def write_pose(self, given: _Given, changes: Changes) -> None:
        if given.x is None:
            return
        place, _ = self.tree.base(given.name)
        body = self.body(0) if given.row is self.at_com else None
        qpos, _ = convert_free_state(given.x, None, given.row, "mujoco", body=body)
        changes["qpos"][:, place] = qpos

    def write_motion(self, given: _Given, changes: Changes) -> None:
        if given.x is None:
            return
        place, dofs = self.tree.base(given.name)
        pose, _ = convert_free_state(changes.seen("qpos")[:, place], None, "mujoco", given.row)
        body = Body(com=self.com[..., 0, :])
        _, qvel = convert_free_state(pose, given.x, given.row, "mujoco", body=body)
        changes["qvel"][:, dofs] = qvel

    def write_joints(self, pos: Any, vel: Any, effort: Any, changes: Changes) -> None:
        m, joints = self.worlds.model, list(self.joints)
        for x, name, field, places in (
            (pos, "joint_pos", "qpos", m.jnt_qposadr), (vel, "joint_vel", "qvel", m.jnt_dofadr),
            (effort, "joint_effort", "qfrc_applied", m.jnt_dofadr),
        ):  # fmt: skip
            if x is not None:
                x = self.worlds.given(x, (len(joints),), name)
                changes[field][:, places[joints]] = x

    def write_wrench(self, forces: Any, torques: Any, changes: Changes) -> None:
        if forces is None and torques is None:
            return
        worlds, shape = self.worlds, (len(self.bodies), 3)
        zero = np.zeros(shape)
        f = worlds.given(zero if forces is None else forces, shape, "forces_b")
        t = worlds.given(zero if torques is None else torques, shape, "torques_b")
        qpos, qvel = changes.seen("qpos"), worlds.field("qvel")
        pose, _ = links.links(worlds, qpos, qvel)
        pose = pose[:, self.bodies]
        # by the origin: the centre of mass of merged bodies is not that of MuJoCo's
        at_origin = replace(SYSTEMS["mujoco"], wrench_point="origin")
        wrench = convert_wrench(np.concatenate((f, t), -1), self.row, at_origin, pose=pose,
                                pose_system="mujoco", body=Body(com=self.com))  # fmt: skip
        own = Body(com=worlds.rows("body_ipos", self.bodies))
        changes["xfrc_applied"][:, list(self.tree.bodies)] = 0.0
        changes["xfrc_applied"][:, self.bodies] = convert_wrench(
            wrench, at_origin, "mujoco", pose=pose, body=own
        )
