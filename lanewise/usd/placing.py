"""Where prims are: matrices of the world, taken apart into a frame and a scale.

Matrices here act on columns, as everywhere in Lanewise; USD's act on rows. A body has a frame and
no scale: what scale its prim has goes into its shapes, and into the points that its joints and its
mass give in the prim's own space.
"""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from ..errors import ModelError
from .stage_values import Units, plain

SQUARE = 1e-5  # how far axes may be from square to each other


@dataclass(frozen=True)
class Place:
    """A frame and a scale along its axes; negative where a prim is mirrored."""

    p: np.ndarray
    R: np.ndarray
    scale: np.ndarray
    sheared: bool = False

    def point(self, x: Any) -> np.ndarray:
        """A point of the scaled space, in that which the place is in."""
        return self.p + self.R @ (self.scale * np.asarray(x))

    @property
    def X(self) -> np.ndarray:
        """The frame as a matrix."""
        return matrix(self.p, self.R)


class Places:
    """Places of prims in the world, in metres and z up."""

    def __init__(self, units: Units) -> None:
        self.units = units
        self._known: dict[str, np.ndarray] = {}

    def world(self, prim: Any) -> np.ndarray:
        """The matrix from a prim's points to those of the world."""
        path = str(prim.GetPath())
        if path not in self._known:
            local, resets = _local(prim)
            parent = prim.GetParent()
            above = resets or not parent
            if not np.isfinite(local).all():
                raise ModelError(f"{path}: a pose with NaN or infinite numbers")
            self._known[path] = (self.units.C_WS if above else self.world(parent)) @ local
        return self._known[path]

    def of(self, prim: Any) -> Place:
        """A prim's place in the world."""
        return apart(self.world(prim))

    def within(self, prim: Any, X_WB: np.ndarray) -> Place:
        """A prim's place in a frame."""
        return apart(inverse(X_WB) @ self.world(prim))


def _local(prim):
    """(the matrix of a prim in its parent, whether it begins anew from the world)"""
    from pxr import Usd, UsdGeom

    form = UsdGeom.Xformable(prim)
    if not form:
        return np.eye(4), False
    M = np.eye(4)
    for op in form.GetOrderedXformOps():
        M = M @ _op(op, Usd, UsdGeom)
    return M, form.GetResetXformStack()


def _op(op, Usd, UsdGeom):
    """The matrix of an operation; of those of single precision, by their decimals."""
    kind, kinds = op.GetOpType(), UsdGeom.XformOp
    time = Usd.TimeCode.Default()
    found = op.Get(time)
    if found is None and op.GetNumTimeSamples():
        time = Usd.TimeCode.EarliestTime()
        found = op.Get(time)
    simple = kind in (kinds.TypeTranslate, kinds.TypeScale, kinds.TypeOrient)
    if found is None or not simple or op.IsInverseOp():
        return np.array(op.GetOpTransform(time)).T
    numbers, M = np.array(plain(found, False)), np.eye(4)
    if kind == kinds.TypeTranslate:
        M[:3, 3] = numbers
    elif kind == kinds.TypeScale:
        M[:3, :3] = np.diag(numbers)
    else:
        M[:3, :3] = rotation(numbers)
    return M


def apart(M: np.ndarray) -> Place:
    """A matrix as a frame and a scale."""
    scale = np.linalg.norm(M[:3, :3], axis=0)
    flat = scale <= 1e-12
    R = M[:3, :3] / np.where(flat, 1.0, scale)
    if flat.any():
        return Place(M[:3, 3], np.eye(3), np.where(flat, 0.0, scale), sheared=True)
    if np.linalg.det(R) < 0.0:
        R, scale = R * (1.0, 1.0, -1.0), scale * (1.0, 1.0, -1.0)
    sheared = bool(np.abs(R.T @ R - np.eye(3)).max() > SQUARE)
    return Place(M[:3, 3], R, scale, sheared)


def matrix(p: Any, R: Any) -> np.ndarray:
    """A frame as a matrix."""
    X = np.eye(4)
    X[:3, 3], X[:3, :3] = p, R
    return X


def inverse(X: np.ndarray) -> np.ndarray:
    """Of a frame."""
    return matrix(-X[:3, :3].T @ X[:3, 3], X[:3, :3].T)


def rotation(q: Any) -> np.ndarray:
    """The matrix of a quaternion (w, x, y, z), which need not have length 1."""
    q = np.array(q, float)
    length = np.linalg.norm(q)
    if not np.isfinite(length) or length < 1e-12:
        return np.eye(3)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, q / length)
    return R.reshape(3, 3)


def quaternion(R: np.ndarray) -> np.ndarray:
    """(w, x, y, z) of a matrix."""
    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, np.ascontiguousarray(R).reshape(9))
    return q
