"""lanewise.bridges.ros: messages against MuJoCo's own kinematics and forces."""

import json
import re

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.bridges import ros
from support.bridge_robot import SCENE, mjcf, random_state

TOLERANCE = 1e-13

# of the .msg files of ROS 2; a number is a float, an empty list of strings or floats has no items
DEFINITIONS = {
    "odometry": {
        "header": {"stamp": {"sec", "nanosec"}, "frame_id": None},
        "child_frame_id": None,
        "pose": {
            "pose": {"position": set("xyz"), "orientation": set("xyzw")}, "covariance": None
        },
        "twist": {"twist": {"linear": set("xyz"), "angular": set("xyz")}, "covariance": None},
    },
    "joint_state": {
        "header": {"stamp": {"sec", "nanosec"}, "frame_id": None},
        "name": None, "position": None, "velocity": None, "effort": None,
    },
    "transform": {
        "header": {"stamp": {"sec", "nanosec"}, "frame_id": None},
        "child_frame_id": None,
        "transform": {"translation": set("xyz"), "rotation": set("xyzw")},
    },
    "wrench": {
        "header": {"stamp": {"sec", "nanosec"}, "frame_id": None},
        "wrench": {"force": set("xyz"), "torque": set("xyz")},
    },
}  # fmt: skip


def has_fields(message, definition):
    assert set(message) == set(definition)
    for key, inner in definition.items() if isinstance(definition, dict) else ():
        if inner is not None:
            has_fields(message[key], inner)


def numbers(message, letters="xyz"):
    return np.array([message[c] for c in letters])


@pytest.fixture
def world():
    """A model, a Data in a random state, and MuJoCo's data of the same state."""
    m = lw.load(mjcf())
    d = lw.Data(m)
    d.qpos, d.qvel = (x[0] for x in random_state(m, 1))
    d.time = 12.345678901
    mj = mujoco.MjData(m.mj)
    mj.qpos[:], mj.qvel[:] = d.qpos, d.qvel
    mujoco.mj_forward(m.mj, mj)
    return m, d, mj


def test_messages_have_the_fields_of_ros(world):
    m, d, _ = world
    s = ros.read(m, d, frame_id="odom")
    has_fields(s.odometry[0], DEFINITIONS["odometry"])
    has_fields(s.joint_state, DEFINITIONS["joint_state"])
    has_fields(s.tf["transforms"][3], DEFINITIONS["transform"])
    has_fields(s.wrenches[2], DEFINITIONS["wrench"])
    assert s.odometry[0]["header"] == {
        "stamp": {"sec": 12, "nanosec": 345678901}, "frame_id": "odom"
    }  # fmt: skip
    assert len(s.odometry[0]["pose"]["covariance"]) == 36
    json.dumps([s.odometry, s.tf, s.wrenches])  # plain numbers all through


def test_odometry_is_in_the_two_frames(world):
    m, d, mj = world
    (message,) = ros.odometry(m, d, frame_id="odom")
    assert message["child_frame_id"] == "link_trunk"
    pose, twist = message["pose"]["pose"], message["twist"]["twist"]
    assert np.abs(numbers(pose["position"]) - mj.xpos[1]).max() < TOLERANCE
    assert np.abs(numbers(pose["orientation"], "wxyz") - mj.xquat[1]).max() < TOLERANCE
    v = np.zeros(6)  # of the origin, in body axes, angular first
    mujoco.mj_objectVelocity(m.mj, mj, mujoco.mjtObj.mjOBJ_XBODY, 1, v, 1)
    assert np.abs(numbers(twist["linear"]) - v[3:]).max() < TOLERANCE
    assert np.abs(numbers(twist["angular"]) - v[:3]).max() < TOLERANCE


def test_transforms_lead_to_where_mujoco_has_the_bodies(world):
    m, d, mj = world
    placed = {"odom": (np.zeros(3), np.eye(3))}
    for t in ros.tf(m, d, frame_id="odom")["transforms"]:
        p, R = placed[t["header"]["frame_id"]]  # parents come first
        R_own = np.zeros(9)
        mujoco.mju_quat2Mat(R_own, numbers(t["transform"]["rotation"], "wxyz"))
        p = p + R @ numbers(t["transform"]["translation"])
        R = R @ R_own.reshape(3, 3)
        placed[t["child_frame_id"]] = (p, R)
        body = mj.body(t["child_frame_id"])
        assert np.abs(p - body.xpos).max() < TOLERANCE
        assert np.abs(R - body.xmat.reshape(3, 3)).max() < TOLERANCE
    assert len(placed) == m.nbody
    parents = [t["header"]["frame_id"] for t in ros.tf(m, d, frame_id="odom")["transforms"]]
    assert parents[0] == "odom" and parents[6] == "link_camera"


def test_joint_states_go_by_name(world):
    m, d, _ = world
    message = ros.joint_state(m, d)
    for name, q, v in zip(message["name"], message["position"], message["velocity"]):
        assert q == d.qpos[m.mj.joint(name).qposadr[0]]
        assert v == d.qvel[m.mj.joint(name).dofadr[0]]
    assert len(message["name"]) == 6 and len(message["effort"]) == 0

    before, other = d.qpos.copy(), d.qvel.copy()
    part = {"name": ["wrist", "a_arm"], "position": [0.5, -0.25], "velocity": [], "effort": [1, 2]}
    ros.write(m, d, frame_id="odom", joint_state=part)
    changed = {"wrist": 0.5, "a_arm": -0.25}
    for name in message["name"]:
        k = m.mj.joint(name).qposadr[0]
        assert d.qpos[k] == changed.get(name, before[k])
    assert np.array_equal(d.qvel, other)
    assert d.qfrc_applied[m.mj.joint("wrist").dofadr[0]] == 1
    assert d.qfrc_applied[m.mj.joint("a_arm").dofadr[0]] == 2
    assert np.count_nonzero(d.qfrc_applied) == 2


