"""lanewise.bridges.newton against Newton itself: what it computed is kept in a file.

tests/engines/bridge_newton.py has let Newton import the robots of bridge_robot.py, set them in
random states in its own arrays, and say where that brings all bodies and what it is to MuJoCo.
Newton computes in single precision.
"""

import json

import numpy as np
import pytest

import lanewise as lw
from lanewise.bridges import newton
from support.bridge_robot import SCENE, SEVERAL, mjcf, random_state, same_rotation
from support.places import ENGINES

KNOWN = json.loads((ENGINES / "bridge_newton.json").read_text())
MODELS = {"floating": mjcf(), "fixed": mjcf("fixed"), "scene": SCENE, "several": SEVERAL}
SINGLE = 3e-6


@pytest.fixture(params=MODELS)
def known(request):
    """A model, and what Newton knows of it: {array: (samples, ...)}"""
    samples = KNOWN["robots"][request.param]
    arrays = {name: np.array([s[name] for s in samples]) for name in samples[0]}
    return lw.load(MODELS[request.param]), arrays


def unit(q):
    """Quaternions of single precision, to double"""
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def joint_q(m, known):
    q = known["joint_q"].copy()
    for j in range(m.njnt):
        k = m.jnt_qposadr[j]  # Newton has as many coordinates as MuJoCo, in the same order
        if m.jnt_type[j] == 0:
            q[:, k + 3 : k + 7] = unit(q[:, k + 3 : k + 7])
        elif m.jnt_type[j] == 1:
            q[:, k : k + 4] = unit(q[:, k : k + 4])
    return q


def written(m, known, **more):
    b = lw.Batch(m, nsim=len(known["qpos"]))
    newton.write(m, b, joint_q=joint_q(m, known), joint_qd=known["joint_qd"], **more)
    return b


def test_joint_coordinates_mean_the_same_to_mujoco(known):
    m, arrays = known
    b = written(m, arrays)
    for j in range(m.njnt):
        k, kind = m.jnt_qposadr[j], m.jnt_type[j]
        single = {0: 3, 1: 0}.get(kind, 1)  # numbers before a quaternion, if there is one
        made, known_q = b.qpos[:, k:], arrays["qpos"][:, k:]
        assert np.abs(made[:, :single] - known_q[:, :single]).max(initial=0.0) < SINGLE
        if kind < 2:
            quat = slice(single, single + 4)
            assert same_rotation(made[:, quat], known_q[:, quat]) < SINGLE
    assert np.abs(b.qvel - arrays["qvel"]).max() < SINGLE


def test_links_of_newton_in_the_same_state(known):
    m, arrays = known
    b = written(m, arrays)
    s = newton.read(m, b)
    assert list(s.body_names) == arrays["body_names"][0].tolist()
    assert np.abs(s.body_q[..., :3] - arrays["body_q"][..., :3]).max() < SINGLE
    assert same_rotation(s.body_q[..., 3:], arrays["body_q"][..., 3:]) < SINGLE
    assert np.abs(s.body_qd - arrays["body_qd"]).max() < SINGLE
    assert np.abs(s.joint_qd - arrays["joint_qd"]).max() < SINGLE


def test_forces_are_routed_as_newton_does(known):
    m, arrays = known
    b = written(m, arrays, body_f=arrays["body_f"], joint_f=arrays["joint_f"])
    assert np.abs(b.xfrc_applied[:, 1:] - arrays["xfrc_applied"]).max() < SINGLE
    assert np.abs(b.qfrc_applied - arrays["qfrc_applied"]).max() < SINGLE
    free = m.jnt_dofadr[m.jnt_type == 0]
    assert all((b.qfrc_applied[:, i : i + 6] == 0.0).all() for i in free)


def test_body_poses_become_joint_coordinates(known):
    m, arrays = known
    b = written(m, arrays)
    s = newton.read(m, b)
    other = lw.Batch(m, nsim=len(b.qpos))
    if (m.body_jntnum > 1).any():
        with pytest.raises(lw.UnsupportedFeature, match="bodies with several joints: "):
            newton.write(m, other, body_q=s.body_q)
        return
    newton.write(m, other, body_q=s.body_q, body_qd=s.body_qd)
    assert np.abs(other.qvel - b.qvel).max() < 1e-12
    again = newton.read(m, other)
    assert np.abs(again.joint_q - s.joint_q).max() < 1e-12
    # a quaternion and its negative are one rotation, and one angle
    turned = s.body_q.copy()
    turned[:, ::2, 3:] *= -1.0
    newton.write(m, other, body_q=turned)
    joints = m.jnt_qposadr[m.jnt_type >= 2]
    assert np.abs(other.qpos[:, joints] - b.qpos[:, joints]).max() < 1e-12
    # poses of Newton itself, to its precision
    poses = arrays["body_q"].copy()
    poses[..., 3:] = unit(poses[..., 3:])
    newton.write(m, other, body_q=poses, body_qd=arrays["body_qd"])
    assert np.abs(other.qvel - b.qvel).max() < 1e-4


