"""Batches of both engines, in the same states."""

import mujoco
import mujoco.batch
import numpy as np

import lanewise as lw
from support import parity, zoo

NSIM = 19  # two whole gangs and three worlds

KEYFRAMES = """
<mujoco>
  <option><flag constraint="disable"/></option>
  <size nuserdata="3"/>
  <worldbody>
    <body name="cart" pos="0 0 .1">
      <joint name="slide" type="slide" axis="1 0 0" damping="0.2"/>
      <geom name="box" type="box" size=".1 .1 .05" mass="1"/>
      <body name="pole" pos="0 0 .05">
        <joint name="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 .1 .5" size=".02" mass=".1"/>
        <site name="tip" pos="0 0 .5"/>
      </body>
    </body>
    <body name="hand" mocap="true" pos="1 0 1"/>
  </worldbody>
  <actuator>
    <motor name="push" joint="slide" gear="5"/>
    <general name="servo" joint="hinge" dyntype="filter" dynprm="0.02" gainprm="5"/>
  </actuator>
  <keyframe>
    <key name="low" qpos="0.3 0.5" ctrl="0.1 0.2" act="0.2" time="3"/>
    <key name="high" qpos="-0.3 -0.5" qvel="1 2" mpos="1 2 3"/>
  </keyframe>
</mujoco>
"""


DELAY = KEYFRAMES.replace(
    "</actuator>", '<motor joint="hinge" delay=".01" nsample="4"/></actuator>'
).replace('ctrl="0.1 0.2"', 'ctrl="0.1 0.2 0.3"')


def load(name):
    return mujoco.MjModel.from_xml_string(DELAY) if name == "delay" else zoo.load(name)


def both(mj, nsim=NSIM, nthread=2, seed=0, persistent=False):
    """A batch of each engine with the same random states."""
    ours = lw.Batch(mj, nsim, nthread, persistent)
    theirs = mujoco.batch.Batch(mj, nsim, 1, persistent)
    rng = np.random.default_rng(seed)
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    for row in theirs.state:
        mujoco.mj_getState(mj, parity.random_state(mj, rng, 0.3, odd=False), row, spec)
    ours.state[:] = theirs.state
    return ours, theirs


def assert_close(ours, theirs, name):
    scale = max(1.0, float(np.max(np.abs(theirs), initial=0.0)))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * scale, err_msg=name)
