"""A body in the words of other systems, beside what the bridges say."""

import numpy as np
import pytest

import lanewise as lw
from lanewise.bridges import drake, newton
from lanewise.conventions import SYSTEMS
from lanewise.viewer import wording
from lanewise.viewer.observing import Eye
from support.viewing import BOX, session


@pytest.fixture(scope="module")
def moving():
    s = session()
    s.batch.qpos[1, 5:9] = [0.5, 0.1, -0.7, 0.5]
    s.batch.qpos[1, 5:9] /= np.linalg.norm(s.batch.qpos[1, 5:9])
    s.batch.qvel[:] = np.random.default_rng(0).standard_normal(s.batch.qvel.shape)
    s.turn(0.0)
    eye = Eye(s.batch)
    eye.look(s.frame)
    return s, eye


def reading(system, moving, world=1):
    s, eye = moving
    place = (eye.xpos[world, BOX], eye.xmat[world, BOX])
    return wording.read(system, s.model, BOX, *place, eye.velocity(world, BOX))


def test_mujoco_is_qpos_and_qvel(moving):
    s, _ = moving
    found = reading("mujoco", moving)
    assert found.pose == pytest.approx(s.batch.qpos[1, 2:9])
    assert found.velocity == pytest.approx(s.batch.qvel[1, 2:8])


def test_newton_and_drake_as_their_bridges_have_it(moving):
    s, _ = moving
    theirs = newton.read(s.batch.model, s.batch)
    found = reading("newton", moving)
    assert found.pose == pytest.approx(theirs.body_q[1, BOX - 1])
    assert found.velocity == pytest.approx(theirs.body_qd[1, BOX - 1])
    other = drake.read(s.batch.model, s.batch)
    found = reading("drake", moving)
    assert found.pose == pytest.approx(other.X_WB[1, BOX - 1])
    assert found.velocity == pytest.approx(other.V_WB[1, BOX - 1])


def test_frames_stand_where_velocities_are_meant(moving):
    _, eye = moving
    at_com = reading("newton", moving)
    assert at_com.position == pytest.approx(eye.xipos[1, BOX])
    assert at_com.wxyz.tolist() == [1, 0, 0, 0]
    assert at_com.linear == pytest.approx(at_com.velocity[:3])
    in_body = reading("ros", moving)
    assert in_body.position == pytest.approx(eye.xpos[1, BOX])
    R = eye.xmat[1, BOX]
    assert in_body.velocity[:3] == pytest.approx(R.T @ in_body.linear)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_reads_and_is_told(moving, system):
    found = reading(system, moving)
    text = wording.table([reading("mujoco", moving), found])
    assert np.isfinite(found.pose).all() and SYSTEMS[system].title in text


def test_well_known_systems_come_first():
    names = list(wording.systems().values())
    assert names[:2] == ["newton", "isaaclab-2"] and "mujoco" not in names
    assert len(names) == len(SYSTEMS) - 1


def test_the_eye_changes_nothing():
    s = session()
    s.step(20)
    s.turn(0.0)
    before, bound = s.batch.state.copy(), list(s.batch.bound)
    eye = Eye(s.batch)
    eye.look(s.frame)
    d = lw.Data(s.model)
    lw.set_state(s.model, d, s.batch.state[2])
    lw.forward(s.model, d)
    assert np.array_equal(eye.xpos[2], d.xpos)
    values = eye.values(["qacc", "sensordata"], 2, [s.frame])
    assert np.array_equal(values["qacc"][0], d.qacc)
    assert np.array_equal(values["sensordata"][0], d.sensordata)
    assert np.array_equal(s.batch.state, before) and s.batch.bound == bound
    assert eye.size("qpos") == s.model.nq and eye.size("no_such_field") == 0
