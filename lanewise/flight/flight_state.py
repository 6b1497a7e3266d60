"""The motion of a free body at a moment, in MuJoCo's notation and in Ptera Software's.

A FlightState is of the centre of mass, of this one moment: it has no matrix that some stage of an
integrator left behind. Between the notations:

    here        MuJoCo's free joint               Ptera Software's get_state
    p_WBcm      qpos[0:3] + R_WB com              position_E_Eo
    q_WB        qpos[3:7], w first, active        R_pas_E_to_BP1 = R_WB', a passive matrix
    v_WBcm_W    qvel[0:3] + R_WB (w_WB_B x com)   velocity_E__E
    w_WB_B      qvel[3:6], rad/s, body axes       omegas_BP1__E, degrees per second, body axes

World axes W and Earth axes E are the same. MuJoCo's numbers are of the body's origin: `com` is
p_BoBcm_B, and where it is zero, as in models of Ptera Software's, nothing of it is seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ConventionError, no_such
from ..frames import mat_to_quat, quat_to_mat
from ..mjconst import MINVAL

PTERA_KEYS = ("position_E_Eo", "R_pas_E_to_BP1", "velocity_E__E", "omegas_BP1__E", "time")
ORTHONORMAL = UNIT = 1e-6  # how far R R', and the length of a quaternion, may be from one


@dataclass(frozen=True, eq=False)
class FlightState:
    """Where a free body is and how it moves; of many, every array has a leading axis of them.

    p_WBcm    (3,) [m] the centre of mass
    q_WB      (4,) the attitude, w first; the body's axes as seen from the world's
    v_WBcm_W  (3,) [m/s] of the centre of mass, in world axes
    w_WB_B    (3,) [rad/s] in body axes
    time      [s]
    """

    p_WBcm: Any  # what is given becomes an array
    q_WB: Any
    v_WBcm_W: Any
    w_WB_B: Any
    time: Any = 0.0

    def __post_init__(self) -> None:
        for name, size in (("p_WBcm", 3), ("q_WB", 4), ("v_WBcm_W", 3), ("w_WB_B", 3)):
            object.__setattr__(self, name, _numbers(getattr(self, name), (size,), name))
        object.__setattr__(self, "time", _numbers(self.time, (), "time")[()])
        length = np.linalg.norm(self.q_WB, axis=-1)
        if (np.abs(length - 1.0) > UNIT).any():
            worst = float(np.ravel(length)[np.argmax(np.abs(np.ravel(length) - 1.0))])
            raise ConventionError(
                f"q_WB must be of unit length, to {UNIT:g}; got {worst:g}: divide it by that"
            )

    @property
    def R_WB(self) -> np.ndarray:
        """The attitude as a matrix (..., 3, 3): v_W = R_WB v_B; its columns are the body's axes."""
        return _matrix(self.q_WB)

    # ---- MuJoCo's

    @classmethod
    def from_mujoco(
        cls, qpos: Any, qvel: Any, *, com: Any = (0.0, 0.0, 0.0), time: Any = 0.0
    ) -> "FlightState":
        """Of the numbers of a free joint: qpos (..., 7) and qvel (..., 6). A quaternion that is
        not of unit length is what MuJoCo takes it for: the same, made so."""
        qpos, qvel = _numbers(qpos, (7,), "qpos"), _numbers(qvel, (6,), "qvel")
        q, w, com = _unit(qpos[..., 3:]), qvel[..., 3:], np.asarray(com, float)
        R = _matrix(q)
        p = qpos[..., :3] + _turned(R, com)
        v = qvel[..., :3] + _turned(R, np.cross(w, com))
        return cls(p, q, v, w, time)

    def mujoco(self, *, com: Any = (0.0, 0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
        """(qpos, qvel), (..., 7) and (..., 6), of the free joint of a body with its mass at com."""
        com, R, w = np.asarray(com, float), self.R_WB, self.w_WB_B
        p = self.p_WBcm - _turned(R, com)
        v = self.v_WBcm_W - _turned(R, np.cross(w, com))
        return _joined(p, self.q_WB), _joined(v, w)

    # ---- Ptera Software's

    @classmethod
    def from_ptera(cls, state: Mapping[str, Any]) -> "FlightState":
        """Of what get_state of Ptera Software returns; without a time, it is zero."""
        for key in state:
            if key not in PTERA_KEYS:
                raise ConventionError(
                    f"a state of Ptera Software has {no_such('key', key, PTERA_KEYS)}"
                )
        lacking = [key for key in PTERA_KEYS[:-1] if key not in state]
        if lacking:
            raise ConventionError(
                f"a state of Ptera Software needs {', '.join(PTERA_KEYS[:-1])}; there is no"
                f" {', '.join(lacking)}"
            )
        q = quaternion_of_passive(state["R_pas_E_to_BP1"], "R_pas_E_to_BP1")
        w = np.deg2rad(_numbers(state["omegas_BP1__E"], (3,), "omegas_BP1__E"))
        p, v = state["position_E_Eo"], state["velocity_E__E"]
        return cls(p, q, v, w, state.get("time", 0.0))

    def ptera(self) -> dict[str, Any]:
        """As get_state of Ptera Software's MuJoCoModel: arrays of its names, units and meaning."""
        return {
            "position_E_Eo": self.p_WBcm.copy(),
            "R_pas_E_to_BP1": np.swapaxes(self.R_WB, -1, -2).copy(),
            "velocity_E__E": self.v_WBcm_W.copy(),
            "omegas_BP1__E": np.rad2deg(self.w_WB_B),
            "time": float(self.time) if np.ndim(self.time) == 0 else np.array(self.time),
        }


def quaternion_of_passive(R_pas_E_to_B: Any, name: str) -> np.ndarray:
    """q_WB (..., 4) of a passive matrix from Earth axes to body axes, which is R_BW."""
    R = _numbers(R_pas_E_to_B, (3, 3), name)
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0)
    if off > ORTHONORMAL or (np.linalg.det(R) < 0.0).any():
        raise ConventionError(
            f"{name} must be a rotation matrix: R R' differs from one by {off:.2g} (at most"
            f" {ORTHONORMAL:g}), and its determinant must be 1"
        )
    return mat_to_quat(np.swapaxes(R, -1, -2))


def _numbers(x: Any, last: tuple[int, ...], name: str) -> np.ndarray:
    try:
        array = np.array(x, float)
    except (TypeError, ValueError):
        raise ConventionError(f"{name} must be an array of numbers, got {x!r}") from None
    if array.shape[max(array.ndim - len(last), 0) :] != last:
        raise ConventionError(
            f"{name} must have shape {last}, or (..., *{last}); got {array.shape}"
        )
    return array


def _unit(q: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    some = length > MINVAL
    return np.where(some, q / np.where(some, length, 1.0), (1.0, 0.0, 0.0, 0.0))


def _matrix(q: np.ndarray) -> np.ndarray:
    return quat_to_mat(q).reshape(*q.shape[:-1], 3, 3)


def _turned(R: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (R @ x[..., None])[..., 0]


def _joined(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    shape = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    rows = [np.broadcast_to(x, (*shape, x.shape[-1])) for x in (a, b)]
    return np.concatenate(rows, axis=-1)
