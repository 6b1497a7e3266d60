"""The same laws twice: kernels for Lanewise, and callbacks for MuJoCo; and a model for them."""

import contextlib

import mujoco
import numpy as np

import lanewise as lw
from lanewise.lanes import sin, where

INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")

ARM = """
<mujoco>
  <option timestep="0.004" integrator="{integrator}" viscosity=".01"{option}>
    <flag {flags}/>
  </option>
  <size nuserdata="5"/>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1"/>
    <geom name="wall" type="box" size=".1 1 .5" pos=".75 0 .5"/>
    <body pos="0 0 .6">
      <joint name="shoulder" axis=".1 1 .2" damping=".05" stiffness=".3"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .3 .05 -.05"/>
      <body pos=".3 .05 -.05">
        <joint name="elbow" axis="0 1 .3" damping=".02"/>
        <geom type="capsule" size=".04" fromto="0 0 0 .3 0 .02"/>
      </body>
    </body>
    <body pos="-.4 .1 .12"><freejoint/><geom type="sphere" size=".1"/></body>
  </worldbody>
  <actuator>
    <motor name="plain" joint="shoulder" gear="1.3"/>
    <general name="law" joint="elbow" dyntype="user" gaintype="user" biastype="user"/>
    <general name="pair" joint="shoulder" dyntype="user" actdim="2" gaintype="user"
             biastype="affine" biasprm=".1 -.2 -.05"/>
  </actuator>
  <sensor>
    <user name="first" dim="2" needstage="pos"/>
    <user name="second" dim="1" needstage="vel" cutoff=".4" datatype="real"/>
    <user name="third" dim="2" needstage="acc"/>
  </sensor>
</mujoco>
"""


def arm(integrator="Euler", option="", flags='energy="enable"'):
    """The XML of an arm beside a wall, and a ball on the floor."""
    return ARM.format(integrator=integrator, option=option, flags=flags)


# ---- kernels


@lw.kernel
def control(m, d):
    d.ctrl[0] = 2.0 * (0.4 - d.qpos[0]) - 0.3 * d.qvel[0] + 0.1 * sin(3.0 * d.time)
    d.ctrl[1] = 0.5 * sin(d.time)
    d.qfrc_applied[1] = -0.2 * d.qpos[1]
    d.userdata[0] = d.userdata[0] + 1.0


@lw.kernel
def passive(m, d):
    d.qfrc_passive[0] = d.qfrc_passive[0] - 0.8 * d.qvel[0] * d.qvel[0] * d.qvel[0]
    d.qfrc_passive[1] = d.qfrc_passive[1] - 0.3 * d.qvel[1] + 0.1 * d.qvel[0]


@lw.kernel
def passive_slope(m, d, i, j):
    if i == 0 and j == 0:
        return -2.4 * d.qvel[0] * d.qvel[0]
    if i == 1 and j <= 1:
        return where(j == 1, -0.3, 0.1)
    return 0.0


@lw.kernel
def act_dyn(m, d, i):
    a = m.actuator_actadr[i]
    if m.actuator_actnum[i] == 2:
        d.act_dot[a] = d.ctrl[2] - d.act[a]
        d.act_dot[a + 1] = d.act[a] - 2.0 * d.act[a + 1]
    return 3.0 * (d.ctrl[i] - d.act[a])


@lw.kernel
def act_gain(m, d, i):
    return 0.5 + i + 0.1 * d.actuator_length[i]


@lw.kernel
def act_bias(m, d, i):
    return -0.2 * d.actuator_velocity[i] - 0.05 * i


@lw.kernel
def sensor(m, d, stage):
    if stage == 1:
        d.sensordata[0] = d.geom_xpos[2, 0]
        d.sensordata[1] = d.qpos[1]
    elif stage == 2:
        d.sensordata[2] = d.qvel[0]
    else:
        d.sensordata[3] = d.qacc[0]
        d.sensordata[4] = d.qacc[1]


@lw.kernel
def contact_filter(m, d, g1, g2):
    return (d.geom_xpos[g2, 0] > -0.45) if g1 == 0 else True


KERNELS = {
    "control": control, "passive": passive, "act_dyn": act_dyn, "act_gain": act_gain,
    "act_bias": act_bias, "sensor": sensor, "contact_filter": contact_filter,
}  # fmt: skip


# ---- the same for MuJoCo


def _control(m, d):
    d.ctrl[0] = 2.0 * (0.4 - d.qpos[0]) - 0.3 * d.qvel[0] + 0.1 * np.sin(3.0 * d.time)
    d.ctrl[1] = 0.5 * np.sin(d.time)
    d.qfrc_applied[1] = -0.2 * d.qpos[1]
    d.userdata[0] += 1.0


def _passive(m, d):
    d.qfrc_passive[0] -= 0.8 * d.qvel[0] ** 3
    d.qfrc_passive[1] += -0.3 * d.qvel[1] + 0.1 * d.qvel[0]


def _act_dyn(m, d, i):
    a = m.actuator_actadr[i]
    if m.actuator_actnum[i] == 2:
        d.act_dot[a] = d.ctrl[2] - d.act[a]
        d.act_dot[a + 1] = d.act[a] - 2.0 * d.act[a + 1]
    return 3.0 * (d.ctrl[i] - d.act[a])


def _act_gain(m, d, i):
    return 0.5 + i + 0.1 * d.actuator_length[i]


def _act_bias(m, d, i):
    return -0.2 * d.actuator_velocity[i] - 0.05 * i


def _sensor(m, d, stage):
    if stage == 1:
        d.sensordata[:2] = d.geom_xpos[2, 0], d.qpos[1]
    elif stage == 2:
        d.sensordata[2] = d.qvel[0]
    else:
        d.sensordata[3:5] = d.qacc[:2]


def _contactfilter(m, d, g1, g2):
    return int(g1 == 0 and not d.geom_xpos[g2, 0] > -0.45)  # 1: no contact


CALLBACKS = {
    "control": _control, "passive": _passive, "act_dyn": _act_dyn, "act_gain": _act_gain,
    "act_bias": _act_bias, "sensor": _sensor, "contact_filter": _contactfilter,
}  # fmt: skip


@contextlib.contextmanager
def installed(*names):
    """MuJoCo's callbacks of these names, until the end of the block."""
    mujoco_names = [name.replace("_filter", "filter") for name in names]
    try:
        for name, of_mujoco in zip(names, mujoco_names, strict=True):
            getattr(mujoco, f"set_mjcb_{of_mujoco}")(CALLBACKS[name])
        yield
    finally:
        for of_mujoco in mujoco_names:
            getattr(mujoco, f"set_mjcb_{of_mujoco}")(None)


def kernels(*names):
    """The kernels of these names, as `lanewise.load` takes them."""
    return {name: KERNELS[name] for name in names}


def start(nq, nv, na, world=0):
    """qpos, qvel and act of a world that moves, and touches the wall and the floor soon."""
    rng = np.random.default_rng(world)
    qpos = np.array([0.3, -0.4, -0.4, 0.1, 0.095, 1.0, 0.0, 0.0, 0.0])
    qpos[:2] += 0.1 * rng.standard_normal(2)
    qpos[2] += -0.08 * (world % 2)
    return qpos[:nq], rng.standard_normal(nv), 0.3 * rng.standard_normal(na)


def reference(xml, names, nstep, world=0, run=None):
    """MjData after nstep of MuJoCo's steps with callbacks, or after `run(m, d)` that many times."""
    m = mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:], d.act[:] = start(m.nq, m.nv, m.na, world)
    with installed(*names):
        for _ in range(nstep):
            (run or mujoco.mj_step)(m, d)
    return d
