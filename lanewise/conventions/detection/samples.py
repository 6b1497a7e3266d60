"""A log as detection takes it: checked, without gaps in rows, and in chunks of moderate size.

Rows that have a NaN, or a quaternion that is none, are left out and counted; the time that they
took stays. Of a long log only some chunks are looked at, evenly spread, so that a million samples
cost as much as ten thousand. Quaternions are divided by their length here: detection reads numbers,
it does not hand them on.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ConventionError
from ..arrays import as_array, check_finite, check_last, concrete

FEWEST = 6  # rows; fewer have no motion to speak of
CHUNK = 256  # rows in a chunk
CHUNKS = 32
LENGTH = 0.1  # how far from one the length of a quaternion may be, noise and all
LARGEST = 1e30  # a number beyond it is no measurement
SHORTEST, LONGEST = 1e-12, 1e9  # seconds between two rows
GAP = 20.0  # steps this many times longer than most are gaps in time, not steps


@dataclass(frozen=True)
class Samples:
    """A log: times (N,), positions (N, 3), quaternions (N, 4) and twists (N, 6) as they came.

    `smallest` are half the steps of their number format at the size of the numbers: positions,
    quaternions, twists. `timed` says that the log has times of its own.
    """

    t: np.ndarray
    pos: np.ndarray
    quat: np.ndarray
    twist: np.ndarray
    smallest: tuple[float, float, float]
    timed: bool
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.t)

    def rows(self, index: np.ndarray) -> "Rows":
        q = self.quat[index].astype(float)
        V = self.twist[index].astype(float)
        return Rows(self.t[index], self.pos[index].astype(float),
                    q / np.linalg.norm(q, axis=-1, keepdims=True),
                    np.stack([V[..., :3], V[..., 3:]]), self.timed)  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """Some rows in double precision: quaternions of length one, and both halves of the twist."""

    t: np.ndarray
    p: np.ndarray
    q: np.ndarray
    halves: np.ndarray
    timed: bool


def samples(pos: Any, quat: Any, twist: Any, dt: Any) -> Samples:
    """A log of arrays; what is wrong with them is said in one sentence."""
    arrays = {
        name: _numbers(x, width, name, what)
        for name, x, width, what in (
            ("pos", pos, 3, "positions"),
            ("quat", quat, 4, "quaternions"),
            ("twist", twist, 6, "velocities, linear and angular in any order"),
        )
    }
    number = len(arrays["pos"])
    if any(len(x) != number for x in arrays.values()):
        sizes = ", ".join(f"{name} {len(x)}" for name, x in arrays.items())
        raise ConventionError(f"pos, quat and twist must have as many rows; got {sizes}")
    t, timed = _times(dt, number)
    usable, notes = _usable(arrays, t)
    if usable.sum() < FEWEST:
        raise ConventionError(
            f"detection needs at least {FEWEST} samples without NaN; got {usable.sum()} of {number}"
        )
    columns = [t, *arrays.values()]
    if not usable.all():
        columns = [x[usable] for x in columns]
    if timed and np.any(np.diff(columns[0]) < SHORTEST):
        where = int(np.flatnonzero(usable)[1:][np.diff(columns[0]) < SHORTEST][0])
        raise ConventionError(f"times must increase; at index {where} they do not")
    t, p, q, V = columns
    return Samples(t, p, q, V, (_smallest(p), _smallest(q), _smallest(V)), timed, notes)


def _numbers(x: Any, width: int, name: str, what: str) -> np.ndarray:
    numbers = concrete(as_array(x, name))
    if numbers is None:
        raise ConventionError(f"{name} is traced by a compiler: detection needs the numbers")
    if numbers.ndim != 2 or numbers.shape[1] != width:
        raise ConventionError(
            f"{name} must have shape (samples, {width}), {what}; got {numbers.shape}"
            f"{_advice(name, width, numbers.shape)}"
        )
    return numbers


def _advice(name: str, width: int, shape: tuple[int, ...]) -> str:
    """How to take one body out of arrays that have more."""
    if len(shape) == 3 and shape[2] == width:
        return f": of several bodies take one, as in {name}[:, 0]"
    if len(shape) == 2 and name in ("pos", "quat") and shape[1] >= 7:
        return (": of qpos take a free joint, which has 7 numbers, as in pos=qpos[:, :3],"
                " quat=qpos[:, 3:7], twist=qvel[:, :6]")  # fmt: skip
    if len(shape) == 2 and name == "twist" and shape[1] > width:
        return ": of qvel take a free joint, which has 6 numbers, as in twist=qvel[:, :6]"
    return ""


def _times(dt: Any, number: int) -> tuple[np.ndarray, bool]:
    """Times of the rows, from the time between two or from the times themselves."""
    given = np.asarray(concrete(as_array(dt, "dt")), float)
    if given.ndim == 0:
        if not SHORTEST <= given <= LONGEST:
            raise ConventionError(f"dt must be a positive number of seconds; got {float(given)}")
        return float(given) * np.arange(number), False
    if given.shape != (number,):
        raise ConventionError(
            f"dt must be the time between two samples, or the times of all {number};"
            f" got shape {given.shape}"
        )
    return given, True


def _usable(arrays: dict[str, np.ndarray], t: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Which rows can be used, and what is to be said of the others."""
    finite = np.abs(t) <= LARGEST
    for x in arrays.values():
        finite &= np.maximum(x.max(axis=1), -x.min(axis=1)) <= LARGEST
    notes = []
    missing = int((~finite).sum())
    if missing == len(t) > 0:
        raise ConventionError(f"every row has a NaN, or a number beyond {LARGEST:g}")
    if missing:
        notes.append(f"{missing} of {len(t)} rows have a NaN and were left out")
    quat = np.where(finite[:, None], arrays["quat"], 0.0)
    length = np.sqrt(np.einsum("ni,ni->n", quat, quat, dtype=np.float64))
    near = np.abs(length - 1.0) < LENGTH
    bad = int((finite & ~near).sum())
    if 2 * bad > finite.sum():
        middle = float(np.median(length[finite]))
        raise ConventionError(f"quat must have length 1; most rows have another, {middle:.3g}")
    if bad:
        notes.append(f"{bad} quaternions are not of length 1; their rows were left out")
    return finite & near, tuple(notes)


