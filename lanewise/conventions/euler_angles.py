"""Euler angles of all 12 sequences: what their names mean, and their way to quaternions and back.

Angles are listed in the order of the letters. With R_x(a) the rotation about x,

    xyz intrinsic   R = R_x(1st) R_y(2nd) R_z(3rd)     each about an axis that has turned already
    xyz extrinsic   R = R_z(3rd) R_y(2nd) R_x(1st)     each about an axis that stands still

so intrinsic xyz is extrinsic zyx with the list reversed, and one formula does for both. SciPy
writes intrinsic sequences with capital letters and extrinsic ones with small letters.

From a quaternion, after Bernardes and Viollet (2022): an extrinsic i-j-k sequence with i = k has

    w + i q_i = cos(b/2) exp(i (a+c)/2)        q_j + i q_k = sin(b/2) exp(i (c-a)/2)

for angles a, b, c; and one with three different axes is that of the rotation turned a quarter
further about j. So the middle angle comes from two lengths and the sum and difference of the others
from two directions, all of them well conditioned. No angle has an accuracy of sqrt(eps), as arcsin
would give it.

Gimbal lock: if one of the two lengths is nought, the outer axes fall together and only the sum or
difference of their angles is known. Then the third angle is 0 and the first has all of the turn.
Close to it both have values; they differ much for a little change, but they give the same matrix.
"""

from dataclasses import dataclass
from math import pi
from typing import Any

from ..errors import ConventionError, did_you_mean
from .arrays import Components, choice, namespace

SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
MODES = ("intrinsic", "extrinsic")
UNITS = ("rad", "deg")
DEGREE, RADIAN = pi / 180.0, 180.0 / pi  # one degree in radians, one radian in degrees

# how close to gimbal lock it is lock, in units of round-off: noise of an exact one, and no more
LOCK = 8.0
ROUND_OFF = {"float64": 2.3e-16, "float32": 1.2e-7, "float16": 9.8e-4, "bfloat16": 7.9e-3}


@dataclass(frozen=True)
class Angles:
    """What three Euler angles mean."""

    sequence: str
    mode: str
    unit: str

    @property
    def name(self) -> str:
        return f"euler_{self.sequence}_{self.mode}_{self.unit}"

    @property
    def fixed(self) -> str:
        """The sequence about axes that stand still."""
        return self.sequence if self.mode == "extrinsic" else self.sequence[::-1]

    def in_fixed_order(self, angles: Components) -> Components:
        """From listed order to the order of `fixed`, or back."""
        return angles if self.mode == "extrinsic" else angles[::-1]


def euler(sequence: str, mode: str, unit: str) -> str:
    """The name of a kind of Euler angles, as in euler("xyz", "intrinsic", "deg")."""
    if sequence not in SEQUENCES:
        small = str(sequence).lower()
        hint = did_you_mean(small, SEQUENCES)
        if small != sequence and small in SEQUENCES:
            hint = f" (write {small!r}; capitals mean nothing here, the second argument does)"
        raise ConventionError(
            f"sequence must be one of {', '.join(SEQUENCES)}; got {sequence!r}{hint}"
        )
    choice(mode, MODES, "mode")
    choice(unit, UNITS, "unit")
    return Angles(sequence, mode, unit).name


def to_other_list(angles: Components, a: Angles, b: Angles) -> Components | None:
    """The angles, if the two kinds only list or measure the same turns otherwise; or else None."""
    if a.fixed != b.fixed:
        return None
    if a.unit != b.unit:
        factor = DEGREE if a.unit == "deg" else RADIAN
        angles = tuple(x * factor for x in angles)
    return b.in_fixed_order(a.in_fixed_order(angles))


def to_quaternion(angles: Components, kind: Angles) -> Components:
    """(w, x, y, z), of half the angles: it is continuous in them, and may have w < 0."""
    xp = namespace(*angles)
    factor = 0.5 * DEGREE if kind.unit == "deg" else 0.5
    q: Components = (1.0, 0.0, 0.0, 0.0)
    for axis, angle in zip(kind.fixed[::-1], kind.in_fixed_order(angles)[::-1]):
        c, s = xp.cos(angle * factor), xp.sin(angle * factor)
        q = _turned(q, "xyz".index(axis), c, s)
    return q


def _turned(q: Components, k: int, c: Any, s: Any) -> Components:
    """q (c + s e_k), a turn about axis k before q"""
    w, v = q[0], q[1:]
    i, j = (k + 1) % 3, (k + 2) % 3
    made = {k: v[k] * c + w * s, i: v[i] * c + v[j] * s, j: v[j] * c - v[i] * s}
    return (w * c - v[k] * s, made[0], made[1], made[2])


def from_quaternion(q: Components, kind: Angles) -> Components:
    """Angles with the middle one in [0, pi] (i-j-i) or [-pi/2, pi/2], the others in [-pi, pi]."""
    xp = namespace(*q)
    w, v = q[0], q[1:]
    i, j, k = ("xyz".index(axis) for axis in kind.fixed)
    symmetric = i == k
    k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    a, b, c, d = w, v[i], v[j], v[k] * sign
    if not symmetric:
        a, b, c, d = a - c, b + d, c + a, d - b

    # where one of the lengths is nought, its direction is replaced, so that gradients stay finite
    a_b, c_d = a * a + b * b, c * c + d * d
    tiny = (LOCK * ROUND_OFF.get(str(w.dtype).split(".")[-1], 2.3e-16)) ** 2
    flat, back = c_d <= tiny, a_b <= tiny  # the middle angle is 0, or pi
    half_sum = xp.arctan2(xp.where(back, 0.0, b), xp.where(back, 1.0, a))
    half_difference = xp.arctan2(xp.where(flat, 0.0, d), xp.where(flat, 1.0, c))
    middle = 2.0 * xp.arctan2(xp.sqrt(xp.where(flat, 1.0, c_d)), xp.sqrt(xp.where(back, 1.0, a_b)))
    middle = xp.where(flat, 0.0, xp.where(back, pi, middle))

    # the listed third angle is the last of the fixed ones, or the first if they are reversed
    other = -1.0 if kind.mode == "extrinsic" else 1.0
    half_difference = xp.where(flat, other * half_sum, half_difference)
    half_sum = xp.where(back, other * half_difference, half_sum)
    first = _wrapped(half_sum - half_difference)
    third = _wrapped(half_sum + half_difference)
    if not symmetric:
        middle, third = middle - pi / 2, third * sign
    angles = kind.in_fixed_order((first, middle, third))
    return tuple(x * RADIAN for x in angles) if kind.unit == "deg" else angles


def _wrapped(x: Any) -> Any:
    """An angle of at most one turn too much, in [-pi, pi]"""
    xp = namespace(x)
    return xp.where(x > pi, x - 2 * pi, xp.where(x < -pi, x + 2 * pi, x))
