"""Tasks of moving forward: HalfCheetah, Hopper, Walker2d and Swimmer in a plane, Ant in space."""

from typing import Any

import numpy as np

from ...callbacks import rne_post_constraint
from ...lanes import clip, kernel, not_, sqrt, where
from ...public import Batch, Model
from .gymnasium_task import GymnasiumTask, finite, put_state, within, yes

INF = float("inf")


@kernel
def planar(m, d, p):
    """A body that moves along x, with z and its angle in qpos[1] and qpos[2]."""
    at = put_state(m, d, p, int(p.skip[0])) - m.nv
    for i in range(m.nv):
        p.obs[at + i] = clip(d.qvel[i], -p.top_speed[0], p.top_speed[0])
    # health: height, angle, and all of the state but for x and z
    healthy = within(d.qpos[1], p.z_range[0], p.z_range[1])
    healthy &= within(d.qpos[2], p.angle_range[0], p.angle_range[1])
    for i in range(2, m.nq):
        healthy &= within(d.qpos[i], p.state_range[0], p.state_range[1])
    for i in range(m.nv):
        healthy &= within(d.qvel[i], p.state_range[0], p.state_range[1])
    p.terminated = p.weights[2] * yes(not_(healthy))
    # reward: speed and health, less the cost of the action
    p.x_position = d.qpos[0]
    p.z_distance_from_origin = d.qpos[1] - m.qpos0[1]
    p.x_velocity = (d.qpos[0] - p.before[0]) / p.dt[0]
    p.reward_forward = p.weights[0] * p.x_velocity
    p.reward_survive = p.weights[1] * yes(healthy)
    p.reward_ctrl = -p.ctrl_cost
    p.reward = (p.reward_forward + p.reward_survive) + p.reward_ctrl


class Planar(GymnasiumTask):
    """HalfCheetah, Hopper and Walker2d."""

    observe = planar
    info = dict.fromkeys(
        ("x_position", "z_distance_from_origin", "x_velocity", "reward_forward", "reward_ctrl",
         "reward_survive"), (),
    )  # fmt: skip
    state = {"before": 2, "ctrl_cost": ()}  # noqa: RUF012
    reset_info: tuple[str, ...] | None = ("x_position", "z_distance_from_origin")

    forward_reward_weight = 1.0
    ctrl_cost_weight = 1e-3
    healthy_reward = 1.0
    terminate_when_unhealthy = True
    healthy_state_range = (-INF, INF)
    healthy_z_range = (-INF, INF)
    healthy_angle_range = (-INF, INF)
    top_speed = INF
    exclude_current_positions_from_observation = True
    skipped = 1  # positions that are left out then

    def describe(self, m: Model) -> None:
        skip = self.skipped * bool(self.exclude_current_positions_from_observation)
        self.obs_size = m.nq - skip + m.nv
        self.parameters = {
            "skip": [skip], "top_speed": [self.top_speed],
            "dt": [self.frame_skip * float(m.opt.timestep)],
            "weights": [self.forward_reward_weight, self.healthy_reward,
                        float(bool(self.terminate_when_unhealthy))],
            "state_range": self.healthy_state_range, "z_range": self.healthy_z_range,
            "angle_range": self.healthy_angle_range,
        }  # fmt: skip

    def begin(self, batch: Batch) -> None:
        super().begin(batch)
        self._before = batch.user("before")

    def act(self, batch: Batch, ids: np.ndarray | None, actions: np.ndarray) -> None:
        super().act(batch, ids, actions)
        self._before[:] = batch.qpos[:, :2]


class HalfCheetah(Planar):
    original = "half_cheetah_v5:HalfCheetahEnv"
    xml_file, frame_skip = "half_cheetah.xml", 5
    reset_noise_scale, normal_speeds = 0.1, True
    ctrl_cost_weight, healthy_reward, terminate_when_unhealthy = 0.1, 0.0, False
    given = ("x_position", "x_velocity", "reward_forward", "reward_ctrl")
    reset_info = ("x_position",)


class Hopper(Planar):
    original = "hopper_v5:HopperEnv"
    xml_file, frame_skip = "hopper.xml", 4
    reset_noise_scale, top_speed = 5e-3, 10.0
    healthy_state_range, healthy_z_range = (-100.0, 100.0), (0.7, INF)
    healthy_angle_range = (-0.2, 0.2)


class Walker2d(Planar):
    original = "walker2d_v5:Walker2dEnv"
    xml_file, frame_skip = "walker2d_v5.xml", 4
    reset_noise_scale, top_speed = 5e-3, 10.0
    healthy_z_range, healthy_angle_range = (0.8, 2.0), (-1.0, 1.0)