def _smallest(x: np.ndarray) -> float:
    """Half the step between neighbouring numbers of the format, at the largest number."""
    return 0.5 * float(np.finfo(x.dtype).eps) * float(max(x.max(), -x.min()))


def known_com(com: Any) -> np.ndarray | None:
    """The offset that the user knows, checked."""
    if com is None:
        return None
    com = np.asarray(concrete(as_array(com, "com")), float)
    check_last(com, 3, "com", "the centre of mass in the body frame")
    check_finite(com, "com")
    if com.shape != (3,):
        raise ConventionError(f"com must be one offset of shape (3,); got {com.shape}")
    if np.abs(com).max() > LARGEST:
        raise ConventionError(f"com is an offset in the body frame, not {com}")
    return com


def chunks(log: Samples, stride: int = 1) -> Rows:
    """Rows in chunks: arrays with axes (chunk, row in it). With a stride, rows are skipped."""
    length = min(CHUNK, (len(log) - 1) // stride + 1)
    span = (length - 1) * stride + 1
    number = min(CHUNKS, max(1, len(log) // span))
    begins = np.linspace(0, len(log) - span, number).astype(int)
    return log.rows(begins[:, None] + stride * np.arange(length))


def matrices(q_wxyz: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of unit quaternions (w, x, y, z)."""
    w, x, y, z = np.moveaxis(q_wxyz, -1, 0)
    R = np.empty((*w.shape, 3, 3))
    R[..., 0, 0] = 1 - 2 * (y * y + z * z)
    R[..., 0, 1] = 2 * (x * y - w * z)
    R[..., 0, 2] = 2 * (x * z + w * y)
    R[..., 1, 0] = 2 * (x * y + w * z)
    R[..., 1, 1] = 1 - 2 * (x * x + z * z)
    R[..., 1, 2] = 2 * (y * z - w * x)
    R[..., 2, 0] = 2 * (x * z - w * y)
    R[..., 2, 1] = 2 * (y * z + w * x)
    R[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return R


def as_wxyz(q: np.ndarray, order: str) -> np.ndarray:
    return q if order == "wxyz" else q[..., [3, 0, 1, 2]]
