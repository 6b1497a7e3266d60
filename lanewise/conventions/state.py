"""States and wrenches of a free body, from the layout of one system to that of another.

Every conversion goes by one reference meaning, named in monogram notation: p_WBo_W, the origin of
the body frame; q_WB, active, of the body axes; v_WBo_W and w_WB_W, in world axes and radians; and
for wrenches f_W and t_Bo_W. So a system is two steps, there and back, and no pair of systems has
code of its own.

World axes stay what they are: a y-up scene stays y-up (see convert_up_axis). Lengths stay in the
unit that they are in.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from ..errors import ConventionError
from .arrays import Components, as_array, check_finite, check_last, check_unit
from .blocks import blockwise
from .body import Body
from .spatial import add, conjugate, cross, multiply, rotate, scale, sub, unrotate
from .systems import System, system

DEGREE = pi / 180.0


# ---- public


def convert_free_state(
    q: Any, v: Any, source: str | System, target: str | System, *, body: Body | None = None,
    out: tuple[np.ndarray, np.ndarray | None] | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Pose q (..., 7) and velocity v (..., 6) of free bodies, from one system's layout to another.

    `v` may be None. `body` is needed where the systems mean different points or axes. `out` are
    arrays of NumPy to write into; they may be q and v themselves.
    """
    a, b = system(source), system(target)
    body = _needed_body(a, b, body, v is not None)
    q = _checked_pose(q, a, "q")
    arrays = [q]
    if v is not None:
        v = as_array(v, "v", like=q)
        check_last(v, 6, "v", f"the velocity of a free body of {a.name}")
        check_finite(v, "v")
        arrays.append(v)

    def convert(q: Components, v: Components | None = None) -> list[Components]:
        if _pose_meaning(a) == _pose_meaning(b):  # a layout is changed without round-off
            done = [_lay_pose(*_take_pose(q, a), b)]
        else:
            done = [pose_from_reference(*pose_to_reference(q, a, body), b, body)]
        if v is not None and _dual_meaning(a) == _dual_meaning(b):
            done.append(_lay_twist(*_take_twist(v, a), b))
        elif v is not None:
            pose = pose_to_reference(q, a, body)
            motion = twist_to_reference(v, *pose, a, body)
            done.append(twist_from_reference(*motion, *pose, b, body))
        return done

    made = blockwise(convert, arrays, (7, 6)[: len(arrays)], out, body.com)
    return made[0], made[1] if v is not None else None


def convert_wrench(
    wrench: Any, source: str | System, target: str | System, *, pose: Any = None,
    pose_system: str | System | None = None, body: Body | None = None,
    out: np.ndarray | None = None,
) -> Any:  # fmt: skip
    """Wrenches (..., 6) on a body, from one system's meaning to another's.

    `pose` (..., 7) is in the layout of the target, or of `pose_system`. It may be left out if no
    axes or points change that depend on it.
    """
    return _convert_force(WRENCH, wrench, system(source), system(target), pose, pose_system,
                          body, out)  # fmt: skip


def convert_free_force(
    force: Any, source: str | System, target: str | System, *, pose: Any = None,
    pose_system: str | System | None = None, body: Body | None = None,
    out: np.ndarray | None = None,
) -> Any:  # fmt: skip
    """Generalized forces (..., 6) of a free joint: what does work on the system's own velocities.

    In MuJoCo this is qfrc_applied, force in world axes and torque in body axes about the origin;
    xfrc_applied is a wrench.
    """
    return _convert_force(DUAL, force, system(source), system(target), pose, pose_system,
                          body, out)  # fmt: skip


def _convert_force(
    kind: "Force", F: Any, a: System, b: System, pose: Any, pose_system: str | System | None,
    body: Body | None, out: np.ndarray | None,
) -> Any:  # fmt: skip
    F = as_array(F, "wrench")
    check_last(F, 6, "wrench")
    check_finite(F, "wrench")
    mine, other = kind.meaning(a), kind.meaning(b)
    c, arrays = b, [F]
    if pose is not None:
        c = b if pose_system is None else system(pose_system)
        arrays.append(_checked_pose(pose, c, "pose", like=F))
    elif mine != other:
        raise ConventionError(
            f"{a.name} and {b.name} mean wrenches about other points or in other axes"
            f" ({' '.join(mine)} and {' '.join(other)}): give the pose of the body, in the layout"
            f" of {b.name} or with pose_system="
        )
    points = {mine[0], other[0]}
    about_com = len(points) > 1 and ("com" in points or c.pose_point == "com")
    body = _known_body(body, about_com, pose is not None and c.pose_axes == "principal", (a, b, c))
    still = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))

    def convert(F: Components, q: Components | None = None) -> list[Components]:
        p_q = still if q is None else pose_to_reference(q, c, body)
        return [kind.back(*kind.there(F, *p_q, a, body), *p_q, b, body)]

    return blockwise(convert, arrays, (6,), None if out is None else (out,), body.com)[0]


