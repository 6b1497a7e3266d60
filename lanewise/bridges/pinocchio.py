"""The state of a Data or Batch as Pinocchio has it: q, v and tau of one robot.

    s = pinocchio.read(m, d, file="urdf", continuous=())
    pin.forwardKinematics(model, data, s.q, s.v)
    pinocchio.write(m, d, file="urdf", continuous=(), q=q, v=v)

`file` is what the other side was built from, buildModelFromUrdf or buildModelFromMJCF: joints of
URDF are sorted by name among siblings, those of MJCF are not. A URDF joint of type "continuous" is
two numbers, cosine and sine; nothing in a compiled model tells it from a hinge without limits, so
`continuous` names the joints of this type.

    free           q [p_WBo, q_WB xyzw], v [v_WBo_B, w_WB_B]; tau [f_B, t_Bo_B]
    ball           q xyzw, v w in axes of the child
    hinge, slide   qpos and qvel as they are, `ref` included

A Pinocchio model of MJCF has the first tree of the world only. `root` names the tree, if there are
several.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..conventions import convert_free_state
from ..conventions.arrays import choice
from ..errors import ConventionError, did_you_mean
from ..mjconst import JNT_HINGE
from . import links
from .joints import Ball, Coordinates, Robot, robot
from .simulation import Arrays, Changes, Worlds, says_choices

NAME = "pinocchio"
BALL = Ball("xyzw", 4, "child")
FILES = ("urdf", "mjcf")


@dataclass(frozen=True, eq=False)
class PinocchioState(Arrays):
    """Arrays of Pinocchio; with several worlds, a leading axis of them.

    joint_names  in the order of q and v, the free flyer too
    body_names   of the rows of body_pose and body_velocity
    q            (nq,)
    v            (nv,)
    tau          (nv,): qfrc_applied
    body_pose      (nbody, 7) [p_WBo, q_WB xyzw]: oMf of the frame with the name of the body
    body_velocity  (nbody, 6) [v_WBo_B, w_WB_B]: getFrameVelocity of it, LOCAL
    """

    joint_names: tuple[str, ...]
    body_names: tuple[str, ...]
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    body_pose: np.ndarray
    body_velocity: np.ndarray


@says_choices
def read(
    m: Any, d: Any, *, file: str, continuous: Sequence[str] | None = None, root: str | None = None
) -> PinocchioState:
    """The present state, bodies included: they are computed from qpos and qvel."""
    worlds = Worlds(m, d)
    tree = robot(worlds, root, NAME)
    joints = _joints(tree, file)
    coordinates = _coordinates(tree, joints, file, continuous)
    qpos, qvel = worlds.field("qpos"), worlds.field("qvel")
    q, v = coordinates.read(qpos, qvel)
    tau = coordinates.read_force(worlds.field("qfrc_applied"), qpos)
    pose, motion = (x[:, tree.bodies] for x in links.links(worlds, qpos, qvel))
    bodies = convert_free_state(pose, motion, "mujoco", NAME)
    return PinocchioState(
        tuple(worlds.name("joint", j) for j in joints),
        tuple(worlds.name("body", b) for b in tree.bodies),
        *map(worlds.result, (q, v, tau, *bodies)),
    )


@says_choices
def write(
    m: Any, d: Any, *, file: str, continuous: Sequence[str] | None = None, root: str | None = None,
    q: Any = None, v: Any = None, tau: Any = None,
) -> None:  # fmt: skip
    """Set qpos, qvel and qfrc_applied of the robot. Nothing else is computed: forward does that.

    Velocities and forces belong to the q that is written with them, or else to the present one. A
    continuous joint gets the angle in (-pi, pi].
    """
    worlds = Worlds(m, d)
    tree, changes = robot(worlds, root, NAME), Changes(worlds)
    coordinates = _coordinates(tree, _joints(tree, file), file, continuous)
    coordinates.write(changes, q, v, tau)
    changes.write()


def _joints(tree: Robot, file: str) -> list[int]:
    choice(file, FILES, "file")
    return [*([] if tree.free is None else [tree.free]), *tree.ordered(NAME, file=file)]


def _coordinates(
    tree: Robot, joints: list[int], file: str, continuous: Sequence[str] | None
) -> Coordinates:
    worlds, m = tree.worlds, tree.worlds.model
    endless = {worlds.name("joint", j): j for j in joints
               if m.jnt_type[j] == JNT_HINGE and not m.jnt_limited[j]}  # fmt: skip
    if continuous is None:
        if file == "urdf" and endless:
            raise ConventionError(
                "these hinges have no limits, and if the URDF calls them continuous, Pinocchio has"
                f" a cosine and a sine for each: {', '.join(endless)}. Say continuous=, the names"
                " of those that it does, or () for none"
            )
        continuous = ()
    if isinstance(continuous, str) or (continuous and file == "mjcf"):
        raise ConventionError(
            f"continuous are the names of URDF joints, as in ('wheel',); got {continuous!r}"
            f" with file={file!r}"
        )
    for name in continuous:
        if name not in endless:
            raise ConventionError(
                f"no hinge without limits is called {name!r}{did_you_mean(name, endless)};"
                f" there are {', '.join(endless) or 'none'}"
            )
    circles = [endless[name] for name in continuous]
    return Coordinates(worlds, joints, NAME, BALL, circles=circles)
