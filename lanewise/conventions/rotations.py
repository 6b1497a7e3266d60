"""Rotations of any kind into any other: quaternions, matrices, axis-angle, 6D, Euler angles.

A rotation here is active and acts on columns, v_W = R_WB v_B, whatever numbers it is written in.
Whoever has a passive one asks for its inverse (invert_rotation); whoever has matrices that act on
rows transposes them (convert_matrix_layout).

There are two meeting points: quaternions, and matrices. 6D are two columns of a matrix, so matrices
and 6D become each other by picking numbers; all else goes by quaternions. Every formula is well
conditioned where it is used, and gradients are finite everywhere: at no turn, at half turns and at
gimbal lock too. (Where a library keeps the first two rows of a matrix as its 6D, as PyTorch3D does,
that is sixd_columns of the inverse, and neither of the two layouts here.)

Two quaternions, q and -q, are the same rotation. Of a matrix the one with w >= 0 is taken. Angles
give the quaternion of half of them, which may have w < 0 but does not jump. canonical_sign and
unwrap_signs are for those who want another choice.

Nothing is repaired. A quaternion that is not of unit length, or 6D numbers as a network puts them
out, raise; orthonormalize is the function that repairs, for those who mean it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ConventionError, did_you_mean
from . import euler_angles
from .arrays import (
    Components,
    as_array,
    check_finite,
    check_last,
    check_rotation,
    check_unit,
    choice,
    concrete,
    first_that_is_not,
    namespace,
    split,
    tolerance,
)
from .blocks import by_components
from .euler_angles import MODES, SEQUENCES, UNITS, Angles
from .quaternions import (
    axis_angle_of_quaternion,
    matrix_of_quaternion,
    quaternion_of_axis_angle,
    quaternion_of_matrix,
)
from .spatial import conjugate, cross, dot, scale, sub

QUATERNIONS = ("wxyz", "xyzw")
MATRICES = ("matrix", "sixd_columns", "sixd_interleaved")


@dataclass(frozen=True)
class RotationKind:
    """One way to write a rotation: the `shape` of its numbers, and what they mean."""

    name: str
    shape: tuple[int, ...]
    meaning: str
    angles: Angles | None = None


def _kinds() -> dict[str, RotationKind]:
    kinds = [
        RotationKind("wxyz", (4,), "a quaternion, scalar first"),
        RotationKind("xyzw", (4,), "a quaternion, scalar last"),
        RotationKind("matrix", (3, 3), "a matrix that acts on columns"),
        RotationKind("axis_angle", (3,), "axis times angle [rad]"),
        RotationKind("sixd_columns", (6,), "first column of the matrix, then the second"),
        RotationKind("sixd_interleaved", (6,), "first two columns, row by row: R[:, :2] flattened"),
    ]
    for sequence in SEQUENCES:
        for mode in MODES:
            for unit in UNITS:
                angles = Angles(sequence, mode, unit)
                meaning = f"{mode} Euler angles {sequence} [{unit}]"
                kinds.append(RotationKind(angles.name, (3,), meaning, angles))
    return {kind.name: kind for kind in kinds}


ROTATION_KINDS = _kinds()
ALIASES = {
    "quaternion_wxyz": "wxyz",
    "quaternion_xyzw": "xyzw",
    "sixd_rows": "sixd_interleaved",
}


def rotation_kind(name: Any) -> RotationKind:
    """The kind of a name; unknown names list the known ones."""
    known = ALIASES.get(name, name) if isinstance(name, str) else None
    if known in ROTATION_KINDS:
        return ROTATION_KINDS[known]
    plain = [kind.name for kind in ROTATION_KINDS.values() if kind.angles is None]
    near = ROTATION_KINDS if "euler" in str(name) else [*plain, *ALIASES]
    raise ConventionError(
        f"unknown kind of rotation {name!r}{did_you_mean(name, near)}; known are"
        f" {', '.join(plain)}, and Euler angles by their sequence, mode and unit,"
        ' as in euler("xyz", "intrinsic", "deg")'
    )


def w_last(flag: bool) -> str:
    """The order of quaternions that SONIC's flag w_last means: True is "xyzw", False "wxyz"."""
    if not isinstance(flag, bool | np.bool_):
        raise ConventionError(f"w_last must be True (xyzw) or False (wxyz); got {flag!r}")
    return "xyzw" if flag else "wxyz"


# ---- public


def convert_quaternion(q: Any, source: str, target: str, *, out: np.ndarray | None = None) -> Any:
    """Quaternions (..., 4) from one order to another: the same numbers in other places.

    `source` and `target` are "wxyz" or "xyzw". `out` is an array of NumPy to write into; it may be
    q itself.
    """
    a, b = _order(source, "source"), _order(target, "target")
    q = checked_rotation(q, a, "q")
    return by_components(lambda parts: _converted(parts, a, b), q, a.shape, b.shape, out)


