"""From outside to a Model, and between Data and MjData."""

from ..installation import check_mujoco

check_mujoco()  # before anything imports it

from ..hooks import watch  # noqa: E402
from .derived import set_const  # noqa: E402
from .hearing import heard  # noqa: E402
from .loading import load  # noqa: E402
from .mujoco_library import mujoco_library  # noqa: E402
from .transfer import get_data, put_data  # noqa: E402

watch(mujoco_library())

__all__ = ["get_data", "heard", "load", "put_data", "set_const"]
