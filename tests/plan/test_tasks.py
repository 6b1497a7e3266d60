"""The tasks that come along: robots do what is asked of them, by MPPI with its usual settings."""

import numpy as np
import pytest

from lanewise.plan import Planner, run, tasks

NAMES = tasks.names()


def until(name, condition, seconds, samples=64):
    """Follow plans until a measure says so; what it said last."""
    task = tasks.make(name)
    batch = task.world()
    task.reset(batch)
    planner, step = Planner(task, "mppi", samples), float(task.model.opt.timestep)
    each = round(task.period / step)
    for _ in range(round(seconds / task.period)):
        task.update(batch)
        planner.plan(batch)
        batch.rollout(each, planner.control(batch.time[0] + step * np.arange(each))[None])
        said = task.measure(batch)
        if condition(said):
            break
    return said


def test_there_are_five():
    assert NAMES == ["arm", "cartpole", "cube", "humanoid", "quadruped"]


@pytest.mark.parametrize("name", NAMES)
def test_every_task_is_described_and_complete(name):
    task = tasks.make(name)
    assert task.name == name
    assert tasks.about(name).endswith(".") and len(tasks.about(name)) < 100
    assert name in repr(task)
    episode = run(Planner(task, samples=8), seconds=2 * task.period)
    assert len(episode.costs) == len(episode.measures) == 2
    assert np.isfinite(episode.costs).all() and np.isfinite(episode.qpos).all()
    assert all(np.isfinite(value) for said in episode.measures for value in said.values())
    assert episode.time.shape == (len(episode.qpos),) and episode.ctrl.shape[1] == task.model.nu


def test_an_episode_is_the_same_again():
    task = tasks.make("arm")
    planner = Planner(task, samples=16)
    first, second = run(planner, 0.2), run(planner, 0.2)
    np.testing.assert_array_equal(first.qpos, second.qpos)
    np.testing.assert_array_equal(first.costs, second.costs)


def test_the_arm_reaches_what_moves():
    episode = run(Planner(tasks.make("arm"), "mppi"), seconds=1.5)
    distances = [said["distance"] for said in episode.measures]
    assert distances[0] > 0.08
    assert np.mean(distances[-25:]) < 0.05


def test_the_quadruped_comes_nearer_and_stays_on_its_feet():
    episode = run(Planner(tasks.make("quadruped"), "mppi"), seconds=2.4)
    assert episode.measures[-1]["distance"] < episode.measures[0]["distance"] - 0.3
    assert min(said["upright"] for said in episode.measures) > 0.9


def test_the_quadruped_gets_another_goal():
    task = tasks.make("quadruped")
    batch = task.world()
    task.reset(batch)
    goal = batch.mocap_pos[0, 0].copy()
    task.update(batch)
    np.testing.assert_array_equal(batch.mocap_pos[0, 0], goal)
    batch.qpos[0, :2] = goal[:2] - 0.1
    task.update(batch)
    assert np.linalg.norm(batch.mocap_pos[0, 0] - goal) > 1.0


def test_the_target_of_the_arm_goes_on_from_where_it_is_put():
    task = tasks.make("arm")
    batch = task.world()
    task.reset(batch)
    start = batch.mocap_pos[0, 0].copy()
    batch.time[:] = 1.0
    task.update(batch)
    moved = batch.mocap_pos[0, 0] - start
    assert np.linalg.norm(moved) > 0.1
    batch.mocap_pos[0, 0] += 0.05  # dragged
    batch.time[:] = 7.0  # a turn later
    task.update(batch)
    np.testing.assert_allclose(batch.mocap_pos[0, 0] - start, moved + 0.05, atol=1e-9)
    task.reset(batch)  # time goes back, and the target with it
    task.update(batch)
    np.testing.assert_allclose(batch.mocap_pos[0, 0], start, atol=1e-12)


def test_the_humanoid_stands_up():
    assert until("humanoid", lambda said: said["head"] > 1.3, seconds=10.0)["head"] > 1.3


def test_the_block_is_turned_to_a_goal():
    assert until("cube", lambda said: said["angle"] < 0.2, seconds=4.0)["angle"] < 0.2


def test_a_block_that_is_dropped_is_put_back():
    task = tasks.make("cube")
    batch = task.world()
    task.reset(batch)
    held = batch.qpos[0].copy()
    batch.qpos[0, 18] = -1.0
    task.update(batch)
    np.testing.assert_array_equal(batch.qpos[0], held)
