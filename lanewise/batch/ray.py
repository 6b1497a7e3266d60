"""Rays in all worlds of a Batch: lidars and scans of heights."""

from typing import Any

import numpy as np

from ..asking import numbers, one_number
from ..errors import did_you_mean
from ..mjconst import OBJ_BODY, OBJ_CAMERA, OBJ_GEOM, OBJ_SITE
from ..model import Model
from ..naming import names_of, number_of
from ..rays import Rays
from .runner import Runner

# kinds of frames, in the order in which names are looked up: mjtObj, and what gives their poses
_FRAMES = {
    "site": (OBJ_SITE, "site_xpos"), "body": (OBJ_BODY, "xpos"), "geom": (OBJ_GEOM, "geom_xpos"),
    "camera": (OBJ_CAMERA, "cam_xpos"),
}  # fmt: skip


def cast(
    runner: Runner, model: Model, ids: np.ndarray | None, rays: Rays, frame: Any, yaw_only: Any
) -> None:
    """Look, in the worlds of a call; `frame` is where the rays are given, or None for W."""
    fields = ["geom_xpos"]
    if frame is not None:
        kind, index = _frame(model, frame)
        mjt_obj, pose = _FRAMES[kind]
        rays.record.set(frame=mjt_obj, frame_id=index, yaw_only=bool(yaw_only))
        fields.append(pose)
    elif yaw_only:
        raise ValueError("yaw_only is about a frame: give one, such as frame='torso'")
    runner.variation.look()
    runner.call("ray", rays.record, ids, fields=fields)


def _frame(model: Model, frame: Any) -> tuple[str, int]:
    """(kind, number) of a frame, given by its name, or by its kind and name or number."""
    if isinstance(frame, tuple) and len(frame) == 2 and frame[0] in _FRAMES:
        kind, key = frame
        return kind, number_of(model.mj, kind, key)
    if not isinstance(frame, str):
        raise TypeError(
            "frame takes the name of a site, body, geom or camera, or a pair such as"
            f" ('site', 'lidar') or ('body', 3); got {frame!r}"
        )
    names = {kind: names_of(model.mj, kind) for kind in _FRAMES}
    found = [kind for kind in _FRAMES if frame in names[kind]]
    if not found:
        known = [name for kind in _FRAMES for name in names[kind] if name]
        raise ValueError(
            f"the model has no site, body, geom or camera {frame!r}{did_you_mean(frame, known)}"
        )
    if len(found) > 1:
        choices = " or ".join(f"({kind!r}, {frame!r})" for kind in found)
        raise ValueError(f"several things are named {frame!r}: say frame={choices}")
    return found[0], names[found[0]].index(frame)


def scan_rays(
    n: int, model: Model, points: Any, above: Any, geomgroup: Any, moving: Any, bodyexclude: Any
) -> Rays:
    """Rays straight down through points (npoint, 2), which are told to give heights."""
    points = numbers(points, "points")
    shapes = (2, 3) if points.ndim in (2, 3) else ()
    if not shapes or points.shape[-1] not in shapes:
        raise ValueError(
            f"points must have shape (npoint, 2) or ({n}, npoint, 2), or 3 numbers each,"
            f" got {points.shape}"
        )
    if points.shape[-1] == 2:
        points = np.concatenate([points, np.zeros((*points.shape[:-1], 1))], axis=-1)
    down = np.array([0.0, 0.0, -1.0])
    rays = Rays(n, model, points, down, geomgroup, True, bodyexclude, False, moving)
    rays.reach[1] = one_number(above, "above")
    rays.record.set(level=1, heights=1)
    return rays
