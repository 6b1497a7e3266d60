"""A wrong name of anything in a bridge is answered with the right ones, and nothing is written."""

import re

import pytest

import lanewise as lw
from lanewise import bridges
from lanewise.bridges import drake, isaaclab, newton, pinocchio, pybullet, ros

XML = """
<mujoco>
  <worldbody>
    <body name="trunk"><freejoint name="root"/><geom size=".1"/>
      <body name="shin"><joint name="knee" axis="0 1 0" range="-1 1"/><geom size=".1"/></body>
    </body>
  </worldbody>
</mujoco>
"""
HEADER = {"frame_id": "odom"}
VECTOR = dict.fromkeys("xyz", 0.0)


@pytest.fixture
def world():
    m = lw.load(XML)
    return m, lw.Data(m)


CALLS = {
    "newton.write has no argument 'joint_pos'": (newton.write, {"joint_pos": 1}),
    "newton.write has no argument 'joint_qdd' (did you mean 'joint_qd'": (
        newton.write, {"joint_qdd": 1}),
    "newton.read has no argument 'root'; there are none": (newton.read, {"root": "trunk"}),
    "drake.write has no argument 'qq'": (drake.write, {"qq": 1}),
    "there are 'q', 'v', 'tau'": (drake.write, {"position": 1}),
    "isaaclab.write has no argument 'join_pos' (did you mean 'joint_pos'": (
        isaaclab.write, {"join_pos": 1}),
    "pinocchio.read has no argument 'flie' (did you mean 'file'": (
        pinocchio.read, {"flie": "urdf"}),
    "pybullet.read has no argument 'inertial_axis' (did you mean 'inertial_axes'": (
        pybullet.read, {"inertial_axis": "model"}),
    "no tree has the root 'trnk' (did you mean 'trunk'?); there are 'trunk'": (
        pybullet.read, {"inertial_axes": "model", "root": "trnk"}),
    "ros.read has no argument 'frame' (did you mean 'frame_id'": (ros.read, {"frame": "odom"}),
    "no joint 'kne' (did you mean 'knee'?); there are 'knee'": (
        ros.write, {"frame_id": "odom", "joint_state": {"name": ["kne"], "position": [1.0]}}),
    "no part of a JointState 'positions' (did you mean 'position'": (
        ros.write, {"frame_id": "odom", "joint_state": {"name": ["knee"], "positions": [1.0]}}),
    "the message has no part 'name'": (
        ros.write, {"frame_id": "odom", "joint_state": {"names": ["knee"]}}),
    "no body is called 'shn' (did you mean 'shin'?); there are 'trunk', 'shin'": (
        ros.write, {"frame_id": "odom", "wrenches": {"header": {"frame_id": "shn"}}}),
    "the message has no part 'wrench'; there are 'header', 'force'": (
        ros.write, {"frame_id": "odom", "wrenches": {
            "header": {"frame_id": "shin"}, "force": VECTOR}}),
    "the message has no part 'force.z'; there are 'x', 'y'": (
        ros.write, {"frame_id": "odom", "wrenches": {
            "header": {"frame_id": "shin"}, "wrench": {"force": {"x": 0, "y": 0}}}}),
    "the message has no part 'child_frame_id'": (
        ros.write, {"frame_id": "odom", "odometry": {"header": HEADER}}),
    "header must be a dict with 'frame_id', got str": (
        ros.write, {"frame_id": "odom", "odometry": {"header": "odom"}}),
}  # fmt: skip


@pytest.mark.parametrize("words", CALLS)
def test_choices(world, words):
    (m, d), (call, arguments) = world, CALLS[words]
    before = lw.get_state(m, d)
    with pytest.raises((lw.LanewiseError, TypeError), match=re.escape(words)):
        call(m, d, **arguments)
    assert (lw.get_state(m, d) == before).all()


def test_arrays_that_a_state_does_not_have(world):
    state = newton.read(*world)
    with pytest.raises(AttributeError, match=r"no array 'joint_qq' \(did you mean 'joint_qd?'"):
        state.joint_qq  # noqa: B018
    assert not hasattr(state, "joint_pos")


def test_systems_that_have_no_bridge():
    with pytest.raises(AttributeError, match="no bridge 'isaac_lab' .did you mean 'isaaclab'"):
        bridges.isaac_lab  # noqa: B018
