"""InvertedPendulum and InvertedDoublePendulum: poles on a cart."""

import numpy as np

from ...lanes import abs_, clip, cos, kernel, not_, sin
from ...public import Model
from .gymnasium_task import GymnasiumTask, finite, put_state, yes


@kernel
def pole(m, d, p):
    put_state(m, d, p, 0)
    up = not_(abs_(d.qpos[1]) > 0.2)
    for i in range(m.nq):
        up &= finite(d.qpos[i])
    for i in range(m.nv):
        up &= finite(d.qvel[i])
    p.terminated = yes(not_(up))
    p.reward = yes(up)
    p.reward_survive = p.reward


class InvertedPendulum(GymnasiumTask):
    original = "inverted_pendulum_v5:InvertedPendulumEnv"
    observe = pole
    info = {"reward_survive": ()}  # noqa: RUF012
    xml_file, frame_skip, reset_noise_scale = "inverted_pendulum.xml", 2, 0.01

    def describe(self, m: Model) -> None:
        self.obs_size = m.nq + m.nv

    def as_infos(self, values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: x.astype(int) for name, x in values.items()}


@kernel
def two_poles(m, d, p):
    p.obs[0] = d.qpos[0]
    for i in range(1, m.nq):
        p.obs[i] = sin(d.qpos[i])
        p.obs[m.nq - 1 + i] = cos(d.qpos[i])
    at = 2 * m.nq - 1
    for i in range(m.nv):
        p.obs[at + i] = clip(d.qvel[i], -10.0, 10.0)
    p.obs[at + m.nv] = clip(d.qfrc_constraint[0], -10.0, 10.0)
    # the tip, as far as the step has computed where it is
    x, y = d.site_xpos[0, 0], d.site_xpos[0, 2]
    fallen = y <= 1.0
    p.terminated = yes(fallen)
    p.reward_survive = p.healthy_reward[0] * yes(not_(fallen))
    p.distance_penalty = -(0.01 * x * x + (y - 2.0) * (y - 2.0))
    p.velocity_penalty = -(1e-3 * d.qvel[1] * d.qvel[1] + 5e-3 * d.qvel[2] * d.qvel[2])
    p.reward = (p.reward_survive + p.distance_penalty) + p.velocity_penalty


class InvertedDoublePendulum(GymnasiumTask):
    original = "inverted_double_pendulum_v5:InvertedDoublePendulumEnv"
    observe = two_poles
    info = dict.fromkeys(("reward_survive", "distance_penalty", "velocity_penalty"), ())
    xml_file, frame_skip = "inverted_double_pendulum.xml", 5
    reset_noise_scale, normal_speeds = 0.1, True
    healthy_reward = 10.0

    def describe(self, m: Model) -> None:
        self.obs_size = 2 * m.nq + m.nv
        self.parameters = {"healthy_reward": [self.healthy_reward]}
