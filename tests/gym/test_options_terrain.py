"""Terrain and Scan: where robots begin, and how high the ground is there."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.gym import Scan, Terrain, VectorEnv, ground_height
from lanewise.gym.options.heights import KINDS
from support.gym_tasks import Slide

N = 21


def env_of(*options, task=Slide, n=N):
    env = VectorEnv(task(), n, options=options)
    env.reset(seed=0)
    return env


@pytest.mark.parametrize("kind", KINDS)
def test_robots_begin_on_the_ground_at_places_of_their_own(kind):
    terrain = Terrain(kind, height=0.3, size=(12.0, 9.0), margin=1.5)
    env, flat = env_of(terrain), VectorEnv(Slide(), N)
    flat.reset(seed=0)
    assert np.abs(terrain.heights).max() <= 0.3 + 1e-12 and np.ptp(terrain.heights) > 0.2
    x, y, yaw = terrain.places.T
    assert (np.abs(x) <= 4.5).all() and (np.abs(y) <= 3.0).all()
    assert len(np.unique(x)) == N and yaw.min() < -1.0 and yaw.max() > 1.0
    assert np.allclose(env.batch.qpos[:, :2], terrain.places[:, :2], atol=0.1)
    assert (env.batch.qpos[:, 3] != 1.0).all()
    # as far above the ground as they are above a plane, or as it is uneven
    assert not _touching(env, 0.0).any()
    assert _touching(env, (1e-3 + _gap(flat)) + (0.15 if kind != "steps" else 0.6)).all()
    for _ in range(60):
        env.step(np.zeros((N, 2)))
    below = env.batch.height_scan([[0.0, 0.0]], ("body", "trunk"))[:, 0]
    assert (env.batch.qpos[:, 2] > below).all()


def _gap(env):
    """How far robots are above the plane."""
    low, high = np.zeros(env.num_envs), np.ones(env.num_envs)
    for _ in range(20):
        middle = (low + high) / 2.0
        touching = _touching(env, middle)
        low, high = np.where(touching, low, middle), np.where(touching, middle, high)
    return high


def _touching(env, lower):
    """Which robots would touch something if they were so much lower."""
    m, found = env.model, []
    d = mujoco.MjData(m.mj)
    for w, less in enumerate(np.broadcast_to(lower, env.num_envs)):
        d.qpos[:] = env.batch.qpos[w]
        d.qpos[2] -= less
        mujoco.mj_forward(m.mj, d)
        found.append(d.ncon > 0)
    return np.array(found)


def test_velocities_turn_with_robots():
    class Running(Slide):
        def start(self, batch, ids, draws):
            batch.qvel[ids, 0] = 2.0

    terrain = Terrain("waves", size=10.0)
    env = env_of(terrain, task=Running)
    yaw = terrain.places[:, 2]
    wanted = np.stack([2.0 * np.cos(yaw), 2.0 * np.sin(yaw), 0.0 * yaw], axis=1)
    assert np.allclose(env.batch.qvel[:, :3], wanted)
    straight = Terrain("waves", size=10.0, heading=False)
    env = env_of(straight, task=Running)
    assert np.allclose(env.batch.qvel[:, :3], [2.0, 0.0, 0.0])


def test_the_plane_becomes_the_terrain():
    heights = np.random.default_rng(0).uniform(-0.2, 0.4, (7, 5))
    text = Slide.model.replace('name="floor"', 'name="floor" pos="1 2 .5" friction="0.3 .01 .02"')

    class Raised(Slide):
        model = text

    terrain = Terrain(heights, size=(4.0, 6.0), margin=0.5)
    env = env_of(terrain, task=Raised)
    m = env.model
    floor = m.geom("floor").id
    assert m.geom_type[floor] == mujoco.mjtGeom.mjGEOM_HFIELD and m.geom_friction[floor, 0] == 0.3
    # heights at the points of the grid, in the world
    x, y = np.meshgrid(np.linspace(-1.0, 3.0, 5), np.linspace(-1.0, 5.0, 7))
    inside = (x.ravel() > -1.0) & (x.ravel() < 3.0) & (y.ravel() > -1.0) & (y.ravel() < 5.0)
    points = np.stack([x.ravel(), y.ravel()], axis=1)[inside]
    scan = env.batch.height_scan(points)
    assert np.allclose(scan[0], 0.5 + heights.ravel()[inside], atol=1e-6)
    assert (np.abs(terrain.places[:, 0] - 1.0) <= 1.5).all()
    assert (np.abs(terrain.places[:, 1] - 2.0) <= 2.5).all()


@lw.kernel
def on_ground(m, d, p):
    p.obs[0] = ground_height(m, d.qpos[0], d.qpos[1])


class OnGround(Slide):
    observe, obs_size = on_ground, 1
    parameters = {}  # noqa: RUF012


def test_heights_of_the_ground_on_arrays_in_kernels_and_by_rays():
    terrain = Terrain("rough", height=0.4, size=(7.0, 5.0), resolution=0.3, margin=0.0)
    env = env_of(terrain, task=OnGround, n=200)
    obs, _ = env.reset(seed=3)
    x, y = env.batch.qpos[:, 0], env.batch.qpos[:, 1]
    assert np.allclose(obs[:, 0], terrain.height(x, y), atol=1e-6)
    rays = env.batch.height_scan([[0.0, 0.0]], ("body", "trunk"))[:, 0]
    met = ~np.isnan(rays)
    assert met.sum() > 190 and np.allclose(obs[met, 0], rays[met], atol=1e-6)
    flat = VectorEnv(OnGround(), 3)
    assert (flat.reset(seed=0)[0] == 0.0).all()


def test_a_scan_is_seen_beside_the_rest():
    points = [[0.0, 0.0], [0.3, 0.1], [100.0, 0.0]]
    env = env_of(Terrain("waves", height=0.2, size=10.0), Scan(points, "eye", most=1.5))
    obs, _ = env.reset(seed=4)
    assert obs.shape == (N, 20) == env.observation_space.shape
    height = env.batch.site_xpos[:, 0, 2][:, None] - env.batch.height_scan(points, "eye")
    assert np.allclose(obs[:, 17:19], height[:, :2]) and (obs[:, 19] == 1.5).all()
    with pytest.raises(ValueError, match="no site, body, geom or camera 'eys'.*did you mean 'eye'"):
        env_of(Scan(points, "eys"))
    with pytest.raises(ValueError, match=r"points are x and y, \(n, 2\); got shape \(3,\)"):
        Scan([0, 0, 0], "eye")


def test_mistakes_of_terrain():
    for arguments, message in (
        ({"ground": "hilly"}, "ground is one of 'rough', 'slopes', 'steps', 'waves', got 'hilly'"),
        ({"ground": [1.0, 2.0]}, r"heights are rows and columns, two at least; got shape \(2,\)"),
        ({"ground": [[1.0, np.nan], [0, 0]]}, "heights have NaN"),
        ({"size": -1.0}, "size is the extent in x and y"),
        ({"size": 3.0, "margin": 1.5}, "a margin of 1.5 m leaves nothing"),
    ):
        with pytest.raises(ValueError, match=message):
            Terrain(**arguments)
    with pytest.raises(ValueError, match="Terrain takes the place of a plane 'ground'"):
        env_of(Terrain(geom="ground"))

    class Compiled(Slide):
        model = mujoco.MjModel.from_xml_string(Slide.model)

    with pytest.raises(ValueError, match="an MjModel is compiled: give the task a path, XML or"):
        env_of(Terrain(), task=Compiled)
