"""The samples: worlds that try candidates from one state, all in one rollout.

Controls are written out, (samples, steps, nu), for `Batch.rollout`. Knots as parameters of a
control kernel, which would evaluate the spline inside of the step, save a sixth of the time of a
cartpole and nothing of a humanoid's, and would not do for Runge-Kutta.
"""

from typing import Any

import numpy as np

from ..public import Batch
from .costs import CostError
from .task import Task

# what a plan starts from; controls and applied forces, such as those of a hand that pushes, are not
# foreseen to last
START = (
    "fullphysics", "mocap_pos", "mocap_quat", "userdata", "eq_active", "qacc_warmstart",
)  # fmt: skip


class Trials:
    """n worlds of a task's model, with the timestep of its plans."""

    def __init__(self, task: Task, n: int, nthread: int = 0):
        self.task = task
        self.batch = Batch(task.model, n, nthread)
        self.batch.model.opt.timestep = task.timestep
        self._rest = self.batch.state[0].copy()
        self._buffers: dict[Any, np.ndarray] = {}

    @property
    def nthread(self) -> int:
        return self.batch.nthread

    def costs(self, state: np.ndarray, controls: np.ndarray, times: np.ndarray) -> np.ndarray:
        """(samples,) of controls (samples, steps, nu), from the state (nstate,) on; infinite where
        a world diverged, which stops it and disturbs no other."""
        batch, cost = self.batch, self.task.cost
        batch.state[:] = self._rest
        batch.set_state(state, START)
        batch.warning[:] = 0
        found = batch.rollout(
            controls.shape[1], controls, record=cost.records, out=self._buffers or None
        )
        self._buffers = found
        diverged = batch.warning[..., 1].any(axis=1)
        costs = cost.of(found, controls, times)
        wrong = np.isnan(costs) & ~diverged
        if wrong.any():
            raise CostError(
                f"the cost of {int(wrong.sum())} of {len(costs)} samples is NaN, though their"
                f" worlds did not diverge; sample {int(np.argmax(wrong))} is the first"
            )
        return np.where(diverged, np.inf, costs)
