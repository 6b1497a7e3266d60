"""Warnings that kernels count are told to the user: each kind once, with world, place and time."""

import re
import warnings

import mujoco
import numpy as np
import pytest

import lanewise as lw

XML = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .3">
      <freejoint name="root"/>
      <geom type="box" size=".1 .2 .15"/>
      <body pos="0 .1 .3"><joint name="knee" axis="1 2 3"/><geom size=".05"/></body>
    </body>
  </worldbody>
  <actuator><motor name="drive" joint="knee"/></actuator>
</mujoco>
"""
BAD = {
    "BADQPOS": ("qpos", 7, np.nan, r"qpos\[7\] \(joint 'knee'\)"),
    "BADQVEL": ("qvel", 2, np.inf, r"qvel\[2\] \(joint 'root'\)"),
    "BADQACC": ("qfrc_applied", 6, 1e300, r"qacc\[\d\] \(joint '\w+'\)"),
    "BADCTRL": ("ctrl", 0, -np.inf, r"ctrl\[0\] \(actuator 'drive'\)"),
}


def said(call):
    """What a call warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(w.category is RuntimeWarning and w.filename == __file__ for w in caught)
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_world_of_a_batch(kind):
    b = lw.Batch(lw.load(XML), 20, 2)
    assert said(lambda: b.step(nstep=5)) == []
    field, place, value, words = BAD[kind]
    getattr(b, field)[13, place] = value
    (text,) = said(lambda: b.step(nstep=3))
    for part in (words, r"at time 0\.05 in world 13", "1 of 20 worlds", kind):
        assert re.search(part, text), text
    reset = kind != "BADCTRL"
    assert ("was reset" in text) == reset
    assert b.resets.sum() == b.resets[13] == (1 if kind in ("BADQPOS", "BADQVEL") else b.resets[13])
    assert (b.resets[13] > 0) == reset
    # once per kind
    getattr(b, field)[4, place] = value
    assert said(b.step) == []
    assert (b.resets[4] > 0) == reset


@pytest.mark.parametrize("lanes", [1, 3])
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_world_of_a_data(kind, lanes):
    m = lw.load(XML)
    d = lw.Data(m, lanes=lanes)
    field, place, value, words = BAD[kind]
    lw.step(m, d, 5)
    np.atleast_2d(getattr(d, field))[lanes - 1, place] = value
    (text,) = said(lambda: lw.step(m, d, 2))
    where = "at time 0.05" + (" in world 2" if lanes > 1 else ":")
    assert re.search(words, text) and where in text and kind in text
    assert (np.atleast_1d(d.resets)[-1] > 0) == (kind != "BADCTRL")
    np.atleast_2d(getattr(d, field))[0, place] = value
    assert said(lambda: lw.step(m, d)) == []
    # after a reset of the user's, it is news again
    lw.reset_data(m, d)
    assert not np.any(d.resets)
    np.atleast_2d(getattr(d, field))[0, place] = value
    assert len(said(lambda: lw.step(m, d))) == 1


@pytest.mark.parametrize("autoreset", [True, False])
@pytest.mark.parametrize("kind", BAD)
def test_as_mujoco_counts(kind, autoreset):
    mj = mujoco.MjModel.from_xml_string(XML)
    if not autoreset:
        mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    b, d = lw.Batch(mj, 3, 1), mujoco.MjData(mj)
    field, place, value, _ = BAD[kind]
    getattr(b, field)[1, place] = getattr(d, field)[place] = value
    texts = said(b.step)
    text = next(text for text in texts if kind in text)
    mujoco.mj_step(mj, d)
    assert ("autoreset is disabled" in text) == (not autoreset and kind != "BADCTRL")
    assert bool(b.resets[1]) == (autoreset and kind != "BADCTRL")
    assert b.warning[1].tolist() == [[w.lastinfo, w.number] for w in d.warning]
    np.testing.assert_allclose(b.qpos[1], d.qpos, rtol=1e-10, atol=1e-10)


def test_resets_are_counted_up():
    b = lw.Batch(lw.load(XML), 9, 1)
    for _ in range(3):
        b.qpos[8, 2] = np.nan
        said(b.step)
    b.reset()
    assert not b.warning.any()
    assert b.resets.tolist() == [0] * 8 + [3]
    b.step()
    b.qvel[8, 0] = np.nan
    said(lambda: b.rollout(4))
    assert b.resets[8] == 4
    with pytest.raises(ValueError, match="read-only"):
        b.resets[0] = 1
    with pytest.raises(AttributeError, match="resets cannot be assigned"):
        b.resets = 0


@pytest.mark.parametrize("solver", ["Newton", "CG", "PGS"])
@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicitfast"])
def test_neighbours_of_a_bad_world_keep_their_bits(solver, integrator):
    m = lw.load(XML.replace("<option", f'<option solver="{solver}" integrator="{integrator}"'))
    alone, beside = lw.Batch(m, 8, 1), lw.Batch(m, 8, 1)
    for b in (alone, beside):
        b.qvel[:] = np.random.default_rng(0).normal(size=b.qvel.shape)
    for k in range(40):
        if k % 5 == 0:
            field, place, value, _ = list(BAD.values())[k // 5 % 4]
            getattr(beside, field)[3, place] = value
        alone.step()
        said(beside.step)
        beside.qfrc_applied[3] = 0
    others = np.arange(8) != 3
    np.testing.assert_array_equal(alone.state[others], beside.state[others])
    assert not beside.resets[others].any() and not beside.warning[others].any()
    assert beside.resets[3] >= 6


def test_a_singular_inertia_is_told():
    """A massless end is refused by the compiler, but a mass may be edited."""
    m = lw.load(XML)
    d = lw.Data(m)
    m.body_mass[:] = m.body_inertia[:] = 0
    mujoco_data = mujoco.MjData(m.mj)
    mujoco.mj_forward(m.mj, mujoco_data)
    texts = said(lambda: lw.forward(m, d))
    assert mujoco_data.warning[0].number > 0
    assert len(texts) == 1 and "INERTIA" in texts[0] and "dof" in texts[0]
