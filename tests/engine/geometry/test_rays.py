"""Rays beside mj_ray and mj_multiRay: models, shapes, edges and corners, what is not seen."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import zoo
from support.generator import generate
from support.raying import aimed, assert_same, mj_multi_ray, mj_ray, mj_rays

SHAPES = ("plane", "sphere", "capsule", "ellipsoid", "cylinder", "box")
FILES = [name for name in zoo.ZOO if name.startswith("own/") and "contacts" in name]


def both(mj_model, rng=None):
    """(Model, MjModel, MjData, Data) in one state."""
    m = lw.load(mj_model)
    mj_data = mujoco.MjData(m.mj)
    if rng is not None:
        mj_data.qpos += 0.1 * rng.normal(size=m.nq)
    mujoco.mj_forward(m.mj, mj_data)
    return m, m.mj, mj_data, lw.put_data(m, mj_data)


def rays_of(m, d, pnt, vec, **options):
    rows = [lw.ray(m, d, p, v, **options) for p, v in zip(pnt, vec, strict=True)]
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def terrain(nrow=7, ncol=12, quat=(1, 0, 0, 0)):
    spec = mujoco.MjSpec()
    heights = np.random.default_rng(1).uniform(size=nrow * ncol)
    spec.add_hfield(name="h", nrow=nrow, ncol=ncol, size=[2, 1, 0.7, 0.3], userdata=heights)
    hfield = mujoco.mjtGeom.mjGEOM_HFIELD
    spec.worldbody.add_geom(type=hfield, hfieldname="h", pos=[0.1, 0.2, 0.3], quat=quat)
    return spec.compile()


def block():
    """A box as a mesh, among shapes whose edges are at round numbers."""
    spec, geom = mujoco.MjSpec(), mujoco.mjtGeom
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    spec.add_mesh(name="block", uservert=(corners * [1, 0.5, 0.25]).ravel())
    spec.worldbody.add_geom(type=geom.mjGEOM_MESH, meshname="block")
    for kind, pos in (
        (geom.mjGEOM_BOX, [2, 0, 0]), (geom.mjGEOM_CYLINDER, [-2, 0, 0]),
        (geom.mjGEOM_CAPSULE, [0, 2, 0]), (geom.mjGEOM_ELLIPSOID, [0, -2, 0]),
    ):  # fmt: skip
        spec.worldbody.add_geom(type=kind, size=[0.3, 0.3, 0.3], pos=pos)
    spec.worldbody.add_geom(type=geom.mjGEOM_PLANE, size=[3, 0, 1], pos=[0, 0, -1])
    return spec.compile()


@pytest.mark.parametrize("name", FILES)
def test_models(name):
    rng = np.random.default_rng(len(name))
    m, mj_model, mj_data, d = both(zoo.ZOO[name](), rng)
    pnt, vec = aimed(mj_model, mj_data, 60, rng)
    assert_same(rays_of(m, d, pnt, vec), mj_rays(mj_model, mj_data, pnt, vec), name)
    for cutoff in (1e10, mj_model.stat.extent, 0.0, -1.0):
        ours = lw.multi_ray(m, d, pnt[0], vec, cutoff=cutoff)
        assert_same(ours, mj_multi_ray(mj_model, mj_data, pnt[0], vec, cutoff), name)


@pytest.mark.parametrize("seed", range(8))
def test_random_models(seed):
    rng = np.random.default_rng(seed)
    m, mj_model, mj_data, d = both(
        mujoco.MjModel.from_xml_string(generate(seed, constraints=True)), rng
    )
    if m.ngeom == 0:
        pytest.skip("no geoms")
    pnt, vec = aimed(mj_model, mj_data, 40, rng)
    assert_same(rays_of(m, d, pnt, vec), mj_rays(mj_model, mj_data, pnt, vec))
    for start in pnt[:5]:
        assert_same(
            lw.multi_ray(m, d, start, vec), mj_multi_ray(mj_model, mj_data, start, vec, 1e10)
        )


@pytest.mark.parametrize("quat", [(1, 0, 0, 0), (1, 0.2, 0.1, 0.3)], ids=["level", "tilted"])
def test_height_field(quat):
    """Rays over, into, along and from below a field with rows and columns of different numbers."""
    rng = np.random.default_rng(3)
    m, mj_model, mj_data, d = both(terrain(quat=quat))
    n = 600
    pnt = rng.uniform(-3, 3, size=(n, 3)) * [1, 0.6, 0.4]
    vec = rng.normal(size=(n, 3))
    vec[::3] = rng.uniform(-1, 1, size=(n // 3, 3)) * [2, 1, 0.5] - pnt[::3]
    vec[::5, 0] = 0.0
    vec[1::7] = [0, 0, -1]
    pnt[1::7, 2] = 3.0
    vec[2::13] = [1, 0, 0]
    vec[3::13] = [0, -1, 0]
    # through the vertices of the grid, and along its diagonals
    corners = np.stack([4 / 11 * rng.integers(12, size=n), 2 / 6 * rng.integers(7, size=n)], axis=1)
    pnt[::4, :2] = corners[::4] + [0.1 - 2, 0.2 - 1]
    vec[::12] = [4 / 11, 2 / 6, -0.1]
    ours, theirs = rays_of(m, d, pnt, vec), mj_rays(mj_model, mj_data, pnt, vec)
    assert (theirs[0] >= 0).sum() > 150
    assert_same(ours, theirs)


def test_edges_and_corners():
    """Rays along edges and faces and through corners, from near and far, fast and slow."""
    rng = np.random.default_rng(2)
    m, mj_model, mj_data, d = both(block())
    places = [0, 0.3, 0.25, 0.5, 1, 2, 1.7, 2.3, 0.6, 1.3]
    n = 2500
    pnt = rng.choice(places, size=(n, 3)) * rng.choice([-1, 1], size=(n, 3))
    vec = rng.choice([0, 0, 1, -1, 0.5, -0.25, 2], size=(n, 3))
    on = vec.any(axis=1)
    pnt, vec = pnt[on], vec[on]
    vec[::9] *= 10.0 ** rng.integers(-7, 8, size=(len(vec[::9]), 1))
    unit = vec / np.linalg.norm(vec, axis=1, keepdims=True)
    pnt[::10] -= unit[::10] * 10.0 ** rng.integers(0, 9, size=(len(unit[::10]), 1))
    ours, theirs = rays_of(m, d, pnt, vec), mj_rays(mj_model, mj_data, pnt, vec)
    assert (theirs[0] >= 0).sum() > 500
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)


def test_small_and_degenerate():
    """Sizes near zero, rays nearly along an axis: the same limits as MuJoCo's."""
    for kind in SHAPES:
        for size in (1e-9, 1e-3, 1.0):
            text = f"<mujoco><worldbody><geom type='{kind}' size='{size} {size} {size}'/>"
            m, mj_model, mj_data, d = both(
                mujoco.MjModel.from_xml_string(text + "</worldbody></mujoco>")
            )
            for scale in (1.0, 1e-7, 1e-8, 1e-14, 1e8):
                for vec in ([0, 0, -1], [1e-16, 0, -1], [1e-15, 1e-9, -1]):
                    pnt, vec = np.array([0.0, size / 2, 2 * size]), scale * np.array(vec)
                    ours = lw.ray(m, d, pnt, vec)
                    assert_same(ours, mj_ray(mj_model, mj_data, pnt, vec), f"{kind} {size} {scale}")


