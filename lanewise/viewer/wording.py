"""One body, as another system would say it: the same pose and motion in that system's numbers.

A reading also says where its frame is drawn. The axes are those in which the system gives linear
velocities, of the world or of the body, and they stand at the point whose velocity it means.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..conventions import SYSTEMS, Body, ConventionError, convert_free_state, convert_rotation

FIRST = ("newton", "isaaclab-2", "isaaclab-3", "drake", "ros")  # on top of the list
HOME = "mujoco"


@dataclass(frozen=True, eq=False)
class Reading:
    """pose (7,) and velocity (6,) as the system orders them; the frame to be drawn, position (3,)
    and wxyz (4,) in the world; linear (3,) and angular (3,) velocities in the world's axes."""

    system: str
    pose: np.ndarray
    velocity: np.ndarray
    position: np.ndarray
    wxyz: np.ndarray
    linear: np.ndarray
    angular: np.ndarray


def systems() -> dict[str, str]:
    """{title: name} of the systems that a body can be read in; well-known ones come first."""
    names = [*FIRST, *(name for name in SYSTEMS if name not in FIRST and name != HOME)]
    return {SYSTEMS[name].title: name for name in names}


def read(
    system: str, model: Any, body: int, xpos: np.ndarray, xmat: np.ndarray, velocity: np.ndarray
) -> Reading:
    """A body at xpos (3,) with axes xmat (3, 3), moving with [w_WB_W, v_WBo_W] (6,)."""
    R_WB = xmat.reshape(3, 3)
    w_W, v_WBo = velocity[:3], velocity[3:]
    quat = convert_rotation(R_WB, "matrix", "wxyz")
    own = Body(
        com=np.array(model.body_ipos[body]),
        principal=convert_rotation(np.array(model.body_iquat[body]), "wxyz", "matrix"),
    )
    q = np.concatenate((xpos, quat))
    v = np.concatenate((v_WBo, R_WB.T @ w_W))
    pose, motion = convert_free_state(q, v, HOME, system, body=own)
    row = SYSTEMS[system]
    at = {
        "origin": np.zeros(3),
        "com": R_WB @ own.com,
        "world_origin": -xpos,
    }[row.velocity_point]
    wxyz = quat if row.linear_basis == "body" else np.array([1.0, 0.0, 0.0, 0.0])
    linear = v_WBo + np.cross(w_W, at)
    return Reading(system, pose, motion, xpos + at, wxyz, linear, w_W)


def table(readings: list[Reading]) -> str:
    """Readings side by side, as Markdown."""
    titles = [SYSTEMS[r.system].title for r in readings]
    rows = [["", *titles], ["---"] * (len(readings) + 1)]
    rows += [
        [label, *(_text(cell(SYSTEMS[r.system], r)) for r in readings)] for label, cell in _ROWS
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _position(row: Any, r: Reading) -> Any:
    return r.pose[:3] if row.pose_layout == "position_first" else r.pose[4:]


def _rotation(row: Any, r: Reading) -> Any:
    return r.pose[3:] if row.pose_layout == "position_first" else r.pose[:4]


def _linear(row: Any, r: Reading) -> Any:
    return r.velocity[:3] if row.order == "linear_first" else r.velocity[3:]


def _angular(row: Any, r: Reading) -> Any:
    return r.velocity[3:] if row.order == "linear_first" else r.velocity[:3]


def _order(row: Any, r: Reading) -> str:
    pose = "p, q" if row.pose_layout == "position_first" else "q, p"
    return f"{pose}; {'v, w' if row.order == 'linear_first' else 'w, v'}"


_POINT = {"origin": "origin", "com": "centre of mass", "world_origin": "world origin"}
_ROWS = (
    ("p", _position),
    ("of", lambda row, r: _POINT[row.pose_point]),
    ("q", _rotation),
    ("order", lambda row, r: row.quaternion),
    ("v", _linear),
    ("of", lambda row, r: _POINT[row.velocity_point]),
    ("in axes of", lambda row, r: row.linear_basis),
    ("w", _angular),
    ("in axes of", lambda row, r: row.angular_basis),
    ("layout", _order),
)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "<br>".join(f"{round(float(x), 3) + 0.0:+.3f}" for x in value)


__all__ = ["ConventionError", "Reading", "read", "systems", "table"]