def test_poses_that_joints_cannot_reach():
    m = lw.load(mjcf())
    d = lw.Data(m)
    d.qpos, d.qvel = (x[0] for x in random_state(m, 1))
    s = newton.read(m, d)
    before = d.qpos.copy()
    body_q = s.body_q.copy()
    body_q[2, 0] += 0.01
    with pytest.raises(lw.LanewiseError, match="no joint coordinates give link_e this pose"):
        newton.write(m, d, body_q=body_q)
    body_qd = s.body_qd.copy()
    body_qd[5, 1] += 0.01  # a welded body moves with its parent
    with pytest.raises(lw.LanewiseError, match="link_camera this velocity: it is off by"):
        newton.write(m, d, body_q=s.body_q, body_qd=body_qd)
    newton.write(m, d, body_q=body_q, tolerance=0.1)
    assert not np.array_equal(before, d.qpos)


def test_free_bodies_are_poses():
    """Without joints in between, body_q is what joint_q is."""
    m = lw.load("""<mujoco><worldbody>
      <body><freejoint/><inertial pos="0.1 0.2 0.3" mass="1" diaginertia="1 2 2.5"/></body>
      <body><freejoint/><inertial pos="-0.3 0.2 0.1" mass="1" diaginertia="1 2 2.5"/></body>
    </worldbody></mujoco>""")
    d = lw.Data(m)
    d.qpos, d.qvel = (x[0] for x in random_state(m, 1))
    s = newton.read(m, d)
    assert s.body_names == ("body 1", "body 2")
    assert np.abs(s.joint_q - s.body_q.ravel()).max() < 1e-15
    assert np.abs(s.joint_qd - s.body_qd.ravel()).max() < 1e-15
    w = s.body_qd[0, 3:]
    # known by hand: v_com = v_origin + w x (R com)
    x, y, z, qw = s.body_q[0, 3:]
    u, c = np.array([x, y, z]), np.array([0.1, 0.2, 0.3])
    arm = c + 2 * np.cross(u, np.cross(u, c) + qw * c)
    assert np.abs(s.body_qd[0, :3] - (d.qvel[:3] + np.cross(w, arm))).max() < 1e-14


def test_what_acts_is_read_back():
    """joint_f of a free joint is read from qfrc_applied, as the wrench that does the same work."""
    m = lw.load(mjcf())
    d = lw.Data(m)
    d.qpos, d.qvel = (x[0] for x in random_state(m, 1))
    rng = np.random.default_rng(0)
    d.qfrc_applied = rng.normal(size=m.nv)
    s = newton.read(m, d)
    assert s.joint_f @ s.joint_qd == pytest.approx(d.qfrc_applied @ d.qvel, rel=1e-12)
    assert np.array_equal(s.joint_f[:3], d.qfrc_applied[:3])  # a force is a force
    # written back it is the same push, in another place
    newton.write(m, d, joint_f=s.joint_f)
    assert not d.qfrc_applied[:6].any()
    assert np.abs(d.xfrc_applied[1] - s.joint_f[:6]).max() < 1e-15


def test_forces_given_one_by_one():
    m = lw.load(mjcf())
    d = lw.Data(m)
    rng = np.random.default_rng(0)
    body_f, joint_f = rng.normal(size=(8, 6)), rng.normal(size=12)
    newton.write(m, d, body_f=body_f)
    assert np.array_equal(d.xfrc_applied[1:], body_f) and not d.qfrc_applied.any()
    newton.write(m, d, joint_f=joint_f)
    assert np.array_equal(d.xfrc_applied[1], joint_f[:6])
    assert np.array_equal(d.xfrc_applied[2:], body_f[1:])
    newton.write(m, d, body_f=body_f, joint_f=joint_f)
    assert np.array_equal(d.xfrc_applied[1], body_f[0] + joint_f[:6])


def test_what_contradicts_itself():
    m = lw.load(mjcf())
    d = lw.Data(m)
    s = newton.read(m, d)
    with pytest.raises(lw.LanewiseError, match="say the same"):
        newton.write(m, d, body_q=s.body_q, joint_q=s.joint_q)
    with pytest.raises(lw.LanewiseError, match="body_qd needs body_q"):
        newton.write(m, d, body_qd=s.body_qd)


JOINTS = {
    "a slide after a hinge": '<joint name="a"/><joint type="slide"/>',
    "joints at several points": '<joint axis="1 0 0"/><joint axis="0 1 0" pos="0 0 0.1"/>',
    "not at right angles": '<joint axis="1 0 0"/><joint axis="1 1 0"/>',
    "a ball joint beside others": '<joint type="slide"/><joint type="ball"/>',
}


@pytest.mark.parametrize("reason", JOINTS)
def test_joints_that_newton_reads_otherwise(reason):
    m = lw.load(f"""<mujoco><worldbody><body name="box">{JOINTS[reason]}
      <geom size="0.1"/></body></worldbody></mujoco>""")
    with pytest.raises(lw.UnsupportedFeature, match=f"(?s)one D6 joint.*{reason}.*box"):
        newton.read(m, lw.Data(m))