def convert_rotation(x: Any, source: str, target: str, *, out: np.ndarray | None = None) -> Any:
    """Rotations from one kind to another; the kinds and their shapes are in ROTATION_KINDS.

    Axis-angle comes out with an angle in [0, pi], Euler angles in the ranges that euler_angles.py
    tells. `out` is an array of NumPy to write into; it may be x itself if the shapes agree.
    """
    a, b = rotation_kind(source), rotation_kind(target)
    x = checked_rotation(x, a, "x")
    return by_components(lambda parts: _converted(parts, a, b), x, a.shape, b.shape, out)


def invert_rotation(x: Any, kind: str, *, out: np.ndarray | None = None) -> Any:
    """The inverse, in the same kind: a passive rotation as an active one, or the other way."""
    a = rotation_kind(kind)
    x = checked_rotation(x, a, "x")

    def convert(parts: Components) -> Components:
        if a.name in MATRICES:
            m = to_matrix(parts, a)
            return from_matrix((*m[0::3], *m[1::3], *m[2::3]), a)
        if a.name == "axis_angle":
            return scale(parts, -1.0)
        return from_quaternion(conjugate(to_quaternion(parts, a)), a)

    return by_components(convert, x, a.shape, a.shape, out)


def orthonormalize(x: Any, kind: str, *, out: np.ndarray | None = None) -> Any:
    """The rotations that almost-rotations stand for: quaternions, matrices or 6D.

    A quaternion is divided by its length. Of 6D and of a matrix the first column keeps its
    direction, the second loses what is along the first, and the third follows (Gram and Schmidt).
    What stands for no rotation raises: zeros, columns along one line, left-handed matrices.
    """
    a = rotation_kind(kind)
    choice(a.name, (*QUATERNIONS, *MATRICES), "kind")
    x = as_array(x, "x")
    check_last(x, a.shape, "x", a.meaning)
    check_finite(x, "x")
    _check_not_flat(x, a)

    def convert(parts: Components) -> Components:
        if a.name in QUATERNIONS:
            return _unit(parts)
        c0, c1 = _two_columns(parts, a)
        c0 = _unit(c0)
        c1 = _unit(sub(c1, scale(c0, dot(c0, c1))))
        return from_matrix(_matrix_of_columns(c0, c1), a)

    return by_components(convert, x, a.shape, a.shape, out)


def canonical_sign(q: Any, order: str, *, out: np.ndarray | None = None) -> Any:
    """Of q and -q the one with w > 0; of half turns, w = 0, the one whose first of x, y, z that is
    not 0 is positive. `order` is "wxyz" or "xyzw"."""
    a = _order(order, "order")
    q = checked_rotation(q, a, "q")

    def convert(parts: Components) -> Components:
        xp = namespace(*parts)
        w, x, y, z = to_quaternion(parts, a)
        first = xp.where(w != 0, w, xp.where(x != 0, x, xp.where(y != 0, y, z)))
        return tuple(xp.where(first < 0, -p, p) for p in parts)

    return by_components(convert, q, a.shape, a.shape, out)


def unwrap_signs(q: Any, axis: int) -> Any:
    """Quaternions (..., 4) of a series along `axis`, with signs that do not jump.

    The first keeps its sign; each of the others takes the one that is closer to the one before it.
    The order of the components does not matter.
    """
    q = as_array(q, "q")
    check_last(q, 4, "q", "quaternions")
    check_unit(q, "q")
    leading = len(q.shape) - 1
    if not -leading - 1 <= axis < leading or axis == -1:
        raise ConventionError(
            f"axis must be one of the {leading} leading axes of q, which has shape"
            f" {tuple(q.shape)}; got {axis}"
        )
    xp = namespace(q)
    q = xp.moveaxis(q, axis, 0)
    jumps = (q[1:] * q[:-1]).sum(-1) < 0
    turned = xp.cumsum(jumps, 0) % 2 == 1  # an odd number of jumps until here
    rest = xp.where(turned[..., None], -q[1:], q[1:])
    return xp.moveaxis(xp.concatenate([q[:1], rest]), 0, axis)


# ---- checks


def _order(name: Any, what: str) -> RotationKind:
    """The kind of quaternions of an order."""
    known = ALIASES.get(name, name) if isinstance(name, str) else name
    return ROTATION_KINDS[choice(known, QUATERNIONS, what)]


def checked_rotation(x: Any, kind: RotationKind, name: str, *, like: Any = None) -> Any:
    """x as an array, if it is rotations of that kind."""
    x = as_array(x, name, like=like)
    check_last(x, kind.shape, name, kind.meaning)
    if kind.name in QUATERNIONS:
        check_unit(x, name)
    elif kind.name == "matrix":
        check_rotation(x, name)
    elif kind.name in MATRICES:
        _check_orthonormal(x, kind, name)
    else:
        check_finite(x, name)
    return x


