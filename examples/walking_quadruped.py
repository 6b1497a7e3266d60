"""A quadruped that walks as it is told, on rough ground: a task of one's own with all options.

The task is the kernel `walk` and the class `Walk`. Every world has masses, friction, motors and a
command of its own; robots are pushed, their actions come late, and what they see is noisy. A small
search then finds a trot that follows the commands: a sine for swing and knee of each leg, with six
numbers, each candidate tried in some worlds.

    python examples/walking_quadruped.py --rounds 20 --worlds 1024
"""

import argparse

import numpy as np
from gymnasium.spaces import Box

import lanewise as lw
from lanewise.gym import (
    Latency,
    Noise,
    Push,
    Randomize,
    Scale,
    Task,
    Terrain,
    Value,
    VectorEnv,
    ground_height,
)
from lanewise.lanes import exp, kernel, load3, load4, store3, vec, where


@kernel(inline=True)
def in_trunk(q, v):
    """A vector of the world in the axes of a body with this quaternion."""
    tx = 2.0 * (v[1] * q[3] - v[2] * q[2])
    ty = 2.0 * (v[2] * q[1] - v[0] * q[3])
    tz = 2.0 * (v[0] * q[2] - v[1] * q[1])
    x = v[0] + q[0] * tx + (ty * q[3] - tz * q[2])
    y = v[1] + q[0] * ty + (tz * q[1] - tx * q[3])
    z = v[2] + q[0] * tz + (tx * q[2] - ty * q[1])
    return vec(x, y, z)


@kernel
def walk(m, d, p):
    """(qpos, qvel) => what the robot feels, how well it does, whether it has fallen"""
    q = load4(d.qpos, 3)
    down, v = in_trunk(q, vec(0.0, 0.0, -1.0)), in_trunk(q, load3(d.qvel, 0))
    store3(p.obs, 0, down)
    store3(p.obs, 3, v)
    for k in range(3):
        p.obs[6 + k] = d.qvel[3 + k]
        p.obs[9 + k] = p.command[k]
    effort = 0.0 * d.time
    for i in range(12):
        p.obs[12 + i] = d.qpos[7 + i] - p.stand[i]
        p.obs[24 + i] = d.qvel[6 + i]
        effort += d.actuator_force[i] * d.actuator_force[i]
    # as fast as commanded, forward, sideways and turning; without rolling, pitching or toil
    wrong = vec(v[0] - p.command[0], v[1] - p.command[1], d.qvel[5] - p.command[2])
    speed = exp(-4.0 * (wrong[0] * wrong[0] + wrong[1] * wrong[1]))
    turn = exp(-4.0 * wrong[2] * wrong[2])
    rolling = d.qvel[3] * d.qvel[3] + d.qvel[4] * d.qvel[4]
    p.reward = speed + 0.5 * turn - 0.02 * rolling - 1e-4 * effort
    height = d.qpos[2] - ground_height(m, d.qpos[0], d.qpos[1])
    p.terminated = where((down[2] > -0.5) | (height < 0.15), 1.0, 0.0)


STAND = lw.load(lw.models.path("quadruped")).key_ctrl[0].copy()  # targets of the servos
REACH = 0.6  # radians that an action of 1 is


class Walk(Task):
    """Actions are targets of the position servos, about those of standing."""

    model = lw.models.path("quadruped")
    keyframe = "stand"
    frame_skip = 10  # 50 actions a second
    max_episode_steps = 500
    observe, obs_size = walk, 36
    parameters = {"command": [0.4, 0.0, 0.0], "stand": STAND}  # noqa: RUF012

    def action_space(self, m):
        return Box(-1.0, 1.0, (m.nu,), np.float32)

    def start(self, batch, ids, draws):
        batch.qpos[ids, 7:] += draws.uniform(-0.1, 0.1, 12)

    def act(self, batch, ids, actions):
        batch.ctrl[slice(None) if ids is None else ids] = STAND + REACH * np.clip(actions, -1, 1)


