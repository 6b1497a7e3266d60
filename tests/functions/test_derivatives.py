"""transition_fd and inverse_fd beside MuJoCo's, on models of every kind."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import slopes, zoo
from support.generator import generate
from support.places import SHARED
from support.states import random_state

EULER, RK4, IMPLICIT, IMPLICITFAST, DISCRETE = range(5)
# MuJoCo's own mjd_transitionFD writes beyond its memory where springs can yield (nplastic), and
# refuses delays; forces of orientation servos that end exactly at their limit are a matter of bits
SPECIAL = ("own/actuation_delay", "own/actuation_orientation")
SMOOTH = {"delay": False, "plastic": False, "orientation": False, "extras": True}
OWN = sorted(n for n in zoo.ZOO if n.startswith("own/") and n not in SPECIAL)


def settled(mj, seed=1, scale=0.3):
    """A state that the solver starts from well, and its acceleration."""
    data = random_state(mj, np.random.default_rng(seed), scale, odd=False)
    mujoco.mj_forward(mj, data)
    data.qacc_warmstart[:] = data.qacc
    return slopes.state_of(mj, data), data.qacc.copy()


def compare(mj, state, qacc, tolerance=1e-6):
    """Both functions, both ways, in the state."""
    m = lw.load(mj)
    d = lw.Data(m)
    lw.set_state(m, d, state)
    for centered in (False, True):
        got = lw.transition_fd(m, d, 1e-6, centered)
        for name, one, other in zip(
            "ABCD", got, slopes.transition(mj, state, 1e-6, centered), strict=True
        ):
            assert one.shape == other.shape
            assert slopes.difference(one, other) < tolerance, f"{name}, centered={centered}"
    np.testing.assert_array_equal(lw.get_state(m, d), state)
    if mj.opt.noslip_iterations:
        return
    for actuation in (False, True):
        d.qacc = qacc
        got = lw.inverse_fd(m, d, 1e-6, actuation)
        wanted = slopes.inverse(mj, state, qacc, 1e-6, actuation)
        for k, (one, other) in enumerate(zip(got, wanted, strict=True)):
            assert one.shape == other.shape
            assert slopes.difference(one, other) < tolerance, f"inverse {k}, {actuation}"


@pytest.mark.parametrize("name", OWN)
def test_own_models_with_all_integrators(name):
    mj = zoo.ZOO[name]()
    if mj.nplastic or mj.nflex:
        pytest.skip("MuJoCo's own mjd_transitionFD goes wrong here, or the model is refused")
    # degenerate contacts of chains and pairs: what a difference of 1e-6 makes of round-off
    tolerance = 1e-5 if name.startswith("own/contacts") else 1e-6
    for integrator in (EULER, IMPLICIT, IMPLICITFAST, DISCRETE):
        if (name, integrator) == ("own/actuation_dcmotor", DISCRETE):
            continue  # mj_inverse takes saturated motors for free ones there
        mj.opt.integrator = integrator
        compare(mj, *settled(mj), tolerance)


@pytest.mark.parametrize("seed", range(12))
def test_random_models(seed):
    mj = mujoco.MjModel.from_xml_string(generate(seed, **SMOOTH))
    if mj.opt.integrator == RK4:
        mj.opt.integrator = IMPLICITFAST
    kinds = set(mj.sensor_type.tolist())
    if int(mujoco.mjtSensor.mjSENS_E_KINETIC) in kinds or mj.nhistory:
        pytest.skip("sensors of kinetic energy show an earlier state in MuJoCo; delays are refused")
    compare(mj, *settled(mj))


@pytest.mark.parametrize("name", ["humanoid", "quadruped", "arm", "hand"])
def test_bundled_models_at_rest_in_contact(name):
    mj = mujoco.MjModel.from_xml_path(str(lw.models.path(name)))
    data = mujoco.MjData(mj)
    if mj.nkey:
        mujoco.mj_resetDataKeyframe(mj, data, 0)
    for _ in range(300):
        mujoco.mj_step(mj, data)
    assert data.nefc > 0
    compare(mj, slopes.state_of(mj, data), data.qacc.copy())


@pytest.mark.parametrize("folder", ["agility_cassie", "wonik_allegro", "skydio_x2"])
def test_public_robots(folder):
    files = sorted((SHARED / "models" / folder).glob("scene*.xml")) if SHARED.exists() else []
    if not files:
        pytest.skip("these models are not here")
    mj = mujoco.MjModel.from_xml_path(str(files[0]))
    data = mujoco.MjData(mj)
    if mj.nkey:
        mujoco.mj_resetDataKeyframe(mj, data, 0)
    for _ in range(50):
        mujoco.mj_step(mj, data)
    compare(mj, slopes.state_of(mj, data), data.qacc.copy())


def test_springs_that_yield_are_compared_with_whole_steps():
    mj = zoo.ZOO["own/integrate_plastic"]()
    mj.opt.integrator = IMPLICIT
    state, _ = settled(mj)
    m = lw.load(mj)
    d = lw.Data(m)
    lw.set_state(m, d, state)
    A = lw.transition_fd(m, d).A
    for k in range(2 * mj.nv + mj.na):
        ends = [state, slopes.nudged(mj, state, k, 1e-6)]
        assert slopes.difference(A[:, k], slopes.of_steps([mj, mj], ends, 1e-6)) < 1e-6


LIMITED = """
<mujoco>
  <worldbody>
    <body><joint name="a"/><geom size=".1"/></body>
    <body pos="1 0 0"><joint name="b"/><geom size=".1"/></body>
  </worldbody>
  <actuator>
    <motor joint="a" ctrllimited="true" ctrlrange="-1 1"/>
    <motor joint="b" ctrllimited="true" ctrlrange="-1 1"/>
  </actuator>
  <sensor><actuatorfrc actuator="0"/></sensor>
