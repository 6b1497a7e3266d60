"""What all options of an environment have in common."""

import gymnasium
import numpy as np
import pytest

import lanewise.gym
from lanewise.gym import (
    Latency,
    Noise,
    Option,
    Push,
    Randomize,
    Scale,
    Scan,
    Terrain,
    Value,
    VectorEnv,
)
from lanewise.gym.options.streams import Streams
from lanewise.gym.seeds import Generators
from support.gym_tasks import Slide, SlideOnArrays, played

N = 11
OPTIONS = {
    "masses": lambda: Randomize({"body_mass": Scale(0.5, 2.0)}),
    "friction": lambda: Randomize({"geom_friction": Scale.log(0.1, 1.0, columns=0)}),
    "parameter": lambda: Randomize({"weight": Value(0.0, 1.0)}),
    "kick": lambda: Push("trunk", (0.05, 0.1), velocity=(0.5, 1.0)),
    "force": lambda: Push("left_leg", (0.05, 0.1), force=20.0, duration=0.06),
    "late actions": lambda: Latency(actions=(1, 4)),
    "late by substeps": lambda: Latency(actions=(1, 5), unit="substep"),
    "old observations": lambda: Latency(observations=(1, 3)),
    "noise": lambda: Noise(observations=0.01),
    "noisy actions": lambda: Noise(actions=0.3, kind="uniform"),
    "terrain": lambda: Terrain("rough", height=0.1, size=8.0),
    "scan": lambda: Scan([[0.0, 0.0], [0.2, 0.1]], "eye"),
}


def env_of(*names, task=Slide, n=N, **arguments):
    return VectorEnv(task(), n, options=[OPTIONS[name]() for name in names], **arguments)


@pytest.fixture(scope="module")
def plain():
    return played(env_of())


@pytest.mark.parametrize("name", OPTIONS)
def test_it_does_something_and_only_that(name, plain):
    obs, rewards, _ = played(env_of(name))
    same = np.array_equal(obs[..., :17], plain[0]) and np.array_equal(rewards, plain[1])
    assert same == (name == "scan")


@pytest.mark.parametrize("name", OPTIONS)
def test_a_seed_repeats_it(name):
    env = env_of(name)
    first = played(env, seed=5)
    others = played(env, seed=6)
    again = played(env, seed=5)
    for a, b in zip(first, again):
        assert np.array_equal(a, b)
    assert not np.array_equal(first[0], others[0])
    # environment i of seed 5 is environment i - 1 of seed 6, if it is given the same actions
    still = np.zeros(env.action_space.shape)
    first, others = (played(env, seed=s, actions=still)[0] for s in (5, 6))
    assert np.array_equal(first[:, 1:], others[:, :-1])


@pytest.mark.parametrize("name", OPTIONS)
def test_threads_do_not_matter(name):
    one, two = (played(env_of(name, n=19, nthread=k)) for k in (1, 2))
    for a, b in zip(one, two):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("name", OPTIONS)
def test_nothing_is_left_of_an_episode(name):
    """The second episode of an environment is the same whatever happened in the first."""
    env = env_of(name)
    rng = np.random.default_rng(1)
    seconds = []
    for length in (1, 9):
        env.reset(seed=3)
        for _ in range(length):
            env.step(rng.uniform(-1, 1, env.action_space.shape))
        rows = [env.reset()[0]]
        rows += [env.step(np.full(env.action_space.shape, 0.3))[0] for _ in range(10)]
        seconds.append(rows)
    assert np.array_equal(*seconds)


def test_all_of_them_at_once_in_all_modes():
    for mode in ("NextStep", "SameStep", "Disabled"):
        env = env_of(*OPTIONS.keys() - {"late by substeps"}, autoreset_mode=mode)
        env.task.max_episode_steps = env.max_episode_steps = 5
        env.reset(seed=0)
        for _ in range(12):
            actions = np.zeros(env.action_space.shape)
            obs, _, terminated, truncated, _ = env.step(actions)
            over = terminated | truncated
            if mode == "Disabled" and over.any():
                obs, _ = env.reset(options={"reset_mask": over})
            assert obs.shape == env.observation_space.shape and np.isfinite(obs).all()


