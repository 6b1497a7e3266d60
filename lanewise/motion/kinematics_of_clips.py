"""Where bodies are in the frames of a clip, and how fast: all frames at once, along the tree.

The frames stand in for worlds of the bridges' kinematics, which need NumPy only: nothing has to be
compiled to look into a file. Of long clips, frames become worlds of a Batch, without constraints.
"""

import copy
from typing import Any

import numpy as np

from ..bridges.links import links
from ..bridges.simulation import Worlds
from ..conventions.arrays import join, split
from ..conventions.spatial import add, cross, rotate
from ..mjconst import DSBL_CONSTRAINT
from ..public import Batch, Model, load

BLOCK = 4096  # frames at a time, so that they stay in the cache
LONG = 3 * BLOCK  # frames from which a Batch is faster, when it has to be made first


class Frames(Worlds):
    """Frames of a motion in the place of worlds."""

    def __init__(self, m: Model, n: int):
        self.model, self.n, self.single = m, n, False
        self.batch = None

    def field(self, name: str) -> np.ndarray:
        """Mocap bodies, which stay where the model has them."""
        bodies = np.flatnonzero(self.model.body_mocapid >= 0)
        order = np.argsort(self.model.body_mocapid[bodies])
        x = {"mocap_pos": self.model.body_pos, "mocap_quat": self.model.body_quat}[name]
        return np.broadcast_to(x[bodies[order]], (self.n, len(bodies), x.shape[1]))


def body_states(m: Model, qpos: np.ndarray, qvel: np.ndarray | None = None) -> tuple[Any, ...]:
    """(pos, quat, lin_vel, ang_vel) of all bodies, the world first: (T, nbody, 3 or 4).

    pos is that of the body's origin and quat wxyz; lin_vel is the velocity of the origin and
    ang_vel the angular velocity, both in world axes.
    """
    T = len(qpos)
    if T >= LONG and not m.nmocap:
        return _by_batch(m, qpos, qvel)
    pose, motion = np.empty((T, m.nbody, 7)), np.empty((T, m.nbody, 6))
    still = np.zeros((BLOCK, m.nv))
    for k in range(0, T, BLOCK):
        part = slice(k, min(k + BLOCK, T))
        n = part.stop - k
        pose[part], motion[part] = links(
            Frames(m, n), qpos[part], still[:n] if qvel is None else qvel[part]
        )
    if qvel is not None:
        join(rotate(split(pose[..., 3:]), split(motion[..., 3:])), out=motion[..., 3:])
    return pose[..., :3], pose[..., 3:], motion[..., :3], motion[..., 3:]


def at_centres(m: Model, quat: np.ndarray, lin_vel: np.ndarray, ang_vel: np.ndarray) -> np.ndarray:
    """Velocities of the centres of mass (T, nbody, 3): v + w x R r"""
    r = rotate(split(quat), tuple(m.body_ipos.T))
    return join(add(split(lin_vel), cross(split(ang_vel), r)))


def _by_batch(m: Model, qpos: np.ndarray, qvel: np.ndarray | None) -> tuple[Any, ...]:
    """The same, with frames as worlds: cvel is the motion of the point at the tree's centre."""
    b = Batch(without(m, DSBL_CONSTRAINT), BLOCK)
    fields = {name: b.bind(name) for name in ("xpos", "xquat", "cvel", "subtree_com")}
    T = len(qpos)
    pos, quat, v, w = (np.empty((T, m.nbody, n)) for n in (3, 4, 3, 3))
    for k in range(0, T, BLOCK):
        n = min(BLOCK, T - k)
        part = slice(k, k + n)
        b.qpos[:n] = qpos[part]
        b.qvel[:n] = 0.0 if qvel is None else qvel[part]
        b.forward(ids=None if n == BLOCK else np.arange(n), stage=1 if qvel is None else 2)
        pos[part], quat[part] = fields["xpos"][:n], fields["xquat"][:n]
        if qvel is not None:
            w[part] = fields["cvel"][:n, :, :3]
            r = pos[part] - fields["subtree_com"][:n, m.body_rootid]
            v[part] = fields["cvel"][:n, :, 3:] + np.cross(w[part], r)
    return pos, quat, v, w


def without(m: Model, flag: int) -> Model:
    """The model with something disabled, by a flag of MuJoCo's."""
    mj = copy.deepcopy(m.mj)
    mj.opt.disableflags |= flag
    return load(mj)
