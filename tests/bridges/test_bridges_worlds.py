"""What all bridges share: how states are read and written, of one world and of many."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.bridges import drake, isaaclab, newton, pinocchio, pybullet, ros
from lanewise.bridges.links import links
from lanewise.bridges.simulation import Worlds
from support.bridge_robot import SCENE, SEVERAL, mjcf, random_state, same_rotation

TOLERANCE = 1e-13

# a mocap body with a child, slides and hinges mixed on one body, a ball after a slide
ODD = """
<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="hand" mocap="true" pos="1 2 3"><geom size="0.1"/>
    <body name="ring" pos="0.1 0.2 0.3" euler="10 20 30"><geom size="0.1"/></body></body>
  <body name="a" pos="0.1 0 0.5" euler="40 -30 20">
    <joint axis="1 2 3" pos="0.1 0.2 -0.1"/><joint type="slide" axis="0 1 1" pos="1 2 3"/>
    <joint axis="0 1 -1" pos="-0.2 0 0.1" ref="35"/><geom size="0.1" pos="0.1 0 0"/>
    <body name="b" pos="0.3 0.1 0" euler="-10 60 5">
      <joint type="slide" axis="1 1 0" ref="0.3"/><joint type="ball" pos="0.1 -0.1 0.2"/>
      <geom size="0.1" pos="0 0.2 0.1"/></body></body>
</worldbody></mujoco>
"""

READ = {
    "newton": (newton, {}),
    "isaaclab": (isaaclab, {"version": 3, "backend": "physx", "fixed": "keep"}),
    "drake": (drake, {}),
    "pinocchio": (pinocchio, {"file": "urdf", "continuous": ["wrist"]}),
    "pybullet": (pybullet, {"inertial_axes": "model"}),
    "ros": (ros, {"frame_id": "odom"}),
}


def arrays(s):
    """The arrays of a state, by name; of ROS's the joint states only"""
    s = s.joint_state if isinstance(s, ros.RosState) else vars(s)
    return {name: x for name, x in s.items() if isinstance(x, np.ndarray)}


@pytest.fixture(params=READ)
def bridge(request):
    return READ[request.param]


@pytest.fixture
def batch():
    m = lw.load(mjcf())
    b = lw.Batch(m, nsim=5, nthread=1)
    b.qpos, b.qvel = random_state(m, 5)
    rng = np.random.default_rng(7)
    b.xfrc_applied, b.qfrc_applied = rng.normal(size=(5, 9, 6)), rng.normal(size=(5, 12))
    return m, b


@pytest.mark.parametrize("text", [mjcf(), mjcf("fixed"), SCENE, SEVERAL, ODD])
def test_links_are_where_mujoco_has_them(text):
    m = lw.load(text)
    b = lw.Batch(m, nsim=3)
    b.qpos, b.qvel = random_state(m, 3)
    if m.nmocap:
        rng = np.random.default_rng(0)
        quat = rng.normal(size=(3, 1, 4))
        b.mocap_pos = rng.normal(size=(3, 1, 3))
        b.mocap_quat = quat / np.linalg.norm(quat, axis=-1, keepdims=True)
    q, v = links(Worlds(m, b), b.qpos, b.qvel)
    d, known = mujoco.MjData(m.mj), np.zeros(6)
    for k in range(3):
        d.qpos[:], d.qvel[:] = b.qpos[k], b.qvel[k]
        if m.nmocap:
            d.mocap_pos[:], d.mocap_quat[:] = b.mocap_pos[k], b.mocap_quat[k]
        mujoco.mj_forward(m.mj, d)
        assert np.abs(q[k, :, :3] - d.xpos).max() < TOLERANCE
        assert same_rotation(q[k, :, 3:], d.xquat) < TOLERANCE
        for body in range(m.nbody):
            R = d.xmat[body].reshape(3, 3)
            mujoco.mj_objectVelocity(m.mj, d, mujoco.mjtObj.mjOBJ_XBODY, body, known, 0)
            assert np.abs(v[k, body, :3] - known[3:]).max() < TOLERANCE
            assert np.abs(R @ v[k, body, 3:] - known[:3]).max() < TOLERANCE


