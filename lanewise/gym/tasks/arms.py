"""Reacher and Pusher: arms with a goal, which a reset draws until it is a good one."""

import numpy as np

from ...lanes import cos, kernel, sin, sqrt
from ...public import Batch, Model
from ..seeds import Draws
from .gymnasium_task import GymnasiumTask


@kernel(inline=True)
def length(v):
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@kernel
def reach(m, d, p):
    fingertip, target = int(p.bodies[0]), int(p.bodies[1])
    off = d.xpos[fingertip] - d.xpos[target]
    for i in range(2):
        p.obs[i] = cos(d.qpos[i])
        p.obs[2 + i] = sin(d.qpos[i])
    at = 2 + m.nq
    for i in range(2, m.nq):
        p.obs[2 + i] = d.qpos[i]
    p.obs[at] = d.qvel[0]
    p.obs[at + 1] = d.qvel[1]
    p.obs[at + 2] = off[0]
    p.obs[at + 3] = off[1]
    p.reward_dist = -length(off) * p.weights[0]
    p.reward_ctrl = -p.ctrl_cost
    p.reward = p.reward_dist + p.reward_ctrl
    p.terminated = 0.0 * d.time


class Arm(GymnasiumTask):
    """What both have in common."""

    state = {"ctrl_cost": ()}  # noqa: RUF012
    body_names: tuple[str, ...] = ()
    reward_dist_weight = 1.0
    reward_control_weight = 1.0

    def describe(self, m: Model) -> None:
        self.ctrl_cost_weight = self.reward_control_weight
        bodies = [m.body(name).id for name in self.body_names]
        self.parameters = {"bodies": bodies, "weights": self.weights()}

    def weights(self) -> list[float]:
        return [self.reward_dist_weight]


class Reacher(Arm):
    original = "reacher_v5:ReacherEnv"
    observe = reach
    info = dict.fromkeys(("reward_dist", "reward_ctrl"), ())
    xml_file, frame_skip, max_episode_steps = "reacher.xml", 2, 50
    body_names = ("fingertip", "target")

    def describe(self, m: Model) -> None:
        super().describe(m)
        self.obs_size = m.nq + 6

    def start(self, batch: Batch, ids: np.ndarray, draws: Draws) -> None:
        """The arm near where the model has it, the goal in a disc of 0.2 m."""
        m = batch.model
        qpos = draws.uniform(-0.1, 0.1, m.nq) + m.qpos0
        for row, generator in zip(qpos, draws.generators):
            row[-2:] = 0.2
            while np.linalg.norm(row[-2:]) >= 0.2:
                row[-2:] = generator.uniform(-0.2, 0.2, 2)
        qvel = draws.uniform(-0.005, 0.005, m.nv)
        qvel[:, -2:] = 0.0
        batch.qpos[ids], batch.qvel[ids] = qpos, qvel


@kernel
def push(m, d, p):
    tips, thing, goal = int(p.bodies[0]), int(p.bodies[1]), int(p.bodies[2])
    for i in range(7):
        p.obs[i] = d.qpos[i]
        p.obs[7 + i] = d.qvel[i]
    for k in range(3):
        p.obs[14 + k] = d.xpos[tips, k]
        p.obs[17 + k] = d.xpos[thing, k]
        p.obs[20 + k] = d.xpos[goal, k]
    p.reward_near = -length(d.xpos[thing] - d.xpos[tips]) * p.weights[1]
    p.reward_dist = -length(d.xpos[thing] - d.xpos[goal]) * p.weights[0]
    p.reward_ctrl = -p.ctrl_cost
    p.reward = (p.reward_dist + p.reward_ctrl) + p.reward_near
    p.terminated = 0.0 * d.time


class Pusher(Arm):
    original = "pusher_v5:PusherEnv"
    observe = push
    obs_size = 23
    info = dict.fromkeys(("reward_dist", "reward_ctrl", "reward_near"), ())
    xml_file, frame_skip, max_episode_steps = "pusher_v5.xml", 5, 100
    body_names = ("tips_arm", "object", "goal")
    reward_near_weight = 0.5
    reward_control_weight = 0.1

    def weights(self) -> list[float]:
        return [self.reward_dist_weight, self.reward_near_weight]

    def start(self, batch: Batch, ids: np.ndarray, draws: Draws) -> None:
        """The object on the table, at least 0.17 m from the goal."""
        m = batch.model
        qpos = np.tile(m.qpos0, (len(draws), 1))
        for row, generator in zip(qpos, draws.generators):
            row[-4:] = 0.0
            while np.linalg.norm(row[-4:-2]) <= 0.17:
                row[-4], row[-3] = generator.uniform(-0.3, 0.0), generator.uniform(-0.2, 0.2)
        qvel = draws.uniform(-0.005, 0.005, m.nv)
        qvel[:, -4:] = 0.0
        batch.qpos[ids], batch.qvel[ids] = qpos, qvel
