"""Scenes whose up axis differs, and matrices that act on rows.

Two scenes with other up axes differ by one rotation C of the world: the least one that takes the
source's up axis to the target's. From y to z it is a quarter turn about x, (x, y, z) -> (x, -z, y).
Between opposite axes many are least; then it is the half turn about x, or about y if up is x.

    points, vectors     x' = C x
    orientations        R' = C R      the axes of the body stay what they are

Angular velocities, forces and torques in world axes are vectors; in body axes they do not change.
A rotation whose two sides are both the world's would be C R C': that is another question, and no
orientation.

The pelvis of SMPL: its root turns about the pelvis joint J0, not about the origin of the model. So
a translation does not just turn with the scene,

    t' = C (J0 + t) - J0

and C t alone is off by C J0 - J0.
"""

from math import sqrt
from typing import Any

import numpy as np

from ..errors import ConventionError
from .arrays import (
    Components,
    as_array,
    check_finite,
    check_last,
    check_rotation,
    choice,
    concrete,
    join,
    namespace,
    split,
)
from .blocks import by_components
from .rotations import (
    MATRICES,
    QUATERNIONS,
    checked_rotation,
    from_matrix,
    from_quaternion,
    rotation_kind,
    to_matrix,
    to_quaternion,
)
from .spatial import add, multiply, sub

UP_AXES = ("x", "y", "z", "-x", "-y", "-z")
LAYOUTS = ("columns", "rows")


def convert_up_axis(
    x: Any, source: str, target: str, *, kind: str, order: str | None = None,
    out: np.ndarray | None = None,
) -> Any:  # fmt: skip
    """Numbers of a scene whose up axis is `source`, in the scene turned so that it is `target`.

    `kind` is "point" or "vector", (..., 3) in world axes; "rotation", the matrix (..., 3, 3) of an
    orientation; "quaternion", with its `order`; or any kind of rotation by its name, which has the
    order in it. Axes are "x", "y", "z", "-x", "-y" or "-z".
    """
    C = _Turn(source, target)
    if kind in ("point", "vector"):
        _no_order(order, kind)
        x = as_array(x, "x")
        check_last(x, 3, "x", f"a {kind}")
        check_finite(x, "x")
        return by_components(C.of, x, (3,), (3,), out)
    a = rotation_kind(_named(kind, order))
    x = checked_rotation(x, a, "x")

    def convert(parts: Components) -> Components:
        if a.name in MATRICES:
            m = to_matrix(parts, a)
            columns = [C.of(m[k::3]) for k in range(3)]
            return from_matrix(tuple(c[row] for row in range(3) for c in columns), a)
        return from_quaternion(multiply(C.q, to_quaternion(parts, a)), a)

    return by_components(convert, x, a.shape, a.shape, out)


def convert_smpl_root(
    transl: Any, root_axis_angle: Any, pelvis: Any, source_up: str, target_up: str
) -> tuple[Any, Any]:
    """(transl, root_axis_angle) of SMPL, each (..., 3), in a scene with another up axis.

    `pelvis` is J0, the place of the pelvis joint in the model's rest pose, for the body's shape.
    """
    C = _Turn(source_up, target_up)
    t = as_array(transl, "transl")
    J = as_array(pelvis, "pelvis", like=t)
    J = J.astype(t.dtype, copy=False) if namespace(J) is np is namespace(t) else J
    for x, name in ((t, "transl"), (J, "pelvis")):
        check_last(x, 3, name)
        check_finite(x, name)
    J0 = split(J)
    moved = sub(C.of(add(J0, split(t))), J0)
    turned = convert_up_axis(root_axis_angle, source_up, target_up, kind="axis_angle")
    return join(moved), turned


def convert_matrix_layout(M: Any, source: str, target: str) -> Any:
    """Matrices (..., 3, 3) or (..., 4, 4) that act on columns, x' = M x, or on rows, x' = x M.

    The same map in the other layout is the transpose. Matrices of 3 by 3 must be rotations; those
    of 4 by 4 must have (0, 0, 0, 1) where their layout has it: in the last row for columns, in the
    last column for rows (USD). So a matrix that is in the other layout is noticed.
    """
    choice(source, LAYOUTS, "source")
    choice(target, LAYOUTS, "target")
    M = as_array(M, "M")
    if len(M.shape) >= 2 and tuple(M.shape[-2:]) == (4, 4):
        _check_homogeneous(M, source)
    else:
        check_last(M, (3, 3), "M", "or (..., 4, 4)")
        check_rotation(M, "M")
    if source == target:
        return M.copy() if namespace(M) is np else M
    turned = namespace(M).swapaxes(M, -1, -2)
    return turned.copy() if namespace(M) is np else turned


# ---- the turn of the world


class _Turn:
    """C: as a quaternion, and for exactness by picking components, as it takes axes to axes."""

    def __init__(self, source: str, target: str):
        u = _axis(choice(source, UP_AXES, "source"))
        v = _axis(choice(target, UP_AXES, "target"))
        n = np.cross(u, v)
        self.q: Components
        if u @ v > 0:
            C, self.q = np.eye(3), (1.0, 0.0, 0.0, 0.0)
        elif u @ v < 0:
            n = _axis("y" if u[0] else "x")
            C, self.q = 2 * np.outer(n, n) - np.eye(3), (0.0, *map(float, n))
        else:  # u goes to v, v to -u, and n = u x v stays
            C = np.outer(v, u) - np.outer(u, v) + np.outer(n, n)
            self.q = (sqrt(0.5), *(sqrt(0.5) * float(x) for x in n))
        self.picks = [(int(np.argmax(abs(row))), row.sum() > 0) for row in C]

    def of(self, v: Components) -> Components:
        return tuple(v[k] if plus else -v[k] for k, plus in self.picks)


def _axis(name: str) -> np.ndarray:
    sign = -1 if name[0] == "-" else 1
    return np.array([sign if letter == name[-1] else 0 for letter in "xyz"])


# ---- words and checks


def _named(kind: Any, order: str | None) -> Any:
    """The name of the kind of rotation that is meant."""
    if kind == "quaternion":
        if order is None:
            raise ConventionError(
                'of a quaternion the order must be said: kind="quaternion_wxyz" or'
                ' "quaternion_xyzw", or order="wxyz" or "xyzw"'
            )
        return choice(order, QUATERNIONS, "order")
    _no_order(order, kind)
    if kind == "rotation":
        return "matrix"
    try:
        rotation_kind(kind)
    except ConventionError as error:
        raise ConventionError(f'{error}; besides "point", "vector" and "rotation"') from None
    return kind


def _no_order(order: str | None, kind: str) -> None:
    if order is not None:
        raise ConventionError(f'order= goes with kind="quaternion"; got kind={kind!r}')


def _check_homogeneous(M: Any, layout: str) -> None:
    numbers = concrete(M)
    if numbers is None:
        return
    check_finite(numbers, "M")
    edge = numbers[..., 3, :] if layout == "columns" else numbers[..., :, 3]
    wrong = np.abs(edge - (0.0, 0.0, 0.0, 1.0)).max(-1) > 1e-6
    if np.any(wrong):
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        row = "row" if layout == "columns" else "column"
        raise ConventionError(
            f"M{list(where) or ''} does not act on {layout}: its last {row} must be 0 0 0 1;"
            f" got {' '.join(f'{x:.6g}' for x in edge[where])}"
        )
