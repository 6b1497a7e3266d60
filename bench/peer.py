"""One engine of bench/peers.py, in a process of its own: it waits for its turns on standard input.

python -P bench/peer.py ENGINE MODEL STATES NSTEP CORE

It needs NumPy, the engine and nothing else, so that it runs in the environment of any of them.
STATES is an npz with an array for each part of the state, a row for each world. Every answer is a
line of JSON on standard output: one when all is loaded and compiled, and one for each turn, in
which all worlds take NSTEP steps from their states. Times are processor time of one core: what
else the machine does is not counted.
"""

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

Run = Callable[[], np.ndarray]  # from the states to the positions after NSTEP steps


def _batch(batch: Any, states: dict[str, np.ndarray], nstep: int) -> Run:
    """A Batch of Lanewise or MuJoCo, which have the same interface."""
    parts = ("qpos", "qvel", "act", "ctrl", "qacc_warmstart")

    def run() -> np.ndarray:
        for name in parts:
            getattr(batch, name)[...] = states[name]
        batch.step(nstep=nstep)
        return batch.qpos

    return run


def lanewise(model: str, states: dict[str, np.ndarray], nstep: int) -> tuple[Run, str]:
    import lanewise as lw

    batch = lw.Batch(_quiet(model), len(states["qpos"]), nthread=1)
    return _batch(batch, states, nstep), f"Lanewise {lw.__version__}"


def mujoco_batch(model: str, states: dict[str, np.ndarray], nstep: int) -> tuple[Run, str]:
    import mujoco.batch

    batch = mujoco.batch.Batch(_quiet(model), len(states["qpos"]), 1)
    return _batch(batch, states, nstep), f"MuJoCo {version('mujoco')}"


def mujoco_rollout(model: str, states: dict[str, np.ndarray], nstep: int) -> tuple[Run, str]:
    import mujoco.rollout

    mj = _quiet(model)
    spec, nsim = mujoco.mjtState.mjSTATE_FULLPHYSICS, len(states["qpos"])
    d = mujoco.MjData(mj)
    start = np.zeros((nsim, mujoco.mj_stateSize(mj, spec)))
    for k in range(nsim):
        d.qpos[:], d.qvel[:], d.act[:] = (states[name][k] for name in ("qpos", "qvel", "act"))
        mujoco.mj_getState(mj, d, start[k], spec)
    control = np.broadcast_to(states["ctrl"][:, None], (nsim, nstep, mj.nu)).copy()
    out = np.zeros((nsim, nstep, start.shape[1]))
    sensors = np.zeros((nsim, nstep, mj.nsensordata))
    runner = mujoco.rollout.Rollout(nthread=0)

    def run() -> np.ndarray:
        runner.rollout(
            mj, [d], start, control, nstep=nstep, state=out, sensordata=sensors,
            initial_warmstart=states["qacc_warmstart"],
        )  # fmt: skip
        return out[:, -1, 1 : 1 + mj.nq]

    return run, f"MuJoCo {version('mujoco')}"


def mjx(model: str, states: dict[str, np.ndarray], nstep: int) -> tuple[Run, str]:
    import jax
    from mujoco import mjx

    m = mjx.put_model(_quiet(model))
    data = mjx.make_data(m)
    worlds = jax.vmap(lambda state: data.replace(**state))(
        {name: jax.numpy.asarray(values) for name, values in states.items()}
    )

    @jax.jit
    @jax.vmap
    def steps(d: Any) -> Any:
        return jax.lax.fori_loop(0, nstep, lambda _, d: mjx.step(m, d), d)

    def run() -> np.ndarray:
        return np.asarray(jax.block_until_ready(steps(worlds)).qpos)

    return run, f"MJX {version('mujoco-mjx')}, JAX {version('jax')}"


def warp(model: str, states: dict[str, np.ndarray], nstep: int) -> tuple[Run, str]:
    import mujoco_warp as mjw
    import warp as wp

    wp.config.quiet = True
    mj = _quiet(model)
    with wp.ScopedDevice("cpu"):
        m = mjw.put_model(mj)
        d = mjw.make_data(mj, nworld=len(states["qpos"]), nconmax=64, njmax=320)

    def run() -> np.ndarray:
        with wp.ScopedDevice("cpu"):
            for name, values in states.items():
                getattr(d, name).assign(values.astype(np.float32))
            for _ in range(nstep):
                mjw.step(m, d)
            wp.synchronize()
            return d.qpos.numpy()

    return run, f"MuJoCo Warp {version('mujoco-warp')}, Warp {version('warp-lang')}"


ENGINES = {
    "lanewise": lanewise, "mujoco.batch": mujoco_batch, "mujoco.rollout": mujoco_rollout,
    "MJX": mjx, "MuJoCo Warp": warp,
}  # fmt: skip


def _quiet(model: str) -> Any:
    """The MjModel; sensors are left out by all engines."""
    import mujoco

    mj = mujoco.MjModel.from_xml_path(model)
    mj.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
    return mj


def _without_clock() -> contextlib.AbstractContextManager:
    """MuJoCo's clock callback is removed where Lanewise is there to do it."""
    try:
        from lanewise.cli.measure import mujoco_clock
    except ImportError:
        return contextlib.nullcontext()
    return mujoco_clock(False)


def main() -> None:
    engine, model, file, nstep, core = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core)})  # for all threads that are started from now on
    say = os.fdopen(os.dup(1), "w")  # what libraries print goes elsewhere
    os.dup2(2, 1)
    states = dict(np.load(file))
    begin = time.perf_counter()
    run, versions = ENGINES[engine](model, states, int(nstep))
    with _without_clock():
        last = run()
        known = {"versions": versions, "first": time.perf_counter() - begin}
        print(json.dumps(known | {"qpos": np.asarray(last, float).tolist()}), file=say, flush=True)
        for _ in sys.stdin:
            begin = time.process_time()
            run()
            print(json.dumps({"seconds": time.process_time() - begin}), file=say, flush=True)


if __name__ == "__main__":
    main()
