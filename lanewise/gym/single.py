"""One environment: a vector environment of one world, with the interface of gymnasium.Env."""

from typing import Any

import gymnasium
import numpy as np

from .vector import VectorEnv


class Env(gymnasium.Env):
    """The only world of a VectorEnv, without its axis. `vector` is that environment."""

    def __init__(self, vector: VectorEnv):
        if vector.num_envs != 1:
            raise ValueError(f"one environment is needed, got num_envs={vector.num_envs}")
        self.vector = vector
        self.observation_space = vector.single_observation_space
        self.action_space = vector.single_action_space
        self.render_mode = vector.render_mode
        self.metadata = {k: x for k, x in vector.metadata.items() if k != "autoreset_mode"}

    @property
    def batch(self) -> Any:
        """The Batch of one world."""
        return self.vector.batch

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[Any, dict]:
        obs, infos = self.vector.reset(seed=seed, options=options)
        self._np_random = self.vector.generators[0]
        self._np_random_seed = self.vector.np_random_seed[0]
        return obs[0], _of_one(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict]:
        actions = np.asarray(action)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"an action has shape {self.action_space.shape}, got {actions.shape}")
        obs, rewards, terminated, truncated, infos = self.vector.step(actions[None])
        self.vector._over[:] = False  # who has one environment decides when to reset it
        return obs[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), _of_one(infos)

    def render(self) -> Any:
        pictures = self.vector.render()
        return pictures[0] if pictures else None

    def close(self) -> None:
        self.vector.close()


def _of_one(infos: dict[str, Any]) -> dict[str, Any]:
    return {k: x[0] for k, x in infos.items() if f"_{k}" in infos}
