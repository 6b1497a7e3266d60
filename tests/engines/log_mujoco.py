"""MuJoCo: qpos and qvel of a free body, Euler and RK4, with and without weight, and bouncing."""

import mujoco
import throw
from crooked import COM, MASS, SIX
from throw import GRAVITY, STATE, WEIGHTLESS


def words(numbers):
    return " ".join(repr(float(x)) for x in numbers)


def thrown(gravity, integrator="Euler", step=throw.STEP, floor=False, **how):
    floor_xml = '<geom type="plane" size="5 5 1"/>' if floor else ""
    box = f'<geom type="box" size=".2 .1 .3" pos="{words(COM)}" mass="0"/>' if floor else ""
    model = mujoco.MjModel.from_xml_string(f"""<mujoco>
      <option timestep="{step}" gravity="{words(gravity)}" integrator="{integrator}"/>
      <worldbody>{floor_xml}<body><freejoint/>
        <inertial pos="{words(COM)}" mass="{MASS}" fullinertia="{words(SIX)}"/>{box}
      </body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    data.qpos[:] = [*STATE.p, *STATE.q]
    data.qvel[:] = [*STATE.v, *(STATE.R.T @ STATE.w)]

    def read():
        return data.qpos[:3], data.qpos[3:], data.qvel

    return throw.record(read, lambda: mujoco.mj_step(model, data), **how)


if __name__ == "__main__":
    about = ("mujoco", mujoco.__version__, "mujoco")
    throw.save("mujoco", thrown(GRAVITY), throw.STEP, *about)
    throw.save("mujoco_rk4", thrown(GRAVITY, "RK4"), throw.STEP, *about)
    throw.save("mujoco_weightless", thrown(WEIGHTLESS, samples=800), throw.STEP, *about)
    throw.save("mujoco_bouncing", thrown(GRAVITY, floor=True, samples=800), throw.STEP, *about)
    throw.save("mujoco_50_hz", thrown(GRAVITY, step=4e-3, every=5, samples=60), 2e-2, *about)
