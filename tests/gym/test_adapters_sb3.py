"""Stable-Baselines3: its checker, its VecEnv beside our own, and learning."""

import gymnasium
import numpy as np
import pytest

from lanewise.gym import TASKS

sb3 = pytest.importorskip("stable_baselines3")

from stable_baselines3.common import env_checker, vec_env  # noqa: E402
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402

from lanewise.gym.adapters.sb3 import SB3VecEnv  # noqa: E402


def made(name="Hopper", n=3, **how):
    how = {"autoreset_mode": "SameStep", "nthread": 1} | how
    return SB3VecEnv(gymnasium.make_vec(f"lanewise/{name}-v5", num_envs=n, **how))


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_its_checker(name):
    env_checker.check_env(gymnasium.make(f"lanewise/{name}-v5").unwrapped, skip_render_check=True)


def test_beside_its_own():
    """What a DummyVecEnv of Gymnasium's gives: numbers, ends, last observations, reasons."""
    ours = made(max_episode_steps=20)
    theirs = vec_env.DummyVecEnv(
        [lambda: gymnasium.make("Hopper-v5", max_episode_steps=20) for _ in range(3)]
    )
    for env in (ours, theirs):
        env.seed(4)
    # DummyVecEnv keeps float64 as the space has it, as we do
    np.testing.assert_allclose(ours.reset(), theirs.reset(), atol=1e-12)
    ours.action_space.seed(0)
    cut = ended = 0
    for _ in range(60):
        actions = np.stack([ours.action_space.sample() for _ in range(3)])
        a, b = ours.step(actions), theirs.step(actions)
        for x, y in zip(a[:3], b[:3]):
            np.testing.assert_allclose(x, y, atol=1e-6)
        assert a[1].dtype == b[1].dtype == np.float32
        for mine, other in zip(a[3], b[3]):
            assert ("terminal_observation" in mine) == ("terminal_observation" in other)
            if "terminal_observation" in mine:
                last = mine["terminal_observation"], other["terminal_observation"]
                np.testing.assert_allclose(*last, atol=1e-6)
                assert mine["TimeLimit.truncated"] == other["TimeLimit.truncated"]
                ended += 1
                cut += mine["TimeLimit.truncated"]
    assert 0 < cut < ended


def test_infos_that_are_asked_for():
    env = SB3VecEnv(made(max_episode_steps=3).env, infos=["x_position"])
    env.reset()
    for k in range(4):
        _, _, dones, infos = env.step(np.zeros((3, 3), np.float32))
        assert [set(info) - {"x_position"} for info in infos] == [
            {"terminal_observation", "TimeLimit.truncated"} if done else set() for done in dones
        ]
        assert dones.all() == (k == 2)
        assert all("x_position" in info for info in infos)


def test_what_it_asks():
    env = made(max_episode_steps=50)
    assert env.get_attr("render_mode") == [None] * 3 and env.get_attr("dt", [1]) == [env.env.dt]
    assert env.env_method("get_attr", "num_envs", indices=0) == [(3, 3, 3)]
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 3
    assert env.has_attr("task") and not env.has_attr("tusk")
    env.set_attr("label", 5)
    assert env.env.label == 5
    with pytest.raises(ValueError, match="belongs to all environments"):
        env.set_attr("label", 5, indices=[0])
    env.set_options({"qpos": np.arange(6) * 0.01})
    assert np.allclose(env.reset()[:, :5], np.arange(1, 6) * 0.01)  # x is not observed
    env.close()
    env.close()


def test_what_is_refused():
    with pytest.raises(ValueError, match="expects autoreset_mode='SameStep'"):
        made(autoreset_mode="NextStep")
    with pytest.raises(TypeError, match="not SyncVectorEnv"):
        SB3VecEnv(gymnasium.make_vec("Hopper-v5", num_envs=2, vectorization_mode="sync"))


def test_ppo_learns():
    """Two updates on eight environments change the policy; returns of episodes are known."""
    env = vec_env.VecMonitor(made("HalfCheetah", 8, dtype=np.float32, max_episode_steps=40))
    model = sb3.PPO("MlpPolicy", env, n_steps=64, batch_size=128, n_epochs=2, seed=0, device="cpu")
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(2 * 64 * 8)
    assert any((a != b).any() for a, b in zip(before, model.policy.parameters()))
    assert len(model.ep_info_buffer) == 2 * 64 * 8 // 40 // 8 * 8
    assert all(info["l"] == 40 for info in model.ep_info_buffer)
    mean, _ = evaluate_policy(model, env, n_eval_episodes=8)
    assert np.isfinite(mean)


def test_off_policy():
    """Replay buffers take last observations from infos."""
    env = made("HalfCheetah", 4, dtype=np.float32, max_episode_steps=20)
    model = sb3.SAC("MlpPolicy", env, learning_starts=50, batch_size=32, seed=0, device="cpu")
    model.learn(120)
    assert model.replay_buffer.pos == 30
    assert model.replay_buffer.timeouts[:30].sum() == 4
