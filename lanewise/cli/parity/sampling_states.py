"""States of a model to compare in: most of them in touch, some in motion, a few odd."""

import copy
from collections.abc import Iterator

import mujoco
import numpy as np

FALL = 250  # steps of a simulation from which states are taken


def sound(data: mujoco.MjData) -> bool:
    """Whether a state is worth comparing: finite, of ordinary size, without warnings."""
    if any(warning.number for warning in data.warning):
        return False
    parts = (data.qpos, data.qvel, data.act, data.qacc_warmstart)
    return all(bool(np.all(np.abs(part) < 1e6)) for part in parts)


def states(
    mj: mujoco.MjModel, number: int, rng: np.random.Generator, attempts: int = 12
) -> list[mujoco.MjData]:
    """Starts of steps, warm start included: two thirds of them those with most contacts. Fewer than
    `number` if MuJoCo's own simulations of the model go bad."""
    found: list[tuple[int, mujoco.MjData]] = []
    for attempt in range(attempts):
        if len(found) >= 2 * number:
            break
        scale = 1.0 if attempt < attempts // 2 else 0.2
        for data in [*_odd(mj, rng, scale), *_along(mj, rng, scale)]:
            probe = copy.copy(data)
            mujoco.mj_step(mj, probe)
            if sound(probe):
                found.append((1000 * probe.ncon + probe.nefc, data))
    order = sorted(range(len(found)), key=lambda k: -found[k][0])
    touching = order[: (2 * number + 2) // 3]
    others = [k for k in range(len(found)) if k not in touching]
    return [found[k][1] for k in (touching + others)[:number]]


def _start(mj: mujoco.MjModel, rng: np.random.Generator, scale: float) -> mujoco.MjData:
    """Near the reference or a keyframe, with velocities and controls."""
    data = mujoco.MjData(mj)
    if mj.nkey and rng.random() < 0.5:
        mujoco.mj_resetDataKeyframe(mj, data, int(rng.integers(mj.nkey)))
    mujoco.mj_integratePos(mj, data.qpos, 0.4 * scale * rng.normal(size=mj.nv), 1.0)
    data.qvel[:] = scale * rng.normal(size=mj.nv)
    _control(mj, data, rng, scale)
    return data


def _control(mj: mujoco.MjModel, data: mujoco.MjData, rng, scale: float) -> None:
    data.ctrl[:] = 0.3 * scale * rng.normal(size=mj.nu)
    if mj.nu == mj.nactuator:
        low, high = mj.actuator_ctrlrange.T
        limited = mj.actuator_ctrllimited.astype(bool)
        data.ctrl[limited] = rng.uniform(low, high)[limited]


def _along(mj: mujoco.MjModel, rng, scale: float) -> Iterator[mujoco.MjData]:
    """Moments of a simulation that falls and comes to rest, as long as it is sound."""
    data = _start(mj, rng, scale)
    moments = {int(k) for k in rng.integers(2, FALL, 3)} | {FALL - 1}
    for step in range(FALL):
        if step in moments:
            yield copy.copy(data)
        if step % 50 == 49:
            _control(mj, data, rng, scale)
        mujoco.mj_step(mj, data)
        if not sound(data):
            return


def _odd(mj: mujoco.MjModel, rng, scale: float) -> Iterator[mujoco.MjData]:
    """A state that no simulation came to: pushed, with activations and forces."""
    data = _start(mj, rng, scale)
    data.act[:] = rng.uniform(0, 1, mj.na)
    data.qfrc_applied[:] = scale * rng.normal(size=mj.nv)
    data.xfrc_applied[1:] = scale * rng.normal(size=(mj.nbody - 1, 6))
    data.mocap_pos[:] += 0.1 * scale * rng.normal(size=(mj.nmocap, 3))
    yield data
