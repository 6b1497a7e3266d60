"""The names of the engine that users call, as lanewise.NAME: see lanewise/__init__.py."""

from .batch.batch import Batch, SimulationError
from .data import Data
from .errors import (
    ConventionError,
    IncompatibleMuJoCo,
    IncompatiblePickle,
    LanewiseError,
    ModelError,
    UnknownName,
    UnsupportedFeature,
)
from .functions import (
    STAGE_FUNCTIONS,
    copy_state,
    forward_skip,
    full_m,
    geom_distance,
    get_state,
    inside_site,
    inverse,
    inverse_skip,
    mul_jac_t_vec,
    mul_jac_vec,
    mul_m,
    reset_data,
    set_state,
    solve_m,
    state_size,
)
from .lanes import kernel
from .loaders import get_data, load, put_data
from .model import Model
from .past import init_ctrl_history, init_sensor_history, read_ctrl, read_sensor
from .rays import multi_ray, ray

globals().update(STAGE_FUNCTIONS)  # public.pyi has them one by one, for editors

__all__ = [
    "Batch", "ConventionError", "Data", "IncompatibleMuJoCo", "IncompatiblePickle",
    "LanewiseError", "Model", "ModelError", "SimulationError", "UnknownName", "UnsupportedFeature",
    "copy_state", "forward_skip", "full_m", "geom_distance", "get_data", "get_state",
    "init_ctrl_history", "init_sensor_history", "inside_site", "inverse", "inverse_skip", "kernel",
    "load", "mul_jac_t_vec", "mul_jac_vec", "mul_m", "multi_ray", "put_data", "ray", "read_ctrl",
    "read_sensor", "reset_data", "set_state", "solve_m", "state_size", *STAGE_FUNCTIONS,
]  # fmt: skip
