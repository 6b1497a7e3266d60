"""lanewise.bridges.pybullet against PyBullet itself: the same robot, the same state."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.bridges import pybullet
from support.bridge_robot import SCENE, mjcf, random_state, same_rotation, urdf

bullet = pytest.importorskip("pybullet")

TOLERANCE = 1e-12
SINGLE = 3e-7  # PyBullet computes in double precision, but reads its files in single


@pytest.fixture(params=["free", "fixed"])
def both(request, tmp_path):
    """A lanewise model, the number of the robot in PyBullet, and its inertial axes."""
    path = tmp_path / "robot.urdf"
    path.write_text(urdf())
    client = bullet.connect(bullet.DIRECT)
    robot = bullet.loadURDF(
        str(path), useFixedBase=request.param == "fixed", flags=bullet.URDF_USE_INERTIA_FROM_FILE
    )
    axes = [bullet.getDynamicsInfo(robot, i)[4] for i in range(-1, bullet.getNumJoints(robot))]
    yield lw.load(mjcf(request.param)), robot, axes
    bullet.disconnect(client)


def put(robot, s, k=()):
    """The state that the bridge read, by PyBullet's own functions."""
    bullet.resetBasePositionAndOrientation(robot, s.base_position[k], s.base_orientation[k])
    bullet.resetBaseVelocity(robot, s.base_linear_velocity[k], s.base_angular_velocity[k])
    for i in range(bullet.getNumJoints(robot)):
        q, v = (x[(*k, i)] if k else x[i] for x in (s.joint_position, s.joint_velocity))
        bullet.resetJointState(robot, i, q, v)


def test_links_of_a_robot_in_the_same_state(both):
    m, robot, axes = both
    b = lw.Batch(m, nsim=4)
    b.qpos, b.qvel = random_state(m, 4)
    s = pybullet.read(m, b, inertial_axes=axes)
    for k in range(4):
        put(robot, s, (k,))
        position, orientation = bullet.getBasePositionAndOrientation(robot)
        assert np.abs(s.base_position[k] - position).max() < TOLERANCE
        assert same_rotation(s.base_orientation[k], np.array(orientation)) < TOLERANCE
        for i in range(bullet.getNumJoints(robot)):
            state = bullet.getLinkState(robot, i, 1, 1)
            made = (
                s.link_position, s.link_orientation, None, None, s.link_frame_position,
                s.link_frame_orientation, s.link_linear_velocity, s.link_angular_velocity,
            )  # fmt: skip
            for x, known in zip(made, map(np.array, state)):
                if x is not None and len(known) == 4:
                    assert same_rotation(x[k, i], known) < SINGLE
                elif x is not None:
                    assert np.abs(x[k, i] - known).max() < SINGLE


def test_the_base_is_where_mujoco_has_it(both):
    """put() and getLinkState see the base only as the bridge gave it: here it is compared."""
    m, _, axes = both
    d = lw.Data(m)
    d.qpos, d.qvel = (x[0] for x in random_state(m, 1, seed=4))
    s = pybullet.read(m, d, inertial_axes=axes)
    mj = mujoco.MjData(m.mj)
    mj.qpos[:], mj.qvel[:] = d.qpos, d.qvel
    mujoco.mj_forward(m.mj, mj)
    v = np.zeros(6)
    mujoco.mj_objectVelocity(m.mj, mj, mujoco.mjtObj.mjOBJ_BODY, 1, v, 0)
    assert np.abs(s.base_position - mj.xipos[1]).max() < TOLERANCE
    assert np.abs(s.base_linear_velocity - v[3:]).max() < TOLERANCE
    assert np.abs(s.base_angular_velocity - v[:3]).max() < TOLERANCE
    own = pybullet.read(m, d, inertial_axes="model").base_orientation
    known = np.zeros(4)
    mujoco.mju_mat2Quat(known, mj.ximat[1])
    assert same_rotation(own[[3, 0, 1, 2]], known) < TOLERANCE


def test_numbering_is_that_of_pybullet(both):
    m, robot, axes = both
    s = pybullet.read(m, lw.Data(m), inertial_axes=axes)
    info = [bullet.getJointInfo(robot, i) for i in range(bullet.getNumJoints(robot))]
    assert s.link_names == tuple(x[12].decode() for x in info)
    known = tuple("" if x[2] == bullet.JOINT_FIXED else x[1].decode() for x in info)
    assert s.joint_names == known


