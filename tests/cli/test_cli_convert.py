"""`lanewise convert`: logs of a body and states of a robot, there and back."""

import json

import mujoco
import numpy as np
import pytest

from lanewise import conventions as cv
from lanewise import models
from lanewise.cli import main
from support.places import ENGINES

LOG = str(ENGINES / "logs" / "newton_mujoco.npz")
COM = ("0.13", "-0.08", "0.21")


def done(*words):
    assert main(["convert", *map(str, words)]) == 0


def test_a_log_of_a_known_system(tmp_path):
    out = tmp_path / "out.npz"
    done(LOG, out, "--from", "newton", "--to", "drake", "--com", *COM)
    log, made = cv.read_log(LOG), np.load(out)
    body = cv.Body(com=[float(x) for x in COM])
    q, v = cv.convert_free_state(
        np.hstack([log.pos, log.quat]), log.twist, "newton", "drake", body=body
    )
    np.testing.assert_array_equal(made["quat"], q[:, :4])
    np.testing.assert_array_equal(made["pos"], q[:, 4:])
    np.testing.assert_array_equal(made["twist"], v)
    assert made["time"].shape == (len(q),)


@pytest.mark.parametrize("suffix", ["npz", "csv"])
def test_a_log_that_is_detected(suffix, tmp_path, capsys):
    """What was written is read again, and is in the convention that was asked for."""
    out = tmp_path / f"out.{suffix}"
    done(LOG, out, "--to", "drake", "--com", *COM)
    capsys.readouterr()
    assert main(["detect", str(out), "--json"]) == 0
    assert "drake" in json.loads(capsys.readouterr().out)["systems"]


def test_undecided_is_refused(tmp_path, capsys):
    still = tmp_path / "still.npz"
    np.savez(still, pos=np.zeros((50, 3)), quat=np.tile([1.0, 0, 0, 0], (50, 1)),
             twist=np.zeros((50, 6)), dt=0.01)  # fmt: skip
    assert main(["convert", str(still), str(tmp_path / "out.npz")]) == 1
    error = capsys.readouterr().err
    assert "quaternion (wxyz or xyzw)" in error and "nothing moves" in error and "--from" in error
    assert not (tmp_path / "out.npz").exists()
    done(still, tmp_path / "out.npz", "--from", "mujoco", "--to", "drake")


def test_what_makes_no_difference_is_not_refused(tmp_path):
    """A body whose centre of mass is its origin: which of both is meant does not matter."""
    t = np.linspace(0, 1, 400)
    turn = np.column_stack([np.cos(t), np.sin(t) * 0.6, np.sin(t) * 0.8, 0 * t])
    w = np.tile([1.2, 1.6, 0.0], (400, 1))
    pos = np.column_stack([np.sin(3 * t), np.cos(2 * t), t**2])
    vel = np.column_stack([3 * np.cos(3 * t), -2 * np.sin(2 * t), 2 * t])
    np.savez(tmp_path / "log.npz", pos=pos, quat=turn, twist=np.hstack([vel, w]), time=t)
    found = cv.detect(pos, turn, np.hstack([vel, w]), t, com=(0, 0, 0))
    assert set(found.undecided) == {"pose_point", "velocity_point", "angular_basis", "up"}
    done(tmp_path / "log.npz", tmp_path / "out.npz", "--com", 0, 0, 0, "--to", "drake")
    assert main(["convert", str(tmp_path / "log.npz"), str(tmp_path / "out.npz")]) == 1


def test_what_is_missing_is_said(tmp_path, capsys):
    log = cv.read_log(LOG)
    np.savez(tmp_path / "log.npz", pos=log.pos, quat=log.quat, twist=log.twist, dt=0.01)
    out = tmp_path / "out.npz"
    words = ["convert", str(tmp_path / "log.npz"), str(out), "--from", "newton"]
    assert main(words) == 1
    assert "give --com X Y Z" in capsys.readouterr().err
    assert main([*words[:2], str(tmp_path / "out.txt")]) == 1
    assert "use .npz or .csv" in capsys.readouterr().err
    assert main([*words[:3], "--from", "newtn"]) == 1
    assert "newtn" in capsys.readouterr().err


# ---- robots


@pytest.fixture
def walk(tmp_path):
    """States of a quadruped, as MuJoCo has them."""
    rng = np.random.default_rng(0)
    mj = mujoco.MjModel.from_xml_path(str(models.path("quadruped")))
    qpos, qvel = rng.normal(size=(6, mj.nq)), rng.normal(size=(6, mj.nv))
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1)[:, None]
    np.savez(tmp_path / "walk.npz", qpos=qpos, qvel=qvel, time=np.arange(6) * 0.1)
    return mj, qpos, qvel, tmp_path / "walk.npz"


def test_states_of_a_robot(walk, tmp_path):
    mj, qpos, qvel, path = walk
    out = tmp_path / "isaac.npz"
    done(path, out, "--model", "quadruped", "--from", "mujoco", "--to", "isaaclab-2")
    made = np.load(out)
    order = cv.joint_permutation(mj, "mujoco", "isaaclab-2")
    np.testing.assert_array_equal(made["qpos"][:, 7:], qpos[:, 7:][:, order])
    np.testing.assert_array_equal(made["qvel"][:, 6:], qvel[:, 6:][:, order])
    body = cv.Body(com=mj.body_ipos[1])
    q, v = cv.convert_free_state(qpos[:, :7], qvel[:, :6], "mujoco", "isaaclab-2", body=body)
    np.testing.assert_allclose(made["qpos"][:, :7], q, atol=1e-15)
    np.testing.assert_allclose(made["qvel"][:, :6], v, atol=1e-15)


@pytest.mark.parametrize("system", ["isaaclab-2", "drake", "pinocchio", "pybullet", "newton"])
def test_there_and_back(system, walk, tmp_path):
    _, qpos, qvel, path = walk
    there, back = tmp_path / "there.csv", tmp_path / "back.npz"
    done(path, there, "--model", "quadruped", "--from", "mujoco", "--to", system)
    done(there, back, "--model", "quadruped", "--from", system, "--to", "mujoco")
    made = np.load(back)
    np.testing.assert_allclose(made["qvel"], qvel, atol=1e-13)
    np.testing.assert_allclose(made["qpos"], qpos, atol=1e-13)
    np.testing.assert_allclose(made["time"], np.arange(6) * 0.1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--model", "quadruped"), "--model needs --from"),
        (("--model", "humanoid", "--from", "mujoco"), "this model has 28 numbers in a row"),
        (("--model", "boxes", "--from", "mujoco"), "numbers in a row"),
    ],
)
def test_states_that_do_not_fit(words, message, walk, tmp_path, capsys):
    assert main(["convert", str(walk[3]), str(tmp_path / "out.npz"), *words]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out.npz").exists()


def test_robots_of_other_joints(tmp_path, capsys):
    mj = mujoco.MjModel.from_xml_path(str(models.path("boxes")))
    np.savez(tmp_path / "a.npz", qpos=np.zeros((1, mj.nq)), qvel=np.zeros((1, mj.nv)))
    words = ["convert", str(tmp_path / "a.npz"), str(tmp_path / "b.npz"), "--model", "boxes"]
    assert main([*words, "--from", "mujoco", "--to", "drake"]) == 1
    assert "other ball or free joints" in capsys.readouterr().err
