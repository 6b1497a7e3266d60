"""Motions of objects, frames in bodies and forces on bodies, in all worlds of a Batch."""

from typing import Any

import numpy as np

from ..asking import Places
from ..motions import Motions, Placed, Push
from .base import BatchBase


class BatchMotions(BatchBase):
    """The part of a Batch that has motions and frames."""

    def object_velocity(
        self, kind: Any, id: Any, local: bool = False, ids: Any = None
    ) -> np.ndarray:
        """Velocity (n, 6) of an object in each world, as `lanewise.object_velocity`: angular
        [rad/s], then linear [m/s] of its origin.

        kind: "body" (the inertial frame, at the centre of mass), "xbody" (the body's own frame),
        "geom", "site", "camera", or one of mjtObj; id: name or number, a sequence of k gives
        (n, k, 6). In the axes of the world, or with local=True in the object's own. For the present
        qpos and qvel of each world; state and outputs are untouched.
        """
        return self._motions(kind, id, local, ids, accelerate=False)

    def object_acceleration(
        self, kind: Any, id: Any, local: bool = False, ids: Any = None
    ) -> np.ndarray:
        """Acceleration (n, 6) of an object in each world, as `lanewise.object_acceleration`:
        angular [rad/s^2], then linear [m/s^2] of its origin. Arguments as in `object_velocity`.

        It is what an accelerometer there feels: gravity counts as an acceleration upwards. The
        forward dynamics of the present state are computed for it, with controls, applied forces and
        constraints; state and outputs are untouched.
        """
        return self._motions(kind, id, local, ids, accelerate=True)

    def local_to_global(
        self, pos: Any, quat: Any, body: Any, sameframe: Any = 0, ids: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(xpos (n, 3) [m], xmat (n, 9)) in the world of a frame that is fixed in a body, as
        `lanewise.local_to_global`.

        pos and quat, in the body's frame, are (3,) and (4,), or have a row for each world; body is
        one or (n,). (1, k, 3) or (n, k, 3) are k frames of each world, and give (n, k, 3) and
        (n, k, 9). For the present qpos; state and outputs are untouched.
        """
        ids, n = self._chosen(ids)
        placed = Placed(Places.of_batch(n), self._model, pos, quat, body, sameframe)
        self._runner.call("place", placed.record, ids)
        return placed.xpos, placed.xmat

    def apply_ft(
        self, force: Any, torque: Any, point: Any, body: Any, ids: Any = None
    ) -> np.ndarray:
        """The generalized force (n, nv) of a force [N] at a point [m] of a body, and of a torque
        [Nm] on it, all in the world frame, as `lanewise.apply_ft`: to be added to `qfrc_applied`.

        force, torque and point are (3,), or (n, 3); body is one or (n,). (1, k, 3) or (n, k, 3) are
        k forces in each world, which add up. For the present qpos; state and outputs are untouched.
        """
        ids, n = self._chosen(ids)
        push = Push(Places.of_batch(n), self._model, force, torque, point, body)
        self._runner.call("push", push.record, ids)
        return push.qfrc

    def _motions(self, kind: Any, keys: Any, local: Any, ids: Any, accelerate: bool) -> np.ndarray:
        ids, n = self._chosen(ids)
        motions = Motions(Places.of_batch(n), self._model, kind, keys, local, accelerate)
        motions.record.set(results=self._runner.outputs.fill({}, None))
        self._runner.call("motion", motions.record, ids, fields=motions.fields)
        return motions.values
