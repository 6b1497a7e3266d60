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

BLOCK = 1024  # frames at a time, so that they stay in the cache
LONG = 12 * BLOCK  # frames from which a Batch is faster, when it has to be made first


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


def body_states(
    m: Model, qpos: np.ndarray, qvel: np.ndarray | None = None, bodies: Any = None,
    point: str = "origin",
) -> tuple[Any, ...]:  # fmt: skip
    """(pos, quat, lin_vel, ang_vel) of bodies, by their numbers in the order they are listed; of
    all, the world first, if they are not: (T, n, 3 or 4).

    pos is that of the body's origin and quat wxyz; lin_vel is the velocity of the origin, or of the
    centre of mass ("com"), and ang_vel the angular velocity, both in world axes. Without qvel, they
    are not there.
    """
    bodies = np.arange(m.nbody) if bodies is None else np.asarray(bodies)
    if len(qpos) >= LONG and not m.nmocap:
        return _by_batch(m, qpos, qvel, bodies, point)
    return _by_links(m, qpos, qvel, bodies, point)


def _by_links(
    m: Model, qpos: np.ndarray, qvel: np.ndarray | None, bodies: np.ndarray, point: str
) -> tuple[Any, ...]:
    T = len(qpos)
    pose, motion = np.empty((T, m.nbody, 7)), np.empty((T, m.nbody, 6))
    still = np.zeros((BLOCK, m.nv))
    for k in range(0, T, BLOCK):
        part = slice(k, min(k + BLOCK, T))
        n = part.stop - k
        pose[part], motion[part] = links(
            Frames(m, n), qpos[part], still[:n] if qvel is None else qvel[part]
        )
    own = as_slice(bodies)
    pose, motion = pose[:, own], motion[:, own]
    pos, quat, v, w = pose[..., :3], pose[..., 3:], motion[..., :3], motion[..., 3:]
    if qvel is None:
        return pos, quat, None, None
    join(rotate(split(quat), split(w)), out=w)
    if point == "com":  # v + w x R r
        r = rotate(split(quat), tuple(m.body_ipos[bodies].T))
        v = join(add(split(v), cross(split(w), r)))
    return pos, quat, v, w


def _by_batch(
    m: Model, qpos: np.ndarray, qvel: np.ndarray | None, bodies: np.ndarray, point: str
) -> tuple[Any, ...]:
    """The same, with frames as worlds: cvel is the motion of the point at the tree's centre."""
    b = Batch(without(m, DSBL_CONSTRAINT), BLOCK)
    of_point = "xpos" if point == "origin" else "xipos"
    fields = {name: b.bind(name) for name in ("xpos", "xquat", "cvel", "subtree_com", of_point)}
    T, roots = len(qpos), m.body_rootid[bodies]
    pos, quat, v, w = (np.empty((T, len(bodies), n)) for n in (3, 4, 3, 3))
    for k in range(0, T, BLOCK):
        n = min(BLOCK, T - k)
        part = slice(k, k + n)
        b.qpos[:n] = qpos[part]
        b.qvel[:n] = 0.0 if qvel is None else qvel[part]
        b.forward(ids=None if n == BLOCK else np.arange(n), stage=1 if qvel is None else 2)
        _pick(fields["xpos"][:n], bodies, pos[part])
        _pick(fields["xquat"][:n], bodies, quat[part])
        if qvel is not None:
            cvel, r = _pick(fields["cvel"][:n], bodies), _pick(fields[of_point][:n], bodies)
            r -= _pick(fields["subtree_com"][:n], roots)
            w[part] = cvel[..., :3]
            _moved(cvel, r, v[part])
    return (pos, quat, v, w) if qvel is not None else (pos, quat, None, None)


def _pick(x: np.ndarray, bodies: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    return np.take(x, bodies, 1, out, mode="clip")  # which writes straight into `out`


def _moved(cvel: np.ndarray, r: np.ndarray, out: np.ndarray) -> None:
    """Velocities at r from the point whose motion cvel is: v + w x r"""
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        x = cvel[..., j] * r[..., k]
        x -= cvel[..., k] * r[..., j]
        x += cvel[..., 3 + i]
        out[..., i] = x


def as_slice(numbers: np.ndarray) -> Any:
    """Numbers one after the other as a slice, which copies nothing."""
    first = int(numbers[0]) if len(numbers) else 0
    in_turn = np.array_equal(numbers, np.arange(first, first + len(numbers)))
    return slice(first, first + len(numbers)) if in_turn else numbers


def without(m: Model, flag: int) -> Model:
    """The model with something disabled, by a flag of MuJoCo's."""
    mj = copy.deepcopy(m.mj)
    mj.opt.disableflags |= flag
    return load(mj)
