"""Why an attribute is undecided, in words.

A reason is found by looking at how the body moves: whether it turns, by how much, about one axis or
several, and whether it was seen in free flight.
"""

from dataclasses import dataclass

import numpy as np

from ..spelling import option
from .decoded import Decoded
from .flight import Flight
from .kinematics import Kinematics, angular_part, linear_part

STILL = 2e-3  # radians that are no turning
TINY = 0.06  # radians that hardly are
WHATEVER = ", whatever velocities say: bias and noise tell nothing, nor does a pose that is stuck"
ONE_AXIS = 0.02  # share of the turning that may be off the axis


@dataclass(frozen=True)
class Manner:
    """How the body moves: `turn` [rad] at most from the first sample, `aside` the share of turning
    that is not about one axis, `moved` at most from the first position; `claims` are whether the
    angular and the linear velocity are other than zero."""

    turn: float
    aside: float
    moved: float
    claims: tuple[bool, bool]
    along_axis: bool  # the velocity is along the one axis of turning

    @property
    def rests(self) -> tuple[bool, bool]:
        """Whether the orientation and the position stay the same."""
        return self.turn < STILL, self.moved == 0.0


def manner(decoded: Decoded) -> Manner:
    R = decoded.R[:: max(1, len(decoded.R) // 400)]
    relative = R[0].T @ R
    cosine = 0.5 * (np.trace(relative, axis1=-2, axis2=-1) - 1.0)
    turn = float(np.percentile(np.arccos(np.clip(cosine, -1.0, 1.0)), 99))
    w, velocity = decoded.w, decoded.v
    _, sizes, axes = np.linalg.svd(w.T @ w / len(w))
    aside = float(np.sqrt(sizes[1] / sizes[0])) if sizes[0] > 0.0 else 0.0
    speed = float(np.sqrt((velocity**2).sum(-1).mean()))
    across = velocity - np.outer(velocity @ axes[0], axes[0])
    return Manner(
        turn, aside, float(np.abs(decoded.p - decoded.p[0]).max()),
        (bool(np.abs(w).max() >= 1e-9), speed >= 1e-9),
        float(np.sqrt((across**2).sum(-1).mean())) < ONE_AXIS * speed,
    )  # fmt: skip


def reason(
    name: str, k: Kinematics, moves: Manner, flight: Flight, com: np.ndarray | None
) -> str:  # fmt: skip
    """One sentence for an attribute that is undecided."""
    if all(moves.rests):
        return f"nothing moves{WHATEVER if any(moves.claims) else ''}"
    if name == "up":
        return _of_up(flight)
    if name in ("pose_point", "velocity_point"):
        return _of_points(k, moves, flight, com)
    if name != "linear_basis" and not k.informed[0]:
        if not moves.rests[0]:
            return _unexplained("angular", "orientation", k.angular.relative[angular_part(k.best)])
        return f"the body does not turn{WHATEVER if moves.claims[0] else ''}"
    if name in ("linear_basis", "order") and not k.informed[1] and moves.claims[1]:
        if not moves.rests[1]:
            return _unexplained("linear", "position", k.linear.relative[linear_part(k.best)])
        return f"the position stays the same{WHATEVER}"
    if name == "linear_basis":
        if not moves.claims[1]:
            return "the linear velocity is zero, which it is in any axes"
        if not moves.rests[0] and moves.aside < ONE_AXIS and moves.along_axis:
            return "the linear velocity is along the axis of rotation, the same in both axes"
    if moves.rests[0]:
        return f"the body does not turn{WHATEVER if moves.claims[0] else ''}"
    if name.endswith("basis"):
        if moves.aside < ONE_AXIS:
            return "the body turns about one axis, which is the same in the world and in the body"
        if moves.turn < TINY:
            return (f"the body turns by {np.degrees(moves.turn):.2g} degrees at most:"
                    " axes of the world and of the body are nearly the same")  # fmt: skip
    if any(k.biased):
        return "other values fit as well, if the velocities have a bias, as they seem to"
    return "other values fit as well, within the noise of the log"


def _unexplained(half: str, what: str, share: float) -> str:
    return (f"no reading of the {half} velocity explains how the {what} changes:"
            f" the best leaves {100 * share:.0f} % of it")  # fmt: skip


def _of_up(flight: Flight) -> str:
    if not flight.seen:
        return "no stretch of the log is free flight, which shows gravity"
    if flight.gravity is None or not np.any(flight.gravity):
        return "the body flies freely, and no gravity acts on it"
    numbers = ", ".join(f"{x:.3g}" for x in flight.gravity)
    return f"gravity is ({numbers}), along no axis"


def _of_points(k: Kinematics, moves: Manner, flight: Flight, com: np.ndarray | None) -> str:
    if com is not None and not np.any(com):
        return "com is zero: the origin of the body is its centre of mass"
    if moves.rests[0]:
        return "all points of a body that does not turn move alike"
    if not k.informed[1] and moves.claims[1]:
        return _unexplained("linear", "position", k.linear.relative[linear_part(k.best)])
    if flight.logged_is_com and com is None:
        return ("the logged point is the centre of mass; whether the body's origin is there too,"
                f" only {option('com', *'xyz')} can say")  # fmt: skip
    if moves.aside < ONE_AXIS and com is None:
        return ("the body turns about one axis only, and points along it move alike;"
                f" free flight or {option('com', *'xyz')} would help")  # fmt: skip
    return ("kinematics is the same for both, and no stretch of the log is free flight of a body"
            " that tumbles, which would show the centre of mass")  # fmt: skip