def test_odometry_of_another_place_is_written(world):
    m, d, _ = world
    (message,) = ros.odometry(m, d, frame_id="odom")
    other = lw.Data(m)
    ros.write(m, other, frame_id="odom", odometry=message)
    assert np.abs(other.qpos[:7] - d.qpos[:7]).max() < TOLERANCE
    assert np.abs(other.qvel[:6] - d.qvel[:6]).max() < TOLERANCE
    assert not other.qpos[7:].any() and not other.qvel[6:].any()


def test_a_wrench_acts_at_the_origin_of_its_frame(world):
    m, d, mj = world
    f, t = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.7, -0.4])
    message = {
        "header": {"frame_id": "link_e"},
        "wrench": {"force": dict(zip("xyz", f)), "torque": dict(zip("xyz", t))},
    }
    ros.write(m, d, frame_id="odom", wrenches=message)
    b = m.mj.body("link_e").id
    R = mj.xmat[b].reshape(3, 3)
    known = np.zeros(m.nv)
    mujoco.mj_applyFT(m.mj, mj, R @ f, R @ t, mj.xpos[b], b, known)
    made = np.zeros(m.nv)
    wrench = d.xfrc_applied[b]
    mujoco.mj_applyFT(m.mj, mj, wrench[:3], wrench[3:], mj.xipos[b], b, made)
    assert np.abs(made - known).max() < TOLERANCE
    assert np.count_nonzero(d.xfrc_applied.any(axis=1)) == 1
    back = next(w for w in ros.wrenches(m, d) if w["header"]["frame_id"] == "link_e")["wrench"]
    assert np.abs(numbers(back["force"]) - f).max() < TOLERANCE
    assert np.abs(numbers(back["torque"]) - t).max() < TOLERANCE


def test_messages_of_many_worlds():
    m = lw.load(mjcf())
    b = lw.Batch(m, nsim=3)
    b.qpos, b.qvel = random_state(m, 3)
    b.time[:] = [0.0, 1.5, 2.25]
    s = ros.read(m, b, frame_id="odom")
    assert s.odometry[0]["pose"]["pose"]["position"]["x"].shape == (3,)
    assert s.joint_state["position"].shape == (3, 6)
    d = lw.Data(m)
    d.qpos, d.qvel, d.time = b.qpos[1], b.qvel[1], 1.5
    one = ros.read(m, d, frame_id="odom")
    assert ros.pick(s.odometry, 1) == one.odometry
    assert ros.pick(s.tf, 1) == one.tf
    assert ros.pick(s.wrenches, 1) == one.wrenches
    assert ros.pick(s.joint_state, 1)["position"] == one.joint_state["position"].tolist()
    other = lw.Batch(m, nsim=3)
    ros.write(m, other, frame_id="odom", odometry=s.odometry, joint_state=s.joint_state)
    assert np.abs(other.qpos - b.qpos).max() < TOLERANCE
    assert np.abs(other.qvel - b.qvel).max() < TOLERANCE


def test_several_free_bodies_and_a_ball():
    m = lw.load(SCENE)
    d = lw.Data(m)
    frames = [message["child_frame_id"] for message in ros.odometry(m, d, frame_id="map")]
    assert frames == ["drone", "crate"]
    assert len(ros.tf(m, d, frame_id="map")["transforms"]) == m.nbody - 1
    with pytest.raises(lw.UnsupportedFeature, match="(?s)JointState.*ball joint: socket"):
        ros.read(m, d, frame_id="map")


def test_what_is_wrong_with_a_message(world):
    m, d, _ = world
    before = d.qpos.copy()
    (odometry,) = ros.odometry(m, d, frame_id="map")
    wrench = {"force": dict.fromkeys("xyz", 1.0), "torque": dict.fromkeys("xyz", 0.0)}
    wrong = {
        "is in frame 'map', and the world is 'odom'": {"odometry": odometry},
        "'link_c' has no free joint: an Odometry is of one of: link_trunk": {
            "odometry": {**odometry, "header": {"frame_id": "odom"}, "child_frame_id": "link_c"}
        },
        "no joint 'wrst' (did you mean 'wrist'?)": {
            "joint_state": {"name": ["wrst"], "position": [1.0], "velocity": []}
        },
        "names a joint twice": {
            "joint_state": {"name": ["wrist", "wrist"], "position": [1.0, 2.0], "velocity": []}
        },
        "position must have shape (1,); got (2,)": {
            "joint_state": {"name": ["wrist"], "position": [1.0, 2.0], "velocity": []}
        },
        "no body is called 'odom'": {
            "wrenches": [{"header": {"frame_id": "odom"}, "wrench": wrench}]
        },
        "nothing to write": {},
    }
    for words, fields in wrong.items():
        with pytest.raises(lw.LanewiseError, match=re.escape(words)):
            ros.write(m, d, frame_id="odom", **fields)
    with pytest.raises(TypeError, match="frame_id"):
        ros.read(m, d)
    assert np.array_equal(d.qpos, before)
