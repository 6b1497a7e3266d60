"""lw.set_const: what it takes, what it refuses, and that everything is as it was then."""

import copy
import warnings

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.fields import EDITS
from support import zoo

XML = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="box" pos="0 0 .5"><freejoint/>
      <geom name="box" type="box" size=".1 .2 .3"/>
      <geom name="ghost" size=".2" contype="0" conaffinity="0"/>
      <body name="arm" pos=".2 0 0"><joint axis="0 1 0"/>
        <geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/>
      </body>
    </body>
    <body name="slider" pos="2 0 1"><joint type="slide"/><geom size=".1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def m():
    return lw.load(XML)


def fields(m):
    return {name: np.array(getattr(m.mj, name)).tobytes() for name in EDITS if "." not in name}


def test_every_data_goes_on_with_the_new_constants(m):
    """Of all widths, without a reset, as MuJoCo goes on."""
    mj = copy.copy(m.mj)
    ours, theirs = [lw.Data(m), lw.Data(m, lanes=3), lw.Data(m, lanes=8)], mujoco.MjData(mj)
    for d in ours:
        lw.step(m, d, 5)
    mujoco.mj_step(mj, theirs, 5)
    for model in (m, mj):
        model.body_mass[2] = 3.0
        model.body_gravcomp[1] = 0.7
        model.geom_size[1] = 0.2, 0.1, 0.15
        model.jnt_pos[1] = 0.01, 0.02, 0.03
    before = [lw.get_state(m, d) for d in ours]
    assert lw.set_const(m) is None and lw.set_const(m, ours[0]) is None
    for d, state in zip(ours, before, strict=True):
        np.testing.assert_array_equal(lw.get_state(m, d), state)
    mujoco.mj_setConst(mj, mujoco.MjData(mj))
    for d in ours:
        lw.step(m, d, 100)
        assert d.lanes == 1 or not np.ptp(d.qpos, axis=0).any()
    mujoco.mj_step(mj, theirs, 100)
    for d in ours:
        np.testing.assert_allclose(d.qpos.reshape(-1, 9)[-1], theirs.qpos, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda m: m.body_mass.__setitem__(3, 0), "moving body 3 has 0 mass"),
        (lambda m: m.geom_contype.__setitem__(2, 1), "geom 2 collides but was not compiled to"),
        (lambda m: m.body_mass.__setitem__(1, np.nan), r"mass\[0\] would be nan: check"),
        (lambda m: m.body_pos.__setitem__(2, np.inf), r"would be (nan|inf): check masses"),
        (lambda m: setattr(m.mj.geom(1), "bodyid", 99), r"cannot be computed: .*geom_bodyid\[1\]"),
    ],
)  # fmt: skip
def test_what_is_refused_changes_nothing(m, write, words):
    d = lw.Data(m)
    lw.step(m, d)
    write(m)
    before = fields(m)
    with pytest.raises(lw.ModelError, match=words):
        lw.set_const(m)
    assert fields(m) == before


def test_a_body_that_was_simple():
    xml = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    m = lw.load(xml)
    m.body_ipos[1] = 0.1, 0.0, 0.0
    with pytest.raises(lw.ModelError, match="body 1 is compiled as simple but sameframe no longer"):
        lw.set_const(m)


def test_what_mujoco_warns_of_is_a_warning(m, tmp_path, monkeypatch):
    """It is not printed, and not logged to a file; a handler of the user's hears it instead."""
    monkeypatch.chdir(tmp_path)
    heard = []
    listener = mujoco.get_mju_user_warning()
    try:
        mujoco.set_mju_user_warning(None)
        m.dof_armature[:] = -1.0
        with pytest.warns(RuntimeWarning, match="MuJoCo: .*[Ii]nertia matrix"):
            lw.set_const(m)
        assert mujoco.get_mju_user_warning() is None
        mujoco.set_mju_user_warning(heard.append)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lw.set_const(m)
        assert any("nertia matrix" in text for text in heard)
    finally:
        mujoco.set_mju_user_warning(listener)
    assert not list(tmp_path.iterdir())


def test_a_model_that_was_not_edited_stays_as_it_is():
    for name in ("own/crooked", "own/contacts_pairs", "own/tendon_wrap", "own/cameras"):
        m = lw.load(zoo.ZOO[name]())
        before = fields(m)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lw.set_const(m)
        assert fields(m) == before


def test_wrong_arguments(m):
    with pytest.raises(TypeError, match="must be a lanewise.Model, got MjModel: lanewise.load"):
        lw.set_const(m.mj)
    with pytest.raises(TypeError, match="must be a lanewise.Model, got Batch"):
        lw.set_const(lw.Batch(m, 2, 1))
    with pytest.raises(ValueError, match="made for another Model"):
        lw.set_const(m, lw.Data(lw.load(XML)))
    with pytest.raises(TypeError, match="must be a lanewise.Data, got MjData"):
        lw.set_const(m, mujoco.MjData(m.mj))


def test_callbacks_of_mujoco_are_refused(m):
    mujoco.set_mjcb_passive(lambda model, data: None)
    try:
        with pytest.raises(ValueError, match="mjcb_passive is installed"):
            lw.set_const(m)
    finally:
        mujoco.set_mjcb_passive(None)


# ---- options that are written past the Model


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("integrator", 17, "opt.integrator is 17; it must be one of 0"),
        ("solver", -1, "opt.solver is -1"), ("cone", 2, "opt.cone is 2"),
        ("timestep", np.nan, "opt.timestep is nan; it must be finite"),
        ("enableflags", 1 << 4, "enable flag sleep"),
    ],
)  # fmt: skip
def test_every_call_looks_at_options(m, name, value, words):
    d = lw.Data(m)
    lw.step(m, d)
    state, old = lw.get_state(m, d), getattr(m.opt, name)
    setattr(m.mj.opt, name, value)
    for call in (
        lw.step, lw.forward, lw.step1, lw.step2, lw.inverse, lw.reset_data, lw.set_const,
        lw.kinematics, lambda m, d: lw.step(m, d, 100), lambda m, d: lw.Data(m),
    ):  # fmt: skip
        with pytest.raises((ValueError, lw.UnsupportedFeature), match=words):
            call(m, d)
    np.testing.assert_array_equal(lw.get_state(m, d), state)
    setattr(m.mj.opt, name, old)
    lw.step(m, d)
    assert d.time > state[0]
