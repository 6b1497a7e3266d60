"""One simulation, read and written as other systems have it: no numbers are converted by hand.

Quadrupeds run in a Batch. A policy that was trained in Isaac Lab reads its own arrays; a wrench is
applied as Newton does it; and the state of one world goes to Drake and to ROS.
"""

from typing import Any

import numpy as np

import lanewise as lw
from lanewise.bridges import drake, isaaclab, newton, ros


def policy(s: isaaclab.IsaacLabState) -> np.ndarray:
    """Torques that hold the joints, in the order of Isaac Lab: it knows no other."""
    return -30.0 * s.joint_pos - 1.0 * s.joint_vel


def main(nsim: int = 64) -> None:
    m = lw.load(lw.models.path("quadruped"))
    b = lw.Batch(m, nsim)
    b.qpos[:, 2] += 0.2
    b.qvel[:] = np.random.default_rng(0).normal(0.0, 0.3, b.qvel.shape)
    isaac: dict[str, Any] = {"version": 2, "fixed": "keep"}  # wxyz; what is welded is a link

    for _ in range(50):
        s = isaaclab.read(m, b, **isaac)  # of the present state, also right after a step
        isaaclab.write(m, b, **isaac, joint_effort=policy(s))
        b.step()
    print("joints of Isaac Lab:", ", ".join(s.joint_names[:4]), "...")
    print("joints of MuJoCo:   ", ", ".join(m.mj.joint(j).name for j in range(1, 5)), "...")
    apart = np.abs(s.body_com_vel_w - s.body_link_vel_w).max()
    print(f"velocities of links and of their centres of mass differ by up to {apart:.2f} m/s")

    # a push at the centre of mass: joint_f of a free joint is a wrench there, in world axes
    joint_f = np.zeros_like(newton.read(m, b).joint_f)
    joint_f[:, 0] = 50.0
    newton.write(m, b, joint_f=joint_f)
    print("on the trunk:", b.xfrc_applied[0, 1], "and on its free joint:", b.qfrc_applied[0, :6])

    # one world, for others
    d = lw.Data(m)
    d.qpos, d.qvel = b.qpos[0], b.qvel[0]
    plant = drake.read(m, d)
    print(f"Drake has {plant.q.size} positions, first the quaternion:", plant.q[:4].round(3))
    (message,) = ros.odometry(m, d, frame_id="odom")
    twist = message["twist"]["twist"]["linear"]
    print(f"Odometry of {message['child_frame_id']}: {twist['x']:.3f} m/s ahead")


if __name__ == "__main__":
    main()
