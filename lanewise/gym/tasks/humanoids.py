"""Humanoid and HumanoidStandup: all that moves a body, and the forces on it, are seen."""

from typing import Any

import numpy as np

from ...callbacks import rne_post_constraint
from ...lanes import clip, kernel, not_, sqrt, where
from ...public import Model
from .gymnasium_task import GymnasiumTask, put_state, within, yes

INF = float("inf")


@kernel
def put_bodies(m, d, p):
    """State, inertias, velocities and forces of bodies, forces of actuators => p.obs; the squares
    of all outer forces, added"""
    rne_post_constraint(m, d)
    at = put_state(m, d, p, int(p.skip[0]))
    if p.skip[1] > 0.0:
        for b in range(1, m.nbody):
            for k in range(10):
                p.obs[at + 10 * (b - 1) + k] = d.cinert[b, k]
        at += 10 * (m.nbody - 1)
    if p.skip[2] > 0.0:
        for b in range(1, m.nbody):
            for k in range(6):
                p.obs[at + 6 * (b - 1) + k] = d.cvel[b, k]
        at += 6 * (m.nbody - 1)
    if p.skip[3] > 0.0:
        for i in range(6, m.nv):
            p.obs[at + i - 6] = d.qfrc_actuator[i]
        at += m.nv - 6
    moved = d.time > 0.0  # before the first step there are no forces
    total = 0.0
    for b in range(m.nbody):
        for k in range(6):
            force = where(moved, d.cfrc_ext[b, k], 0.0)
            total += force * force
            if p.skip[4] > 0.0 and b > 0:
                p.obs[at + 6 * (b - 1) + k] = force
    for i in range(m.ntendon):
        p.tendon_length[i] = d.ten_length[i]
        p.tendon_velocity[i] = d.ten_velocity[i]
    return total


@kernel
def effort(m, d):
    """The squares of controls, added."""
    total = 0.0
    for i in range(m.nu):
        total += d.ctrl[i] * d.ctrl[i]
    return total


@kernel
def walk(m, d, p):
    impact = clip(p.weights[3] * put_bodies(m, d, p), p.impact_range[0], p.impact_range[1])
    healthy = within(d.qpos[2], p.z_range[0], p.z_range[1])
    p.terminated = p.weights[4] * yes(not_(healthy))
    # the centre of mass, as far as the step has computed where it is
    x, y, mass = 0.0, 0.0, 0.0
    for b in range(m.nbody):
        x += m.body_mass[b] * d.xipos[b, 0]
        y += m.body_mass[b] * d.xipos[b, 1]
        mass += m.body_mass[b]
    p.x_velocity = (x / mass - p.before[0]) / p.dt[0]
    p.y_velocity = (y / mass - p.before[1]) / p.dt[0]
    p.before[0] = x / mass
    p.before[1] = y / mass
    p.x_position = d.qpos[0]
    p.y_position = d.qpos[1]
    p.distance_from_origin = sqrt(d.qpos[0] * d.qpos[0] + d.qpos[1] * d.qpos[1])
    p.reward_forward = p.weights[0] * p.x_velocity
    p.reward_survive = p.weights[1] * yes(healthy)
    p.reward_ctrl = -(p.weights[2] * effort(m, d))
    p.reward_contact = -impact
    p.reward = (p.reward_forward + p.reward_survive) + (p.reward_ctrl + p.reward_contact)


@kernel
def stand_up(m, d, p):
    impact = clip(p.weights[3] * put_bodies(m, d, p), p.impact_range[0], p.impact_range[1])
    p.terminated = 0.0 * d.time
    p.x_position = d.qpos[0]
    p.y_position = d.qpos[1]
    p.z_distance_from_origin = d.qpos[2] - m.qpos0[2]
    p.reward_linup = d.qpos[2] / m.opt.timestep
    p.reward_quadctrl = -(p.weights[2] * effort(m, d))
    p.reward_impact = -impact
    p.reward = ((p.reward_linup + p.reward_quadctrl) + p.reward_impact) + 1.0


