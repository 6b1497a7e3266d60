"""Heights of the ground around a robot, as a part of its observations."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .option import Option, rows_of
from .spans import span

if TYPE_CHECKING:
    from ..vector import VectorEnv

ABOVE = 10.0  # metres over the frame, where rays begin


class Scan(Option):
    """Add to observations how far the ground is below a frame, at points around it.

    points: (n, 2), x and y in metres, in the axes of the frame without its roll and pitch. frame: a
    site, body, geom or camera, as in `Batch.ray`. Farther than `most` metres, or where there is no
    ground, it is that. The ground is what cannot move.
    """

    def __init__(self, points: Any, frame: Any, most: float = 2.0):
        self.points = np.array(points, float)
        if self.points.ndim != 2 or self.points.shape[1] != 2 or not len(self.points):
            raise ValueError(f"points are x and y, (n, 2); got shape {self.points.shape}")
        self.frame, self.most = frame, span(most, "most")[0]
        self.adds = len(self.points)

    def begin(self, env: "VectorEnv") -> None:
        super().begin(env)
        self._batch = env.batch
        high = np.full((len(self.points), 1), ABOVE)
        self._from = np.concatenate([self.points, high], axis=1)
        self._distances(np.zeros(1, int))  # an error now, if there is no such frame

    def see(self, obs: np.ndarray, which: np.ndarray | None) -> np.ndarray:
        seen = np.zeros((len(obs), self.adds), obs.dtype)
        seen[rows_of(which)] = self._distances(which)
        return np.concatenate([obs, seen], axis=1)

    def _distances(self, ids: np.ndarray | None) -> np.ndarray:
        """(n, npoint), by rays straight down, as those of `Batch.height_scan`."""
        met, _ = self._batch.ray(
            self._from, [0.0, 0.0, -1.0], ids=ids, frame=self.frame, yaw_only=True, moving=False
        )
        return np.where(met < 0.0, self.most, np.minimum(met - ABOVE, self.most))
