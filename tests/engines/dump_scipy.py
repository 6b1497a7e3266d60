"""SciPy: Rotation, RigidTransform and exponential coordinates.

It knows poses but neither bodies nor velocities. So the quaternion and the points are its own, and
of a velocity only the order is: the one of exponential coordinates. They are measured here, on the
two small motions that turn into the velocity's two matrices, (T2 T1^-1) and (T1^-1 T2), which are
the spatial and the body twist of Modern Robotics. The velocity itself is written as the row says.
"""

import importlib.metadata

import crooked
import numpy as np
from crooked import POINTS, STATES
from scipy.spatial.transform import RigidTransform, Rotation

STEP = 1e-4
WRITTEN = ["pose_layout", "pose_point", "pose_axes", "velocity_point", "linear_basis",
           "angular_basis"]  # fmt: skip


def moved(state, h):
    """The pose after h, by the fourth-order expansion that a constant w and v give."""
    turn = Rotation.from_rotvec(state.w * h)
    R = Rotation.from_quat(state.q, scalar_first=True)
    return RigidTransform.from_components(state.p + state.v * h, turn * R)


def rate(function):
    """Its derivative at 0, by central differences with one step of Richardson's."""

    def slope(h):
        return (function(h) - function(-h)) / (2.0 * h)

    return (4.0 * slope(STEP) - slope(2.0 * STEP)) / 3.0


def one(state):
    T = moved(state, 0.0)
    q = np.r_[T.translation, T.rotation.as_quat()]
    velocities = rate(lambda h: moved(state, h).apply(POINTS))
    V_s = rate(lambda h: (moved(state, h) * T.inv()).as_exp_coords())
    V_b = rate(lambda h: (T.inv() * moved(state, h)).as_exp_coords())
    return crooked.record(
        q, np.r_[state.w, state.v], T.apply(POINTS), velocities,
        matrix=T.rotation.as_matrix(), quaternion_text=T.rotation.as_quat(),
        exponential_coordinates=(V_b, V_s),
    )  # fmt: skip


def dump():
    return crooked.fixture("scipy", importlib.metadata.version("scipy"), "scipy",
                           [one(s) for s in STATES], difference=1e-9,
                           written=WRITTEN)  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "scipy")
