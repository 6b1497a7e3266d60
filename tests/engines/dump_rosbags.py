"""ROS 2: nav_msgs/Odometry and geometry_msgs/WrenchStamped, as they lie in a serialized message.

A message has fields, not arrays; the order of the numbers is that of their bytes. Messages do
nothing, so there are no points: what the numbers mean is said in comments of the definitions (pose
in header.frame_id, twist in child_frame_id) and the values here are written to that.
"""

import importlib.metadata

import crooked
import numpy as np
from crooked import STATES
from rosbags.typesys import Stores, get_typestore

WRITTEN = ["rotation", "pose_point", "pose_axes", "velocity_point", "linear_basis", "angular_basis",
           "angular_unit", "wrench_point", "wrench_basis"]  # fmt: skip
STORE = get_typestore(Stores.ROS2_HUMBLE)


def new(name, **fields):
    return STORE.types[name](**fields)


def xyz(kind, numbers):
    return new(f"geometry_msgs/msg/{kind}", **dict(zip("xyz", map(float, numbers), strict=True)))


def header(frame):
    stamp = new("builtin_interfaces/msg/Time", sec=0, nanosec=0)
    return new("std_msgs/msg/Header", stamp=stamp, frame_id=frame)


def doubles(message, name, first, number):
    """`number` doubles of the serialized message, from the one that equals `first` on."""
    raw = bytes(STORE.serialize_cdr(message, name))[4:]  # a header of 4 bytes, then aligned to 8
    numbers = np.frombuffer(raw[: len(raw) // 8 * 8], "<f8")
    (start,) = np.flatnonzero(numbers == first)
    return numbers[start : start + number]


def one(state):
    w, x, y, z = map(float, state.q)
    q = new("geometry_msgs/msg/Quaternion", x=x, y=y, z=z, w=w)
    pose = new("geometry_msgs/msg/Pose", position=xyz("Point", state.p), orientation=q)
    v_B, w_B = state.R.T @ state.v, state.R.T @ state.w
    twist = new("geometry_msgs/msg/Twist", linear=xyz("Vector3", v_B), angular=xyz("Vector3", w_B))
    name = "nav_msgs/msg/Odometry"
    odometry = new(
        name, header=header("odom"), child_frame_id="base",
        pose=new("geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=np.zeros(36)),
        twist=new("geometry_msgs/msg/TwistWithCovariance", twist=twist, covariance=np.zeros(36)),
    )  # fmt: skip
    f_B, t_B = state.R.T @ state.f, state.R.T @ state.t_origin
    wrench = new("geometry_msgs/msg/Wrench", force=xyz("Vector3", f_B), torque=xyz("Vector3", t_B))
    stamped = "geometry_msgs/msg/WrenchStamped"
    message = new(stamped, header=header("base"), wrench=wrench)
    return crooked.record(
        doubles(odometry, name, state.p[0], 7), doubles(odometry, name, v_B[0], 6), None, None,
        wrench=(doubles(message, stamped, f_B[0], 6), None),
    )  # fmt: skip


def dump():
    return crooked.fixture("rosbags", importlib.metadata.version("rosbags"), "ros",
                           [one(s) for s in STATES],
                           written=WRITTEN)  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "ros")
