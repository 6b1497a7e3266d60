"""Where a number of an object is taken, its name is too; a wrong one is answered with others."""

import re

import mujoco
import numpy as np
import pytest

import lanewise as lw

XML = """
<mujoco>
  <custom><numeric name="gains" data="1 2"/></custom>
  <asset><material name="wood"/></asset>
  <worldbody>
    <light name="sun" pos="0 0 3"/>
    <camera name="front" pos="1 0 1"/>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="torso" pos="0 0 1">
      <freejoint name="root"/>
      <geom name="trunk" size=".2" material="wood"/>
      <site name="tip"/>
      <body name="FL_calf" pos=".3 0 0">
        <joint name="FL_knee" axis="0 1 0"/>
        <geom name="FL_foot" size=".1" pos="0 0 -.2"/>
      </body>
      <body name="FR_calf" pos="-.3 0 0">
        <joint name="FR_knee" axis="0 1 0"/>
        <geom name="FR_foot" size=".1" pos="0 0 -.2"/>
      </body>
    </body>
  </worldbody>
  <contact><pair name="grip" geom1="FL_foot" geom2="FR_foot"/></contact>
  <tendon><fixed name="pull"><joint joint="FL_knee" coef="1"/></fixed></tendon>
  <actuator><position name="drive" joint="FL_knee"/></actuator>
  <equality><joint name="tie" joint1="FL_knee" joint2="FR_knee" active="false"/></equality>
  <keyframe>
    <key name="home" qpos="0 0 2 1 0 0 0 .1 .2"/>
    <key name="low" qpos="0 0 1 1 0 0 0 .3 .4"/>
  </keyframe>
</mujoco>
"""
NAMES = {
    "actuator": "drive", "body": "torso", "camera": "front", "equality": "tie", "geom": "trunk",
    "joint": "FL_knee", "keyframe": "home", "light": "sun", "material": "wood",
    "numeric": "gains", "pair": "grip", "site": "tip", "tendon": "pull",
}  # fmt: skip


def batch(nsim=5):
    b = lw.Batch(lw.load(XML), nsim, 1)
    b.qpos[:, 7] = np.linspace(0, 1, nsim)
    return b


def test_jacobians_of_bodies_by_name():
    b, point = batch(), np.array([0.1, 0.2, 0.3])
    number = b.model.mj.body("FL_calf").id
    expected = b.jac(number, point)
    for body in ("FL_calf", np.str_("FL_calf"), ["FL_calf"] * 5, ["FL_calf", number] * 2 + [number],
                 np.array(["FL_calf"] * 5)):  # fmt: skip
        for ours, theirs in zip(b.jac(body, point), expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    one = b.jac(["FR_calf", "torso"], point, ids=[1, 4])[0]
    np.testing.assert_array_equal(one[1], b.jac("torso", point)[0][4])


def test_keyframes_by_name():
    b = batch()
    b.reset(keyframe="home")
    np.testing.assert_array_equal(b.qpos, np.tile(b.model.key_qpos[0], (5, 1)))
    b.reset([1, 3], keyframe=["low", -1])
    np.testing.assert_array_equal(b.qpos[1], b.model.key_qpos[1])
    np.testing.assert_array_equal(b.qpos[3], b.model.qpos0)
    b.reset(keyframe=None)
    np.testing.assert_array_equal(b.qpos, np.tile(b.model.qpos0, (5, 1)))
    d = lw.Data(b.model)
    lw.reset_data(b.model, d, "low")
    np.testing.assert_array_equal(d.qpos, b.model.key_qpos[1])


def test_keyframes_of_the_callers_models():
    """A name is that of the world's own model."""
    other = mujoco.MjModel.from_xml_string(
        XML.replace('"home"', '"x"').replace('"low"', '"home"').replace('"x"', '"low"')
    )
    b = batch()
    b.set_models([b.model if i % 2 else other for i in range(5)])
    b.reset(keyframe="home")
    np.testing.assert_array_equal(b.qpos[:, 7], [0.3, 0.1, 0.3, 0.1, 0.3])
    with pytest.raises(lw.UnknownName, match="did you mean 'home'"):
        b.reset([0, 2], keyframe=["home", "hom"])


def test_pairs_of_geoms_by_name():
    b = batch()
    b.qpos[:, 2] = 0.25
    forces = [b.pair_force("floor", x)[0] for x in (["FL_foot", "FR_foot"], [3, 2])]
    np.testing.assert_array_equal(*forces)
    assert forces[0].any()


@pytest.mark.parametrize(
    "call",
    [
        lambda b: b.jac("FL_clf", np.zeros(3)),
        lambda b: b.jac(["torso"] * 4 + ["FL_clf"], np.zeros(3)),
        lambda b: b.body("FL_clf"),
    ],
)
def test_near_misses_of_bodies(call):
    with pytest.raises(lw.UnknownName) as error:
        call(batch())
    text = str(error.value)
    assert text.startswith("no body 'FL_clf' (did you mean 'FL_calf'")
    assert text.endswith("there are 'world', 'torso', 'FL_calf', 'FR_calf'")
    assert isinstance(error.value, KeyError) and isinstance(error.value, ValueError)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda b: b.reset(keyframe="hme"), r"no keyframe 'hme' \(did you mean 'home'\?\)"),
        (lambda b: lw.reset_data(b.model, lw.Data(b.model), "hme"), "did you mean 'home'"),
        (lambda b: b.model.reset_row("zzz"), "there are 'home', 'low'"),
        (lambda b: b.pair_force("flor", 1), "did you mean 'floor'"),
        (lambda b: b.pair_force(0, ["trunk", "FL_foo"]), "did you mean 'FL_foot'"),
        (lambda b: b.sensor("imu"), "no sensor 'imu'; there are none with a name"),
    ],
)
def test_near_misses(call, words):
    b = batch()
    before = b.state.copy()
    with pytest.raises(lw.UnknownName, match=words):
        call(b)
    np.testing.assert_array_equal(b.state, before)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda b: b.jac(9, np.zeros(3)), ValueError, r"body must be in \[0, 4\), got 9"),
        (lambda b: b.jac(1.5, np.zeros(3)), ValueError, "body must be names or integers"),
        (lambda b: b.jac(None, np.zeros(3)), ValueError, "body must be names or integers"),
        (lambda b: b.reset(keyframe=7), ValueError, r"keyframe must be in \[-1, 2\), got 7"),
        (lambda b: b.body(9), IndexError, "the model has 4 of kind body: no number 9"),
        (lambda b: b.body(1.5), TypeError, "a body is given by its name or number, got 1.5"),
        (lambda b: b.body(None), TypeError, "a body is given by its name or number, got None"),
        (lambda b: b.pair_force(9, 0), IndexError, r"geom must be in \[0, 4\), got 9"),
    ],
)
def test_wrong_numbers(call, error, words):
    with pytest.raises(error, match=words):
        call(batch())


@pytest.mark.parametrize("kind", [*NAMES, "sensor"])
def test_accessors_are_documented(kind):
    """Every one of the 14 has a docstring, and what it mentions is there."""
    text = getattr(lw.Batch, kind).__doc__
    assert "by name or number" in text and f"b.{kind}(" in text
    if kind in NAMES:
        view = getattr(batch(), kind)(NAMES[kind])
        mentioned = re.findall(r"\)?\.(\w+)(?:`| = )", text)
        assert mentioned
        for attribute in mentioned:
            assert len(getattr(view, attribute)) == 5, attribute
