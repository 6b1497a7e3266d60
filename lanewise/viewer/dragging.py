"""A hand that holds a point of a body: a spring with a damper, felt by one world only.

    f = k (goal - p) - c v                                                                      (1)

p is the place of a point P that is fixed in the body, v its velocity. The force goes to
xfrc_applied, with its torque about the centre of mass, and stays for a time h, some steps. A stiff
spring that is held for a time shakes; so (1) is taken at the end of that time. A force at P changes
v by A = J inverse(M) J'; with what moves on its own left aside,

    v' = v + h A f,    p' = p + h v',    f = k (goal - p') - c v'

    (1 + (c h + k h^2) A) f = k (goal - p) - (c + k h) v                                        (2)

which is stable for any k. k follows from two masses: the one that P seems to have, and that of the
whole tree, which has to be lifted. Their geometric mean gives a spring that moves a hand without
tearing it off, and lifts what hangs on it.

A mocap body feels no force: it is put where the hand wants it.
"""

from typing import Any

import numpy as np

from ..data import Data
from ..functions import STAGE_FUNCTIONS, full_m
from ..jacobians import jac
from ..model import Model

STIFFNESS = 300.0  # [1/s^2]: per unit of mass
HELD = 0.004  # seconds for which the force may stay the same
STAGES = ("kinematics", "com_pos", "crb")  # what places, Jacobians and inertia need


class Hand:
    """Holds `point`, given in the axes of a body [m], of one world of a Batch."""

    def __init__(
        self, batch: Any, model: Model, world: int, body: int, point: Any, strength: float = 1.0
    ):
        self.world, self.body = int(world), int(body)
        self.point = np.array(point, float)
        self._batch, self._model, self._data = batch, model, Data(model)
        self._before = batch.xfrc_applied[self.world, self.body].copy()
        self._mocap = int(model.body_mocapid[self.body])
        self.goal = self.place()
        self.force = np.zeros(3)
        if self._mocap < 0:
            whole = float(model.body_subtreemass[model.body_rootid[self.body]])
            _, softness = self._point(self.goal)
            seems = 3.0 / max(float(np.trace(softness)), 3.0 / max(whole, 1e-12))
            self._k = strength * STIFFNESS * float(np.sqrt(seems * max(whole, seems)))
            self._c = 2.0 * float(np.sqrt(self._k * seems))

    def place(self) -> np.ndarray:
        """Where the point is in its world now, p_WP (3,) [m]."""
        b, d = self._batch, self._data
        d.qpos[:], d.qvel[:] = b.qpos[self.world], b.qvel[self.world]
        if self._model.nmocap:
            d.mocap_pos[:], d.mocap_quat[:] = b.mocap_pos[self.world], b.mocap_quat[self.world]
        for stage in STAGES:
            STAGE_FUNCTIONS[stage](self._model, d)
        return d.xpos[self.body] + d.xmat[self.body].reshape(3, 3) @ self.point

    def pull(self, seconds: float) -> None:
        """Set the force for the state that the world has now, and for so long."""
        p_WP = self.place()
        if self._mocap >= 0:
            self._batch.mocap_pos[self.world, self._mocap] += self.goal - p_WP
            return
        v_WP, softness = self._point(p_WP)
        k, c, h = self._k, self._c, seconds
        left = np.eye(3) + (c * h + k * h * h) * softness  # (2)
        self.force = np.linalg.solve(left, k * (self.goal - p_WP) - (c + k * h) * v_WP)
        torque = np.cross(p_WP - self._data.xipos[self.body], self.force)
        wrench = np.concatenate((self.force, torque))
        self._batch.xfrc_applied[self.world, self.body] = self._before + wrench

    def release(self) -> None:
        """Let go: what was applied before is applied again."""
        self._batch.xfrc_applied[self.world, self.body] = self._before

    def _point(self, p_WP: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Velocity (3,) [m/s] of the point, and J inverse(M) J' (3, 3) [1/kg]."""
        m, d = self._model, self._data
        J, _ = jac(m, d, p_WP, self.body)
        return J @ d.qvel, J @ np.linalg.solve(full_m(m, d), J.T)
