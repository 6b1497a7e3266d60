"""Batch.ray and Batch.height_scan, world by world beside MuJoCo."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support.raying import assert_same, mj_rays

XML = """
<mujoco>
  <asset>
    <hfield name="hills" nrow="5" ncol="6" size="4 4 .6 .1"
      elevation="0 .1 .2 .1 0 0 .3 .5 .6 .2 .1 0 .4 1 .9 .8 .3 0 0 .1 .5 .6 .2 0 0 0 0 .1 .1 0"/>
    <mesh name="rock" vertex="0 0 0  1 0 .1  0 1 .2  .3 .3 1  1.2 1.1 .8"/>
    <material name="paint" rgba="1 1 1 1"/>
  </asset>
  <worldbody>
    <geom name="ground" type="hfield" hfield="hills"/>
    <geom name="rock" type="mesh" mesh="rock" pos="-2 1 .5" euler="10 20 30" group="2"/>
    <body name="robot" pos="0 0 1.5">
      <freejoint/>
      <geom name="trunk" type="box" size=".3 .2 .1"/>
      <site name="lidar" pos=".1 0 .2" euler="10 20 30"/>
      <camera name="eye" pos="0 0 .1" mode="track"/>
      <body name="leg" pos=".2 0 -.2"><joint/><geom type="capsule" size=".05 .2" material="paint"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
NSIM = 11


@pytest.fixture(scope="module")
def mj_model():
    return mujoco.MjModel.from_xml_string(XML)


def scattered(mj_model, nsim=NSIM, **options):
    b = lw.Batch(mj_model, nsim, nthread=2, **options)
    b.qpos += 0.3 * np.random.default_rng(0).normal(size=b.qpos.shape)
    return b


def rays(n, seed=1):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, size=(n, 3)) * [2, 2, 1] + [0, 0, 2], rng.normal(size=(n, 3)) - [
        0,
        0,
        1,
    ]


def world(b, sim):
    """MuJoCo's model and data of a world, with positions."""
    mj_model, mj_data = b.get_model(sim), b.get_data(sim)
    mujoco.mj_kinematics(mj_model, mj_data)
    mujoco.mj_comPos(mj_model, mj_data)
    mujoco.mj_camlight(mj_model, mj_data)
    return mj_model, mj_data


def test_shapes_and_ids(mj_model):
    b = scattered(mj_model)
    pnt, vec = rays(20)
    state = b.state.copy()
    same = b.ray(pnt, vec, normal=True)
    for sim in range(NSIM):
        assert_same([x[sim] for x in same], mj_rays(*world(b, sim), pnt, vec))
    # rays of its own for every world; one ray; some worlds
    ways = vec + 0.1 * np.arange(NSIM)[:, None, None]
    own = b.ray(pnt, ways, normal=True)
    for sim in (0, 10):
        assert_same([x[sim] for x in own], mj_rays(*world(b, sim), pnt, ways[sim]))
    np.testing.assert_array_equal(b.ray(pnt[0], vec[0])[0], same[0][:, :1])
    np.testing.assert_array_equal(b.ray(pnt[0], vec)[0][:, 0], same[0][:, 0])
    some = b.ray(pnt, ways[[2, 7]], ids=[2, 7])
    np.testing.assert_array_equal(some[0], own[0][[2, 7]])
    np.testing.assert_array_equal(some[1], own[1][[2, 7]])
    assert b.ray(pnt, vec, ids=[])[0].shape == (0, 20)
    np.testing.assert_array_equal(b.state, state)
    # nine worlds: the last one runs alone
    nine = scattered(mj_model, 9)
    nine.qpos[:] = b.qpos[:9]
    np.testing.assert_array_equal(nine.ray(pnt, ways[:9])[0], own[0][:9])


