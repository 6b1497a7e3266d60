"""User code on every occasion, against MuJoCo's callbacks: integrators, gangs, threads, halves."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.lanes import JIT
from support.user_kernels import INTEGRATORS, KERNELS, arm, kernels, reference, start

ALL = tuple(KERNELS)
NSTEP = 25 if JIT else 3
READ = ("qpos", "qvel", "act", "ctrl", "userdata", "qfrc_applied", "sensordata", "act_dot")
READ += ("qfrc_passive", "actuator_force", "qacc", "ncon", "time")


def one_world(xml, code, world=0):
    m = lw.load(xml, **code)
    d = lw.Data(m)
    d.qpos, d.qvel, d.act = start(m.nq, m.nv, m.na, world)
    return m, d


def assert_same(actual, expected, names=READ, atol=1e-9):
    for name in names:
        found, wanted = getattr(actual, name), getattr(expected, name)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=atol, err_msg=name)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_all_occasions(integrator):
    xml = arm(integrator)
    m, d = one_world(xml, kernels(*ALL))
    lw.step(m, d, NSTEP)
    expected = reference(xml, ALL, NSTEP)
    assert_same(d, expected)
    calls = 4 if integrator == "RK4" else 1  # stages of Runge-Kutta call it too
    assert d.userdata[0] == calls * NSTEP


@pytest.mark.parametrize("name", ALL)
def test_each_occasion_alone(name):
    xml = arm()
    m, d = one_world(xml, kernels(name))
    lw.step(m, d, 3)
    expected = reference(xml, (name,), 3)
    assert_same(d, expected)
    without = reference(xml, (), 3)
    seen = "sensordata" if name == "sensor" else "qpos"
    if name != "contact_filter":
        assert not np.array_equal(getattr(expected, seen), getattr(without, seen))


def test_contact_filter_world_by_world():
    m, d = one_world(arm(), kernels("contact_filter"), world=1)
    lw.forward(m, d)
    assert d.ncon == reference(arm(), ("contact_filter",), 1, 1, mujoco.mj_forward).ncon
    assert d.ncon < reference(arm(), (), 1, 1, mujoco.mj_forward).ncon


@pytest.mark.parametrize(
    "flags",
    [
        'actuation="disable"', 'spring="disable"', 'damper="disable"',
        'spring="disable" damper="disable"', 'sensor="disable"', 'contact="disable"',
    ],
)  # fmt: skip
def test_switches(flags):
    xml = arm(flags=flags)
    m, d = one_world(xml, kernels(*ALL))
    lw.step(m, d, 3)
    assert_same(d, reference(xml, ALL, 3))


def test_disabled_group():
    xml = arm(option=' actuatorgroupdisable="2"').replace('name="law"', 'name="law" group="2"')
    m, d = one_world(xml, kernels(*ALL))
    lw.step(m, d, 3)
    assert_same(d, reference(xml, ALL, 3))


def _halves(m, d):
    mujoco.mj_step1(m, d)
    d.ctrl[2] = d.qpos[0]
    mujoco.mj_step2(m, d)


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit"])
def test_halves(integrator):
    xml = arm(integrator)
    m, d = one_world(xml, kernels(*ALL))
    for _ in range(5):
        lw.step1(m, d)
        d.ctrl[2] = d.qpos[0]
        lw.step2(m, d)
    assert_same(d, reference(xml, ALL, 5, run=_halves))


@pytest.mark.parametrize("skipstage", [0, 1, 2])
@pytest.mark.parametrize("skipsensor", [False, True])
def test_forward_skip(skipstage, skipsensor):
    m, d = one_world(arm(), kernels(*ALL))

    def twice(mj, data):
        mujoco.mj_forward(mj, data)
        data.qvel[0] += 0.1
        mujoco.mj_forwardSkip(mj, data, skipstage, skipsensor)

    lw.forward(m, d)
    d.qvel[0] += 0.1
    lw.forward_skip(m, d, skipstage, skipsensor)
    expected = reference(arm(), ALL, 1, run=twice)
    assert_same(d, expected)
    assert d.userdata[0] == 2.0


@pytest.mark.parametrize("integrator", ["Euler", "discrete"])
def test_inverse(integrator):
    xml = arm(integrator)
    m, d = one_world(xml, kernels(*ALL))
    qacc = np.linspace(-1.0, 1.0, m.nv)

    def inverse(mj, data):
        data.qacc[:] = qacc
        mujoco.mj_inverse(mj, data)

    d.qacc = qacc
    lw.inverse(m, d)
    expected = reference(xml, ALL, 1, run=inverse)
    assert_same(d, expected, ("qfrc_inverse", "qfrc_passive", "sensordata", "ctrl", "userdata"))
    b = lw.Batch(m, 2)
    b.qpos[:], b.qvel[:], b.act[:] = start(m.nq, m.nv, m.na)
    np.testing.assert_allclose(b.inverse(qacc)[1], expected.qfrc_inverse, rtol=1e-9, atol=1e-9)
    assert not b.userdata.any()


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_gang(integrator):
    xml = arm(integrator)
    m = lw.load(xml, **kernels(*ALL))
    d = lw.Data(m, 3)
    for w in range(3):
        d.qpos[w], d.qvel[w], d.act[w] = start(m.nq, m.nv, m.na, w)
    lw.step(m, d, NSTEP)
    for w in range(3):
        expected = reference(xml, ALL, NSTEP, w)
        for name in READ:
            wanted = getattr(expected, name)
            np.testing.assert_allclose(getattr(d, name)[w], wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("nthread", [1, 2])
def test_batch(nthread):
    """A left-over world, threads, a forward and a rollout: what user code wrote is stored."""
    xml = arm()
    m = lw.load(xml, **kernels(*ALL))
    b = lw.Batch(m, 17, nthread=nthread)

    def restart():
        b.reset(stage=0)
        for w in range(17):
            b.qpos[w], b.qvel[w], b.act[w] = start(m.nq, m.nv, m.na, w)

    restart()
    sensordata = b.sensordata
    assert not b.userdata.any()  # to look at an output leaves no trace
    b.step(nstep=NSTEP)
    state = b.state.copy()
    for w in (0, 9, 16):
        expected = reference(xml, ALL, NSTEP, w)
        for name in ("qpos", "act", "ctrl", "userdata", "qfrc_applied"):
            wanted = getattr(expected, name)
            np.testing.assert_allclose(getattr(b, name)[w], wanted, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(sensordata[w], expected.sensordata, rtol=1e-9, atol=1e-9)
    b.forward()
    assert (b.userdata[:, 0] == NSTEP + 1).all()
    restart()
    recorded = b.rollout(NSTEP, record=("qpos", "ctrl", "userdata"))
    assert np.array_equal(b.state, state)
    assert np.array_equal(
        recorded["userdata"][:, :, 0], np.tile(np.arange(1.0, NSTEP + 1), (17, 1))
    )
    assert np.array_equal(recorded["ctrl"][:, -1], b.ctrl)


def test_per_world_models():
    """Where model fields are lanes, kernels are compiled for lanes."""
    m = lw.load(arm(), **kernels(*ALL))
    b = lw.Batch(m, 3)
    b.expand("body_mass")[2] *= 1.5
    for w in range(3):
        b.qpos[w], b.qvel[w], b.act[w] = start(m.nq, m.nv, m.na, 0)
    b.step(nstep=5)
    expected = reference(arm(), ALL, 5)
    np.testing.assert_allclose(b.qpos[:2], np.tile(expected.qpos, (2, 1)), rtol=1e-9, atol=1e-9)
    assert not np.allclose(b.qpos[2], b.qpos[0], atol=1e-6)
