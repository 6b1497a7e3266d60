"""Proximal policy optimization (Schulman et al., 2017), on PyTorch, in one file.

    python examples/train_ppo.py                    HalfCheetah-v5, to a return of 1443
    python examples/train_ppo.py --task Hopper      to 2383
    python examples/train_ppo.py --quick            seconds, to see it run

The environment is in Gymnasium's mode NEXT_STEP: the step that ends an episode gives its last
observation, and the step after it ignores the action and gives the first of the next. So values of
last observations are at hand where an episode was cut, and the transitions in between, which are
none, are left out of everything that is learnt from.

What was learnt is saved as examples/train_ars.py saves it, for `lanewise view MODEL --policy`.
"""

import argparse
import sys
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from examples.train_ars import Clock, draw, line, save, spread
from lanewise.gym import TASKS, VectorEnv

try:
    import torch
except ImportError:
    print("examples/train_ppo.py needs PyTorch: pip install torch")
    sys.exit(0)


@dataclass(frozen=True)
class Settings:
    solved: float  # see SETTINGS
    steps: int  # of all environments, at most
    num: int = 16  # environments
    horizon: int = 128  # steps of each between two updates
    epochs: int = 10
    parts: int = 32  # minibatches of an epoch
    rate: float = 3e-4  # falls to zero
    gamma: float = 0.99
    trace: float = 0.95
    clip: float = 0.2
    hidden: int = 64
    every: int = 20  # updates between evaluations
    episode: int = 1000


# solved: the mean returns of ppo_continuous_action.py in CleanRL's documentation, of -v4 tasks
SETTINGS = {
    "HalfCheetah": Settings(1443.0, 1_500_000),
    "Hopper": Settings(2383.0, 1_500_000),
    "Walker2d": Settings(2288.0, 3_000_000),
}
# of HalfCheetah, to see it run
QUICK = Settings(1443.0, 40_000, num=64, horizon=32, parts=8, epochs=8, rate=1e-3, episode=150)


class Running:
    """Mean and variance of rows seen so far."""

    def __init__(self, n: int):
        self.mean, self.var, self.count = np.zeros(n), np.ones(n), 1e-4

    def add(self, rows: np.ndarray) -> None:
        n, mean, var = len(rows), rows.mean(axis=0), rows.var(axis=0)
        total, apart = self.count + n, mean - self.mean
        spread = self.var * self.count + var * n + apart * apart * self.count * n / total
        self.mean = self.mean + apart * n / total
        self.var, self.count = spread / total, total

    def normal(self, rows: np.ndarray) -> torch.Tensor:
        x = np.clip((rows - self.mean) / np.sqrt(self.var + 1e-8), -10.0, 10.0)
        return torch.from_numpy(x.astype(np.float32))


def layers(sizes: tuple[int, ...], last: float) -> torch.nn.Sequential:
    """Dense layers with tanh between, orthogonal at the start."""
    parts: list[torch.nn.Module] = []
    for k, (a, b) in enumerate(pairwise(sizes)):
        dense = torch.nn.Linear(a, b)
        torch.nn.init.orthogonal_(dense.weight, last if k == len(sizes) - 2 else 2.0**0.5)
        torch.nn.init.zeros_(dense.bias)
        parts += [dense, torch.nn.Tanh()]
    return torch.nn.Sequential(*parts[:-1])


