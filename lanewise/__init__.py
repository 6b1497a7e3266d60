"""Lanewise: multi-joint physics, eight worlds in the lanes of one SIMD register.

    m = lanewise.load("humanoid.xml")
    d = lanewise.Data(m)                  # one world
    lanewise.step(m, d)
    b = lanewise.Batch(m, nsim=4096)      # many worlds, on all cores
    b.step(nstep=10)

Every stage of the pipeline is a function by its name: kinematics, com_pos, crb, ...; see
docs/fields.md for the fields that each of them computes.
"""

from . import models
from .batch import Batch, SimulationError
from .data import Data
from .errors import IncompatibleMuJoCo, LanewiseError, ModelError, UnsupportedFeature
from .functions import (
    STAGE_FUNCTIONS,
    actuator_velocity,
    camlight,
    collision,
    com_pos,
    com_vel,
    compare_fwdinv,
    contact_force,
    copy_state,
    crb,
    discrete,
    energy_pos,
    energy_vel,
    euler,
    expose_constraint,
    factor_m,
    forward,
    forward_skip,
    full_m,
    fwd_acceleration,
    fwd_actuation,
    fwd_constraint,
    fwd_position,
    fwd_velocity,
    get_state,
    implicit,
    implicitfast,
    inverse,
    inverse_force,
    inverse_skip,
    kinematics,
    make_constraint,
    mul_jac_t_vec,
    mul_jac_vec,
    mul_m,
    passive,
    project_constraint,
    reference_constraint,
    reset_data,
    rne,
    rne_post_constraint,
    rungekutta4,
    set_state,
    solve_m,
    state_size,
    step,
    step1,
    step2,
    subtree_vel,
    tendon,
    tendon_armature,
    tendon_bias,
    tendon_velocity,
    transmission,
)
from .lanes import kernel
from .load import get_data, load, put_data
from .model import Model

__all__ = [
    "Batch", "Data", "IncompatibleMuJoCo", "LanewiseError", "Model", "ModelError",
    "SimulationError", "UnsupportedFeature", "copy_state", "full_m", "get_data", "get_state",
    "kernel", "load", "models", "mul_m", "put_data", "reset_data", "set_state", "solve_m",
    "state_size", "contact_force", "forward_skip", "inverse_skip", "mul_jac_t_vec", "mul_jac_vec",
    *STAGE_FUNCTIONS,
]  # fmt: skip
