"""Warnings that kernels count are told to the user: each kind once, with world, place and time."""

import logging
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


# ---- the log, in MuJoCo's words


@pytest.mark.parametrize("kind", BAD)
def test_the_log_has_mujocos_words(kind, caplog):
    m = lw.load(XML)
    d, theirs, words = lw.Data(m), mujoco.MjData(m.mj), []
    field, place, value, _ = BAD[kind]
    lw.step(m, d, 5)
    mujoco.mj_step(m.mj, theirs, 5)
    getattr(d, field)[place] = getattr(theirs, field)[place] = value
    said(lambda: lw.step(m, d, 2))
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(words.append)
    try:
        mujoco.mj_step(m.mj, theirs, 2)
    finally:
        mujoco.set_mju_user_warning(before)
    assert [record.getMessage() for record in caplog.records] == words
    (record,) = caplog.records
    assert (record.name, record.levelno, record.kind) == ("lanewise", logging.WARNING, kind)
    assert record.world == 0 and record.sim_time == pytest.approx(0.05)


def test_the_log_names_world_and_time(caplog):
    b = lw.Batch(lw.load(XML), 20, 2)
    b.step(nstep=5)
    b.qvel[13, 2] = np.nan
    said(b.step)
    (record,) = caplog.records
    assert record.getMessage().endswith("Time = 0.0500. World 13 of 20.")
    assert (record.world, record.info) == (13, 2)


def test_the_log_is_silent_by_itself(capfd):
    """Without a handler of the user's, Python would print it."""
    m = lw.load(XML)
    d = lw.Data(m)
    d.qvel[0] = np.nan
    said(lambda: lw.step(m, d))
    assert capfd.readouterr() == ("", "")


def test_full_room_is_told_in_our_words(caplog):
    """MuJoCo's speak of an arena, which is not here."""
    b = lw.Batch(lw.load(XML), 3, 1, nconmax=1)
    b.qpos[:, 2] = 0.1
    (text,) = said(b.step)
    (record,) = caplog.records
    assert "nconmax=1" in text and "nconmax=1" in record.getMessage()
    assert "arena" not in record.getMessage() and record.kind == "CONTACTFULL"


# ---- once per kind, until a reset


def test_news_again_after_a_reset_of_a_batch():
    b = lw.Batch(lw.load(XML), 9, 1)

    def spoil(*sims):
        b.qpos[list(sims), 7] = np.nan
        return len(said(b.step))

    assert (spoil(2), spoil(2), spoil(5)) == (1, 0, 0)
    b.reset(ids=[2])  # world 5 still has it
    assert spoil(3) == 0
    b.reset(ids=[2, 3, 5])
    assert (spoil(3), spoil(3)) == (1, 0)
    b.reset()
    assert spoil(8) == 1


# ---- warnings as errors


@pytest.mark.parametrize("call", ["step", "steps", "rollout", "control", "forward", "ids"])
def test_errors_of_warnings_leave_worlds_whole(call):
    """All worlds are as if nobody had raised, and go on."""
    calls = {
        "step": lambda b: b.step(),
        "steps": lambda b: b.step(nstep=4),
        "rollout": lambda b: b.rollout(4),
        "control": lambda b: b.step(nstep=3, control=lambda b: None),
        "forward": lambda b: b.forward(),
        "ids": lambda b: b.step(ids=np.arange(4, 15), nstep=2),
    }
    quiet, strict = (lw.Batch(lw.load(XML), 20, 2) for _ in range(2))
    for b in (quiet, strict):
        b.qvel[:] = np.random.default_rng(0).normal(size=b.qvel.shape)
        b.bind("xpos")
        b.step(nstep=5)
        b.qpos[13, 7] = np.nan
    texts = said(lambda: calls[call](quiet))
    assert len(texts) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="world 13"):
            calls[call](strict)
        if call == "control":  # the first half of a step spoke; that step is to be made again
            assert (strict.steps_done == 0).all()
            strict.step(nstep=3, control=lambda b: None)
        np.testing.assert_array_equal(strict.state, quiet.state)
        np.testing.assert_array_equal(strict.xpos, quiet.xpos)
        np.testing.assert_array_equal(strict.warning, quiet.warning)
        np.testing.assert_array_equal(strict.resets, quiet.resets)
        # each kind once: it goes on
        strict.step(nstep=3)
        quiet.step(nstep=3)
        np.testing.assert_array_equal(strict.state, quiet.state)


def test_all_kinds_are_told_before_an_error(caplog):
    b = lw.Batch(lw.load(XML), 20, 2)
    b.qpos[3, 7] = b.qvel[11, 0] = b.ctrl[19, 0] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            b.step()
        b.step()
    assert {record.kind for record in caplog.records} == {"BADQPOS", "BADQVEL", "BADCTRL"}


@pytest.mark.parametrize("lanes", [1, 3])
def test_errors_of_warnings_of_a_data(lanes):
    m = lw.load(XML)
    quiet, strict = (lw.Data(m, lanes=lanes) for _ in range(2))
    for d in (quiet, strict):
        lw.step(m, d, 5)
        np.atleast_2d(d.qpos)[lanes - 1, 7] = np.nan
    said(lambda: lw.step(m, quiet))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            lw.step(m, strict)
        np.testing.assert_array_equal(lw.get_state(m, strict), lw.get_state(m, quiet))
        lw.step(m, strict, 3)
    lw.step(m, quiet, 3)
    np.testing.assert_array_equal(lw.get_state(m, strict), lw.get_state(m, quiet))


def test_an_error_of_a_world_and_one_of_a_warning():
    """Worlds that cannot be run are told of, whatever else is."""
    b = lw.Batch(lw.load(XML), 9, 1)
    b.expand("opt.timestep")[4] = np.nan
    b.qpos[2, 7] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(lw.SimulationError) as caught:
            b.step()
    assert caught.value.ids.tolist() == [4] and b.resets[2] == 1
    assert isinstance(caught.value.__context__, RuntimeWarning)
