"""Isaac Lab 2: the quaternions and poses of its utils/math.py, without Isaac Sim.

The package (pip install --no-deps isaaclab) cannot be imported without Isaac Sim, but this file of
it needs only torch. It places the points. Velocities are PhysX's (dump_ovphysx.py), passed on by
rigid_object_data.py as root_state_w = [p_link, q_wxyz, v_com, w]; they are written to that here.
"""

import importlib.metadata
import importlib.util

import crooked
import torch
from crooked import POINTS, STATES

WRITTEN = ["pose_layout", "pose_point", "pose_axes", "order", "velocity_point", "linear_basis",
           "angular_basis", "angular_unit"]  # fmt: skip
PACKAGE = importlib.metadata.distribution("isaaclab")


def load_math():
    path = PACKAGE.locate_file("isaaclab/source/isaaclab/isaaclab/utils/math.py")
    spec = importlib.util.spec_from_file_location("isaaclab_math", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def one(state, math):
    def double(x):
        return torch.as_tensor(x, dtype=torch.float64)

    R = math.matrix_from_quat(double(state.q))
    points = math.transform_points(double(POINTS)[None], double(state.p)[None],
                                   math.quat_from_matrix(double(state.R))[None])[0]  # fmt: skip
    return crooked.record([*state.p, *math.quat_from_matrix(R).numpy()], [*state.v_com, *state.w],
                          points, None, matrix=R, quaternion_text=state.q)  # fmt: skip


def dump():
    math = load_math()
    return crooked.fixture("isaaclab", PACKAGE.version, "isaaclab-2",
                           [one(s, math) for s in STATES], written=WRITTEN)  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "isaaclab_2")
