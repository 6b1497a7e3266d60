"""Where the camera stands: so that a box is in the picture, whatever its size."""

from typing import Any

import numpy as np

FIELD = np.radians(42.0)  # of view, from bottom to top
WIDE = 1.15  # width to height of the picture, without what the panel covers
FROM = np.array([0.80, -0.52, 0.33])  # where it stands, as seen from what it looks at
FROM_ABOVE = np.array([0.86, -0.62, 0.48])  # many worlds: the rows behind are seen too
PANEL = 0.16  # by how much the panel moves the middle, in heights of the picture
CORNERS = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], float)


def place(low: np.ndarray, high: np.ndarray, many: bool) -> tuple[np.ndarray, np.ndarray]:
    """(position, look_at) for a box from low to high [m]: all its corners are seen."""
    way = FROM_ABOVE if many else FROM
    back = way / np.linalg.norm(way)
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    up = np.cross(back, right)
    corners = low + CORNERS * (high - low)
    slope = np.tan(0.5 * FIELD)
    middle, distance = 0.5 * (low + high), 1e-3
    for _ in range(4):
        x, y, z = ((corners - middle) @ axis for axis in (right, up, back))
        distance = max(float((z + np.maximum(np.abs(y), np.abs(x) / WIDE) / slope).max()), 1e-3)
        # what is near is larger: the middle of the picture is not that of the box
        seen = y / (distance - z + 1e-9)
        middle = middle + 0.5 * (seen.min() + seen.max()) * distance * up
    distance *= 1.04 if many else 1.2
    look_at = middle + PANEL * 2.0 * slope * distance * right
    return look_at + distance * back, look_at


def aim(server: Any, position: np.ndarray, look_at: np.ndarray) -> None:
    """For everybody who opens the page from now on."""
    distance = float(np.linalg.norm(position - look_at))
    camera = server.initial_camera
    camera.fov = float(FIELD)
    camera.near, camera.far = 0.01 * distance, 200.0 * distance
    camera.position, camera.look_at = tuple(position), tuple(look_at)
    camera.up = (0.0, 0.0, 1.0)
