"""The state of a Data or Batch as Drake has it: q and v of the whole plant.

    s = drake.read(m, d)
    plant.SetPositionsAndVelocities(context, np.concatenate((s.q, s.v)))
    drake.write(m, d, q=plant.GetPositions(context), v=plant.GetVelocities(context))

The plant is the one that Drake's parser makes of the model's file. In its q and v come the trees
that hang on the world by a joint or a weld, and then those with a floating base, each of them depth
first in the order of the file. `joint_names` says which joints these are.

    free           q [q_WB wxyz, p_WBo], v [w_WB_W, v_WBo_W]; forces [t_Bo_W, f_W]
    ball           q roll, pitch, yaw (a BallRpyJoint), v w in axes of the parent
    hinge, slide   qpos and qvel as they are, `ref` included
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..conventions import convert_free_state
from ..conventions.order import order_rule
from . import links
from .joints import Ball, Coordinates, robots
from .simulation import Arrays, Changes, Worlds, says_choices

NAME = "drake"
BALL = Ball("euler_xyz_extrinsic_rad", 3, "parent")


@dataclass(frozen=True, eq=False)
class DrakeState(Arrays):
    """Arrays of a MultibodyPlant; with several worlds, a leading axis of them.

    joint_names  in the order of q and v, floating ones too
    body_names   of the rows of X_WB and V_WB
    q            (num_positions,)
    v            (num_velocities,)
    tau          (num_velocities,): qfrc_applied
    X_WB         (nbody, 7) [q_WB wxyz, p_WBo]
    V_WB         (nbody, 6) [w_WB_W, v_WBo_W]
    """

    joint_names: tuple[str, ...]
    body_names: tuple[str, ...]
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    X_WB: np.ndarray
    V_WB: np.ndarray


@says_choices
def read(m: Any, d: Any) -> DrakeState:
    """The present state, bodies included: they are computed from qpos and qvel."""
    worlds = Worlds(m, d)
    joints = _joints(worlds)
    coordinates = Coordinates(worlds, joints, NAME, BALL)
    qpos, qvel = worlds.field("qpos"), worlds.field("qvel")
    q, v = coordinates.read(qpos, qvel)
    tau = coordinates.read_force(worlds.field("qfrc_applied"), qpos)
    pose, motion = links.links(worlds, qpos, qvel)
    bodies = convert_free_state(pose[:, 1:], motion[:, 1:], "mujoco", NAME)
    return DrakeState(
        tuple(worlds.name("joint", j) for j in joints),
        tuple(worlds.name("body", b) for b in range(1, worlds.model.nbody)),
        *map(worlds.result, (q, v, tau, *bodies)),
    )


@says_choices
def write(m: Any, d: Any, *, q: Any = None, v: Any = None, tau: Any = None) -> None:
    """Set qpos, qvel and qfrc_applied. Nothing else is computed: forward does that.

    Velocities and forces belong to the q that is written with them, or else to the present one.
    """
    worlds = Worlds(m, d)
    coordinates, changes = Coordinates(worlds, _joints(worlds), NAME, BALL), Changes(worlds)
    coordinates.write(changes, q, v, tau)
    changes.write()


def _joints(worlds: Worlds) -> list[int]:
    trees = robots(worlds)
    if order_rule(NAME).floating_last:
        trees.sort(key=lambda tree: tree.free is not None)
    joints: list[int] = []
    for tree in trees:
        joints += [] if tree.free is None else [tree.free]
        joints += tree.ordered(NAME)
    return joints
