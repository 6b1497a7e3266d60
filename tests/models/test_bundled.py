"""The models that come with Lanewise: they agree with MuJoCo, and do what they are made for."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise import models

STEPS, APART = 20, 9  # steps that are compared, and those in between


@pytest.mark.parametrize("name", models.names())
def test_they_move_as_in_mujoco(name):
    """Step by step from MuJoCo's states, from each keyframe, or from the start."""
    m = lw.load(models.path(name))
    for key in range(m.nkey) if m.nkey else (None,):
        mj_data = mujoco.MjData(m.mj)
        if key is not None:
            mujoco.mj_resetDataKeyframe(m.mj, mj_data, key)
        for _ in range(STEPS):
            d = lw.put_data(m, mj_data)
            lw.step(m, d)
            mujoco.mj_step(m.mj, mj_data)
            assert d.ncon == mj_data.ncon
            np.testing.assert_allclose(d.qpos, mj_data.qpos, rtol=0, atol=1e-9)
            np.testing.assert_allclose(d.qvel, mj_data.qvel, rtol=0, atol=1e-7)
            np.testing.assert_allclose(d.act, mj_data.act, rtol=0, atol=1e-12)
            np.testing.assert_allclose(d.sensordata, mj_data.sensordata, rtol=1e-7, atol=1e-7)
            mujoco.mj_step(m.mj, mj_data, APART)


@pytest.mark.parametrize("name", models.names())
def test_each_has_a_line_about_it(name):
    line = models.about(name)
    assert line.endswith(".") and line[0].isupper()
    assert "<" not in line and "--" not in line
    with pytest.raises(ValueError, match="humanoid"):
        models.about("humanoids")


def after(name: str, seconds: float, keyframe: str | None) -> tuple[lw.Model, lw.Data]:
    """A world that was left alone for a while."""
    m = lw.load(models.path(name))
    d = lw.Data(m)
    lw.reset_data(m, d, keyframe)
    lw.step(m, d, round(seconds / m.opt.timestep))
    assert not np.any(d.warning.number)
    return m, d


def test_the_muscles_hold_the_weight():
    m, d = after("muscle_arm", 5.0, "curl")
    assert abs(d.joint("elbow").qpos[0] - m.keyframe("curl").qpos[1]) < 0.05
    assert np.abs(d.qvel).max() < 0.01
    # biceps and triceps pull at opposite sides of the elbow, wherever the arm is
    elbow = m.joint("elbow").dofadr[0]
    for q in ((0.0, 0.1), (0.8, 1.5), (1.8, 2.2)):
        d.qpos[:2] = q
        lw.forward(m, d)
        moments = np.zeros((m.nu, m.nv))
        mujoco.mju_sparse2dense(
            moments, d.actuator_moment, d.moment_rownnz, d.moment_rowadr, d.moment_colind
        )
        assert moments[m.actuator("biceps").id, elbow] < -0.015
        assert moments[m.actuator("triceps_side").id, elbow] > 0.015


def test_the_gripper_takes_the_apple_up():
    m, d = after("gripper", 1.0, "open")
    start = d.body("apple").xpos[2]
    for lift, grip in ((-0.11, 0.0), (-0.11, 0.6), (0.06, 0.6)):
        before = d.ctrl.copy()
        for part in np.linspace(0.0, 1.0, 50):
            d.ctrl[:] = before + part * (np.array((lift, grip)) - before)
            lw.step(m, d, 20)
    assert d.body("apple").xpos[2] > start + 0.12
    assert d.ncon == 3  # one finger each
    _, held = after("gripper", 5.0, "hold")
    assert held.body("apple").xpos[2] > 0.3


@pytest.mark.parametrize("key", ["stand", "crouch"])
def test_the_leg_stands_with_its_loop_closed(key):
    m, d = after("leg", 5.0, key)
    lw.forward(m, d)
    assert np.linalg.norm(d.site("rod").xpos - d.site("lever").xpos) < 5e-4
    assert d.sensor("foot").data[0] == pytest.approx(
        9.81 * m.body("carriage").subtreemass[0] - 9.81 * m.body("carriage").mass[0], rel=0.02
    )
    # a parallelogram: the shin turns as the crank does
    assert d.joint("hip").qpos[0] + d.joint("knee").qpos[0] == pytest.approx(
        d.joint("crank").qpos[0], abs=0.02
    )


def test_the_glider_glides():
    m, d = after("glider", 5.0, "launch")
    start = m.keyframe("launch").qpos
    ahead, down = d.qpos[0] - start[0], start[2] - d.qpos[2]
    assert 4.0 < ahead / down < 8.0
    assert abs(d.qpos[1]) < 0.1
    assert 6.0 < np.linalg.norm(d.qvel[:3]) < 10.0
    # the elevator raises the nose
    free, pulled = lw.Data(m), lw.Data(m)
    for data, ctrl in ((free, 0.0), (pulled, 0.1)):
        lw.reset_data(m, data, "launch")
        data.ctrl[0] = ctrl
        lw.step(m, data, 100)
    assert abs(pulled.qpos[2] - free.qpos[2]) > 0.05


def test_the_quadruped_stands_among_hills():
    m, d = after("terrain", 5.0, "robot_stand")
    assert d.ncon == 4
    assert 0.3 < d.qpos[2] < 0.4
    assert m.hfield_nrow[0] == m.hfield_ncol[0] == 48


def test_the_heap_comes_to_rest_in_its_tray():
    _, d = after("heap", 5.0, None)
    where = d.qpos.reshape(-1, 7)[:, :3]
    assert d.ncon > 50
    assert np.abs(where[:, :2]).max() < 0.29
    assert where[:, 2].min() > 0.0
    assert np.median(np.abs(d.qvel)) < 0.01