def test_who_does_not_begin_keeps_what_was_seen():
    """A reset of some environments draws no new noise for the others, nor ages what they saw."""
    env = VectorEnv(
        Slide(), N, options=[Latency(observations=(1, 3)), Noise(0.1)], autoreset_mode="Disabled"
    )
    twin = VectorEnv(
        Slide(), N, options=[Latency(observations=(1, 3)), Noise(0.1)], autoreset_mode="Disabled"
    )
    zero, some = np.zeros(env.action_space.shape), np.arange(N) % 3 == 0
    for e in (env, twin):
        e.reset(seed=2)
        for _ in range(4):
            seen = e.step(zero)[0]
    again, _ = env.reset(options={"reset_mask": some})
    assert np.array_equal(again[~some], seen[~some])
    assert (again[some] != seen[some]).all()
    assert np.array_equal(env.step(zero)[0][~some], twin.step(zero)[0][~some])


def test_the_task_draws_the_same_with_and_without_options():
    plain, other = env_of(), env_of("masses", "noisy actions", "kick")
    for env in (plain, other):
        env.reset(seed=4)
    for _ in range(3):
        assert np.array_equal(plain.batch.qpos, other.batch.qpos)
        plain.reset()
        other.reset()


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "parameter"])
def test_both_styles_of_a_task_agree(name):
    kernel, arrays = played(env_of(name)), played(env_of(name, task=SlideOnArrays))
    for a, b in zip(kernel, arrays):
        assert np.allclose(a, b, rtol=0, atol=1e-14)


def test_gymnasium_takes_them():
    envs = gymnasium.make_vec(
        "lanewise/Ant-v5", num_envs=3, options=[Noise(0.1), Terrain(height=0.1, size=10.0)]
    )
    obs, _ = envs.reset(seed=0)
    assert obs.shape == (3, 105) and isinstance(envs, lanewise.gym.VectorEnv)


def test_an_option_is_of_one_environment():
    noise = Noise(0.1)
    VectorEnv(Slide(), 2, options=[noise])
    with pytest.raises(ValueError, match="option of another environment already"):
        VectorEnv(Slide(), 2, options=[noise])
    with pytest.raises(TypeError, match="of lanewise.gym, got dict"):
        VectorEnv(Slide(), 2, options=[{"body_mass": 1.0}])


class Recorder(Option):
    def __init__(self):
        self.calls = []

    def vary(self, which, draws):
        self.calls.append(("vary", which.tolist(), float(self.env.batch.time[which].max())))

    def start(self, which, draws):
        self.calls.append(("start", which.tolist(), float(self.env.batch.time[which].max())))


def test_models_are_changed_before_worlds_are_reset():
    recorder = Recorder()
    env = VectorEnv(Slide(), 2, options=[recorder])
    env.reset(seed=0)
    env.step(np.zeros((2, 2)))
    del recorder.calls[:]
    env.reset()
    (vary, _, before), (start, _, after) = recorder.calls
    assert (vary, start) == ("vary", "start") and before > 0.0 and after == 0.0


def test_streams_are_random_and_apart():
    streams = Streams(3)
    generators = Generators(3)
    generators.seed([1, 2, 3], np.arange(3))
    streams.start(np.arange(3), generators.option_draws(np.arange(3)))
    u, x = streams.uniform(None, 20000), streams.normal(None, 20001)
    assert (u >= 0.0).all() and (u < 1.0).all()
    assert np.abs(u.mean(axis=1) - 0.5).max() < 0.01 and np.abs(u.var(axis=1) - 1 / 12).max() < 0.01
    assert np.abs(x.mean(axis=1)).max() < 0.03 and np.abs(x.std(axis=1) - 1.0).max() < 0.03
    assert np.abs(np.corrcoef(u)[np.triu_indices(3, 1)]).max() < 0.03
    # some environments go on, and the others wait
    states = streams.uniform(None, 0).shape, streams.uniform(np.array([1]), 4)
    assert states[0] == (3, 0) and states[1].shape == (1, 4)
