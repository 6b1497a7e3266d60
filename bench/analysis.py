"""Jacobians, inertia and inverse dynamics beside MuJoCo's: python -m bench.analysis [--quick]

Questions about 4096 robots, one call of `Batch` beside a Python loop over `mujoco` on the same
states, with arrays that are made before. One thread; both in turns, the least time of several
rounds, without the clock that importing mujoco installs. Answers are compared.
"""

import argparse
import time
from collections.abc import Callable, Iterator

import mujoco
import numpy as np

import lanewise as lw
from lanewise import models
from lanewise.cli import measure
from lanewise.cli.terminal import table

HEADS = ("case", "Lanewise, us/world", "MuJoCo, us/world", "ratio", "difference")
SITE = "measured"

Run = Callable[[], np.ndarray]


def robot(name: str) -> mujoco.MjModel:
    """A bundled robot with a site at the end of a limb."""
    spec = mujoco.MjSpec.from_file(str(models.path(name)))
    spec.bodies[-1].add_site(name=SITE, pos=[0.03, 0.02, -0.1])
    return measure.authored(spec.compile())


def cases(name: str, nsim: int) -> Iterator[tuple[str, Run, Run]]:
    """(what, our answer, MuJoCo's) for the worlds of a robot."""
    mj = robot(name)
    starts, d = measure.Worlds.scattered(mj, nsim), mujoco.MjData(mj)
    b = lw.Batch(mj, nsim, nthread=1)
    b.qpos[:], b.qvel[:] = starts.qpos, starts.qvel
    b.forward()  # as worlds that run: from then on, similar ones share a gang
    qacc = 3.0 * np.random.default_rng(2).normal(size=(nsim, mj.nv))
    site = mj.site(SITE).id

    jacp, jacr = np.zeros((nsim, 3, mj.nv)), np.zeros((nsim, 3, mj.nv))
    M, force = np.zeros((nsim, mj.nv, mj.nv)), np.zeros((nsim, mj.nv))

    def jacobians() -> np.ndarray:
        for k in range(nsim):
            d.qpos[:] = starts.qpos[k]
            mujoco.mj_kinematics(mj, d)
            mujoco.mj_comPos(mj, d)
            mujoco.mj_jacSite(mj, d, jacp[k], jacr[k], site)
        return jacp

    def matrices() -> np.ndarray:
        for k in range(nsim):
            d.qpos[:] = starts.qpos[k]
            mujoco.mj_kinematics(mj, d)
            mujoco.mj_comPos(mj, d)
            mujoco.mj_makeM(mj, d)
            mujoco.mj_fullM(mj, d, M[k])
        return M

    def inverse() -> np.ndarray:
        for k in range(nsim):
            d.qpos[:], d.qvel[:], d.qacc[:] = starts.qpos[k], starts.qvel[k], qacc[k]
            mujoco.mj_inverse(mj, d)
            force[k] = d.qfrc_inverse
        return force

    yield f"{name}, jac_site", lambda: b.jac_site(SITE)[0], jacobians
    yield f"{name}, full_m", b.full_m, matrices
    yield f"{name}, inverse", lambda: b.inverse(qacc), inverse


def race(name: str, ours: Run, theirs: Run, nsim: int, rounds: int) -> tuple[str, ...]:
    """A row of the table."""
    best, answers = [np.inf, np.inf], [ours(), theirs()]
    for _ in range(rounds):
        for k, run in enumerate((ours, theirs)):
            start = time.perf_counter()
            run()
            best[k] = min(best[k], time.perf_counter() - start)
    one, two = (1e6 * t / nsim for t in best)
    apart = np.abs(answers[0] - answers[1]).max() / np.abs(answers[1]).max()
    return name, f"{one:.2f}", f"{two:.2f}", f"{two / one:.1f}", f"{apart:.0e}"


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.analysis", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds, nsim, rows = 5 if parser.parse_args().quick else 20, 4096, []
    with measure.mujoco_clock(False):
        for name in ("humanoid", "quadruped"):
            rows += [race(*case, nsim, rounds) for case in cases(name, nsim)]
    print(table(rows, HEADS))


if __name__ == "__main__":
    main()
