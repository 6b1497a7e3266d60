"""Poses, twists and wrenches that carry their meaning, for who wants mistakes to be impossible.

A value is an array and the words that say what its numbers mean, the words of the columns of a row.
None of the words has a default: give them all, or let `of` take them from a system. Values that
mean different things do not mix. They raise ConventionError, which names the difference and the
method that removes it:

    X_WB = Pose.of("newton", body_q, body=Body(com=(0.0, 0.0, 0.1)))
    V = Twist.of("newton", body_qd)                  # at the centre of mass, in world axes
    F = Wrench(f, order="force_first", point="origin", basis="world")
    power = F @ V.at("origin", pose=X_WB)            # F @ V would raise
    qvel = V.to("mujoco", pose=X_WB)

There are no formulas of twists and wrenches here: a value writes its meaning into a row, and the
functions of state.py convert between rows.
"""

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np

from ..errors import ConventionError
from .arrays import Components, as_array, check_finite, check_last, check_unit, choice, join, split
from .spatial import ORDERS, WRENCH_ORDERS, add, conjugate, dot, multiply, rotate, scale, unrotate
from .state import (
    Body,
    convert_free_state,
    convert_wrench,
    pose_from_reference,
    pose_to_reference,
)
from .systems import ATTRIBUTES, BASES, POINTS, SYSTEMS, UNITS, System, system

WORLD = "world"  # the name of the frame that states of free bodies are in

# values overwrite what they know of it; the rest does not matter to them
_ROW = replace(SYSTEMS["mujoco"], pose_layout="position_first", rotation="active")
_PLAIN: dict[str, Any] = {"pose_point": "origin", "pose_axes": "body"}
_IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
_ZEROS = (0.0,) * 6  # in place of numbers, where the words are checked before anything is computed


