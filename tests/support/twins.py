"""Functions of MuJoCo's that return what ours of the same meaning return, by our names.

`TWINS[name](mj_model, mj_data, ...)` has the arguments of `lanewise.name`, and its results.
"""

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from support import parity

OBJECTS = {"body": 1, "xbody": 2, "geom": 5, "site": 6, "camera": 7}  # mjtObj


def same(name: str, ours: Any, theirs: Any, label: str = "", tolerance: float = 1e-9) -> None:
    """Compare results, relative to their largest number or to one; and note the residual."""
    ours, theirs = (x if isinstance(x, tuple) else (x,) for x in (ours, theirs))
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert a.shape == b.shape, f"{name} {label}: {a.shape}, not {b.shape}"
        value = parity.residual(a, b, np.ones(b.shape, bool)) if b.size else 0.0
        if value > parity.RESIDUALS.get(("functions", name), (-1.0, ""))[0]:
            parity.RESIDUALS["functions", name] = (value, label)
        assert value <= tolerance, f"{name} {label}: {value:.3g}"


def _two(call: Callable) -> Callable:
    """(jacp, jacr) of a function that fills them."""

    def twin(mj: mujoco.MjModel, d: mujoco.MjData, *arguments: Any) -> tuple:
        jacp, jacr = np.full((3, mj.nv), np.nan), np.full((3, mj.nv), np.nan)
        if mj.nv:
            call(mj, d, jacp, jacr, *arguments)
        return jacp, jacr

    return twin


def _one(call: Callable) -> Callable:
    def twin(mj: mujoco.MjModel, d: mujoco.MjData, body: int) -> np.ndarray:
        jacp = np.full((3, mj.nv), np.nan)
        if mj.nv:
            call(mj, d, jacp, body)
        return jacp

    return twin


def _motion(call: Callable) -> Callable:
    def twin(mj: mujoco.MjModel, d: mujoco.MjData, kind: str, id: int, local: bool) -> np.ndarray:
        value = np.full(6, np.nan)
        call(mj, d, OBJECTS[kind], id, value, local)
        return value

    return twin


def _local_to_global(mj, d, pos, quat, body, sameframe=0):
    xpos, xmat = np.full(3, np.nan), np.full(9, np.nan)
    mujoco.mj_local2Global(d, xpos, xmat, pos, quat, body, sameframe)
    return xpos, xmat


def _apply_ft(mj, d, force, torque, point, body):
    qfrc = np.zeros(mj.nv)
    mujoco.mj_applyFT(mj, d, force, torque, point, body, qfrc)
    return qfrc


def _full_m(mj, d):
    M = np.full((mj.nv, mj.nv), np.nan)
    mujoco.mj_fullM(mj, d, M)
    return M


def _solve_m2(mj, d, x):
    y = np.full((1, mj.nv), np.nan)
    mujoco.mj_solveM2(mj, d, y, x[None].copy(), np.sqrt(d.qLDiagInv))
    return y[0]


def _integrate_pos(mj, qpos, qvel, dt):
    qpos = qpos.copy()
    mujoco.mj_integratePos(mj, qpos, qvel, dt)
    return qpos


def _differentiate_pos(mj, dt, qpos1, qpos2):
    qvel = np.full(mj.nv, np.nan)
    mujoco.mj_differentiatePos(mj, qvel, dt, qpos1, qpos2)
    return qvel


def _normalize_quat(mj, qpos):
    qpos = qpos.copy()
    mujoco.mj_normalizeQuat(mj, qpos)
    return qpos


def _mul_jac_vec(mj, d, x):
    y = np.full(d.nefc, np.nan)
    mujoco.mj_mulJacVec(mj, d, y, x)
    return y


def _mul_jac_t_vec(mj, d, x):
    y = np.full(mj.nv, np.nan)
    mujoco.mj_mulJacTVec(mj, d, y, x)
    return y


TWINS: dict[str, Callable] = {
    "jac": _two(mujoco.mj_jac),
    "jac_body": _two(mujoco.mj_jacBody),
    "jac_body_com": _two(mujoco.mj_jacBodyCom),
    "jac_geom": _two(mujoco.mj_jacGeom),
    "jac_site": _two(mujoco.mj_jacSite),
    "jac_point_axis": _two(mujoco.mj_jacPointAxis),
    "jac_dot": _two(mujoco.mj_jacDot),
    "jac_subtree_com": _one(mujoco.mj_jacSubtreeCom),
    "angmom_mat": _one(mujoco.mj_angmomMat),
    "object_velocity": _motion(mujoco.mj_objectVelocity),
    "object_acceleration": _motion(mujoco.mj_objectAcceleration),
    "local_to_global": _local_to_global,
    "apply_ft": _apply_ft,
    "full_m": _full_m,
    "solve_m2": _solve_m2,
    "mul_jac_vec": _mul_jac_vec,
    "mul_jac_t_vec": _mul_jac_t_vec,
    "integrate_pos": _integrate_pos,
    "differentiate_pos": _differentiate_pos,
    "normalize_quat": _normalize_quat,
}


def counts(mj: mujoco.MjModel) -> dict[str, int]:
    """How many objects there are of each kind with a frame."""
    sizes = mj.nbody, mj.nbody, mj.ngeom, mj.nsite, mj.ncam
    return dict(zip(OBJECTS, sizes, strict=True))


def forwarded(mj: mujoco.MjModel, states: list[mujoco.MjData]) -> list[mujoco.MjData]:
    """The same, with all that follows from the states."""
    for d in states:
        mujoco.mj_forward(mj, d)
        mujoco.mj_rnePostConstraint(mj, d)
    return states
