"""A pad with a skin that feels, and things pressed into it."""

import mujoco
import numpy as np

import lanewise as lw

THINGS = {
    "sphere": 'size=".03"', "capsule": 'size=".02 .03"', "ellipsoid": 'size=".02 .03 .025"',
    "cylinder": 'size=".025 .03"', "box": 'size=".02 .03 .025"',
}  # fmt: skip
PLATE = 'builtin="plate" params="9 7" scale=".04 .04 .005"'
WEDGE = 'builtin="wedge" params="8 8 30 30 0" scale=".03 .03 .03"'
PLAIN = 'vertex="-.03 -.03 -.005  .03 -.03 -.005  .03 .03 -.005  -.03 .03 -.005  0 0 .01"'

XML = """
<mujoco>
  {option}
  <asset>
    <mesh name="skin" {mesh}/>
    <mesh name="cube" vertex="-1 -1 -1  1 -1 -1  1 1 -1  -1 1 1  1 1 1" scale=".02 .02 .02"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" pos="0 0 -1"/>
    <body name="pad" pos=".1 .2 .3" euler="10 20 30">
      <freejoint/>
      <geom name="pad" type="box" size=".04 .04 .005" pos=".01 .02 .03" euler="5 3 2"/>
      <body pos="0 .001 0">
        <geom size=".001" pos="0 0 .2"/>
        <geom name="skin" type="mesh" mesh="skin" contype="0" conaffinity="0" mass=".1"
              pos=".01 .019 .03" euler="5 3 2"/>
      </body>
    </body>
    <body name="one"><freejoint/><geom type="{thing}" {size}/></body>
    <body name="two"><freejoint/><geom size=".03" margin=".004" gap=".004"/></body>
    <body name="three"><freejoint/><geom type="mesh" mesh="cube"/></body>
  </worldbody>
  <sensor>
    <clock/>
    <tactile name="feel" geom="skin" mesh="skin" {attributes}/>
  </sensor>
</mujoco>
"""


def model(thing="sphere", mesh=PLATE, attributes="", option=""):
    return lw.load(
        XML.format(thing=thing, size=THINGS[thing], mesh=mesh, attributes=attributes, option=option)
    )


def worlds(m, n, seed=0):
    """Things pressed into the lower side of the pad, all in motion."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(n):
        data = mujoco.MjData(m.mj)
        data.qpos[3:7] += 0.1 * rng.normal(size=4)
        mujoco.mj_kinematics(m.mj, data)
        pad = data.geom("pad")
        for k, depth in ((1, 0.02), (2, 0.03), (3, 0.015)):
            place = [*0.02 * rng.normal(size=2), -0.005 - depth + 0.004 * rng.random()]
            data.joint(k).qpos[:3] = pad.xpos + pad.xmat.reshape(3, 3) @ place
            data.joint(k).qpos[3:] = rng.normal(size=4)
        data.qvel[:] = rng.normal(size=m.nv)
        mujoco.mj_forward(m.mj, data)
        found.append(data)
    return found
