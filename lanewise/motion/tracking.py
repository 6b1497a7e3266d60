"""A clip as a reference for worlds: where each should be at its time, and how far off it is.

    tracker = clip.track(batch, loop=True)
    tracker.reset()                       # worlds to the clip's states
    batch.step(nstep=10)
    tracker.errors()                      # {name: (nsim,)}
    tracker.rewards()                     # (nsim,), from 0 to 1

References are tables of all frames, made once, and read at the times of the worlds: positions in a
straight line between two frames and rotations along the arc, those of bodies too.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import did_you_mean
from ..frames import sub_quat
from ..public import Batch
from .clip import Clip
from .kinematics_of_clips import body_states
from .motion_errors import MotionError
from .resampling import slerp
from .robot import as_robot

# how far off a world is when what it earns for it has fallen to 1/e
SCALES = {"joint_pos": 0.3, "joint_vel": 3.0, "root_pos": 0.3, "root_rot": 0.4, "body_pos": 0.3}


@dataclass(frozen=True, eq=False)
class Reference:
    """Of n worlds: qpos (n, nq), qvel (n, nv); body_pos (n, nbody, 3) [m], body_quat (n, nbody, 4),
    wxyz, body_lin_vel and body_ang_vel (n, nbody, 3) of the bodies' origins in world axes"""

    qpos: np.ndarray
    qvel: np.ndarray
    body_pos: np.ndarray
    body_quat: np.ndarray
    body_lin_vel: np.ndarray
    body_ang_vel: np.ndarray


class Tracker:
    """References of a clip for the worlds of a Batch.

    start   where in the clip [s] each world is at its time 0: a number, or (nsim,)
    loop    begin again at the end; otherwise the last frame stays
    """

    def __init__(self, clip: Clip, batch: Batch, start: Any = 0.0, loop: bool = False):
        if not isinstance(batch, Batch):
            raise TypeError(f"a clip is tracked by a Batch, got {type(batch).__name__}")
        self.clip, self.batch, self.loop = clip, batch, bool(loop)
        self.robot = as_robot(batch.model)
        m = self.robot.model
        self.start = np.broadcast_to(np.asarray(start, float), (batch.nsim,)).copy()
        self.qpos, self.qvel = clip.qpos(self.robot), clip.qvel(self.robot)
        self._bodies = body_states(m, self.qpos, self.qvel)
        self._places = _quaternions(m)

    def reference(self, ids: Any = None) -> Reference:
        """Where worlds should be now."""
        k, a = self._frames(ids)
        b = a[:, None, None]
        pos, quat, v, w = self._bodies
        return Reference(
            self._positions(k, a), _between(self.qvel, k, a[:, None]), _between(pos, k, b),
            slerp(quat[k], quat[k + 1], np.broadcast_to(a[:, None], quat[k].shape[:-1])),
            _between(v, k, b), _between(w, k, b),
        )  # fmt: skip

    def reset(self, ids: Any = None) -> None:
        """Put worlds where the clip is at their time."""
        k, a = self._frames(ids)
        rows = slice(None) if ids is None else ids
        self.batch.qpos[rows] = self._positions(k, a)
        self.batch.qvel[rows] = _between(self.qvel, k, a[:, None])

    def errors(self) -> dict[str, np.ndarray]:
        """How far worlds are off, (nsim,) each: joint_pos [rad] and joint_vel [rad/s] as root mean
        squares, root_pos [m], root_rot [rad], and body_pos [m], the mean over bodies."""
        now, robot, m = self.reference(), self.robot, self.robot.model
        qpos, qvel = np.asarray(self.batch.qpos), np.asarray(self.batch.qvel)
        pos, quat, _, _ = body_states(m, qpos)
        at, dofs = m.jnt_qposadr[robot.joints], m.jnt_dofadr[robot.joints]
        own = robot.bodies
        apart = pos[:, own] - now.body_pos[:, own]
        return {
            "joint_pos": _rms(qpos[:, at] - now.qpos[:, at]),
            "joint_vel": _rms(qvel[:, dofs] - now.qvel[:, dofs]),
            "root_pos": np.linalg.norm(apart[:, 0], axis=-1),
            "root_rot": np.linalg.norm(
                sub_quat(quat[:, own[0]], now.body_quat[:, own[0]]), axis=-1
            ),
            "body_pos": np.linalg.norm(apart, axis=-1).mean(-1),
        }

    def rewards(self, **scales: float) -> np.ndarray:
        """(nsim,) from 0 to 1: the mean of exp(-(error / scale)^2). Without arguments all errors
        with their usual scales; otherwise those that are named."""
        for name in scales:
            if name not in SCALES:
                raise MotionError(
                    f"no error {name!r}{did_you_mean(name, SCALES)}; there are {', '.join(SCALES)}"
                )
        errors = self.errors()
        terms = [np.exp(-((errors[n] / s) ** 2)) for n, s in (scales or SCALES).items()]
        return np.mean(terms, axis=0)

    def done(self) -> np.ndarray:
        """(nsim,) worlds that are past the last frame; none if the clip loops."""
        if self.loop:
            return np.zeros(self.batch.nsim, bool)
        return self.start + np.asarray(self.batch.time).reshape(-1) > self.clip.duration

    def _frames(self, ids: Any) -> tuple[np.ndarray, np.ndarray]:
        """The frame before each world's time, and the part of the way to the next."""
        t = self.start + np.asarray(self.batch.time).reshape(-1)
        t = t if ids is None else t[ids]
        times = self.clip.times - self.clip.times[0]
        if len(times) < 2:
            raise MotionError("a clip of one frame is no reference over time")
        t = t % times[-1] if self.loop else np.clip(t, 0.0, times[-1])
        k = np.clip(np.searchsorted(times, t, "right") - 1, 0, len(times) - 2)
        return k, (t - times[k]) / (times[k + 1] - times[k])

    def _positions(self, k: np.ndarray, a: np.ndarray) -> np.ndarray:
        out = _between(self.qpos, k, a[:, None])
        for place in self._places:
            out[:, place] = slerp(self.qpos[k, place], self.qpos[k + 1, place], a)
        return out


def _between(x: np.ndarray, k: np.ndarray, a: np.ndarray) -> np.ndarray:
    return x[k] + a * (x[k + 1] - x[k])


def _rms(x: np.ndarray) -> np.ndarray:
    return np.sqrt((x * x).mean(-1)) if x.shape[-1] else np.zeros(len(x))


def _quaternions(m: Any) -> list[slice]:
    """Where quaternions are in qpos."""
    from ..mjconst import JNT_BALL, JNT_FREE

    joints = zip(m.jnt_qposadr, m.jnt_type)
    begins = [int(k) + 3 * (t == JNT_FREE) for k, t in joints if t in (JNT_FREE, JNT_BALL)]
    return [slice(k, k + 4) for k in begins]
