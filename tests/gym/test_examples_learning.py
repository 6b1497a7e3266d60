"""The examples that learn: both ways to returns agree, quick trainings improve, and what they save
drives worlds in the viewer."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import lanewise as lw
from examples import train_ars
from lanewise.gym.tasks.gymnasium_task import ASSETS
from lanewise.viewer.controllers import Policy, from_file
from lanewise.viewer.session import Session

pytestmark = pytest.mark.filterwarnings("ignore:MuJoCo. compiler attribute:RuntimeWarning")


@pytest.mark.parametrize("task", ["HalfCheetah", "Hopper"])
def test_a_policy_in_the_step_has_the_returns_of_the_environment(task):
    """Of episodes that end by falling, and of those that are cut."""
    settings = replace(train_ars.SETTINGS[task], steps=110 if task == "Hopper" else 8)
    inside = train_ars.Kernel(task, 10, settings, nthread=1)
    outside = train_ars.Env(task, 10, settings, nthread=1)
    rng = np.random.default_rng(0)
    weights = 0.1 * rng.standard_normal(inside.weights.shape)
    weights[:2] = 0.0
    bias = 0.1 * rng.standard_normal(inside.bias.shape)
    for seed in (3, 4):  # again: nothing is left of the episodes before
        ours, theirs = (way.episodes(weights, bias, seed) for way in (inside, outside))
        assert np.array_equal(ours.length, theirs.length)
        assert ours.total == pytest.approx(theirs.total, rel=1e-8)
        assert ours.sums == pytest.approx(theirs.sums, rel=1e-8, abs=1e-8)
        assert ours.squares == pytest.approx(theirs.squares, rel=1e-8, abs=1e-8)
    if task == "Hopper":
        assert len(set(ours.length)) > 2


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """HalfCheetah after a few rounds: the curve, and the folder with what was saved."""
    folder = tmp_path_factory.mktemp("trained")
    settings = replace(train_ars.SETTINGS["HalfCheetah"], rounds=10, steps=150)
    way = train_ars.Kernel("HalfCheetah", 2 * settings.directions, settings, nthread=1)
    return train_ars.train("HalfCheetah", settings, way, folder), folder


def test_random_search_improves(trained):
    curve, folder = trained
    assert curve.shape[1] == 6 and np.isfinite(curve).all()
    assert curve[-1, 3] > curve[0, 3] + 50.0
    assert np.loadtxt(folder / "HalfCheetah_ars.csv", delimiter=",").shape == curve.shape


def test_what_was_learnt_drives_worlds_in_the_viewer(trained):
    """As a file of layers and as a kernel, which do the same."""
    _, folder = trained
    path = folder / "half_cheetah_ars"
    ends = []
    for kernel in (False, True):
        arguments, function = from_file(f"{path}.py:control") if kernel else ({}, None)
        m = lw.load(ASSETS / "half_cheetah.xml", **arguments)
        batch = lw.Batch(m, nsim=2, nthread=1)
        session = Session(batch, m, function or (None if kernel else Policy.load(f"{path}.npz", m)))
        session.step(150)
        session.turn(0.0)
        assert session.error is None
        ends.append(batch.qpos[0].copy())
    # it has gone forward; how far depends on the machine, by the round-off of NumPy's products
    assert ends[0][0] > 0.1
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


def test_the_curve_is_drawn(trained, tmp_path):
    pytest.importorskip("matplotlib")
    assert train_ars.draw(tmp_path / "x.png", {"a": trained[0], "b": trained[0]}, 10.0, "title")
    assert (tmp_path / "x.png").stat().st_size > 1000


class Made:
    """Two environments of one number: the first is terminated, the second cut, after two steps."""

    num_envs = 2

    def reset(self, seed=None):
        self.t = 0
        return np.zeros((2, 1)), {}

    def step(self, actions):
        self.t = (self.t + 1) % 3
        ends = self.t == 2
        obs = np.full((2, 1), float(self.t))
        rewards = np.full(2, 0.0 if self.t == 0 else 1.0)  # nothing for the step that begins anew
        return obs, rewards, np.array([ends, False]), np.array([False, ends]), {}


def test_steps_that_begin_anew_are_not_learnt_from():
    pytest.importorskip("torch")
    from examples import train_ppo

    s = replace(train_ppo.SETTINGS["Hopper"], num=2, horizon=6)
    learner = train_ppo.Learner(Made(), 1, 1, s, seed=0)
    data = learner.collect()
    assert len(data["obs"]) == 8  # of twelve: each environment began anew twice
    data = learner.collect()  # and goes on in the same rhythm
    assert len(data["obs"]) == 8


def test_what_was_cut_is_worth_its_last_value():
    torch = pytest.importorskip("torch")
    from examples import train_ppo

    s = replace(train_ppo.SETTINGS["Hopper"], num=2, horizon=3, gamma=0.5, trace=1.0)
    learner = train_ppo.Learner(Made(), 1, 1, s, seed=0)
    values = torch.tensor([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0], [100.0, 100.0]])
    rewards, ends = np.ones((3, 2), np.float32), np.zeros((3, 2), np.float32)
    terminal = ends.copy()
    ends[1], terminal[1, 0] = 1.0, 1.0
    found = learner.advantages(values, rewards, ends, terminal)
    # after the end, the value of the last observation (4) counts only where the episode was cut
    assert found[1].tolist() == [1.0 - 2.0, 1.0 + 0.5 * 4.0 - 2.0]
    assert found[0].tolist() == [1.0 + 1.0 - 1.0 + 0.5 * -1.0, 1.0 + 1.0 - 1.0 + 0.5 * 1.0]


def test_ppo_improves(tmp_path):
    torch = pytest.importorskip("torch")
    from examples import train_ppo

    torch.set_num_threads(1)
    curve = train_ppo.train("HalfCheetah", train_ppo.QUICK, tmp_path, seed=0, nthread=1)
    assert curve[-1, 3] > curve[0, 3] + 10.0
    assert (tmp_path / "half_cheetah_ppo.npz").is_file()
