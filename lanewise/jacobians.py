"""Jacobians: how points, axes, centres of mass and angular momenta move by each dof.

The functions here are on a Data, and use what its position stage left there: `lw.fwd_position` or
`lw.forward`, or at least `lw.kinematics` and `lw.com_pos`; for `jac_dot` also `lw.com_vel`. Those
of a Batch have the same names, and compute what it takes for the present state of each world.

Objects are given by name or number, one or a sequence of them. Points, axes and results are in the
axes of the world W. A column of a Jacobian is a velocity for each unit of one number of qvel:
jacp in m/s, jacr in rad/s.
"""

from typing import Any

import numpy as np

from .asking import OBJECTS, Items, Places, ask, objects, vectors
from .data import PLACE
from .engine.calls.jacobian import AXIS, JACOBIAN, MOMENTUM, POINT, RATE, SUBTREE
from .functions import check_arguments
from .lanes.records import Records
from .mjconst import OBJ_UNKNOWN
from .naming import numbers_of

Two = tuple[np.ndarray, np.ndarray]


def jac(m: Any, d: Any, point: Any, body: Any) -> Two:
    """(jacp, jacr) of a point of a body, (3, nv) each: d(v_WP_W)/d(qvel), d(w_WB_W)/d(qvel). mj_jac

    point: (3,) [m], where it is in W now. Points (k, 3) and bodies (k,), or one of either, give
    (k, 3, nv). With several worlds, results have a leading axis of them, point may be (worlds, 3)
    and body (worlds,); (1, k, 3) or (worlds, k, 3) are several points of each.
    """
    check_arguments(m, d)
    return _both(m, d, Jacobians.of_points(Places.of_data(d), m, POINT, body, point=point))


def jac_body(m: Any, d: Any, body: Any) -> Two:
    """(jacp, jacr) of a body's frame, (3, nv) each: velocity of its origin, xpos, and angular
    velocity, in W, for each unit of a number of qvel. mj_jacBody

    body: name or number; a sequence of k gives (k, 3, nv). With several worlds, after an axis of
    them. d has positions.
    """
    return _of_object(m, d, "xbody", body)


def jac_body_com(m: Any, d: Any, body: Any) -> Two:
    """(jacp, jacr) of a body's centre of mass, xipos, (3, nv) each, as `jac_body`. mj_jacBodyCom"""
    return _of_object(m, d, "body", body)


def jac_geom(m: Any, d: Any, geom: Any) -> Two:
    """(jacp, jacr) of a geom's centre, geom_xpos, (3, nv) each: velocity and angular velocity in W,
    for each unit of a number of qvel. mj_jacGeom

    geom: name or number; a sequence of k gives (k, 3, nv). With several worlds, after an axis of
    them. d has positions.
    """
    return _of_object(m, d, "geom", geom)


def jac_site(m: Any, d: Any, site: Any) -> Two:
    """(jacp, jacr) of a site, site_xpos, (3, nv) each: velocity and angular velocity in W, for each
    unit of a number of qvel. mj_jacSite

    site: name or number; a sequence of k gives (k, 3, nv). With several worlds, after an axis of
    them. d has positions.
    """
    return _of_object(m, d, "site", site)


def jac_subtree_com(m: Any, d: Any, body: Any) -> np.ndarray:
    """jacp of the centre of mass of a body and all below it, subtree_com: (3, nv), or (k, 3, nv) of
    a sequence. mj_jacSubtreeCom

    NaN if they have no mass. With several worlds, after an axis of them.
    """
    return _of_subtree(m, d, SUBTREE, body)


def angmom_mat(m: Any, d: Any, body: Any) -> np.ndarray:
    """The matrix (3, nv) that qvel is multiplied by to give the angular momentum [Nms] of a body
    and all below it, about their centre of mass: subtree_angmom. mj_angmomMat

    (k, 3, nv) of a sequence of bodies; with several worlds, after an axis of them.
    """
    return _of_subtree(m, d, MOMENTUM, body)


def jac_point_axis(m: Any, d: Any, point: Any, axis: Any, body: Any) -> Two:
    """(jac_point, jac_axis) of a point of a body, and of an axis that is fixed in it: (3, nv) each.
    mj_jacPointAxis

    axis: (3,) in W now. Its Jacobian is d(axis)/dt for each unit of qvel. Shapes as in `jac`.
    """
    check_arguments(m, d)
    j = Jacobians.of_points(Places.of_data(d), m, AXIS, body, point=point, axis=axis)
    return _both(m, d, j)


def jac_dot(m: Any, d: Any, point: Any, body: Any) -> Two:
    """(d jacp/dt, d jacr/dt), each (3, nv) [1/s], of a point of a body that moves with qvel, as
    `jac`. mj_jacDot

    jac_dot qvel is what jac qacc lacks to be the point's acceleration.
    """
    check_arguments(m, d)
    return _both(m, d, Jacobians.of_points(Places.of_data(d), m, RATE, body, point=point))


def _of_object(m: Any, d: Any, word: str, keys: Any) -> Two:
    check_arguments(m, d)
    return _both(m, d, Jacobians.of_objects(Places.of_data(d), m, word, keys))


def _of_subtree(m: Any, d: Any, what: int, body: Any) -> np.ndarray:
    check_arguments(m, d)
    j = Jacobians.of_subtrees(Places.of_data(d), m, what, body)
    ask(m, d, "jacobian", j.record)
    return j.first


def _both(m: Any, d: Any, j: "Jacobians") -> Two:
    ask(m, d, "jacobian", j.record)
    return j.first, j.second


class Jacobians:
    """Jacobians that are asked for, and room for them; `record` is what the kernel is told, and
    `field` what it reads beside what it computes."""

    def __init__(self, items: Items, m: Any, what: int, kind: int = OBJ_UNKNOWN, field: str = ""):
        first = items.empty(3, m.nv)
        second = None if what in (SUBTREE, MOMENTUM) else items.empty(3, m.nv)
        self.first = items.result(first)
        self.second: Any = None if second is None else items.result(second)
        self.fields = [field] if field else []
        self.record = Records(JACOBIAN)
        self.record.set(
            what=what, kind=kind, input=PLACE["item_numbers"], output=PLACE["dof_rows"],
            first=first, second=second, **items.members,
        )  # fmt: skip

    @classmethod
    def of_points(cls, places: Places, m: Any, what: int, body: Any, **given: Any) -> "Jacobians":
        """Of points, and axes, that are given on bodies."""
        body = numbers_of(m.mj, "body", body)
        items = Items.of_bodies(places, body, **{k: vectors(x, k) for k, x in given.items()})
        return cls(items, m, what)

    @classmethod
    def of_objects(cls, places: Places, m: Any, word: str, keys: Any) -> "Jacobians":
        """Of objects that have a place of their own, by a word of OBJECTS."""
        number, kind, field = OBJECTS[word]
        items = Items.of_objects(places, objects(m, kind, keys))
        return cls(items, m, POINT, number, field)

    @classmethod
    def of_subtrees(cls, places: Places, m: Any, what: int, body: Any) -> "Jacobians":
        """Of what follows from all bodies of a subtree."""
        return cls(Items.of_objects(places, objects(m, "body", body)), m, what)
