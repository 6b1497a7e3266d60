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
    com_pos,
    com_vel,
    copy_state,
    crb,
    discrete,
    energy_pos,
    energy_vel,
    euler,
    factor_m,
    forward,
    full_m,
    fwd_acceleration,
    fwd_actuation,
    fwd_constraint,
    fwd_position,
    fwd_velocity,
    get_state,
    implicit,
    implicitfast,
    kinematics,
    mul_m,
    passive,
    reset_data,
    rne,
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
from .load import get_data, load, put_data
from .model import Model

__all__ = [
    "Batch", "Data", "IncompatibleMuJoCo", "LanewiseError", "Model", "ModelError",
    "SimulationError", "UnsupportedFeature", "copy_state", "full_m", "get_data", "get_state",
    "load", "models", "mul_m", "put_data", "reset_data", "set_state", "solve_m", "state_size",
    *STAGE_FUNCTIONS,
]  # fmt: skip
