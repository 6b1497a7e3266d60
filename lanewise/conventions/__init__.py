"""What the numbers of other systems mean, and how they become yours. NumPy is all it needs.

    from lanewise import conventions as cv
    q2, v2 = cv.convert_free_state(q, v, "drake", "mujoco", body=cv.Body(com=(0, 0, 0.1)))
    perm = cv.joint_permutation(model, "isaaclab-2", "mujoco")    # x_mujoco = x_isaaclab[..., perm]
    print(cv.detect(pos, quat, twist, dt))                        # whose numbers are these?

docs/conventions.md has the table of all systems, and a page on every ambiguity.
"""

from ..errors import ConventionError
from . import motion_forms
from .axes import convert_matrix_layout, convert_smpl_root, convert_up_axis
from .body import Body, principal_axes
from .cone_shapes import cone_as_mesh, cone_mass
from .detection import Detection, detect
from .euler_angles import euler
from .logs import Log, read_log
from .order import (
    OrderRule,
    body_order,
    body_permutation,
    dof_permutation,
    joint_order,
    joint_permutation,
    order_rule,
)  # fmt: skip
from .rotations import (
    ROTATION_KINDS,
    canonical_sign,
    convert_quaternion,
    convert_rotation,
    invert_rotation,
    orthonormalize,
    rotation_kind,
    unwrap_signs,
    w_last,
)
from .shapes import Shape, convert_shape, shape_com
from .spatial import adjoint, shift_twist, shift_wrench
from .state import (
    convert_free_force,
    convert_free_state,
    convert_wrench,
)  # fmt: skip
from .systems import ATTRIBUTES, SYSTEMS, System
from .tree import Joint, Link, Tree
from .values import Pose, Twist, Wrench

__all__ = [
    "ATTRIBUTES", "ROTATION_KINDS", "SYSTEMS", "Body", "ConventionError", "Detection", "Joint",
    "Link", "Log", "OrderRule", "Pose", "Shape", "System", "Tree", "Twist", "Wrench", "adjoint",
    "body_order", "body_permutation", "canonical_sign", "cone_as_mesh", "cone_mass",
    "convert_free_force", "convert_free_state",
    "convert_matrix_layout", "convert_quaternion", "convert_rotation", "convert_shape",
    "convert_smpl_root", "convert_up_axis", "convert_wrench", "detect", "dof_permutation", "euler",
    "invert_rotation", "joint_order", "joint_permutation", "motion_forms", "order_rule",
    "orthonormalize", "principal_axes", "read_log", "rotation_kind", "shape_com", "shift_twist",
    "shift_wrench", "unwrap_signs", "w_last",
]  # fmt: skip