@dataclass(frozen=True, eq=False)
class Pose:
    """X_AB, the pose of a frame B in a frame A: active, it takes coordinates in B to those in A.

    position    (..., 3), of the point, in the axes of A [m]
    quaternion  (..., 4), of unit length
    order       of the quaternion: "wxyz" or "xyzw"
    point       "origin" of the frame B, or "com" of the body that B is fixed to
    basis       axes that are turned: "body", those of B, or "principal", those of its inertia
    parent      name of A; "world" for the state of a free body
    child       name of B, or None: such a pose cannot be composed
    body        Body with what a change of point or basis has to know
    """

    position: Any
    quaternion: Any
    _: KW_ONLY
    order: str
    point: str
    basis: str
    parent: str
    child: str | None
    body: Body | None = None

    __array_ufunc__ = None  # arrays of NumPy leave operators to the methods here

    def __post_init__(self) -> None:
        p = as_array(self.position, "position", like=self.quaternion)
        q = as_array(self.quaternion, "quaternion", like=p)
        check_last(p, 3, "position")
        check_last(q, 4, "quaternion")
        check_finite(p, "position")
        check_unit(q, "quaternion")
        object.__setattr__(self, "position", p)
        object.__setattr__(self, "quaternion", q)
        choice(self.order, ATTRIBUTES["quaternion"][0], "order")
        choice(self.point, ATTRIBUTES["pose_point"][0], "point")
        choice(self.basis, ATTRIBUTES["pose_axes"][0], "basis")
        if self.body is not None and not isinstance(self.body, Body):
            raise ConventionError(f"body must be a Body or None; got {self.body!r}")

    @classmethod
    def of(
        cls, source: str | System, q: Any, *, body: Body | None = None, child: str | None = None
    ) -> "Pose":
        """The pose (..., 7) of a free body as a system has it; it keeps the system's meaning."""
        row = system(source)
        active = replace(row, rotation="active", pose_layout="position_first")
        q, _ = convert_free_state(q, None, row, active)
        return cls(q[..., :3], q[..., 3:], order=row.quaternion, point=row.pose_point,
                   basis=row.pose_axes, parent=WORLD, child=child, body=body)  # fmt: skip

    def to(self, target: str | System) -> Any:
        """The numbers (..., 7) as a system has them."""
        return convert_free_state(self._array(), None, self._row(), target, body=self.body)[0]

    def at(self, point: str) -> "Pose":
        """The same frame by another point."""
        return self._as(point=point)

    def in_basis(self, basis: str) -> "Pose":
        """The same body by other axes: its own ("body") or those of its inertia ("principal")."""
        return self._as(basis=basis)

    def in_order(self, order: str) -> "Pose":
        """With the quaternion in another order, "wxyz" or "xyzw"."""
        return self._as(order=order)

    def inverse(self) -> "Pose":
        """X_BA, the pose of the parent in the child."""
        self._needs_plain("has an inverse")
        p, q = self._components()
        return self._from(scale(unrotate(q, p), -1.0), conjugate(q), parent=self._named("child"),
                          child=self.parent, body=None)  # fmt: skip

    def __matmul__(self, other: "Pose") -> "Pose":
        """X_AC = X_AB @ X_BC"""
        if not isinstance(other, Pose):
            raise ConventionError(f"a Pose multiplies a Pose; got {_kind(other)}")
        if self._named("child") != other.parent:
            raise ConventionError(
                f"inner frames do not cancel: {_arrow(self)} @ {_arrow(other)}; compose poses as"
                " X_AB @ X_BC, and turn one around with .inverse()"
            )
        self._needs_plain("multiplies another")
        if self.order != other.order:
            raise ConventionError(
                f"quaternions are {self.order} and {other.order}: bring one over with"
                f" .in_order({self.order!r})"
            )
        p, q = self._components()
        p_BC, q_BC = other._components()
        return other._from(add(p, rotate(q, p_BC)), multiply(q, q_BC), parent=self.parent)

    def _array(self) -> Any:
        return join((*split(self.position), *split(self.quaternion)))

    def _row(self) -> System:
        name = f"a Pose at {self.point} of {self.basis} axes"
        return replace(
            _ROW, name=name, quaternion=self.order, pose_point=self.point, pose_axes=self.basis
        )

    def _as(self, **meaning: Any) -> "Pose":
        made = replace(self, position=_ZEROS[:3], quaternion=_IDENTITY[3:], **meaning)
        q = self.to(made._row())
        return replace(made, position=q[..., :3], quaternion=q[..., 3:])

    def _components(self) -> tuple[Components, Components]:
        """(p, q) as they are, q as (w, x, y, z)"""
        return pose_to_reference(split(self._array()), replace(self._row(), **_PLAIN), Body())

    def _from(self, p: Components, q: Components, **changes: Any) -> "Pose":
        x = join(pose_from_reference(p, q, replace(self._row(), **_PLAIN), Body()))
        return replace(self, position=x[..., :3], quaternion=x[..., 3:], **changes)

    def _named(self, which: str) -> str:
        name = getattr(self, which)
        if name is None:
            raise ConventionError(f"{_arrow(self)}: the {which} frame needs a name, {which}=")
        return name

    def _needs_plain(self, what: str) -> None:
        if self.point != "origin":
            raise ConventionError(
                f"only the pose of a frame's origin {what}; this is at com: call .at('origin')"
            )
        if self.basis != "body":
            raise ConventionError(
                f"only the pose of a frame's own axes {what}; these are the principal ones: call"
                " .in_basis('body')"
            )


