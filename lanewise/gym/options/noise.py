"""Noise on what is seen and on what is done."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..seeds import Draws
from .option import Option, rows_of
from .spans import one_of, per_component
from .streams import Streams

if TYPE_CHECKING:
    from ..vector import VectorEnv

KINDS = ("normal", "uniform")


class Noise(Option):
    """Add noise to observations and actions, other noise in every step.

    observations, actions: the deviation, or for "uniform" the greatest value; a number, or one for
    each component. Noise of actions is added after the caller's, so the task and its reward see
    what is done. Observations are those that options before this one have made.
    """

    def __init__(self, observations: Any = 0.0, actions: Any = 0.0, kind: str = "normal"):
        self.observations, self.actions = observations, actions
        self._normal = one_of(kind, "kind", KINDS) == "normal"
        for name, x in (("observations", observations), ("actions", actions)):
            if not np.isfinite(x).all() or (np.asarray(x) < 0.0).any():
                raise ValueError(f"noise of {name} is a number from 0 on, got {x!r}")

    def begin(self, env: "VectorEnv") -> None:
        super().begin(env)
        per_component(self.observations, env.obs_size, "noise of observations")
        per_component(self.actions, env.task.action_space(env.model).shape[0], "noise of actions")
        self._seen, self._done = Streams(env.num_envs), Streams(env.num_envs)

    def start(self, which: np.ndarray, draws: Draws) -> None:
        self._seen.start(which, draws)
        self._done.start(which, draws)

    def act(self, actions: np.ndarray, live: np.ndarray | None) -> np.ndarray:
        return self._added(actions, live, self.actions, self._done)

    def see(self, obs: np.ndarray, which: np.ndarray | None) -> np.ndarray:
        return self._added(obs, which, self.observations, self._seen)

    def _added(
        self, x: np.ndarray, ids: np.ndarray | None, size: Any, streams: Streams
    ) -> np.ndarray:
        if not np.any(size):
            return x
        n = x.shape[1]
        draw = streams.normal(ids, n) if self._normal else 2.0 * streams.uniform(ids, n) - 1.0
        noisy, rows = x.copy(), rows_of(ids)
        noisy[rows] = x[rows] + np.asarray(size) * draw
        return noisy
