"""lanewise.bridges.pinocchio against Pinocchio itself: the same file, the same state."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.bridges import pinocchio
from support.bridge_robot import SCENE, SEVERAL, mjcf, random_state, same_rotation, urdf

pin = pytest.importorskip("pinocchio")

TOLERANCE = 1e-12

# of the scene, Pinocchio reads the first tree; the others are tried alone, as the first
PENDULUM = SCENE.replace("<worldbody>", "<worldbody><!--", 1).replace(
    '<body name="pendulum"', '--><body name="pendulum"'
)

CASES = {
    "urdf, floating": (mjcf(), urdf(), {"file": "urdf", "continuous": ["wrist"]}),
    "urdf, fixed": (mjcf("fixed"), urdf("fixed"), {"file": "urdf", "continuous": ["wrist"]}),
    "mjcf, floating": (mjcf(), mjcf(), {"file": "mjcf"}),
    "mjcf, anchor and ref": (SCENE, SCENE, {"file": "mjcf", "root": "drone"}),
    "mjcf, several joints": (SEVERAL, SEVERAL, {"file": "mjcf", "root": "torso"}),
    "mjcf, ball": (PENDULUM, PENDULUM, {"file": "mjcf", "root": "pendulum"}),
}


def make_model(text: str, file: str, tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(text)
    if file == "mjcf":
        model = pin.buildModelFromMJCF(str(path))
    elif 'link name="world"' in text:
        model = pin.buildModelFromUrdf(str(path))
    else:
        model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    model.gravity = pin.Motion.Zero()
    return model


@pytest.fixture(params=CASES)
def both(request, tmp_path):
    """A lanewise model, the Pinocchio model of the same robot, and what has to be said of it."""
    own, text, choices = CASES[request.param]
    return lw.load(own), make_model(text, choices["file"], tmp_path), choices


def test_links_of_a_robot_in_the_same_state(both):
    m, model, choices = both
    b = lw.Batch(m, nsim=4)
    b.qpos, b.qvel = random_state(m, 4)
    s = pinocchio.read(m, b, **choices)
    assert s.q.shape == (4, model.nq) and s.v.shape == (4, model.nv)
    data = model.createData()
    for k in range(4):
        pin.forwardKinematics(model, data, s.q[k], s.v[k])
        pin.updateFramePlacements(model, data)
        for row, name in enumerate(s.body_names):
            frame = model.getFrameId(name, pin.FrameType.BODY)
            X = data.oMf[frame]
            assert np.abs(s.body_pose[k, row, :3] - X.translation).max() < TOLERANCE
            quat = pin.Quaternion(X.rotation).coeffs()
            assert same_rotation(s.body_pose[k, row, 3:], quat) < TOLERANCE
            V = pin.getFrameVelocity(model, data, frame, pin.ReferenceFrame.LOCAL)
            assert np.abs(s.body_velocity[k, row] - V.vector).max() < TOLERANCE


def test_joint_names_are_in_its_order(both):
    m, model, choices = both
    names = pinocchio.read(m, lw.Data(m), **choices).joint_names
    common = [n for n in model.names if n in names]  # it calls some joints otherwise
    assert common == [n for n in names if n in common]
    assert len(common) >= len(model.names) - 4


def test_a_robots_state_written_back(both):
    m, _, choices = both
    d, other = lw.Data(m), lw.Data(m)
    d.qpos, d.qvel = (x[0] for x in random_state(m, 1, seed=2))
    s = pinocchio.read(m, d, **choices)
    pinocchio.write(m, other, q=s.q, v=s.v, **choices)
    again = pinocchio.read(m, other, **choices)
    for name in ("q", "v", "body_pose", "body_velocity"):
        assert np.abs(getattr(again, name) - getattr(s, name)).max() < TOLERANCE
    of_robot = [j for j in range(m.njnt) if m.mj.joint(j).name in s.joint_names]
    for j in of_robot:
        assert np.abs(m_slice(m, other.qpos, j) - m_slice(m, d.qpos, j)).max() < TOLERANCE


def m_slice(m, qpos, j):
    width = (7, 4, 1, 1)[m.jnt_type[j]]
    return qpos[m.jnt_qposadr[j] : m.jnt_qposadr[j] + width]


def test_forces_accelerate_both_alike(both):
    """At rest accelerations transform as velocities do."""
    m, model, choices = both
    d = lw.Data(m)
    d.qpos = random_state(m, 1, seed=5)[0][0]
    tau = np.random.default_rng(1).normal(size=model.nv)
    pinocchio.write(m, d, tau=tau, **choices)
    mj = mujoco.MjData(m.mj)
    mj.qpos[:], mj.qfrc_applied[:] = d.qpos, d.qfrc_applied
    mujoco.mj_forward(m.mj, mj)

    q = pinocchio.read(m, d, **choices).q
    a = pin.aba(model, model.createData(), q, np.zeros(model.nv), tau)
    pinocchio.write(m, d, v=a, **choices)
    assert np.abs(d.qvel - mj.qacc).max() < 1e-9 * np.abs(mj.qacc).max()
    assert np.abs(pinocchio.read(m, d, **choices).tau - tau).max() < TOLERANCE


def test_order_of_siblings_depends_on_the_file():
    m = lw.load(mjcf())
    d = lw.Data(m)
    assert pinocchio.read(m, d, file="mjcf").joint_names == (
        "root", "z_hip", "shin_2", "shin_10", "a_arm", "wrist", "m_mast",
    )  # fmt: skip
    assert pinocchio.read(m, d, file="urdf", continuous=()).joint_names == (
        "root", "a_arm", "wrist", "m_mast", "z_hip", "shin_10", "shin_2",
    )  # fmt: skip


def test_what_has_to_be_said():
    m = lw.load(mjcf())
    d = lw.Data(m)
    with pytest.raises(TypeError, match="file"):
        pinocchio.read(m, d)
    with pytest.raises(lw.LanewiseError, match="file must be one of urdf, mjcf; got 'usd'"):
        pinocchio.read(m, d, file="usd")
    with pytest.raises(lw.LanewiseError, match="no limits.*wrist.*continuous="):
        pinocchio.read(m, d, file="urdf")
    with pytest.raises(lw.LanewiseError, match="no hinge without limits is called 'z_hip'"):
        pinocchio.read(m, d, file="urdf", continuous=["z_hip"])
    with pytest.raises(lw.LanewiseError, match="names of URDF joints"):
        pinocchio.read(m, d, file="urdf", continuous="wrist")
    with pytest.raises(lw.LanewiseError, match="with file='mjcf'"):
        pinocchio.read(m, d, file="mjcf", continuous=["wrist"])


def test_circles_must_be_circles():
    m = lw.load(mjcf())
    d = lw.Data(m)
    choices = {"file": "urdf", "continuous": ["wrist"]}
    q = pinocchio.read(m, d, **choices).q
    assert q[8:10] == pytest.approx([1.0, 0.0])
    with pytest.raises(lw.LanewiseError, match="length 0.5"):
        pinocchio.write(m, d, q=np.where(np.arange(len(q)) == 8, 0.5, q), **choices)


def test_one_tree_at_a_time():
    m = lw.load(SCENE)
    with pytest.raises(lw.LanewiseError, match="5 trees stand on the world.*root=.*'drone'"):
        pinocchio.read(m, lw.Data(m), file="mjcf")
    with pytest.raises(lw.LanewiseError, match="no tree has the root 'dron'.*did you mean 'drone'"):
        pinocchio.read(m, lw.Data(m), file="mjcf", root="dron")
