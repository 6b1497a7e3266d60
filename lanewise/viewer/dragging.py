"""A hand that holds a point of a body: a spring with a damper, felt by one world only.

    f_W = k (goal - p_WP) - c v_WP_W

It goes to xfrc_applied, with its torque about the centre of mass. P is fixed in the body. k and c
follow from two masses: the mass that the point seems to have (1 / body_invweight0), and that of the
whole tree, which has to be lifted. Their geometric mean gives a spring that moves a hand without
tearing it off, and lifts what hangs on it.

A mocap body feels no force: it is put where the hand wants it.
"""

from typing import Any

import numpy as np

STIFFNESS = 300.0  # [1/s^2]: per unit of mass
HELD = 0.004  # seconds for which the force stays the same
QUICKEST = 0.4  # radians of an oscillation in that time: beyond, a held force would shake


class Hand:
    """Holds `point`, given in the axes of a body [m], of one world of a Batch."""

    def __init__(self, batch: Any, world: int, body: int, point: Any, strength: float = 1.0):
        self.world, self.body = int(world), int(body)
        self.point = np.array(point, float)
        self._batch = batch
        self._before = batch.xfrc_applied[self.world, self.body].copy()
        m = batch.model
        self._mocap = int(m.body_mocapid[self.body])
        whole = float(m.body_subtreemass[m.body_rootid[self.body]])
        weight = float(m.body_invweight0[self.body, 0])
        seems = 1.0 / weight if weight > 0.0 else whole
        quickest = QUICKEST / max(HELD, float(m.opt.timestep))
        self._k = strength * STIFFNESS * float(np.sqrt(seems * max(whole, seems)))
        self._k = min(self._k, seems * quickest**2)
        self._c = 2.0 * float(np.sqrt(self._k * seems))
        self.goal = self.place()
        self.force = np.zeros(3)

    def place(self) -> np.ndarray:
        """Where the point is in its world now, p_WP (3,) [m]."""
        at, _ = self._batch.local_to_global(self.point, [1.0, 0, 0, 0], self.body, ids=[self.world])
        return at[0]

    def pull(self) -> None:
        """Set the force for the state that the world has now."""
        m, ids = self._batch.model, [self.world]
        p_WP = self.place()
        if self._mocap >= 0:
            self._batch.mocap_pos[self.world, self._mocap] += self.goal - p_WP
            return
        com, _ = self._batch.local_to_global(m.body_ipos[self.body], [1.0, 0, 0, 0], self.body,
                                             ids=ids)  # fmt: skip
        r = p_WP - com[0]
        motion = self._batch.object_velocity("body", self.body, ids=ids)[0]  # at the centre of mass
        velocity = motion[3:] + np.cross(motion[:3], r)
        self.force = self._k * (self.goal - p_WP) - self._c * velocity
        force = np.concatenate((self.force, np.cross(r, self.force)))
        self._batch.xfrc_applied[self.world, self.body] = self._before + force

    def release(self) -> None:
        """Let go: what was applied before is applied again."""
        self._batch.xfrc_applied[self.world, self.body] = self._before
