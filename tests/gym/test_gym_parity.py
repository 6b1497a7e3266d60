"""The eleven tasks beside Gymnasium's own: the same seeds and actions, the same numbers."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import lanewise.gym as lg
from lanewise.gym.tasks.gymnasium_task import arguments_of

# Episodes of random actions until worlds depart as chaos lets them: MuJoCo's own, moved by 1e-15,
# are as far apart. HalfCheetah, Ant and both humanoids get there within 50 steps.
STEPS = dict.fromkeys(lg.TASKS, 50) | {"HalfCheetah": 12, "Ant": 25, "Humanoid": 25}

# other arguments than the defaults, of each task
OTHERS = {
    "Ant": {
        "exclude_current_positions_from_observation": False, "contact_force_range": (-0.3, 0.2),
        "include_cfrc_ext_in_observation": False, "main_body": "torso", "healthy_reward": 0.4,
        "contact_cost_weight": 0.1, "terminate_when_unhealthy": False, "frame_skip": 3,
    },
    "HalfCheetah": {"exclude_current_positions_from_observation": False, "frame_skip": 2,
                    "forward_reward_weight": 2.0, "ctrl_cost_weight": 0.3},
    "Hopper": {"healthy_angle_range": (-0.05, 0.1), "healthy_state_range": (-3.0, 2.0),
               "healthy_z_range": (0.9, 1.4), "reset_noise_scale": 0.1},
    "Humanoid": {"include_cinert_in_observation": False, "contact_cost_range": (0.0, 1e-3),
                 "include_cfrc_ext_in_observation": False, "ctrl_cost_weight": 0.4,
                 "exclude_current_positions_from_observation": False, "contact_cost_weight": 1e-3},
    "HumanoidStandup": {"include_cvel_in_observation": False, "impact_cost_weight": 1e-3,
                        "include_qfrc_actuator_in_observation": False, "reset_noise_scale": 0.1},
    "InvertedDoublePendulum": {"healthy_reward": 3.0, "reset_noise_scale": 0.2},
    "InvertedPendulum": {"reset_noise_scale": 0.15, "frame_skip": 1},
    "Pusher": {"reward_near_weight": 2.0, "reward_dist_weight": 0.3, "frame_skip": 2},
    "Reacher": {"reward_dist_weight": 0.3, "reward_control_weight": 0.2},
    "Swimmer": {"exclude_current_positions_from_observation": False, "ctrl_cost_weight": 0.1},
    "Walker2d": {"healthy_angle_range": (-0.3, 0.1), "terminate_when_unhealthy": False,
                 "exclude_current_positions_from_observation": False},
}  # fmt: skip


def pair(name, n, mode="NextStep", **arguments):
    """Ours, and Gymnasium's one after another."""
    ours = gymnasium.make_vec(f"lanewise/{name}-v5", n, autoreset_mode=mode, **arguments)
    theirs = gymnasium.make_vec(
        f"{name}-v5", n, vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode(mode)}, **arguments,
    )  # fmt: skip
    return ours, theirs


def assert_same_infos(ours, theirs, atol):
    assert ours.keys() == theirs.keys()
    for key, value in theirs.items():
        if isinstance(value, dict):
            assert_same_infos(ours[key], value, atol)
        elif value.dtype == object:  # final_obs
            for one, other in zip(ours[key], value, strict=True):
                assert (one is None) == (other is None)
                if other is not None:
                    np.testing.assert_allclose(one, other, rtol=atol, atol=atol)
        else:
            assert ours[key].dtype == value.dtype and ours[key].shape == value.shape, key
            np.testing.assert_allclose(ours[key], value, rtol=atol, atol=atol, err_msg=key)


def compare(ours, theirs, steps, seed, atol=1e-9):
    """Run both; how many episodes ended."""
    rng, ended = np.random.default_rng(seed), 0
    one, other = ours.reset(seed=seed), theirs.reset(seed=seed)
    np.testing.assert_allclose(one[0], other[0], rtol=1e-13, atol=1e-13)
    assert_same_infos(one[1], other[1], 1e-13)
    for _ in range(steps):
        space = ours.action_space
        actions = rng.uniform(space.low, space.high).astype(np.float32)
        one, other = ours.step(actions), theirs.step(actions)
        np.testing.assert_allclose(one[0], other[0], rtol=atol, atol=atol)
        np.testing.assert_allclose(one[1], other[1], rtol=atol, atol=atol)
        assert np.array_equal(one[2], other[2]) and np.array_equal(one[3], other[3])
        assert_same_infos(one[4], other[4], atol)
        ended += int((one[2] | one[3]).sum())
    return ended


@pytest.mark.parametrize("name", lg.TASKS)
def test_a_task_is_gymnasiums(name):
    ours, theirs = pair(name, 5)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.single_action_space == theirs.single_action_space
    assert ours.observation_space == theirs.observation_space
    assert ours.metadata["render_fps"] == theirs.metadata["render_fps"]
    ended = compare(ours, theirs, STEPS[name], 11)
    if name in ("Hopper", "Walker2d", "Humanoid", "InvertedPendulum", "InvertedDoublePendulum"):
        assert ended > 2  # and began again
    if name == "Reacher":
        assert ended == 5  # cut


