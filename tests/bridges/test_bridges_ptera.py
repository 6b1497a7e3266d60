"""Ptera Software: its arrays, and its free flight on this engine.

tests/engines/flight_ptera.py has let Ptera Software 5.1 fly a glider for 200 steps on its own
engine (MuJoCo 3.17, whose RK4 turns bodies less exactly than MuJoCo 4.0's), with RK4 and with
implicitfast. Here the loads of each step are given to MuJoCoModel. Where Ptera Software is
installed, its solver flies on both engines.
"""

import json
import re
import subprocess
import sys

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise import conventions as cv
from lanewise.bridges import ptera
from support.places import ENGINES

KNOWN = json.loads((ENGINES / "flight_ptera.json").read_text())["flights"]
GIVEN = {
    "name": "airplane", "mass": 2.0, "omegas_BP1__E": np.array([30.0, -50.0, 20.0]),
    "T_pas_BP1_CgP1_to_E_CgP1": np.eye(4), "vCg_E__E": np.array([10.0, 1.0, 0.5]),
    "I_BP1_CgP1": np.array([[0.1, 0.01, 0.02], [0.01, 0.2, 0.005], [0.02, 0.005, 0.25]]),
    "delta_time": 0.01,
}  # fmt: skip
CROOKED = """
<mujoco>
  <worldbody>
    <body><joint axis="0 1 0"/><geom size=".1"/></body>
    <body name="plane" pos="1 2 3" euler="20 -30 50">
      <freejoint/><inertial pos=".1 -.2 .05" mass="2" fullinertia=".1 .2 .25 .01 .02 .005"/>
    </body>
    <body name="second"><freejoint/><geom size=".1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def fresh():
    """Whatever a test does, get_state is then of the present moment."""
    yield
    ptera.MuJoCoModel.fresh = True


def replayed(integrator):
    """(what was said, what is said) after every step of a flight, by the same loads."""
    arguments = {
        k: np.array(v) if isinstance(v, list) else v
        for k, v in KNOWN[integrator]["arguments"].items()
    }
    model, pairs = ptera.MuJoCoModel(**arguments), []
    for step in KNOWN[integrator]["steps"]:
        model.apply_loads(np.array(step["loads"][:3]), np.array(step["loads"][3:]))
        model.step()
        pairs.append((step, model.get_state()))
    return pairs


def worst(pairs, key):
    return max(np.abs(np.array(a[key]) - b[key]).max() for a, b in pairs)


# ---- flights of the original


@pytest.mark.parametrize(("integrator", "near"), [("RK4", 1e-6), ("implicitfast", 1e-12)])
def test_a_flight_by_the_same_loads(integrator, near):
    pairs = replayed(integrator)
    assert len(pairs) == 199
    assert np.linalg.norm(pairs[-1][1]["position_E_Eo"]) > 30.0  # it has gone somewhere
    assert worst(pairs, "position_E_Eo") < near
    assert worst(pairs, "velocity_E__E") < near
    assert worst(pairs, "omegas_BP1__E") < 100.0 * near
    assert worst(pairs, "time") == 0.0


def test_the_original_is_a_step_behind_with_its_attitude(fresh):
    pairs = replayed("implicitfast")
    said = np.array([a["R_pas_E_to_BP1"] for a, _ in pairs])
    now = np.array([b["R_pas_E_to_BP1"] for _, b in pairs])
    assert np.abs(said[1:] - now[:-1]).max() < 1e-12  # what it says is what was
    assert np.abs(said - now).max() > 1e-3
    ptera.MuJoCoModel.fresh = False
    assert worst(replayed("implicitfast"), "R_pas_E_to_BP1") < 1e-12


@pytest.mark.parametrize("integrator", ["RK4", "Euler", "implicit", "implicitfast"])
def test_states_are_those_of_mujoco(integrator):
    model = ptera.MuJoCoModel(**GIVEN, integrator=integrator)
    m = mujoco.MjModel.from_xml_string(model.xml_str)
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, model.initial_key_frame_id)
    rng = np.random.default_rng(0)
    for _ in range(100):
        f, t = rng.normal(size=(2, 3))
        model.apply_loads(f, t)
        d.xfrc_applied[model.body_id] = *f, *t
        model.step()
        mujoco.mj_step(m, d)
    mujoco.mj_kinematics(m, d)  # the attitude of the state
    state = model.get_state()
    assert np.abs(state["position_E_Eo"] - d.qpos[:3]).max() < 1e-12
    assert np.abs(state["R_pas_E_to_BP1"] - d.xmat[1].reshape(3, 3).T).max() < 1e-12
    assert np.abs(state["velocity_E__E"] - d.qvel[:3]).max() < 1e-12
    assert np.abs(np.deg2rad(state["omegas_BP1__E"]) - d.qvel[3:]).max() < 1e-11
    assert state["time"] == d.time


# ---- the interface


def test_start():
    model = ptera.MuJoCoModel(**GIVEN)
    state = model.get_state()
    assert list(state) == [
        "position_E_Eo", "R_pas_E_to_BP1", "velocity_E__E", "omegas_BP1__E", "time",
    ]  # fmt: skip
    assert np.abs(state["omegas_BP1__E"] - GIVEN["omegas_BP1__E"]).max() < 1e-13
    assert isinstance(model._model, mujoco.MjModel) and isinstance(state["time"], float)
    assert np.all(model._model.opt.gravity == 0.0)
    assert model.initial_qpos.shape == (7,) and model.initial_qvel.shape == (6,)
    with pytest.raises(ValueError, match="read-only"):
        model.initial_qpos[0] = 1.0
    with pytest.raises(AttributeError):
        model.body_id = 3


def test_restoring_repeats_a_step_to_the_bit():
    model = ptera.MuJoCoModel(**GIVEN)
    model.apply_loads(np.array([5.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    model.step()
    snapshot, ends = model.save_state(), []
    for _ in range(2):
        model.restore_state(snapshot)
        assert np.array_equal(model._data.xfrc_applied[model.body_id], [5, 0, 0, 0, 0, 1])
        model.apply_loads(np.array([20.0, 10.0, 0.0]), np.array([0.0, 1.0, 0.0]))
        model.step()
        ends.append(model.get_state())
    assert all(np.array_equal(ends[0][key], ends[1][key]) for key in ends[0])


def test_reset():
    model = ptera.MuJoCoModel(**GIVEN)
    before = model.get_state()
    model.apply_loads(np.ones(3), np.ones(3))
    for _ in range(5):
        model.step()
    model.reset()
    after = model.get_state()
    assert all(np.array_equal(before[key], after[key]) for key in before)
    assert not model._data.xfrc_applied.any()


def test_more_xml_and_assets():
    mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    assets = {"hull.obj": mesh}
    model = ptera.MuJoCoModel(
        **GIVEN,
        extra_xml={
            "asset": '<asset><mesh name="hull" file="hull.obj"/></asset>',
            "worldbody": '<geom name="sea" type="plane" size="0 0 1" pos="0 0 50"/>',
            "body": '<geom type="mesh" mesh="hull"/>',
        },
        mujoco_assets=assets,
    )
    assert model._model.ngeom == 2 and model._mujoco_assets is assets
    assert np.allclose(model._model.body_mass[model.body_id], 2.0)  # the inertial decides


# ---- arrays


def crooked(kind, n=3):
    m = lw.load(CROOKED)
    d = lw.Batch(m, n) if kind == "batch" else lw.Data(m)
    rng = np.random.default_rng(1)
    q = rng.normal(size=(n, 4))
    qpos = np.hstack([rng.normal(size=(n, 3)), q / np.linalg.norm(q, axis=1)[:, None]])
    qvel, loads = rng.normal(size=(2, n, 6))
    rows = slice(None) if kind == "batch" else 0
    d.qpos[..., 1:8], d.qvel[..., 1:7] = qpos[rows], qvel[rows]
    d.xfrc_applied[..., 2, :] = loads[rows]
    return m, d, qpos[rows], qvel[rows], loads[rows]


@pytest.mark.parametrize("kind", ["data", "batch"])
def test_reading_is_what_the_row_of_conventions_says(kind):
    m, d, qpos, qvel, loads = crooked(kind)
    s = ptera.read(m, d, body="plane")
    body = cv.Body(com=m.body_ipos[2])
    q, v = cv.convert_free_state(qpos, qvel, "mujoco", "ptera", body=body)
    assert np.abs(s.position_E_Eo - q[..., :3]).max() < 1e-14
    R = lw.frames.quat_to_mat(q[..., 3:]).reshape(*q.shape[:-1], 3, 3)
    assert np.abs(s.R_pas_E_to_BP1 - R).max() < 1e-14
    assert np.abs(s.velocity_E__E - v[..., :3]).max() < 1e-14
    assert np.abs(s.omegas_BP1__E - v[..., 3:]).max() < 1e-12
    assert np.array_equal(np.concatenate([s.forces_E, s.moments_E_CgP1], -1), loads)
    assert np.shape(s.time) == (() if kind == "data" else (3,))


@pytest.mark.parametrize("kind", ["data", "batch"])
def test_writing_what_was_read(kind):
    m, d, qpos, qvel, loads = crooked(kind)
    s = ptera.read(m, d, body="plane")
    d.qpos[..., 1:8], d.qvel[..., 1:7], d.xfrc_applied[...] = [1, 0, 0, 1, 0, 0, 0], 0.0, 0.0
    ptera.write(
        m, d, body="plane", position_E_Eo=s.position_E_Eo, R_pas_E_to_BP1=s.R_pas_E_to_BP1,
        velocity_E__E=s.velocity_E__E, omegas_BP1__E=s.omegas_BP1__E, forces_E=s.forces_E,
        moments_E_CgP1=s.moments_E_CgP1,
    )  # fmt: skip
    same = np.sign((d.qpos[..., 4:8] * qpos[..., 3:]).sum(-1, keepdims=True))
    assert np.abs(d.qpos[..., 1:4] - qpos[..., :3]).max() < 1e-14
    assert np.abs(d.qpos[..., 4:8] * same - qpos[..., 3:]).max() < 1e-14
    assert np.abs(d.qvel[..., 1:7] - qvel).max() < 1e-14
    assert np.array_equal(d.xfrc_applied[..., 2, :], loads)


def test_a_turn_alone_leaves_the_centre_of_gravity():
    m, d, *_ = crooked("data")
    before = ptera.read(m, d, body="plane")
    ptera.write(m, d, body="plane", R_pas_E_to_BP1=np.eye(3), omegas_BP1__E=[10, 20, 30])
    after = ptera.read(m, d, body="plane")
    assert np.abs(after.position_E_Eo - before.position_E_Eo).max() < 1e-14
    assert np.abs(after.velocity_E__E - before.velocity_E__E).max() < 1e-14
    assert np.abs(after.R_pas_E_to_BP1 - np.eye(3)).max() < 1e-14


CALLS = {
    "has no argument 'position' (did you mean 'position_E_Eo'": {"position": [0, 0, 0]},
    "there is nothing to write": {},
    "R_pas_E_to_BP1 must be a rotation matrix: R R' differs from one by 3": {
        "R_pas_E_to_BP1": 2.0 * np.eye(3)},
    "determinant must be 1": {"R_pas_E_to_BP1": -np.eye(3)},
    "forces_E must have shape (3,); got (6,)": {"forces_E": np.zeros(6)},
    "omegas_BP1__E has nan at index (0,": {"omegas_BP1__E": [np.nan, 0.0, 0.0]},
    "no body 'plain' (did you mean 'plane'": {"body": "plain", "forces_E": [0, 0, 0]},
    "body 1 has no free joint; bodies that have: plane, second": {
        "body": 1, "forces_E": [0, 0, 0]},
    "one body has to be free, and this model has plane, second: name one, body=": {
        "body": None, "forces_E": [0, 0, 0]},
}  # fmt: skip


@pytest.mark.parametrize("words", CALLS)
def test_mistakes(words):
    m, d, *_ = crooked("data")
    before = lw.get_state(m, d)
    with pytest.raises((lw.LanewiseError, TypeError), match=re.escape(words)):
        ptera.write(m, d, **{"body": "plane", **CALLS[words]})
    assert np.array_equal(lw.get_state(m, d), before)


# ---- Ptera Software itself


def test_without_ptera_software():
    script = (
        "import sys; sys.modules['pterasoftware'] = None\n"
        "from lanewise.bridges import ptera\n"
        "ptera.uninstall()\n"  # nothing to undo
        "ptera.MuJoCoModel\n"
        "try: ptera.install()\n"
        "except ImportError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "needs Ptera Software 5.1" in run.stdout, run.stderr
    assert "pip install --no-deps pterasoftware==5.1.0" in run.stdout


def test_attitudes_there_are():
    with pytest.raises(lw.ConventionError, match="'fresh' or 'stage'; got 'old'"):
        ptera.install("old")


def ptera_glider():
    pytest.importorskip("pterasoftware", reason="Ptera Software 5.1 is not installed")
    from support import ptera_glider

    return ptera_glider


@pytest.mark.parametrize("integrator", ["RK4", "implicitfast"])
def test_its_solver_flies_alike(integrator, fresh):
    glider = ptera_glider()
    _, there, lift = glider.fly(30, integrator)
    with ptera.installed("stage") as engine:
        solver, here, other = glider.fly(30, integrator)
        assert type(solver.unsteady_problem._mujoco_model) is engine
    assert np.abs(there - here).max() < 1e-12 and np.abs(lift - other).max() < 1e-8
    with ptera.installed():
        _, here, _ = glider.fly(30, integrator)
    assert np.abs(there - here).max() < (1e-7 if integrator == "RK4" else 1e-2)


def test_its_files_are_written_and_read(tmp_path, fresh):
    glider = ptera_glider()
    import pterasoftware as ps

    with ptera.installed() as engine:
        solver, *_ = glider.fly(7)
        ps.save(tmp_path / "flight.json.gz", solver)
        back = ps.load(tmp_path / "flight.json.gz").unsteady_problem._mujoco_model
        assert type(back) is engine
        ours = solver.unsteady_problem._mujoco_model
        ours.reset()
        assert np.array_equal(
            back.get_state()["R_pas_E_to_BP1"], ours.get_state()["R_pas_E_to_BP1"]
        )
        assert back.get_state()["time"] == 0.0
    from pterasoftware import _mujoco_model

    assert _mujoco_model.MuJoCoModel is not engine
    loaded = ps.load(tmp_path / "flight.json.gz")  # the original reads it, too
    assert type(loaded.unsteady_problem._mujoco_model) is _mujoco_model.MuJoCoModel
