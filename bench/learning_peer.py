"""A learner over the environments of one maker, for bench/learning.py: it waits for its turns.

python -P bench/learning_peer.py MAKER METHOD TASK CORE

MAKER is one of bench/gym_peer.py, or "kernel": the policy in Lanewise's step. A turn is a round of
ARS or an update of PPO; the answer says how many environment steps it took, and how much processor
time.
"""

import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from bench.gym_peer import MAKERS, busy

STEPS = 200  # of an episode of ARS


class Plain:
    """The calls that learners make, with actions of the type that an environment wants."""

    def __init__(self, env: Any):
        space = getattr(env, "single_action_space", env.action_space)
        self.env, self.dtype = env, space.dtype

    def reset(self, seed: int) -> Any:
        return self.env.reset()  # EnvPool takes its seed when it is made

    def step(self, actions: np.ndarray) -> Any:
        return self.env.step(actions.astype(self.dtype))


def ars(maker: str, task: str) -> Callable[[], int]:
    from examples import train_ars

    settings = replace(train_ars.SETTINGS[task], steps=STEPS)
    num = 2 * settings.directions
    way: Any
    if maker == "kernel":
        way = train_ars.Kernel(task, num, settings, nthread=1)
    else:
        env = MAKERS[maker](f"{task}-v5", num)[0]
        way = train_ars.Env(task, num, settings, env=Plain(env))
    search = train_ars.Search(*sizes(task), settings, seed=0)

    def turn() -> int:
        before = search.steps
        search.round(way)
        return search.steps - before

    return turn


def ppo(maker: str, task: str) -> Callable[[], int]:
    import torch

    from examples import train_ppo

    torch.set_num_threads(1)
    settings = train_ppo.SETTINGS[task]
    env = MAKERS[maker](f"{task}-v5", settings.num)[0]
    nu, nobs = sizes(task)
    learner = train_ppo.Learner(Plain(env), nobs, nu, settings, seed=0)

    def turn() -> int:
        learner.update()
        return settings.num * settings.horizon

    return turn


def sizes(task: str) -> tuple[int, int]:
    """How many controls there are, and how many numbers are seen."""
    return {"HalfCheetah": (6, 17), "Hopper": (3, 11), "Walker2d": (6, 17)}[task]


def main() -> None:
    maker, method, task, core = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core)})
    say = os.fdopen(os.dup(1), "w")  # what libraries print goes elsewhere
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    begin = time.perf_counter()
    turn = {"ARS": ars, "PPO": ppo}[method](maker, task)
    turn()
    known = {"versions": "", "first": time.perf_counter() - begin}
    print(json.dumps(known), file=say, flush=True)
    for _ in sys.stdin:
        start = busy()
        steps = turn()
        print(json.dumps({"seconds": busy() - start, "steps": steps}), file=say, flush=True)


if __name__ == "__main__":
    main()
