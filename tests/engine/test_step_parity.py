"""Whole steps against MuJoCo: one step from every state of a MuJoCo trajectory.

Each state is MuJoCo's own, so differences do not add up. Every integrator runs on every model,
since models as authored leave most combinations untested.
"""

import copy
import os

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import generator, parity, zoo

SEEDS = int(os.environ.get("LANEWISE_SEEDS", "100")) // 4
INTEGRATORS = {name: k for k, name in enumerate(generator.INTEGRATORS)}

MODELS = [name for name in zoo.ZOO if name.startswith("own/")]
MODELS += [
    name
    for name in zoo.ZOO
    if name.startswith(("dm_control/suite/", "gymnasium/", "public/")) and "/scene" not in name
]


def check(mj_model, label: str, seed: int = 0, number: int = 8) -> None:
    parity.settle_round_off(mj_model)
    rng = np.random.default_rng([seed, 11])
    start = parity.random_state(mj_model, rng, scale=0.5)
    states = parity.trajectory(mj_model, start, rng, nstep=5 * number, every=5)
    if not states:
        pytest.skip("MuJoCo's own simulation blows up from the start")
    worst = parity.compare_step(mj_model, states, label)
    lines = parity.failures(worst)
    assert not lines, f"{label} differs from MuJoCo\n  " + "\n  ".join(lines)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", MODELS)
def test_zoo(name, integrator):
    mj_model = zoo.load(name)
    mj_model.opt.integrator = INTEGRATORS[integrator]
    mj_model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    check(mj_model, f"{name}, {integrator}")


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_model(seed, integrator):
    text = generator.generate(seed, integrator=integrator)
    check(mujoco.MjModel.from_xml_string(text), f"seed {seed}, {integrator}", seed)


@pytest.mark.parametrize("seed", range(SEEDS // 2))
def test_metric_of_the_discrete_integrator(seed):
    """What it adds to the inertia matrix is in MjData under the same names."""
    mj_model = mujoco.MjModel.from_xml_string(generator.generate(seed, integrator="discrete"))
    parity.settle_round_off(mj_model)
    m = lw.load(mj_model)
    mj_data = parity.random_state(mj_model, np.random.default_rng(seed))
    d = lw.put_data(m, mj_data)
    lw.forward(m, d)
    mujoco.mj_forward(mj_model, mj_data)
    for name in ("efm_c", "efm_ca", "efm_ck", "efm_diag", "efm_sdiag", "efm_fluid"):
        expected = getattr(mj_data, name)
        assert parity.residual(getattr(d, name), expected, True) <= parity.TOLERANCE, name


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_step_is_step1_then_step2(integrator):
    """Split in two, with controls set in between; RK4 cannot be split and takes an Euler step."""
    mj_model = zoo.load("own/crooked")
    mj_model.opt.integrator = INTEGRATORS[integrator]
    m = lw.load(mj_model)
    rng = np.random.default_rng(3)
    mj_datas = [parity.random_state(mj_model, rng) for _ in range(4)]
    d = lw.put_data(m, mj_datas)
    lw.step1(m, d)
    controls = rng.normal(size=(4, mj_model.nu))
    d.ctrl = controls
    lw.step2(m, d)
    for lane, mj_data in enumerate(mj_datas):
        mj_data = copy.copy(mj_data)
        mujoco.mj_step1(mj_model, mj_data)
        mj_data.ctrl[:] = controls[lane]
        mujoco.mj_step2(mj_model, mj_data)
        for name in ("qpos", "qvel", "act", "time", "qacc", "qacc_warmstart"):
            expected = np.asarray(getattr(mj_data, name))
            actual = np.asarray(getattr(d, name))[lane]
            assert parity.residual(actual, expected, True) <= parity.TOLERANCE, (integrator, name)


def test_forward_changes_no_state():
    """mj_forward leaves the state alone, warm start and unnormalized quaternions included."""
    mj_model = zoo.load("own/crooked")
    m = lw.load(mj_model)
    d = lw.put_data(m, parity.random_state(mj_model, np.random.default_rng(4)))
    d.qpos[3:7] *= 2.5
    before = d.state_lanes.copy()
    lw.forward(m, d)
    np.testing.assert_array_equal(d.state_lanes, before)


def test_long_rollout_stays_with_mujoco():
    """Two thousand steps: our drift from MuJoCo is no more than MuJoCo's from a nudged self."""
    mj_model = zoo.load("own/walker")
    m = lw.load(mj_model)
    rng = np.random.default_rng(8)
    start = mujoco.MjData(mj_model)
    start.qvel[:] = rng.normal(0, 0.3, mj_model.nv)
    nudged = copy.copy(start)
    nudged.qpos[:3] += 1e-13
    mj_data = copy.copy(start)
    d = lw.put_data(m, start)
    ours = theirs = 0.0
    for step in range(2000):
        control = np.sin(0.01 * step + np.arange(mj_model.nu))
        for data in (mj_data, nudged, d):
            data.ctrl[:] = control
        mujoco.mj_step(mj_model, mj_data)
        mujoco.mj_step(mj_model, nudged)
        lw.step(m, d)
        ours = max(ours, np.abs(d.qpos - mj_data.qpos).max())
        theirs = max(theirs, np.abs(nudged.qpos - mj_data.qpos).max())
    assert ours <= 10 * theirs + 1e-9
