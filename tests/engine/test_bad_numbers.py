"""Numbers that are bad, anywhere in what a user sets: counted and reset as in MuJoCo, never silent.

Every field that a user writes, bad numbers of several kinds, all solvers, cones and integrators:
two steps beside MuJoCo's.
"""

import copy
import itertools

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.lanes import JIT
from lanewise.mjconst import WARN_BADCTRL, WARN_BADQACC
from support.parity_contacts import SOLVERS

pytestmark = pytest.mark.skipif(not JIT, reason="too many steps for plain Python")

# a box with an arm on the floor; a slide with a limit, dry friction and a contact; a ball joint
# that nothing touches; a body held by a mocap body
XML = """
<mujoco>
  <option iterations="300" tolerance="1e-13"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body pos="0 0 .09">
      <freejoint/>
      <geom type="box" size=".1 .11 .1"/>
      <body pos=".3 0 0"><joint name="arm" damping=".1"/><geom size=".05"/></body>
    </body>
    <body pos="1 0 .2">
      <joint name="slide" type="slide" axis="0 0 1" range="-.2 .5" frictionloss=".1"/>
      <geom size=".21"/>
    </body>
    <body pos="-1 0 .3"><joint type="ball"/><geom size=".1" pos=".1 .02 0"/></body>
    <body name="hand" mocap="true" pos="-1 .5 .5"/>
    <body name="held" pos="-1 .5 .55"><freejoint/><geom size=".05"/></body>
  </worldbody>
  <equality><connect body1="hand" body2="held" anchor="0 0 .02"/></equality>
  <actuator>
    <general joint="arm" gaintype="affine" gainprm="1 0 2" biastype="affine" biasprm="0 -1 -1"/>
    <general joint="slide" dyntype="filter" dynprm=".1" gainprm="2"/>
    <motor joint="arm" delay=".004" nsample="4"/>
  </actuator>
</mujoco>
"""
PLACES = (
    *(("qpos", 2), ("qpos", 4), ("qpos", 7), ("qpos", 8), ("qvel", 0), ("qvel", 6), ("qvel", 7)),
    *(("act", 0), ("ctrl", 0), ("ctrl", 1), ("ctrl", 2)),
    *(("qfrc_applied", 2), ("qfrc_applied", 6), ("qfrc_applied", 7), ("qfrc_applied", 8)),
    *(("xfrc_applied", (1, 1)), ("xfrc_applied", (2, 5)), ("xfrc_applied", (5, 0))),
    *(("mocap_pos", (0, 1)), ("mocap_quat", (0, 2)), ("time", ...)),
    *(("qacc_warmstart", 2), ("qacc_warmstart", 6), ("qacc_warmstart", 7), ("qacc_warmstart", 9)),
    *(("history", 0), ("history", 3), ("history", 7)),
)
VALUES = (np.nan, np.inf, -np.inf, 1e300, -1e200, 1e160, 1e100)


def compile_model(solver, cone, integrator, text=XML):
    mj_model = mujoco.MjModel.from_xml_string(text)
    mj_model.opt.solver = SOLVERS[solver]
    mj_model.opt.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone.upper()}")
    mj_model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    return mj_model


def spoil(mj_data, field, place, value):
    if field == "time":
        mj_data.time = value
    else:
        getattr(mj_data, field)[place] = value


def step_both(mj_model, m, mj_data, about):
    """Two steps of a world: the same counters and, where MuJoCo's numbers mean something, states"""
    d = lw.put_data(m, mj_data)
    for _ in range(2):
        lw.step(m, d)
        mujoco.mj_step(mj_model, mj_data)
        assert d.warning.number.tolist() == [w.number for w in mj_data.warning], about
        for name in ("qpos", "qvel", "act", "time"):
            actual, expected = (
                np.atleast_1d(getattr(d, name)),
                np.atleast_1d(getattr(mj_data, name)),
            )
            finite = np.isfinite(expected).all() and (abs(mj_data.qvel) < 1e6).all()
            if finite:
                np.testing.assert_allclose(actual, expected, 1e-5, 1e-6, err_msg=f"{about}: {name}")
            elif name != "time" and not np.isfinite(actual).all():
                assert d.warning.number.any(), about
    return d


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast", "discrete"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_bad_numbers_are_mujocos(solver, cone, integrator):
    mj_model = compile_model(solver, cone, integrator)
    start = mujoco.MjData(mj_model)
    mujoco.mj_step(mj_model, start, 2)
    m = lw.load(mj_model)
    # a share of all cases, another one for each combination
    cases = list(itertools.product(PLACES, VALUES))
    number = 5 * (3 * len(solver) + len(cone)) + len(integrator)
    for (field, place), value in cases[number % 5 :: 5]:
        mj_data = copy.copy(start)
        spoil(mj_data, field, place, value)
        step_both(mj_model, m, mj_data, f"{field}[{place}] = {value}")