class Upright(GymnasiumTask):
    """What both have in common."""

    names: tuple[str, ...] = ()  # of infos that are numbers
    state = {"before": 2}  # noqa: RUF012

    frame_skip, reset_noise_scale = 5, 1e-2
    squares_weight = 0.1  # of controls
    impact_weight = 5e-7
    impact_range = (-INF, 10.0)
    exclude_current_positions_from_observation = True
    include_cinert_in_observation = True
    include_cvel_in_observation = True
    include_qfrc_actuator_in_observation = True
    include_cfrc_ext_in_observation = True

    def describe(self, m: Model) -> None:
        skip = 2 * bool(self.exclude_current_positions_from_observation)
        kinds = ("cinert", "cvel", "qfrc_actuator", "cfrc_ext")
        seen = [bool(getattr(self, f"include_{kind}_in_observation")) for kind in kinds]
        bodies = m.nbody - 1
        self.obs_size = m.nq - skip + m.nv + int(
            np.dot(seen, [10 * bodies, 6 * bodies, m.nv - 6, 6 * bodies])
        )  # fmt: skip
        tendons = max(m.ntendon, 1)  # an output has a number at least
        self.info = dict.fromkeys(self.names, ())
        self.info |= dict.fromkeys(("tendon_length", "tendon_velocity"), (tendons,))
        self._ntendon = int(m.ntendon)
        self.parameters = {
            "skip": [skip, *seen], "dt": [self.frame_skip * float(m.opt.timestep)],
            "weights": [*self.rewarded(), self.squares_weight, self.impact_weight, *self.ends()],
            "impact_range": self.impact_range,
        }  # fmt: skip

    def rewarded(self) -> tuple[float, float]:
        return 1.0, 1.0

    def ends(self) -> tuple[float, ...]:
        return (0.0,)

    def as_infos(self, values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        values = super().as_infos(values)
        for name in ("tendon_length", "tendon_velocity"):
            values[name] = values[name][:, : self._ntendon]
        return values


class Humanoid(Upright):
    original = "humanoid_v5:HumanoidEnv"
    observe = walk
    names = (
        "x_position", "y_position", "distance_from_origin", "x_velocity", "y_velocity",
        "reward_survive", "reward_forward", "reward_ctrl", "reward_contact",
    )  # fmt: skip
    reset_info = (
        "x_position", "y_position", "tendon_length", "tendon_velocity", "distance_from_origin",
    )  # fmt: skip
    xml_file = "humanoid.xml"
    forward_reward_weight, healthy_reward = 1.25, 5.0
    terminate_when_unhealthy, healthy_z_range = True, (1.0, 2.0)

    def __init__(
        self, *positional: Any, ctrl_cost_weight: float = 0.1, contact_cost_weight: float = 5e-7,
        contact_cost_range: tuple[float, float] = (-INF, 10.0), **arguments: Any,
    ):  # fmt: skip
        self.squares_weight, self.impact_weight = ctrl_cost_weight, contact_cost_weight
        self.impact_range = contact_cost_range
        super().__init__(*positional, **arguments)

    def describe(self, m: Model) -> None:
        super().describe(m)
        self.parameters = {**self.parameters, "z_range": self.healthy_z_range}

    def rewarded(self) -> tuple[float, float]:
        return self.forward_reward_weight, self.healthy_reward

    def ends(self) -> tuple[float, ...]:
        return (float(bool(self.terminate_when_unhealthy)),)


class HumanoidStandup(Upright):
    original = "humanoidstandup_v5:HumanoidStandupEnv"
    observe = stand_up
    names = (
        "x_position", "y_position", "z_distance_from_origin", "reward_linup", "reward_quadctrl",
        "reward_impact",
    )  # fmt: skip
    reset_info = (
        "x_position", "y_position", "z_distance_from_origin", "tendon_length", "tendon_velocity",
    )  # fmt: skip
    xml_file = "humanoidstandup.xml"
    uph_cost_weight = 1.0  # which Gymnasium takes, and does not use

    def __init__(
        self, *positional: Any, ctrl_cost_weight: float = 0.1, impact_cost_weight: float = 5e-7,
        impact_cost_range: tuple[float, float] = (-INF, 10.0), **arguments: Any,
    ):  # fmt: skip
        self.squares_weight, self.impact_weight = ctrl_cost_weight, impact_cost_weight
        self.impact_range = impact_cost_range
        super().__init__(*positional, **arguments)
