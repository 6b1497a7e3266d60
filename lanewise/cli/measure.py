"""Measuring speed beside MuJoCo: the same model, the same states, the same steps, in one process.

`RUNNERS` maps the name of a way to simulate to a function that prepares it; what that returns is
called to advance all worlds. Engines are timed in turns and the best round of each counts, so
that a busy machine disturbs all of them alike.

Importing `mujoco` in Python installs a clock callback that MuJoCo calls in every step, which costs
most of a microsecond. `mujoco_clock(False)` removes it for the duration of a measurement; a ratio
to MuJoCo is fair only without it.
"""

import contextlib
import ctypes
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import mujoco
import mujoco.batch
import mujoco.rollout
import numpy as np

from ..batch.batch import Batch
from ..loaders import load
from ..loaders.compiling import compiled
from ..loaders.mujoco_library import mujoco_library


@contextlib.contextmanager
def mujoco_clock(on: bool) -> Iterator[None]:
    """Leave MuJoCo's timer callback in place, or take it away, inside a with block."""
    if on:
        yield
        return
    # mujoco.set_mjcb_time(None) does not remove it: the symbol itself has to be cleared
    callback = ctypes.c_void_p.in_dll(mujoco_library(), "mjcb_time")
    before = callback.value
    callback.value = None
    try:
        yield
    finally:
        callback.value = before


def authored(source) -> mujoco.MjModel:
    """An MjModel as its author made it, but without sensors, which not everybody reads."""
    mj = source if isinstance(source, mujoco.MjModel) else compiled(source)[0]
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_SENSOR
    return mj


def unconstrained(source) -> mujoco.MjModel:
    """The same without contacts, limits, friction losses and equalities."""
    mj = authored(source)
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return mj


@dataclass(frozen=True)
class Worlds:
    """Different starts of one model: all engines begin from these rows."""

    mj: mujoco.MjModel
    qpos: np.ndarray
    qvel: np.ndarray
    ctrl: np.ndarray

    @property
    def nsim(self) -> int:
        return len(self.qpos)

    @classmethod
    def scattered(cls, mj: mujoco.MjModel, nsim: int, seed: int = 0) -> "Worlds":
        """Worlds around the first keyframe, or the reference pose, with velocities and controls."""
        rng = np.random.default_rng(seed)
        qpos = np.tile(mj.key_qpos[0] if mj.nkey else mj.qpos0, (nsim, 1))
        for row, step in zip(qpos, 0.1 * rng.standard_normal((nsim, mj.nv)), strict=True):
            mujoco.mj_integratePos(mj, row, step, 1.0)
        qvel = 0.3 * rng.standard_normal((nsim, mj.nv))
        low, high = mj.actuator_ctrlrange[:, 0], mj.actuator_ctrlrange[:, 1]
        ctrl = low + (high - low) * rng.uniform(0.3, 0.7, (nsim, mj.nu))
        return cls(mj, qpos, qvel, ctrl)


Advance = Callable[..., np.ndarray]  # runs all steps and returns the last qpos


def bytes_each(mj: mujoco.MjModel) -> int:
    """Memory that a world takes in two batches and in what they begin with, about."""
    state = mujoco.mj_stateSize(mj, mujoco.mjtState.mjSTATE_INTEGRATION)
    return 8 * (5 * state + 4 * (mj.nq + mj.nv + mj.nu) + 64)


def bytes_each_recorded(mj: mujoco.MjModel, nstep: int) -> int:
    """Memory that a world's rollout takes: the states and controls of every step."""
    return 8 * nstep * (mujoco.mj_stateSize(mj, _FULL) + mj.nu + mj.nsensordata)


def _batch(batch, worlds: Worlds, nstep: int, restart: bool) -> Advance:
    batch.qpos[:], batch.qvel[:], batch.ctrl[:] = worlds.qpos, worlds.qvel, worlds.ctrl
    start = batch.state.copy()

    def advance(nstep: int = nstep) -> np.ndarray:
        if restart:
            batch.state[:] = start
        batch.step(nstep=nstep)
        return batch.qpos

    vars(advance)["batch"] = batch  # for `resets`
    return advance


def resets(advance: Advance) -> int:
    """How many worlds a Batch has reset because of bad numbers."""
    return int(np.sum(getattr(vars(advance).get("batch"), "resets", 0)))


