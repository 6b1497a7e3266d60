"""Pushes at random times: kicks, which change a velocity at once, and forces that last a while."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ...naming import number_of
from ..seeds import Draws
from .option import Option
from .spans import one_of, span
from .streams import Streams

if TYPE_CHECKING:
    from ..vector import VectorEnv

DIRECTIONS = ("horizontal", "any")
FREE_JOINT = 0  # mjJNT_FREE


class Push(Option):
    """Push a body, by its name or number, in each world at times of its own.

    every: seconds from one push to the next, a number or (lowest, highest). Either velocity [m/s],
    which is added to that of a body with a free joint, or force [N], which acts on its centre of
    mass for a duration [s], both a number or a range. Directions are random: "horizontal", or
    "any" in space. Times count in environment steps, and a force lasts one at least. `count` has
    how many pushes there were in each episode.
    """

    def __init__(
        self, body: Any, every: Any = (3.0, 6.0), *, velocity: Any = None, force: Any = None,
        duration: Any = 0.1, direction: str = "horizontal",
    ):  # fmt: skip
        if (velocity is None) == (force is None):
            raise ValueError("Push takes either a velocity [m/s] or a force [N]")
        self.body, self.is_force = body, force is not None
        self._size = span(force, "force") if self.is_force else span(velocity, "velocity")
        self._every, self._duration = span(every, "every"), span(duration, "duration")
        if self._every[1] <= 0.0:
            raise ValueError(f"every is the time between pushes, greater than 0; got {every!r}")
        self._space = one_of(direction, "direction", DIRECTIONS) == "any"

    def begin(self, env: "VectorEnv") -> None:
        super().begin(env)
        m, n = env.model, env.num_envs
        body = number_of(m.mj, "body", self.body)
        if body == 0:
            raise ValueError("the world cannot be pushed: name a body that moves")
        self._dt = env.dt
        self._streams = Streams(n)
        self._wait = np.zeros(n, np.int64)  # environment steps until the next push
        self._left = np.zeros(n, np.int64)  # and until a force ends
        self.count = np.zeros(n, np.int64)
        if self.is_force:
            _claim(env, self, body)
            self._at = body
            self.copied()
            return
        joint = int(m.body_jntadr[body])
        if joint < 0 or m.jnt_type[joint] != FREE_JOINT:
            raise ValueError(
                f"body {m.mj.body(body).name!r} has no free joint, whose velocity could be changed:"
                " push it with force="
            )
        self._at = int(m.jnt_dofadr[joint])
        self.copied()

    def copied(self) -> None:
        assert self.env is not None
        if self.is_force:
            self._force = self.env.batch.xfrc_applied[:, self._at, :3]
        else:
            self._velocity = self.env.batch.qvel[:, self._at : self._at + 3]

    def start(self, which: np.ndarray, draws: Draws) -> None:
        self._streams.start(which, draws)
        self._wait[which] = self._steps(which, self._every)
        self._left[which] = 0
        self.count[which] = 0

    def act(self, actions: np.ndarray, live: np.ndarray | None) -> np.ndarray:
        ids = np.arange(len(actions)) if live is None else live
        if self.is_force:
            self._left[ids] -= 1
            self._force[ids[self._left[ids] == 0]] = 0.0
        self._wait[ids] -= 1
        due = ids[self._wait[ids] < 0]
        if len(due):
            self._push(due)
        return actions

    def _push(self, ids: np.ndarray) -> None:
        arrow = self._arrows(ids)
        if self.is_force:
            self._force[ids] = arrow
            self._left[ids] = self._steps(ids, self._duration)
        else:
            self._velocity[ids] += arrow
        self._wait[ids] = self._steps(ids, self._every)
        self.count[ids] += 1

    def _arrows(self, ids: np.ndarray) -> np.ndarray:
        """(n, 3) of random directions and sizes."""
        u = self._streams.uniform(ids, 3)
        low, high = self._size
        size, angle = low + (high - low) * u[:, 0], 2.0 * np.pi * u[:, 1]
        z = 2.0 * u[:, 2] - 1.0 if self._space else np.zeros(len(ids))  # uniform on a sphere
        flat = np.sqrt(1.0 - z * z)
        return size[:, None] * np.stack([flat * np.cos(angle), flat * np.sin(angle), z], axis=1)

    def _steps(self, ids: np.ndarray, seconds: tuple[float, float]) -> np.ndarray:
        """Environment steps that take so long, at least one."""
        low, high = seconds
        time = low + (high - low) * self._streams.uniform(ids, 1)[:, 0]
        return np.maximum(1, np.rint(time / self._dt).astype(np.int64))


def _claim(env: "VectorEnv", push: Push, body: int) -> None:
    """Two that write the force on one body would undo each other's."""
    others = [x for x in env.options if isinstance(x, Push) and x.is_force and x is not push]
    if body in (number_of(env.model.mj, "body", other.body) for other in others):
        raise ValueError(f"two options push body {push.body!r} with forces: leave one")