# ---- one system to the reference, and back


def _take_pose(q: Components, row: System) -> tuple[Components, Components]:
    """(position, quaternion w x y z) of a pose in the layout of a row"""
    p, q = (q[:3], q[3:]) if row.pose_layout == "position_first" else (q[4:], q[:4])
    return p, q if row.quaternion == "wxyz" else (q[3], q[0], q[1], q[2])


def _lay_pose(p: Components, q: Components, row: System) -> Components:
    q = q if row.quaternion == "wxyz" else (q[1], q[2], q[3], q[0])
    return (*p, *q) if row.pose_layout == "position_first" else (*q, *p)


def _take_twist(V: Components, row: System) -> tuple[Components, Components]:
    """(linear, angular in radians) of a twist in the layout of a row"""
    v, w = (V[:3], V[3:]) if row.order == "linear_first" else (V[3:], V[:3])
    return v, scale(w, DEGREE) if row.angular_unit == "deg" else w


def _lay_twist(v: Components, w: Components, row: System) -> Components:
    w = scale(w, 1.0 / DEGREE) if row.angular_unit == "deg" else w
    return (*v, *w) if row.order == "linear_first" else (*w, *v)


def _pose_meaning(row: System) -> tuple[str, ...]:
    return row.pose_point, row.pose_axes, row.rotation


def pose_to_reference(q: Components, row: System, body: Body) -> tuple[Components, Components]:
    """(p_WBo, q_WB)"""
    p, q = _take_pose(q, row)
    if row.rotation == "passive":
        q = conjugate(q)
    if row.pose_axes == "principal":
        q = multiply(q, conjugate(body.q_BI()))
    if row.pose_point == "com":
        p = sub(p, rotate(q, body.p_BoBcm()))
    return p, q


def pose_from_reference(p: Components, q: Components, row: System, body: Body) -> Components:
    if row.pose_point == "com":
        p = add(p, rotate(q, body.p_BoBcm()))
    if row.pose_axes == "principal":
        q = multiply(q, body.q_BI())
    if row.rotation == "passive":
        q = conjugate(q)
    return _lay_pose(p, q, row)


def twist_to_reference(
    V: Components, p: Components, q: Components, row: System, body: Body
) -> tuple[Components, Components]:
    """(v_WBo_W, w_WB_W)"""
    v, w = _take_twist(V, row)
    w = rotate(q, w) if row.angular_basis == "body" else w
    v = rotate(q, v) if row.linear_basis == "body" else v
    return sub(v, _moving(w, p, q, row.velocity_point, body)), w


def twist_from_reference(
    v: Components, w: Components, p: Components, q: Components, row: System, body: Body
) -> Components:
    v = add(v, _moving(w, p, q, row.velocity_point, body))
    v = unrotate(q, v) if row.linear_basis == "body" else v
    w = unrotate(q, w) if row.angular_basis == "body" else w
    return _lay_twist(v, w, row)


def _moving(w: Components, p: Components, q: Components, point: str, body: Body) -> Components:
    """w x r, with r from the origin of the body to a point"""
    if point == "origin":
        return (0.0, 0.0, 0.0)
    return cross(w, _arm(p, q, point, body))


def _arm(p: Components, q: Components, point: str, body: Body) -> Components:
    """From the origin of the body to a point, in world axes."""
    if point == "com":
        return rotate(q, body.p_BoBcm())
    return scale(p, -1.0) if point == "world_origin" else (0.0, 0.0, 0.0)


def _wrench_meaning(row: System) -> tuple[str, ...]:
    return row.wrench_point, row.wrench_basis


def _wrench_to_reference(
    F: Components, p: Components, q: Components, row: System, body: Body
) -> tuple[Components, Components]:
    """(f_W, t_Bo_W)"""
    f, t = (F[:3], F[3:]) if row.wrench_order == "force_first" else (F[3:], F[:3])
    if row.wrench_basis == "body":
        f, t = rotate(q, f), rotate(q, t)
    return f, add(t, cross(_arm(p, q, row.wrench_point, body), f))