@pytest.mark.parametrize("name", lg.TASKS)
def test_arguments_of_a_task(name):
    compare(*pair(name, 3, **OTHERS[name]), 12, 3)


@pytest.mark.parametrize("name", lg.TASKS)
def test_defaults_are_gymnasiums(name):
    task = lg.TASKS[name]()
    other = {
        "Humanoid": {"ctrl_cost_weight": "squares_weight", "contact_cost_weight": "impact_weight",
                     "contact_cost_range": "impact_range"},
        "HumanoidStandup": {"ctrl_cost_weight": "squares_weight",
                            "impact_cost_weight": "impact_weight",
                            "impact_cost_range": "impact_range"},
    }  # fmt: skip
    for argument, value in arguments_of(task.original).items():
        own = getattr(task, other.get(name, {}).get(argument, argument))
        if isinstance(value, dict):
            assert own.keys() == value.keys()
            assert all(np.array_equal(own[k], x) for k, x in value.items())
        else:
            assert own == value, argument


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize("name", ["Hopper", "InvertedDoublePendulum", "Humanoid"])
def test_episodes_that_begin_again(name, mode):
    ended = compare(*pair(name, 6, mode, max_episode_steps=9), 20, 5)
    assert ended >= 12


def test_resets_by_the_user():
    ours, theirs = pair("Hopper", 4, "Disabled", max_episode_steps=7)
    ours.reset(seed=2), theirs.reset(seed=2)
    rng = np.random.default_rng(1)
    for _ in range(30):
        actions = rng.uniform(-1, 1, (4, 3)).astype(np.float32)
        one, other = ours.step(actions), theirs.step(actions)
        np.testing.assert_allclose(one[0], other[0], rtol=1e-9, atol=1e-9)
        over = one[2] | one[3]
        assert np.array_equal(over, other[2] | other[3])
        if over.any():
            with pytest.raises(gymnasium.error.ResetNeeded, match="are over: reset them"):
                ours.step(actions)
            one = ours.reset(options={"reset_mask": over})
            other = theirs.reset(options={"reset_mask": over})
            np.testing.assert_allclose(one[0], other[0], rtol=1e-9, atol=1e-9)
            assert_same_infos(one[1], other[1], 1e-9)


def test_actions_in_double_precision():
    ours, theirs = pair("Ant", 3)
    ours.reset(seed=1), theirs.reset(seed=1)
    actions = np.random.default_rng(0).uniform(-1, 1, (3, 8))
    one, other = ours.step(actions), theirs.step(actions)
    np.testing.assert_allclose(one[1], other[1], rtol=1e-14, atol=1e-13)
    assert one[4]["reward_ctrl"].dtype == other[4]["reward_ctrl"].dtype == np.float64


def test_states_that_are_given():
    ours, theirs = pair("Ant", 3)
    ours.reset(seed=4), theirs.reset(seed=4)
    rng = np.random.default_rng(7)
    qpos = ours.batch.qpos + rng.normal(0, 0.05, ours.batch.qpos.shape)
    qvel = rng.normal(0, 1, ours.batch.qvel.shape)
    obs = ours.set_state(qpos, qvel)
    for env, q, v in zip(theirs.envs, qpos, qvel):
        env.unwrapped.set_state(q, v)
    actions = rng.uniform(-1, 1, (3, 8)).astype(np.float32)
    one, other = ours.step(actions), theirs.step(actions)
    np.testing.assert_allclose(one[0], other[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one[1], other[1], rtol=1e-9, atol=1e-9)
    again, _ = ours.reset(options={"qpos": qpos, "qvel": qvel})
    assert np.array_equal(again[:, :27], obs[:, :27])


@pytest.mark.parametrize("name", ["Ant", "Humanoid"])
def test_numbers_do_not_depend_on_the_others(name):
    """Not on their number, on threads, or on the precision that is asked for."""
    actions = np.random.default_rng(0).uniform(-0.4, 0.4, (15, 19, 30)).astype(np.float32)
    seen = {}
    for n, threads, dtype in ((19, 1, float), (3, 2, float), (19, 2, np.float32)):
        env = lg.make_vector(name, n, nthread=threads, dtype=dtype)
        k = env.single_action_space.shape[0]
        rows = [env.reset(seed=3)[0][:3]]
        rows += [env.step(a[:n, :k])[0][:3] for a in actions]
        seen[n, threads, dtype] = np.array(rows)
    first, second, third = seen.values()
    assert np.array_equal(first, second)
    assert third.dtype == np.float32 and np.array_equal(first.astype(np.float32), third)


def test_results_are_the_callers():
    env = lg.make_vector("HalfCheetah", 4)
    first, infos = env.reset(seed=0)
    kept = first.copy()
    obs, *_, more = env.step(np.zeros((4, 6), np.float32))
    assert np.array_equal(first, kept)
    obs[:] = np.nan
    infos["x_position"][:] = more["x_position"][:] = np.nan
    obs, *_ = env.step(np.zeros((4, 6), np.float32))
    assert np.isfinite(obs).all()
