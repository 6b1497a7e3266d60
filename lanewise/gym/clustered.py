"""Environments on the nodes of a Ray cluster, as one vector environment.

Every node has a VectorEnv for its share of the environments, in a process that uses all of its
processors. Seeds, actions, masks and results are cut and joined by rows, so the numbers are those
of one machine, bit for bit. A process or node that dies is replaced: its environments are made anew
from what was kept of them, and do the calls since then again (lanewise.cluster).
"""

import copy
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space

from ..cluster import Rows, Share, Spread
from ..cluster.carrying import portable
from .entry import make_vector
from .given import at_least, checked_actions, masked, seeds_of
from .task import Task
from .vector import VectorEnv


class Told:
    """Infos of a node's environments, which have keys of their own."""

    def __init__(self, infos: dict[str, Any]):
        self.infos = infos


class Part:
    """The environments of a node."""

    def __init__(self, env: VectorEnv):
        self.env = env

    def reset(self, seeds: np.ndarray, mask: np.ndarray | None) -> tuple[np.ndarray, Told]:
        if mask is not None and not mask.any():
            return self.env.observations(), Told({})
        options = None if mask is None else {"reset_mask": mask}
        obs, infos = self.env.reset(seed=seeds.tolist(), options=options)
        return obs, Told(infos)

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        *arrays, infos = self.env.step(actions)
        return (*arrays, Told(infos))

    def state(self) -> np.ndarray:
        return self.env.batch.state.copy()

    # what makes them the same again, on another node

    def keep(self) -> bytes:
        return portable(self.env)

    def take(self, kept: bytes) -> None:
        self.env = pickle.loads(kept)


def _make(made_by: tuple[Any, dict[str, Any]], share: Share) -> Part:
    task, arguments = made_by
    return Part(_environment(task, share.count, share.nthread, arguments))


def _environment(task: Any, n: int, nthread: int, arguments: dict[str, Any]) -> VectorEnv:
    if isinstance(task, str):
        return make_vector(task, n, nthread=nthread, **arguments)
    return VectorEnv(task, n, nthread=nthread, **arguments)


class ClusterEnv(GymnasiumVectorEnv):
    """num_envs environments of a task, by its name ("Ant") or a Task, on all nodes of a cluster.

    arguments: those of `make_vector`, but for render_mode and nthread. cpus: processors that are
    used on each node, at most. checkpoint: after how many calls environments are kept.
    """

    def __init__(
        self, task: str | Task, num_envs: int, *, cpus: int | None = None,
        checkpoint: int | None = None, **arguments: Any,
    ):  # fmt: skip
        for name in ("render_mode", "nthread"):
            if name in arguments:
                raise ValueError(f"{name} is not for environments on a cluster")
        # one here, for its spaces, and so that wrong arguments are told at once
        like = _environment(*copy.deepcopy((task, 1, 1, arguments)))
        self.num_envs, self.metadata = at_least(1, num_envs, "num_envs"), like.metadata
        self.autoreset_mode, self.render_mode = like.autoreset_mode, None
        self.single_observation_space = like.single_observation_space
        self.single_action_space = like.single_action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        like.close()
        self._begun = False
        self.spread = Spread(_make, num_envs, (task, arguments), (), cpus, checkpoint)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.num_envs} environments {self.spread.places()}>"

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """As VectorEnv.reset, with reset_mask as the only option: environment i has the seed that
        it has on one machine."""
        self._check_open()
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        if options:
            raise ValueError(f"the only option of reset is reset_mask, got {sorted(options)}")
        if mask is not None:
            masked(mask, self.num_envs)
        seeds = np.array(seeds_of(seed, self.num_envs), object)
        rows = None if mask is None else Rows(np.asarray(mask))
        obs, infos = self.spread.call("reset", Rows(seeds), rows)
        self._begun = True
        return obs, self._joined(infos)

    def step(
        self, actions: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """As VectorEnv.step."""
        self._check_open()
        if not self._begun:
            raise ResetNeeded("call reset before the first step")
        actions = checked_actions(actions, self.action_space.shape)
        obs, rewards, terminated, truncated, infos = self.spread.call("step", Rows(actions))
        return obs, rewards, terminated, truncated, self._joined(infos)

    @property
    def state(self) -> np.ndarray:
        """The states of all worlds, (num_envs, nstate)."""
        self._check_open()
        return self.spread.call("state")

    def close_extras(self, **kwargs: Any) -> None:
        self.spread.close()

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed: make a new one")

    def _joined(self, told: Told | list[Told]) -> dict[str, Any]:
        """Infos of all nodes as one: zeros, and False in the mask, where a node has no such key."""
        parts = [x.infos for x in (told if isinstance(told, list) else [told])]
        return _joined(parts, [member.share.rows for member in self.spread.members], self.num_envs)


def _joined(parts: list[dict[str, Any]], places: list[slice], n: int) -> dict[str, Any]:
    infos: dict[str, Any] = {}
    for key in dict.fromkeys(key for part in parts for key in part):
        have = [(part[key], at) for part, at in zip(parts, places, strict=True) if key in part]
        first = have[0][0]
        if isinstance(first, dict):
            infos[key] = _joined([part.get(key, {}) for part in parts], places, n)
            continue
        empty = None if first.dtype == object else 0
        infos[key] = np.full((n, *first.shape[1:]), empty, first.dtype)
        for values, at in have:
            infos[key][at] = values
    return infos
