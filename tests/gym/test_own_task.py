"""Tasks of the user's: both styles, where episodes begin, and mistakes in them."""

import textwrap

import numpy as np
import pytest

import lanewise as lw
import lanewise.gym
from lanewise.gym import Env, Task, VectorEnv
from support.gym_tasks import Slide, SlideOnArrays, played

N = 9


def test_both_styles_give_the_same():
    class Ends(Slide):
        parameters = {"weight": [0.5], "lowest": [0.2]}  # noqa: RUF012
        max_episode_steps = 23

    class EndsOnArrays(SlideOnArrays):
        lowest, max_episode_steps = 0.2, 23

    for mode in ("NextStep", "SameStep"):
        kernel = played(VectorEnv(Ends(), N, autoreset_mode=mode), 60)
        arrays = played(VectorEnv(EndsOnArrays(), N, autoreset_mode=mode), 60)
        for a, b in zip(kernel, arrays):
            assert np.allclose(a, b, rtol=0, atol=1e-14)
        assert kernel[2].any() and kernel[1].any()


def test_threads_do_not_matter():
    one, two = (played(VectorEnv(Slide(), 20, nthread=k)) for k in (1, 2))
    for a, b in zip(one, two):
        assert np.array_equal(a, b)


def test_the_example_of_the_package_runs(monkeypatch, tmp_path):
    text = lanewise.gym.__doc__.split("how it is on arrays):\n")[1]
    code = textwrap.dedent(text)
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 35
    file = tmp_path / "own.py"  # kernels are compiled from their source
    file.write_text(code)
    names = {"__name__": "own"}
    exec(compile(code, str(file), "exec"), names)
    assert names["obs"].shape == (64, 5) and (names["rewards"] > 0.5).all()
    assert not names["terminated"].any()


def test_episodes_begin_at_a_keyframe():
    class Still(Slide):
        def start(self, batch, ids, draws):
            pass

    env = VectorEnv(Still(), 2)
    obs, _ = env.reset(seed=0)
    assert np.array_equal(obs[:, :9], np.tile(env.model.key_qpos[0], (2, 1)))


@lw.kernel
def hold(m, d, p):
    for i in range(m.nu):
        d.ctrl[i] = p.gain[0] * (p.target[i] - d.qpos[7 + i]) - 0.2 * d.qvel[6 + i]


class Held(SlideOnArrays):
    """On arrays, with a controller inside of the step, whose targets are the actions."""

    kernels = {"control": hold}  # noqa: RUF012
    parameters = {"gain": [4.0], "target": [0.0, 0.0]}  # noqa: RUF012

    def begin(self, batch):
        self._target = batch.parameters.expand("target")

    def act(self, batch, ids, actions):
        self._target[slice(None) if ids is None else ids] = actions


def test_kernels_beside_a_task_on_arrays():
    env = VectorEnv(Held(), N, max_episode_steps=None)
    env.reset(seed=0)
    targets = np.linspace(-0.5, 0.5, 2 * N).reshape(N, 2)
    for _ in range(200):
        obs = env.step(targets)[0]
    assert np.abs(obs[:, 7:9] - targets).max() < 0.2
    assert np.corrcoef(obs[:, 7], targets[:, 0])[0, 1] > 0.9


def test_one_environment_of_it():
    env = Env(VectorEnv(Slide(), 1))
    obs, _ = env.reset(seed=3)
    many = VectorEnv(Slide(), 2)
    assert np.array_equal(obs, many.reset(seed=3)[0][0])


@lw.kernel
def forgetful(m, d, p):
    p.obs[0] = d.qpos[0]


def test_what_a_kernel_forgets_is_zero():
    class Forgetful(Slide):
        observe, obs_size = forgetful, 2

    env = VectorEnv(Forgetful(), N)
    env.reset(seed=0)
    obs, rewards, terminated, _, _ = env.step(np.zeros((N, 2)))
    assert (obs[:, 1] == 0).all() and (rewards == 0).all() and not terminated.any()


@lw.kernel
def dividing(m, d, p):
    p.obs[0] = d.qpos[0]
    p.reward = d.qpos[0] / d.qpos[0]


def test_a_reward_that_is_no_number_ends_its_episode_alone():
    class Dividing(Slide):
        observe, obs_size = dividing, 1

        def start(self, batch, ids, draws):
            batch.qpos[ids, 0] = np.where(ids == 3, 0.0, 1.0)

        def act(self, batch, ids, actions):
            batch.qpos[3, 0] = batch.qvel[3, 0] = 0.0

    class OnArrays(SlideOnArrays):
        def reward(self, batch, actions):
            return np.where(np.arange(N) == 3, np.nan, 1.0)

    still = Slide.model.replace('timestep=".01"', 'timestep=".01" gravity="0 0 0"')
    Dividing.model = still
    for task in (Dividing(), OnArrays()):
        env = VectorEnv(task, N)
        env.reset(seed=0)
        with pytest.warns(RuntimeWarning, match=f"{type(task).__name__} is NaN in environments 3:"):
            _, rewards, terminated, _, _ = env.step(np.zeros((N, 2)))
        assert np.flatnonzero(terminated).tolist() == [3] and rewards[3] == 0.0
        assert np.isfinite(rewards).all() and (np.delete(rewards, 3) != 0.0).all()


def test_mistakes_are_named():
    class NoModel(Task):
        def observation(self, batch):
            return batch.qpos

    class Nothing(Task):
        model = Slide.model

    class NoSize(Slide):
        obs_size = None

    class Flat(SlideOnArrays):
        def observation(self, batch):
            return batch.qpos[:, 0]

    class OneReward(SlideOnArrays):
        def reward(self, batch, actions):
            return np.ones(3)

    class Growing(SlideOnArrays):
        def observation(self, batch):
            return np.ones((batch.nsim, 2 + int(batch.time[0] > 0)))

    for task, message in (
        (NoModel, "NoModel has no model: set it to what lanewise.load takes"),
        (NoSize, "NoSize: obs_size says how many numbers of p.obs the kernel writes"),
        (Flat, r"Flat.observation returns \(nsim, n\), here \(9, n\); got \(9,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            VectorEnv(task(), N)
    with pytest.raises(NotImplementedError, match="neither a kernel `observe` nor a method"):
        VectorEnv(Nothing(), N)
    for task, message in (
        (OneReward, r"OneReward.reward returns \(9,\), one for each world; got \(3,\)"),
        (Growing, r"Growing.observation returns \(nsim, n\), here \(9, 2\); got \(9, 3\)"),
    ):
        env = VectorEnv(task(), N)
        env.reset(seed=0)
        with pytest.raises(ValueError, match=message):
            env.step(np.zeros((N, 2)))
