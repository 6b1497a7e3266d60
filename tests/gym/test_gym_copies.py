"""Environments copied, pickled, made again from their spec, in threads and in forked processes."""

import copy
import pickle
import threading

import gymnasium
import numpy as np
import pytest

import lanewise.gym
from lanewise import gym as lg
from lanewise.gym import Task, VectorEnv
from support.gym_tasks import Slide

NAMES = ("HalfCheetah", "Hopper", "Humanoid", "Reacher")


def going(name, n=5, **how):
    """An environment in the middle of episodes, at different times."""
    env = gymnasium.make_vec(f"lanewise/{name}-v5", num_envs=n, nthread=1, **how)
    env.reset(seed=7)
    env.action_space.seed(1)
    for _ in range(12):
        env.step(env.action_space.sample())
    return env


def same(found, wanted):
    for a, b in zip(found[:4], wanted[:4]):
        np.testing.assert_array_equal(a, b)
    assert found[4].keys() == wanted[4].keys()
    for key, values in wanted[4].items():
        if isinstance(values, np.ndarray) and values.dtype != object:
            np.testing.assert_array_equal(found[4][key], values)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("again", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))],
                         ids=["copy", "pickle"])  # fmt: skip
def test_goes_on_to_the_same_bits(name, again):
    env = going(name, max_episode_steps=20)  # resets, which draw numbers, come too
    other = again(env)
    assert other.spec == env.spec and other.batch is not env.batch
    actions = [env.action_space.sample() for _ in range(25)]
    apart = [other.step(a) for a in actions]
    for a, found in zip(actions, apart):
        same(found, env.step(a))


def test_a_single_environment():
    env = gymnasium.make("lanewise/Hopper-v5")
    env.reset(seed=3)
    env.action_space.seed(0)
    for again in (copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))):
        other = again(env)
        for _ in range(30):
            action = env.action_space.sample()
            a, b = env.step(action), other.step(action)
            np.testing.assert_array_equal(a[0], b[0])
            assert a[1:4] == b[1:4]


def test_a_copy_is_apart():
    """What one does the other does not see."""
    env = going("Hopper")
    other, before = copy.deepcopy(env), env.batch.state.copy()
    other.step(other.action_space.sample())
    other.reset()
    np.testing.assert_array_equal(env.batch.state, before)


@pytest.mark.parametrize("name", NAMES)
def test_made_again_from_its_spec(name):
    env = going(name, reset_noise_scale=0.02) if name != "Reacher" else going(name)
    other = gymnasium.make_vec(env.spec)
    assert other.num_envs == env.num_envs and other.spec == env.spec
    np.testing.assert_array_equal(other.reset(seed=7)[0], env.reset(seed=7)[0])


def test_environments_with_options_go_on_to_the_same_bits():
    """Randomized, pushed, delayed, noisy, on a terrain, with their episodes half over."""
    options = (
        lg.Terrain("rough", height=0.03, size=(8.0, 8.0)),
        lg.Randomize({"body_mass": lg.Scale(0.8, 1.2), "geom_friction": lg.Scale(0.5, 1.5)}),
        lg.Push("trunk", velocity=0.5, every=0.1),
        lg.Latency((0, 3), unit="substep"),
        lg.Noise(observations=0.01),
    )
    env = lg.VectorEnv(Slide(), 9, options=options, max_episode_steps=11)
    actions = np.random.default_rng(0).uniform(-1, 1, (40, 9, 2)).astype(np.float32)
    env.reset(seed=1)
    for a in actions[:17]:
        env.step(a)
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    pushed = 0
    for a in actions[17:]:
        expected = env.step(a)
        pushed = max(pushed, env.options[2].count.max())
        for other in others:
            for one, two in zip(expected[:4], other.step(a)[:4], strict=True):
                assert np.array_equal(one, two)
    assert pushed > 0 and (env.options[1].drawn["body_mass"] != 1).any()


class Poles(Task):
    model = str(lanewise.models.path("cartpole"))
    frame_skip = 4

    def begin(self, batch):
        self.positions = batch.qpos

    def observation(self, batch):
        return np.hstack([batch.qpos, batch.qvel])

    def reward(self, batch, actions):
        return -np.abs(self.positions[:, 1])


def test_a_task_on_arrays():
    env = VectorEnv(Poles(), 3, nthread=1)
    env.reset(seed=0)
    other = pickle.loads(pickle.dumps(env))
    actions = np.full(env.action_space.shape, 0.5, np.float32)
    for _ in range(5):
        same(other.step(actions), env.step(actions))
    assert np.shares_memory(other.task.positions, other.batch.qpos)


def test_threads():
    """Environments that several threads step at a time, each its own."""
    wanted = rows_of(0), rows_of(1)
    found: dict = {}
    threads = [threading.Thread(target=lambda i=i: found.update({i: rows_of(i)})) for i in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal([found[0], found[1]], wanted)


def rows_of(seed):
    env = gymnasium.make_vec("lanewise/Hopper-v5", num_envs=4, nthread=2)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    return [env.step(env.action_space.sample())[0] for _ in range(40)][-1]


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_processes(how):
    """AsyncVectorEnv of single environments, after this process has run kernels on threads."""
    rows_of(0)
    env = gymnasium.make_vec(
        "lanewise.gym:lanewise/Hopper-v5", num_envs=3, vectorization_mode="async",
        vector_kwargs={"context": how},
    )  # fmt: skip
    one = gymnasium.make_vec("lanewise/Hopper-v5", num_envs=3, nthread=1)
    try:
        np.testing.assert_array_equal(env.reset(seed=5)[0], one.reset(seed=5)[0])
        env.action_space.seed(0)
        for _ in range(60):
            actions = env.action_space.sample()
            a, b = env.step(actions), one.step(actions)
            for x, y in zip(a[:4], b[:4]):
                np.testing.assert_array_equal(x, y)
        assert b[4].keys() >= {"x_position"}
    finally:
        env.close()
