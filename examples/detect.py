"""Whose numbers are these? A log without a label, and the convention that it turns out to be in.

MuJoCo throws a crooked body. The log is written as another program would have it: the quaternion's
w last, the velocity of the centre of mass, angular velocity in world axes; and with noise, dropped
frames and flipped signs. Then only the numbers are looked at.
"""

import mujoco
import numpy as np

from lanewise import conventions as cv

COM = (0.13, -0.08, 0.21)
XML = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <body>
      <freejoint/>
      <inertial pos="0.13 -0.08 0.21" mass="2.7" fullinertia="0.03 0.034 0.04 0.004 -0.003 0.002"/>
    </body>
  </worldbody>
</mujoco>
"""


def thrown() -> tuple[np.ndarray, np.ndarray]:
    m = mujoco.MjModel.from_xml_string(XML)
    d = mujoco.MjData(m)
    d.qvel[:] = (0.8, -0.5, 3.0, 1.3, 0.9, -1.7)
    rows = []
    for _ in range(400):
        rows.append(np.concatenate([d.qpos, d.qvel]))
        mujoco.mj_step(m, d)
    log = np.array(rows)
    return log[:, :7], log[:, 7:]


def main() -> None:
    qpos, qvel = thrown()
    q, v = cv.convert_free_state(qpos, qvel, "mujoco", "newton", body=cv.Body(com=COM))
    rng = np.random.default_rng(0)
    kept = rng.random(len(q)) > 0.02
    pos, quat, twist = q[kept, :3], q[kept, 3:] * rng.choice([-1.0, 1.0], (kept.sum(), 1)), v[kept]
    pos = pos + 1e-4 * rng.normal(size=pos.shape)

    found = cv.detect(pos, quat, twist, dt=0.002)  # not even the centre of mass is known
    print(found)
    assert found.quaternion == "xyzw" and found.velocity_point == "com" and found.up == "z"
    assert "newton" in found.systems
    assert found.com is not None and np.allclose(found.com, COM, atol=0.02)

    # a body that only yaws says less, and what it cannot say is not guessed
    t = np.linspace(0.0, 2.0, 400)
    zero = np.zeros_like(t)
    pos = np.stack([np.sin(t), np.cos(t), zero], 1)
    quat = np.stack([np.cos(t / 2), zero, zero, np.sin(t / 2)], 1)
    twist = np.stack([np.cos(t), -np.sin(t), zero, zero, zero, zero + 1.0], 1)
    found = cv.detect(pos, quat, twist, t)
    print("\nOf a body that yaws, undecided:")
    for attribute, reason in found.undecided.items():
        print(f"  {attribute:<16}{reason}")
    assert found.quaternion == "wxyz" and "angular_basis" in found.undecided


if __name__ == "__main__":
    main()