class Agent(torch.nn.Module):
    """A Gaussian policy, and the value of what is seen."""

    def __init__(self, nobs: int, nu: int, hidden: int):
        super().__init__()
        self.mean = layers((nobs, hidden, hidden, nu), 0.01)
        self.value = layers((nobs, hidden, hidden, 1), 1.0)
        self.log_std = torch.nn.Parameter(torch.zeros(nu))

    def log_prob(self, obs: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        z = (actions - self.mean(obs)) * torch.exp(-self.log_std)
        return -(0.5 * z * z + self.log_std + 0.919).sum(dim=1)

    def dense(self, seen: Running) -> list[tuple[np.ndarray, np.ndarray]]:
        """Weights of the policy's layers, with the normalization in the first."""
        found = [
            (x.weight.detach().double().numpy(), x.bias.detach().double().numpy())
            for x in self.mean if isinstance(x, torch.nn.Linear)
        ]  # fmt: skip
        weights = found[0][0] / np.sqrt(seen.var + 1e-8)
        return [(weights, found[0][1] - weights @ seen.mean), *found[1:]]


class Learner:
    """An environment of Gymnasium's interface, in mode NEXT_STEP, and who learns in it."""

    def __init__(self, env: Any, nobs: int, nu: int, settings: Settings, seed: int):
        torch.manual_seed(seed)
        self.env, self.settings = env, settings
        self.agent = Agent(nobs, nu, settings.hidden)
        self.optimizer = torch.optim.Adam(self.agent.parameters(), settings.rate, eps=1e-5)
        self.seen, self.returned = Running(nobs), Running(1)
        self.discounted = np.zeros(settings.num)
        self.obs, _ = env.reset(seed=seed)
        self.over = np.zeros(settings.num, bool)  # who begins anew in the next step
        self.nobs, self.nu, self.done = nobs, nu, 0

    @torch.no_grad()
    def collect(self) -> dict[str, torch.Tensor]:
        """Steps of all environments, and what follows of them for learning."""
        s, agent = self.settings, self.agent
        shape = (s.horizon, s.num)
        obs = torch.zeros(s.horizon + 1, s.num, self.nobs)
        actions = torch.zeros(*shape, self.nu)
        rewards, ends, terminal, real = (np.zeros(shape, np.float32) for _ in range(4))
        noise = torch.randn(*shape, self.nu)
        std = torch.exp(agent.log_std)
        for t in range(s.horizon):
            obs[t] = self.seen.normal(self.obs)
            actions[t] = agent.mean(obs[t]) + std * noise[t]
            real[t] = ~self.over
            self.seen.add(self.obs)
            taken = np.clip(actions[t].numpy(), -1.0, 1.0)
            self.obs, reward, terminated, truncated, _ = self.env.step(taken)
            self.over = terminated | truncated
            # rewards are learnt from in units of the deviation of returns
            self.discounted = self.discounted * s.gamma + reward
            self.returned.add(self.discounted[:, None])
            self.discounted[self.over] = 0.0
            rewards[t] = np.clip(reward / np.sqrt(self.returned.var[0] + 1e-8), -10.0, 10.0)
            ends[t], terminal[t] = self.over, terminated
        obs[-1] = self.seen.normal(self.obs)
        self.done += s.horizon * s.num
        values = agent.value(obs)[..., 0]
        advantages = self.advantages(values, rewards, ends, terminal)
        keep = torch.from_numpy(real.ravel() > 0.0)
        flat = {
            "obs": obs[:-1].flatten(0, 1), "actions": actions.flatten(0, 1),
            "advantages": advantages.ravel(), "targets": (advantages + values[:-1]).ravel(),
        }  # fmt: skip
        flat["log_prob"] = agent.log_prob(flat["obs"], flat["actions"])
        return {name: x[keep] for name, x in flat.items()}

    def advantages(
        self, values: torch.Tensor, rewards: np.ndarray, ends: np.ndarray, terminal: np.ndarray
    ) -> torch.Tensor:
        """Generalized advantage estimates. What follows an end belongs to another episode; where it
        was only cut, the value of its last observation stands for the rest."""
        s = self.settings
        r, go_on, not_lost = map(torch.from_numpy, (rewards, 1.0 - ends, 1.0 - terminal))
        out, following = torch.zeros_like(r), torch.zeros(s.num)
        for t in reversed(range(s.horizon)):
            delta = r[t] + s.gamma * not_lost[t] * values[t + 1] - values[t]
            following = delta + s.gamma * s.trace * go_on[t] * following
            out[t] = following
        return out

    def update(self) -> None:
        """An iteration of PPO."""
        s, agent = self.settings, self.agent
        for group in self.optimizer.param_groups:
            group["lr"] = s.rate * max(0.05, 1.0 - self.done / s.steps)
        data = self.collect()
        n = len(data["obs"])
        for _ in range(s.epochs):
            for which in torch.randperm(n).chunk(s.parts):
                obs, old, a, targets, actions = (
                    data[k][which] for k in ("obs", "log_prob", "advantages", "targets", "actions")
                )
                a = (a - a.mean()) / (a.std() + 1e-8)
                ratio = torch.exp(agent.log_prob(obs, actions) - old)
                gain = torch.minimum(ratio * a, ratio.clamp(1.0 - s.clip, 1.0 + s.clip) * a).mean()
                off = (agent.value(obs)[:, 0] - targets).square().mean()
                self.optimizer.zero_grad()
                (0.5 * off - gain).backward()
                torch.nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                self.optimizer.step()

    @torch.no_grad()
    def returns(self, env: Any, seed: int) -> np.ndarray:
        """Of the mean of the policy, in an environment of its own."""
        obs, _ = env.reset(seed=seed)
        total, alive = np.zeros(env.num_envs), np.ones(env.num_envs, bool)
        for _ in range(self.settings.episode):
            actions = self.agent.mean(self.seen.normal(obs)).numpy()
            obs, rewards, terminated, truncated, _ = env.step(np.clip(actions, -1.0, 1.0))
            total += np.where(alive, rewards, 0.0)
            alive &= ~(terminated | truncated)
            if not alive.any():
                break
        return total


def train(name: str, s: Settings, folder: Path, seed: int, nthread: int = 0) -> np.ndarray:
    """Updates until it is solved; (steps, seconds, processor seconds, mean, worst, best
    return) of evaluations."""
    env = VectorEnv(TASKS[name](), s.num, nthread=nthread)
    judge = VectorEnv(TASKS[name](), 16, nthread=nthread)
    nobs = env.reset()[0].shape[1]
    learner = Learner(env, nobs, env.model.nu, s, seed)
    curve, clock, k = [], Clock(), 0
    while True:
        if k % s.every == 0 or learner.done >= s.steps:
            returns = learner.returns(judge, seed=10_000 + k)
            curve.append((learner.done, *clock.spent, *spread(returns)))
            print(line(k, curve[-1]), flush=True)
            np.savetxt(folder / f"{name}_ppo.csv", np.array(curve), fmt="%.1f", delimiter=",")
            save(folder, "ppo", env, learner.agent.dense(learner.seen))
            if returns.mean() >= s.solved or learner.done >= s.steps:
                break
        with clock:
            learner.update()
        k += 1
    found = np.array(curve)
    if draw(folder / f"{name}_ppo.png", {"PPO": found}, s.solved, f"{name}-v5, PPO"):
        print(f"saved {folder / f'{name}_ppo.png'}, and the policy beside it")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--task", choices=sorted(SETTINGS), default="HalfCheetah")
    parser.add_argument("--steps", type=int, help="so many, solved or not")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=0, help="0: all processors")
    parser.add_argument("--folder", type=Path, default=Path("trained"))
    parser.add_argument("--quick", action="store_true", help="few short updates")
    given = parser.parse_args()
    s = SETTINGS[given.task]
    if given.quick:
        s = replace(QUICK, solved=s.solved)
    if given.steps is not None:
        s = replace(s, steps=given.steps, solved=float("inf"))
    torch.set_num_threads(1)  # networks this small are not faster on two
    given.folder.mkdir(parents=True, exist_ok=True)
    curve = train(given.task, s, given.folder, given.seed, given.threads)
    solved = SETTINGS[given.task].solved
    print(f"from {curve[0, 3]:.0f} to {curve[-1, 3]:.0f}; solved is {solved:.0f}")


if __name__ == "__main__":
    main()
