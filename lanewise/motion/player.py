"""A clip in the viewer: the first world is the clip, the second the model under its own physics.

The viewer lets a controller take steps itself. This one puts the first world where the clip is at
its time, and steps the others: ghosts of the model that begin where the clip does and fall, or
follow it if their actuators hold positions.
"""

from typing import Any

import numpy as np

from ..mjconst import BIAS_AFFINE, GAIN_FIXED, TRN_JOINT
from ..public import Batch
from .clip import Clip
from .tracking import Tracker


class Player:
    """What lanewise.view takes as control=; `batch` has its worlds.

    clip is tracked by `tracker`, which has the distance of each ghost from it.
    """

    def __init__(self, clip: Clip, m: Any, ghosts: int = 1, loop: bool = True):
        self.batch = Batch(m, 1 + ghosts)
        self.tracker = Tracker(clip, self.batch, loop=loop)
        self.tracker.reset()
        self._servos = _servos(self.tracker.robot.model)

    def advance(self, batch: Any, nstep: int) -> None:
        """The clip moves by the time of so many steps, ghosts take them."""
        if batch.nsim > 1:
            actuators, places = self._servos
            if len(actuators):
                goal = self.tracker.reference().qpos
                batch.ctrl[1:, actuators] = goal[1:, places]
            batch.step(nstep=nstep, ids=np.arange(1, batch.nsim))
        batch.time[0] += nstep * float(self.tracker.robot.model.opt.timestep)
        self.tracker.reset(ids=[0])

    def __call__(self, batch: Any) -> None:
        """Nothing: `advance` does it."""


def _servos(m: Any) -> tuple[np.ndarray, np.ndarray]:
    """Actuators that hold a joint's position, and the places of these joints in qpos."""
    holds = (m.actuator_trntype == TRN_JOINT) & (m.actuator_gaintype == GAIN_FIXED)
    holds &= (m.actuator_biastype == BIAS_AFFINE) & (m.actuator_biasprm[:, 1] < 0.0)
    found = np.flatnonzero(holds)
    return found, m.jnt_qposadr[m.actuator_trnid[found, 0]]
