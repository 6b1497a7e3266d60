"""Environments of one maker for bench/gym.py, in a process of its own: it waits for its turns.

python -P bench/gym_peer.py MAKER TASK NUM STEPS WARM CORE

Every answer is a line of JSON on standard output: one when the environments have taken WARM steps,
and one for each turn, of STEPS steps with random actions. Times are processor time of this process
and of those that it started: what else the machine does is not counted, and several cores count as
the time of all of them. The maker `host` is Lanewise with a clock around the calls of its Batch,
and says how much of the time was spent in these.
"""

import json
import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

DRAWN = 16  # different actions of each environment, which come round and round


def lanewise(task: str, num: int) -> tuple[Any, str]:
    import gymnasium

    import lanewise.gym

    env: Any = gymnasium.make_vec(f"lanewise/{task}", num_envs=num, nthread=1)
    return env, f"Lanewise {lanewise.__version__}"


def host(task: str, num: int) -> tuple[Any, str]:
    env, versions = lanewise(task, num)
    env.unwrapped.batch = Timed(env.unwrapped.batch)
    return env, versions


def sync(task: str, num: int) -> tuple[Any, str]:
    import gymnasium

    return gymnasium.make_vec(task, num_envs=num, vectorization_mode="sync"), _gymnasium()


def asynchronous(task: str, num: int) -> tuple[Any, str]:
    import gymnasium

    return gymnasium.make_vec(task, num_envs=num, vectorization_mode="async"), _gymnasium()


def _gymnasium() -> str:
    return f"Gymnasium {version('gymnasium')}, MuJoCo {version('mujoco')}"


def envpool(task: str, num: int) -> tuple[Any, str]:
    import envpool

    env = envpool.make(task, env_type="gymnasium", num_envs=num, num_threads=1)
    return env, f"EnvPool {version('envpool')}"


MAKERS: dict[str, Callable[[str, int], tuple[Any, str]]] = {
    "lanewise": lanewise, "host": host, "sync": sync, "async": asynchronous, "EnvPool": envpool,
}  # fmt: skip


class Timed:
    """A Batch that counts the processor time of its calls."""

    def __init__(self, batch: Any):
        self._batch, self.seconds = batch, 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._batch, name)

    def _timed(self, call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        begin = time.process_time()
        try:
            return call(*arguments, **named)
        finally:
            self.seconds += time.process_time() - begin

    def step(self, *arguments: Any, **named: Any) -> Any:
        return self._timed(self._batch.step, *arguments, **named)

    def forward(self, *arguments: Any, **named: Any) -> Any:
        return self._timed(self._batch.forward, *arguments, **named)

    def reset(self, *arguments: Any, **named: Any) -> Any:
        return self._timed(self._batch.reset, *arguments, **named)


def busy() -> float:
    """Processor time of this process and its children so far."""
    clocks = [(~child.pid << 3) | 2 for child in multiprocessing.active_children() if child.pid]
    return time.process_time() + sum(map(time.clock_gettime, clocks))


def main() -> None:
    maker, task, count, each, warm, core = sys.argv[1:]
    num, steps = int(count), int(each)
    if maker != "async" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core)})  # for all threads that are started from now on
    say = os.fdopen(os.dup(1), "w")  # what libraries print goes elsewhere
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    begin = time.perf_counter()
    env, versions = MAKERS[maker](task, num)
    space = getattr(env, "single_action_space", env.action_space)
    actions = np.random.default_rng(0).uniform(
        space.low, space.high, (DRAWN, num, *space.low.shape)
    ).astype(space.dtype)  # fmt: skip
    env.reset()
    for k in range(int(warm)):
        env.step(actions[k % DRAWN])
    known = {"versions": versions, "first": time.perf_counter() - begin}
    print(json.dumps(known), file=say, flush=True)
    batch: Any = getattr(getattr(env, "unwrapped", env), "batch", None)
    timed = isinstance(batch, Timed)
    for _ in sys.stdin:
        begin, inside = busy(), batch.seconds if timed else 0.0
        for k in range(steps):
            env.step(actions[k % DRAWN])
        answer = {"seconds": busy() - begin}
        if timed:
            answer["inside"] = batch.seconds - inside
        print(json.dumps(answer), file=say, flush=True)
    env.close()


if __name__ == "__main__":
    main()
