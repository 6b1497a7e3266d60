"""Timers: MuJoCo's counts, durations that nest, nothing when they are off, and the same bits."""

import copy
import pickle

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.lanes import JIT
from support.places import MODELS

NAMES = [name for name in mujoco.mjtTimer.__members__ if name != "mjNTIMER"]
# what is a part of what
INSIDE = {
    "step": ("forward", "advance"),
    "forward": ("position", "velocity", "actuation", "constraint"),
    "position": ("pos_kinematics", "pos_inertia", "pos_collision", "pos_make", "pos_project"),
    "pos_collision": ("col_broad", "col_narrow"),
}


def pair(mj, seed=0):
    """The same world in MuJoCo and here, after some steps; timers at zero."""
    theirs = mujoco.MjData(mj)
    theirs.qvel[:] = 0.1 * np.random.default_rng(seed).normal(size=mj.nv)
    mujoco.mj_step(mj, theirs, 5)
    m = lw.load(mj)
    d = lw.Data(m, timing=True)
    lw.set_state(m, d, state_of(mj, theirs))
    for timer in theirs.timer:
        timer.duration, timer.number = 0, 0
    return m, d, theirs


def state_of(mj, theirs):
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    state = np.zeros(mujoco.mj_stateSize(mj, spec))
    mujoco.mj_getState(mj, theirs, state, spec)
    return state


def load(name="constraints_limits", **options):
    mj = mujoco.MjModel.from_xml_path(str(MODELS / f"{name}.xml"))
    for option, value in options.items():
        setattr(mj.opt, option, value)
    return mj


