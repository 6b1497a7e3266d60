"""What adapters ask of an environment."""

from typing import Any

from gymnasium.vector import AutoresetMode

from ..vector import VectorEnv


def checked(env: Any, mode: AutoresetMode, library: str) -> VectorEnv:
    """The environment, if it is one of ours and begins episodes as the library expects."""
    if not isinstance(env, VectorEnv):
        raise TypeError(
            f"a lanewise.gym.VectorEnv is needed, not {type(env).__name__}: see gymnasium.make_vec"
        )
    if env.autoreset_mode != mode:
        raise ValueError(
            f"{library} expects autoreset_mode={mode.value!r}, and this environment has"
            f" {env.autoreset_mode.value!r}: give it to gymnasium.make_vec"
        )
    return env
