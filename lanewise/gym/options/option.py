"""Where an environment asks its options, in the order of an episode.

    build     the model is about to be loaded
    begin     the environment was made
    vary      episodes are about to begin: a moment to change models
    start     worlds have been reset and put where their episodes begin
    act       actions are on their way to the worlds
    see       observations are on their way to the caller

Options have random numbers apart from the task's, of the same seeds: so an episode can be repeated
from its seed, and starts where it would without options.
"""

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ...errors import ModelError
from ...public import load
from ..seeds import Draws

if TYPE_CHECKING:
    from ..vector import VectorEnv


class Option:
    """Something that makes worlds differ or disturbs them, of one environment."""

    adds = 0  # how many numbers `see` adds to observations
    env: "VectorEnv | None" = None

    def build(self, model: Any) -> Any:
        """What is loaded instead of a model: see `spec_of`."""
        return model

    def begin(self, env: "VectorEnv") -> None:
        """The environment was made; its obs_size is that of observations before this option."""
        if self.env is not None:
            raise ValueError(
                f"this {type(self).__name__} is an option of another environment already: make one"
                " for each"
            )
        self.env = env

    def copied(self) -> None:
        """This is the option of a copy of an environment: views of the Batch are taken anew."""

    def vary(self, which: np.ndarray, draws: Draws) -> None:
        """Episodes of these environments are about to begin, and worlds to be reset."""

    def start(self, which: np.ndarray, draws: Draws) -> None:
        """Episodes of these environments begin."""

    def act(self, actions: np.ndarray, live: np.ndarray | None) -> np.ndarray:
        """What becomes of actions (num_envs, n); live: the environments that take them, all if
        None."""
        return actions

    def see(self, obs: np.ndarray, which: np.ndarray | None) -> np.ndarray:
        """What becomes of observations (num_envs, n), in an array that may be written; which: the
        environments that have new ones, all if None."""
        return obs


def spec_of(model: Any) -> mujoco.MjSpec:
    """An MjSpec of whatever `lanewise.load` takes, to be changed at will."""
    if isinstance(model, mujoco.MjSpec):
        return model.copy()
    origin = load(model).origin
    if origin.spec is None:
        raise ModelError(
            f"this option changes the model before it is compiled, and {origin.kind} is compiled:"
            " give the task a path, XML or an MjSpec"
        )
    spec = origin.spec.copy()
    spec.modelfiledir = origin.folder
    return spec


def rows_of(which: np.ndarray | None) -> Any:
    """An index of rows, where None is all."""
    return slice(None) if which is None else which
