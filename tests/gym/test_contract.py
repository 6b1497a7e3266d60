"""What Gymnasium asks of environments: its checkers, its wrappers, and errors that say what is
wrong."""

import re
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers

from lanewise.gym import TASKS

MODES = tuple(AutoresetMode)


def made(mode=AutoresetMode.NEXT_STEP, name="Hopper", n=3, **how):
    return gymnasium.make_vec(
        f"lanewise/{name}-v5", num_envs=n, nthread=1, autoreset_mode=mode, **how
    )


@pytest.mark.parametrize("name", TASKS)
def test_the_checker(name):
    """It finds nothing that it does not find in Gymnasium's own, such as spaces without bounds."""
    env, original = gymnasium.make(f"lanewise/{name}-v5"), gymnasium.make(f"{name}-v5")
    said = []
    for one in (env, original):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            check_env(one.unwrapped, skip_render_check=True)
        said.append({str(w.message) for w in caught if issubclass(w.category, UserWarning)})
    assert said[0] <= said[1]
    assert env.observation_space == original.observation_space
    assert env.action_space == original.action_space


WRAPPERS = {
    "RecordEpisodeStatistics": wrappers.RecordEpisodeStatistics,
    "NormalizeObservation": wrappers.NormalizeObservation,
    "NormalizeReward": wrappers.NormalizeReward,
    "ClipAction": wrappers.ClipAction,
    "RescaleAction": lambda env: wrappers.RescaleAction(env, -1.0, 1.0),
    "ClipReward": lambda env: wrappers.ClipReward(env, -1.0, 1.0),
    "FlattenObservation": wrappers.FlattenObservation,
    "DtypeObservation": lambda env: wrappers.DtypeObservation(env, np.float32),
    "DictInfoToList": wrappers.DictInfoToList,
}


def theirs(mode):
    return gymnasium.make_vec(
        "Hopper-v5", num_envs=3, vectorization_mode="sync", max_episode_steps=30,
        vector_kwargs={"autoreset_mode": mode},
    )  # fmt: skip


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", WRAPPERS)
def test_vector_wrappers(name, mode):
    """Beside the same wrapper on Gymnasium's own: the same numbers, or the same refusal."""
    try:
        second = WRAPPERS[name](theirs(mode))
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            WRAPPERS[name](made(mode))
        return
    first = WRAPPERS[name](made(mode, max_episode_steps=30))
    np.testing.assert_allclose(first.reset(seed=2)[0], second.reset(seed=2)[0], atol=1e-9)
    first.action_space.seed(0)
    over = np.zeros(3, bool)
    for _ in range(70):
        actions = first.action_space.sample()
        if mode == AutoresetMode.DISABLED and over.any():
            for env in (first, second):
                env.reset(options={"reset_mask": over})
        ours, others = first.step(actions), second.step(actions)
        over = ours[2] | ours[3]
        for a, b in zip(ours[:4], others[:4]):
            np.testing.assert_allclose(a, b, atol=1e-5)
        if name == "DictInfoToList":
            assert [set(one) for one in ours[4]] == [set(one) for one in others[4]]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_statistics_of_episodes(mode):
    """What RecordEpisodeStatistics counts, counted by hand."""
    env = wrappers.RecordEpisodeStatistics(made(mode, max_episode_steps=30))
    env.reset(seed=2)
    env.action_space.seed(0)
    total, length, over, ended = np.zeros(3), np.zeros(3, int), np.zeros(3, bool), 0
    for _ in range(70):
        if mode == AutoresetMode.DISABLED and over.any():
            env.reset(options={"reset_mask": over})
        counted = np.ones(3, bool) if mode != AutoresetMode.NEXT_STEP else ~over
        _, rewards, terminated, truncated, infos = env.step(env.action_space.sample())
        total, length = np.where(over, 0.0, total), np.where(over, 0, length)
        total, length = total + np.where(counted, rewards, 0.0), length + counted
        over = terminated | truncated
        if over.any():
            ended += over.sum()
            np.testing.assert_array_equal(infos["_episode"], over)
            np.testing.assert_allclose(infos["episode"]["r"][over], total[over])
            np.testing.assert_array_equal(infos["episode"]["l"][over], length[over])
    assert ended >= 6


# ------------------------------------------------------------------------------------------- errors


