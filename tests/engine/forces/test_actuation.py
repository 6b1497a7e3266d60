"""Transmission, activation and force of actuators against MuJoCo, stage by stage.

The models in tests/models/actuation_*.xml have, together, every transmission, dynamics, gain and
bias. Each lane holds another state, some with controls and activations far out of range; outputs
are poisoned first.
"""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.engine.forces.actuation import advance_activation, fwd_actuation
from lanewise.engine.forces.history import record_history
from lanewise.engine.smooth.reflected import joint_reflected, tendon_reflected
from lanewise.engine.smooth.transmission import actuator_velocity, transmission
from lanewise.loaders.structure_actuation import unpacked_moment
from lanewise.mjconst import WARN_BADCTRL
from support.places import MODELS as FOLDER

MODELS = sorted(path.stem for path in FOLDER.glob("actuation_*.xml"))
TOLERANCE = 1e-10
KERNELS = {
    k.__name__: k for k in (transmission, actuator_velocity, fwd_actuation, advance_activation)
}


def load(name, variant="authored"):
    """A model as authored, or with limits, early activation and disabled groups drawn at random."""
    m = lw.load(FOLDER / f"{name}.xml")
    if variant == "scrambled":
        rng = np.random.default_rng(11)
        mj, n = m.mj, m.nactuator
        mj.actuator_actearly[:] = rng.integers(0, 2, n)
        mj.actuator_actlimited[:] = rng.integers(0, 2, n)
        mj.actuator_actrange[:] = (-0.5, 0.7)
        mj.actuator_forcelimited[:] = rng.integers(0, 2, n)
        mj.actuator_forcerange[:] = (-0.7, 0.6)
        mj.actuator_group[:] = rng.integers(0, 3, n)
        mj.opt.disableactuator = 1 << 1
        mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL
    return m