def test_options(mj_model):
    b = scattered(mj_model, 3)
    pnt, vec = rays(30, 2)
    exclude = np.arange(30) % 4 - 1
    dist, geom, normal = b.ray(
        pnt, vec, [1, 0, 0, 1, 1, 1], False, bodyexclude=exclude, normal=True
    )
    moving = b.ray(pnt, vec, moving=False)
    near = b.ray(pnt, vec, cutoff=1.0)
    far = b.ray(pnt, vec)
    for sim in range(3):
        of_mujoco = world(b, sim)
        for k in range(30):
            asked = {"geomgroup": [1, 0, 0, 1, 1, 1], "flg_static": False}
            asked["bodyexclude"] = exclude[k]
            theirs = mj_rays(*of_mujoco, pnt[k : k + 1], vec[k : k + 1], **asked)
            assert_same((dist[sim, [k]], geom[sim, [k]], normal[sim, [k]]), theirs)
    assert set(np.unique(moving[1])) <= {-1, 0, 1}
    reached = (far[0] >= 0) & (far[0] * np.linalg.norm(vec, axis=1) < 1.0)
    np.testing.assert_array_equal(near[0], np.where(reached, far[0], -1.0))
    np.testing.assert_array_equal(near[1], np.where(reached, far[1], -1))


@pytest.mark.parametrize(
    "frame", ["lidar", ("body", "leg"), ("geom", 2), ("camera", "eye")], ids=str
)
@pytest.mark.parametrize("yaw_only", [False, True])
def test_frames(mj_model, frame, yaw_only):
    b = scattered(mj_model, 4)
    pnt, vec = rays(9)
    ours = b.ray(pnt, vec, normal=True, frame=frame, yaw_only=yaw_only)
    kind, key = ("site", frame) if isinstance(frame, str) else frame
    for sim in range(4):
        mj, data = world(b, sim)
        there = getattr(data, kind)(key)
        x, R = there.xpos, there.xmat.reshape(3, 3)
        if yaw_only:
            c, s = R[:2, 0] / np.linalg.norm(R[:2, 0])
            R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        assert_same([a[sim] for a in ours], mj_rays(mj, data, pnt @ R.T + x, vec @ R.T))


def test_height_scan(mj_model):
    b = scattered(mj_model, 5)
    grid = np.stack(np.meshgrid([-1, 0, 1.5], [-9, 0, 0.7]), axis=-1).reshape(-1, 2)
    upright = b.height_scan(grid, frame="robot")
    tilted = b.height_scan(grid, frame="robot", yaw_only=False)
    flat = b.height_scan(grid)
    with_robot = b.height_scan([[0, 0]], frame="robot", moving=True)
    for sim in range(5):
        mj, data = world(b, sim)
        x, R = data.body("robot").xpos, data.body("robot").xmat.reshape(3, 3)
        c, s = R[:2, 0] / np.linalg.norm(R[:2, 0])
        for ours, points in (
            (upright, grid @ [[c, s], [-s, c]] + x[:2]), (tilted, grid @ R[:2, :2].T + x[:2]),
            (flat, grid),
        ):  # fmt: skip
            starts = np.c_[points, np.full(len(grid), 15.0)]
            only = {"bodyexclude": 1, "geomgroup": None}
            mj.geom_rgba[2:, 3] = mj.mat_rgba[:, 3] = 0  # what moves
            dist = mj_rays(mj, data, starts, [[0, 0, -1.0]] * len(grid), **only)[0]
            expected = np.where(dist >= 0, 15.0 - dist, np.nan)
            np.testing.assert_allclose(ours[sim], expected, atol=1e-9)
    assert (with_robot[:, 0] > b.xpos[:, 1, 2]).all()
    assert np.isnan(upright).any() and not np.isnan(upright).all()
    own = b.height_scan(np.broadcast_to(grid, (5, 9, 2)), frame="robot")
    np.testing.assert_array_equal(own, upright)


