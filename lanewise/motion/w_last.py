"""SONIC's rotation helpers by their names, with the flag w_last that says the order.

There the flag has no default on some functions and defaults to True or to False on others; here it
must always be said. w_last=True is xyzw, False is wxyz.
"""

from typing import Any

import numpy as np

from ..conventions.rotations import w_last as order_of
from ..frames import axis_angle_to_quat, mul_quat, neg_quat, rot_vec_quat
from .decisions import to_wxyz


def quat_rotate(q: Any, v: Any, *, w_last: bool) -> np.ndarray:
    """v (..., 3) turned by q (..., 4)."""
    return rot_vec_quat(v, _in(q, w_last))


def quat_rotate_inverse(q: Any, v: Any, *, w_last: bool) -> np.ndarray:
    """v (..., 3) turned back by q (..., 4)."""
    return rot_vec_quat(v, neg_quat(_in(q, w_last)))


def quat_mul(a: Any, b: Any, *, w_last: bool) -> np.ndarray:
    """a b (..., 4): the turn by b, then by a."""
    return _out(mul_quat(_in(a, w_last), _in(b, w_last)), w_last)


def quat_conjugate(q: Any, *, w_last: bool) -> np.ndarray:
    """The opposite turn (..., 4)."""
    return _out(neg_quat(_in(q, w_last)), w_last)


def quat_from_angle_axis(angle: Any, axis: Any, *, w_last: bool) -> np.ndarray:
    """The turn by an angle (...) [rad] about an axis (..., 3), which is normalized."""
    axis = np.asarray(axis, float)
    length = np.linalg.norm(axis, axis=-1, keepdims=True)
    return _out(axis_angle_to_quat(axis / length, angle), w_last)


def calc_heading(q: Any, *, w_last: bool) -> np.ndarray:
    """The direction of the x axis in the plane (...) [rad]."""
    x = rot_vec_quat(np.array([1.0, 0.0, 0.0]), _in(q, w_last))
    return np.arctan2(x[..., 1], x[..., 0])


def calc_heading_quat(q: Any, *, w_last: bool) -> np.ndarray:
    """The turn about z (..., 4) that has this heading."""
    heading = calc_heading(q, w_last=w_last)
    return _out(axis_angle_to_quat(np.array([0.0, 0.0, 1.0]), heading), w_last)


def calc_heading_quat_inv(q: Any, *, w_last: bool) -> np.ndarray:
    """The turn about z (..., 4) that takes this heading away."""
    return quat_conjugate(calc_heading_quat(q, w_last=w_last), w_last=w_last)


def _in(q: Any, flag: bool) -> np.ndarray:
    return to_wxyz(np.asarray(q, float), order_of(flag))


def _out(q: np.ndarray, flag: bool) -> np.ndarray:
    return q[..., [1, 2, 3, 0]] if order_of(flag) == "xyzw" else q
