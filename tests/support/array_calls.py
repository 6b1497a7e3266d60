"""Every function of conventions that takes arrays, with arrays to call it with."""

import numpy as np
import pytest

from lanewise.conventions.axes import convert_matrix_layout, convert_smpl_root, convert_up_axis
from lanewise.conventions.rotations import (
    ROTATION_KINDS,
    canonical_sign,
    convert_quaternion,
    convert_rotation,
    invert_rotation,
    orthonormalize,
    unwrap_signs,
)
from lanewise.conventions.spatial import adjoint, shift_twist, shift_wrench
from lanewise.conventions.state import (
    Body,
    convert_free_force,
    convert_free_state,
    convert_wrench,
)

# the crooked body: nothing of it is symmetric
COM = (0.13, -0.08, 0.21)
INERTIA = ((0.0283, -0.0062, 0.0051), (-0.0062, 0.0355, 0.0047), (0.0051, 0.0047, 0.0392))
BODY = Body(com=COM, mass=2.7, inertia=INERTIA)

KINDS = [name for name, kind in ROTATION_KINDS.items() if not kind.angles]
KINDS += ["euler_xyz_intrinsic_deg", "euler_zxz_extrinsic_rad", "euler_zyx_extrinsic_rad"]

# Rows of every array. JAX compiles each operation for each shape, so all tests have the same.
N = 50

LIBRARIES = ("torch", "jax")


def array_functions(library):
    """(array of NumPy -> array of the library, and back)"""
    if library == "torch":
        torch = pytest.importorskip("torch")
        return torch.tensor, lambda x: x.detach().numpy()
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray, np.asarray


def is_torch(x):
    return type(x).__module__.startswith("torch")


def numbers(*columns, seed=5):
    return np.random.default_rng(seed).normal(size=(N, *columns))


def quaternions(seed=0):
    q = numbers(4, seed=seed)
    return q / np.linalg.norm(q, axis=1, keepdims=True)


Q, V = np.hstack([numbers(3), quaternions(3)]), numbers(6)
DRAKE = np.roll(Q, 4, axis=1)

# every function that takes arrays: a call and the arrays it is called with
CALLS = {
    "convert_quaternion": (lambda q: convert_quaternion(q, "wxyz", "xyzw"), [quaternions()]),
    "canonical_sign": (lambda q: canonical_sign(q, "xyzw"), [quaternions()]),
    "unwrap_signs": (lambda q: unwrap_signs(q, 0), [quaternions()]),
    "orthonormalize": (lambda x: orthonormalize(x, "sixd_columns"), [numbers(6)]),
    "orthonormalize_q": (lambda x: orthonormalize(x, "wxyz"), [numbers(4)]),
    "up_axis": (lambda x: convert_up_axis(x, "y", "z", kind="point"), [numbers(3)]),
    "up_axis_q": (lambda q: convert_up_axis(q, "y", "z", kind="wxyz"), [quaternions()]),
    "smpl_root": (lambda t, r: convert_smpl_root(t, r, [0, -0.2, 0.1], "y", "z"),
                  [numbers(3), numbers(3)]),
    "matrix_layout": (lambda R: convert_matrix_layout(R, "rows", "columns"),
                      [convert_rotation(quaternions(), "wxyz", "matrix")]),
    "shift_twist": (lambda V, r: shift_twist(V, r, "angular_first"), [V, numbers(3)]),
    "shift_wrench": (lambda F, r: shift_wrench(F, r, "force_first"), [V, numbers(3)]),
    "adjoint": (lambda R, p: adjoint(R, p, "linear_first"),
                [convert_rotation(quaternions(), "wxyz", "matrix"), numbers(3)]),
    "free_state": (lambda q, v: convert_free_state(q, v, "drake", "mujoco", body=BODY), [DRAKE, V]),
    "free_state_com": (lambda q, v: convert_free_state(q, v, "newton", "pybullet", body=BODY),
                       [Q, V]),
    "free_state_deg": (lambda q, v: convert_free_state(q, v, "mujoco", "ptera", body=BODY), [Q, V]),
    "wrench": (lambda F, q: convert_wrench(F, "mujoco", "pinocchio", pose=q, pose_system="newton",
                                           body=BODY), [V, Q]),
    "free_force": (lambda F, q: convert_free_force(F, "mujoco", "modern-robotics-spatial", pose=q,
                                                   body=BODY), [V, Q]),
} | {f"{kind}_{way}": call for kind in KINDS for way, call in {
    "to": (lambda x, kind=kind: convert_rotation(x, "wxyz", kind), [quaternions()]),
    "from": (lambda x, kind=kind: convert_rotation(x, kind, "matrix"),
             [convert_rotation(quaternions(), "wxyz", kind)]),
    "inverse": (lambda x, kind=kind: invert_rotation(x, kind),
                [convert_rotation(quaternions(), "wxyz", kind)]),
}.items()}  # fmt: skip


# compiling everything would take a minute: of JAX some of each function
OF_JAX = ("convert_quaternion", "canonical_sign", "unwrap_signs", "orthonormalize", "up_axis",
          "smpl_root", "matrix_layout", "shift_twist", "adjoint", "free_state", "wrench",
          "axis_angle_to", "matrix_from", "euler_zxz_extrinsic_rad_to")  # fmt: skip
CASES = [("torch", name) for name in CALLS] + [("jax", name) for name in OF_JAX]
SLOPES = [("torch", name) for name in CALLS if name != "unwrap_signs"] + [
    ("jax", name) for name in ("orthonormalize", "free_state", "axis_angle_to", "matrix_from")
]


def as_tuple(x):
    return x if isinstance(x, tuple) else (x,)
