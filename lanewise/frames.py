"""Rotations, poses and 6-vectors as MuJoCo has them, on NumPy arrays of any leading shape.

A function is its twin mju_* under a name of ours, `quat_to_mat` for mju_quat2Mat, and has its
meaning to the last rule: what is normalized and what is not, where angles jump, what becomes of
vectors without a length. Arguments broadcast over their leading axes, and results are new arrays of
float64.

    quat    (..., 4)    w, x, y, z; q_AB turns what is given in B into A
    mat     (..., 9)    a matrix by rows, as `xmat` is; (..., 3, 3) is taken too
    pos     (..., 3)    [m]
    vec     (..., 6)    rotation first: (w, v) of a motion, (torque, force) of a force

What other systems have in the place of these is in lanewise.conventions.
"""

from typing import Any

import numpy as np

from .mjconst import MINVAL, PI


def mul_quat(quat1: Any, quat2: Any) -> np.ndarray:
    """quat1 quat2 (..., 4), the turn by quat2 and then by quat1: q_AC = q_AB q_BC. mju_mulQuat"""
    a, b = _parts(quat1, 4, "quat1"), _parts(quat2, 4, "quat2")
    return _join(_product(a, b))


def neg_quat(quat: Any) -> np.ndarray:
    """The opposite turn (..., 4): q_BA of q_AB. mju_negQuat"""
    w, x, y, z = _parts(quat, 4, "quat")
    return _join((w, -x, -y, -z))


def rot_vec_quat(vec: Any, quat: Any) -> np.ndarray:
    """vec (..., 3) turned by quat: v_A of v_B and q_AB. mju_rotVecQuat

    quat is taken as it is: one that is not of unit length does more than turn.
    """
    return _join(_turned(_parts(vec, 3, "vec"), _parts(quat, 4, "quat")))


def mul_quat_axis(quat: Any, axis: Any) -> np.ndarray:
    """quat (0, axis) (..., 4), a product with an axis (..., 3). mju_mulQuatAxis"""
    q, (x, y, z) = _parts(quat, 4, "quat"), _parts(axis, 3, "axis")
    return _join(_product(q, (np.zeros_like(x), x, y, z)))


def axis_angle_to_quat(axis: Any, angle: Any) -> np.ndarray:
    """The turn (..., 4) about an axis (..., 3) of unit length by an angle (...) [rad].
    mju_axisAngle2Quat"""
    return _join(_turn(_parts(axis, 3, "axis"), _numbers(angle, "angle")))


def quat_to_vel(quat: Any, dt: Any) -> np.ndarray:
    """The angular velocity (..., 3) [rad/s] that makes a turn in the time dt [s]. mju_quat2Vel

    It goes the shorter way: its angle is in (-pi, pi].
    """
    w, *v = _parts(quat, 4, "quat")
    axis, sin = _unit(v)
    angle = 2.0 * np.arctan2(sin, w)
    with np.errstate(divide="ignore", invalid="ignore"):
        speed = np.where(angle > PI, angle - 2.0 * PI, angle) / _numbers(dt, "dt")
        return _join([x * speed for x in axis])


def sub_quat(qa: Any, qb: Any) -> np.ndarray:
    """The rotation vector (..., 3) [rad] that leads from qb to qa, in the axes that qb gives:
    integrated from qb for a unit of time, it ends at qa. mju_subQuat"""
    return quat_to_vel(mul_quat(neg_quat(qb), qa), 1.0)


def quat_to_mat(quat: Any) -> np.ndarray:
    """The matrix (..., 9), by rows, of a turn. mju_quat2Mat

    A quaternion of the length n gives n^2 times a rotation.
    """
    w, x, y, z = _parts(quat, 4, "quat")
    ww, xx, yy, zz = w * w, x * x, y * y, z * z
    wx, wy, wz, xy, xz, yz = w * x, w * y, w * z, x * y, x * z, y * z
    return _join((
        ww + xx - yy - zz, 2.0 * (xy - wz), 2.0 * (xz + wy),
        2.0 * (xy + wz), ww - xx + yy - zz, 2.0 * (yz - wx),
        2.0 * (xz - wy), 2.0 * (yz + wx), ww - xx - yy + zz,
    ))  # fmt: skip


def mat_to_quat(mat: Any) -> np.ndarray:
    """The quaternion (..., 4), of unit length, of a rotation. mju_mat2Quat

    It has w > 0 where the trace is positive; elsewhere that of x, y, z is positive that has the
    largest number on the diagonal, of equal ones the last.
    """
    m = _mat(mat, "mat")
    xx, xy, xz, yx, yy, yz, zx, zy, zz = m
    # 4 q q' by rows, each divided by the root of the number on its diagonal
    some, first, second = xx + yy + zz > 0.0, (xx > yy) & (xx > zz), yy > zz
    square = np.where(some, 1.0 + xx + yy + zz, np.where(first, 1.0 + xx - yy - zz,
        np.where(second, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz)))  # fmt: skip
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = 0.5 * np.sqrt(square)
        wx, wy, wz = (0.25 * x / largest for x in (zy - yz, xz - zx, yx - xy))
        xy, xz, yz = (0.25 * x / largest for x in (xy + yx, xz + zx, yz + zy))
    quat = (
        np.where(some, largest, np.where(first, wx, np.where(second, wy, wz))),
        np.where(some, wx, np.where(first, largest, np.where(second, xy, xz))),
        np.where(some, wy, np.where(first, xy, np.where(second, largest, yz))),
        np.where(some, wz, np.where(first, xz, np.where(second, yz, largest))),
    )
    return _join(_unit_quat(quat))