UNSEEN = """
<mujoco>
  <asset><material name="glass" rgba="1 1 1 0"/><material name="wood" rgba="1 0 0 1"/></asset>
  <worldbody>
    <geom name="invisible" pos="1 0 0" size=".1" rgba="1 1 1 0"/>
    <geom name="glass" pos="2 0 0" size=".1" material="glass"/>
    <geom name="wood" pos="3 0 0" size=".1" material="wood" rgba="1 1 1 0"/>
    <body pos="4 0 0"><geom name="static" size=".1" group="1"/></body>
    <body name="mocap" mocap="true" pos="5 0 0"><geom name="mocap" size=".1" group="7"/>
      <body><geom pos="1 0 0" name="on_mocap" size=".1" group="2"/></body></body>
    <body name="moves" pos="7 0 0"><joint/><geom name="moves" size=".1" group="5"/></body>
    <geom name="wall" type="box" pos="9 0 0" size=".1 1 1" group="3"/>
  </worldbody>
</mujoco>
"""


def test_what_is_seen():
    """Alpha, materials, groups, static geoms and bodies, one by one from the left."""
    m, mj_model, mj_data, d = both(mujoco.MjModel.from_xml_string(UNSEEN))
    groups = [None, *np.eye(6, dtype=int), [0] * 6, [1, 1, 0, 0, 1, 2]]
    for start in np.arange(9):
        for geomgroup in groups:
            for static in (True, False):
                for body in range(-1, m.nbody):
                    asked = {"geomgroup": geomgroup, "flg_static": static, "bodyexclude": body}
                    ours = lw.ray(m, d, [start, 0, 0], [1, 0, 0], **asked)
                    theirs = mj_ray(mj_model, mj_data, [start, 0, 0], [1, 0, 0], **asked)
                    assert_same(ours, theirs, f"{start} {asked}")
    # an edit of the model counts at once
    m.geom_rgba[m.mj.geom("invisible").id, 3] = 0.5
    assert lw.ray(m, d, [0, 0, 0], [1, 0, 0])[1] == m.mj.geom("invisible").id


