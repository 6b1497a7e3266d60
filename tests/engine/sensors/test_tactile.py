"""Tactile sensors, beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

import lanewise as lw

THINGS = {
    "sphere": 'size=".03"', "capsule": 'size=".02 .03"', "ellipsoid": 'size=".02 .03 .025"',
    "cylinder": 'size=".025 .03"', "box": 'size=".02 .03 .025"',
}  # fmt: skip
PLATE = 'builtin="plate" params="9 7" scale=".04 .04 .005"'
WEDGE = 'builtin="wedge" params="8 8 30 30 0" scale=".03 .03 .03"'
PLAIN = 'vertex="-.03 -.03 -.005  .03 -.03 -.005  .03 .03 -.005  -.03 .03 -.005  0 0 .01"'

XML = """
<mujoco>
  {option}
  <asset>
    <mesh name="skin" {mesh}/>
    <mesh name="cube" vertex="-1 -1 -1  1 -1 -1  1 1 -1  -1 1 1  1 1 1" scale=".02 .02 .02"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" pos="0 0 -1"/>
    <body name="pad" pos=".1 .2 .3" euler="10 20 30">
      <freejoint/>
      <geom name="pad" type="box" size=".04 .04 .005" pos=".01 .02 .03" euler="5 3 2"/>
      <body pos="0 .001 0">
        <geom size=".001" pos="0 0 .2"/>
        <geom name="skin" type="mesh" mesh="skin" contype="0" conaffinity="0" mass=".1"
              pos=".01 .019 .03" euler="5 3 2"/>
      </body>
    </body>
    <body name="one"><freejoint/><geom type="{thing}" {size}/></body>
    <body name="two"><freejoint/><geom size=".03" margin=".004" gap=".004"/></body>
    <body name="three"><freejoint/><geom type="mesh" mesh="cube"/></body>
  </worldbody>
  <sensor>
    <clock/>
    <tactile name="feel" geom="skin" mesh="skin" {attributes}/>
  </sensor>
</mujoco>
"""


def _model(thing="sphere", mesh=PLATE, attributes="", option=""):
    return lw.load(
        XML.format(thing=thing, size=THINGS[thing], mesh=mesh, attributes=attributes, option=option)
    )


def _worlds(m, n, seed=0):
    """Things pressed into the lower side of the pad, all in motion."""
    rng, worlds = np.random.default_rng(seed), []
    for _ in range(n):
        data = mujoco.MjData(m.mj)
        data.qpos[3:7] += 0.1 * rng.normal(size=4)
        mujoco.mj_kinematics(m.mj, data)
        pad = data.geom("pad")
        for k, depth in ((1, 0.02), (2, 0.03), (3, 0.015)):
            place = [*0.02 * rng.normal(size=2), -0.005 - depth + 0.004 * rng.random()]
            data.joint(k).qpos[:3] = pad.xpos + pad.xmat.reshape(3, 3) @ place
            data.joint(k).qpos[3:] = rng.normal(size=4)
        data.qvel[:] = rng.normal(size=m.nv)
        mujoco.mj_forward(m.mj, data)
        worlds.append(data)
    return worlds


def _check(m, worlds):
    d = lw.put_data(m, worlds[0] if len(worlds) == 1 else worlds)
    d.sensordata = np.nan
    lw.forward(m, d)
    expected = np.stack([data.sensordata for data in worlds])
    np.testing.assert_allclose(np.atleast_2d(d.sensordata), expected, atol=1e-9)
    return expected[:, 1:].reshape(len(worlds), 3, -1)


@pytest.mark.parametrize("thing", THINGS)
def test_every_shape_is_felt(thing):
    m = _model(thing)
    felt = _check(m, _worlds(m, 8))
    assert (felt.any(axis=(0, 2))).all() and (felt[:, 0] > 0).sum() > 30


def test_one_world():
    m = _model("box")
    assert _check(m, _worlds(m, 1, seed=3)).any()


@pytest.mark.parametrize("mesh", [WEDGE, PLAIN])
def test_other_skins(mesh):
    m = _model("box", mesh)
    felt = _check(m, _worlds(m, 8))
    assert felt[:, 0].any() and felt[:, 1:].any() == (mesh is WEDGE)


def test_floors_are_felt():
    m = _model()
    worlds = _worlds(m, 3)
    for data in worlds:
        data.qpos[2] = -1.03
        data.qpos[3:7] = 1, 0.01, 0.02, 0
        mujoco.mj_forward(m.mj, data)
    assert _check(m, worlds)[:, 0].any()


def test_cutoff_history_and_no_contacts():
    m = _model(attributes='cutoff=".2" nsample="3" delay=".004"')
    worlds = _worlds(m, 2)
    b = lw.Batch(m, 2)
    b.state[:] = lw.get_state(m, lw.put_data(m, worlds))
    readings = b.sensordata
    b.step(nstep=4)
    for data in worlds:
        mujoco.mj_step(m.mj, data, 4)
    np.testing.assert_allclose(readings, [data.sensordata for data in worlds], atol=1e-9)
    assert readings.max() == 0.2
    m = _model(option='<option><flag contact="disable"/></option>')
    assert not _check(m, _worlds(m, 2)).any()


def test_octrees_are_refused():
    spec = mujoco.MjSpec.from_string(
        XML.format(thing="sphere", size=THINGS["sphere"], mesh=PLATE, attributes="", option="")
    )
    spec.mesh("cube").needsdf = 1
    with pytest.raises(lw.UnsupportedFeature, match="tactile sensor among meshes with an octree"):
        lw.load(spec)