def mat_to_rot(mat: Any) -> np.ndarray:
    """The quaternion (..., 4) of the rotation that is nearest to any matrix. mju_mat2Rot

    MuJoCo finds it by iteration, from a quaternion that it is given, on which the sign depends;
    here the sign is that of `mat_to_quat`.
    """
    m = _join(_mat(mat, "mat"))
    U, _, Vt = np.linalg.svd(m.reshape(*m.shape[:-1], 3, 3))
    # of a reflection, the least direction is turned round
    U[..., :, 2] *= np.where(np.linalg.det(U) * np.linalg.det(Vt) < 0.0, -1.0, 1.0)[..., None]
    return mat_to_quat(U @ Vt)


def deriv_quat(quat: Any, vel: Any) -> np.ndarray:
    """The rate (..., 4) [1/s] of a quaternion q_AB that turns with an angular velocity (..., 3)
    [rad/s] in the axes of A, not of B as in `quat_integrate`. mju_derivQuat"""
    q, (x, y, z) = _parts(quat, 4, "quat"), _parts(vel, 3, "vel")
    return 0.5 * _join(_product((np.zeros_like(x), x, y, z), q))


def quat_integrate(quat: Any, vel: Any, scale: Any) -> np.ndarray:
    """q_AB (..., 4) after the time scale [s] with an angular velocity (..., 3) [rad/s] in the axes
    of B. mju_quatIntegrate

    quat is normalized before; where it has no length, it is no turn.
    """
    q, v = _parts(quat, 4, "quat"), _parts(vel, 3, "vel")
    return _join(_integrated(q, v, _numbers(scale, "scale")))


def quat_z_to_vec(vec: Any) -> np.ndarray:
    """The quaternion (..., 4) that turns the z axis into the direction of vec (..., 3).
    mju_quatZ2Vec

    The turn is the least one; about x, if vec is opposite to z; and none if vec has no length.
    """
    (x, y, z), length = _unit(_parts(vec, 3, "vec"))
    # z x vec, whose length is the sine
    axis, sin = _unit((-y, x, np.zeros_like(x)))
    quat = _turn(axis, np.arctan2(sin, z))
    along, opposite = (length < MINVAL) | (sin < MINVAL), (length >= MINVAL) & (z < 0.0)
    zero = np.zeros_like(x)
    none = (np.where(opposite, 0.0, 1.0), np.where(opposite, 1.0, 0.0), zero, zero)
    return _join([np.where(along, n, q) for n, q in zip(none, quat, strict=True)])


def euler_to_quat(euler: Any, seq: str) -> np.ndarray:
    """The quaternion (..., 4) of three angles (..., 3) [rad] about the axes of seq. mju_euler2Quat

    seq has three letters. Those of "xyz" turn about an axis that has turned already (intrinsic),
    those of "XYZ" about one that stands still (extrinsic); both may be mixed.
    """
    if not isinstance(seq, str) or len(seq) != 3 or set(seq) - set("xyzXYZ"):
        raise ValueError(
            f"seq must be three letters of xyz (intrinsic) or XYZ (extrinsic), got {seq!r}"
        )
    angles = _parts(euler, 3, "euler")
    one, none = np.ones_like(angles[0]), np.zeros_like(angles[0])
    quat = one, none, none, none
    for letter, angle in zip(seq, angles, strict=True):
        turn = [np.cos(0.5 * angle), none, none, none]
        turn["xyz".index(letter.lower()) + 1] = np.sin(0.5 * angle)
        quat = _product(quat, turn) if letter.islower() else _product(turn, quat)
    return _join(quat)


def normalize4(quat: Any) -> np.ndarray:
    """quat (..., 4) at unit length; no turn, (1, 0, 0, 0), where it has none. mju_normalize4

    One that has it to 1e-15 stays as it is.
    """
    return _join(_unit_quat(_parts(quat, 4, "quat")))


def mul_pose(pos1: Any, quat1: Any, pos2: Any, quat2: Any) -> tuple[np.ndarray, np.ndarray]:
    """(pos, quat) of the frame C in A, of that of B in A and of C in B. mju_mulPose

    The quaternion is normalized.
    """
    quat = _product(_parts(quat1, 4, "quat1"), _parts(quat2, 4, "quat2"))
    return trn_vec_pose(pos1, quat1, pos2), _join(_unit_quat(quat))


