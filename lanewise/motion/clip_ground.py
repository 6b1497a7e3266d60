"""The height of the ground under a clip, found from what touches it.

The lowest point of the robot in a frame is that of its geoms, or of its bodies' origins if it has
none. It touches the ground where it is low for the clip and hardly moves sideways: a foot that
stands. The ground is the median height of such points; feet that fly, and frames in the air, do
not count.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from ..frames import quat_to_mat
from ..mjconst import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_MESH,
    GEOM_SPHERE,
)
from .clip import Clip
from .kinematics_of_clips import body_states
from .robot import Robot, as_robot

SLOW = 0.3  # [m/s] sideways, of what stands
LOW = 0.05  # [m] above the lowest of the clip
LOWEST = 5  # percent of frames that may be below


def lowest_points(clip: Clip, m: Any) -> np.ndarray:
    """The lowest point (T, 3) [m] of the robot in each frame."""
    robot = as_robot(m)
    pos, quat, _, _ = body_states(robot.model, clip.qpos(robot, partial=True))
    best = None
    for points in _geoms(robot, pos, quat) or [pos[:, b] for b in robot.bodies]:
        best = points if best is None else np.where(points[:, 2:] < best[:, 2:], points, best)
    assert best is not None
    return best


def _geoms(robot: Robot, pos: np.ndarray, quat: np.ndarray) -> list[np.ndarray]:
    """The lowest point (T, 3) of each geom that can touch something."""
    m, found = robot.model, []
    inside = np.isin(m.geom_bodyid, robot.bodies) & ((m.geom_contype | m.geom_conaffinity) > 0)
    for g in np.flatnonzero(inside):
        b = int(m.geom_bodyid[g])
        R = quat_to_mat(quat[:, b]).reshape(-1, 3, 3)
        R_WG = R @ quat_to_mat(m.geom_quat[g]).reshape(3, 3)
        centre = pos[:, b] + R @ m.geom_pos[g]
        down = _support(m, int(g), -R_WG[:, 2])
        if down is not None:
            found.append(centre + np.einsum("tij,tj->ti", R_WG, down))
    return found


def _support(m: Any, g: int, d: np.ndarray) -> np.ndarray | None:
    """The farthest point (T, 3) of a geom in directions d (T, 3), in the geom's axes."""
    size, kind = m.geom_size[g], m.geom_type[g]
    if kind == GEOM_SPHERE:
        return size[0] * d
    if kind == GEOM_CAPSULE:
        return size[0] * d + np.sign(d) * (0.0, 0.0, size[1])
    if kind == GEOM_BOX:
        return np.sign(d) * size
    if kind == GEOM_CYLINDER:
        flat = d * (1.0, 1.0, 0.0)
        length = np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-12)
        return size[0] * flat / length + np.sign(d) * (0.0, 0.0, size[1])
    if kind == GEOM_ELLIPSOID:
        scaled = d * size
        return size * scaled / np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), 1e-12)
    if kind == GEOM_MESH:
        k = int(m.geom_dataid[g])
        begin = int(m.mesh_vertadr[k])
        points = np.asarray(m.mesh_vert[begin : begin + int(m.mesh_vertnum[k])], float)
        return points[np.argmax(d @ points.T, axis=1)]
    return None


def ground_height(clip: Clip, m: Any) -> tuple[float, int]:
    """(height of the ground [m], how many frames have something standing on it).

    Without such frames, as in a jump, it is the height that few frames are below, and 0.
    """
    low = lowest_points(clip, m)
    if len(clip) < 2:
        return float(low[:, 2].min()), len(low)
    speed = np.linalg.norm(np.gradient(low[:, :2], clip.times, axis=0), axis=1)
    floor = float(np.percentile(low[:, 2], LOWEST))
    stands = (speed < SLOW) & (low[:, 2] < floor + LOW)
    if not stands.any():
        return floor, 0
    return float(np.median(low[stands, 2])), int(stands.sum())


def on_ground(clip: Clip, m: Any, height: float = 0.0) -> Clip:
    """The clip moved up or down so that its ground is at a height [m]."""
    found, frames = ground_height(clip, m)
    p = clip.p_WB + (0.0, 0.0, height - found)
    why = f"{frames} frames stand on it" if frames else "nothing stands: the lowest 5 percent"
    meaning = clip.meaning.with_("ground", f"moved by {height - found:+.4f} m", "test", why)
    return replace(clip, p_WB=p, bodies=None, meaning=meaning)
