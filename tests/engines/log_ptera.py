"""Ptera Software: get_state of its model for free flight, RK4 and implicitfast.

Weight is a load there; Earth's z axis points down. The frame of an airplane is at its centre of
mass: positions and velocities are of that point. With implicitfast the attitude that get_state
gives is one step old, which is a bug of Ptera Software 5.1.0.
"""

import importlib.metadata

import mujoco
import numpy as np
import throw
from crooked import INERTIA, MASS
from pterasoftware import _mujoco_model, _transformations
from throw import STATE, STEP

WEIGHT = MASS * np.array([0.0, 0.0, 9.81])


def thrown(integrator, weight, **how):
    T_pas_B_to_E = np.eye(4)
    T_pas_B_to_E[:3, :3] = STATE.R
    made = _mujoco_model.MuJoCoModel("b", MASS, np.rad2deg(STATE.R.T @ STATE.w), T_pas_B_to_E,
                                     STATE.v_com, INERTIA, STEP, integrator=integrator)  # fmt: skip
    mujoco.mj_forward(made._model, made._data)

    def read():
        said = made.get_state()
        q = _transformations.R_to_quat_wxyz(said["R_pas_E_to_BP1"])
        return said["position_E_Eo"], q, np.r_[said["velocity_E__E"], said["omegas_BP1__E"]]

    def go_on():
        made.apply_loads(weight, np.zeros(3))
        made.step()

    return throw.record(read, go_on, **how)


if __name__ == "__main__":
    about = ("pterasoftware", importlib.metadata.version("pterasoftware"), "ptera")
    throw.save("ptera", thrown("RK4", WEIGHT), STEP, *about)
    throw.save("ptera_implicitfast", thrown("implicitfast", WEIGHT), STEP, *about)
    throw.save("ptera_weightless", thrown("RK4", 0 * WEIGHT, samples=800), STEP, *about)
