"""Actions that arrive late, and observations that are old.

In environment steps, what is late is kept here, in a queue for each world. In steps of the
simulation, MuJoCo's own delay of actuators does it: they get a history in the model, and each world
its `actuator_delay`.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..seeds import Draws
from .option import Option, rows_of, spec_of
from .spans import one_of, whole_span

if TYPE_CHECKING:
    from ..vector import VectorEnv

UNITS = ("step", "substep")
PAST = 2  # numbers of an actuator's history before its times (docs/fields.md, history)


class Latency(Option):
    """Delay actions and observations, by a number that is drawn for each episode.

    actions, observations: how many environment steps, a number or (lowest, highest). With
    unit="substep", actions are delayed by steps of the simulation: what the task writes to ctrl
    takes effect so many later. Before the first action arrives, worlds take the zero action, or in
    substeps the ctrl that they start with; the first observation of an episode is never old.
    `delays["actions"]` and `delays["observations"]` have what was drawn.
    """

    def __init__(self, actions: Any = 0, observations: Any = 0, unit: str = "step"):
        given = {"actions": actions, "observations": observations}
        self._spans = {name: whole_span(x, f"latency of {name}") for name, x in given.items()}
        self._in_model = one_of(unit, "unit", UNITS) == "substep"
        self.delays: dict[str, np.ndarray] = {}

    def build(self, model: Any) -> Any:
        most = self._spans["actions"][1]
        if not self._in_model or not most:
            return model
        spec = spec_of(model)
        for actuator in spec.actuators:
            if actuator.nsample:
                raise ValueError(
                    f"actuator {actuator.name!r} of the model has a delay of its own: give Latency"
                    " in environment steps, or randomize actuator_delay"
                )
            actuator.nsample, actuator.delay = most + 1, most * spec.option.timestep
        return spec

    def begin(self, env: "VectorEnv") -> None:
        super().begin(env)
        n = env.num_envs
        self.delays = {name: np.zeros(n, np.int64) for name in self._spans}
        space = env.task.action_space(env.model)
        self._rest = np.clip(np.zeros(space.shape), space.low, space.high).astype(space.dtype)
        self._actions = _Queue(n, self._spans["actions"][1], len(self._rest))
        self._seen = _Queue(n, self._spans["observations"][1], env.obs_size)
        self._starts = np.zeros(n, bool)  # whose next observation is the first
        self.copied()
        if self._in_model and self._spans["actions"][1]:
            self._values = _places_of_values(env.model)

    def copied(self) -> None:
        assert self.env is not None
        self._batch = self.env.batch
        if self._in_model and self._spans["actions"][1]:
            self._delay = self._batch.expand("actuator_delay")

    def vary(self, which: np.ndarray, draws: Draws) -> None:
        for name, (low, high) in self._spans.items():
            u = draws.uniform(low, high + 1, 1)[:, 0]
            self.delays[name][which] = np.minimum(u.astype(np.int64), high)
        if self._in_model and self._spans["actions"][1]:
            steps = self.delays["actions"][which]
            # half a step short, so that round-off of times never chooses the sample before
            late = np.maximum(0.0, steps - 0.5) * self._timesteps(which)
            self._delay[which] = late[:, None]

    def _timesteps(self, which: np.ndarray) -> Any:
        own = self._batch.expanded("opt.timestep")
        return float(self._batch.model.opt.timestep) if own is None else own[which]

    def start(self, which: np.ndarray, draws: Draws) -> None:
        self._starts[which] = True
        if not self._in_model:
            self._actions.fill(which, self._rest)
        elif self._spans["actions"][1]:
            for ctrl, places in self._values:
                self._batch.history[which, places] = self._batch.ctrl[which, ctrl, None]

    def act(self, actions: np.ndarray, live: np.ndarray | None) -> np.ndarray:
        if self._in_model:
            return actions
        return self._actions.through(actions, live, self.delays["actions"])

    def see(self, obs: np.ndarray, which: np.ndarray | None) -> np.ndarray:
        first = (
            self._starts if which is None else self._starts & np.isin(np.arange(len(obs)), which)
        )
        ids = np.flatnonzero(first)
        self._seen.fill(ids, obs[ids])
        self._starts[ids] = False
        return self._seen.through(obs, which, self.delays["observations"])


class _Queue:
    """The last rows of each environment, the newest first."""

    def __init__(self, n: int, most: int, size: int):
        self._rows = np.zeros((n, most + 1, size))

    def fill(self, ids: np.ndarray, rows: np.ndarray) -> None:
        self._rows[ids] = rows if rows.ndim == 1 else rows[:, None]

    def through(self, x: np.ndarray, ids: np.ndarray | None, delays: np.ndarray) -> np.ndarray:
        """Take in a row of some environments, and give out what has waited long enough."""
        if self._rows.shape[1] == 1:
            return x
        rows = rows_of(ids)
        queue = np.roll(self._rows[rows], 1, axis=1)
        queue[:, 0] = x[rows]
        self._rows[rows] = queue
        out = x.copy()
        out[rows] = queue[np.arange(len(queue)), delays[rows]]
        return out


def _places_of_values(m: Any) -> list[tuple[int, slice]]:
    """Of each control, where the history has its past values."""
    places = []
    for i in range(m.nactuator):
        n, dim = int(m.actuator_history[i, 0]), int(m.actuator_ctrlnum[i])
        first = int(m.actuator_historyadr[i]) + PAST + n
        for c in range(dim):
            places.append((int(m.actuator_ctrladr[i]) + c, slice(first + c, first + n * dim, dim)))
    return places