def test_several_worlds():
    """Lanes have rays and poses of their own, or share them."""
    rng = np.random.default_rng(0)
    m = lw.load(zoo.own("contacts_primitives"))
    mj_data = [mujoco.MjData(m.mj) for _ in range(5)]
    for one in mj_data:
        one.qpos += 0.2 * rng.normal(size=m.nq)
        mujoco.mj_forward(m.mj, one)
    d = lw.put_data(m, mj_data)
    pnt, vec = aimed(m.mj, mj_data[0], 40, rng)
    for p, v in zip(pnt, vec, strict=True):
        theirs = [mj_ray(m.mj, one, p, v) for one in mj_data]
        assert_same(lw.ray(m, d, p, v), tuple(map(np.array, zip(*theirs, strict=True))))
    starts, ways = pnt[:5], vec.reshape(5, 8, 3)
    dist, geom, normal = lw.multi_ray(m, d, starts, ways)
    for k, one in enumerate(mj_data):
        theirs = mj_multi_ray(m.mj, one, starts[k], ways[k], 1e10)
        assert_same((dist[k], geom[k], normal[k]), theirs)
    one_by_one = lw.ray(m, d, starts, ways[:, 0])
    np.testing.assert_array_equal(one_by_one[0][0], lw.ray(m, d, starts[0], ways[0, 0])[0][0])


def test_without_geoms():
    m = lw.load("<mujoco><worldbody/></mujoco>")
    d = lw.Data(m)
    lw.forward(m, d)
    dist, geom, normal = lw.ray(m, d, [0, 0, 1], [0, 0, -1])
    assert (dist, geom) == (-1.0, -1) and not normal.any()
    dist, geom, normal = lw.multi_ray(m, d, [0, 0, 1], np.zeros((0, 3)))
    assert dist.shape == geom.shape == (0,) and normal.shape == (0, 3)


