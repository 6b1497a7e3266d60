"""Augmented random search (Mania, Guy and Recht, 2018; their version V2-t), with NumPy alone.

    python examples/train_ars.py                     HalfCheetah-v5, to the published 3430
    python examples/train_ars.py --task Hopper       to 3120
    python examples/train_ars.py --quick             seconds, to see it run
    python examples/train_ars.py --through env       through the vector environment, to compare

A policy is a matrix, u = M (s - mean) / deviation. A round tries M + noise * D and M - noise * D
for many random directions D, each in a world of its own, and goes along those directions whose
better side was best. The returns are had in one of two ways:

    kernel  The policy is compiled into the step, with weights that differ between worlds. It asks
            the task's own kernel for observation and reward, and adds up what ARS wants to know. An
            episode of all worlds is a few calls, and no Python runs in between.
    env     Observations come out of `VectorEnv.step`, actions go in, a thousand times.

Both have the same starts and the same returns to round-off. What was learnt is saved in a folder:
the policy for `lanewise view MODEL --policy`, the same as a kernel for `--control`, the numbers of
all evaluations, and the curve.
"""

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import lanewise as lw
from lanewise.callbacks import dense
from lanewise.gym import TASKS, VectorEnv
from lanewise.gym.tasks.walkers import planar
from lanewise.lanes import any_lane, where

CHUNK = 100  # environment steps in a call; who has fallen takes no part in the next


@dataclass(frozen=True)
class Settings:
    """Of a task: those of the paper's tables, and the return that its authors call solved."""

    directions: int
    best: int  # directions that count
    rate: float
    noise: float
    bonus: float  # for being alive, which is not learnt from
    solved: float
    rounds: int  # at most
    every: int  # rounds between evaluations
    steps: int = 1000  # of an episode


SETTINGS = {
    "HalfCheetah": Settings(32, 4, 0.02, 0.03, 0.0, 3430.0, 200, 2),
    "Hopper": Settings(8, 4, 0.01, 0.025, 1.0, 3120.0, 2000, 10),
    "Walker2d": Settings(40, 30, 0.03, 0.025, 1.0, 4390.0, 1000, 10),
}


# ----------------------------------------------------------------------------- the policy in a step


@lw.kernel
def drive(m, d, p):
    """Where an action is due: what the last one brought, then the next one."""
    due = p.wait[0] <= 0.0
    p.wait[0] = where(due, p.every[0], p.wait[0]) - 1.0
    if any_lane(due):
        planar(m, d, p)
        # the first call of an episode has no action behind it
        counts = due & (p.alive[0] > 0.0) & (p.taken[0] > 0.0)
        p.total[0] = p.total[0] + where(counts, p.reward - p.bonus[0], 0.0)
        p.length[0] = p.length[0] + where(counts, 1.0, 0.0)
        p.alive[0] = where(counts & (p.terminated > 0.0), 0.0, p.alive[0])
        p.taken[0] = where(due, 1.0, p.taken[0])
        goes_on = due & (p.alive[0] > 0.0)
        for i in range(m.nq + m.nv - 1):
            p.sums[i] = p.sums[i] + where(goes_on, p.obs[i], 0.0)
            p.squares[i] = p.squares[i] + where(goes_on, p.obs[i] * p.obs[i], 0.0)
        dense(p.weights_of_policy, p.bias, p.obs, p.action, m.nq + m.nv - 1, m.nu)
        cost = 0.0
        for i in range(m.nu):
            d.ctrl[i] = where(due, p.action[i], d.ctrl[i])
            cost += p.action[i] * p.action[i]
        p.ctrl_cost = where(due, p.cost_weight[0] * cost, p.ctrl_cost)
        p.before[0] = where(due, d.qpos[0], p.before[0])


ADDED = ("wait", "taken", "total", "length", "alive", "sums", "squares")


def calls_of(m: Any) -> int:
    """How often a step asks for controls: Runge-Kutta does so four times."""
    return 4 if m.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4 else 1


