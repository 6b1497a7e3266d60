"""Every way to read a log, as the axes of small tables.

A log is read in two halves. The angular half of the twist must agree with how the orientation
changes; that depends on five choices, and a table of its residuals has ANGULAR for its axes. The
linear half must agree with how the position changes; its table has LINEAR for its axes. They share
the first three choices, so both together have SHARED + two + two axes, and a residual of all 256
readings is a sum of two small tables.

Points come last, because kinematics knows only how they lie to each other. "same": the velocity is
that of the point whose position is logged. "ahead": of the point that is `com` away from it, which
is the centre of mass if positions are of the origin. "behind": of the point that is -com away.
"world": of the point of the body that is at the world's origin just now. POINTS says what pairs of
(pose_point, velocity_point) each of them can be.
"""

import itertools

import numpy as np

from ..systems import ATTRIBUTES, System

SHARED = ("quaternion", "rotation", "order")
ANGULAR = (*SHARED, "angular_basis", "angular_unit")
LINEAR = (*SHARED, "linear_basis", "points")
CHOICES = (*SHARED, "angular_basis", "angular_unit", "linear_basis", "points")
DETECTED = (
    "quaternion", "rotation", "pose_point", "order", "velocity_point",
    "linear_basis", "angular_basis", "angular_unit", "up",
)  # fmt: skip

ARRANGEMENTS = ("same", "ahead", "behind", "world")
PAIRS = tuple(itertools.product(("origin", "com"), ("origin", "com", "world_origin")))
POINTS = {
    "same": (("origin", "origin"), ("com", "com")),
    "ahead": (("origin", "com"),),
    "behind": (("com", "origin"),),
    "world": (("origin", "world_origin"), ("com", "world_origin")),
}
# if the offset is not known but fitted, it may be that of either from the other
POINTS_FITTED = {**POINTS, "ahead": (("origin", "com"), ("com", "origin")), "behind": ()}
# if it is zero, all points of the body are the same one
POINTS_ZERO = {**POINTS, "same": tuple(p for p in PAIRS if p[1] != "world_origin"),
               "ahead": (), "behind": ()}  # fmt: skip

# the first value of each is at index 0 of its axis
VALUES = {name: ATTRIBUTES[name][0] for name in DETECTED}


def joined(angular: np.ndarray, linear: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two tables, with axes ANGULAR and LINEAR, broadcast against each other to CHOICES."""
    return angular[..., None, None], linear[:, :, :, None, None]


def with_pairs(readings: np.ndarray, fitted: bool, zero: bool) -> np.ndarray:
    """A mask over CHOICES with its last axis, arrangements, replaced by PAIRS.

    `fitted`: the offset is not known. `zero`: it is known to be zero.
    """
    pairs = POINTS_FITTED if fitted else POINTS_ZERO if zero else POINTS
    out = np.zeros((*readings.shape[:-1], len(PAIRS)), bool)
    for k, arrangement in enumerate(ARRANGEMENTS):
        for pair in pairs[arrangement]:
            out[..., PAIRS.index(pair)] |= readings[..., k]
    return out


def named(index: tuple[int, ...]) -> dict[str, str]:
    """The words of one reading; the last index is one of PAIRS."""
    words = {name: VALUES[name][i] for name, i in zip(CHOICES[:-1], index)}
    words["pose_point"], words["velocity_point"] = PAIRS[index[-1]]
    return {name: words[name] for name in DETECTED if name in words}


def named_arrangement(index: tuple[int, ...]) -> tuple[dict[str, str], str]:
    """The words of one reading over CHOICES, and how its points lie to each other."""
    words = {name: VALUES[name][i] for name, i in zip(CHOICES[:-1], index)}
    return words, ARRANGEMENTS[index[-1]]


def possible_values(readings: np.ndarray) -> dict[str, tuple[str, ...]]:
    """What each attribute can be, of a mask over readings with PAIRS for its last axis."""
    out = {}
    for k, name in enumerate(CHOICES[:-1]):
        seen = np.moveaxis(readings, k, 0)
        out[name] = tuple(value for value, is_ in zip(VALUES[name], seen) if is_.any())
    pairs = [bool(readings[..., k].any()) for k in range(len(PAIRS))]
    for k, name in enumerate(("pose_point", "velocity_point")):
        found = {pair[k] for pair, is_ in zip(PAIRS, pairs) if is_}
        out[name] = tuple(value for value in VALUES[name] if value in found)
    return {name: out[name] for name in DETECTED if name in out}


def index_of(row: System) -> tuple[int, ...]:
    """Where a system stands in a mask over readings."""
    choices = tuple(VALUES[name].index(getattr(row, name)) for name in CHOICES[:-1])
    return (*choices, PAIRS.index((row.pose_point, row.velocity_point)))
