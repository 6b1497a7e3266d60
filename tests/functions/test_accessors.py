"""One object's part of a Data, one contact and one warning: as MuJoCo's bindings have them."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.named import PARTS
from support import zoo

XML = """
<mujoco>
  <worldbody>
    <light name="lamp" pos="0 0 3"/>
    <camera name="eye" pos="0 -1 1"/>
    <geom name="floor" type="plane" size="2 2 .1"/>
    <body name="torso" pos="0 0 .08">
      <freejoint name="root"/>
      <geom name="ball" size=".1" mass="2"/>
      <body name="leg" pos=".3 .1 .2">
        <joint name="hip" type="ball"/>
        <geom name="thigh" type="box" size=".05 .04 .03" mass="1"/>
        <site name="tip" pos=".1 0 0"/>
        <body name="shin" pos=".2 0 0">
          <joint name="kneeL" axis="0 1 0"/>
          <joint name="kneeR" type="slide" axis="1 0 0"/>
          <geom size=".04" mass="1"/>
          <site name="toe" pos=".1 .02 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="string"><site site="tip"/><site site="toe"/></spatial>
    <fixed name="sum"><joint joint="kneeL" coef="2"/></fixed>
  </tendon>
  <actuator>
    <motor name="push" joint="kneeR"/>
    <orientation name="turn" joint="hip" kp="2" input="quat"/>
    <position name="pull" tendon="string"/>
  </actuator>
  <equality><joint name="tie" joint1="kneeL" joint2="kneeR"/></equality>
  <sensor>
    <jointpos name="angle" joint="kneeL"/>
    <accelerometer name="imu" site="toe"/>
  </sensor>