def driven(name: str, bonus: float) -> Any:
    """A task of Gymnasium's with the policy in it."""

    plain: Any = TASKS[name]

    class Driven(plain):
        kernels = {"control": drive}  # noqa: RUF012
        parameters: Any

        def describe(self, m: Any) -> None:
            super().describe(m)
            n = self.obs_size
            self.parameters = {
                **self.parameters, "every": [calls_of(m) * self.frame_skip], "bonus": [bonus],
                "cost_weight": [self.ctrl_cost_weight], "weights_of_policy": np.zeros((m.nu, n)),
                "bias": np.zeros(m.nu),
            }  # fmt: skip
            sizes = dict.fromkeys(ADDED[:5], 1) | {"sums": n, "squares": n}
            self.state = {**plain.state, **sizes}
            self.scratch = {"action": m.nu}

    Driven.__name__ = name
    return Driven()


# -------------------------------------------------------------------------------- returns of worlds


class Kernel:
    """Episodes with the policy inside of the step."""

    def __init__(self, name: str, num: int, settings: Settings, nthread: int = 0):
        self.env = VectorEnv(driven(name, settings.bonus), num, nthread=nthread)
        self.batch, self.settings = self.env.batch, settings
        self.weights = self.batch.parameters.expand("weights_of_policy")
        self.bias = self.batch.parameters.expand("bias")
        self.parts = {part: self.batch.user(part) for part in ADDED}

    def episodes(self, weights: np.ndarray, bias: np.ndarray, seed: int) -> "Episodes":
        self.weights[:], self.bias[:] = weights, bias
        self.env.reset(seed=seed)
        for part in self.parts.values():
            part[:] = 0.0
        self.parts["alive"][:] = 1.0
        skip, steps = self.env.task.frame_skip, self.settings.steps
        live: Any = None  # all
        for done in range(0, steps, CHUNK):
            self.batch.step(live, nstep=skip * min(CHUNK, steps - done))
            live = np.flatnonzero(self.parts["alive"][:, 0])
            if not len(live):
                break
        sums, squares = self.parts["sums"].sum(axis=0), self.parts["squares"].sum(axis=0)
        if len(live):  # the reward of the last action is seen in the next step
            self.batch.step(live, nstep=1)
        total, length = self.parts["total"][:, 0].copy(), self.parts["length"][:, 0].copy()
        return Episodes(total, length, sums, squares)


class Env:
    """Episodes through a vector environment of any maker: Gymnasium's interface, NEXT_STEP."""

    def __init__(self, name: str, num: int, settings: Settings, nthread: int = 0, env: Any = None):
        self.env = VectorEnv(TASKS[name](), num, nthread=nthread) if env is None else env
        self.num, self.settings = num, settings

    def episodes(self, weights: np.ndarray, bias: np.ndarray, seed: int) -> "Episodes":
        total, length, alive = np.zeros(self.num), np.zeros(self.num), np.ones(self.num, bool)
        sums, squares = np.zeros(weights.shape[-1]), np.zeros(weights.shape[-1])
        obs, _ = self.env.reset(seed=seed)
        for _ in range(self.settings.steps):
            seen = obs[alive]
            sums += seen.sum(axis=0)
            squares += np.square(seen).sum(axis=0)
            actions = np.matmul(weights, obs[:, :, None])[:, :, 0] + bias
            obs, rewards, terminated, truncated, _ = self.env.step(actions)
            total += np.where(alive, rewards - self.settings.bonus, 0.0)
            length += alive
            alive &= ~(terminated | truncated)
            if not alive.any():
                break
        return Episodes(total, length, sums, squares)


@dataclass
class Episodes:
    """What worlds did: returns without the bonus, lengths, and moments of all observations."""

    total: np.ndarray
    length: np.ndarray
    sums: np.ndarray
    squares: np.ndarray


# ------------------------------------------------------------------------------------------- search