CALLS = {
    "step": (lambda m, d: lw.step(m, d, 3), lambda m, d: mujoco.mj_step(m, d, 3)),
    "forward": (lw.forward, mujoco.mj_forward),
    "halves": (
        lambda m, d: (lw.step1(m, d), lw.step2(m, d)),
        lambda m, d: (mujoco.mj_step1(m, d), mujoco.mj_step2(m, d)),
    ),
    "first half": (lw.step1, mujoco.mj_step1),
    "position": (lw.fwd_position, mujoco.mj_fwdPosition),
    "velocity": (lw.fwd_velocity, mujoco.mj_fwdVelocity),
    "actuation": (lw.fwd_actuation, mujoco.mj_fwdActuation),
    "acceleration": (lw.fwd_acceleration, mujoco.mj_fwdAcceleration),
    "constraint": (lw.fwd_constraint, mujoco.mj_fwdConstraint),
    "collision": (lw.collision, mujoco.mj_collision),
    "kinematics": (lw.kinematics, mujoco.mj_kinematics),
    "euler": (lw.euler, mujoco.mj_Euler),
    "forward_skip": (
        lambda m, d: lw.forward_skip(m, d, 1),
        lambda m, d: mujoco.mj_forwardSkip(m, d, 1, 0),
    ),
    "inverse": (lw.inverse, mujoco.mj_inverse),
    "inverse_skip": (
        lambda m, d: lw.inverse_skip(m, d, 2),
        lambda m, d: mujoco.mj_inverseSkip(m, d, 2, 0),
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_counts_are_mujocos(call):
    mj = load("walker")
    m, d, theirs = pair(mj)
    lw.forward(m, d)
    d.timer.clear()
    ours, their = CALLS[call]
    ours(m, d)
    their(mj, theirs)
    expected = [timer.number for timer in theirs.timer]
    if call == "inverse":  # ours has the position stage of forward dynamics
        expected[mujoco.mjtTimer.mjTIMER_POS_PROJECT] = 1
    assert d.timer.number.tolist() == expected


OPTIONS = {
    "RK4": {"integrator": mujoco.mjtIntegrator.mjINT_RK4},
    "implicit": {"integrator": mujoco.mjtIntegrator.mjINT_IMPLICIT},
    "implicitfast": {"integrator": mujoco.mjtIntegrator.mjINT_IMPLICITFAST},
    "discrete": {"integrator": mujoco.mjtIntegrator.mjINT_DISCRETE},
    "PGS": {"solver": mujoco.mjtSolver.mjSOL_PGS},
    "fwdinv": {"enableflags": mujoco.mjtEnableBit.mjENBL_FWDINV},
    "no contacts": {"disableflags": mujoco.mjtDisableBit.mjDSBL_CONTACT},
    "no constraints": {"disableflags": mujoco.mjtDisableBit.mjDSBL_CONSTRAINT},
    "no actuation": {"disableflags": mujoco.mjtDisableBit.mjDSBL_ACTUATION},
}


@pytest.mark.parametrize("options", OPTIONS)
def test_counts_by_options(options):
    mj = load("contacts_chains", **OPTIONS[options])
    m, d, theirs = pair(mj)
    lw.step(m, d, 4)
    mujoco.mj_step(mj, theirs, 4)
    assert d.timer.number.tolist() == [timer.number for timer in theirs.timer]
    check_nesting(d.timer)


def check_nesting(timer):
    """Parts take no longer than the whole, and what ran took time."""
    for whole, parts in INSIDE.items():
        longest = timer[whole].duration + timer["inverse"].duration  # solves constraints, too
        assert sum(timer[part].duration for part in parts) <= longest * (1 + 1e-9)
    for name in set(NAMES) - {"mjTIMER_POS_PROJECT"}:  # nothing is done there
        assert (timer[name].duration > 0) == (timer[name].number > 0)
    if timer["col_broad"].number:
        both = timer["col_broad"].duration + timer["col_narrow"].duration
        assert both == pytest.approx(timer["pos_collision"].duration)


def test_names_and_numbers():
    mj = load()
    m, d, _ = pair(mj)
    lw.step(m, d, 7)
    for k, name in enumerate(NAMES):
        kind = mujoco.mjtTimer.__members__[name]
        word = name.removeprefix("mjTIMER_").lower()
        assert d.timer[k] == d.timer[kind] == d.timer[name] == d.timer[word]
        assert d.timer[k] == d.timer[mujoco.mjTIMERSTRING[k]] == d.timer[k - 15]
    assert len(d.timer) == 15 and [t.number for t in d.timer] == d.timer.number.tolist()
    assert "step: " in repr(d.timer) and "inverse" not in repr(d.timer)
    for wrong, message in (("stp", "did you mean 'step'"), (15, "there are 15"), (1.5, "whole")):
        with pytest.raises((KeyError, IndexError, TypeError), match=message):
            d.timer[wrong]


def test_off_and_on():
    m = lw.load(load())
    d = lw.Data(m)
    assert d.timing is False
    lw.step(m, d, 3)
    assert not d.timer.number.any() and not d.timer.duration.any()
    d.timing = True
    lw.step(m, d, 3)
    d.timing = False
    before = d.timer.duration
    lw.step(m, d, 3)
    assert d.timer["step"].number == 3 and (d.timer.duration == before).all()
    # copies have it all; a reset clears it, but does not switch it
    d.timing = True
    for other in (copy.copy(d), pickle.loads(pickle.dumps(d))):
        assert other.timing and (other.timer.duration == before).all()
        lw.step(m if other.model is m else other.model, other)
        assert other.timer["step"].number == 4
    assert d.timer["step"].number == 3
    lw.reset_data(m, d)
    assert d.timing and not d.timer.number.any() and not d.timer.duration.any()
    for wrong in ("yes", None, 2, 0.0):
        with pytest.raises(TypeError, match="timing must be True or False"):
            d.timing = wrong
        with pytest.raises(TypeError, match="timing must be True or False"):
            lw.Data(m, timing=wrong)
    with pytest.raises(AttributeError, match="timer cannot be assigned"):
        d.timer = 0


INTEGRATORS = {"Euler": 0, "RK4": 1}


@pytest.mark.parametrize("lanes", [1, 3, 8])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_bits_are_the_same(lanes, integrator):
    m = lw.load(load("contacts_chains", integrator=INTEGRATORS[integrator]))
    plain, timed = (lw.Data(m, lanes=lanes, timing=on) for on in (False, True))
    for d in (plain, timed):
        d.qvel[...] = 0.2
        lw.step(m, d, 20)
    np.testing.assert_array_equal(plain.state_lanes, timed.state_lanes)
    assert timed.timer["step"].number == 20 * lanes
    check_nesting(timed.timer)


@pytest.mark.skipif(not JIT, reason="room is made as in compiled code, but slowly")
def test_a_step_that_is_repeated_counts_once():
    """For want of room a step is left and made again."""
    bodies = "".join(
        f'<body pos="{i} 0 .09"><freejoint/><geom size=".1"/></body>' for i in range(40)
    )
    m = lw.load(
        f'<mujoco><worldbody><geom type="plane" size="99 9 1"/>{bodies}</worldbody></mujoco>'
    )
    d = lw.Data(m, timing=True)
    d.make_room(4, 16)
    lw.step(m, d, 3)
    assert d.nconmax > 4 and d.timer["step"].number == 3 and d.timer["forward"].number > 3
    assert d.maxuse_con == 40 and d.maxuse_efc == 160


def test_a_reset_world_goes_on_counting():
    """Timers are those of the Data: a world that is reset for a bad number clears none."""
    m = lw.load(load())
    d = lw.Data(m, timing=True)
    lw.step(m, d, 3)
    d.qpos[0] = np.nan
    with pytest.warns(RuntimeWarning):
        lw.step(m, d)
    assert d.timer["step"].number == 4
