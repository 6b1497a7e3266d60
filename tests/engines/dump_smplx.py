"""SMPL: the skinning of smplx, on a mesh whose vertices are the four points.

The model's own data may not be passed on, and is not needed: all vertices belong to the root, whose
joint is put somewhere off the origin. The function turns them about that joint, so the pose that
SMPL's numbers give is that of a frame at the pelvis joint: p = J0 + transl. SMPL has neither
quaternions nor velocities; they are written as the row says.
"""

import importlib.metadata

import crooked
import numpy as np
import torch
from crooked import POINTS, STATES
from smplx.lbs import lbs

WRITTEN = ["quaternion", "pose_layout", "order", "velocity_point", "linear_basis", "angular_basis",
           "angular_unit"]  # fmt: skip
PELVIS = np.array([-0.0018, -0.2233, 0.0282])  # J0, about where SMPL has it


def skinned(rotvec, transl):
    """Where the points are that lie at POINTS from the pelvis"""

    def double(x):
        return torch.tensor(np.asarray(x), dtype=torch.float64)

    at_rest = np.vstack([PELVIS, PELVIS + POINTS])
    n = len(at_rest)
    regressor = np.eye(1, n)  # the joint is where the first vertex is
    vertices, _ = lbs(
        double(np.zeros((1, 1))), double(rotvec)[None], double(at_rest)[None],
        double(np.zeros((n, 3, 1))), double(np.zeros((0, 3 * n))), double(regressor),
        torch.tensor([-1]), double(np.ones((n, 1))), pose2rot=True,
    )  # fmt: skip
    return vertices[0, 1:].numpy() + transl


def one(state):
    transl = state.p - PELVIS
    points = skinned(state.rotvec, transl)
    return crooked.record([*(PELVIS + transl), *state.q], [*state.v, *state.w], points, None,
                          pose_aa=state.rotvec, transl=transl, pelvis=PELVIS)  # fmt: skip


def dump():
    # batch_rodrigues adds 1e-8 to a rotation vector before it takes its length
    return crooked.fixture("smplx", importlib.metadata.version("smplx"), "smpl",
                           [one(s) for s in STATES], placed=1e-7,
                           written=WRITTEN)  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "smpl")
