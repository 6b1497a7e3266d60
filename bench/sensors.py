"""Sensors and rollouts beside MuJoCo's: python -m bench.sensors [--quick]

Robots with an IMU, touch, force and joint sensors, settled on the ground: steps of `Batch` whose
sensordata are read beside `mujoco.batch.Batch`, and `lanewise.rollout` beside `mujoco.rollout`. One
thread; both engines in turns, the least time of several rounds.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial

import mujoco
import mujoco.batch
import mujoco.rollout
import numpy as np

import lanewise as lw
import lanewise.rollout
from lanewise import models
from lanewise.cli.terminal import table

HEADS = ("case", "Lanewise, us/step", "MuJoCo, us/step", "ratio", "Lanewise without sensors")


def sensing(name: str) -> mujoco.MjModel:
    """A bundled robot with an IMU, touch and force sensors on its limbs, and joint sensors."""
    spec = mujoco.MjSpec.from_file(str(models.path(name)))
    bodies = [b for b in spec.bodies if b.name != "world"]
    for k, body in enumerate((bodies[0], *bodies[-4:])):
        box = mujoco.mjtGeom.mjGEOM_BOX
        body.add_site(name=f"senses {k}", type=box, size=[0.15, 0.15, 0.15])
    kinds, at = mujoco.mjtSensor, mujoco.mjtObj

    def add(kind: str, objtype: str, objname: str) -> None:
        sensor = spec.add_sensor()
        sensor.type, sensor.objtype = (
            getattr(kinds, f"mjSENS_{kind}"),
            getattr(at, f"mjOBJ_{objtype}"),
        )
        sensor.objname = objname

    for kind in ("ACCELEROMETER", "GYRO", "VELOCIMETER"):
        add(kind, "SITE", "senses 0")
    for k in range(1, 5):
        for kind in ("TOUCH", "FORCE", "TORQUE"):
            add(kind, "SITE", f"senses {k}")
    scalar = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
    for joint in spec.joints:
        if joint.type in scalar and joint.name:
            add("JOINTPOS", "JOINT", joint.name)
            add("JOINTVEL", "JOINT", joint.name)
    return spec.compile()


def least(rounds: int, *runs: Callable[[], object]) -> list[float]:
    """The least time of each, taken in turns."""
    best = [float("inf")] * len(runs)
    for _ in range(rounds):
        for k, run in enumerate(runs):
            start = time.perf_counter()
            run()
            best[k] = min(best[k], time.perf_counter() - start)
    return best


def settled(mj: mujoco.MjModel, nsim: int) -> np.ndarray:
    """States of worlds that have come to rest on the ground, more or less."""
    rng = np.random.default_rng(0)
    full = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)
    rows = np.zeros((nsim, mujoco.mj_stateSize(mj, full)))
    data = mujoco.MjData(mj)
    for k in range(nsim):
        if k % 16 == 0:
            mujoco.mj_resetData(mj, data)
            if mj.nkey:
                mujoco.mj_resetDataKeyframe(mj, data, 0)
            data.qpos[7:] += 0.1 * rng.normal(size=mj.nq - 7)
            mujoco.mj_step(mj, data, 500)
        mujoco.mj_step(mj, data, 5)
        mujoco.mj_getState(mj, data, rows[k], full)
    return rows


def cases(quick: bool) -> list[tuple[str, ...]]:
    mujoco.set_mjcb_time(None)
    rounds, nstep, rows = 3 if quick else 7, 20, []
    for name in ("humanoid", "quadruped"):
        mj = sensing(name)
        nsim = 256
        states = settled(mj, nsim)
        full = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)
        ours, blind = (lw.Batch(lw.load(mj), nsim, nthread=1) for _ in range(2))
        theirs = mujoco.batch.Batch(mj, nsim, 1)
        ours.bind("sensordata")
        _ = theirs.sensordata
        for batch in (ours, blind):
            batch.set_state(states, full)
        theirs.qpos[:], theirs.qvel[:] = ours.qpos, ours.qvel
        runs = [partial(b.step, nstep=nstep) for b in (ours, theirs, blind)]
        times = [t / nsim / nstep * 1e6 for t in least(rounds, *runs)]
        rows.append(_row(f"{name}, sensors read", *times))
        control = 0.1 * np.random.default_rng(1).normal(size=(nsim, 100, mj.nu))
        arguments = mj, mujoco.MjData(mj), states, control
        both = [partial(f, *arguments) for f in (lanewise.rollout.rollout, mujoco.rollout.rollout)]
        times = [t / nsim / 100 * 1e6 for t in least(max(rounds // 2, 2), *both)]
        rows.append(_row(f"{name}, rollout", *times))
    return rows


def _row(name: str, ours: float, theirs: float, blind: float | None = None) -> tuple[str, ...]:
    last = "" if blind is None else f"{blind:.2f}"
    return name, f"{ours:.2f}", f"{theirs:.2f}", f"{theirs / ours:.2f}", last


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    print(table(cases(parser.parse_args().quick), HEADS))
