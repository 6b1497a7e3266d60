"""Stable-Baselines3: its VecEnv, whose episodes begin anew in the step that ends them."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ...errors import LanewiseError
from ..vector import VectorEnv
from .modes import checked

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise LanewiseError("this needs Stable-Baselines3: pip install stable-baselines3") from error


class SB3VecEnv(VecEnv):
    """A VectorEnv with autoreset_mode="SameStep", for Stable-Baselines3.

    infos: names of infos that are handed on in every step; a dict for each environment takes its
    time, and the algorithms need none of them. VecMonitor adds the returns of episodes.
    """

    def __init__(self, env: VectorEnv, infos: Iterable[str] = ()):
        self.env = checked(env, AutoresetMode.SAME_STEP, "Stable-Baselines3")
        self._names = tuple(infos)
        self._actions: Any = None
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> np.ndarray:
        seeded = any(seed is not None for seed in self._seeds)
        obs, infos = self.env.reset(seed=self._seeds if seeded else None, options=self._starts())
        self.reset_infos = self._of_each(infos, [n for n in self._names if n in infos])
        self._reset_seeds()
        self._reset_options()
        return obs

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        obs, rewards, terminated, truncated, infos = self.env.step(self._actions)
        dones = terminated | truncated
        listed = self._of_each(infos, self._names)
        for i in np.flatnonzero(dones).tolist():
            final = infos["final_info"]
            listed[i] = {name: final[name][i] for name in self._names}
            listed[i]["terminal_observation"] = infos["final_obs"][i]
            listed[i]["TimeLimit.truncated"] = bool(truncated[i] and not terminated[i])
        return obs, rewards.astype(np.float32), dones, listed

    def close(self) -> None:
        self.env.close()

    # ------------------------------------------------------------------------- of one or of several

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the VectorEnv, once for each environment."""
        value = getattr(self.env, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError(
                f"{attr_name} belongs to all environments: set_attr takes no indices here"
            )
        setattr(self.env, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the VectorEnv, once; its result for each environment."""
        result = getattr(self.env, method_name)(*method_args, **method_kwargs)
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Wrappers of single environments there are none."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Pictures of the environments in render_worlds."""
        return list(self.env.render() or ())

    # ----------------------------------------------------------------------------------------------

    def _starts(self) -> dict[str, Any] | None:
        """Options of a reset, which SB3 has for each environment, as rows."""
        names = self._options[0].keys()
        if any(given.keys() != names for given in self._options):
            raise ValueError("options of a reset are given to all environments, or to none")
        return {name: np.stack([given[name] for given in self._options]) for name in names} or None

    def _of_each(self, infos: dict[str, Any], names: Iterable[str]) -> list[dict[str, Any]]:
        return [{name: infos[name][i] for name in names} for i in range(self.num_envs)]