def test_a_robots_state_written_back(both):
    m, robot, axes = both
    d, other = lw.Data(m), lw.Data(m)
    d.qpos, d.qvel = (x[0] for x in random_state(m, 1, seed=2))
    s = pybullet.read(m, d, inertial_axes=axes)
    put(robot, s)
    position, orientation = bullet.getBasePositionAndOrientation(robot)
    linear, angular = bullet.getBaseVelocity(robot)
    states = [bullet.getJointState(robot, i) for i in range(bullet.getNumJoints(robot))]
    fields = {
        "base_position": position, "base_orientation": orientation,
        "base_linear_velocity": linear, "base_angular_velocity": angular,
    }  # fmt: skip
    joints = {"joint_position": [x[0] for x in states], "joint_velocity": [x[1] for x in states]}
    if m.mj.body(1).jntnum == 0:
        with pytest.raises(lw.LanewiseError, match="base_position: the base is fixed"):
            pybullet.write(m, other, inertial_axes=axes, **fields)
        fields = {}
    pybullet.write(m, other, inertial_axes=axes, **fields, **joints)
    assert np.abs(other.qvel - d.qvel).max() < TOLERANCE
    if fields:
        assert np.abs(other.qpos[:3] - d.qpos[:3]).max() < TOLERANCE
        assert same_rotation(other.qpos[3:7], d.qpos[3:7]) < TOLERANCE
    assert np.abs(other.qpos[7 if fields else 0 :] - d.qpos[7 if fields else 0 :]).max() < TOLERANCE


def test_forces_accelerate_both_alike(both):
    """From rest over a tiny time, with forces on all links and torques at all joints."""
    m, robot, axes = both
    d = lw.Data(m)
    d.qpos = random_state(m, 1, seed=5)[0][0]
    s = pybullet.read(m, d, inertial_axes=axes)
    put(robot, s)
    n = bullet.getNumJoints(robot)
    rng = np.random.default_rng(1)
    force, torque = rng.normal(size=(2, n + 1, 3))
    moving = np.array([name != "" for name in s.joint_names])
    effort = rng.normal(size=n) * moving
    pybullet.write(m, d, inertial_axes=axes, joint_torque=effort, external_force=force,
                   external_torque=torque)  # fmt: skip
    mj = mujoco.MjData(m.mj)
    mj.qpos[:], mj.qfrc_applied[:], mj.xfrc_applied[:] = d.qpos, d.qfrc_applied, d.xfrc_applied
    mujoco.mj_forward(m.mj, mj)

    dt = 1e-6
    bullet.setTimeStep(dt)
    bullet.setGravity(0, 0, 0)
    where = [s.base_position, *s.link_position]
    for i in range(-1, n):
        bullet.changeDynamics(robot, i, linearDamping=0, angularDamping=0, jointDamping=0)
        bullet.applyExternalForce(robot, i, force[i + 1], where[i + 1], bullet.WORLD_FRAME)
        world = torque[i + 1]
        bullet.applyExternalTorque(robot, i, world, bullet.WORLD_FRAME)
        if i >= 0 and moving[i]:
            bullet.setJointMotorControl2(robot, i, bullet.VELOCITY_CONTROL, force=0)
            bullet.setJointMotorControl2(robot, i, bullet.TORQUE_CONTROL, force=effort[i])
    bullet.stepSimulation()
    states = [bullet.getJointState(robot, i)[1] / dt for i in range(n)]
    fields = {"joint_velocity": states}
    if m.mj.body(1).jntnum:
        linear, angular = (np.array(x) / dt for x in bullet.getBaseVelocity(robot))
        fields |= {"base_linear_velocity": linear, "base_angular_velocity": angular}
    pybullet.write(m, d, inertial_axes=axes, **fields)
    assert np.abs(d.qvel - mj.qacc).max() < 1e-8 * np.abs(mj.qacc).max()


def test_what_has_to_be_said(both):
    m, _, axes = both
    d = lw.Data(m)
    with pytest.raises(TypeError, match="inertial_axes"):
        pybullet.read(m, d)
    with pytest.raises(lw.LanewiseError, match="inertial_axes must be one of model"):
        pybullet.read(m, d, inertial_axes="bullet")
    with pytest.raises(lw.LanewiseError, match=r"base and 7 links, shape \(8, 4\)"):
        pybullet.read(m, d, inertial_axes=axes[1:])
    with pytest.raises(lw.LanewiseError, match="go together"):
        pybullet.write(m, d, inertial_axes=axes, base_position=np.zeros(3))
    with pytest.raises(lw.LanewiseError, match="other than zero for fixed joints"):
        pybullet.write(m, d, inertial_axes=axes, joint_position=np.ones(7))


def test_refusals():
    m = lw.load(SCENE)
    d = lw.Data(m)
    with pytest.raises(lw.UnsupportedFeature, match="between the world and the root: pivot"):
        pybullet.read(m, d, inertial_axes="model", root="pendulum")
    with pytest.raises(lw.UnsupportedFeature, match="(?s)joints with ref.*tilt"):
        pybullet.read(m, d, inertial_axes="model", root="drone")
    with pytest.raises(lw.UnsupportedFeature, match="(?s)joints with ref.*lift"):
        pybullet.read(m, d, inertial_axes="model", root="arm")
