"""Halves of a step and skipped stages, world by world beside MuJoCo's, and beside whole steps."""

import copy
import pickle

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.batch import SimulationError
from lanewise.lanes import JIT
from support import parity, zoo
from support import parity_contacts as touch
from support.interrupting import interrupt_after
from support.sensing import with_sensors
from support.states import random_state
from support.user_kernels import arm, kernels

NSIM = 9
INTEGRATION = mujoco.mjtState.mjSTATE_INTEGRATION
EARLY = ("xpos", "ten_length", "cvel", "qfrc_passive", "qfrc_bias", "energy", "ncon", "sensordata")
LATE = ("qacc", "qfrc_actuator", "actuator_force", "act_dot", "qfrc_smooth", "qfrc_constraint")
ORDER = ((1, 0), (2, 0), (1, 1), (2, 1), (0, 1), (2, 0), (0, 0), (1, 0), (2, 0))  # skip, blind
CASES = [
    ("own/crooked", "Euler"), ("own/walker", "discrete"),
    ("own/integrate_tendons", "implicitfast"), ("own/passive_yield", "Euler"),
    ("own/constraints_equality", "discrete"), ("own/contacts_boxes", "implicit"),
    ("own/actuation_delay", "Euler"), ("own/mocap", "RK4"), ("sensors", "Euler"),
]  # fmt: skip


def load(name, integrator):
    if name == "sensors":
        mj = with_sensors(str(zoo.own("walker")))
    else:
        mj = touch.with_constraints(zoo.ZOO[name]())
    mj.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    if name != "sensors":  # with energy enabled, MuJoCo's sensor shows that of the step before
        mj.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    mj.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
    parity.settle_round_off(mj)
    return touch.tighten(mj)


class Both:
    """The same worlds in MuJoCo's data and in a Batch."""

    def __init__(self, mj, fields=EARLY + LATE):
        self.mj, self.rng = mj, np.random.default_rng(5)
        self.data = [random_state(mj, self.rng, 0.2, odd=False) for _ in range(NSIM)]
        self.b = lw.Batch(mj, NSIM, 2)
        for name in fields:
            self.b.bind(name)
        self.pass_on()

    def pass_on(self):
        for row, d in zip(self.b.state, self.data, strict=True):
            mujoco.mj_getState(self.mj, d, row, INTEGRATION)

    def edit(self, skip, scale=0.1):
        """What the stages up to `skip` do not read."""
        mj, rng = self.mj, self.rng
        for d in self.data:
            d.ctrl[:] += rng.normal(0, scale, mj.nu)
            d.act[:] += rng.normal(0, scale, mj.na)
            d.qfrc_applied[:] += rng.normal(0, scale, mj.nv)
            d.xfrc_applied[1:] += rng.normal(0, scale, (mj.nbody - 1, 6))
            if skip < 2:
                d.qvel[:] += rng.normal(0, scale, mj.nv)
            if skip < 1:
                mujoco.mj_integratePos(mj, d.qpos, rng.normal(0, scale, mj.nv), 1.0)
        self.pass_on()

    def on_all(self, call, *arguments):
        for d in self.data:
            call(self.mj, d, *arguments)

    def compare(self, names, what):
        enabled = self.mj.opt.enableflags & mujoco.mjtEnableBit.mjENBL_ENERGY
        for name in names:
            if name == "energy" and not enabled:  # a Batch has none then
                continue
            ours = getattr(self.b, name)
            for w, d in enumerate(self.data):
                theirs = np.asarray(getattr(d, name))
                worst = touch.relative(ours[w].reshape(theirs.shape), theirs)
                assert worst < 1e-7, f"{what}, {name} of world {w}: {worst:.2g}"


@pytest.mark.parametrize(("name", "integrator"), CASES)
def test_beside_mujoco(name, integrator):
    both = Both(load(name, integrator))
    b, names = both.b, EARLY + LATE
    both.on_all(mujoco.mj_forward)
    b.forward()
    both.compare(names, "forward")
    for skip, blind in ORDER:
        both.edit(skip)
        both.on_all(mujoco.mj_forwardSkip, skip, blind)
        b.forward_skip(skip, bool(blind))
        both.compare(names, f"forward_skip({skip}, {blind})")
    for skip, blind in ORDER:
        both.edit(skip)
        qacc = both.rng.normal(size=(NSIM, both.mj.nv))
        # its metric and its sensors go by forces of actuators, which MuJoCo leaves from before
        both.on_all(mujoco.mj_forwardSkip, skip, 1)
        for d, a in zip(both.data, qacc, strict=True):
            d.qacc[:] = a
            mujoco.mj_inverseSkip(both.mj, d, skip, blind)
        force = b.inverse_skip(qacc, skip, bool(blind))
        np.testing.assert_array_equal(force, b.qfrc_inverse)
        both.compare((*EARLY, "qfrc_inverse", "qfrc_constraint"), f"inverse_skip({skip}, {blind})")
    for k in range(3):
        both.edit(0, 0.02)
        both.on_all(mujoco.mj_step1)
        b.step1()
        both.compare(EARLY, f"step1, {k}")
        both.edit(2)
        both.on_all(mujoco.mj_step2)
        b.step2()
        both.compare(("qpos", "qvel", "act", "time", *names), f"step2, {k}")
    np.testing.assert_array_equal(b.steps_done, 1)