def test_rays_of_a_stage():
    """cast_rays: the same rays, left in the fields of a gang, plain and pruned."""
    text = """
    <mujoco>
      <worldbody>
        <geom type="plane" size="5 5 1"/>
        <geom type="box" pos="1 1 .5" size=".5 .4 .5" euler="0 0 30"/>
        <body pos="0 0 1"><freejoint/><geom size=".2"/>
          <site name="s1" pos="0 0 .1"/><site name="s2" pos="0 .1 0"/></body>
      </worldbody>
      <sensor><rangefinder site="s1"/><rangefinder site="s2"/><rangefinder site="s1"/></sensor>
    </mujoco>
    """
    rng = np.random.default_rng(0)
    m, mj_model, mj_data, _ = both(mujoco.MjModel.from_xml_string(text), rng)
    assert m.nray == 3 and list(m.ray_site) == [0, 1, 0]
    d = lw.put_data(m, [mj_data] * 3)
    vec = rng.normal(size=(3, 3)) - [0, 0, 1]
    for pruned, body in ((0, -1), (0, 1), (1, -1)):
        d.arrays["ray_pnt"][...] = np.array([0.3, 0.2, 1.2])[None, :, None]
        d.arrays["ray_vec"][...] = vec[:, :, None]
        d.arrays["ray_exclude"][...] = body
        d.arrays["ray_cutoff"][...] = 1e10
        d.functions["cast_rays"](m.address, d.address, 0, 3, pruned)
        for w in range(3):
            ours = [d.arrays[name][..., w] for name in ("ray_dist", "ray_geom", "ray_normal")]
            asked = {"bodyexclude": body}
            assert_same(ours, mj_rays(mj_model, mj_data, [[0.3, 0.2, 1.2]] * 3, vec, **asked))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m, d: lw.ray(m, d, [0, 0, 0], [0, 0, 0]), ValueError, "ray 0 has"),
        (lambda m, d: lw.ray(m, d, [0, 0, 0], [1e-16, 0, 0]), ValueError, "1e-15"),
        (lambda m, d: lw.ray(m, d, [0, 0], [0, 0, 1]), ValueError, r"\(3,\)"),
        (lambda m, d: lw.ray(m, d, ["a", 0, 0], [0, 0, 1]), TypeError, "pnt takes numbers"),
        (lambda m, d: lw.ray(m, d, [0, 0, 0], [0, 0, 1], [1, 1]), ValueError, "6 numbers"),
        (lambda m, d: lw.ray(m, d, [0, 0, 0], [0, 0, 1], bodyexclude=9), ValueError, "got 9"),
        (lambda m, d: lw.ray(m, d, [0, 0, 0], [0, 0, 1], bodyexclude=0.5), ValueError, "integers"),
        (lambda m, d: lw.ray(m, d, [0, 0, 0], [0, 0, 1], bodyexclude="balk"), ValueError, "'ball'"),
        (lambda m, d: lw.multi_ray(m, d, [0, 0, 0], [0, 0, 1]), ValueError, r"\(n, 3\)"),
        (lambda m, d: lw.multi_ray(m, d, [0, 0, 0], np.eye(3), cutoff=[1]), ValueError, "cutoff"),
        (lambda m, d: lw.ray(d, m, [0, 0, 0], [0, 0, 1]), TypeError, "Model comes first"),
    ],
)
def test_errors(call, error, words):
    m = lw.load("<mujoco><worldbody><body name='ball'><geom size='1'/></body></worldbody></mujoco>")
    with pytest.raises(error, match=words):
        call(m, lw.Data(m))


def test_excluded_by_name():
    m = lw.load("<mujoco><worldbody><body name='ball'><geom size='1'/></body></worldbody></mujoco>")
    d = lw.Data(m)
    lw.forward(m, d)
    assert lw.ray(m, d, [0, 0, 3], [0, 0, -2])[:2] == (1.0, 0)
    assert lw.ray(m, d, [0, 0, 3], [0, 0, -2], bodyexclude="ball")[:2] == (-1.0, -1)
