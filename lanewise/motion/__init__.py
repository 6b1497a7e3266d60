"""Motions in files: read with their meaning, converted, and made references for a simulation.

    clip = lw.motion.load("walk.pkl", model=m)
    print(clip)                                # what it means, and where each part was taken from
    clip.qpos(m), clip.qvel(m)                 # (T, nq), (T, nv) in the order of the model
    clip.save("walk.npz", form="isaaclab-2", model=m)

What a file does not say is decided by names, by forward kinematics or by an argument, and refused
where none of them decides. docs/motion.md has the forms.
"""

from .clip import Bodies, BodyStates, Clip
from .clip_ground import ground_height
from .clip_reading import load
from .clip_writing import save
from .editing import concatenate
from .forms import FORMS
from .meaning import Decision, Meaning
from .motion_errors import MotionError, UndecidedMotion
from .residual_plot import plot_residuals
from .robots import (
    G1_ISAACLAB_TO_MUJOCO_BODY,
    G1_ISAACLAB_TO_MUJOCO_DOF,
    G1_MUJOCO_TO_ISAACLAB_BODY,
    G1_MUJOCO_TO_ISAACLAB_DOF,
    ROBOTS,
    joint_mapping,
    robot_joints,
)
from .skeleton import Skeleton
from .tracking import Reference, Tracker
from .w_last import (
    calc_heading,
    calc_heading_quat,
    calc_heading_quat_inv,
    quat_conjugate,
    quat_from_angle_axis,
    quat_mul,
    quat_rotate,
    quat_rotate_inverse,
)

__all__ = [
    "FORMS", "G1_ISAACLAB_TO_MUJOCO_BODY", "G1_ISAACLAB_TO_MUJOCO_DOF",
    "G1_MUJOCO_TO_ISAACLAB_BODY", "G1_MUJOCO_TO_ISAACLAB_DOF", "ROBOTS", "Bodies", "BodyStates",
    "Clip", "Decision", "Meaning", "MotionError", "Reference", "Skeleton", "Tracker",
    "UndecidedMotion", "calc_heading", "calc_heading_quat", "calc_heading_quat_inv", "concatenate",
    "ground_height", "joint_mapping", "load", "plot_residuals", "quat_conjugate",
    "quat_from_angle_axis", "quat_mul", "quat_rotate", "quat_rotate_inverse", "robot_joints",
    "save",
]  # fmt: skip
