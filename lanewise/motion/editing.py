"""Clips one after the other.

The second clip is moved, in the plane and about the vertical axis only, so that its root begins
where the first one ends. What is then left of the difference between the two poses is taken off
over the time of blending, by the smooth step w from 1 to 0:

    q(t) = b(t) (+) w(t) (a_end (-) b_begin)

so positions have no jump, and every frame after the blending is the second clip's own.
"""

from dataclasses import replace

import numpy as np

from ..errors import whole_number
from ..frames import mul_quat, neg_quat, quat_integrate, rot_vec_quat, sub_quat
from .clip import Clip
from .motion_errors import MotionError
from .resampling import resample


def concatenate(first: Clip, second: Clip, blend: float = 0.2) -> Clip:
    """first, then second from where first ends; blend [s] is the time in which they merge."""
    if set(first.joint_names) != set(second.joint_names):
        only = sorted(set(first.joint_names) ^ set(second.joint_names))
        raise MotionError(f"clips of different joints: only one of them has {', '.join(only[:6])}")
    if not blend >= 0.0:
        raise MotionError(f"blend must be a time of 0 s or more; got {blend!r}")
    second = resample(second, first.fps).named(first.joint_names)
    second = _placed_after(first, second)
    w = _step((second.times - second.times[0]) / blend) if blend else np.zeros(len(second))
    p = second.p_WB + w[:, None] * (first.p_WB[-1] - second.p_WB[0])
    q = _merged(first.q_WB[-1], second.q_WB, w)
    joints = second.joints + w[:, None] * (first.joints[-1] - second.joints[0])
    for name, width in zip(first.joint_names, first.widths):
        if width == 4:
            own = first.columns(name)
            joints[:, own] = _merged(first.joints[-1, own], second.joints[:, own], w)
    keep = slice(1 if blend else 0, None)  # the first frame is the last one of the first clip
    h = 0.0 if blend else 1.0 / first.fps
    times = first.times[-1] + h + second.times - second.times[0]
    return replace(
        first, times=np.concatenate([first.times, times[keep]]),
        p_WB=np.concatenate([first.p_WB, p[keep]]), q_WB=np.concatenate([first.q_WB, q[keep]]),
        joints=np.concatenate([first.joints, joints[keep]]), bodies=None,
    )  # fmt: skip


def loop(clip: Clip, times: int = 2, blend: float = 0.2) -> Clip:
    """The clip so many times, each from where the one before ended."""
    times = whole_number(times, "times")
    if times < 1:
        raise MotionError(f"times must be at least 1; got {times}")
    out = clip
    for _ in range(times - 1):
        out = concatenate(out, clip, blend)
    return out


def _step(x: np.ndarray) -> np.ndarray:
    """1 at 0 and 0 from 1 on, level at both ends"""
    x = np.clip(x, 0.0, 1.0)
    return 1.0 - x * x * (3.0 - 2.0 * x)


def _merged(end: np.ndarray, q: np.ndarray, w: np.ndarray) -> np.ndarray:
    """q (T, 4) turned by a part w of what leads from its first to another rotation."""
    return quat_integrate(q, sub_quat(end, q[0]), w)


def _placed_after(first: Clip, second: Clip) -> Clip:
    """second, turned about the vertical axis and moved in the plane."""
    relative = mul_quat(first.q_WB[-1], neg_quat(second.q_WB[0]))
    turn = np.array([relative[0], 0.0, 0.0, relative[3]])  # its part about z
    length = np.linalg.norm(turn)
    turn = turn / length if length > 1e-6 else np.array([1.0, 0.0, 0.0, 0.0])
    p = rot_vec_quat(second.p_WB - second.p_WB[0], turn)
    p[:, :2] += first.p_WB[-1, :2]
    p[:, 2] += second.p_WB[0, 2]
    return replace(second, p_WB=p, q_WB=mul_quat(turn, second.q_WB), bodies=None)