@dataclass(frozen=True, eq=False)
class _Six:
    """What twists and wrenches have in common: six numbers at a point, in axes, in an order."""

    values: Any
    _: KW_ONLY
    order: str
    point: str
    frame: str | None = None

    __array_ufunc__ = None  # arrays of NumPy leave operators to the methods here

    def __post_init__(self) -> None:
        x = as_array(self.values, "values")
        check_last(x, 6, "values")
        check_finite(x, "values")
        object.__setattr__(self, "values", x)
        choice(self.point, POINTS, "point")

    def at(self, point: str, *, pose: Pose | None = None) -> Self:
        """The same at another point of the body (or where it passes the world's origin)."""
        return self._as(pose, point=point)

    def in_order(self, order: str) -> Self:
        """With its halves the other way round: which comes first is in the name of the order."""
        return self._as(None, order=order)

    def __add__(self, other: Self) -> Self:
        return replace(self, values=self.values + self._same(other).values)

    def __sub__(self, other: Self) -> Self:
        return replace(self, values=self.values - self._same(other).values)

    def __neg__(self) -> Self:
        return replace(self, values=-self.values)

    def __radd__(self, other: Any) -> Self:
        return self._same(other)  # which raises: what stands on the left is no value

    __rsub__ = __radd__

    def _as(self, pose: Pose | None, **meaning: Any) -> Self:
        raise NotImplementedError

    def _meaning(self) -> dict[str, Any]:
        """Words that have to agree before two of a kind are added, and what makes them agree."""
        raise NotImplementedError

    def _same(self, other: Any) -> Self:
        if type(other) is not type(self):
            name = type(self).__name__
            raise ConventionError(
                f"a {name} goes with a {name} only; got {_kind(other)}. Say what its numbers mean"
                f" first: {name}(values, order=..., point=..., ...)"
            )
        self._same_frame(other.frame)
        mine, its = self._meaning(), other._meaning()
        for word in mine:
            if mine[word] != its[word]:
                raise ConventionError(
                    f"{word} differs: {mine[word]} and {its[word]}; call"
                    f" {_REMEDY[word].format(mine[word])} on the second"
                )
        return other

    def _same_frame(self, frame: str | None) -> None:
        if frame is not None and self.frame is not None and frame != self.frame:
            raise ConventionError(f"frames differ: {self.frame!r} and {frame!r}")

    def _placed(self, pose: Pose | None, made: Self, words: tuple[str, ...]) -> Pose | None:
        """The pose that a change of these words depends on, or None if none of them changes."""
        changed = [w for w in words if getattr(self, w) != getattr(made, w)]
        if not changed:
            return None
        if not isinstance(pose, Pose):
            what = ", ".join(f"{w} from {getattr(self, w)} to {getattr(made, w)}" for w in changed)
            raise ConventionError(
                f"{what}: that depends on where the body is; give its Pose, pose="
                f" (got {_kind(pose)})"
            )
        if pose.parent != WORLD:
            raise ConventionError(
                f"pose must be that of the body in {WORLD!r}; got {_arrow(pose)}: compose it first"
            )
        self._same_frame(pose.child)
        return pose


