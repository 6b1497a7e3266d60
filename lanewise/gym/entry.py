"""What Gymnasium calls to make an environment by its name, and the names."""

import inspect
from typing import Any

import gymnasium

from .single import Env
from .tasks import TASKS
from .vector import VectorEnv

_OF_ENVIRONMENT = tuple(inspect.signature(VectorEnv.__init__).parameters)[3:]


def make_vector(task: str, num_envs: int = 1, **arguments: Any) -> VectorEnv:
    """num_envs worlds of one of TASKS; arguments are those of Gymnasium's own, and of VectorEnv."""
    of_env = {name: arguments.pop(name) for name in _OF_ENVIRONMENT if name in arguments}
    return VectorEnv(TASKS[task](**arguments), num_envs, **of_env)


def make_single(task: str, **arguments: Any) -> Env:
    """One world, with the interface of gymnasium.Env."""
    return Env(make_vector(task, 1, autoreset_mode="Disabled", nthread=1, **arguments))


def register() -> None:
    """lanewise/Ant-v5 and all others, for gymnasium.make_vec and gymnasium.make."""
    for name, task in TASKS.items():
        if f"lanewise/{name}-v5" not in gymnasium.registry:
            gymnasium.register(
                f"lanewise/{name}-v5", entry_point="lanewise.gym.entry:make_single",
                vector_entry_point="lanewise.gym.entry:make_vector",
                max_episode_steps=task.max_episode_steps, kwargs={"task": name},
            )  # fmt: skip
