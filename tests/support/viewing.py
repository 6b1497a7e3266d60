"""Small worlds for tests of the viewer."""

import lanewise as lw
from lanewise.viewer.session import Session

ARM = """
<mujoco model="arm over a floor">
  <option timestep="0.004"/>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1"/>
    <body name="upper" pos="0 0 .5">
      <joint name="shoulder" axis="0 1 0" damping=".2" range="-2 2" limited="true"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0" mass="1"/>
      <body name="lower" pos=".3 0 0">
        <joint name="elbow" axis="0 1 0" damping=".2"/>
        <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0" mass=".5"/>
        <site name="tip" pos=".3 0 0"/>
      </body>
    </body>
    <body name="box" pos=".6 .1 .08">
      <freejoint/>
      <geom name="box" type="box" size=".08 .06 .08" pos=".02 -.01 .03" mass=".2"/>
    </body>
    <body name="target" mocap="true" pos="-.4 0 .3"><geom type="sphere" size=".03"
      contype="0" conaffinity="0"/></body>
  </worldbody>
  <actuator><motor joint="shoulder"/><motor joint="elbow" ctrlrange="-2 2"/></actuator>
  <sensor><framepos name="tip" objtype="site" objname="tip"/></sensor>
  <keyframe><key name="ready" qpos="-1 2 .45 0 .08 1 0 0 0"/></keyframe>
</mujoco>
"""
UPPER, LOWER, BOX, TARGET = 1, 2, 3, 4


def session(nsim: int = 3, control=None, **kwargs) -> Session:
    """Worlds whose loop is turned by hand: session.turn(seconds); no turn takes too long."""
    batch = lw.Batch(lw.load(ARM), nsim=nsim, nthread=1)
    return Session(batch, batch.model, control, **{"now": lambda: 0.0, **kwargs})
