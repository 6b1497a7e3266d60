"""Vectors, quaternions, twists and wrenches by components, and the rules for changing their point.

Quaternions here are (w, x, y, z), Hamilton's, active: rotate(q_WB, v_B) = v_W.

The velocity of a rigid body at another point, and a wrench about another point, with r from the old
point to the new one:

    v_new = v + w x r            tau_new = tau - r x f

so that the power f . v + tau . w is the same at every point. (A document of one engine prints
tau + r x f for the second. That is the wrench for r from the new point to the old one.)
"""

from typing import Any

from .arrays import (
    Components,
    as_array,
    check_finite,
    check_last,
    check_rotation,
    choice,
    join,
    namespace,
    split,
)

ORDERS = ("linear_first", "angular_first")
WRENCH_ORDERS = ("force_first", "torque_first")


def add(a: Components, b: Components) -> Components:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def sub(a: Components, b: Components) -> Components:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def scale(a: Components, s: Any) -> Components:
    return tuple(x * s for x in a)


def dot(a: Components, b: Components) -> Any:
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def cross(a: Components, b: Components) -> Components:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def conjugate(q: Components) -> Components:
    return (q[0], -q[1], -q[2], -q[3])


def multiply(a: Components, b: Components) -> Components:
    """Quaternion product a b: first b, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def rotate(q: Components, v: Components) -> Components:
    """R v. The length of q does not count, so that round-off in it does not stretch v."""
    u = q[1:]
    t = scale(cross(u, v), 2.0 / dot(q, q))
    return add(v, add(scale(t, q[0]), cross(u, t)))


def unrotate(q: Components, v: Components) -> Components:
    """R' v"""
    return rotate(conjugate(q), v)


# ---- of arrays


def _six(x: Any, order: str, orders: tuple[str, str], name: str) -> tuple[Components, Components]:
    """(linear, angular) components of 6-vectors in the given order."""
    x = as_array(x, name)
    check_last(x, 6, name)
    check_finite(x, name)
    parts = split(x)
    if choice(order, orders, "order") == orders[0]:
        return parts[:3], parts[3:]
    return parts[3:], parts[:3]


def _three(x: Any, name: str, like: Any) -> Components:
    x = as_array(x, name, like=like)
    check_last(x, 3, name)
    check_finite(x, name)
    return split(x)


def shift_twist(twist: Any, r: Any, order: str) -> Any:
    """The twist at the point that is r away from the one it is given at.

    `r` goes from the old point to the new one and has the axes of the twist. `order` is
    "linear_first" or "angular_first", of what is given and of what is returned.
    """
    v, w = _six(twist, order, ORDERS, "twist")
    v = add(v, cross(w, _three(r, "r", twist)))
    return join((*v, *w) if order == ORDERS[0] else (*w, *v))


def shift_wrench(wrench: Any, r: Any, order: str) -> Any:
    """The wrench about the point that is r away from the one it is given about.

    `r` goes from the old point to the new one and has the axes of the wrench. `order` is
    "force_first" or "torque_first".
    """
    f, t = _six(wrench, order, WRENCH_ORDERS, "wrench")
    t = sub(t, cross(_three(r, "r", wrench), f))
    return join((*f, *t) if order == WRENCH_ORDERS[0] else (*t, *f))


def adjoint(R: Any, p: Any, order: str) -> Any:
    """The 6x6 matrix that takes twists in frame B to twists in frame A, from R_AB and p_AB.

    Both twists have their own frame's axes, and its origin for their point. For angular_first it is
    [[R, 0], [skew(p) R, R]]. Wrenches go the other way with its transpose: F_B = adjoint' F_A.
    """
    R, p = as_array(R, "R"), as_array(p, "p", like=R)
    check_last(R, (3, 3), "R")
    check_rotation(R, "R")
    check_last(p, 3, "p")
    check_finite(p, "p")
    columns = [tuple(R[..., i, k] for i in range(3)) for k in range(3)]
    moved = [cross(split(p), column) for column in columns]  # skew(p) R, by columns
    zero = (columns[0][0] * 0.0,) * 3
    if choice(order, ORDERS, "order") == ORDERS[1]:
        left = [(*R_k, *pR_k) for R_k, pR_k in zip(columns, moved)]
        right = [(*zero, *R_k) for R_k in columns]
    else:
        left = [(*R_k, *zero) for R_k in columns]
        right = [(*pR_k, *R_k) for R_k, pR_k in zip(columns, moved)]
    rows = [join(row) for row in zip(*left, *right)]
    return namespace(*rows).stack(rows, -2)
