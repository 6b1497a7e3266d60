"""Random states of a given model.

`random_state(model, rng)` puts a model in an ordinary but unsymmetric state: quaternions that are
sometimes not normalized, controls and activations beyond their ranges, applied forces, and a
control history that some steps wrote.
"""

import mujoco
import numpy as np


def random_state(
    mj_model: mujoco.MjModel,
    rng: np.random.Generator,
    scale: float = 1.0,
    *,
    history: bool = True,
    odd: bool = True,
) -> mujoco.MjData:
    """An `MjData` of `mj_model` in a random state, not yet forwarded.

    `scale` multiplies positions, velocities and forces. With `history` some steps are simulated
    first, so that delay buffers, plastic states and the warm start are no longer those of a reset.
    With `odd` a few quaternions are not normalized, and rarely one is zero.
    """
    mj_data = mujoco.MjData(mj_model)
    if history and (mj_model.nhistory or mj_model.nplastic or rng.random() < 0.2):
        _fill_history(mj_model, mj_data, rng)
    for j in range(mj_model.njnt):
        adr = mj_model.jnt_qposadr[j]
        kind = mj_model.jnt_type[j]
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            mj_data.qpos[adr : adr + 3] = rng.normal(0, 0.5 * scale, 3)
            mj_data.qpos[adr + 3 : adr + 7] = random_quat(rng, odd)
        elif kind == mujoco.mjtJoint.mjJNT_BALL:
            mj_data.qpos[adr : adr + 4] = random_quat(rng, odd)
        else:
            spread = 0.3 if kind == mujoco.mjtJoint.mjJNT_SLIDE else 1.0
            value = mj_model.qpos0[adr] + rng.normal(0, spread * scale)
            if mj_model.jnt_limited[j]:
                value = np.clip(value, *mj_model.jnt_range[j])
            mj_data.qpos[adr] = value
    mj_data.qvel[:] = rng.normal(0, scale, mj_model.nv)
    if rng.random() < 0.1:
        mj_data.qvel[:] = 0
    mj_data.act[:] = rng.normal(0, 0.6, mj_model.na)
    mj_data.ctrl[:] = rng.normal(0, 1, mj_model.nu)
    mj_data.qfrc_applied[:] = rng.normal(0, scale, mj_model.nv) * (rng.random(mj_model.nv) < 0.5)
    pushed = rng.random((mj_model.nbody, 1)) < 0.4
    mj_data.xfrc_applied[:] = rng.normal(0, scale, (mj_model.nbody, 6)) * pushed
    for k in range(mj_model.nmocap):
        mj_data.mocap_pos[k] = rng.normal(0, 0.5, 3)
        mj_data.mocap_quat[k] = random_quat(rng, odd)
    mj_data.userdata[:] = rng.normal(size=mj_model.nuserdata)
    return mj_data


def random_quat(rng: np.random.Generator, odd: bool) -> np.ndarray:
    """A random orientation; an odd one may have another length than one, rarely none."""
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    if odd:
        kind = rng.random()
        q *= 0.0 if kind < 0.01 else rng.uniform(0.3, 3.0) if kind < 0.3 else 1.0
    return q


def _fill_history(
    mj_model: mujoco.MjModel, mj_data: mujoco.MjData, rng: np.random.Generator
) -> None:
    """Some steps with changing controls. A model that explodes meanwhile stays as reset."""
    mj_data.qvel[:] = rng.normal(0, 0.5, mj_model.nv)
    for _ in range(rng.integers(1, 9)):
        mj_data.ctrl[:] = rng.normal(0, 0.7, mj_model.nu)
        mujoco.mj_step(mj_model, mj_data)
    names = ("qpos", "qvel", "act", "history", "plastic", "qacc_warmstart")
    unfit = any(not np.all(np.abs(getattr(mj_data, name)) < 1e6) for name in names)
    if unfit or any(warning.number for warning in mj_data.warning):
        mujoco.mj_resetData(mj_model, mj_data)
