"""MuJoCo's finite differences, and the same made of whole steps, to compare with."""

import mujoco
import numpy as np

ALL = int(mujoco.mjtState.mjSTATE_INTEGRATION)


def state_of(mj: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    state = np.zeros(mujoco.mj_stateSize(mj, ALL))
    mujoco.mj_getState(mj, data, state, ALL)
    return state


def data_of(mj: mujoco.MjModel, state: np.ndarray) -> mujoco.MjData:
    data = mujoco.MjData(mj)
    mujoco.mj_setState(mj, data, state, ALL)
    return data


def transition(
    mj: mujoco.MjModel, state: np.ndarray, eps: float, centered: bool
) -> list[np.ndarray]:
    """A, B, C, D by mjd_transitionFD."""
    nx, nu, ns = 2 * mj.nv + mj.na, mj.nu, mj.nsensordata
    out = [np.zeros(shape) for shape in ((nx, nx), (nx, nu), (ns, nx), (ns, nu))]
    mujoco.mjd_transitionFD(mj, data_of(mj, state), eps, centered, *out)
    return out


def inverse(
    mj: mujoco.MjModel, state: np.ndarray, qacc: np.ndarray, eps: float, actuation: bool
) -> list[np.ndarray]:
    """DfDq, DfDv, DfDa, DsDq, DsDv, DsDa, DmDq by mjd_inverseFD."""
    nv, ns = mj.nv, mj.nsensordata
    out = [np.zeros((nv, n)) for n in (nv, nv, nv, ns, ns, ns, mj.nC)]
    data = data_of(mj, state)
    mujoco.mj_forward(mj, data)
    data.qacc[:] = qacc
    mujoco.mjd_inverseFD(mj, data, eps, actuation, *out)
    return out


def of_steps(models: list, states: list, eps: float) -> np.ndarray:
    """(y(second) - y(first)) / eps of whole steps, (nx,)"""
    first, second = (data_of(mj, state) for mj, state in zip(models, states, strict=True))
    for mj, data in zip(models, (first, second), strict=True):
        mujoco.mj_step(mj, data)
    dq = np.zeros(models[0].nv)
    mujoco.mj_differentiatePos(models[0], dq, eps, first.qpos, second.qpos)
    return np.concatenate([dq, (second.qvel - first.qvel) / eps, (second.act - first.act) / eps])


def nudged(mj: mujoco.MjModel, state: np.ndarray, column: int, eps: float) -> np.ndarray:
    """A state that is nudged in the tangent space of (qpos, qvel, act)."""
    data, nv = data_of(mj, state), mj.nv
    if column < nv:
        mujoco.mj_integratePos(mj, data.qpos, np.eye(nv)[column], eps)
    elif column < 2 * nv:
        data.qvel[column - nv] += eps
    else:
        data.act[column - 2 * nv] += eps
    return state_of(mj, data)


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference, relative to the largest number or to one."""
    if not other.size:
        return 0.0
    return float(np.abs(one - other).max() / max(1.0, np.abs(other).max()))