def test_worlds_do_not_depend_on_each_other(bridge, batch):
    """A Batch, a Data of several worlds and Datas of one have the same numbers."""
    (module, choices), (m, b) = bridge, batch
    of_batch = arrays(module.read(m, b, **choices))
    several = lw.Data(m, lanes=5)
    for name in ("qpos", "qvel", "xfrc_applied", "qfrc_applied"):
        setattr(several, name, getattr(b, name))
    of_several = arrays(module.read(m, several, **choices))
    assert of_batch
    for k in range(5):
        d = lw.Data(m)
        for name in ("qpos", "qvel", "xfrc_applied", "qfrc_applied"):
            setattr(d, name, getattr(b, name)[k])
        of_one = arrays(module.read(m, d, **choices))
        for name, x in of_one.items():
            assert x.shape == of_batch[name].shape[1:], name
            assert np.array_equal(of_batch[name][k], x), name
            assert np.array_equal(of_several[name][k], x), name


def test_a_batch_of_one_world_has_the_axis_too(bridge):
    module, choices = bridge
    m = lw.load(mjcf())
    made = arrays(module.read(m, lw.Batch(m, nsim=1), **choices))
    alone = arrays(module.read(m, lw.Data(m), **choices))
    assert made and all(x.shape == (1, *alone[name].shape) for name, x in made.items())


def test_reading_changes_nothing_and_is_not_stale(bridge, batch):
    """After a step, xpos is of the state before: what is read is of the state after."""
    (module, choices), (m, b) = bridge, batch
    xpos = b.bind("xpos")
    b.step(nstep=3)
    state, outputs = b.state.copy(), xpos.copy()
    s = module.read(m, b, **choices)
    assert np.array_equal(b.state, state) and np.array_equal(b.xpos, outputs)
    b.forward(stage=1)
    assert np.abs(b.xpos - outputs).max() > 1e-4  # it was stale
    positions = {
        "body_q": lambda x: x[..., :3], "body_link_pose_w": lambda x: x[..., :3],
        "X_WB": lambda x: x[..., 4:], "body_pose": lambda x: x[..., :3],
        "link_frame_position": lambda x: x,
    }  # fmt: skip
    for name in set(positions) & set(arrays(s)):
        names = s.body_names if hasattr(s, "body_names") else s.link_names
        bodies = [m.mj.body(body).id for body in names]
        made = positions[name](getattr(s, name))
        assert np.abs(made - b.xpos[:, bodies]).max() < TOLERANCE, name
    # and it is the user's own: writing into it does not write into the worlds
    for x in arrays(s).values():
        x[...] = 7.0
    assert np.array_equal(b.state, state)


def test_writing_computes_nothing(batch):
    m, b = batch
    b.bind("xpos")
    b.forward(stage=1)
    before = b.xpos.copy()
    s = newton.read(m, b)
    newton.write(m, b, joint_q=np.roll(s.joint_q, 1, axis=0), joint_qd=s.joint_qd)
    assert np.array_equal(b.xpos, before)
    b.forward(stage=1)
    assert np.abs(b.xpos - np.roll(before, 1, axis=0)).max() < TOLERANCE


