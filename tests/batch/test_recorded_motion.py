"""Inverse dynamics of recorded motions: frames beside MuJoCo's, stencils, and simulations' logs."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.batch import recorded_motion
from support import parity_contacts as touch
from support import zoo
from support.states import random_state

# a floating base, a ball and hinges, without constraints
CHAIN = """
<mujoco>
  <option timestep=".002" integrator="{}"><flag constraint="disable" invdiscrete="{}"/></option>
  <worldbody>
    <body pos="0 0 1">
      <freejoint/><geom type="box" size=".1 .2 .3" pos=".01 .02 .03" euler="10 20 30"/>
      <body pos=".2 .1 .3">
        <joint type="ball"/><geom type="capsule" size=".05 .2" pos=".1 0 .1" euler="40 5 0"/>
        <body pos=".1 .3 .1">
          <joint name="hinge" axis="1 2 3" damping="{}"/><geom size=".1" pos=".1 .2 .3"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator>
</mujoco>
"""


def chain(integrator="Euler", invdiscrete="disable", damping=0.0):
    return lw.load(CHAIN.format(integrator, invdiscrete, damping))


def random_frames(mj, lead, seed=0):
    rng = np.random.default_rng(seed)
    data = [random_state(mj, rng, 0.2, odd=False) for _ in range(int(np.prod(lead)))]
    frames = {n: np.array([getattr(d, n) for d in data]) for n in ("qpos", "qvel", "mocap_pos")}
    frames["qacc"] = rng.normal(size=(len(data), mj.nv))
    return {name: x.reshape(*lead, *x.shape[1:]) for name, x in frames.items()}


@pytest.mark.parametrize("lead", [(7,), (2, 3, 5)])
@pytest.mark.parametrize("name", ["own/crooked", "own/mocap", "own/contacts_boxes"])
def test_beside_mujoco(name, lead, monkeypatch):
    """Frame by frame, also where they are more than are taken at once."""
    monkeypatch.setattr(recorded_motion, "_MOST", 4)
    mj = touch.with_constraints(zoo.ZOO[name]())
    m, frames = lw.load(mj), random_frames(mj, lead)
    record = ("qfrc_constraint", "xpos", "contact_force", "efc_force")
    found = lw.inverse_motion(m, **frames, record=record, nthread=2)
    assert found["qfrc_inverse"].shape == (*lead, mj.nv) and found["ncon"].shape == lead
    np.testing.assert_array_equal(found["qacc"], frames["qacc"])
    most, force = int(found["ncon"].max()), np.zeros(6)
    assert found["contact_force"].shape == (*lead, most, 6)
    assert found["efc_force"].shape == (*lead, int(found["nefc"].max()))
    d = mujoco.MjData(mj)
    for i in np.ndindex(lead):
        mujoco.mj_resetData(mj, d)
        for field, x in frames.items():
            getattr(d, field)[:] = x[i]
        mujoco.mj_inverse(mj, d)
        for field in ("qfrc_inverse", "qfrc_constraint", "xpos"):
            assert touch.relative(found[field][i], np.array(getattr(d, field))) < 1e-8, field
        assert found["ncon"][i] == d.ncon
        assert touch.relative(found["efc_force"][i][: d.nefc], np.array(d.efc_force)) < 1e-7
        for k in range(d.ncon):
            mujoco.mj_contactForce(mj, d, k, force)
            scale = max(1.0, np.abs(force).max())
            np.testing.assert_allclose(found["contact_force"][i][k], force, atol=1e-7 * scale)
        assert not found["contact_force"][i][d.ncon :].any()


def test_chunks_change_no_bit(monkeypatch):
    m = lw.load(lw.models.path("humanoid"))
    frames = random_frames(m.mj, (21,))
    frames.pop("mocap_pos")
    whole = lw.inverse_motion(m, **frames, record=("cfrc_int", "contact.dist"))
    for most in (20, 8, 1):
        monkeypatch.setattr(recorded_motion, "_MOST", most)
        some = lw.inverse_motion(m, **frames, record=("cfrc_int", "contact.dist"), nthread=2)
        for name, x in whole.items():
            np.testing.assert_array_equal(some[name], x, name)


def test_differences_of_positions():
    m = chain()
    rng = np.random.default_rng(0)
    q1, q2 = rng.normal(size=(2, 50, m.nq))
    q2[:10] = q1[:10] + 1e-9 * rng.normal(size=(10, m.nq))
    q2[10:20] = q1[10:20]
    q2[15:25, 3:7] = -q1[15:25, 3:7]  # the same turn
    for q in (q1, q2):
        for k in (3, 7):
            q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=1, keepdims=True)
    found = recorded_motion.differentiate_pos(m, 0.1, q1, q2)
    expected = np.empty(m.nv)
    for k in range(50):
        mujoco.mj_differentiatePos(m.mj, expected, 0.1, q1[k], q2[k])
        np.testing.assert_allclose(found[k], expected, atol=1e-11)
    longer = recorded_motion.differentiate_pos(m, 0.1, q1 * 1.0, scaled(q2))
    np.testing.assert_allclose(longer, found, atol=1e-12)


def scaled(q):
    """Quaternions of another length."""
    q = q.copy()
    q[..., 3:11] *= 2.5
    return q


def smooth_motion(m, t):
    """Positions at times t, with velocities and accelerations: turns about moving axes."""
    a = np.array([0.3, -0.2, 0.4, 0.9, -0.7, 0.8, 0.6, 0.5, -0.9, 1.1])
    w = np.array([1.0, 1.3, 0.7, 1.1, 0.9, 1.7, 1.2, 0.8, 1.5, 1.0])
    # a smooth path of velocities, integrated in very small steps
    n, h = 4000, t[-1] / 4000
    q, path = m.mj.qpos0.copy(), [m.mj.qpos0.copy()]
    for k in range(n):
        mujoco.mj_integratePos(m.mj, q, a * np.cos(w * (k + 0.5) * h), h)
        path.append(q.copy())
    index = np.rint(t / h).astype(int)
    phase = w * t[:, None]
    return np.array(path)[index], a * np.cos(phase), -a * w * np.sin(phase)


@pytest.mark.parametrize("spacing", ["even", "uneven"])
def test_central_differences_are_of_second_order(spacing):
    m, errors = chain(), []
    for n in (20, 40):
        t = np.linspace(0.0, 2.0, n + 1)
        if spacing == "uneven":
            t = np.rint((t + 0.1 * np.sin(3.0 * t) * t * (2 - t)) / 2.0 * 4000) / 4000 * 2.0
        qpos, qvel, qacc = smooth_motion(m, t)
        found = lw.inverse_motion(m, qpos, times=t)
        given = lw.inverse_motion(m, qpos, qvel, times=t)
        exact = lw.inverse_motion(m, qpos, qvel, qacc)
        errors.append([
            np.abs(found["qvel"] - qvel).max(), np.abs(found["qacc"] - qacc)[1:-1].max(),
            np.abs(given["qacc"] - qacc).max(),
            np.abs(found["qfrc_inverse"] - exact["qfrc_inverse"])[1:-1].max(),
            np.abs(found["qacc"] - qacc).max(),
        ])  # fmt: skip
    rates = np.log2(np.array(errors[0]) / errors[1])
    assert rates[:4].min() > 1.7 and rates[4] > 0.8, rates  # at the ends, qacc is of first order
    even = lw.inverse_motion(m, qpos, dt=0.05)
    if spacing == "even":
        np.testing.assert_allclose(even["qacc"], found["qacc"], atol=1e-9)


@pytest.mark.parametrize(("integrator", "invdiscrete", "damping"), [
    ("Euler", "disable", 0.0), ("Euler", "enable", 0.3), ("implicitfast", "enable", 0.3),
    ("implicit", "enable", 0.3),
])  # fmt: skip
def test_the_log_of_a_simulation_gives_its_forces_back(integrator, invdiscrete, damping):
    m = chain(integrator, invdiscrete, damping)
    b, frames = lw.Batch(m, 3, 1), 30
    b.qvel[:] = np.random.default_rng(0).normal(size=b.qvel.shape)
    ctrl = np.sin(np.arange(frames))[None, :, None] * np.array([1.0, 2.0, 3.0])[:, None, None]
    qfrc = 0.1 * np.random.default_rng(1).normal(size=(3, frames, m.nv))
    log = {name: np.zeros((3, frames, n)) for name, n in (("qpos", m.nq), ("qvel", m.nv))}
    for k in range(frames):
        log["qpos"][:, k], log["qvel"][:, k] = b.qpos, b.qvel
        b.ctrl[:], b.qfrc_applied[:] = ctrl[:, k], qfrc[:, k]
        b.step()
    forces = qfrc.copy()
    forces[..., m.nv - 1] += ctrl[..., 0]
    dt = m.opt.timestep
    for given in (log, {"qpos": log["qpos"]}):
        found = lw.inverse_motion(m, **given, dt=dt, stencil="step")
        inside = slice(1, -1) if len(given) == 1 else slice(0, -1)
        np.testing.assert_allclose(found["qvel"][:, inside], log["qvel"][:, inside], atol=1e-9)
        error = np.abs(found["qfrc_inverse"] - forces)[:, inside].max()
        assert error < (1e-6 if len(given) == 1 else 1e-9), error
        # the hinge has a motor, and is the only one
        assert not found["residual"][..., m.nv - 1].any()
        np.testing.assert_array_equal(
            found["residual"][..., : m.nv - 1], found["qfrc_inverse"][..., : m.nv - 1]
        )


def test_a_floating_base_that_stands_is_pushed_by_nobody():
    """With contacts: what the floor does is no part of the force that is asked for."""
    m = lw.load(lw.models.path("quadruped"))
    m.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_INVDISCRETE
    m.opt.tolerance, m.opt.iterations = 1e-14, 200
    b = lw.Batch(m, 1, 1)
    b.qvel[:, 2] = -0.3
    log = b.rollout(120, record=("qpos", "qvel", "ncon"))
    assert log["ncon"].max() > 0
    found = lw.inverse_motion(
        m, log["qpos"], log["qvel"], dt=m.opt.timestep, stencil="step", record=("contact_force",)
    )
    weight = 9.81 * m.body_mass.sum()
    assert found["contact_force"][0, :, :, 0].max() > 0.1 * weight
    assert np.abs(found["residual"][0, :-1]).max() < 1e-4 * weight  # as far as solvers converge


def test_inputs_of_frames():
    mj = touch.with_constraints(zoo.ZOO["own/mocap"]())
    m, frames = lw.load(mj), random_frames(mj, (6,))
    one = {**frames, "mocap_pos": frames["mocap_pos"][0]}
    each = {**frames, "mocap_pos": np.tile(one["mocap_pos"], (6, 1, 1))}
    np.testing.assert_array_equal(
        lw.inverse_motion(m, **one)["qfrc_inverse"], lw.inverse_motion(m, **each)["qfrc_inverse"]
    )
    xml = CHAIN.format("Euler", "disable", 0).replace(
        "</mujoco>", "<sensor><clock/></sensor></mujoco>"
    )
    m = lw.load(xml)
    qpos = np.tile(m.mj.qpos0, (4, 1))
    found = lw.inverse_motion(m, qpos, times=[0.5, 1.0, 2.0, 4.0], record=("sensordata",))
    np.testing.assert_array_equal(found["sensordata"][:, 0], [0.5, 1.0, 2.0, 4.0])


QPOS = np.tile(chain().mj.qpos0, (5, 1))


@pytest.mark.parametrize(("arguments", "error", "words"), [
    ({}, ValueError, "without qvel, give dt or times"),
    ({"qvel": np.zeros((5, 10))}, ValueError, "without qacc, give dt or times"),
    ({"dt": 0.1, "times": np.arange(5)}, ValueError, "dt or times, not both"),
    ({"dt": 0.0}, ValueError, "dt must be a positive number of seconds, got 0.0"),
    ({"dt": "1"}, TypeError, "dt takes numbers"),
    ({"times": [0, 1, 2, 2, 3]}, ValueError, "times must increase, and those of frames 2 and 3"),
    ({"times": [0, 1, 2]}, ValueError, r"times takes shape \(5,\)"),
    ({"qpos": np.zeros((5, 3)), "dt": 0.1}, ValueError, r"qpos takes shape \(..., T, 12\), got"),
    ({"qpos": np.zeros(12), "dt": 0.1}, ValueError, r"qpos takes shape \(..., T, 12\), got"),
    ({"qpos": QPOS + np.nan, "dt": 0.1}, ValueError, "qpos of frame 0 is not finite"),
    ({"qpos": [QPOS, QPOS + np.inf], "dt": 1}, ValueError, r"frame 0 of motion \(1,\) is not"),
    ({"qvel": np.zeros((4, 10))}, ValueError, r"qvel takes shape \(5, 10\), got \(4, 10\)"),
    ({"qpos": QPOS[:2], "dt": 0.1}, ValueError, "at least 3 frames, got 2"),
    ({"dt": 0.1, "stencil": "forward"}, ValueError, 'must be "central" or "step", got \'forward\''),
    ({"dt": 0.1, "record": "xpos"}, TypeError, r"such as \('xpos',\)"),
    ({"dt": 0.1, "record": ("xpso",)}, ValueError, "did you mean 'xpos'"),
    ({"dt": 0.1, "record": ("qfrc_actuator",)}, ValueError, "do not compute qfrc_actuator"),
    ({"dt": 0.1, "record": ("ctrl",)}, ValueError, "do not compute ctrl"),
    ({"dt": 0.1, "mocap_pso": 0}, TypeError, "no argument 'mocap_pso' .did you mean 'mocap_pos'"),
    ({"dt": 0.1, "ctrl": np.zeros((5, 2))}, ValueError, r"ctrl takes shape \(5, 1\)"),
    ({"m": None, "dt": 0.1}, TypeError, "must be a lanewise.Model, got NoneType"),
])  # fmt: skip
def test_mistakes(arguments, error, words):
    with pytest.raises(error, match=words):
        lw.inverse_motion(**{"m": chain(), "qpos": QPOS, **arguments})