def test_positions_that_are_written_do_not_count():
    """As in MuJoCo: springs read them, the frames of bodies do not move."""
    both = Both(load("own/crooked", "Euler"))
    both.on_all(mujoco.mj_forward)
    both.b.forward()
    for skip in (1, 2, 1, 2):
        both.edit(0)
        both.on_all(mujoco.mj_forwardSkip, skip, 0)
        both.b.forward_skip(skip)
        both.compare(EARLY + LATE, f"forward_skip({skip})")
    both.on_all(mujoco.mj_step1)
    both.b.step1()
    both.edit(0, 0.02)
    both.on_all(mujoco.mj_step2)
    both.b.step2()
    both.compare(("qpos", "qvel", *EARLY, *LATE), "step2")


# ---- whole steps


def moving(model=None, nsim=11, nthread=2, **options):
    m = lw.load(model or lw.models.path("boxes"))
    b = lw.Batch(m, nsim, nthread, **options)
    rng = np.random.default_rng(0)
    b.qvel[:] = rng.normal(scale=0.5, size=b.qvel.shape)
    b.ctrl[:] = rng.normal(size=b.ctrl.shape)
    return b


def masses(b):
    b.expand("body_mass")[:] *= np.linspace(1, 2, b.nsim)[:, None]
    b.expand("opt.iterations")[::2] = 7  # two groups


def models(b):
    light = copy.copy(b._model.mj)
    light.body_mass[:] *= 0.5
    b.set_models([b._model.mj if i % 2 else light for i in range(b.nsim)])


@pytest.mark.parametrize("vary", [None, masses, models])
@pytest.mark.parametrize("options", [{}, {"fresh": True}, {"nsim": 8}, {"nsim": 1}])
def test_halves_are_a_step(options, vary):
    b, whole = moving(**options), moving(**options)
    for x in (b, whole):
        if vary:
            vary(x)
        for name in ("xpos", "qacc", "ncon", "contact.dist", "sensordata", "subtree_linvel"):
            x.bind(name)
    ids = np.arange(0, b.nsim, 2)
    for _ in range(40):
        b.step1()
        b.step2()
        whole.step()
        b.step1(ids)
        b.step2(ids)
        whole.step(ids)
    np.testing.assert_array_equal(b.state, whole.state)
    assert whole.ncon.max() > 0
    for name in whole.bound:
        np.testing.assert_array_equal(b.bind(name), whole.bind(name), name)
    assert np.array_equal(b.steps_done[ids], np.ones(len(ids)))


def test_user_code_and_its_memory():
    """A kernel that controls runs in the first half, and Python has the last word."""
    m = lw.load(arm(), **kernels("control", "passive", "sensor"))
    b, whole = lw.Batch(m, 9, 1), lw.Batch(m, 9, 1)
    for x in (b, whole):
        x.qvel[:] = np.linspace(-1, 1, 9)[:, None]
        x.bind("sensordata")
    for _ in range(5):
        b.step1()
        b.step2()
        whole.step()
    np.testing.assert_array_equal(b.state, whole.state)
    assert (b.userdata[:, 0] == 5).all()
    b.step1()
    b.ctrl[:] = 0.0
    b.step2()
    assert not b.ctrl.any() and (b.userdata[:, 0] == 6).all()


def test_runge_kutta_becomes_euler():
    b, euler = moving(), moving()
    b.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    b.step1()
    b.step2()
    euler.step()
    np.testing.assert_array_equal(b.state, euler.state)


@pytest.mark.parametrize("way", [copy.copy, lambda b: pickle.loads(pickle.dumps(b))])
def test_copies_know_the_first_half(way):
    b = moving()
    b.step(nstep=20)
    b.step1()
    b.forward_skip(1)  # velocities apart from positions
    b.qvel[:] += 0.1
    other = way(b)
    b.qpos[:] += 0.5  # of its own worlds
    assert not np.array_equal(other.qpos, b.qpos)
    b.qpos[:] = other.qpos
    for x in (b, other):
        x.forward_skip(2)
        x.step2()
    np.testing.assert_array_equal(other.state, b.state)
    with pytest.raises(ValueError, match="step2 needs positions and velocities"):
        way(b).step2()


def test_bad_worlds_are_reset_in_the_first_half():
    b = moving()
    b.step(nstep=5)
    b.qpos[3, 0] = np.nan
    b.qvel[5, 1] = np.inf
    with pytest.warns(RuntimeWarning, match="BAD"):
        b.step1()
    reset = b.state[[3, 5]].copy()
    np.testing.assert_array_equal(b.time[[3, 5]], 0.0)
    b.step2()
    whole = lw.Batch(b.model, 2, 1)
    whole.state = reset
    whole.step()
    np.testing.assert_array_equal(b.state[[3, 5]], whole.state)
    assert b.warning[:, :, 1].sum() == 2 and b.resets.sum() == 2


