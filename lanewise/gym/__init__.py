"""Environments for Gymnasium 1.x: its eleven MuJoCo tasks, and tasks of your own.

    import gymnasium
    import lanewise.gym

    envs = gymnasium.make_vec("lanewise/Ant-v5", num_envs=1024)

A task of your own is a class: a model, what is seen, rewarded, and when it is over. As a kernel,
which is compiled into the step (docs/howto/own-task.md has all of it, and how it is on arrays):

    import lanewise as lw
    from lanewise.gym import Noise, Push, Randomize, Scale, Task, VectorEnv
    from lanewise.lanes import abs_, cos, sin, where

    @lw.kernel
    def balance(m, d, p):
        cart, pole = d.qpos[0], d.qpos[1]
        p.obs[0] = cart
        p.obs[1] = sin(pole)
        p.obs[2] = cos(pole)
        p.obs[3] = d.qvel[0]
        p.obs[4] = d.qvel[1]
        p.reward = cos(pole) - p.cost[0] * d.ctrl[0] * d.ctrl[0]
        p.terminated = where(abs_(cart) > 1.5, 1.0, 0.0)

    class Balance(Task):
        model = lw.models.path("cartpole")
        frame_skip = 4
        observe, obs_size = balance, 5
        parameters = {"cost": [0.01]}

        def start(self, batch, ids, draws):
            batch.qpos[ids, 1] = draws.uniform(-0.2, 0.2, 1)[:, 0]

    envs = VectorEnv(Balance(), 64, options=[
        Randomize({("body_mass", "body_inertia"): Scale(0.8, 1.2)}),
        Push("pole", every=(1.0, 3.0), force=2.0),
        Noise(observations=0.01),
    ])
    obs, infos = envs.reset(seed=0)
    obs, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
"""

from ..errors import LanewiseError

try:
    import gymnasium.envs.mujoco as _tasks  # noqa: F401
except ImportError as error:
    raise LanewiseError(
        f"lanewise.gym needs Gymnasium's MuJoCo tasks ({error}): pip install 'lanewise[gym]'"
    ) from error

from .clustered import ClusterEnv
from .entry import make_vector, register
from .options import (
    Choice,
    Latency,
    Noise,
    Offset,
    Option,
    Push,
    Randomize,
    Scale,
    Scan,
    Terrain,
    Value,
    ground_height,
)
from .seeds import Draws
from .single import Env
from .task import Task
from .tasks import TASKS
from .vector import VectorEnv

register()

__all__ = [
    "TASKS", "Choice", "ClusterEnv", "Draws", "Env", "Latency", "Noise", "Offset", "Option", "Push",
    "Randomize", "Scale", "Scan", "Task", "Terrain", "Value", "VectorEnv", "ground_height",
    "make_vector", "register",
]  # fmt: skip