@pytest.mark.parametrize("integrator", ["implicit", "implicitfast", "discrete"])
def test_slopes_with_a_bad_control_are_mujocos(integrator):
    """No control acts if one is bad, but what is implicit takes its slopes with all of them."""
    motors = """
      <dcmotor joint="slide" motorconst=".5" resistance="1" input="pos" controller="9 1 1 0 0 5"/>
      <general joint="arm" gaintype="affine" gainprm="1 -.5 -.2"/></actuator>"""
    mj_model = compile_model("Newton", "elliptic", integrator, XML.replace("</actuator>", motors))
    start = mujoco.MjData(mj_model)
    mujoco.mj_step(mj_model, start, 2)
    m = lw.load(mj_model)
    for k, value in itertools.product((0, 3, 4), (np.nan, -np.inf, 1e12)):
        mj_data = copy.copy(start)
        mj_data.ctrl[:] = 0.3
        mj_data.ctrl[k] = value
        step_both(mj_model, m, mj_data, f"ctrl[{k}] = {value}")


def test_a_bad_control_is_counted_once():
    """Inverse dynamics, also that of fwdinv, reads controls without judging them."""
    mj_model = compile_model("Newton", "pyramidal", "discrete")
    mj_model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_FWDINV
    mj_data = mujoco.MjData(mj_model)
    mj_data.ctrl[1] = 1e300
    d = step_both(mj_model, lw.load(mj_model), mj_data, "fwdinv")
    assert d.warning[WARN_BADCTRL].number == 2
    lw.inverse(d.model, d)
    assert d.warning[WARN_BADCTRL].number == 2


@pytest.mark.parametrize("interp", ["zoh", "linear", "cubic"])
def test_controls_at_a_time_that_is_not_a_number(interp):
    text = XML.replace('nsample="4"', f'nsample="4" interp="{interp}"')
    mj_model = compile_model("Newton", "pyramidal", "Euler", text)
    mj_data = mujoco.MjData(mj_model)
    mujoco.mj_step(mj_model, mj_data, 3)
    mj_data.time = np.nan
    step_both(mj_model, lw.load(mj_model), mj_data, interp)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1e12, 1e300, 4.0, -1.0, 2.5])
def test_a_cursor_outside_its_buffer(value):
    """MuJoCo would write somewhere else in memory."""
    m = lw.load(XML)
    d = lw.Data(m, lanes=3)
    assert d.history.shape[1] == 2 + 4 + 4
    d.history[1, 1] = value
    lw.step(m, d, 3)
    assert not d.warning.number.any()
    np.testing.assert_array_equal(d.qpos[0], d.qpos[1])
    assert d.history[1, 1] in range(4)


def test_noslip_keeps_what_is_not_a_number():
    mj_model = compile_model("Newton", "pyramidal", "Euler")
    mj_model.opt.noslip_iterations = 2
    start = mujoco.MjData(mj_model)
    mujoco.mj_step(mj_model, start, 2)
    m = lw.load(mj_model)
    for field, value in itertools.product(("qfrc_applied", "qacc_warmstart"), (np.nan, np.inf)):
        mj_data = copy.copy(start)
        spoil(mj_data, field, 2, value)
        d = step_both(mj_model, m, mj_data, f"{field} = {value}")
        assert d.warning[WARN_BADQACC].number == 1


@pytest.mark.parametrize("value", [1e9, 1e16, -1e16, 1e300, np.inf, np.nan])
def test_setpoints_many_turns_away(value):
    """MuJoCo counts turns with an int."""
    joint = '<body pos="2 0 1"><joint name="b" type="ball"/><geom size=".1" pos=".2 0 0"/></body>'
    servo = '<intvelocity joint="b" kp="3" gear=".3 .5 .7" actrange="-9 9" actlimited="false"/>'
    text = XML.replace("</worldbody>", f"{joint}</worldbody>")
    text = text.replace("</actuator>", f"{servo}</actuator>")
    mj_model = compile_model("Newton", "pyramidal", "Euler", text)
    mj_data = mujoco.MjData(mj_model)
    mj_data.act[1] = value
    step_both(mj_model, lw.load(mj_model), mj_data, value)
