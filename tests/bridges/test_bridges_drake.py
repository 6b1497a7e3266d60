"""lanewise.bridges.drake against Drake itself: the same file, the same state."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.bridges import drake
from support import bridge_robot
from support.bridge_robot import SCENE, mjcf, random_state, same_rotation, urdf

pydrake = pytest.importorskip("pydrake.all")

TOLERANCE = 1e-12

CASES = {
    "urdf, floating": (mjcf(), urdf(), "urdf"),
    "urdf, fixed": (mjcf("fixed"), urdf("fixed"), "urdf"),
    "mjcf, floating": (mjcf(), mjcf(), "mjcf"),
    "mjcf, several trees": (SCENE, SCENE, "mjcf"),
}


def make_plant(text: str, kind: str, tmp_path):
    path = tmp_path / ("robot.urdf" if kind == "urdf" else "robot.xml")
    path.write_text(text)
    plant = pydrake.MultibodyPlant(0.0)
    pydrake.Parser(plant).AddModels(str(path))
    plant.mutable_gravity_field().set_gravity_vector([0, 0, 0])
    plant.Finalize()
    return plant


@pytest.fixture(params=CASES)
def both(request, tmp_path):
    """A lanewise model, and the plant of the same robot."""
    own, text, kind = CASES[request.param]
    return lw.load(own), make_plant(text, kind, tmp_path)


def test_links_of_a_plant_in_the_same_state(both):
    m, plant = both
    qpos, qvel = random_state(m, 4)
    context = plant.CreateDefaultContext()
    b = lw.Batch(m, nsim=4)
    b.qpos, b.qvel = qpos, qvel
    s = drake.read(m, b)
    for k in range(4):
        plant.SetPositions(context, s.q[k])
        plant.SetVelocities(context, s.v[k])
        for row, name in enumerate(s.body_names):
            body = plant.GetBodyByName(name)
            X = plant.EvalBodyPoseInWorld(context, body)
            V = plant.EvalBodySpatialVelocityInWorld(context, body)
            assert np.abs(s.X_WB[k, row, 4:] - X.translation()).max() < TOLERANCE
            quat = X.rotation().ToQuaternion().wxyz()
            assert same_rotation(s.X_WB[k, row, :4], quat) < TOLERANCE
            assert np.abs(s.V_WB[k, row] - V.get_coeffs()).max() < TOLERANCE
            # the centre of mass too: of MuJoCo's own kinematics
            com = body.EvalPoseInWorld(context) @ body.CalcCenterOfMassInBodyFrame(context)
            assert np.abs(com_in_mujoco(m, qpos[k], name) - com).max() < TOLERANCE


def com_in_mujoco(m, qpos, name):
    d = mujoco.MjData(m.mj)
    d.qpos[:] = qpos
    mujoco.mj_kinematics(m.mj, d)
    return d.body(name).xipos.copy()


def test_names_and_sizes_are_those_of_the_plant(both):
    m, plant = both
    s = drake.read(m, lw.Data(m))
    assert s.q.shape == (plant.num_positions(),) and s.v.shape == (plant.num_velocities(),)
    single = [n for n in s.joint_names if m.jnt_type[m.mj.joint(n).id] >= 2]
    names = plant.GetVelocityNames(add_model_instance_prefix=False)
    assert [n for n in (x.rpartition("_")[0] for x in names) if n in single] == single


def test_a_plants_state_written_back(both):
    m, plant = both
    qpos, qvel = random_state(m, 1, seed=2)
    d = lw.Data(m)
    d.qpos, d.qvel = qpos[0], qvel[0]
    s = drake.read(m, d)
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, s.q)
    plant.SetVelocities(context, s.v)
    other = lw.Data(m)
    drake.write(m, other, q=plant.GetPositions(context), v=plant.GetVelocities(context))
    assert np.abs(other.qvel - d.qvel).max() < TOLERANCE
    again = drake.read(m, other)
    assert np.abs(again.X_WB[:, 4:] - s.X_WB[:, 4:]).max() < TOLERANCE
    assert np.abs(again.V_WB - s.V_WB).max() < TOLERANCE


def test_forces_accelerate_both_alike(both):
    """At rest accelerations transform as velocities do."""
    m, plant = both
    qpos, _ = random_state(m, 1, seed=5)
    d = lw.Data(m)
    d.qpos = qpos[0]
    tau = np.random.default_rng(1).normal(size=m.nv)
    drake.write(m, d, tau=tau)
    mj = mujoco.MjData(m.mj)
    mj.qpos[:], mj.qfrc_applied[:] = d.qpos, d.qfrc_applied
    mujoco.mj_forward(m.mj, mj)

    context = plant.CreateDefaultContext()
    plant.SetPositions(context, drake.read(m, d).q)
    plant.SetVelocities(context, np.zeros(m.nv))
    vdot = np.linalg.solve(plant.CalcMassMatrix(context), tau)
    drake.write(m, d, v=vdot)
    assert np.abs(d.qvel - mj.qacc).max() < 1e-9 * np.abs(mj.qacc).max()
    assert np.abs(drake.read(m, d).tau - tau).max() < TOLERANCE


def test_floating_trees_come_last():
    m = lw.load(SCENE)
    assert drake.read(m, lw.Data(m)).joint_names == (
        "lift", "swing", "pivot", "socket", "table_x", "table_turn",
        "drone_free", "tilt", "crate_free",
    )  # fmt: skip


def test_what_cannot_be_written_changes_nothing():
    m = lw.load(bridge_robot.mjcf())
    d = lw.Data(m)
    s = drake.read(m, d)
    q = s.q.copy()
    q[:4] *= 1.1
    before = d.qpos.copy(), d.qvel.copy()
    with pytest.raises(lw.LanewiseError, match="length 1.1"):
        drake.write(m, d, q=q, v=s.v + 1.0)
    with pytest.raises(lw.LanewiseError, match=r"v must have shape \(12,\); got \(11,\)"):
        drake.write(m, d, q=s.q + 0.0, v=s.v[:-1])
    with pytest.raises(lw.LanewiseError, match="nothing to write"):
        drake.write(m, d)
    assert np.array_equal(d.qpos, before[0]) and np.array_equal(d.qvel, before[1])
