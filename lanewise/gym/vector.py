"""Vector environments: a Task on a Batch, with the interface of Gymnasium 1.x.

A step is one call of `Batch.step` for the worlds whose episodes go on, and one of `Batch.forward`
for those that begin anew. Nothing loops over worlds in Python, but for the random numbers of
resets, which every environment draws from a generator of its own (seeds.py).

What a caller gets are arrays of its own, new in every call.
"""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space

from ..public import Batch
from .given import (
    at_least,
    autoreset,
    checked_actions,
    float_dtype,
    masked,
    seeds_of,
    some,
)
from .options import Option
from .seeds import Generators
from .task import Task


class VectorEnv(GymnasiumVectorEnv):
    """num_envs worlds of a Task.

    autoreset_mode: an AutoresetMode of Gymnasium or its name, by default NEXT_STEP. dtype: that of
    observations. nthread: threads of the Batch, 0 for all processors. options: what makes worlds
    differ or disturbs them (lanewise.gym.options). `batch` is the Batch itself: everything in it
    can be read, and written between steps.

    render_mode: "rgb_array", "depth_array", "rgbd_tuple" or "human"; render_worlds: numbers of the
    environments to be drawn, or "all"; by default the first, and in the browser the first sixteen.
    What follows are Gymnasium's arguments for drawing.
    """

    def __init__(
        self, task: Task, num_envs: int = 1, *, autoreset_mode: Any = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = -1, dtype: Any = np.float64, nthread: int = 0,
        options: Iterable[Option] = (), render_mode: str | None = None,
        render_worlds: Sequence[int] | str | None = None, width: int = 480, height: int = 480,
        camera_id: int | None = None, camera_name: str | None = None,
        default_camera_config: dict[str, Any] | None = None, max_geom: int = 1000,
        visual_options: dict[int, bool] | None = None,
    ):  # fmt: skip
        self.task, self.num_envs = task, at_least(1, num_envs, "num_envs")
        self.options = tuple(options)
        self.model = _built(task, self.options)
        self.batch = Batch(self.model, self.num_envs, nthread)
        self.autoreset_mode = autoreset(autoreset_mode)
        self.dtype = float_dtype(dtype)
        given = task.max_episode_steps if max_episode_steps == -1 else max_episode_steps
        self.max_episode_steps = None if given is None else at_least(1, given, "max_episode_steps")
        self.generators = Generators(self.num_envs)
        self._elapsed = np.zeros(self.num_envs, np.int64)
        self._over = np.zeros(self.num_envs, bool)  # episodes that ended in the last step
        self._begun = False
        self._bind()
        self.task.begin(self.batch)
        self.obs_size = self._obs_size
        for option in self.options:
            option.begin(self)
            self.obs_size += option.adds
        self._last = np.zeros((self.num_envs, self.obs_size), self.dtype)  # what was seen
        self.single_observation_space = Box(-np.inf, np.inf, (self.obs_size,), self.dtype)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.single_action_space = task.action_space(self.model)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.metadata = {
            **task.metadata, "autoreset_mode": self.autoreset_mode, "render_fps": round(1 / self.dt)
        }  # fmt: skip
        self.render_mode = render_mode
        looks = (
            task.default_camera_config if default_camera_config is None else default_camera_config
        )
        self._picture = _picture(
            self, render_mode, render_worlds, width=width, height=height, camera_id=camera_id,
            camera_name=camera_name, default_camera_config=looks, max_geom=max_geom,
            visual_options=visual_options,
        )  # fmt: skip

    def _bind(self) -> None:
        """Where results are: in outputs of a kernel, or in what the task computes of arrays."""
        batch, task = self.batch, self.task
        if task.observe is None:
            self._rows = None
            self._obs_size = -1
            self._obs_size = self._of_task().shape[1]
            return
        self._rows = batch.bind("observed")
        places = self.model.user.declared.places()["observed"]
        self._obs_size = places["obs"].stop
        self._reward_at, self._terminated_at = places["reward"].start, places["terminated"].start
        self._info_at = {name: (places[name], self.model.user.declared.shapes[name])
                         for name in task.info}  # fmt: skip

    @property
    def dt(self) -> float:
        """Seconds of an environment step, by the model's own time step."""
        return float(self.model.opt.timestep) * self.task.frame_skip

    @property
    def elapsed(self) -> np.ndarray:
        """Steps since each episode began, (num_envs,): live, and may be written."""
        return self._elapsed

    # ---------------------------------------------------------------------------------------- calls

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin episodes: of all environments, or of those in options["reset_mask"].

        seed: a number, from which environment i has seed + i, or one for each. options may have
        "qpos" and "qvel", rows for the worlds that begin, where they start instead.
        """
        self._check_open()
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        which = np.arange(self.num_envs) if mask is None else masked(mask, self.num_envs)
        if mask is not None and not self._begun:
            raise ResetNeeded("the first reset is of all environments: without reset_mask")
        starts = {name: options.pop(name) for name in ("qpos", "qvel") if name in options}
        if options:
            known = "reset_mask, qpos and qvel"
            raise ValueError(f"options of reset are {known}, got {', '.join(map(repr, options))}")
        self.generators.seed(seeds_of(seed, self.num_envs), which)
        self._start(which, starts)
        self._over[which] = False
        self._begun = True
        obs = self._observation(which)
        infos = self._infos(self._reset_names(), None if mask is None else np.asarray(mask))
        return obs, infos

    def step(
        self, actions: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take an action in every environment: observations, rewards, terminations, truncations,
        infos."""
        self._check_open()
        actions = self._checked(actions)
        begin = np.empty(0, np.int64)
        if self.autoreset_mode == AutoresetMode.NEXT_STEP:
            begin = self._over.nonzero()[0]
        elif self.autoreset_mode == AutoresetMode.DISABLED and self._over.any():
            raise ResetNeeded(
                f"episodes of environments {some(self._over)} are over: reset them, with"
                " options={'reset_mask': ...}"
            )
        ended = self._over
        going = ~ended if len(begin) else None  # which episodes are in the middle
        self._advance(None if going is None else going.nonzero()[0], actions)
        self._elapsed += 1
        if going is not None:
            self._start(begin)
        rewards, terminated = self._outcome(actions)
        if going is not None:
            np.copyto(rewards, 0.0, where=ended)
            terminated &= going
        truncated = self._cut()
        self._over = terminated | truncated
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._over.any():
            return self._begin_at_once(rewards, terminated, truncated)
        obs = self._observation()
        infos = self._infos(None, going)
        if len(begin):
            self._add_infos(infos, begin, self._reset_names())
        return obs, rewards, terminated, truncated, infos

    def _begin_at_once(
        self, rewards: np.ndarray, terminated: np.ndarray, truncated: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """What ended begins in the same step; what it ended with goes along in infos."""
        ended, self._over = self._over, np.zeros(self.num_envs, bool)
        which = np.flatnonzero(ended)
        final = self._observation()
        final_info = self._infos(None, ended)
        infos = self._infos(None, ~ended)
        self._start(which)
        self._add_infos(infos, which, self._reset_names())
        final_obs = np.full(self.num_envs, None, dtype=object)
        for i in which.tolist():
            final_obs[i] = final[i]
        infos |= {"final_obs": final_obs, "_final_obs": ended}
        infos |= {"final_info": final_info, "_final_info": ended.copy()}
        return self._observation(which), rewards, terminated, truncated, infos

    def set_state(self, qpos: Any, qvel: Any, ids: Any = None) -> np.ndarray:
        """Put worlds into positions and velocities, (n, nq) and (n, nv), in the middle of their
        episodes; the observations of all."""
        self._check_open()
        rows = slice(None) if ids is None else ids
        self.batch.qpos[rows], self.batch.qvel[rows] = qpos, qvel
        self.batch.forward(ids)
        return self._observation(None if ids is None else np.arange(self.num_envs)[rows])

    def render(self) -> tuple[Any, ...] | None:
        """A picture of each of render_worlds: (height, width, 3) of bytes for "rgb_array", depths
        (height, width) for "depth_array", both for "rgbd_tuple". None for "human", where a page in
        the browser shows them, after every step without being asked."""
        self._check_open()
        if self._picture is None:
            raise ValueError(
                "this environment was made without a render_mode: give render_mode='rgb_array'"
            )
        return self._picture.render()

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What Gymnasium's own call in every environment; here "render", and else an attribute or a
        method of all of them, once for each."""
        found = getattr(self, name)
        if name == "render":
            return found() or ()
        return (found(*args, **kwargs) if callable(found) else found,) * self.num_envs

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute, once for each environment."""
        return (getattr(self, name),) * self.num_envs

    def __getstate__(self) -> dict[str, Any]:
        """All but views: a copy, or what is read from a pickle, goes on to the same bits."""
        return {name: x for name, x in vars(self).items() if name != "_rows"}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self._rows = None if self.task.observe is None else self.batch.bind("observed")
        self.task.begin(self.batch)
        for option in self.options:
            option.copied()

    def close_extras(self, **kwargs: Any) -> None:
        if self._picture is not None:
            self._picture.close()

    # -------------------------------------------------------------------------------------- seeding

    @property
    def np_random_seed(self) -> tuple[int | None, ...]:  # type: ignore[override]
        """The seed of each environment."""
        return self.generators.seeds

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generator of each environment."""
        return tuple(self.generators[i] for i in range(self.num_envs))

    # -------------------------------------------------------------------------------------- running

    def _start(self, which: np.ndarray, starts: dict[str, Any] | None = None) -> None:
        """Begin episodes of these environments."""
        batch, ids = self.batch, None if len(which) == self.num_envs else which
        if self.options:
            chance = self.generators.option_draws(which)
        for option in self.options:
            option.vary(which, chance)
        batch.reset(ids, keyframe=self.task.keyframe, stage=0)
        self.task.start(batch, which, self.generators.draws(which))
        for option in self.options:
            option.start(which, chance)
        for name, value in (starts or {}).items():
            getattr(batch, name)[which] = value
        batch.forward(ids)
        self._elapsed[which] = 0

    def _advance(self, live: np.ndarray | None, actions: np.ndarray) -> None:
        for option in self.options:
            actions = option.act(actions, live)
        if live is None:
            self.task.act(self.batch, None, actions)
            self.batch.step(nstep=self.task.frame_skip)
        elif len(live):
            if self.task.acts_on_all:
                self.task.act(self.batch, None, actions)
            else:
                self.task.act(self.batch, live, actions[live])
            self.batch.step(live, nstep=self.task.frame_skip)

    def _cut(self) -> np.ndarray:
        """Which episodes have reached their length."""
        if self.max_episode_steps is None:
            return np.zeros(self.num_envs, bool)
        return self._elapsed >= self.max_episode_steps

    def observations(self) -> np.ndarray:
        """What is seen of all environments, as it was last given."""
        return self._observation(np.empty(0, np.int64))

    def _observation(self, which: np.ndarray | None = None) -> np.ndarray:
        """What is seen of all worlds, where those of which, or all, have gone on or begun."""
        obs = self._of_task()
        if not self.options:
            return obs
        for option in self.options:
            obs = option.see(obs, which)
        rows = slice(None) if which is None else which
        self._last[rows] = obs[rows]  # of the others, what was seen is what it was
        return self._last.copy()

    def _of_task(self) -> np.ndarray:
        if self._rows is not None:
            return self._rows[:, : self._obs_size].astype(self.dtype)
        obs = np.array(self.task.observation(self.batch), self.dtype)
        if obs.ndim != 2 or len(obs) != self.num_envs or self._obs_size not in (-1, obs.shape[1]):
            n = "n" if self._obs_size == -1 else self._obs_size
            raise ValueError(
                f"{type(self.task).__name__}.observation returns (nsim, n), here"
                f" ({self.num_envs}, {n}); got {obs.shape}"
            )
        return obs

    def _outcome(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rewards and terminations."""
        if self._rows is not None:
            both = self._rows[:, self._reward_at : self._terminated_at + 1].T.copy()
            return self._valid(both[0], both[1] > 0.0)
        rewards = np.array(self.task.reward(self.batch, actions), np.float64)
        terminated = np.array(self.task.terminated(self.batch), bool)
        for name, x in (("reward", rewards), ("terminated", terminated)):
            if x.shape != (self.num_envs,):
                raise ValueError(
                    f"{type(self.task).__name__}.{name} returns ({self.num_envs},), one for each"
                    f" world; got {x.shape}"
                )
        return self._valid(rewards, terminated)

    def _valid(self, rewards: np.ndarray, terminated: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where a reward is no number the episode ends without one: the others go on."""
        bad = np.isnan(rewards)
        if np.count_nonzero(bad):
            rewards[bad], terminated[bad] = 0.0, True
            warnings.warn(
                f"the reward of {type(self.task).__name__} is NaN in environments {some(bad)}:"
                " their episodes end here, with a reward of 0",
                RuntimeWarning, stacklevel=4,
            )  # fmt: skip
        return rewards, terminated

    # ---------------------------------------------------------------------------------------- infos

    def _reset_names(self) -> tuple[str, ...] | None:
        return self.task.reset_info

    def _infos(self, names: tuple[str, ...] | None, of: np.ndarray | None = None) -> dict[str, Any]:
        """{name: array} and {_name: mask} of what there is to know of all environments, or `of`
        those of a mask: for the others there are zeros."""
        infos: dict[str, Any] = {}
        number = self.num_envs if of is None else np.count_nonzero(of)
        if names == () or number == 0:
            return infos
        others = None if of is None or number == self.num_envs else ~of
        for name, values in self._values(names).items():
            infos[name] = values
            infos[f"_{name}"] = np.ones(self.num_envs, bool) if of is None else of.copy()
            if others is not None:
                where = others.reshape(-1, *[1] * (values.ndim - 1))
                np.copyto(values, 0, where=where)
        return infos

    def _add_infos(
        self, infos: dict[str, Any], which: np.ndarray, names: tuple[str, ...] | None
    ) -> None:
        """Fill in what there is to know of some more environments."""
        if names == ():
            return
        for name, values in self._values(names).items():
            if name not in infos:
                infos[name] = np.zeros_like(values)
                infos[f"_{name}"] = np.zeros(self.num_envs, bool)
            infos[name][which] = values[which]
            infos[f"_{name}"][which] = True

    def _values(self, names: tuple[str, ...] | None) -> dict[str, np.ndarray]:
        if self._rows is None:
            values = {k: np.array(x) for k, x in self.task.infos(self.batch).items()}
        else:
            block = self._rows[:, self._terminated_at + 1 :].copy()
            first = self._terminated_at + 1
            values = {}
            for name, (place, shape) in self._info_at.items():
                columns = block[:, place.start - first : place.stop - first]
                values[name] = columns.reshape(self.num_envs, *shape)
            values = self.task.as_infos(values)
        return values if names is None else {k: x for k, x in values.items() if k in names}

    # --------------------------------------------------------------------------------------- checks

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed: make a new one")

    def _checked(self, actions: Any) -> np.ndarray:
        if not self._begun:
            raise ResetNeeded("call reset before the first step")
        return checked_actions(actions, self.action_space.shape)


def _built(task: Task, options: tuple[Option, ...]) -> Any:
    """The model of a task, with what options make of it."""
    model = task.model
    for option in options:
        if not isinstance(option, Option):
            raise TypeError(
                f"options are Randomize, Push, ... of lanewise.gym, got {type(option).__name__}"
            )
        model = option.build(model)
    return task.load() if model is task.model else task.load(model)


def _picture(env: VectorEnv, mode: str | None, worlds: Any, **how: Any) -> Any:
    """What draws the environment, in its render_mode."""
    if mode is None:
        return None
    from .pictures import picture_of  # what draws is imported by whoever looks

    return picture_of(env, mode, worlds, **how)