def _wrench_from_reference(
    f: Components, t: Components, p: Components, q: Components, row: System, body: Body
) -> Components:
    t = sub(t, cross(_arm(p, q, row.wrench_point, body), f))
    if row.wrench_basis == "body":
        f, t = unrotate(q, f), unrotate(q, t)
    return (*f, *t) if row.wrench_order == "force_first" else (*t, *f)


def _dual_meaning(row: System) -> tuple[str, ...]:
    return row.velocity_point, row.linear_basis, row.angular_basis


def _dual_to_reference(
    F: Components, p: Components, q: Components, row: System, body: Body
) -> tuple[Components, Components]:
    """(f_W, t_Bo_W) of the forces that do work on a twist of the row"""
    f, t = (F[:3], F[3:]) if row.order == "linear_first" else (F[3:], F[:3])
    if row.angular_unit == "deg":
        t = scale(t, 1.0 / DEGREE)
    f = rotate(q, f) if row.linear_basis == "body" else f
    t = rotate(q, t) if row.angular_basis == "body" else t
    return f, add(t, cross(_arm(p, q, row.velocity_point, body), f))


def _dual_from_reference(
    f: Components, t: Components, p: Components, q: Components, row: System, body: Body
) -> Components:
    t = sub(t, cross(_arm(p, q, row.velocity_point, body), f))
    f = unrotate(q, f) if row.linear_basis == "body" else f
    t = unrotate(q, t) if row.angular_basis == "body" else t
    if row.angular_unit == "deg":
        t = scale(t, DEGREE)
    return (*f, *t) if row.order == "linear_first" else (*t, *f)


@dataclass(frozen=True)
class Force:
    """A kind of force: its steps to the reference and back, and the columns that they depend on."""

    there: Callable[..., tuple[Components, Components]]
    back: Callable[..., Components]
    meaning: Callable[[System], tuple[str, ...]]


WRENCH = Force(_wrench_to_reference, _wrench_from_reference, _wrench_meaning)
DUAL = Force(_dual_to_reference, _dual_from_reference, _dual_meaning)


# ---- what is needed


def _checked_pose(q: Any, row: System, name: str, like: Any = None) -> Any:
    q = as_array(q, name, like=like)
    check_last(q, 7, name, f"a pose of {row.name}: " + pose_text(row))
    check_finite(q, name)
    check_unit(q[..., 3:] if row.pose_layout == "position_first" else q[..., :4],
               f"the quaternion of {name}")  # fmt: skip
    return q


def pose_text(row: System) -> str:
    """The layout of a pose in words, [x y z qw qx qy qz]."""
    quaternion = " ".join(f"q{c}" for c in row.quaternion)
    first = row.pose_layout == "position_first"
    return f"[x y z {quaternion}]" if first else f"[{quaternion} x y z]"


def _needed_body(a: System, b: System, body: Body | None, moves: bool) -> Body:
    com = a.pose_point != b.pose_point
    if moves:
        points = {a.velocity_point, b.velocity_point}
        com = com or (len(points) > 1 and ("com" in points or a.pose_point == "com"))
    axes = a.pose_axes != b.pose_axes
    if a.pose_axes == "principal":  # of both: arms and bases are the body's all the same
        bases = (a.linear_basis, a.angular_basis) != (b.linear_basis, b.angular_basis)
        axes = axes or com or (moves and bases)
    return _known_body(body, com, axes, (a, b))


def _known_body(body: Body | None, com: bool, axes: bool, rows: tuple[System, ...]) -> Body:
    names = " and ".join(dict.fromkeys(row.name for row in rows))
    if body is not None and not isinstance(body, Body):
        raise ConventionError(f"body must be a Body, as in Body(com=(0, 0, 0.1)); got {body!r}")
    if com and (body is None or body.com is None):
        raise ConventionError(
            f"between {names}, points change between the body's origin and its centre of mass:"
            " give body=Body(com=...), the centre of mass in the body frame (zeros if it is there)"
        )
    if axes and (body is None or (body.inertia is None and body.principal is None)):
        raise ConventionError(
            f"between {names}, orientations change between the body's axes and its principal axes:"
            " give body=Body(com=..., inertia=...) or principal="
        )
    if body is None or body.com is None:
        return Body(com=np.zeros(3), inertia=None if body is None else body.inertia,
                    principal=np.eye(3) if body is None else body.principal)  # fmt: skip
    return body