def test_room_is_made():
    """Contacts that there was no room for, in either half and in any stage."""
    m = lw.load(lw.models.path("boxes"))
    m.geom_contype[:] = m.geom_conaffinity[:] = 0
    mujoco.mj_setConst(m.mj, mujoco.MjData(m.mj))
    for call in (
        lambda x: x.step1() or x.step2(),
        lambda x: x.forward_skip(0) or x.step2(),
        lambda x: (x.inverse(0.1), x.forward_skip(1), x.step2()),
    ):
        b, whole = lw.Batch(lw.load(m.mj), 11, 2), lw.Batch(m, 11, 2, nconmax=400, njmax=1600)
        assert b._runner.sizes["nconmax"] == 0
        for x in (b, whole):
            x.model.geom_contype[:] = x.model.geom_conaffinity[:] = 1
            mujoco.mj_setConst(x._model.mj, mujoco.MjData(x._model.mj))
            x.qvel[:] = np.linspace(-1, 1, 11)[:, None]
            for _ in range(60):
                call(x)
        np.testing.assert_array_equal(b.state, whole.state)
        np.testing.assert_array_equal(b.ncon, whole.ncon)
        assert b.ncon.any()


@pytest.mark.skipif(not JIT, reason="plain Python is interrupted anywhere")
def test_interrupted(monkeypatch):
    """Worlds that had their second half have no first one any more; the others go on."""
    b, whole = moving(lw.models.path("quadruped"), 200, 1), moving(
        lw.models.path("quadruped"), 200, 1
    )  # fmt: skip
    b.step1()
    for worker in b._runner.threads.workers:
        worker.record.set(slice=1)
    interrupt_after(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):
        b.step2()
    made = b.steps_done == 1
    assert 0 < made.sum() < 200
    with pytest.raises(ValueError, match="of world"):
        b.step2()
    b.step2(~made)
    whole.step()
    np.testing.assert_array_equal(b.state, whole.state)


# ---- mistakes


def test_what_was_not_computed_cannot_be_skipped():
    b = moving()
    for call in (b.step2, lambda: b.forward_skip(1), lambda: b.inverse_skip(0.0, 2)):
        with pytest.raises(ValueError, match=r"of world 0 and 10 others .* first"):
            call()
    b.forward(stage=1)
    b.forward_skip(1)
    b.forward_skip(2)
    b.forward(ids=[0, 1, 2, 4], stage=1)
    with pytest.raises(ValueError, match=r"and of world 0 and 3 others .* forward\(stage=2\)"):
        b.forward_skip(2)
    b.forward_skip(2, ids=[3])
    for forget in (b.step, b.reset, lambda: b.rollout(2)):
        b.forward()
        b.forward_skip(2)
        forget()
        with pytest.raises(ValueError, match=r"skipstage=1 .* call forward\(stage=1\) first"):
            b.forward_skip(1)
    b.forward()
    b.step(ids=[2])
    with pytest.raises(ValueError, match="of world 2 they"):
        b.step2()
    b.step2(ids=[0, 1])
    b.step2(ids=[])
    for wrong in (3, -1):
        with pytest.raises(ValueError, match="skipstage must be 0"):
            b.forward_skip(wrong)
    with pytest.raises(TypeError, match="skipstage must be a whole number"):
        b.forward_skip("pos")


def test_worlds_that_cannot_be_run():
    """They fail in both halves, and keep nobody else from going on."""
    b, whole = moving(nsim=3), moving(nsim=3)
    b.expand("opt.solver")[1] = 17
    before = b.state[1].copy()
    for half in (b.step1, b.step2):
        with pytest.raises(SimulationError) as failure:
            half()
        assert failure.value.ids.tolist() == [1]
    whole.step()
    np.testing.assert_array_equal(b.state[[0, 2]], whole.state[[0, 2]])
    np.testing.assert_array_equal(b.state[1], before)


def test_no_discrete_inverse_of_runge_kutta():
    b = moving(nsim=3)
    b.expand("opt.integrator")[1] = mujoco.mjtIntegrator.mjINT_RK4
    b.expand("opt.enableflags")[:] = mujoco.mjtEnableBit.mjENBL_INVDISCRETE
    with pytest.raises(ValueError, match="does not exist for RK4"):
        b.inverse(0.0)
    assert b.inverse(0.0, ids=[0, 2]).shape == (2, b.model.nv)


def test_a_function_of_a_step_may_do_anything():
    """Positions that it had computed anew count from then on; and worlds that it moved or reset."""
    b, other = moving(), moving()

    def control(x):
        x.qpos[:, 0] += 0.1
        x.forward()
        x.reset(ids=[2])
        x.step(ids=[4])

    b.step(nstep=2, control=control)
    for _ in range(2):
        other.step1()
        control(other)
        other.step1(ids=[2, 4])
        other.step2()
    np.testing.assert_array_equal(b.state, other.state)
