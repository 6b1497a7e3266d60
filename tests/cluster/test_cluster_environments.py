"""Environments on the nodes of a cluster: the numbers of one machine, also if a process dies."""

import os
import signal
import time

import numpy as np
import pytest

from lanewise import gym as lg
from lanewise.gym.clustered import ClusterEnv
from support import gym_tasks
from support.gym_tasks import Slide

cloudpickle = pytest.importorskip("ray.cloudpickle")

N = 21


def same(near, far):
    for one, two in zip(near[:-1], far[:-1], strict=True):
        np.testing.assert_array_equal(one, two)
    same_infos(near[-1], far[-1])


def same_infos(near, far):
    assert near.keys() == far.keys()
    for key, value in near.items():
        if isinstance(value, dict):
            same_infos(value, far[key])
        elif value.dtype == object:
            for one, two in zip(value, far[key], strict=True):
                assert (one is None) == (two is None) and np.array_equal(one, two)
        else:
            assert value.dtype == far[key].dtype
            np.testing.assert_array_equal(value, far[key], err_msg=key)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_environments_of_a_cluster(cluster, mode):
    how = {"autoreset_mode": mode, "max_episode_steps": 13}
    near, far = lg.make_vector("Hopper", N, **how), ClusterEnv("Hopper", N, checkpoint=7, **how)
    assert far.single_observation_space == near.single_observation_space
    assert f"{N} environments on 2 nodes" in repr(far)
    rng = np.random.default_rng(0)
    same(near.reset(seed=3), far.reset(seed=3))
    for k in range(30):
        if k == 17:
            pid = far.spread.members[1].pid
            os.kill(pid, signal.SIGKILL)
            while os.path.exists(f"/proc/{pid}"):
                time.sleep(0.01)
        actions = rng.uniform(-1, 1, (N, 3)).astype(np.float32)
        same(near.step(actions), far.step(actions))
    np.testing.assert_array_equal(near.batch.state, far.state)
    far.close()


def test_tasks_and_options_of_ones_own(cluster):
    cloudpickle.register_pickle_by_value(gym_tasks)  # as it does what a program itself defines

    def options():
        return [lg.Randomize({"body_mass": lg.Scale(0.8, 1.2)}), lg.Noise(0.01)]

    how = {"autoreset_mode": "Disabled", "max_episode_steps": 9}
    near = lg.VectorEnv(Slide(), N, options=options(), **how)
    far = ClusterEnv(Slide(), N, options=options(), **how)
    rng = np.random.default_rng(0)
    same(near.reset(seed=3), far.reset(seed=3))
    for _ in range(9):
        actions = rng.uniform(-1, 1, (N, 2))
        same(near.step(actions), far.step(actions))
    mask = np.ones(N, bool)  # all at once, or those of one node alone
    same(near.reset(options={"reset_mask": mask}), far.reset(options={"reset_mask": mask}))
    mask[10:] = False
    same(near.reset(options={"reset_mask": mask}), far.reset(options={"reset_mask": mask}))
    far.close()


def test_mistakes_are_told_before_a_node_sees_them(cluster):
    with pytest.raises(TypeError, match="healthy_rewards"):
        ClusterEnv("Hopper", N, healthy_rewards=2)
    with pytest.raises(ValueError, match="render_mode is not for"):
        ClusterEnv("Hopper", N, render_mode="rgb_array")
    env = ClusterEnv("InvertedPendulum", 8)
    with pytest.raises(Exception, match="call reset"):
        env.step(np.zeros((8, 1)))
    env.reset(seed=0)
    with pytest.raises(ValueError, match="actions have shape"):
        env.step(np.zeros((8, 2)))
    with pytest.raises(ValueError, match="environments 3 have NaN"):
        env.step(np.where(np.arange(8)[:, None] == 3, np.nan, 0.0))
    with pytest.raises(ValueError, match="reset_mask"):
        env.reset(options={"qpos": 1})
    env.close()
    with pytest.raises(Exception, match="closed"):
        env.step(np.zeros((8, 1)))