class Search:
    """The matrix, and what observations were like so far."""

    def __init__(self, nu: int, nobs: int, settings: Settings, seed: int):
        self.settings, self.rng = settings, np.random.default_rng(seed)
        self.matrix = np.zeros((nu, nobs))
        self.count, self.sums, self.squares = 0.0, np.zeros(nobs), np.zeros(nobs)
        self.steps = 0

    def affine(self, matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and bias of M (s - mean) / deviation, as functions of s."""
        if self.count < 2.0:
            return matrices, np.zeros(matrices.shape[:-1])
        mean = self.sums / self.count
        variance = np.maximum(self.squares / self.count - mean * mean, 0.0)
        deviation = np.sqrt(variance)
        weights = matrices / np.where(deviation < 1e-7, np.inf, deviation)
        return weights, -weights @ mean

    def round(self, way: Any) -> np.ndarray:
        """Try directions, and go along the best; the returns of all worlds."""
        s, n = self.settings, self.settings.directions
        directions = self.rng.standard_normal((n, *self.matrix.shape))
        tried = self.matrix + s.noise * np.concatenate([directions, -directions])
        found = way.episodes(*self.affine(tried), seed=int(self.rng.integers(2**31)))
        plus, minus = found.total[:n], found.total[n:]
        top = np.argsort(-np.maximum(plus, minus))[: s.best]
        spread = np.concatenate([plus[top], minus[top]]).std() + 1e-8
        gain = (plus - minus)[top]
        self.matrix = self.matrix + s.rate / (s.best * spread) * np.tensordot(
            gain, directions[top], 1
        )
        self.count += found.length.sum()
        self.sums, self.squares = self.sums + found.sums, self.squares + found.squares
        self.steps += int(found.length.sum())
        return found.total + s.bonus * found.length

    def returns(self, way: Any, seed: int) -> np.ndarray:
        """Of the policy itself, in worlds of several starts."""
        num = 2 * self.settings.directions
        weights, bias = self.affine(np.broadcast_to(self.matrix, (num, *self.matrix.shape)))
        found = way.episodes(weights, bias, seed)
        return found.total + self.settings.bonus * found.length


# ------------------------------------------------------------------------------------------- saving

KERNEL = '''"""The policy that examples/train_{how}.py found for {task}, as a kernel:
lanewise view {xml} --control {stem}.py:control"""

from pathlib import Path

import numpy as np

import lanewise as lw
from lanewise.callbacks import {layers}
from lanewise.lanes import {lanes}

file = np.load(Path(__file__).with_suffix(".npz"))
PARAMETERS = {{name: file[name] for name in {names}}}
STATE = {{"wait": 1}}
SCRATCH = {scratch}


@lw.kernel
def control(m, d, p):
    """(qpos, qvel) => ctrl, for {every} calls"""
    due = p.wait[0] <= 0.0
    p.wait[0] = where(due, {every}.0, p.wait[0]) - 1.0
    if any_lane(due):
        for i in range(m.nq):
            p.seen[i] = d.qpos[i]
        for i in range(m.nv):
            p.seen[m.nq + i] = {speed}
{body}
        for i in range(m.nu):
            d.ctrl[i] = where(due, p.action[i], d.ctrl[i])
'''


def save(folder: Path, how: str, env: Any, layers: list[tuple[np.ndarray, np.ndarray]]) -> Path:
    """A policy of obs = (qpos[1:], qvel), for the viewer: an npz of layers, and a kernel."""
    task, m = env.task, env.model
    stem = f"{type(task).xml_file.removesuffix('.xml')}_{how}"
    first, bias = layers[0]
    skipped = m.nq + m.nv - first.shape[1]
    whole = [(np.hstack([np.zeros((len(first), skipped)), first]), bias), *layers[1:]]
    arrays: dict[str, Any] = {}
    for k, (w, b) in enumerate(whole, 1):
        arrays |= {f"w{k}": w, f"b{k}": b}
    limit = np.repeat([np.inf, task.top_speed], [m.nq, m.nv])
    np.savez(folder / f"{stem}.npz", **arrays, every=task.frame_skip, limit=limit)
    scratch = {"seen": m.nq + m.nv, "action": m.nu}
    lines, source, n = [], "p.seen", m.nq + m.nv
    for k, (w, _) in enumerate(whole, 1):
        last = k == len(whole)
        target = "p.action" if last else f"p.h{k}"
        kind = "dense" if last else "dense_tanh"
        lines.append(f"        {kind}(p.w{k}, p.b{k}, {source}, {target}, {n}, {len(w)})")
        source, n = target, len(w)
        if not last:
            scratch[f"h{k}"] = len(w)
    top, speed = task.top_speed, "d.qvel[i]"
    if np.isfinite(top):
        speed = f"clip({speed}, {-top}, {top})"
    (folder / f"{stem}.py").write_text(KERNEL.format(
        how=how, task=type(task).__name__, xml=type(task).xml_file, stem=stem, names=tuple(arrays),
        layers="dense" if len(whole) == 1 else "dense, dense_tanh", scratch=scratch, speed=speed,
        lanes="any_lane, clip, where" if np.isfinite(top) else "any_lane, where",
        every=calls_of(m) * task.frame_skip, body="\n".join(lines),
    ))  # fmt: skip
    return folder / f"{stem}.npz"


def draw(path: Path, curves: dict[str, np.ndarray], solved: float, title: str) -> bool:
    """Returns over environment steps and over processor time; False if there is no matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True, facecolor="white")
    for ax, column, label in zip(axes, (0, 2), ("million environment steps", "minutes of a core")):
        for name, curve in curves.items():
            x = curve[:, column] / (60.0 if column else 1e6)
            (line,) = ax.plot(x, curve[:, 3], lw=1.6, label=name)
            ax.fill_between(x, curve[:, 4], curve[:, 5], color=line.get_color(), alpha=0.2, lw=0)
        ax.axhline(solved, color="#888888", lw=0.8, ls="--")
        ax.set_xlabel(label)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("return")
    axes[0].legend(frameon=False, fontsize=8)
    fig.suptitle(title, fontsize=10)
    fig.tight_layout()
    fig.savefig(path, dpi=110)
    plt.close(fig)
    return True


