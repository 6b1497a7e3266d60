"""MuJoCo: qpos, qvel, xfrc_applied and qfrc_applied of a free joint; points are sites.

Accelerations are those of the sites' framelinacc sensors, so that nothing is read out of qacc.
"""

import crooked
import mujoco
import numpy as np
from crooked import COM, MASS, POINTS, SIX, STATES


def text(numbers):
    return " ".join(repr(float(x)) for x in numbers)


def model():
    sites = "".join(f'<site name="s{k}" pos="{text(x)}"/>' for k, x in enumerate(POINTS))
    sensors = "".join(f'<{kind} objtype="site" objname="s{k}"/>' for kind in
                      ("framelinvel", "framelinacc") for k in range(len(POINTS)))  # fmt: skip
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="0 0 0"/><worldbody><body name="b"><freejoint/>'
        f'<inertial pos="{text(COM)}" mass="{MASS}" fullinertia="{text(SIX)}"/>{sites}</body>'
        f"</worldbody><sensor>{sensors}</sensor></mujoco>"
    )


def accelerations(m, d, state):
    """Of the points, under the forces that are in d; the body at rest."""
    d.qpos[:] = np.r_[state.p, state.q]
    d.qvel[:] = 0.0
    mujoco.mj_forward(m, d)
    return d.sensordata[12:].reshape(4, 3).copy()


def one(m, state):
    d = mujoco.MjData(m)
    d.qpos[:] = np.r_[state.p, state.q]
    d.qvel[:] = np.r_[state.v, state.R.T @ state.w]
    mujoco.mj_forward(m, d)
    q, v = d.qpos.copy(), d.qvel.copy()
    points, velocities = d.site_xpos.copy(), d.sensordata[:12].reshape(4, 3).copy()
    R = d.xmat[1].reshape(3, 3).copy()

    d = mujoco.MjData(m)
    d.xfrc_applied[1] = wrench = np.r_[state.f, state.t]
    by_wrench = accelerations(m, d, state)
    d = mujoco.MjData(m)
    d.qfrc_applied[:] = force = np.r_[state.f, state.R.T @ state.t_origin]
    by_force = accelerations(m, d, state)

    words = f'<mujoco><worldbody><body quat="{text(state.q)}"/></worldbody></mujoco>'
    placed = mujoco.MjModel.from_xml_string(words)
    there = mujoco.MjData(placed)
    mujoco.mj_kinematics(placed, there)
    assert np.allclose(there.xmat[1].reshape(3, 3), R)  # so that the text means this rotation
    return crooked.record(q, v, points, velocities, matrix=R, quaternion_text=state.q,
                          wrench=(wrench, by_wrench), free_force=(force, by_force))  # fmt: skip


def dump():
    m = model()
    empty = mujoco.MjModel.from_xml_string("<mujoco/>")
    return crooked.fixture("mujoco", mujoco.__version__, "mujoco", [one(m, s) for s in STATES],
                           gravity=empty.opt.gravity.tolist())  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "mujoco")
