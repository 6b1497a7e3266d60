"""Pictures of environments: Gymnasium's own, pixel for pixel; a page that follows the worlds."""

import copy
import os
import urllib.request

import gymnasium
import numpy as np
import pytest

from lanewise.gym import TASKS
from lanewise.runs import painting

SMALL = {"width": 64, "height": 48}


@pytest.fixture(scope="module", autouse=True)
def gl():
    """Skips where nothing can draw; Gymnasium draws with the same."""
    env = gymnasium.make("lanewise/InvertedPendulum-v5", render_mode="rgb_array", **SMALL)
    env.reset()
    try:
        env.render()
    except painting.NoOpenGL as error:
        pytest.skip(str(error))
    painter = env.unwrapped.vector._picture._painter
    os.environ["MUJOCO_GL"] = painter._process.backend
    yield
    del os.environ["MUJOCO_GL"]
    env.close()


def pair(name, mode, **how):
    """The same state in Gymnasium's environment and ours."""
    found = []
    for prefix in ("", "lanewise/"):
        env = gymnasium.make(f"{prefix}{name}-v5", render_mode=mode, **SMALL, **how)
        env.reset(seed=3)
        found.append(env.render())
        env.close()
    return found


@pytest.mark.parametrize("name", TASKS)
def test_pixels_and_depths(name):
    (rgb, depth), (ours, depths) = pair(name, "rgbd_tuple")
    assert ours.shape == (48, 64, 3) and ours.dtype == np.uint8 and rgb.std() > 5
    np.testing.assert_array_equal(ours, rgb)
    np.testing.assert_array_equal(depths, depth)
    assert depths.dtype == depth.dtype


@pytest.mark.parametrize(
    "how",
    [
        {"camera_id": 0},
        {"camera_name": "track"},
        {"camera_id": -1},
        {"default_camera_config": {"distance": 2.0, "azimuth": 10.0, "lookat": np.ones(3) / 2}},
        {"visual_options": {14: True, 16: True}},  # contact points, forces
        {"max_geom": 3},
    ],
    ids=lambda how: next(iter(how)),
)
def test_arguments_of_gymnasium(how):
    theirs, ours = pair("Ant", "rgb_array", **how)
    np.testing.assert_array_equal(ours, theirs)


def test_modes():
    theirs, ours = pair("Hopper", "depth_array")
    np.testing.assert_array_equal(ours, theirs)
    env = gymnasium.make_vec("lanewise/Hopper-v5", num_envs=2)
    env.reset()
    with pytest.raises(ValueError, match="made without a render_mode"):
        env.render()


def test_worlds():
    """Pictures of some worlds, each from the camera that it would have alone."""
    make = {"render_mode": "rgb_array", "num_envs": 4, "nthread": 1, **SMALL}
    some = gymnasium.make_vec("lanewise/Hopper-v5", render_worlds=[3, 1], **make)
    some.reset(seed=0)
    qpos = np.zeros((4, 6))
    qpos[:, 0], qpos[:, 1] = np.arange(4) * 0.3, 1.25
    some.set_state(qpos, np.zeros((4, 6)))
    pictures = some.render()
    assert len(pictures) == 2 and (pictures[0] != pictures[1]).any()
    assert len(some.call("render")) == 2
    whole = gymnasium.make_vec("lanewise/Hopper-v5", render_worlds="all", **make)
    whole.reset(seed=0)
    whole.set_state(qpos, np.zeros((4, 6)))
    every = whole.render()
    np.testing.assert_array_equal(every[3], pictures[0])
    np.testing.assert_array_equal(every[1], pictures[1])
    some.close()
    whole.close()


def test_worlds_that_look_different():
    env = gymnasium.make_vec(
        "lanewise/Hopper-v5", num_envs=2, render_mode="rgb_array", render_worlds="all", **SMALL
    )
    env.reset(seed=0)
    env.set_state(np.tile([0, 1.25, 0, 0, 0, 0], (2, 1)), np.zeros((2, 6)))
    first = env.render()
    np.testing.assert_array_equal(*first)
    env.batch.expand("geom_rgba")[1, 1:] = [0, 0, 1, 1]
    env.batch.expand("geom_size")[1, 1:, 0] *= 2
    grey, blue = env.render()
    np.testing.assert_array_equal(grey, first[0])
    assert (blue != grey).any(axis=2).sum() > 20
    assert blue[..., 2].astype(int).sum() > blue[..., 0].astype(int).sum()
    env.close()