def test_closing():
    env = made()
    env.reset()
    env.close()
    env.close()
    for call in (env.reset, env.render, lambda: env.step(np.zeros((3, 3), np.float32))):
        with pytest.raises(ClosedEnvironmentError, match="closed: make a new one"):
            call()
    one = gymnasium.make("lanewise/Hopper-v5")
    one.reset()
    one.close()
    one.close()
    with pytest.raises(ClosedEnvironmentError, match="closed"):
        one.reset()


def test_resets():
    env = made()
    with pytest.raises(ResetNeeded, match="reset before the first step"):
        env.step(env.action_space.sample())
    with pytest.raises(ResetNeeded, match="first reset is of all"):
        env.reset(options={"reset_mask": np.array([True, False, False])})
    first = env.reset(seed=1)[0]
    again = env.reset(seed=1)[0]
    np.testing.assert_array_equal(first, again)
    assert (env.reset()[0] != again).any(axis=1).all()  # generators go on
    for mask, words in (
        ([1, 0, 0], "bool array"), (np.ones(4, bool), r"got bool \(4,\)"),
        (np.zeros(3, bool), "at least one True"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            env.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="reset_mask, qpos and qvel, got 'mask'"):
        env.reset(options={"mask": 1})
    with pytest.raises(ValueError, match="not negative"):
        env.reset(seed=-1)
    with pytest.raises(ValueError, match="one for each of 3"):
        env.reset(seed=[1, 2])


def test_steps_after_the_end():
    env = made(AutoresetMode.DISABLED, max_episode_steps=2)
    env.reset()
    for _ in range(2):
        env.step(np.zeros((3, 3), np.float32))
    with pytest.raises(ResetNeeded, match="environments 0, 1, 2 are over"):
        env.step(np.zeros((3, 3), np.float32))


@pytest.mark.parametrize(
    ("actions", "kind", "words"),
    [
        (np.zeros((2, 3)), ValueError, r"shape \(3, 3\), a row for each environment; got \(2, 3\)"),
        (np.zeros(3), ValueError, "got .3,."),
        (np.full((3, 3), "a"), TypeError, "actions are numbers"),
        (np.zeros((3, 3), bool), TypeError, "actions are numbers, got bool"),
        (np.zeros((3, 3), complex), TypeError, "got complex"),
        (np.diag([0.0, np.nan, 0.0]), ValueError, "environments 1 have NaN"),
        (np.full((3, 3), np.inf), ValueError, "environments 0, 1, 2 have NaN or infinite"),
        (None, ValueError, r"got \(\)"),
    ],
)
def test_wrong_actions(actions, kind, words):
    env = made()
    env.reset(seed=0)
    before = env.batch.state.copy()
    with pytest.raises(kind, match=words):
        env.step(actions)
    np.testing.assert_array_equal(env.batch.state, before)  # and nothing has happened


def test_wrong_actions_of_one():
    env = gymnasium.make("lanewise/Hopper-v5", disable_env_checker=True)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"an action has shape \(3,\), got \(2,\)"):
        env.step(np.zeros(2, np.float32))


def test_kinds_of_actions():
    """Lists, integers and doubles are taken for what they are."""
    found = []
    for actions in (
        np.ones((3, 3), np.float32),
        np.ones((3, 3)),
        np.ones((3, 3), int),
        [[1] * 3] * 3,
    ):
        env = made()
        env.reset(seed=0)
        found.append(env.step(actions)[0])
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_arguments_that_are_refused():
    for how, kind, words in (
        ({"mode": "Never"}, ValueError, "'Disabled', got 'Never'"),
        ({"n": 0}, ValueError, "at least 1, got 0"),
        ({"dtype": np.float16}, ValueError, "float32 or float64"),
        ({"healty_reward": 1.0}, TypeError, "did you mean 'healthy_reward'"),
        ({"xml_file": "./nothing.xml"}, FileNotFoundError, "no model"),
        ({"max_episode_steps": 0}, ValueError, "at least 1"),
    ):  # fmt: skip
        with pytest.raises(kind, match=words):
            made(**how)


def test_what_is_asked_of_all():
    """As SyncVectorEnv has them: skrl and others call these."""
    env = made()
    assert env.call("dt") == env.get_attr("dt") == (env.dt,) * 3
