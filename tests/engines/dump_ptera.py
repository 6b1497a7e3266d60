"""Ptera Software: the state and the loads of its model for free flight.

Its airplanes have their frame at the centre of mass, so the body's points are given relative to
that. They are sites in the MuJoCo model that Ptera Software builds (extra_xml), which is also asked
for their velocities and accelerations. Orientation is the matrix R_pas_E_to_BP1; the quaternion is
that of this matrix, by Ptera's own function.
"""

import importlib.metadata

import crooked
import mujoco
import numpy as np
from crooked import COM, INERTIA, MASS, POINTS, STATES
from pterasoftware import _mujoco_model, _transformations


def airplane(state, v, w_deg):
    sites = "".join(f'<site pos="{" ".join(map(repr, x.tolist()))}"/>' for x in POINTS - COM)
    T_pas_B_to_E = np.eye(4)
    T_pas_B_to_E[:3, :3] = state.R
    made = _mujoco_model.MuJoCoModel(
        "b", MASS, w_deg, T_pas_B_to_E, v, INERTIA, 1e-3, extra_xml={"body": sites}
    )
    made._data.qpos[:3] = state.p_com  # they always start at the origin of the Earth
    mujoco.mj_forward(made._model, made._data)
    return made


def of_sites(made, function):
    """Linear parts of the 6-vectors of a function; MuJoCo has them last."""
    rows = np.zeros((len(POINTS), 6))
    for k, row in enumerate(rows):
        function(made._model, made._data, mujoco.mjtObj.mjOBJ_SITE, k, row, 0)
    return rows[:, 3:]


def one(state):
    made = airplane(state, state.v_com, np.rad2deg(state.R.T @ state.w))
    said = made.get_state()
    q = _transformations.R_to_quat_wxyz(said["R_pas_E_to_BP1"])
    velocities = of_sites(made, mujoco.mj_objectVelocity)
    points = made._data.site_xpos.copy()

    made = airplane(state, np.zeros(3), np.zeros(3))
    made.apply_loads(state.f, state.t)
    mujoco.mj_forward(made._model, made._data)
    mujoco.mj_rnePostConstraint(made._model, made._data)
    by_wrench = of_sites(made, mujoco.mj_objectAcceleration)
    return crooked.record(
        [*said["position_E_Eo"], *q], [*said["velocity_E__E"], *said["omegas_BP1__E"]],
        points, velocities, wrench=([*state.f, *state.t], by_wrench),
    )  # fmt: skip


def dump():
    return crooked.fixture("pterasoftware", importlib.metadata.version("pterasoftware"), "ptera",
                           [one(s) for s in STATES],
                           written=["quaternion", "pose_layout", "order"])  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "ptera")
