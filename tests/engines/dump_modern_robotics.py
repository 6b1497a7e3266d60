"""Modern Robotics: body and spatial twists and wrenches, with the package's own functions.

It has matrices and 6-vectors, and no bodies or quaternions: the pose is written [p, wxyz]. A twist
is read from the velocity of the pose, T' T^-1 and T^-1 T', by se3ToVec; its order is the package's.
Points move with T and T'. The acceleration by a wrench is that of Newton and Euler in the book's
form, F_b = G_b V_b', with the inertia moved to the body frame by Adjoint; or, for the spatial one,
by the wrench that Adjoint gives in the body frame.
"""

import importlib.metadata

import crooked
import modern_robotics as mr
import numpy as np
from crooked import COM, INERTIA, MASS, POINTS, STATES

VERSION = importlib.metadata.version("modern_robotics")
HOMOGENEOUS = np.c_[POINTS, np.ones(len(POINTS))].T


def inertia():
    """G_b: of the body frame, from that of a frame at the centre of mass"""
    G_c = np.block([[INERTIA, np.zeros((3, 3))], [np.zeros((3, 3)), MASS * np.eye(3)]])
    Ad_cb = mr.Adjoint(mr.RpToTrans(np.eye(3), -COM))
    return Ad_cb.T @ G_c @ Ad_cb


def rates(state):
    """T' of the pose"""
    return np.block([[mr.VecToso3(state.w) @ state.R, state.v[:, None]], [np.zeros((1, 4))]])


def accelerations(T, F_b):
    """Of the points, at rest"""
    V_b_dot = np.linalg.solve(inertia(), F_b)
    return (T @ mr.VecTose3(V_b_dot) @ HOMOGENEOUS)[:3].T


def one(state, frame):
    T, T_dot = mr.RpToTrans(state.R, state.p), rates(state)
    points, velocities = (T @ HOMOGENEOUS)[:3].T, (T_dot @ HOMOGENEOUS)[:3].T
    R, p = mr.TransToRp(T)
    V_b, V_s = mr.se3ToVec(mr.TransInv(T) @ T_dot), mr.se3ToVec(T_dot @ mr.TransInv(T))
    assert np.allclose(mr.Adjoint(T) @ V_b, V_s)
    if frame == "body":
        V, F = V_b, np.r_[state.R.T @ state.t_origin, state.R.T @ state.f]
        by_wrench = accelerations(T, F)
    else:
        V, F = V_s, np.r_[state.t_origin + np.cross(state.p, state.f), state.f]
        by_wrench = accelerations(T, mr.Adjoint(T).T @ F)
    return crooked.record([*p, *state.q], V, points, velocities, matrix=R,
                          wrench=(F, by_wrench), free_force=(F, by_wrench))  # fmt: skip


def dump():
    return {
        f"modern_robotics_{frame}": crooked.fixture(
            "modern_robotics", VERSION, f"modern-robotics-{frame}",
            [one(s, frame) for s in STATES], written=["quaternion", "pose_layout"],
        ) for frame in ("body", "spatial")
    }  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "modern_robotics")
