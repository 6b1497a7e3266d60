"""What a conversion may have to know of a body: where its mass is."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ConventionError
from .arrays import Components, as_array, check_finite, check_last, check_rotation, split
from .quaternions import quaternion_of_matrix


@dataclass(frozen=True, eq=False)
class Body:
    """What a conversion may have to know of a body, in its own frame B.

    com       p_BoBcm_B, the centre of mass [m], (..., 3)
    mass      [kg]
    inertia   about the centre of mass, in the axes of B [kg m^2]: (3, 3), or (3,) of a diagonal
    principal R_BI, (3, 3): the principal axes, for systems whose pose is theirs. If it is not
              given, it comes from `inertia`: of all right-handed choices the one that turns the
              axes of B least.
    """

    com: Any = None
    mass: float | None = None
    inertia: Any = None
    principal: Any = None

    def __post_init__(self) -> None:
        if self.com is not None:
            com = as_array(self.com, "com")
            check_last(com, 3, "com", "the centre of mass in the body frame")
            check_finite(com, "com")
            object.__setattr__(self, "com", com)
        if self.mass is not None and not self.mass > 0.0:
            raise ConventionError(f"mass must be positive; got {self.mass!r}")
        if self.inertia is not None:
            object.__setattr__(self, "inertia", _inertia_matrix(self.inertia))
        if self.principal is not None:
            R = as_array(self.principal, "principal")
            check_last(R, (3, 3), "principal", "a rotation matrix")
            check_rotation(R, "principal")
            object.__setattr__(self, "principal", R)

    def p_BoBcm(self) -> Components:
        """The centre of mass; plain numbers, which go with arrays of any library, if it is one."""
        if isinstance(self.com, np.ndarray) and self.com.ndim == 1:
            return tuple(map(float, self.com))
        return split(self.com)

    def q_BI(self) -> Components:
        """The principal axes as a quaternion (w, x, y, z)."""
        if self.principal is not None:
            return _one_quaternion(self.principal)
        if self.inertia is None:
            raise ConventionError(
                "the pose is that of the principal axes: the body needs its inertia, as in"
                " Body(com=..., inertia=...), or principal=R"
            )
        return _one_quaternion(principal_axes(self.inertia))


def _inertia_matrix(inertia: Any) -> np.ndarray:
    given = np.asarray(as_array(inertia, "inertia"), float)
    matrix = np.diag(given) if given.shape == (3,) else given
    if matrix.shape != (3, 3):
        raise ConventionError(f"inertia must have shape (3,) or (3, 3); got {given.shape}")
    check_finite(matrix, "inertia")
    if np.abs(matrix - matrix.T).max() > 1e-9 * np.abs(matrix).max():
        raise ConventionError("inertia must be symmetric")
    if np.linalg.eigvalsh(matrix)[0] <= 0.0:
        raise ConventionError("inertia must be positive definite")
    return matrix


def principal_axes(inertia: Any) -> np.ndarray:
    """R_BI: axes in which the inertia is diagonal, the ones closest to the body's own."""
    _, axes = np.linalg.eigh(_inertia_matrix(inertia))
    best, most = np.eye(3), -np.inf
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        R = axes[:, order]
        R = R * np.where(np.diagonal(R) < 0.0, -1.0, 1.0)
        if np.linalg.det(R) < 0.0:
            R[:, np.argmin(np.diagonal(R))] *= -1.0
        if np.trace(R) > most + 1e-9:
            best, most = R, float(np.trace(R))
    return best


def _one_quaternion(R: Any) -> Components:
    """(w, x, y, z) of one matrix, as plain numbers: they go with arrays of any library."""
    return tuple(map(float, quaternion_of_matrix(tuple(np.ravel(np.asarray(R, float))))))
