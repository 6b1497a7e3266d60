"""Jacobians in all worlds of a Batch."""

from typing import Any

import numpy as np

from ..asking import Places
from ..engine.calls.jacobian import AXIS, MOMENTUM, POINT, RATE, SUBTREE
from ..jacobians import Jacobians, Two
from .base import BatchBase


class BatchJacobians(BatchBase):
    """The part of a Batch that has Jacobians.

    All are for the present state of each world, in the axes of the world frame, and leave state and
    outputs as they are. A column is a velocity for each unit of one number of qvel.
    """

    def jac(self, body: Any, point: Any, ids: Any = None) -> Two:
        """(jacp, jacr) of a point that is fixed to a body, (n, 3, nv) each: velocity of the point
        and angular velocity of the body, in the world's axes, for each unit of a number of qvel.

        body is one, by name or number, or one for each world of the call; point [m], (3,) or
        (n, 3), is given in the world frame. Points (n, k, 3), or (1, k, 3) for all worlds, give
        (n, k, 3, nv); body is one then, or (k,) or (n, k) of them. State and outputs are untouched.
        """
        return self._points(POINT, body, ids, point=point)

    def jac_body(self, body: Any, ids: Any = None) -> Two:
        """(jacp, jacr) of a body's frame, (n, 3, nv) each: velocity of its origin, xpos, and
        angular velocity, in the world's axes, for each unit of a number of qvel.

        body: by name or number; a sequence of k gives (n, k, 3, nv). For the present qpos of each
        world; state and outputs are untouched.
        """
        return self._objects("xbody", body, ids)

    def jac_body_com(self, body: Any, ids: Any = None) -> Two:
        """(jacp, jacr) of a body's centre of mass, (n, 3, nv) each: velocity of xipos and angular
        velocity, in the world's axes, for each unit of a number of qvel.

        body: by name or number; a sequence of k gives (n, k, 3, nv). For the present qpos of each
        world; state and outputs are untouched.
        """
        return self._objects("body", body, ids)

    def jac_geom(self, geom: Any, ids: Any = None) -> Two:
        """(jacp, jacr) of a geom, (n, 3, nv) each: velocity of its centre, geom_xpos, and angular
        velocity, in the world's axes, for each unit of a number of qvel.

        geom: by name or number; a sequence of k gives (n, k, 3, nv). For the present qpos of each
        world; state and outputs are untouched.
        """
        return self._objects("geom", geom, ids)

    def jac_site(self, site: Any, ids: Any = None) -> Two:
        """(jacp, jacr) of a site, (n, 3, nv) each: velocity of site_xpos and angular velocity, in
        the world's axes, for each unit of a number of qvel.

        site: by name or number; a sequence of k gives (n, k, 3, nv). For the present qpos of each
        world; state and outputs are untouched.
        """
        return self._objects("site", site, ids)

    def jac_subtree_com(self, body: Any, ids: Any = None) -> np.ndarray:
        """jacp (n, 3, nv) of the centre of mass of a body and all below it, subtree_com: its
        velocity in the world's axes, for each unit of a number of qvel; NaN if they have no mass.

        body: by name or number; a sequence of k gives (n, k, 3, nv). For the present qpos of each
        world; state and outputs are untouched.
        """
        return self._subtrees(SUBTREE, body, ids)

    def angmom_mat(self, body: Any, ids: Any = None) -> np.ndarray:
        """The matrix (n, 3, nv) that qvel is multiplied by to give the angular momentum [Nms] of a
        body and all below it, about their centre of mass, in the world's axes.

        body: by name or number; a sequence of k gives (n, k, 3, nv). For the present qpos of each
        world; state and outputs are untouched.
        """
        return self._subtrees(MOMENTUM, body, ids)

    def jac_point_axis(self, body: Any, point: Any, axis: Any, ids: Any = None) -> Two:
        """(jac_point, jac_axis) of a point and of an axis that are fixed to a body, (n, 3, nv)
        each: velocity of the point, and d(axis)/dt, for each unit of a number of qvel.

        body and point are as in `jac`; axis is (3,), (n, 3), or there are as many as points, in the
        world's axes. For the present qpos of each world; state and outputs are untouched.
        """
        return self._points(AXIS, body, ids, point=point, axis=axis)

    def jac_dot(self, body: Any, point: Any, ids: Any = None) -> Two:
        """(d jacp/dt, d jacr/dt) of a point that is fixed to a body and moves with qvel, (n, 3, nv)
        each: times qvel, what jacp qacc and jacr qacc lack to be accelerations.

        body and point are as in `jac`. For the present qpos and qvel of each world; state and
        outputs are untouched.
        """
        return self._points(RATE, body, ids, point=point)

    def _points(self, what: int, body: Any, ids: Any, **given: Any) -> Two:
        ids, n = self._chosen(ids)
        j = Jacobians.of_points(Places.of_batch(n), self._model, what, body, **given)
        return self._both(j, ids)

    def _objects(self, word: str, keys: Any, ids: Any) -> Two:
        ids, n = self._chosen(ids)
        return self._both(Jacobians.of_objects(Places.of_batch(n), self._model, word, keys), ids)

    def _both(self, j: Jacobians, ids: np.ndarray | None) -> Two:
        self._runner.call("jacobian", j.record, ids, fields=j.fields)
        return j.first, j.second

    def _subtrees(self, what: int, body: Any, ids: Any) -> np.ndarray:
        ids, n = self._chosen(ids)
        j = Jacobians.of_subtrees(Places.of_batch(n), self._model, what, body)
        self._runner.call("jacobian", j.record, ids)
        return j.first
