"""Small tasks for tests of environments: a robot that slides about, in both styles."""

import numpy as np

import lanewise as lw
from lanewise.gym import Task
from lanewise.lanes import where

ROBOT = """
<mujoco>
  <option timestep=".01"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="trunk" pos=".1 .2 .3">
      <freejoint name="root"/>
      <geom name="trunk" type="box" size=".2 .1 .05" mass="3"/>
      <site name="eye" pos=".1 0 .05"/>
      <body name="left_leg" pos=".15 .1 0">
        <joint name="left" axis="0 1 0" damping=".5"/>
        <geom name="left_foot" type="capsule" size=".03" fromto="0 0 0 0 .02 -.2" mass=".4"/>
      </body>
      <body name="right_leg" pos="-.15 -.1 0">
        <joint name="right" axis="0 1 0" damping=".6"/>
        <geom name="right_foot" type="capsule" size=".03" fromto="0 0 0 0 -.02 -.2" mass=".5"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="left" joint="left" gear="3" ctrllimited="true" ctrlrange="-1 1"/>
    <motor name="right" joint="right" gear="4" ctrllimited="true" ctrlrange="-1 1"/>
  </actuator>
  <keyframe><key name="up" qpos="0 0 .35 1 0 0 0 .1 -.1"/></keyframe>
</mujoco>
"""


@lw.kernel
def seen(m, d, p):
    for i in range(m.nq):
        p.obs[i] = d.qpos[i]
    for i in range(m.nv):
        p.obs[m.nq + i] = d.qvel[i]
    p.reward = p.weight[0] * d.qvel[0] + d.qpos[2]
    p.terminated = where(d.qpos[2] < p.lowest[0], 1.0, 0.0)


class Slide(Task):
    """As a kernel."""

    model = ROBOT
    keyframe = "up"
    frame_skip = 2
    max_episode_steps = 40
    observe = seen
    obs_size = 17
    parameters = {"weight": [0.5], "lowest": [-1.0]}  # noqa: RUF012

    def start(self, batch, ids, draws):
        batch.qpos[ids, 7:] += draws.uniform(-0.1, 0.1, 2)


class SlideOnArrays(Slide):
    """On arrays."""

    observe = None
    parameters = {}  # noqa: RUF012
    lowest = -1.0

    def observation(self, batch):
        return np.hstack([batch.qpos, batch.qvel])

    def reward(self, batch, actions):
        return 0.5 * batch.qvel[:, 0] + batch.qpos[:, 2]

    def terminated(self, batch):
        return batch.qpos[:, 2] < self.lowest


def played(env, steps=12, seed=5, actions=None):
    """Observations, rewards and ends of a few steps after a reset, one array each."""
    rng = np.random.default_rng(0)
    rows = [(env.reset(seed=seed)[0], np.zeros(env.num_envs), np.zeros(env.num_envs, bool))]
    for _ in range(steps):
        given = rng.uniform(-1, 1, env.action_space.shape) if actions is None else actions
        obs, rewards, ended, _, _ = env.step(given)
        rows.append((obs, rewards, ended))
    return tuple(np.stack(part) for part in zip(*rows))
