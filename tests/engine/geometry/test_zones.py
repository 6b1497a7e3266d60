"""Insides of sites, and distances of geoms in all worlds."""

import mujoco
import numpy as np
import pytest

import lanewise as lw

SHAPES = {
    "sphere": ".4", "capsule": ".2 .3", "ellipsoid": ".2 .3 .4", "cylinder": ".25 .3",
    "box": ".2 .3 .25", "mesh": "",
}  # fmt: skip
XML = """
<mujoco>
  <asset>
    <mesh name="rock" vertex="0 0 0  .6 0 0  0 .6 0  0 0 .6  .1 .1 .1  .6 .6 .2"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 1"/>
    <body name="torso" pos="0 0 .3">
      <freejoint/>
      <geom name="head" type="ellipsoid" size=".1 .2 .15"/>
      {sites}
    </body>
    <body name="other" pos=".2 .4 .55">
      <freejoint/>
      <geom name="block" type="box" size=".1 .1 .2"/>
    </body>
  </worldbody>
  <sensor>
    {sensors}
  </sensor>
</mujoco>
"""


def _model():
    sites, sensors = [], []
    for name, size in SHAPES.items():
        shape = 'mesh="rock"' if name == "mesh" else f'size="{size}"'
        sites.append(f'<site name="{name}" type="{name}" {shape} pos=".1 .2 .1" euler="20 30 40"/>')
        sensors.append(f'<insidesite objtype="geom" objname="block" site="{name}"/>')
        sensors.append(f'<contact site="{name}" data="found dist"/>')
    return lw.load(XML.format(sites="\n".join(sites), sensors="\n".join(sensors)))


def _references(m, n):
    rng, worlds = np.random.default_rng(2), []
    for _ in range(n):
        data = mujoco.MjData(m.mj)
        data.qpos[:] += 0.15 * rng.normal(size=m.nq)
        mujoco.mj_forward(m.mj, data)
        worlds.append(data)
    return worlds


@pytest.fixture(scope="module")
def m():
    return _model()


@pytest.mark.parametrize("lanes", [1, 5])
def test_points_inside_sites(m, lanes):
    worlds = _references(m, lanes)
    d = lw.put_data(m, worlds[0] if lanes == 1 else worlds)
    rng, seen = np.random.default_rng(3), set()
    for name in SHAPES:
        for _ in range(40):
            points = worlds[0].site(name).xpos + 0.3 * rng.normal(size=(lanes, 3))
            found = lw.inside_site(m, d, name, points[0] if lanes == 1 else points)
            expected = [
                bool(mujoco.mj_insideSite(m.mj, world, m.site(name).id, point))
                for world, point in zip(worlds, points, strict=True)
            ]
            assert np.array_equal(found, expected[0] if lanes == 1 else expected)
            seen |= {(name, one) for one in expected}
    assert len(seen) == 2 * len(SHAPES)


def test_sensors_look_into_meshes(m):
    worlds = _references(m, 8)
    d = lw.put_data(m, worlds)
    lw.forward(m, d)
    expected = np.stack([world.sensordata for world in worlds])
    np.testing.assert_allclose(d.sensordata, expected, atol=1e-9)
    assert expected[:, -3].any() and not expected[:, -3].all()


def test_all_worlds_of_a_batch(m):
    worlds = _references(m, 11)
    b = lw.Batch(m, 11)
    b.qpos[:] = [world.qpos for world in worlds]
    rng, ids = np.random.default_rng(4), np.array([0, 1, 2, 3, 5, 6, 7, 9, 10])
    points = np.stack([w.site("mesh").xpos for w in worlds])[:, None] + 0.2 * rng.normal(
        size=(11, 20, 3)
    )
    dist, ends = b.geom_distance("head", "block", 0.3)
    several, _ = b.geom_distance(["block", "head"], ["head", "floor"], 0.3, ids=ids)
    inside, of_some = b.inside_site("mesh", points), b.inside_site("mesh", points[ids], ids=ids)
    assert several.shape == (9, 2) and (of_some == inside[ids]).all()
    assert (b.inside_site("mesh", points[:, 3]) == inside[:, 3]).all()
    assert b.inside_site("box", (0, 0, 0)).shape == (11,)
    for i, world in enumerate(worlds):
        fromto = np.zeros(6)
        expected = mujoco.mj_geomDistance(m.mj, world, 1, 2, 0.3, fromto)
        np.testing.assert_allclose(dist[i], expected, atol=1e-9)
        np.testing.assert_allclose(ends[i], fromto, atol=1e-6)
        site = m.site("mesh").id
        assert inside[i].tolist() == [mujoco.mj_insideSite(m.mj, world, site, p) for p in points[i]]
    np.testing.assert_allclose(several[:, 0], dist[ids], atol=1e-9)


def test_what_is_wrong_is_said(m):
    d, b = lw.Data(m), lw.Batch(m, 2)
    with pytest.raises(ValueError, match=r"no site 'bx' \(did you mean 'box'"):
        lw.inside_site(m, d, "bx", (0, 0, 0))
    with pytest.raises(ValueError, match=r"point must have shape \(3,\)"):
        lw.inside_site(m, d, "box", (0, 0))
    with pytest.raises(ValueError, match=r"point must have shape \(3,\), \(2, 3\) or"):
        b.inside_site("box", np.zeros((5, 3)))
    with pytest.raises(ValueError, match="3 rows of points, but there are 2 worlds"):
        b.inside_site("box", np.zeros((3, 5, 3)))
    with pytest.raises(IndexError, match=r"geom must be in \[0, .*, got 7"):
        b.geom_distance(0, 7, 1.0)
    with pytest.raises(ValueError, match="distmax must be one number"):
        b.geom_distance(0, 1, [1.0, 2.0])


def test_touch_at_a_mesh_is_refused():
    text = XML.format(
        sites='<site name="skin" type="mesh" mesh="rock"/>', sensors='<touch name="t" site="skin"/>'
    )
    with pytest.raises(lw.UnsupportedFeature, match="touch sensor at a mesh site: t"):
        lw.load(text)