def neg_pose(pos: Any, quat: Any) -> tuple[np.ndarray, np.ndarray]:
    """(pos, quat) of the frame A in B, of that of B in A. mju_negPose"""
    opposite = neg_quat(quat)
    return -rot_vec_quat(pos, opposite), opposite


def trn_vec_pose(pos: Any, quat: Any, vec: Any) -> np.ndarray:
    """A point (..., 3) given in B, in A: pos and quat are the pose of B in A. mju_trnVecPose"""
    return rot_vec_quat(vec, quat) + _join(_parts(pos, 3, "pos"))


def transform_spatial(
    vec: Any, flg_force: Any, newpos: Any, oldpos: Any, rotnew2old: Any = None
) -> np.ndarray:
    """A 6-vector (..., 6) about another point, in other axes. mju_transformSpatial

    vec is a motion (angular velocity, velocity of the point at oldpos), or with flg_force a force
    (torque about oldpos, force); newpos and oldpos (..., 3) [m] are in its axes. rotnew2old, a
    matrix, has the new axes in its columns; without it they stay.
    """
    parts = _parts(vec, 6, "vec")
    new, old = _parts(newpos, 3, "newpos"), _parts(oldpos, 3, "oldpos")
    r = [x - y for x, y in zip(new, old, strict=True)]
    rotation, translation = parts[:3], parts[3:]
    if flg_force:
        rotation = [x - y for x, y in zip(rotation, _cross(r, translation), strict=True)]
    else:
        translation = [x - y for x, y in zip(translation, _cross(r, rotation), strict=True)]
    if rotnew2old is not None:
        m = _mat(rotnew2old, "rotnew2old")
        rotation, translation = _back(m, rotation), _back(m, translation)
    return _join([*rotation, *translation])


# ------------------------------------------------------------------------------------ by components


def _product(a: Any, b: Any) -> tuple:
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def _cross(a: Any, b: Any) -> tuple:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _turned(v: Any, q: Any) -> list:
    """v + 2 u x (w v + u x v), w and u the scalar and vector part of q"""
    u = q[1:]
    t = [q[0] * x + y for x, y in zip(v, _cross(u, v), strict=True)]
    return [x + 2.0 * y for x, y in zip(v, _cross(u, t), strict=True)]


def _turn(axis: Any, angle: Any) -> tuple:
    s = np.sin(0.5 * angle)
    # without an angle, the axis does not count
    return (np.cos(0.5 * angle), *(np.where(angle == 0.0, 0.0, x * s) for x in axis))


def _integrated(q: Any, v: Any, scale: Any) -> tuple:
    axis, speed = _unit(v)
    return _product(_unit_quat(q), _turn(axis, scale * speed))


def _unit(v: Any) -> tuple[list, Any]:
    """v to unit length, the x axis if it has none; and its length. mju_normalize3"""
    length = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    short = length < MINVAL
    scale = 1.0 / np.where(short, 1.0, length)
    return [np.where(short, e, x * scale) for e, x in zip((1.0, 0.0, 0.0), v, strict=True)], length


def _unit_quat(q: Any) -> list:
    """As `normalize4`."""
    length = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    short = length < MINVAL
    scale = np.where(np.abs(length - 1.0) > MINVAL, 1.0 / np.where(short, 1.0, length), 1.0)
    none = (1.0, 0.0, 0.0, 0.0)
    return [np.where(short, e, x * scale) for e, x in zip(none, q, strict=True)]


def _back(m: Any, v: Any) -> list:
    """m' v: v in the axes that are the columns of m"""
    return [m[k] * v[0] + m[k + 3] * v[1] + m[k + 6] * v[2] for k in range(3)]


# ---------------------------------------------------------------------------------------- arguments


def _numbers(x: Any, name: str) -> np.ndarray:
    array = np.asarray(x)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} takes numbers, got {type(x).__name__}")
    return array.astype(np.float64, copy=False)


def _parts(x: Any, size: int, name: str) -> list[np.ndarray]:
    """The components of vectors that have so many numbers."""
    array = _numbers(x, name)
    if array.shape[-1:] != (size,):
        raise ValueError(f"{name} must have shape (..., {size}), got {array.shape}")
    return [array[..., k] for k in range(size)]


def _mat(x: Any, name: str) -> list[np.ndarray]:
    """The nine numbers of matrices, by rows."""
    array = _numbers(x, name)
    if array.shape[-2:] == (3, 3):
        array = array.reshape(*array.shape[:-2], 9)
    elif array.shape[-1:] != (9,):
        raise ValueError(f"{name} must have shape (..., 9) or (..., 3, 3), got {array.shape}")
    return [array[..., k] for k in range(9)]


def _join(parts: Any) -> np.ndarray:
    """Vectors of components, which may have different leading shapes."""
    return np.stack(np.broadcast_arrays(*parts), axis=-1)
