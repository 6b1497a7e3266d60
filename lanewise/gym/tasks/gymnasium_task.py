"""What the tasks of Gymnasium have in common.

Their numbers are those of MuJoCo's data after `mj_step` and `mj_rnePostConstraint`, which is what
a kernel `observe` sees (docs/callbacks.md). After a reset, forces between bodies are zero there,
since nobody has computed them.

Actions are float32, and Gymnasium adds their squares in float32, too. So the cost of an action is
computed here, on arrays, in the precision of the actions, and handed to the kernel in its state.
"""

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium.envs.mujoco
import numpy as np
from gymnasium.spaces import Box

from ...errors import did_you_mean
from ...lanes import abs_, kernel, where
from ...public import Batch, Model, load
from ..seeds import Draws
from ..task import Task

ASSETS = Path(gymnasium.envs.mujoco.__file__).parent / "assets"
LARGEST = 1.7976931348623157e308  # of all finite numbers


class GymnasiumTask(Task):
    """A task whose model and arguments are those of one of Gymnasium's."""

    original = ""  # Gymnasium's class, as module:name
    xml_file = ""
    reset_noise_scale = 0.0
    normal_speeds = False  # whether velocities at the start are normally distributed
    ctrl_cost_weight: float | None = None  # of the squares of actions
    acts_on_all = True
    given: tuple[str, ...] | None = None  # infos, if not all that the kernel writes
    reset_info: tuple[str, ...] | None = ()

    def __init__(
        self, xml_file: str | None = None, frame_skip: int | None = None, **arguments: Any
    ):
        """arguments: those of Gymnasium's class."""
        known = arguments_of(self.original)
        for name in arguments:
            if name not in known:
                raise TypeError(
                    f"{type(self).__name__} has no argument {name!r}{did_you_mean(name, known)};"
                    f" it takes {', '.join(known)}"
                )
        if xml_file is not None:
            self.xml_file = xml_file
        if frame_skip is not None:
            self.frame_skip = frame_skip
        for name, value in arguments.items():
            setattr(self, name, value)
        self.default_camera_config = known.get("default_camera_config")
        self.model = _path(self.xml_file)

    def load(self, model: Any = None) -> Model:
        self.describe(load(self.model if model is None else model))
        return super().load(model)

    def describe(self, m: Model) -> None:
        """Set obs_size, parameters, ... for a model."""
        raise NotImplementedError

    def begin(self, batch: Batch) -> None:
        if self.ctrl_cost_weight is not None:
            self._cost = batch.user("ctrl_cost")
        self._dtype: Any = np.float64
        places = batch.model.state_slices
        # qpos and qvel, which lie side by side in a row of the state
        self._moving = batch.state[:, places["qpos"].start : places["qvel"].stop]
        self._qpos0 = batch.model.qpos0

    def act(self, batch: Batch, ids: np.ndarray | None, actions: np.ndarray) -> None:
        super().act(batch, ids, actions)
        if self.ctrl_cost_weight is not None:
            cost = self.ctrl_cost_weight * np.sum(np.square(actions), axis=1)
            self._cost[slice(None) if ids is None else ids] = cost
            self._dtype = cost.dtype

    def as_infos(self, values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        if self.given is not None:
            values = {name: values[name] for name in self.given}
        if self.ctrl_cost_weight is not None and "reward_ctrl" in values:
            values["reward_ctrl"] = values["reward_ctrl"].astype(self._dtype)
        return values

    def start(self, batch: Batch, ids: np.ndarray, draws: Draws) -> None:
        """Positions uniformly about the model's, velocities uniformly or normally about zero."""
        scale, nq = self.reset_noise_scale, len(self._qpos0)
        nv = self._moving.shape[1] - nq
        if self.normal_speeds:
            noise = np.hstack([draws.uniform(-scale, scale, nq), scale * draws.normal(nv)])
        else:
            noise = draws.uniform(-scale, scale, nq + nv)
        noise[:, :nq] += self._qpos0
        self._moving[ids] = noise

    def action_space(self, m: Model) -> Box:
        low, high = m.actuator_ctrlrange.astype(np.float32).T
        return Box(low, high, dtype=np.float32)


def arguments_of(original: str) -> dict[str, Any]:
    """{argument: default} of Gymnasium's class, without those of rendering."""
    module, name = original.split(":")
    kind = getattr(import_module(f"gymnasium.envs.mujoco.{module}"), name)
    given = inspect.signature(kind.__init__).parameters.values()
    return {p.name: p.default for p in given if p.default is not p.empty}


def _path(xml_file: str) -> Path:
    """As Gymnasium finds it: in its own folder, unless it is a path."""
    at = Path(xml_file).expanduser()
    at = at if xml_file.startswith((".", "/", "~")) else ASSETS / xml_file
    if not at.is_file():
        raise FileNotFoundError(f"there is no model {at}")
    return at


@kernel(inline=True)
def finite(x):
    """Whether a number is neither infinite nor NaN."""
    return abs_(x) <= LARGEST


@kernel(inline=True)
def within(x, low, high):
    return (x > low) & (x < high)


@kernel
def put_state(m, d, p, first):
    """Positions from `first` on, then velocities => p.obs; where what follows begins"""
    for i in range(first, m.nq):
        p.obs[i - first] = d.qpos[i]
    at = m.nq - first
    for i in range(m.nv):
        p.obs[at + i] = d.qvel[i]
    return at + m.nv


@kernel(inline=True)
def yes(mask):
    """1 where it holds, else 0"""
    return where(mask, 1.0, 0.0)
