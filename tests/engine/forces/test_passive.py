"""Springs, dampers, gravity compensation, fluid forces and yielding against MuJoCo.

Eight different states lie in the lanes; outputs are poisoned first.
"""

import copy

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.engine.forces.passive import advance_plastic
from support import parity
from support.places import MODELS as FOLDER
from support.states import random_state

MODELS = [
    *sorted(path.stem for path in FOLDER.glob("passive_*.xml")),
    *sorted(path.stem for path in FOLDER.glob("fluid_*.xml")),
    "tendon_wrap", "tendon_pulley", "tendon_armature", "tendons", "swimmer",
]  # fmt: skip
FIELDS = (
    "qfrc_spring", "qfrc_damper", "qfrc_gravcomp", "qfrc_fluid", "qfrc_adhesion", "qfrc_passive",
)  # fmt: skip
FLAGS = {
    "all": (),
    "no springs": ("SPRING",),
    "no dampers": ("DAMPER",),
    "neither": ("SPRING", "DAMPER"),
    "no gravity": ("GRAVITY",),
}


def load(name, flags=()):
    mj = mujoco.MjModel.from_xml_path(str(FOLDER / f"{name}.xml"))
    for flag in ("CONSTRAINT", *flags):
        mj.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")
    return mj


def worlds(mj, seed, n=8):
    """n MjDatas in different states, complete; some at rest."""
    rng = np.random.default_rng(seed)
    datas = [random_state(mj, rng, rng.choice([0.1, 0.5, 1.0, 2.0])) for _ in range(n)]
    datas[0].qvel[:] = 0
    for data in datas:
        mujoco.mj_forward(mj, data)
    return datas


def assert_fields(d, datas, names):
    for name in names:
        for lane, data in enumerate(datas):
            expected = getattr(data, name)
            actual = d.arrays[name][..., lane].reshape(expected.shape)
            error = parity.residual(actual, expected, np.ones(expected.shape, bool))
            assert error <= parity.TOLERANCE, f"{name} in lane {lane}: {error:.2g}"


def compare(mj, seed):
    datas = worlds(mj, seed)
    m = lw.load(mj)
    d = lw.put_data(m, datas)
    for name in FIELDS:
        d.arrays[name][...] = np.nan
    lw.passive(m, d)
    assert_fields(d, datas, FIELDS)
    return datas


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("name", MODELS)
def test_passive_forces(name, flags):
    for seed in range(2):
        compare(load(name, FLAGS[flags]), seed)


@pytest.mark.parametrize(
    "medium",
    [
        {"density": 0.0, "viscosity": 0.4},
        {"density": 3.0, "viscosity": 0.0},
        {"density": 0.0, "viscosity": 0.0},
        {"density": 1000.0, "viscosity": 0.001, "wind": (3.0, -2.0, 1.0)},
    ],
)
@pytest.mark.parametrize("name", ["fluid_box", "fluid_ellipsoid"])
def test_media(name, medium):
    mj = load(name)
    for field, value in medium.items():
        setattr(mj.opt, field, value)
    datas = compare(mj, 3)
    assert any(data.qfrc_fluid.any() for data in datas) == any(map(np.any, medium.values()))


def test_massless_bodies_and_no_gravity():
    """A body without mass feels no fluid; without gravity there is nothing to compensate."""
    mj = load("fluid_box")
    mj.body_mass[2] = 0.0
    compare(mj, 4)
    mj = load("passive_gravcomp")
    mj.opt.gravity[:] = 0
    assert not any(data.qfrc_gravcomp.any() for data in compare(mj, 5))


@pytest.mark.parametrize("flags", [(), ("SPRING",)])
@pytest.mark.parametrize("name", ["passive_springs", "passive_yield", "tendons"])
def test_yielding(name, flags):
    """The plastic state after a step, from MuJoCo's own new positions."""
    mj = load(name, flags)
    for seed in range(3):
        datas = worlds(mj, seed)
        after = [copy.copy(data) for data in datas]
        d = lw.put_data(m := lw.load(mj), datas)
        for lane, data in enumerate(after):
            mujoco.mj_step(mj, data)
            d.arrays["qpos"][:, lane], d.arrays["qvel"][:, lane] = data.qpos, data.qvel
        advance_plastic(m.struct, d.struct, d.struct.qvel)
        assert_fields(d, after, ["plastic"])
        pairs = zip(datas, after, strict=True)
        moved = [not np.array_equal(a.plastic, b.plastic) for a, b in pairs]
        assert any(moved) == (not flags)


@pytest.mark.parametrize("threshold", [0.0, -1.0])
def test_yielding_without_threshold(threshold):
    """A threshold set to zero at run time lets the reference follow; a negative one is zero too."""
    mj = load("passive_springs")
    mj.jnt_springyield[mj.jnt_plasticadr >= 0] = threshold
    mj.tendon_springyield[mj.tendon_plasticadr >= 0] = threshold
    datas = worlds(mj, 6)
    after = [copy.copy(data) for data in datas]
    d = lw.put_data(m := lw.load(mj), datas)
    for lane, data in enumerate(after):
        mujoco.mj_step(mj, data)
        d.arrays["qpos"][:, lane], d.arrays["qvel"][:, lane] = data.qpos, data.qvel
    advance_plastic(m.struct, d.struct, d.struct.qvel)
    assert_fields(d, after, ["plastic"])


@pytest.mark.parametrize("integrator", ["EULER", "RK4", "IMPLICIT", "IMPLICITFAST", "DISCRETE"])
def test_yielding_in_steps(integrator):
    """Every integrator moves the plastic state as MuJoCo's does."""
    mj = load("passive_yield")
    mj.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    datas = worlds(mj, 7)
    m = lw.load(mj)
    d = lw.put_data(m, datas)
    for _ in range(5):
        lw.step(m, d)
        for data in datas:
            mujoco.mj_step(mj, data)
    assert_fields(d, datas, ["plastic", "qpos"])