def _check_orthonormal(x: Any, kind: RotationKind, name: str) -> None:
    """6D: the two columns must be of unit length and square to each other."""
    numbers = concrete(x)
    if numbers is None:
        return
    most = 3 * tolerance(x)

    def good(rows: np.ndarray) -> np.ndarray:
        a, b = _two_columns(split(rows.astype(np.float64)), kind)
        return ((abs(dot(a, a) - 1.0) <= most) & (abs(dot(b, b) - 1.0) <= most)
                & (abs(dot(a, b)) <= most))  # fmt: skip

    where = first_that_is_not(good, numbers, kind.shape)
    if where is not None:
        check_finite(numbers, name)
        a, b = (np.array(c, float) for c in _two_columns(tuple(numbers[where]), kind))
        raise ConventionError(
            f"{name}{list(where) or ''} is no rotation: its columns have lengths"
            f" {np.linalg.norm(a):.6g} and {np.linalg.norm(b):.6g}, and a product of {a @ b:.3g};"
            " a rotation has 1, 1 and 0. Nothing is repaired here:"
            f' orthonormalize(x, "{kind.name}") does it if that is what you mean'
        )


def _check_not_flat(x: Any, kind: RotationKind) -> None:
    """What orthonormalize cannot make a rotation of."""
    numbers = concrete(x)
    if numbers is None:
        return

    def good(rows: np.ndarray) -> np.ndarray:
        parts = split(rows.astype(np.float64))
        if kind.name in QUATERNIONS:
            return dot(parts, parts) > 0.0
        a, b = _two_columns(parts, kind)
        n = cross(a, b)
        square = dot(n, n) > 1e-24 * dot(a, a) * dot(b, b)
        return square & (dot(n, parts[2::3]) > 0.0) if kind.name == "matrix" else square

    where = first_that_is_not(good, numbers, kind.shape)
    if where is not None:
        what = "zero" if kind.name in QUATERNIONS else "with columns along one line"
        if kind.name == "matrix":
            what += ", or left-handed"
        raise ConventionError(f"x{list(where) or ''} stands for no rotation: it is {what}")


# ---- blocks


# ---- from kind to kind, on components


def _converted(parts: Components, a: RotationKind, b: RotationKind) -> Components:
    if a.name == b.name:
        return parts
    if a.angles and b.angles:
        angles = euler_angles.to_other_list(parts, a.angles, b.angles)
        if angles is not None:
            return angles
    if a.name in MATRICES and b.name in MATRICES:
        return from_matrix(to_matrix(parts, a), b)
    return from_quaternion(to_quaternion(parts, a), b)


def to_quaternion(parts: Components, kind: RotationKind) -> Components:
    """(w, x, y, z)"""
    if kind.name == "wxyz":
        return parts
    if kind.name == "xyzw":
        return (parts[3], *parts[:3])
    if kind.name == "axis_angle":
        return quaternion_of_axis_angle(parts)
    if kind.angles:
        return euler_angles.to_quaternion(parts, kind.angles)
    return quaternion_of_matrix(to_matrix(parts, kind))


def from_quaternion(q: Components, kind: RotationKind) -> Components:
    if kind.name == "wxyz":
        return q
    if kind.name == "xyzw":
        return (*q[1:], q[0])
    if kind.name == "axis_angle":
        return axis_angle_of_quaternion(q)
    if kind.angles:
        return euler_angles.from_quaternion(q, kind.angles)
    return from_matrix(matrix_of_quaternion(q), kind)


def to_matrix(parts: Components, kind: RotationKind) -> Components:
    """Nine numbers, row by row, of a matrix or of 6D."""
    return parts if kind.name == "matrix" else _matrix_of_columns(*_two_columns(parts, kind))


def from_matrix(m: Components, kind: RotationKind) -> Components:
    if kind.name == "matrix":
        return m
    if kind.name == "sixd_columns":
        return (*m[0::3], *m[1::3])
    return (m[0], m[1], m[3], m[4], m[6], m[7])


def _two_columns(parts: Components, kind: RotationKind) -> tuple[Components, Components]:
    if kind.name == "sixd_columns":
        return parts[:3], parts[3:]
    step = 3 if kind.name == "matrix" else 2
    return parts[0::step], parts[1::step]


def _matrix_of_columns(c0: Components, c1: Components) -> Components:
    c2 = cross(c0, c1)
    return tuple(c[row] for row in range(3) for c in (c0, c1, c2))


def _unit(v: Components) -> Components:
    return scale(v, 1.0 / namespace(*v).sqrt(dot(v, v)))
