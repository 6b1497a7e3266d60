"""pytransform3d: a second witness for the rows of Modern Robotics.

Its pq vectors are [p, wxyz], and its exponential coordinates are angular first, of the spatial
twist. It has no row of its own, and the row says nothing of its quaternions.
"""

import crooked
import numpy as np
import pytransform3d
from crooked import POINTS, STATES
from pytransform3d import transformations as pt
from pytransform3d.rotations import cross_product_matrix


def one(state):
    T = pt.transform_from_pq(np.r_[state.p, state.q])
    assert np.allclose(T, state.T)
    spin = cross_product_matrix(state.w)
    T_dot = np.block([[spin @ state.R, state.v[:, None]], [np.zeros((1, 4))]])
    V_s = pt.exponential_coordinates_from_transform_log(T_dot @ pt.invert_transform(T))
    vectors = pt.vectors_to_points(POINTS)
    return crooked.record(
        pt.pq_from_transform(T), V_s, pt.transform(T, vectors)[:, :3],
        (vectors @ T_dot.T)[:, :3], matrix=T[:3, :3],
    )  # fmt: skip


def dump():
    return crooked.fixture("pytransform3d", pytransform3d.__version__, "modern-robotics-spatial",
                           [one(s) for s in STATES],
                           written=["quaternion", "pose_layout"])  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "pytransform3d")