class Clock:
    """How long blocks took: by the clock on the wall, and of all processors."""

    def __init__(self) -> None:
        self.spent = np.zeros(2)

    def __enter__(self) -> None:
        self._begin = np.array([time.perf_counter(), time.process_time()])

    def __exit__(self, *error: object) -> None:
        self.spent += np.array([time.perf_counter(), time.process_time()]) - self._begin


def spread(returns: np.ndarray) -> tuple[float, float, float]:
    return float(returns.mean()), float(returns.min()), float(returns.max())


def line(k: int, found: tuple) -> str:
    steps, seconds, busy, mean, worst, best = found
    return (
        f"round {k:4}: {steps / 1e6:6.2f} million steps, {seconds:5.0f} s ({busy:.0f} s of"
        f" processors), return {mean:7.1f} (worst {worst:.0f}, best {best:.0f})"
    )


# --------------------------------------------------------------------------------------------- main


def train(
    name: str, settings: Settings, way: Any, folder: Path, seed: int = 0, go_on: bool = False
) -> np.ndarray:
    """Rounds until it is solved; (steps, seconds, processor seconds, mean, worst,
    best return) of all evaluations."""
    env = way.env
    search = Search(env.model.nu, env.single_observation_space.shape[0], settings, seed)
    curve, clock = [], Clock()
    for k in range(settings.rounds + 1):
        if k % settings.every == 0 or k == settings.rounds:
            returns = search.returns(way, seed=10_000 + k)
            curve.append((search.steps, *clock.spent, *spread(returns)))
            print(line(k, curve[-1]), flush=True)
            np.savetxt(folder / f"{name}_ars.csv", np.array(curve), fmt="%.1f", delimiter=",")
            if returns.mean() >= settings.solved and not go_on:
                break
        with clock:
            search.round(way)
    saved = save(folder, "ars", env, [search.affine(search.matrix)])
    print(f"saved {saved} and {saved.with_suffix('.py').name}")
    found = np.array(curve)
    if draw(folder / f"{name}_ars.png", {"ARS": found}, settings.solved, f"{name}-v5, ARS V2-t"):
        print(f"saved {folder / f'{name}_ars.png'}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--task", choices=sorted(SETTINGS), default="HalfCheetah")
    parser.add_argument("--through", choices=("kernel", "env"), default="kernel")
    parser.add_argument("--rounds", type=int, help="how many, solved or not")
    parser.add_argument("--seed", type=int, default=1, help="of the search, which depends on luck")
    parser.add_argument("--threads", type=int, default=0, help="0: all processors")
    parser.add_argument("--folder", type=Path, default=Path("trained"))
    parser.add_argument("--quick", action="store_true", help="few short rounds")
    given = parser.parse_args()
    settings = SETTINGS[given.task]
    if given.quick:
        settings = replace(settings, rounds=10, steps=150)
    if given.rounds is not None:
        settings = replace(settings, rounds=given.rounds)
    given.folder.mkdir(parents=True, exist_ok=True)
    way = {"kernel": Kernel, "env": Env}[given.through](
        given.task, 2 * settings.directions, settings, given.threads
    )
    curve = train(given.task, settings, way, given.folder, given.seed, given.rounds is not None)
    print(f"from {curve[0, 3]:.0f} to {curve[-1, 3]:.0f}; solved is {settings.solved:.0f}")


if __name__ == "__main__":
    main()