</mujoco>
"""
OTHER_NAMES = {"camera": "cam", "joint": "jnt", "tendon": "ten"}
NUMBER = {
    "actuator": "nactuator", "body": "nbody", "camera": "ncam", "geom": "ngeom", "joint": "njnt",
    "light": "nlight", "sensor": "nsensor", "site": "nsite", "tendon": "ntendon",
}  # fmt: skip


@pytest.fixture(scope="module")
def m():
    return lw.load(XML)


@pytest.fixture
def d(m):
    d = lw.Data(m)
    d.ctrl = 0.3
    d.qvel = 0.1
    lw.forward(m, d)
    return d


def shown(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


# ---- objects


@pytest.mark.parametrize("source", [XML, "passive_yield", "tendon_wrap", "actuation_orientation"])
def test_every_view_is_mujocos(source):
    m = lw.load(source if source is XML else zoo.own(source))
    theirs = mujoco.MjData(m.mj)
    theirs.qpos += 0.01 * np.arange(m.nq)
    theirs.qvel += 0.1 * np.arange(m.nv)
    theirs.ctrl += 0.2
    theirs.plastic += 0.01
    mujoco.mj_forward(m.mj, theirs)
    one, two = lw.put_data(m, theirs), lw.put_data(m, [theirs, theirs])
    seen = 0
    for kind, number in NUMBER.items():
        for i in range(getattr(m, number)):
            expected = getattr(theirs, kind)(i)
            found, several = getattr(one, kind)(i), getattr(two, kind)(i)
            assert shown(found) == shown(expected)
            assert (found.id, found.name) == (expected.id, expected.name)
            for name in shown(expected) - {"id", "name"}:
                value = getattr(expected, name)
                np.testing.assert_array_equal(getattr(found, name), value, strict=True)
                np.testing.assert_array_equal(getattr(several, name), np.stack([value] * 2))
                seen += value.size > 0
    assert seen > 50


def test_views_are_live_and_can_be_written(m, d):
    knee, floor = d.joint("kneeL"), d.geom("floor")
    knee.qpos = 0.4
    assert d.qpos[m.joint("kneeL").qposadr[0]] == 0.4
    knee.qpos[0] += 0.1
    assert d.joint("kneeL").qpos[0] == 0.5
    d.actuator("turn").ctrl = [1, 0, 0, 0]
    assert d.ctrl[1:5].tolist() == [1, 0, 0, 0]
    d.body("torso").xfrc_applied[2] = 30
    before = d.joint("root").qacc[2]
    lw.forward(m, d)
    assert d.joint("root").qacc[2] > before
    assert floor.xpos.shape == (3,) and floor.xmat.shape == (9,)
    d.equality("tie").active = 0
    lw.forward(m, d)
    assert d.ne == 0
    assert d.jnt("hip").qpos.shape == d.joint("hip").qpos.shape == (4,)
    assert d.cam("eye").id == d.ten("string").id == 0


def test_several_worlds_have_a_leading_axis(m):
    d = lw.Data(m, lanes=3)
    d.joint("kneeL").qpos = [[0.1], [0.2], [0.3]]
    d.joint("kneeR").qpos[2] = 0.5
    lw.forward(m, d)
    assert d.sensor("angle").data[:, 0].tolist() == [0.1, 0.2, 0.3]
    assert d.qpos[:, -1].tolist() == [0, 0, 0.5]
    assert d.body("shin").xpos.shape == (3, 3)
    assert d.actuator("turn").moment.shape == (3, 3, m.nv)


def test_what_does_not_exist_is_said(d):
    with pytest.raises(KeyError, match=r"no joint 'knee' \(did you mean 'kneeR', 'kneeL'"):
        d.joint("knee")
    with pytest.raises(KeyError, match="no sensor 'zzz'; there are 'angle', 'imu'"):
        d.sensor("zzz")
    with pytest.raises(IndexError, match="1 of kind camera: no number 1"):
        d.camera(1)
    with pytest.raises(TypeError, match="name or number, got 1.5"):
        d.body(1.5)
    with pytest.raises(AttributeError, match="did you mean 'qpos'"):
        print(d.joint("hip").qposs)
    with pytest.raises(AttributeError, match=r"of the model: see m.body\('torso'\).mass"):
        print(d.body("torso").mass)
    with pytest.raises(AttributeError, match="name of a body cannot be assigned"):
        d.body("torso").name = "x"
    with pytest.raises(AttributeError, match="computed and cannot be written"):
        d.tendon("string").wrapnum = 3
    with pytest.raises(TypeError, match="xpos must be numbers"):
        d.body("torso").xpos = None
    with pytest.raises(AttributeError, match="joint cannot be assigned"):
        d.joint = 3


def test_objects_are_shown(d):
    text = repr(d.joint("kneeL"))
    assert text.startswith("<joint 'kneeL' of <lanewise.Data") and "\n  qpos: array([" in text


def test_elements_of_a_spec_are_bound():
    spec = mujoco.MjSpec.from_string(XML)
    m = lw.load(spec)
    spec.compile()
    d = lw.Data(m)
    left, right = spec.joint("kneeL"), spec.joint("kneeR")
    d.bind(left).qpos = 0.2
    assert d.joint("kneeL").qpos[0] == 0.2
    both = d.bind([left, right])
    both.qvel = [1, 2]
    assert both.qvel.tolist() == [1, 2] and both.id == [2, 3]
    with pytest.raises(TypeError, match="elements of an MjSpec"):
        d.bind("kneeL")
    spec.worldbody.add_body(name="more")
    spec.compile()
    with pytest.raises(ValueError, match="compile and load it again"):
        d.bind(left)


@pytest.mark.parametrize("kind", [*PARTS, "keyframe", "pair", "material"])
def test_a_batch_finds_the_same(m, kind):
    b = lw.Batch(m, 2)
    with pytest.raises(KeyError, match=f"no {kind} 'nobody'"):
        getattr(b, kind)("nobody")
    with pytest.raises(IndexError, match=f"of kind {kind}: no number 99"):
        getattr(b, kind)(99)


def test_a_batch_has_active_equalities(m):
    b = lw.Batch(m, 2)
    b.equality("tie").active[1] = 0
    b.step()
    assert b.eq_active[:, 0].tolist() == [1, 0]
    assert b.equality("tie").active0.shape == (2, 1)


# ---- the model


def test_named_parts_of_a_model_are_live(m):
    m.body("leg").mass = 1.5
    m.geom("ball").rgba[0] = 0.25
    assert m.body_mass[m.body("leg").id] == 1.5 and m.mj.geom_rgba[1, 0] == 0.25
    assert m.jnt("kneeL").id == m.joint("kneeL").id == 2
    assert mujoco.mj_id2name(m.mj, mujoco.mjtObj.mjOBJ_JOINT, 2) == "kneeL"


# ---- contacts


def test_contacts_one_by_one(m, d):
    theirs = lw.get_data(m, d)
    mujoco.mj_forward(m.mj, theirs)
    assert len(d.contact) == theirs.ncon > 0
    for ours, expected in zip(d.contact, theirs.contact, strict=True):
        assert shown(ours) == shown(expected)
        for name in shown(expected):
            value = getattr(expected, name)
            assert type(getattr(ours, name)) is type(value)
            np.testing.assert_allclose(getattr(ours, name), value, atol=1e-9, err_msg=name)
    assert d.contact[-1].dist == d.contact.dist[-1]
    assert [c.dist for c in d.contact[0:1]] == [d.contact.dist[0]]
    assert d.contact[0:1].pos.shape == (1, 3)


def test_a_contact_is_live(d):
    contact = d.contact[0]
    contact.dist = -0.5
    contact.pos[0] = 7
    assert d.contact.dist[0] == -0.5 and d.contact.pos[0, 0] == 7
    with pytest.raises(AttributeError, match="dim of a contact is computed"):
        contact.dim = 1
    with pytest.raises(AttributeError, match="did you mean 'dist'"):
        print(contact.dst)
    with pytest.raises(IndexError, match="contact 99 does not exist: there are"):
        d.contact[99]
    with pytest.raises(TypeError, match="the number of a contact must be a whole number"):
        d.contact["a"]
    assert "\n  dist: -0.5" in repr(contact)


def test_contacts_of_several_worlds(m):
    d = lw.Data(m, lanes=2)
    d.qpos[1, 2] += 5
    lw.forward(m, d)
    assert d.contact[0].dist.shape == (2,) and d.contact[0].frame.shape == (2, 9)
    d.contact[0].dist = [1, 2]
    assert d.contact.dist[:, 0].tolist() == [1, 2]


# ---- warnings


def test_warnings_one_by_one(m):
    for lanes in (1, 3):
        d = lw.Data(m, lanes=lanes)
        bad = mujoco.mjtWarning.mjWARN_BADQVEL
        (d.qvel if lanes == 1 else d.qvel[0])[3] = np.nan
        with pytest.warns(RuntimeWarning, match="qvel"):
            lw.step(m, d)
        number = 1 if lanes == 1 else [1, 0, 0]
        assert np.array_equal(d.warning[bad].number, number)
        assert np.array_equal(d.warning[bad].lastinfo, 3 * np.array(number))
        assert len(d.warning) == len(list(d.warning)) == 7
        assert d.warning.number.dtype == np.int32 and d.warning.number.sum() == 1
        d.warning[bad].number = 0
        assert d.warning.number.sum() == 0
        d.warning.number = 2
        assert (d.warning[2:4].number == 2).all() and d.warning[2:4].number.shape[-1] == 2
    with pytest.raises(IndexError, match="warning 7 does not exist"):
        d.warning[7]
    with pytest.raises(AttributeError, match="warning cannot be assigned"):
        d.warning = 0
