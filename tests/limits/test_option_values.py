"""Options: what has a meaning runs as in MuJoCo, the rest is refused by name."""

import copy

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.limits.choices import CHOICES

BOX = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .29"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
    <body pos="1 0 1"><joint damping=".1" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body>
  </worldbody>
</mujoco>
"""

WRONG = [
    ("integrator", 17), ("integrator", -1), ("solver", 9), ("cone", 2), ("jacobian", 3),
    *((name, value) for value in (np.nan, np.inf, -np.inf) for name in (
        "timestep", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance",
        "density", "viscosity", "o_margin", "sleep_tolerance",
    )),
]  # fmt: skip


@pytest.fixture
def m():
    return lw.load(BOX)


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_options_without_meaning(m, name, value):
    before = getattr(m.opt, name)
    with pytest.raises(ValueError, match=rf"opt\.{name} is {value}; it must be"):
        setattr(m.opt, name, value)
    assert getattr(m.opt, name) == before
    # past the Model: at load, for one world of a batch, and when a Data is made
    mj = copy.copy(m.mj)
    setattr(mj.opt, name, value)
    with pytest.raises(lw.ModelError, match=rf"opt\.{name} is {value}"):
        lw.load(mj)
    with pytest.raises(lw.ModelError, match=rf"opt\.{name} is {value}"):
        lw.Batch(m, 3, 1).set_models([m, mj, m])
    b = lw.Batch(m, 3, 1)
    b.expand(f"opt.{name}")[1] = value
    with pytest.raises(lw.SimulationError, match=rf"opt\.{name} is {value}"):
        b.step()
    assert b.time[0] > 0 and b.time[1] == 0
    setattr(m.mj.opt, name, value)
    with pytest.raises(ValueError, match=rf"opt\.{name} is {value}"):
        lw.Data(m)


def test_errors_name_the_choices(m):
    with pytest.raises(ValueError, match=r"0 \(Euler\), 1 \(RK4\), 2 \(implicit\), 3 \(impl"):
        m.opt.integrator = 17
    with pytest.raises(ValueError, match="must be one of PGS, CG, Newton, got 'Newtonn'"):
        m.opt.solver = "Newtonn"
    with pytest.raises(TypeError, match="opt.timestep must be a number, got None"):
        m.opt.timestep = None
    with pytest.raises(TypeError, match="opt.iterations must be a whole number, got 2.5"):
        m.opt.iterations = 2.5
    with pytest.raises(ValueError, match="opt.iterations must be a whole number of 32 bits"):
        m.opt.iterations = 2**40
    with pytest.raises(ValueError, match="opt.gravity is .*; it must be finite"):
        m.opt.gravity = [0, 0, np.nan]
    with pytest.raises(AttributeError, match="no option 'timestp' .did you mean 'timestep'"):
        m.opt.timestp = 0.1


def test_choices_by_word(m):
    for name, words in CHOICES.items():
        for number, word in words.items():
            setattr(m.opt, name, word)
            assert getattr(m.opt, name) == number
            setattr(m.opt, name, number)
            assert getattr(m.mj.opt, name) == number
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    assert m.opt.integrator == 1


@pytest.mark.parametrize("bit", ["SLEEP", "IPC", "SPECULATIVE"])
def test_features_that_are_not_built(m, bit):
    flag = int(getattr(mujoco.mjtEnableBit, f"mjENBL_{bit}"))
    with pytest.raises(lw.UnsupportedFeature, match=f"enable flag {bit.lower()}"):
        m.opt.enableflags |= flag
    assert m.opt.enableflags == 0
    m.mj.opt.enableflags = flag
    with pytest.raises(lw.UnsupportedFeature, match=f"enable flag {bit.lower()}"):
        lw.Data(m)


@pytest.mark.parametrize("integrator", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("timestep", [0.0, -0.01])
def test_time_steps_of_zero_and_less(m, timestep, integrator):
    compare(m, {"timestep": timestep, "integrator": integrator})


@pytest.mark.parametrize(
    "options",
    [
        {"iterations": 0}, {"iterations": -3}, {"tolerance": 0.0}, {"tolerance": -1.0},
        {"impratio": 0.0}, {"impratio": -1.0}, {"impratio": 0.0, "cone": 1},
        {"density": -0.1}, {"viscosity": -0.1}, {"noslip_iterations": -3},
        {"ccd_iterations": 0}, {"disableflags": -1}, {"disableflags": 1 << 25},
        {"enableflags": 1 << 25}, {"disableactuator": -1},
    ],
)  # fmt: skip
def test_edges_that_have_a_meaning(m, options):
    compare(m, options)


def compare(m, options):
    """A few steps beside MuJoCo."""
    for name, value in options.items():
        setattr(m.opt, name, value)
    d, mj_data = lw.Data(m), mujoco.MjData(m.mj)
    for _ in range(3):
        lw.step(m, d)
        mujoco.mj_step(m.mj, mj_data)
    for name in ("time", "qpos", "qvel"):
        actual, expected = getattr(d, name), getattr(mj_data, name)
        np.testing.assert_allclose(actual, expected, rtol=1e-8, atol=1e-10, err_msg=str(options))
    np.testing.assert_array_equal(d.warning.number, [w.number for w in mj_data.warning])


def test_gravity_that_is_no_number(m):
    """As in MuJoCo: the world is reset and counted."""
    m.opt.gravity[0] = np.nan
    d, mj_data = lw.Data(m), mujoco.MjData(m.mj)
    for _ in range(2):
        lw.step(m, d)
        mujoco.mj_step(m.mj, mj_data)
    np.testing.assert_array_equal(d.warning.number, [w.number for w in mj_data.warning])
    assert d.time == mj_data.time