def worlds(mj, seed, n=8):
    """n MjDatas in different states, complete."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        data = mujoco.MjData(mj)
        mujoco.mj_integratePos(mj, data.qpos, rng.normal(0, 2, mj.nv), 1.0)
        data.qvel[:] = rng.normal(size=mj.nv) * rng.choice([0, 0.1, 1, 3])
        data.act[:] = rng.normal(size=mj.na) * rng.choice([0, 0.3, 1, 5])
        for _ in range(rng.integers(3, 9) if mj.nhistory else 0):
            data.ctrl[:] = rng.normal(size=mj.nu)
            mujoco.mj_step(mj, data)
        data.ctrl[:] = rng.normal(size=mj.nu) * rng.choice([0, 0.3, 1, 6])
        mujoco.mj_forward(mj, data)
        out.append(data)
    return out


def put(m, references, *poisoned):
    d = lw.put_data(m, references)
    for lane, reference in enumerate(references):
        d.arrays["trn_J"][:, lane] = unpacked_moment(m.mj, reference, m.arrays)
    for name in poisoned:
        d.arrays[name][...] = np.nan
    return d


def run(name, m, d):
    """A stage by its public name, or its kernel as plain Python if it is not a public stage."""
    if hasattr(lw, name):
        getattr(lw, name)(m, d)
    else:
        with np.errstate(all="ignore"):
            KERNELS[name](m.struct, d.struct)


def dense(m, rownnz, rowadr, colind, moment):
    """The moment arms as a matrix."""
    out = np.zeros((m.nout, m.nv))
    for row, nnz, adr in zip(out, rownnz.astype(int), rowadr.astype(int)):
        row[colind[adr : adr + nnz].astype(int)] = moment[adr : adr + nnz]
    return out


def check(actual, expected, what):
    error = np.abs(np.asarray(actual) - expected) / np.maximum(1, np.abs(expected))
    assert np.all(error <= TOLERANCE), f"{what}: {np.flatnonzero(~(error <= TOLERANCE))}"


@pytest.mark.parametrize("name", MODELS)
def test_transmission(name):
    m = load(name)
    references = worlds(m.mj, 1)
    packed = ("moment_rownnz", "moment_rowadr", "moment_colind", "actuator_moment")
    d = put(m, references, "actuator_length", "trn_J", *packed)
    run("transmission", m, d)
    for lane, reference in enumerate(references):
        check(d.view("actuator_length")[lane], reference.actuator_length, "length")
        check(d.view("trn_J")[lane], unpacked_moment(m.mj, reference, m.arrays), "moment")
        ours = dense(m, *(d.view(field)[lane] for field in packed))
        check(ours, dense(m, *(getattr(reference, field) for field in packed)), "dense moment")
        if "slidercrank" not in name:  # there MuJoCo keeps arms that are zero but for round-off
            nnz = int(reference.moment_rownnz.sum())
            for field in packed:
                size = nnz if field in ("moment_colind", "actuator_moment") else m.nout
                check(d.view(field)[lane][:size], getattr(reference, field)[:size], field)


@pytest.mark.parametrize("variant", ["authored", "scrambled"])
@pytest.mark.parametrize("name", MODELS)
def test_force_and_rate(name, variant):
    m = load(name, variant)
    for seed in (2, 3):
        references = worlds(m.mj, seed)
        names = ("actuator_velocity", "act_dot", "actuator_force", "qfrc_actuator")
        d = put(m, references, *names)
        run("actuator_velocity", m, d)
        run("fwd_actuation", m, d)
        for lane, reference in enumerate(references):
            for field in names:
                check(d.view(field)[lane], getattr(reference, field), field)


@pytest.mark.parametrize("variant", ["authored", "scrambled"])
@pytest.mark.parametrize("name", MODELS)
def test_advance(name, variant):
    """Activations and control history after a step."""
    m = load(name, variant)
    references = worlds(m.mj, 4)
    d = put(m, references)
    ms, ds = m.struct, d.struct
    with np.errstate(all="ignore"):
        record_history(ms, ds)
        advance_activation(ms, ds, ds.act_dot)
    samples = m.actuator_history[:, 0] * (1 + m.actuator_ctrlnum)
    recorded = [np.arange(adr, adr + 2 + n) for adr, n in zip(m.actuator_historyadr, samples) if n]
    for lane, reference in enumerate(references):
        mujoco.mj_Euler(m.mj, reference)
        check(d.view("act")[lane], reference.act, "act")
        for slots in recorded:
            check(d.view("history")[lane][slots], reference.history[slots], "history")


@pytest.mark.parametrize("at", [-0.123, 0.0, 0.031, 0.04, 0.0477, 0.2])
def test_history_at_any_time(at):
    """A clock that was set back: samples go to their place in time, or replace one."""
    m = load("actuation_delay")
    references = worlds(m.mj, 6)
    for reference in references[::2]:
        reference.time = at
        mujoco.mj_forward(m.mj, reference)
    d = put(m, references, "actuator_force")
    run("fwd_actuation", m, d)
    with np.errstate(all="ignore"):
        record_history(m.struct, d.struct)
    used = m.actuator_historyadr.max() + 2 + 3 * 2
    for lane, reference in enumerate(references):
        check(d.view("actuator_force")[lane], reference.actuator_force, "force")
        mujoco.mj_Euler(m.mj, reference)
        check(d.view("history")[lane][:used], reference.history[:used], "history")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -2e10])
def test_bad_control(bad):
    """All controls of that world count as zero, with a warning; other worlds are not touched."""
    m = load("actuation_joint")
    references = worlds(m.mj, 7)
    references[5].ctrl[[3, 4]] = bad
    mujoco.mj_forward(m.mj, references[5])
    d = put(m, references, "act_dot", "actuator_force", "qfrc_actuator")
    d.arrays["warning.number"][:] = 0  # MuJoCo's, which came along
    run("fwd_actuation", m, d)
    assert d.arrays["warning.number"][WARN_BADCTRL].tolist() == [0, 0, 0, 0, 0, 1, 0, 0]
    assert (
        d.arrays["warning.lastinfo"][WARN_BADCTRL, 5]
        == references[5].warning[WARN_BADCTRL].lastinfo
    )
    for lane, reference in enumerate(references):
        for field in ("act_dot", "actuator_force", "qfrc_actuator"):
            check(d.view(field)[lane], getattr(reference, field), field)


def test_actuation_disabled():
    """No force, no velocity, no gravity compensation through actuators; act_dot stays as it was."""
    m = load("actuation_joint")
    references = worlds(m.mj, 8)
    m.mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    for reference in references:
        mujoco.mj_forward(m.mj, reference)
    d = put(m, references, "actuator_velocity", "actuator_force", "qfrc_actuator")
    run("actuator_velocity", m, d)
    run("fwd_actuation", m, d)
    with np.errstate(all="ignore"):
        advance_activation(m.struct, d.struct, d.struct.act_dot)
    for lane, reference in enumerate(references):
        fields = ("actuator_velocity", "actuator_force", "qfrc_actuator", "act_dot", "act")
        for field in fields:
            check(d.view(field)[lane], getattr(reference, field), field)


def test_reflected_damping_and_armature():
    """M and the damper force, with and without actuators, differ by what these reflect."""
    m = load("actuation_tendon")
    mj = m.mj
    reference = worlds(mj, 9, n=1)[0]
    with_actuators = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(mj, reference, with_actuators)
    damper = reference.qfrc_damper.copy()
    ms = m.struct
    which = range(4)
    joints = np.array([[joint_reflected(ms, j, k)[0] for k in which] for j in range(m.njnt)])
    tendons = np.array([[tendon_reflected(ms, t, k)[0] for k in which] for t in range(m.ntendon)])

    mj.actuator_armature[:] = 0
    mj.actuator_damping[:] = 0
    mj.actuator_dampingpoly[:] = 0
    mujoco.mj_forward(mj, reference)
    bare = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(mj, reference, bare)
    J = np.zeros((m.ntendon, m.nv))
    for t, row in enumerate(J):
        columns = slice(m.ten_J_rowadr[t], m.ten_J_rowadr[t] + m.ten_J_rownnz[t])
        row[m.ten_J_colind[columns]] = reference.ten_J[columns]
    check(with_actuators - bare, np.diag(joints[:, 0]) + J.T * tendons[:, 0] @ J, "M")

    def force(c, v):
        return -(c[:, 1] * v + c[:, 2] * v * np.abs(v) + c[:, 3] * v**3)

    ours = force(joints, reference.qvel) + J.T @ force(tendons, reference.ten_velocity)
    check(damper - reference.qfrc_damper, ours, "damper")
