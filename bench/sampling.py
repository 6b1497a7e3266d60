"""Samples and inverse dynamics beside MuJoCo's: python -m bench.sampling [--quick]

Forward dynamics of worlds that stand on the floor, each at many controls, velocities or positions:
`Batch.sample`, `Batch.forward` of a world for every sample, and a Python loop over
`mj_forwardSkip`, which skips the same stages. Inverse dynamics of many worlds: `Batch.inverse`, and
a Python loop over `mj_inverse`. One thread, no sensors; all in turns, the least time of several
rounds, of which what others do on the machine is no part.
"""

import argparse
import time
from collections.abc import Callable, Sequence

import mujoco
import numpy as np

import lanewise as lw
from lanewise import models
from lanewise.cli import measure
from lanewise.cli.terminal import table

INTEGRATION = mujoco.mjtState.mjSTATE_INTEGRATION
SKIP = {"ctrl": 2, "qvel": 1, "qpos": 0}  # the stages that a change leaves alone, mjtStage


def least(
    calls: Sequence[Callable[[], object]], rounds: int, before: Callable[[], object] = tuple
) -> list[float]:
    """Seconds that each call keeps this thread busy, in turns; `before` comes before each turn."""
    best = [np.inf] * len(calls)
    with measure.mujoco_clock(False):
        for _ in range(rounds):
            before()
            for k, call in enumerate(calls):
                start = time.thread_time()
                call()
                best[k] = min(best[k], time.thread_time() - start)
    return best


def standing(name: str, nsim: int) -> tuple[mujoco.MjModel, lw.Batch]:
    """Worlds that have fallen to the floor."""
    mj = measure.authored(models.path(name))
    starts, b = measure.Worlds.scattered(mj, nsim), lw.Batch(mj, nsim, 1)
    b.qpos[:], b.qvel[:], b.ctrl[:] = starts.qpos, starts.qvel, starts.ctrl
    b.step(nstep=400)
    return mj, b


def samples(name: str, varied: str, nsim: int, k: int, rounds: int) -> tuple[str, ...]:
    mj, b = standing(name, nsim)
    row = b.bind(varied)
    rng = np.random.default_rng(1)
    inputs = row[:, None] + rng.normal(scale=0.01, size=(nsim, k, row.shape[1]))
    many = lw.Batch(mj, nsim * k, 1)
    many.state[:] = np.repeat(b.state, k, axis=0)
    target, d = many.bind(varied), mujoco.MjData(mj)
    out = {"qacc": np.zeros((nsim, k, mj.nv))}
    theirs = np.zeros((nsim, k, mj.nv))

    def forward() -> None:
        target[:] = inputs.reshape(target.shape)
        many.forward()

    def loop() -> None:
        for w in range(nsim):
            mujoco.mj_setState(mj, d, b.state[w], INTEGRATION)
            mujoco.mj_forwardSkip(mj, d, 0, 1)
            x = getattr(d, varied)
            for j in range(k):
                x[:] = inputs[w, j]
                d.qacc_warmstart[:] = b.qacc_warmstart[w]
                mujoco.mj_forwardSkip(mj, d, SKIP[varied], 1)
                theirs[w, j] = d.qacc

    many.bind("qacc")
    calls = (lambda: b.sample({varied: inputs}, out=out), forward, loop)
    # in another order each time: a Batch puts worlds beside those that took as long
    ours, repeated, python = least(calls, rounds, lambda: rng.shuffle(inputs, axis=1))
    np.testing.assert_array_equal(out["qacc"].reshape(-1, mj.nv), many.qacc)
    scale = max(1.0, np.abs(theirs).max())
    np.testing.assert_allclose(out["qacc"], theirs, atol=1e-5 * scale)
    each = [f"{1e6 * s / (nsim * k):.2f}" for s in (ours, repeated, python)]
    what = f"{name}, {nsim} worlds, {k} x {varied}"
    return (what, *each, f"{repeated / ours:.2f}", f"{python / ours:.2f}")


def inverse(name: str, nsim: int, rounds: int) -> tuple[str, ...]:
    mj, b = standing(name, nsim)
    qacc = np.random.default_rng(1).normal(size=(nsim, mj.nv))
    theirs, d = np.zeros((nsim, mj.nv)), mujoco.MjData(mj)

    def loop() -> None:
        for w in range(nsim):
            d.qpos[:], d.qvel[:], d.qacc[:] = b.qpos[w], b.qvel[w], qacc[w]
            mujoco.mj_inverse(mj, d)
            theirs[w] = d.qfrc_inverse

    ours, python = least((lambda: b.inverse(qacc), loop), rounds)
    scale = max(1.0, np.abs(theirs).max())
    np.testing.assert_allclose(b.inverse(qacc), theirs, atol=1e-6 * scale)
    each = [f"{1e6 * s / nsim:.2f}" for s in (ours, python)]
    return (f"{name}, {nsim} worlds", *each, f"{python / ours:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.sampling", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and worlds")
    quick = parser.parse_args().quick
    rounds, nsim, many = (3, 16, 256) if quick else (10, 64, 4096)
    cases = (("humanoid", nsim, 64), ("humanoid", 1, 256), ("quadruped", nsim, 64))
    rows = [samples(name, varied, n, k, rounds) for name, n, k in cases for varied in SKIP]
    heads = ("samples", "sample, us", "forward, us", "mj_forwardSkip, us", "ratio", "ratio")
    print(table(rows, heads))
    rows = [inverse(name, many, rounds) for name in ("humanoid", "quadruped", "arm")]
    print(table(rows, ("inverse dynamics", "inverse, us", "mj_inverse, us", "ratio")))


if __name__ == "__main__":
    main()