def options(height: float = 0.03):
    """What a robot has to cope with."""
    return [
        Terrain("rough", height=height, size=20.0),
        Randomize({
            ("body_mass", "body_inertia"): Scale(0.85, 1.15),
            "geom_friction": Scale(0.6, 1.2, of="*_foot", columns=0),
            ("actuator_gainprm", "actuator_biasprm"): Scale(0.9, 1.1),
            "command": Value([0.3, 0.0, -0.2], [0.6, 0.0, 0.2]),
        }),
        Push("trunk", every=(1.0, 2.0), velocity=(0.1, 0.4)),
        Latency(actions=(0, 1)),
        Noise(observations=0.02, actions=0.02),
    ]  # fmt: skip


# ---- a small search

LEGS = np.array([0.0, 0.5, 0.5, 0.0])  # phases of a trot: front left goes with hind right
SIDE = np.array([1.0, -1.0, 1.0, -1.0])  # left and right
NAMES = ("swing", "by speed", "lift", "lag", "frequency", "by turning")
FIRST, SPREAD = np.array([-0.3, 0.0, 0.3, 0.1, 2.0, 0.0]), np.array([0.2, 0.3, 0.15, 0.1, 0.5, 0.3])


def trot(numbers, commands, time):
    """(n, 12) actions of gaits (n, 6) for commands (n, 3) at a time."""
    swing, by_speed, lift, lag, frequency, by_turning = numbers.T[:, :, None]
    phase = 2.0 * np.pi * (frequency * time + LEGS)
    stride = swing + by_speed * commands[:, :1] - by_turning * commands[:, 2:] * SIDE
    hip = stride * np.sin(phase)
    knee = -lift * np.maximum(0.0, np.sin(phase + 2.0 * np.pi * lag))
    return np.stack([0.0 * hip, hip, knee], axis=2).reshape(len(numbers), 12)


def tried(envs, numbers, seconds=3.0, seed=0):
    """Mean reward of each world's gait, and the speeds that worlds had and should have had."""
    envs.reset(seed=seed)
    commands = envs.batch.parameters["command"].copy()
    total, going = np.zeros(envs.num_envs), np.ones(envs.num_envs, bool)
    speeds = np.zeros(envs.num_envs)
    steps = round(seconds / envs.dt)
    for k in range(steps):
        obs, rewards, fallen, _, _ = envs.step(trot(numbers, commands, k * envs.dt))
        total += rewards * going
        speeds += obs[:, 3] * going
        going &= ~fallen
    return total / steps, speeds / steps, commands[:, 0], going


def main(rounds: int = 4, worlds: int = 96, each: int = 6, seconds: float = 2.0):
    """The best gait, how fast it walks, how fast it was told to, and how many still stand."""
    envs = VectorEnv(Walk(), worlds, options=options())
    rng = np.random.default_rng(0)
    mean, spread, count = FIRST, SPREAD, worlds // each
    for k in range(rounds):
        candidates = mean + spread * rng.standard_normal((count, len(mean)))
        candidates[0] = mean
        scores = tried(envs, np.repeat(candidates, each, axis=0), seconds, seed=k)[0]
        scores = scores.reshape(count, each).mean(axis=1)
        best = candidates[np.argsort(-scores)[: max(3, count // 5)]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
        print(f"round {k}: the best of {count} gaits has {scores.max():.2f} a step")
    reward, speed, told, standing = tried(envs, np.tile(mean, (worlds, 1)), seconds, seed=100)
    print(", ".join(f"{name} {x:.2f}" for name, x in zip(NAMES, mean)))
    print(
        f"in {worlds} other worlds: {reward.mean():.2f} a step, {speed.mean():.2f} m/s where"
        f" {told.mean():.2f} were commanded; {standing.sum()} have not fallen"
    )
    return mean, speed, told, standing


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--worlds", type=int, default=96)
    parser.add_argument("--quick", action="store_true", help="two rounds of a few worlds")
    given = parser.parse_args()
    if given.quick:
        main(rounds=2, worlds=48, each=4)
    else:
        main(given.rounds, given.worlds)
