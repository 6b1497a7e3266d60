"""What a bias adds to velocities, and the motion without it.

A gyroscope at rest says that it turns, and a velocity that was integrated from accelerations
drifts. Such errors are steady or grow steadily, in the axes of the body or of the world. A reading
must not be excluded for them. So where the best reading has such an error, motions are compared
without everything that looks like one: b, or b + c t if b is not enough, fitted to all windows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .residuals import Motion, Windows


class Bias:
    """Takes out of rates in windows what a bias can explain, in the axes of a basis."""

    def __init__(self, motion: Motion, at: Windows, basis: str, drifts: bool):
        self.numbers = 6 if drifts else 3
        R = at.rate(motion.held)  # quaternion, rotation, window
        R = R.reshape(*R.shape[:-1], 3, 3)
        middle = 0.5 * (motion.t[at.chunk, at.begin] + motion.t[at.chunk, at.end])
        spread = float(np.ptp(middle))
        self._t = (middle - middle.mean()) / spread if spread > 0.0 else 0.0 * middle
        M = R[:, :1]  # the angular half compares logged matrices: R' if they are passive
        sides = _SPIN[:, None] @ M[:, :, None], M[:, :, None] @ _SPIN[:, None]
        active, passive = sides if basis == "world" else sides[::-1]
        turning = np.concatenate([active, passive], 1)  # quaternion, rotation, axis, window
        self._turning = self._basis(turning.reshape(*turning.shape[:-2], 9))
        moving = np.moveaxis(R, -1, 2)
        if basis == "world":
            moving = np.broadcast_to(np.eye(3)[:, None], moving.shape)
        self._moving = self._basis(moving)

    def _basis(self, x: np.ndarray) -> np.ndarray:
        """Orthonormal columns (quaternion, rotation, windows times components, numbers)."""
        if self.numbers == 6:
            x = np.concatenate([x, x * self._t[:, None]], 2)
        return np.linalg.qr(np.swapaxes(x.reshape(*x.shape[:3], -1), -1, -2))[0]

    def out_of_turning(self, x: np.ndarray) -> np.ndarray:
        """Rates of matrices (quaternion, rotation, ..., window, 9), without the bias."""
        return _without(x, self._turning)

    def out_of_moving(self, x: np.ndarray) -> np.ndarray:
        """Rates of positions (quaternion, rotation, ..., window, 3), without the bias."""
        return _without(x, self._moving)


def _without(x: np.ndarray, Q: np.ndarray) -> np.ndarray:
    flat = x.reshape(*x.shape[:2], -1, x.shape[-2] * x.shape[-1])
    flat = flat - (flat @ Q) @ np.swapaxes(Q, -1, -2)
    return flat.reshape(*flat.shape[:2], *x.shape[2:])


# [e] of the three axes
_SPIN = np.array([
    [[0, 0, 0], [0, 0, -1], [0, 1, 0]],
    [[0, 0, 1], [0, 0, 0], [-1, 0, 0]],
    [[0, -1, 0], [1, 0, 0], [0, 0, 0]],
], float)  # fmt: skip