_REMEDY = {
    "order": ".in_order({!r})", "point": ".at({!r}, pose=...)",
    "basis": ".in_basis({!r}, pose=...)", "unit": ".in_unit({!r})",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Twist(_Six):
    """The velocity of a body in the world.

    values  (..., 6) [m/s, rad/s or deg/s]
    order   "linear_first" or "angular_first"
    point   whose velocity the linear part is: "origin", "com" or "world_origin"
    basis   "world" or "body"; or a pair, of the linear and of the angular part
    unit    of the angular part: "rad" or "deg"
    frame   name of the body, or None
    """

    _: KW_ONLY
    basis: str | tuple[str, str]
    unit: str

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(self.order, ORDERS, "order")
        choice(self.unit, UNITS, "unit")
        both = (self.basis,) * 2 if isinstance(self.basis, str) else tuple(self.basis)
        if len(both) != 2:
            raise ConventionError(f"basis is a word, or two (linear, angular); got {self.basis!r}")
        for basis in both:
            choice(basis, BASES, "basis")
        object.__setattr__(self, "basis", both[0] if both[0] == both[1] else both)

    @classmethod
    def of(cls, source: str | System, v: Any, *, frame: str | None = None) -> "Twist":
        """The velocity (..., 6) of a free body as a system has it; it keeps the meaning."""
        row = system(source)
        return cls(v, order=row.order, point=row.velocity_point, unit=row.angular_unit,
                   basis=(row.linear_basis, row.angular_basis), frame=frame)  # fmt: skip

    def to(self, target: str | System, *, pose: Pose | None = None) -> Any:
        """The numbers (..., 6) as a system has them."""
        row = system(target)
        return self._as(pose, order=row.order, point=row.velocity_point, unit=row.angular_unit,
                        basis=(row.linear_basis, row.angular_basis)).values  # fmt: skip

    def in_basis(self, basis: str | tuple[str, str], *, pose: Pose | None = None) -> "Twist":
        """In "world" or "body" axes, or (linear, angular) in one each; pose says how they lie."""
        return self._as(pose, basis=basis)

    def in_unit(self, unit: str) -> "Twist":
        """With the angular half in "rad" or "deg" per second."""
        return self._as(None, unit=unit)

    def __matmul__(self, other: "Wrench") -> Any:
        """Power [W]"""
        if not isinstance(other, Wrench):
            raise ConventionError(f"a Twist times a Wrench is power; got {_kind(other)}")
        return other @ self

    def _as(self, pose: Pose | None, **meaning: Any) -> "Twist":
        made = replace(self, values=_ZEROS, **meaning)
        known = self._placed(pose, made, ("point", "basis"))
        if known is None:
            q, row, body = _identity(self.values), _ROW, None
        else:
            q, row, body = known._array(), known._row(), known.body
        _, v = convert_free_state(q, self.values, self._row(row), made._row(row), body=body)
        return replace(made, values=v)

    def _row(self, pose: System) -> System:
        linear, angular = (self.basis,) * 2 if isinstance(self.basis, str) else self.basis
        return replace(pose, name=f"a Twist at {self.point}", order=self.order,
                       velocity_point=self.point, linear_basis=linear, angular_basis=angular,
                       angular_unit=self.unit)  # fmt: skip

    def _meaning(self) -> dict[str, Any]:
        return {w: getattr(self, w) for w in ("order", "point", "basis", "unit")}


@dataclass(frozen=True, eq=False)
class Wrench(_Six):
    """Force and torque on a body.

    values  (..., 6) [N, N m]
    order   "force_first" or "torque_first"
    point   that the torque is about: "origin", "com" or "world_origin"
    basis   "world" or "body"
    frame   name of the body, or None
    """

    _: KW_ONLY
    basis: str

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(self.order, WRENCH_ORDERS, "order")
        choice(self.basis, BASES, "basis")

    @classmethod
    def of(cls, source: str | System, wrench: Any, *, frame: str | None = None) -> "Wrench":
        """The wrench (..., 6) as a system has it; it keeps the system's meaning."""
        row = system(source)
        return cls(wrench, order=row.wrench_order, point=row.wrench_point,
                   basis=row.wrench_basis, frame=frame)  # fmt: skip

    def to(self, target: str | System, *, pose: Pose | None = None) -> Any:
        """The numbers (..., 6) as a system has them."""
        row = system(target)
        return self._as(pose, order=row.wrench_order, point=row.wrench_point,
                        basis=row.wrench_basis).values  # fmt: skip

    def in_basis(self, basis: str, *, pose: Pose | None = None) -> "Wrench":
        """In "world" or "body" axes; pose says how the body's lie."""
        return self._as(pose, basis=basis)

    def __matmul__(self, other: Twist) -> Any:
        """Power f . v + tau . w [W], of a wrench and a twist at one point and in the same axes."""
        if not isinstance(other, Twist):
            raise ConventionError(f"a Wrench times a Twist is power; got {_kind(other)}")
        self._same_frame(other.frame)
        for word, remedy in (("point", _REMEDY["point"]), ("basis", _REMEDY["basis"])):
            mine, its = getattr(self, word), getattr(other, word)
            if mine != its:
                raise ConventionError(
                    f"no power: {word} of the wrench is {mine}, of the twist {its}; call"
                    f" {remedy.format(mine)} on the twist"
                )
        if other.unit != "rad":
            raise ConventionError("power needs radians: call .in_unit('rad') on the twist")
        f = split(self.in_order(WRENCH_ORDERS[0]).values)
        return dot(f, split(other.in_order(ORDERS[0]).values))

    def _as(self, pose: Pose | None, **meaning: Any) -> "Wrench":
        made = replace(self, values=_ZEROS, **meaning)
        known = self._placed(pose, made, ("point", "basis"))
        if known is None:
            return replace(made, values=convert_wrench(self.values, self._row(), made._row()))
        return replace(made, values=convert_wrench(
            self.values, self._row(), made._row(), pose=known._array(), pose_system=known._row(),
            body=known.body))  # fmt: skip

    def _row(self) -> System:
        return replace(_ROW, name=f"a Wrench at {self.point}", wrench_order=self.order,
                       wrench_point=self.point, wrench_basis=self.basis)  # fmt: skip

    def _meaning(self) -> dict[str, Any]:
        return {w: getattr(self, w) for w in ("order", "point", "basis")}


def _identity(like: Any) -> Any:
    """The pose that changes nothing, in the library and precision of an array."""
    q = as_array(_IDENTITY, "pose", like=like)
    return q.astype(like.dtype) if isinstance(q, np.ndarray) else q


def _kind(x: Any) -> str:
    return "None" if x is None else type(x).__name__


def _arrow(pose: Pose) -> str:
    return f"X({pose.parent} <- {pose.child or '?'})"
