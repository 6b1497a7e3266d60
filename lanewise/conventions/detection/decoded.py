"""A log decoded by one reading, and where time is missing in it.

Decoded are what kinematics compared: the velocity f in world axes of a tracked point, and where
that point is, y; the orientation R and the angular velocity w in world axes. Where a log has no
times of its own, a dropped frame shows: the pose moves by two steps while velocities say one.
"""

from dataclasses import dataclass

import numpy as np

from .kinematics import unexplained_steps
from .readings import ARRANGEMENTS, VALUES
from .residuals import DEGREE, step_errors
from .samples import GAP, Rows, as_wxyz, matrices

UNUSUAL = 6.0  # times the usual error that a step must be off to be several steps in truth
MOST_DROPPED = 16  # frames in a row that are taken for dropped, not for something else


@dataclass(frozen=True)
class Decoded:
    t: np.ndarray
    p: np.ndarray
    R: np.ndarray
    w: np.ndarray
    v: np.ndarray  # the linear velocity as logged, in world axes
    broken: np.ndarray  # (N - 1,) steps across which nothing is known
    dropped: int  # frames that are missing


def decode(log: Rows, index: tuple[int, ...], offset: np.ndarray) -> Decoded:
    """`index` has axes CHOICES; `offset` is that of the point of the velocity."""
    quaternion, passive, order, angular_basis, unit, linear_basis, arrangement = index
    R = matrices(as_wxyz(log.q, VALUES["quaternion"][quaternion]))
    if passive:
        R = np.swapaxes(R, -1, -2)
    w = log.halves[1 - order] * (DEGREE if unit else 1.0)
    if angular_basis:
        w = np.einsum("nij,nj->ni", R, w)
    f = log.halves[order]
    if linear_basis:
        f = np.einsum("nij,nj->ni", R, f)
    v, y = f, log.p + R @ offset
    if ARRANGEMENTS[arrangement] == "world":
        y, f = log.p, f + np.cross(w, log.p)
    return _timed(log, R, w, v, y, f)


def _timed(log: Rows, R, w, v, y, f) -> Decoded:
    dt = np.diff(log.t)
    between = 0.5 * (R[1:] + R[:-1])
    halves = []
    for change, x in ((np.diff(y, axis=0), f), (np.diff(R, axis=0), w)):
        ends = np.stack([0.5 * (x[1:] + x[:-1]), x[1:] - x[:-1]])
        if change.ndim == 3:
            ends = np.cross(ends[..., None], between[None], axis=2).reshape(2, -1, 9)
            change = change.reshape(-1, 9)
        halves.append((change, *(ends * dt[:, None])))
    steps = np.ones(len(dt)) if log.timed else _steps_taken(halves)
    wrong = dt > GAP * np.median(dt)
    for D, G, H in halves:
        wrong |= unexplained_steps(*step_errors(D, steps[:, None] * G, steps[:, None] * H))
    t = log.t + np.concatenate([[0.0], np.cumsum((steps - 1.0) * dt)])
    return Decoded(t, log.p, R, w, v, wrong, int((steps - 1.0).sum()))


def _steps_taken(halves) -> np.ndarray:
    """How many steps of velocity each change of the pose is worth; 1 unless it is clearly more."""
    number = len(halves[0][0])
    over, under = np.zeros(number), np.zeros(number)
    for D, G, _ in halves:
        size = float(np.median(np.einsum("ni,ni->n", G, G)))
        if size > 0.0:
            over += np.einsum("ni,ni->n", D, G) / size
            under += np.einsum("ni,ni->n", G, G) / size
    taken = np.round(np.divide(over, under, out=np.ones(number), where=under > 0.1))
    once, often, likely = np.zeros(number), np.zeros(number), (taken >= 2) & (taken <= MOST_DROPPED)
    for D, G, H in halves:
        first, sizes = step_errors(D, G, H)
        usual = float(np.median(first)) + 0.01 * float(np.median(sizes))
        if usual == 0.0:
            return np.ones(number)
        once += (first / usual) ** 2
        often += (np.linalg.norm(D - taken[:, None] * G, axis=1) / usual) ** 2
    return np.where(likely & (once > UNUSUAL**2) & (often < 0.2 * once), taken, 1.0)