WRITTEN = {
    "newton": ("joint_q", "joint_qd", "joint_f"),
    "isaaclab": ("root_state_w", "joint_pos", "joint_vel"),
    "drake": ("q", "v", "tau"),
    "pinocchio": ("q", "v", "tau"),
    "pybullet": (
        "base_position", "base_orientation", "base_linear_velocity", "base_angular_velocity",
        "joint_position", "joint_velocity",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_what_was_read_is_written(name, batch):
    (module, choices), (m, b) = READ[name], batch
    s = module.read(m, b, **choices)
    fields = {field: getattr(s, field) for field in WRITTEN[name]}
    other = lw.Batch(m, nsim=5)
    module.write(m, other, **choices, **fields)
    assert np.abs(other.qpos - b.qpos).max() < TOLERANCE
    assert np.abs(other.qvel - b.qvel).max() < TOLERANCE
    if "tau" in fields:
        assert np.abs(other.qfrc_applied - b.qfrc_applied).max() < TOLERANCE
    # one row for all worlds
    module.write(m, other, **choices, **{field: x[2] for field, x in fields.items()})
    assert np.abs(other.qpos - b.qpos[2]).max() < TOLERANCE
    assert np.abs(other.qvel - b.qvel[2]).max() < TOLERANCE
    # velocities alone belong to where the worlds are
    velocity = [field for field in WRITTEN[name] if field in ("joint_qd", "v")]
    for field in velocity:
        other.qpos = b.qpos
        module.write(m, other, **choices, **{field: fields[field]})
        assert np.abs(other.qvel - b.qvel).max() < TOLERANCE


def test_power_is_the_same_in_every_system(batch):
    m, b = batch
    power = np.einsum("wi,wi->w", b.qfrc_applied, b.qvel)
    s = newton.read(m, b)
    assert np.einsum("wi,wi->w", s.joint_f, s.joint_qd) == pytest.approx(power, rel=1e-12)
    for module, choices in (READ["drake"], READ["pinocchio"]):
        s = module.read(m, b, **choices)
        assert np.einsum("wi,wi->w", s.tau, s.v) == pytest.approx(power, rel=1e-12)
    m = lw.load(SCENE)  # with a ball joint
    d = lw.Data(m)
    d.qpos, d.qvel = (x[0] for x in random_state(m, 1))
    d.qfrc_applied = np.random.default_rng(1).normal(size=m.nv)
    assert drake.read(m, d).tau @ drake.read(m, d).v == pytest.approx(d.qfrc_applied @ d.qvel)
    s = newton.read(m, d)
    assert s.joint_f @ s.joint_qd == pytest.approx(d.qfrc_applied @ d.qvel, rel=1e-12)


def test_constants_of_each_world(batch):
    """A centre of mass of its own in every world, as a Batch may have it."""
    m, b = batch
    ipos = b.expand("body_ipos")
    ipos += np.random.default_rng(3).uniform(-0.1, 0.1, ipos.shape)
    b.expand("body_pos")[:, 3, 2] += [0.0, 0.1, 0.2, 0.3, 0.4]
    of_batch = newton.read(m, b), isaaclab.read(m, b, version=2, fixed="merge")
    for k in range(5):
        own = lw.load(b.get_model(k))
        d = lw.Data(own)
        d.qpos, d.qvel = b.qpos[k], b.qvel[k]
        alone = newton.read(own, d), isaaclab.read(own, d, version=2, fixed="merge")
        for name in ("body_q", "body_qd", "joint_qd"):
            known = getattr(alone[0], name)
            assert np.abs(getattr(of_batch[0], name)[k] - known).max() < TOLERANCE, name
        assert np.abs(of_batch[1].body_state_w[k] - alone[1].body_state_w).max() < TOLERANCE
    shared = lw.Batch(m, nsim=5)
    shared.qpos, shared.qvel = b.qpos, b.qvel
    assert np.abs(newton.read(m, shared).body_qd - of_batch[0].body_qd).max() > 0.01


def test_a_model_that_was_edited_later(batch):
    """A Batch simulates the model as it was: so it is that one which counts."""
    m, b = batch
    before = newton.read(m, b).body_qd
    m.body_ipos[3] += 1.0
    assert np.array_equal(newton.read(m, b).body_qd, before)


def test_models_of_the_caller(batch):
    m, b = batch
    b.set_models([m.mj] * 5)
    with pytest.raises(lw.UnsupportedFeature, match="Batch.set_models"):
        newton.read(m, b)


def test_wrong_arguments(bridge, batch):
    (module, choices), (m, b) = bridge, batch
    with pytest.raises(TypeError, match="a Data or a Batch, got MjData"):
        module.read(m, mujoco.MjData(m.mj), **choices)
    with pytest.raises(ValueError, match="made for another model"):
        module.read(lw.load(mjcf()), b, **choices)
    with pytest.raises(ValueError, match="the first argument must be the model, got Batch"):
        module.read(b, b, **choices)


def test_bad_numbers_are_refused_and_nothing_is_written(batch):
    m, b = batch
    state = b.state.copy()
    s = drake.read(m, b)
    moved = np.roll(s.q, 1, axis=0)
    bad = s.v.copy()
    bad[3, 4] = np.nan
    with pytest.raises(lw.LanewiseError, match=r"v has nan at index \(3, 4\)"):
        drake.write(m, b, q=moved, v=bad)
    with pytest.raises(lw.LanewiseError, match=r"q must have shape \(5, 13\), or \(13,\) for all"):
        drake.write(m, b, q=s.q[:3])
    with pytest.raises(lw.LanewiseError, match="v must be an array of numbers"):
        drake.write(m, b, q=moved, v="fast")
    q = s.q.copy()
    q[2, :4] = 0.0
    with pytest.raises(lw.LanewiseError, match="is zero; a rotation needs length 1"):
        drake.write(m, b, q=q, v=s.v)
    assert np.array_equal(b.state, state)
    b.qpos[1, 3:7] *= 1.01  # MuJoCo would take it, and normalize a copy
    for module, choices in READ.values():
        with pytest.raises(lw.LanewiseError, match="has length 1.01"):
            module.read(m, b, **choices)


def test_what_is_not_a_rotation_is_named():
    m = lw.load(ODD)
    d = lw.Data(m)
    d.mocap_quat *= 2.0
    with pytest.raises(lw.LanewiseError, match="mocap_quat of hand.* has length 2"):
        drake.read(m, d)