def test_sizes_of_worlds(mj_model):
    """Sizes, places and looks that differ between worlds, without set_const and after it."""
    b = scattered(mj_model)
    pnt, vec = rays(30, 5)
    b.expand("geom_size")[:, 2] *= np.linspace(0.5, 3.0, NSIM)[:, None]
    b.expand("geom_pos")[:, 1, 2] += np.linspace(0.0, 1.0, NSIM)
    b.expand("geom_rgba")[::2, 1, 3] = 0.0
    b.expand("mat_rgba")[::3, 0, 3] = 0.0
    for _ in range(2):
        ours = b.ray(pnt, vec, normal=True)
        for sim in range(NSIM):
            assert_same([x[sim] for x in ours], mj_rays(*world(b, sim), pnt, vec))
        b.set_const()
    # colours that only look different do not matter
    b.expanded("geom_rgba")
    b.expand("geom_rgba")[:, :, 0] = np.linspace(0.1, 0.9, NSIM)[:, None]
    np.testing.assert_array_equal(b.ray(pnt, vec)[0], ours[0])
    assert len(b._runner.variation.groups()[0]) == 4


def test_models_of_worlds(mj_model):
    models = []
    for k in range(3):
        spec = mujoco.MjSpec.from_string(XML)
        spec.geom("trunk").size = [0.3 + 0.1 * k, 0.2, 0.1]
        spec.geom("rock").rgba[3] = k % 2
        models.append(spec.compile())
    b = scattered(mj_model, 3)
    b.set_models(models)
    pnt, vec = rays(30, 6)
    ours = b.ray(pnt, vec, normal=True)
    for sim in range(3):
        mujoco.mj_kinematics(models[sim], data := b.get_data(sim))
        assert_same([x[sim] for x in ours], mj_rays(models[sim], data, pnt, vec))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda b: b.ray([0, 0, 1], [0, 0, 0]), ValueError, "shorter than 1e-15"),
        (lambda b: b.ray(np.zeros((2, 4)), np.ones(3)), ValueError, r"\(rays, 3\)"),
        (lambda b: b.ray(np.zeros((2, 3)), np.ones((3, 3))), ValueError, r"\(3, rays, 3\)"),
        (lambda b: b.ray(np.zeros((4, 2, 3)), np.ones(3)), ValueError, r"\(4, 2, 3\)"),
        (lambda b: b.ray([0, 0, 1], [0, 0, 1], bodyexclude=[0, 1]), ValueError, "bodyexclude"),
        (lambda b: b.ray([0, 0, 1], [0, 0, 1], frame="lidra"), ValueError, "'lidar'"),
        (lambda b: b.ray([0, 0, 1], [0, 0, 1], frame=3), TypeError, "'body', 3"),
        (lambda b: b.ray([0, 0, 1], [0, 0, 1], frame=("body", 9)), IndexError, "no number 9"),
        (lambda b: b.ray([0, 0, 1], [0, 0, 1], frame=("site", "eye")), ValueError, "no site 'eye'"),
        (lambda b: b.ray([0, 0, 1], [0, 0, 1], yaw_only=True), ValueError, "frame='torso'"),
        (lambda b: b.ray([0, 0, 1], [0, 0, 1], cutoff="far"), TypeError, "cutoff takes numbers"),
        (lambda b: b.height_scan([0, 1]), ValueError, r"\(npoint, 2\)"),
        (lambda b: b.height_scan([[0, 1]], above=None), TypeError, "above"),
    ],
)
def test_errors(mj_model, call, error, words):
    b = scattered(mj_model, 3)
    with pytest.raises(error, match=words):
        call(b)


def test_ambiguous_frame():
    body = "<body name='a'><geom size='1'/><site name='a'/></body>"
    b = lw.Batch(lw.load(f"<mujoco><worldbody>{body}</worldbody></mujoco>"), 2)
    with pytest.raises(ValueError, match=r"\('site', 'a'\) or \('body', 'a'\)"):
        b.ray([0, 0, 3], [0, 0, -1], frame="a")
    assert b.ray([0, 0, 3], [0, 0, -1], frame=("body", "a"))[0][0] == 2.0
