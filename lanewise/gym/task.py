"""What an environment is about: a model, what is seen of it, what is rewarded, when it is over.

A Task is written in one of two ways. As a kernel, compiled into the step and called at its end:

    class Reach(Task):
        model = "arm.xml"
        frame_skip = 5
        obs_size = 6
        observe = kernel        # (m, d, p): writes p.obs, p.reward, p.terminated

or on arrays of all worlds:

    class Reach(Task):
        model = "arm.xml"
        frame_skip = 5

        def observation(self, batch):
            return np.hstack([batch.qpos, batch.qvel])

        def reward(self, batch, actions): ...
        def terminated(self, batch): ...

Everything else has a default. A kernel reads `parameters` and keeps `state` as any kernel of the
user's does (docs/callbacks.md).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box

from ..public import Batch, Model, load
from .seeds import Draws


class Task:
    """A model, what is seen of it, what is rewarded, and when an episode is over."""

    model: Any = None  # what lanewise.load takes
    frame_skip: int = 1  # steps for an action
    max_episode_steps: int | None = 1000  # environment steps until an episode is cut
    keyframe: Any = None  # of the model, where episodes begin: its name or number

    observe: Any = None  # a kernel (m, d, p) that writes p.obs, p.reward, p.terminated
    obs_size: int | None = None  # how many numbers p.obs has
    info: Mapping[str, Any] = {}  # {name: shape} of what else it writes, given as infos
    parameters: Mapping[str, Any] = {}
    state: Mapping[str, Any] = {}
    scratch: Mapping[str, Any] = {}
    kernels: Mapping[str, Any] = {}  # others: control, passive, ...

    # whether `act` may also be given actions of episodes that begin in the same step: worlds are
    # reset after it, and all rows are written in less time than some
    acts_on_all: bool = False

    # of the camera in pictures: attributes of an MjvCamera
    default_camera_config: Mapping[str, Any] | None = None

    # which infos a reset gives; None: all
    reset_info: tuple[str, ...] | None = None

    # ------------------------------------------------------------------------------------ to write

    def observation(self, batch: Batch) -> np.ndarray:
        """What is seen of every world, (nsim, n)."""
        raise NotImplementedError(
            f"{type(self).__name__} has neither a kernel `observe` nor a method `observation`"
        )

    def reward(self, batch: Batch, actions: np.ndarray) -> np.ndarray:
        """The reward of every world's last step, (nsim,)."""
        return np.zeros(batch.nsim)

    def terminated(self, batch: Batch) -> np.ndarray:
        """Which episodes are over, (nsim,) bool."""
        return np.zeros(batch.nsim, bool)

    def infos(self, batch: Batch) -> dict[str, np.ndarray]:
        """What else there is to know of every world, {name: (nsim, ...)}."""
        return {}

    def as_infos(self, values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The infos that a kernel wrote, as they are given."""
        return values

    def begin(self, batch: Batch) -> None:
        """The Batch was made, or copied with the environment: a moment to keep views of it."""

    def start(self, batch: Batch, ids: np.ndarray, draws: Draws) -> None:
        """Put worlds, which have just been reset, where an episode begins."""

    def act(self, batch: Batch, ids: np.ndarray | None, actions: np.ndarray) -> None:
        """Give the actions to the worlds ids (all if None), whose rows these are."""
        batch.ctrl[slice(None) if ids is None else ids] = actions

    # --------------------------------------------------------------------------- what follows of it

    def load(self, model: Any = None) -> Model:
        """The model, or what options have made of it, with the kernels in it."""
        if self.model is None:
            raise ValueError(
                f"{type(self).__name__} has no model: set it to what lanewise.load takes"
            )
        outputs = None
        if self.observe is not None:
            if self.obs_size is None:
                raise ValueError(
                    f"{type(self).__name__}: obs_size says how many numbers of p.obs the kernel"
                    " writes; set it"
                )
            outputs = {"obs": self.obs_size, "reward": (), "terminated": (), **self.info}
        return load(
            self.model if model is None else model, observe=self.observe,
            parameters=dict(self.parameters) or None, state=dict(self.state) or None,
            scratch=dict(self.scratch) or None, outputs=outputs, **self.kernels,
        )  # fmt: skip

    def action_space(self, m: Model) -> Box:
        """Of one environment: by default the ranges of the controls."""
        limited = m.actuator_ctrllimited.astype(bool)
        low = np.where(limited, m.actuator_ctrlrange[:, 0], -np.inf).astype(np.float32)
        high = np.where(limited, m.actuator_ctrlrange[:, 1], np.inf).astype(np.float32)
        return Box(low, high, dtype=np.float32)

    @property
    def metadata(self) -> dict[str, Any]:
        return {"render_modes": ["human", "rgb_array", "depth_array", "rgbd_tuple"]}