</mujoco>
""".replace('actuator="0"', 'actuator="m"').replace("<motor joint", '<motor name="m" joint', 1)


@pytest.mark.parametrize("ctrl", [(1.0, -1.0), (0.3, 1.5), (1.0 - 5e-7, -1.0 + 5e-7), (1, 0)])
@pytest.mark.parametrize("centered", [False, True])
def test_controls_are_not_nudged_out_of_their_range(ctrl, centered):
    mj = mujoco.MjModel.from_xml_string(LIMITED)
    m = lw.load(mj)
    d = lw.Data(m)
    d.ctrl = ctrl
    got = lw.transition_fd(m, d, 1e-6, centered)
    wanted = slopes.transition(mj, lw.get_state(m, d), 1e-6, centered)
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8)


def test_worlds_of_one_data_have_a_leading_axis():
    m = lw.load(lw.models.path("arm"))
    d, one = lw.Data(m, lanes=3), lw.Data(m)
    d.qpos[:, 1] = (0.1, 0.2, 0.3)
    d.qvel[:, 2] = (1.0, -1.0, 0.5)
    A, B, _, _ = lw.transition_fd(m, d)
    force = lw.inverse_fd(m, d).DfDq
    assert A.shape == (3, 2 * m.nv + m.na, 2 * m.nv + m.na)
    for k in range(3):
        one.qpos, one.qvel, one.qacc = d.qpos[k], d.qvel[k], d.qacc[k]
        np.testing.assert_array_equal(lw.transition_fd(m, one).A, A[k])
        np.testing.assert_array_equal(lw.transition_fd(m, one).B, B[k])
        np.testing.assert_array_equal(lw.inverse_fd(m, one).DfDq, force[k])


def test_edits_of_the_model_and_the_options_count():
    m = lw.load(lw.models.path("arm"))
    d = lw.Data(m)
    d.qvel = 1.0
    for edit in (
        lambda: setattr(m.opt, "timestep", 0.004),
        lambda: setattr(m.opt, "integrator", "implicit"),
        lambda: m.dof_damping.__setitem__(slice(None), 3.0),
    ):
        edit()
        wanted = slopes.transition(m.mj, lw.get_state(m, d), 1e-6, False)
        assert slopes.difference(lw.transition_fd(m, d).A, wanted[0]) < 1e-6


FELT = """
<mujoco>
  <worldbody>
    <body>
      <joint name="j" damping=".1"/>
      <geom size=".1" pos=".3 0 0"/>
      <site name="s"/>
    </body>
  </worldbody>
  <actuator><motor joint="j"/></actuator>
  <sensor>
    <accelerometer site="s"/>
    <user dim="1" needstage="acc"/>
    WHOLE
  </sensor>
</mujoco>
"""


@lw.kernel
def feel(m, d, stage):
    if stage == 3:
        d.sensordata[3] = d.cfrc_int[1, 3]


def test_kernels_of_the_user_have_what_they_read():
    found = []
    for whole in ("", '<torque site="s"/>'):  # with it, forces between bodies are needed anyway
        m = lw.load(FELT.replace("WHOLE", whole), sensor=feel)
        d = lw.Data(m)
        d.qvel = 1.0
        found.append(lw.transition_fd(m, d).C[3])
    assert found[0].all()
    np.testing.assert_array_equal(*found)


def test_sensors_can_be_left_out():
    m = lw.load(zoo.ZOO["own/crooked"]())
    d = lw.Data(m)
    whole, without = lw.transition_fd(m, d), lw.transition_fd(m, d, sensors=False)
    np.testing.assert_array_equal(whole.A, without.A)
    assert without.C.shape == (0, len(whole.A)) and without.D.shape == (0, m.nu)


def test_room_is_made_for_contacts_of_a_nudged_world():
    m = lw.load(lw.models.path("boxes"))
    d = lw.Data(m, nconmax=1, njmax=1)
    object.__setattr__(d, "grows", 3)
    roomy = lw.Data(m)
    np.testing.assert_array_equal(lw.transition_fd(m, d).A, lw.transition_fd(m, roomy).A)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"eps": 0.0}, "eps must be a positive number, such as 1e-6, got 0.0"),
        ({"eps": float("nan")}, "eps must be a positive number"),
        ({"eps": "small"}, "got 'small'"),
    ],
)
def test_bad_nudges_are_refused(bad, message):
    m = lw.load(lw.models.path("pendulum"))
    d = lw.Data(m)
    for function in (lw.transition_fd, lw.inverse_fd):
        with pytest.raises(ValueError, match=message):
            function(m, d, **bad)


def test_what_has_no_derivatives_is_refused():
    m = lw.load(lw.models.path("pendulum"))
    d = lw.Data(m)
    lw.transition_fd(m, d)
    m.opt.integrator = "RK4"
    for function in (lw.transition_fd, lw.inverse_fd):
        with pytest.raises(ValueError, match="does not exist for RK4: use Euler"):
            function(m, d)
    m.opt.integrator, m.opt.noslip_iterations = "Euler", 3
    lw.transition_fd(m, d)
    with pytest.raises(ValueError, match="noslip_iterations to 0"):
        lw.inverse_fd(m, d)
    delayed = lw.load(zoo.ZOO["own/actuation_delay"]())
    with pytest.raises(ValueError, match="with delays"):
        lw.transition_fd(delayed, lw.Data(delayed))
    with pytest.raises(TypeError, match=r"lanewise\.Data"):
        lw.transition_fd(m, lw.Batch(m, 2))
