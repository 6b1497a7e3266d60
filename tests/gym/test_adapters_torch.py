"""TorchRL and rsl_rl: their environments beside the vector environment itself, and learning."""

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tensordict")


def made(mode, name="Hopper", n=3, **how):
    return gymnasium.make_vec(
        f"lanewise/{name}-v5", num_envs=n, nthread=1, autoreset_mode=mode, **how
    )


# ------------------------------------------------------------------------------------------ TorchRL


@pytest.fixture
def torchrl():
    return pytest.importorskip("torchrl")


@pytest.fixture
def torchrl_env(torchrl):
    from lanewise.gym.adapters.torchrl import TorchRLEnv

    return lambda *given, **how: TorchRLEnv(made("Disabled", *given, **how))


@pytest.mark.filterwarnings("ignore")
def test_torchrl_specs(torchrl_env):
    from torchrl.envs.utils import check_env_specs

    env = torchrl_env(max_episode_steps=15)
    check_env_specs(env)
    assert env.batch_size == (3,) and env.action_spec.shape == (3, 3)
    assert env.observation_spec["observation"].shape == (3, 11)
    assert (env.action_spec.space.low == -1).all()


def test_torchrl_numbers(torchrl_env):
    """Episodes of different lengths that begin anew by themselves, as the environment has them."""
    env, same = torchrl_env(max_episode_steps=25), made("NextStep", max_episode_steps=25)
    env.set_seed(6)
    td, (obs, _) = env.reset(), same.reset(seed=6)
    generator, ends = np.random.default_rng(0), 0
    np.testing.assert_array_equal(td["observation"], obs)
    for _ in range(60):
        actions = generator.uniform(-1, 1, (3, 3)).astype(np.float32)
        td["action"] = torch.from_numpy(actions)
        stepped, td = env.step_and_maybe_reset(td)
        obs, rewards, terminated, truncated, _ = same.step(actions)
        found = stepped["next"]
        np.testing.assert_array_equal(found["observation"], obs)
        for name, x in (("reward", rewards), ("terminated", terminated), ("truncated", truncated)):
            np.testing.assert_array_equal(found[name][:, 0], x)
        over = terminated | truncated
        np.testing.assert_array_equal(found["done"][:, 0], over)
        if over.any():  # there it takes another step, of those that are over only
            ends += over.sum()
            begun = same.reset(options={"reset_mask": over})[0]
            np.testing.assert_array_equal(td["observation"], begun)
            assert not td["done"].any()
    assert ends > 5


@pytest.mark.filterwarnings("ignore")
def test_torchrl_collector(torchrl_env):
    from tensordict.nn import TensorDictModule
    from torchrl import collectors

    kind = getattr(collectors, "Collector", None) or collectors.SyncDataCollector
    env = torchrl_env(dtype=np.float32, max_episode_steps=20)
    net = TensorDictModule(torch.nn.Linear(11, 3), in_keys=["observation"], out_keys=["action"])
    collector = kind(env, net, frames_per_batch=90, total_frames=180)
    batches = list(collector)
    collector.shutdown()
    assert [batch.shape for batch in batches] == [(3, 30)] * 2
    assert all(torch.isfinite(batch["next", "reward"]).all() for batch in batches)
    assert batches[0]["next", "done"].any()
    # after an end, the next row is the beginning of an episode
    done = batches[0]["next", "done"][:, :-1, 0]
    height = batches[0]["observation"][:, 1:, 0]
    assert (abs(height[done] - 1.25) < 0.01).all()


def test_torchrl_refusals(torchrl):
    from lanewise.gym.adapters.torchrl import TorchRLEnv

    with pytest.raises(ValueError, match="TorchRL expects autoreset_mode='Disabled'"):
        TorchRLEnv(made("NextStep"))


# ------------------------------------------------------------------------------------------- rsl_rl


@pytest.fixture
def rsl_rl_env():
    pytest.importorskip("rsl_rl")
    from lanewise.gym.adapters.rsl_rl import RslRlVecEnv

    return lambda *given, **how: RslRlVecEnv(made("SameStep", *given, **how))


def test_rsl_rl_numbers(rsl_rl_env):
    env, same = rsl_rl_env(max_episode_steps=25), made("SameStep", max_episode_steps=25)
    obs, _ = env.reset(seed=6)
    wanted, _ = same.reset(seed=6)
    generator, cut, ends = np.random.default_rng(0), 0, 0
    for _ in range(60):
        np.testing.assert_array_equal(obs["policy"], wanted.astype(np.float32))
        assert env.get_observations() is obs
        actions = generator.uniform(-3, 3, (3, 3)).astype(np.float32)  # some beyond the space
        obs, rewards, dones, extras = env.step(torch.from_numpy(actions))
        wanted, theirs, terminated, truncated, _ = same.step(actions.clip(-1, 1))
        np.testing.assert_array_equal(rewards, theirs.astype(np.float32))
        np.testing.assert_array_equal(dones, terminated | truncated)
        np.testing.assert_array_equal(extras["time_outs"], truncated & ~terminated)
        np.testing.assert_array_equal(env.episode_length_buf, same.elapsed)
        cut, ends = cut + int(truncated.sum()), ends + int(dones.sum())
    assert 0 < cut < ends
    assert (env.num_envs, env.num_actions, env.max_episode_length) == (3, 3, 25)


def test_rsl_rl_lengths_of_episodes(rsl_rl_env):
    """What is written there counts: runners begin at random lengths."""
    env = rsl_rl_env("HalfCheetah", max_episode_steps=10)
    env.reset()
    env.episode_length_buf = torch.tensor([0, 5, 9])
    dones = [env.step(torch.zeros(3, 6))[2].tolist() for _ in range(5)]
    assert dones == [[0, 0, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0]]
    env.episode_length_buf[0] = 9
    assert env.step(torch.zeros(3, 6))[2].tolist() == [1, 0, 0]


def test_rsl_rl_runner(rsl_rl_env, tmp_path):
    from rsl_rl.runners import OnPolicyRunner

    env = rsl_rl_env("HalfCheetah", 8, max_episode_steps=30)
    network = {"class_name": "MLPModel", "hidden_dims": [16, 16], "activation": "elu"}
    spread = {"class_name": "GaussianDistribution", "init_std": 1.0}
    settings = {
        "num_steps_per_env": 24, "save_interval": 50,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "algorithm": {"class_name": "PPO", "num_learning_epochs": 2, "num_mini_batches": 2},
        "actor": {**network, "distribution_cfg": spread}, "critic": dict(network),
        "logger": "tensorboard",
    }  # fmt: skip
    runner = OnPolicyRunner(env, settings, log_dir=str(tmp_path), device="cpu")
    before = [p.detach().clone() for p in runner.alg.actor.parameters()]
    runner.learn(2, init_at_random_ep_len=True)
    assert any((a != b).any() for a, b in zip(before, runner.alg.actor.parameters()))
    assert list(tmp_path.glob("model_*.pt"))


def test_rsl_rl_refusals(rsl_rl_env):
    with pytest.raises(ValueError, match="give max_episode_steps"):
        rsl_rl_env(max_episode_steps=None)
    from lanewise.gym.adapters.rsl_rl import RslRlVecEnv

    with pytest.raises(ValueError, match="rsl_rl expects autoreset_mode='SameStep'"):
        RslRlVecEnv(made("NextStep"))