@kernel
def swim(m, d, p):
    """A chain in a fluid, which moves along x and y."""
    put_state(m, d, p, int(p.skip[0]))
    p.x_position = d.qpos[0]
    p.y_position = d.qpos[1]
    p.distance_from_origin = sqrt(d.qpos[0] * d.qpos[0] + d.qpos[1] * d.qpos[1])
    p.x_velocity = (d.qpos[0] - p.before[0]) / p.dt[0]
    p.y_velocity = (d.qpos[1] - p.before[1]) / p.dt[0]
    p.reward_forward = p.weights[0] * p.x_velocity
    p.reward_ctrl = -p.ctrl_cost
    p.reward = p.reward_forward + p.reward_ctrl
    p.terminated = 0.0 * d.time


class Swimmer(Planar):
    original = "swimmer_v5:SwimmerEnv"
    observe = swim
    info = dict.fromkeys(
        ("x_position", "y_position", "distance_from_origin", "x_velocity", "y_velocity",
         "reward_forward", "reward_ctrl"), (),
    )  # fmt: skip
    reset_info = ("x_position", "y_position", "distance_from_origin")
    xml_file, frame_skip = "swimmer.xml", 4
    reset_noise_scale, ctrl_cost_weight, skipped = 0.1, 1e-4, 2


@kernel
def ant(m, d, p):
    rne_post_constraint(m, d)
    at = put_state(m, d, p, int(p.skip[0]))
    moved = d.time > 0.0  # before the first step there are no forces
    # contact forces, and what they cost
    total = 0.0
    for b in range(m.nbody):
        for k in range(6):
            force = clip(where(moved, d.cfrc_ext[b, k], 0.0), p.force_range[0], p.force_range[1])
            total += force * force
            if p.skip[1] > 0.0 and b > 0:
                p.obs[at + 6 * (b - 1) + k] = force
    # health: all numbers finite, and the height
    healthy = (d.qpos[2] >= p.z_range[0]) & (d.qpos[2] <= p.z_range[1])
    for i in range(m.nq):
        healthy &= finite(d.qpos[i])
    for i in range(m.nv):
        healthy &= finite(d.qvel[i])
    p.terminated = p.weights[3] * yes(not_(healthy))
    # reward: speed of the main body, as far as the step has computed where it is, and health
    b = int(p.skip[2])
    p.x_position = d.qpos[0]
    p.y_position = d.qpos[1]
    p.distance_from_origin = sqrt(d.qpos[0] * d.qpos[0] + d.qpos[1] * d.qpos[1])
    p.x_velocity = (d.xpos[b, 0] - p.before[0]) / p.dt[0]
    p.y_velocity = (d.xpos[b, 1] - p.before[1]) / p.dt[0]
    p.before[0] = d.xpos[b, 0]
    p.before[1] = d.xpos[b, 1]
    p.reward_forward = p.x_velocity * p.weights[0]
    p.reward_survive = p.weights[1] * yes(healthy)
    p.reward_contact = -(p.weights[2] * total)
    p.reward_ctrl = -p.ctrl_cost
    p.reward = (p.reward_forward + p.reward_survive) - (p.ctrl_cost - p.reward_contact)


class Ant(GymnasiumTask):
    original = "ant_v5:AntEnv"
    observe = ant
    info = dict.fromkeys(
        ("x_position", "y_position", "distance_from_origin", "x_velocity", "y_velocity",
         "reward_forward", "reward_ctrl", "reward_contact", "reward_survive"), (),
    )  # fmt: skip
    state = {"before": 2, "ctrl_cost": ()}  # noqa: RUF012
    reset_info = ("x_position", "y_position", "distance_from_origin")

    xml_file, frame_skip = "ant.xml", 5
    reset_noise_scale, normal_speeds = 0.1, True
    forward_reward_weight = 1.0
    ctrl_cost_weight = 0.5
    contact_cost_weight = 5e-4
    healthy_reward = 1.0
    main_body: Any = 1
    terminate_when_unhealthy = True
    healthy_z_range = (0.2, 1.0)
    contact_force_range = (-1.0, 1.0)
    exclude_current_positions_from_observation = True
    include_cfrc_ext_in_observation = True

    def describe(self, m: Model) -> None:
        skip = 2 * bool(self.exclude_current_positions_from_observation)
        with_forces = bool(self.include_cfrc_ext_in_observation)
        self.obs_size = m.nq - skip + m.nv + 6 * (m.nbody - 1) * with_forces
        self.parameters = {
            "skip": [skip, with_forces, m.body(self.main_body).id],
            "dt": [self.frame_skip * float(m.opt.timestep)],
            "weights": [self.forward_reward_weight, self.healthy_reward, self.contact_cost_weight,
                        float(bool(self.terminate_when_unhealthy))],
            "z_range": self.healthy_z_range, "force_range": self.contact_force_range,
        }  # fmt: skip
