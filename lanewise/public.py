"""The names of the engine that users call, as lanewise.NAME: see lanewise/__init__.py."""

from .batch.batch import Batch, SimulationError
from .batch.recorded_motion import inverse_motion
from .data import Data
from .derivatives import InverseSlopes, Transition, inverse_fd, transition_fd
from .errors import (
    ClusterError,
    ConventionError,
    IncompatibleMuJoCo,
    IncompatiblePickle,
    LanewiseError,
    ModelError,
    UnknownName,
    UnknownNumber,
    UnsupportedFeature,
)
from .functions import (
    STAGE_FUNCTIONS as _STAGE_FUNCTIONS,
)
from .functions import (
    copy_state,
    extract_state,
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
    solve_m2,
    state_size,
)
from .jacobians import (
    angmom_mat,
    jac,
    jac_body,
    jac_body_com,
    jac_dot,
    jac_geom,
    jac_point_axis,
    jac_site,
    jac_subtree_com,
)
from .lanes import kernel
from .loaders import get_data, load, put_data, set_const
from .model import Model
from .motions import (
    apply_ft,
    differentiate_pos,
    integrate_pos,
    local_to_global,
    normalize_quat,
    object_acceleration,
    object_velocity,
)
from .past import init_ctrl_history, init_sensor_history, read_ctrl, read_sensor
from .rays import multi_ray, ray
from .reporting import Report, report
from .viewer import view

globals().update(_STAGE_FUNCTIONS)  # __init__.pyi has them one by one, for editors

# what is imported here is public
__all__ = sorted(name for name in globals() if not name.startswith("_"))
