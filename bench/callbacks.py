"""What user code costs in a step: python -m bench.callbacks [--rounds N]

Humanoids on one thread, from the same states at every run: without user code, with a control kernel
that does nothing, with a PD controller, with a neural network. They run in turns; the median of
the ratios to the run without user code counts, of times of the processor, not of the clock.
"""

import argparse
import statistics
import time
from typing import Any

import numpy as np

import lanewise as lw
from lanewise import models
from lanewise.callbacks import dense, dense_tanh
from lanewise.cli import measure
from lanewise.cli.terminal import table

NU, SEEN, HIDDEN = 21, 42, 64  # actuators of the humanoid, what its network sees, its hidden layer


@lw.kernel
def empty(m, d):
    pass


@lw.kernel
def pd(m, d, p):
    """Every hinge towards a pose."""
    for i in range(m.nu):
        j = m.actuator_trnid[i, 0]
        q, v = m.jnt_qposadr[j], m.jnt_dofadr[j]
        d.ctrl[i] = p.kp[i] * (p.pose[i] - d.qpos[q]) - p.kd[i] * d.qvel[v]


@lw.kernel
def policy(m, d, p):
    """A network of two layers of 64."""
    for i in range(NU):
        p.seen[i] = d.qpos[7 + i]
        p.seen[NU + i] = d.qvel[6 + i]
    dense_tanh(p.w1, p.b1, p.seen, p.h1, SEEN, HIDDEN)
    dense_tanh(p.w2, p.b2, p.h1, p.h2, HIDDEN, HIDDEN)
    dense(p.w3, p.b3, p.h2, d.ctrl, HIDDEN, NU)


def codes() -> dict[str, dict]:
    """Arguments of `lanewise.load` by name."""
    rng = np.random.default_rng(0)
    gains = {"kp": np.full(NU, 0.5), "kd": np.full(NU, 0.05), "pose": np.zeros(NU)}
    shapes: dict[str, Any] = {
        "w1": (HIDDEN, SEEN), "b1": HIDDEN, "w2": (HIDDEN, HIDDEN), "b2": HIDDEN,
        "w3": (NU, HIDDEN), "b3": NU,
    }  # fmt: skip
    weights = {name: 0.1 * rng.standard_normal(shape) for name, shape in shapes.items()}
    scratch = {"seen": SEEN, "h1": HIDDEN, "h2": HIDDEN}
    return {
        "no user code": {},
        "empty control kernel": {"control": empty},
        "PD controller": {"control": pd, "parameters": gains},
        "network 42-64-64-21": {"control": policy, "parameters": weights, "scratch": scratch},
    }


def measure_codes(nsim: int, nstep: int, rounds: int) -> dict[str, tuple[float, float]]:
    """{name: (microseconds per world and step, the median of its ratios to none)}"""
    worlds = measure.Worlds.scattered(measure.unconstrained(models.path("humanoid")), nsim)
    batches = {}
    for name, code in codes().items():
        b = lw.Batch(lw.load(worlds.mj, **code), nsim, nthread=1)
        b.qpos, b.qvel, b.ctrl = worlds.qpos, worlds.qvel, worlds.ctrl
        batches[name] = (b, b.state.copy())
    times: dict[str, list[float]] = {name: [] for name in batches}
    for k in range(rounds + 1):
        for name, (b, state) in batches.items():
            b.state[:] = state
            begin = time.thread_time()
            b.step(nstep=nstep)
            if k:  # the first round warms up
                times[name].append(time.thread_time() - begin)
    none = next(iter(times.values()))
    return {
        name: (
            1e6 * min(found) / (nsim * nstep),
            statistics.median(t / t0 for t, t0 in zip(found, none, strict=True)),
        )
        for name, found in times.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.callbacks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--nsim", type=int, default=1024)
    parser.add_argument("--nstep", type=int, default=10)
    arguments = parser.parse_args()
    found = measure_codes(arguments.nsim, arguments.nstep, arguments.rounds)
    rows: list[tuple] = [
        (name, f"{us:.3f}", f"{100 * (ratio - 1):+.1f} %") for name, (us, ratio) in found.items()
    ]
    print(table(rows, ("user code", "us per world and step", "more")))


if __name__ == "__main__":
    main()
