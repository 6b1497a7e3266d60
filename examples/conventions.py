"""What do these numbers mean? A log tells by itself, and then becomes another engine's numbers.

A thrown body is logged the way Newton has it, and nobody wrote that down. `detect` finds out; the
log is converted for MuJoCo and Drake; and values that carry their meaning refuse to be mixed up.
"""

import numpy as np

from lanewise import conventions as cv
from lanewise.errors import ConventionError

COM = np.array([0.13, -0.08, 0.21])  # of the body, in its own frame [m]
DT = 0.002


def thrown_body(samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A ball with its weight off the middle, that tumbles as it flies: (pos, quat, twist)."""
    t = DT * np.arange(samples)[:, None]
    w = np.array([1.3, 0.9, -1.7])  # constant: a ball's inertia is the same about every axis
    q_WB = cv.convert_rotation(w * t, "axis_angle", "wxyz")
    R_WB = cv.convert_rotation(q_WB, "wxyz", "matrix")
    p_com = [0.7, -1.1, 1.9] + np.array([0.8, -0.5, 4.0]) * t + [0.0, 0.0, -4.905] * t**2
    v_com = np.array([0.8, -0.5, 4.0]) + [0.0, 0.0, -9.81] * t
    quat = cv.convert_quaternion(q_WB, "wxyz", "xyzw")
    twist = np.concatenate([v_com, np.broadcast_to(w, v_com.shape)], axis=1)
    return p_com - R_WB @ COM, quat, twist


def main() -> None:
    pos, quat, twist = thrown_body(500)
    verdict = cv.detect(pos, quat, twist, DT, com=COM)
    print(f"quaternions are {verdict.quaternion}, velocities are of {verdict.velocity_point}")
    print(f"up is {verdict.up}; systems that have it so: {', '.join(verdict.systems)}")

    body = cv.Body(com=COM)
    q = np.concatenate([pos, quat], axis=1)
    qpos, qvel = cv.convert_free_state(q, twist, "newton", "mujoco", body=body)
    print(f"qvel of MuJoCo, first sample: {qvel[0].round(3)}")
    _, v = cv.convert_free_state(qpos, qvel, "mujoco", "drake", body=body)
    print(f"v of Drake, first sample:     {v[0].round(3)}")

    X_WB = cv.Pose.of("mujoco", qpos, body=body)
    velocity = cv.Twist.of("mujoco", qvel)
    weight = cv.Wrench([0, 0, -9.81, 0, 0, 0], order="force_first", point="com", basis="world")
    try:
        weight @ velocity
    except ConventionError as error:
        print(f"refused: {error}")
    power = weight @ velocity.at("com", pose=X_WB).in_basis("world", pose=X_WB)
    print(f"power of one kilogram's weight: {power[0]:.2f} W at first, {power[-1]:.2f} W at last")


if __name__ == "__main__":
    main()
