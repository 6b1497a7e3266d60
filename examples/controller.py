"""A PD controller as a kernel: compiled into the step, with gains that differ between worlds."""

import numpy as np

import lanewise as lw


@lw.kernel
def hold(m, d, p):
    """Every joint of the legs towards a pose, and the work that motors do."""
    for i in range(m.nu):
        j = m.actuator_trnid[i, 0]
        q, v = m.jnt_qposadr[j], m.jnt_dofadr[j]
        torque = p.kp[i] * (p.pose[i] - d.qpos[q]) - p.kd[i] * d.qvel[v]
        d.ctrl[i] = torque / m.actuator_gear[i, 0]
        p.work[0] = p.work[0] + torque * d.qvel[v] * m.opt.timestep


MODEL = """
<mujoco>
  <option integrator="implicitfast" timestep="0.004"/>
  <worldbody>
    <geom type="plane" size="2 2 1"/>
    <body pos="0 0 .45">
      <joint type="slide" axis="0 0 1"/>
      <geom type="box" size=".1 .1 .05" mass="4"/>
      <body name="thigh" pos="0 0 0">
        <joint name="hip" axis="0 1 0"/><geom type="capsule" size=".03" fromto="0 0 0 0 0 -.2"/>
        <body name="shin" pos="0 0 -.2">
          <joint name="knee" axis="0 1 0"/><geom type="capsule" size=".03" fromto="0 0 0 0 0 -.2"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="hip" gear="10"/><motor joint="knee" gear="10"/></actuator>
</mujoco>
"""


def main(nsim: int = 64) -> None:
    """Legs of different stiffness are dropped: how far does the body sink?"""
    pose = {"pose": [0.6, -1.2], "kp": [60.0, 60.0], "kd": [2.0, 2.0]}
    batch = lw.Batch(lw.load(MODEL, control=hold, parameters=pose, state={"work": 1}), nsim)
    batch.qpos[:, 1:] = pose["pose"]
    stiffness = np.linspace(20.0, 200.0, nsim)
    batch.parameters.expand("kp")[:] = stiffness[:, None]
    height = batch.rollout(400, record=("qpos",))["qpos"][:, :, 0] + 0.45
    work = batch.user("work")[:, 0]
    for k in (0, nsim // 4, nsim // 2, nsim - 1):
        print(
            f"{stiffness[k]:4.0f} Nm/rad: {height[k].min():.3f} m at its lowest, "
            f"{height[k, -1]:.3f} m at last, {work[k]:+.2f} J by the motors"
        )


if __name__ == "__main__":
    main()
