"""Clips at other times: positions in straight lines, rotations along the shortest arc.

Between two frames a rotation goes by q0 exp(a log(q0' q1)), spherical interpolation, which never
leaves the manifold and turns at an even rate.
"""

from dataclasses import replace

import numpy as np

from ..frames import quat_integrate, sub_quat
from .clip import Clip
from .motion_errors import MotionError

MOST = 10_000_000  # frames


def slerp(q0: np.ndarray, q1: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Rotations (..., 4), wxyz, a part a (...) of the way from q0 to q1."""
    return quat_integrate(q0, sub_quat(q1, q0), a)


def at_times(clip: Clip, times: np.ndarray) -> Clip:
    """The clip at other times [s]; before its first and after its last frame it stands still."""
    times = np.asarray(times, float)
    if len(clip) == 1:
        pick = np.zeros(len(times), int)
        return replace(
            clip, times=times, p_WB=clip.p_WB[pick], q_WB=clip.q_WB[pick],
            joints=clip.joints[pick], bodies=None,
        )  # fmt: skip
    t = np.clip(times, clip.times[0], clip.times[-1])
    k = np.clip(np.searchsorted(clip.times, t, "right") - 1, 0, len(clip) - 2)
    a = (t - clip.times[k]) / (clip.times[k + 1] - clip.times[k])

    def line(x: np.ndarray) -> np.ndarray:
        return x[k] + a[:, None] * (x[k + 1] - x[k])

    joints = line(clip.joints)
    for name, width in zip(clip.joint_names, clip.widths):
        if width == 4:
            own = clip.columns(name)
            joints[:, own] = slerp(clip.joints[k, own], clip.joints[k + 1, own], a)
    q = slerp(clip.q_WB[k], clip.q_WB[k + 1], a)
    return replace(
        clip, times=times, p_WB=line(clip.p_WB), q_WB=q, joints=joints, bodies=None
    )  # fmt: skip


def resample(clip: Clip, fps: float) -> Clip:
    """The clip at another rate, from the same first frame on."""
    if not 0.0 < fps < 1e6:
        raise MotionError(f"fps must be a positive number of frames a second; got {fps!r}")
    if clip.duration * fps > MOST:
        raise MotionError(f"{clip.duration:g} s at {fps:g} frames a second are more than {MOST}")
    n = int(np.floor(clip.duration * fps + 1e-6)) + 1
    out = at_times(clip, clip.times[0] + np.arange(n) / fps)
    return replace(out, meaning=clip.meaning.with_("resampled", f"{fps:g} fps", "argument"))


def part(clip: Clip, start: float, stop: float) -> Clip:
    """The frames from one time to another [s]; times begin at 0."""
    keep = (clip.times >= start - 1e-9) & (clip.times <= stop + 1e-9)
    if not keep.any():
        raise MotionError(
            f"no frame from {start:g} to {stop:g} s; the clip is from {clip.times[0]:g} to"
            f" {clip.times[-1]:g} s"
        )
    return replace(
        clip, times=clip.times[keep] - clip.times[keep][0], p_WB=clip.p_WB[keep],
        q_WB=clip.q_WB[keep], joints=clip.joints[keep], bodies=None,
    )  # fmt: skip