def test_copies_draw_by_themselves():
    env = gymnasium.make_vec("lanewise/Hopper-v5", num_envs=1, render_mode="rgb_array", **SMALL)
    env.reset(seed=0)
    first = env.render()[0]
    other = copy.deepcopy(env)
    env.close()
    np.testing.assert_array_equal(other.render()[0], first)
    process = other._picture._painter._process._popen
    other.close()
    assert process.poll() is not None  # nothing is left


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ({"render_mode": "ansi"}, ValueError, "'rgb_array'.*got 'ansi'"),
        ({"camera_name": "trak"}, KeyError, "did you mean 'track'"),
        ({"camera_id": 1}, ValueError, "camera_id is from -1 to 0, got 1"),
        ({"camera_id": 0, "camera_name": "track"}, ValueError, "not both"),
        ({"default_camera_config": {"distanc": 1.0}}, KeyError, "did you mean 'distance'"),
        ({"render_worlds": [2]}, IndexError, "has 2: there are 2 environments"),
        ({"render_worlds": "some"}, ValueError, "'all' or numbers"),
        ({"width": 0}, ValueError, "width is from 1 to 8192, got 0"),
        ({"visual_options": {99: True}}, ValueError, "a flag of visual_options is from 0"),
    ],
)
def test_what_is_refused(how, kind, words):
    with pytest.raises(kind, match=words):
        gymnasium.make_vec("lanewise/Hopper-v5", num_envs=2, **{"render_mode": "rgb_array", **how})


def test_without_opengl(monkeypatch):
    """One line that says what to install."""
    monkeypatch.setenv("MUJOCO_GL", "none")
    env = gymnasium.make_vec("lanewise/Hopper-v5", num_envs=1, render_mode="rgb_array", **SMALL)
    env.reset()
    with pytest.raises(painting.NoOpenGL, match="install libegl1 or libosmesa6") as caught:
        env.render()
    assert len(str(caught.value).splitlines()) == 1


def test_a_page():
    """render_mode="human": a page on this machine follows the worlds, and cannot disturb them."""
    pytest.importorskip("viser")
    pytest.importorskip("mjviser")
    env = gymnasium.make_vec("lanewise/Hopper-v5", num_envs=20, render_mode="human", nthread=1)
    same = gymnasium.make_vec("lanewise/Hopper-v5", num_envs=20, nthread=1)
    env.reset(seed=0)
    same.reset(seed=0)
    viewer = env._picture._viewer
    assert viewer.url.startswith("http://127.0.0.1:")
    assert b"<html" in urllib.request.urlopen(viewer.url).read().lower()
    env.batch.expand("body_pos")[:, 1, 0] = 0.1
    viewer.play()
    for _ in range(5):
        actions = env.action_space.sample()
        obs = env.step(actions)[0]
        np.testing.assert_allclose(obs[:, 1:5], same.step(actions)[0][:, 1:5], atol=1e-6)
    viewer.pause()
    assert env.render() is None and env.call("render") == ()
    with viewer.lock:
        shown = viewer.session.batch
        assert shown.nsim == 16
        np.testing.assert_array_equal(shown.expanded("body_pos")[:, 1, 0], 0.1)
    env.close()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(viewer.url)


def test_skrl():
    """Its wrapper takes the environment, and calls it for pictures."""
    pytest.importorskip("torch")
    wrapper = pytest.importorskip("skrl.envs.wrappers.torch")
    torch = pytest.importorskip("torch")
    env = gymnasium.make_vec("lanewise/Hopper-v5", num_envs=3, render_mode="rgb_array", **SMALL)
    wrapped = wrapper.wrap_env(env, wrapper="gymnasium", verbose=False)
    assert wrapped.num_envs == 3
    obs, _ = wrapped.reset()
    assert obs.shape == (3, 11)
    obs, reward, terminated, truncated, _ = wrapped.step(torch.zeros(3, 3))
    assert reward.shape == terminated.shape == truncated.shape == (3, 1)
    assert wrapped.render()[0].shape == (48, 64, 3)
    wrapped.close()
