"""rsl_rl: its VecEnv, with tensors, whose episodes begin anew in the step that ends them."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ...errors import LanewiseError
from ..vector import VectorEnv
from .modes import checked

try:
    import torch
    from rsl_rl.env import VecEnv
    from tensordict import TensorDict
except ImportError as error:
    raise LanewiseError("this needs rsl_rl: pip install rsl-rl-lib") from error


class RslRlVecEnv(VecEnv):
    """A VectorEnv with autoreset_mode="SameStep", for rsl_rl.

    Observations are in one group, "policy". Actions are clipped to the space, of which rsl_rl knows
    nothing. device: where tensors go; the worlds themselves run on the processor.
    """

    def __init__(self, env: VectorEnv, device: str = "cpu"):
        self.env = checked(env, AutoresetMode.SAME_STEP, "rsl_rl")
        if env.max_episode_steps is None:
            raise ValueError("rsl_rl asks how long episodes are: give max_episode_steps")
        self.num_envs, self.device = env.num_envs, device
        self.num_actions = int(np.prod(env.single_action_space.shape or ()))
        self.max_episode_length = env.max_episode_steps
        self.cfg = dict(env.spec.kwargs) if env.spec else {}
        self._low, self._high = env.action_space.low, env.action_space.high  # type: ignore[attr-defined]
        self._obs: Any = None

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """Steps since the episode of each environment began; writing to it acts."""
        return torch.from_numpy(self.env.elapsed)

    @episode_length_buf.setter
    def episode_length_buf(self, lengths: torch.Tensor) -> None:
        self.env.elapsed[:] = lengths.cpu().numpy()

    def reset(self, seed: int | None = None) -> tuple[TensorDict, dict[str, Any]]:
        """Begin all episodes."""
        self._obs = self._seen(self.env.reset(seed=seed)[0])
        return self._obs, {}

    def get_observations(self) -> TensorDict:
        return self.reset()[0] if self._obs is None else self._obs

    def step(
        self, actions: torch.Tensor
    ) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        if self._obs is None:
            self.reset()
        chosen = np.clip(actions.detach().cpu().numpy(), self._low, self._high)
        obs, rewards, terminated, truncated, _ = self.env.step(chosen)
        self._obs = self._seen(obs)
        extras = {"time_outs": self._tensor(truncated & ~terminated)}
        dones = self._tensor(terminated | truncated).long()
        return self._obs, self._tensor(rewards.astype(np.float32)), dones, extras

    def close(self) -> None:
        self.env.close()

    def _seen(self, obs: np.ndarray) -> TensorDict:
        seen = self._tensor(obs.astype(np.float32, copy=False))
        return TensorDict({"policy": seen}, batch_size=[self.num_envs], device=self.device)

    def _tensor(self, x: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(x).to(self.device)
