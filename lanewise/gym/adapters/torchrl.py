"""TorchRL: its EnvBase, which says itself which environments begin anew."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ...errors import LanewiseError
from ..vector import VectorEnv
from .modes import checked

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Composite, Unbounded
    from torchrl.envs import EnvBase
except ImportError as error:
    raise LanewiseError("this needs TorchRL: pip install torchrl") from error

DONE = ("done", "terminated", "truncated")


class TorchRLEnv(EnvBase):
    """A VectorEnv with autoreset_mode="Disabled", for TorchRL: a batch of num_envs.

    "observation" and "reward" have the dtype of the environment. device: where tensors go; the
    worlds themselves run on the processor.
    """

    def __init__(self, env: VectorEnv, device: str = "cpu"):
        checked(env, AutoresetMode.DISABLED, "TorchRL")
        super().__init__(device=device, batch_size=[env.num_envs])
        self.env = env
        self._next_seed: int | None = None
        n, box = env.num_envs, env.action_space
        dtype = torch.from_numpy(np.zeros(0, env.dtype)).dtype
        self.observation_spec = Composite(
            observation=Unbounded(env.observation_space.shape, dtype=dtype, device=device),
            shape=(n,),
        )
        low, high = (torch.from_numpy(x).to(device) for x in (box.low, box.high))  # type: ignore[attr-defined]
        self.action_spec = Bounded(low, high, box.shape, device=device, dtype=low.dtype)
        self.reward_spec = Unbounded((n, 1), dtype=dtype, device=device)
        flags = {name: Binary(1, (n, 1), dtype=torch.bool, device=device) for name in DONE}
        self.full_done_spec = Composite(**flags, shape=(n,))

    def _reset(self, tensordict: TensorDictBase | None = None, **given: Any) -> TensorDictBase:
        mask = None if tensordict is None else tensordict.get("_reset", None)
        chosen = None if mask is None else mask.reshape(-1).cpu().numpy()
        everyone = chosen is None or chosen.all()
        seed, self._next_seed = self._next_seed, None
        obs, _ = self.env.reset(seed=seed, options=None if everyone else {"reset_mask": chosen})
        # of environments that go on, TorchRL keeps what it had
        return self._said(obs, *np.zeros((3, self.env.num_envs, 1), bool))

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        actions = tensordict.get("action").detach().cpu().numpy()
        obs, rewards, terminated, truncated, _ = self.env.step(actions)
        flags = terminated | truncated, terminated, truncated
        said = self._said(obs, *(x[:, None] for x in flags))
        said.set("reward", torch.from_numpy(rewards[:, None].astype(self.env.dtype)))
        return said

    def _set_seed(self, seed: int | None) -> None:
        self._next_seed = seed

    def close(self, *, raise_if_closed: bool = True) -> None:
        super().close(raise_if_closed=raise_if_closed)
        self.env.close()

    def _said(self, obs: np.ndarray, *flags: np.ndarray) -> TensorDict:
        arrays = {"observation": obs, **dict(zip(DONE, flags))}
        tensors = {name: torch.from_numpy(x) for name, x in arrays.items()}
        return TensorDict(tensors, batch_size=self.batch_size, device=self.device)