def lanewise_batch(worlds: Worlds, nstep: int, nthread: int, restart: bool = True) -> Advance:
    """lanewise.Batch.step; from the same start at every call, or going on."""
    return _batch(Batch(load(worlds.mj), worlds.nsim, nthread), worlds, nstep, restart)


def mujoco_batch(worlds: Worlds, nstep: int, nthread: int, restart: bool = True) -> Advance:
    """mujoco.batch.Batch.step; from the same start at every call, or going on."""
    return _batch(mujoco.batch.Batch(worlds.mj, worlds.nsim, nthread), worlds, nstep, restart)


_FULL = mujoco.mjtState.mjSTATE_FULLPHYSICS


def mujoco_rollout(worlds: Worlds, nstep: int, nthread: int) -> Advance:
    """The engine of mujoco.rollout, which records the state of every step."""
    mj, nsim = worlds.mj, worlds.nsim
    datas = [mujoco.MjData(mj) for _ in range(nthread)]
    start = np.zeros((nsim, mujoco.mj_stateSize(mj, _FULL)))
    for k in range(nsim):
        datas[0].qpos[:], datas[0].qvel[:] = worlds.qpos[k], worlds.qvel[k]
        mujoco.mj_getState(mj, datas[0], start[k], _FULL)
    control = np.broadcast_to(worlds.ctrl[:, None], (nsim, nstep, mj.nu)).copy()
    states = np.zeros((nsim, nstep, start.shape[1]))
    sensors = np.zeros((nsim, nstep, mj.nsensordata))
    runner = mujoco.rollout.Rollout(nthread=nthread if nthread > 1 else 0)

    def advance() -> np.ndarray:
        runner.rollout(mj, datas, start, control, nstep=nstep, state=states, sensordata=sensors)
        return states[:, -1, 1 : 1 + mj.nq]

    return advance


def mj_step_loop(worlds: Worlds, nstep: int, nthread: int) -> Advance:
    """A loop over worlds of mj_step(m, d, nstep), the steps of a world counted in C."""
    mj, d = worlds.mj, mujoco.MjData(worlds.mj)
    last = np.empty_like(worlds.qpos)

    def advance() -> np.ndarray:
        for k in range(worlds.nsim):
            mujoco.mj_resetData(mj, d)
            d.qpos[:], d.qvel[:], d.ctrl[:] = worlds.qpos[k], worlds.qvel[k], worlds.ctrl[k]
            mujoco.mj_step(mj, d, nstep)
            last[k] = d.qpos
        return last

    return advance


RUNNERS: dict[str, Callable[..., Advance]] = {
    "lanewise": lanewise_batch,
    "mujoco.batch": mujoco_batch,
    "mujoco.rollout": mujoco_rollout,
    "mj_step loop": mj_step_loop,
}


@dataclass(frozen=True)
class Measured:
    """What a comparison found, by name of the runner."""

    seconds: dict[str, float]  # of the best round
    steps: int  # world-steps in a round
    apart: float  # largest difference of qpos between Lanewise and mujoco.batch, relative

    def microseconds(self, name: str) -> float:
        """Per world and step."""
        return 1e6 * self.seconds[name] / self.steps

    def rate(self, name: str) -> float:
        """World-steps per second."""
        return self.steps / self.seconds[name]

    def ratio(self, name: str = "mujoco.batch") -> float:
        """How many times faster Lanewise is."""
        return self.seconds[name] / self.seconds["lanewise"]


def compare(
    worlds: Worlds,
    nstep: int,
    nthread: int = 1,
    names=tuple(RUNNERS),
    rounds: int = 3,
    clock: bool = False,
) -> Measured:
    """Time runners in turns, `rounds` times each after one to warm up."""
    with mujoco_clock(clock):
        advance = {name: RUNNERS[name](worlds, nstep, nthread) for name in names}
        last = {name: run().copy() for name, run in advance.items()}
        best = dict.fromkeys(names, np.inf)
        for _ in range(rounds):
            for name, run in advance.items():
                begin = time.perf_counter()
                run()
                best[name] = min(best[name], time.perf_counter() - begin)
    apart = np.nan
    if "lanewise" in last and "mujoco.batch" in last:
        difference = np.abs(last["lanewise"] - last["mujoco.batch"])
        apart = float(np.max(difference / np.maximum(1.0, np.abs(last["mujoco.batch"]))))
    return Measured(best, worlds.nsim * nstep, apart)
