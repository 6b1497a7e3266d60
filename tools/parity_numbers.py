"""Functions of numbers alone, on quaternions, poses and 6-vectors, beside MuJoCo's."""

from typing import Any

import mujoco
import numpy as np

import lanewise as lw
import twins
from parity_findings import Findings
from parity_worlds import parts, residual, there
from support.states import random_quat

# the arrays that a function of MuJoCo's fills, and its other arguments in their order
FILLED: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "mju_rotVecQuat": ((3,), ("vec", "quat")),
    "mju_negQuat": ((4,), ("quat",)),
    "mju_mulQuat": ((4,), ("quat1", "quat2")),
    "mju_mulQuatAxis": ((4,), ("quat", "axis")),
    "mju_axisAngle2Quat": ((4,), ("axis", "angle")),
    "mju_quat2Vel": ((3,), ("quat", "dt")),
    "mju_subQuat": ((3,), ("qa", "qb")),
    "mju_quat2Mat": ((9,), ("quat",)),
    "mju_mat2Quat": ((4,), ("mat",)),
    "mju_derivQuat": ((4,), ("quat", "vel")),
    "mju_quatZ2Vec": ((4,), ("vec",)),
    "mju_euler2Quat": ((4,), ("euler", "seq")),
    "mju_mulPose": ((3, 4), ("pos1", "quat1", "pos2", "quat2")),
    "mju_negPose": ((3, 4), ("pos", "quat")),
    "mju_trnVecPose": ((3,), ("pos", "quat", "vec")),
    "mju_transformSpatial": ((6,), ("vec", "flg_force", "newpos", "oldpos", "rotnew2old")),
}
# those that change their first argument, and their arguments
CHANGED = {
    "mju_quatIntegrate": ("quat", "vel", "scale"),
    "mju_normalize4": ("quat",),
    "mju_mat2Rot": ("quat", "mat"),
}


def numbers(name: str, rng: np.random.Generator) -> dict[str, Any]:
    """Arguments, by the names that tools/twins.toml gives them."""
    names = ("vec", "axis", "vel", "pos", "pos1", "pos2", "newpos", "oldpos", "euler")
    given: dict[str, Any] = {x: rng.normal(size=3) for x in names}
    given |= {x: random_quat(rng, odd=False) for x in ("quat", "quat1", "quat2", "qa", "qb")}
    given["axis"] /= np.linalg.norm(given["axis"])
    given["mat"] = given["rotnew2old"] = np.zeros(9)
    mujoco.mju_quat2Mat(given["mat"], random_quat(rng, odd=False))
    given |= {"angle": rng.normal(), "dt": 0.3, "scale": 0.7, "flg_force": int(rng.integers(2))}
    given["seq"] = "".join(rng.permutation(list("xyz"))) if rng.random() < 0.5 else "ZXY"
    if name == "mju_transformSpatial":
        given["vec"] = rng.normal(size=6)
    if name == "mju_normalize4":
        given["quat"] *= rng.uniform(0.1, 10.0)
    return given


def of_mujoco(name: str, given: dict[str, Any]) -> tuple[np.ndarray, ...]:
    function = getattr(mujoco, name)
    if name in CHANGED:
        first, *others = CHANGED[name]
        changed = given[first].copy()
        function(changed, *(given[x] for x in others))
        return (changed,)
    sizes, names = FILLED[name]
    made = tuple(np.zeros(size) for size in sizes)
    function(*made, *(given[x] for x in names))
    return made


def compare_numbers(found: Findings, rng: np.random.Generator, times: int = 200) -> None:
    """Each of them, on random numbers."""
    for name in (*FILLED, *CHANGED):
        twin = twins.twin_of(name)
        assert twin is not None, name
        for _ in range(times if there(twin.one) else 0):
            given = numbers(name, rng)
            theirs, ours = (
                parts(of_mujoco(name, given)),
                parts(eval(twin.one[0], given | {"lw": lw})),
            )
            if name == "mju_mat2Rot":  # MuJoCo's sign is that of the quaternion it is given
                theirs, ours = ([x[0] * np.sign(x[0][0])] for x in (theirs, ours))
            found.saw(("functions", name, "one"), residual(ours, theirs), "random numbers")
