"""The engine in parts, and which of them a model needs.

A part is what is compiled together: see lanes/library.py. Of each variant of the engine there is a
library with all parts:

    gang       eight lanes, model constants are plain numbers
    per-world  eight lanes, model constants are lanes too: where model fields differ between worlds
    single     one lane, for a world alone
"""

from functools import cache

from ..fields import DATA, MODEL
from ..lanes import Library, W
from ..lanes.kinds import INT, struct_type
from ..lanes.objects import fetch
from ..mjconst import (
    INT_DISCRETE,
    INT_IMPLICIT,
    INT_IMPLICITFAST,
    SOL_NEWTON,
    SOL_PGS,
)
from .calls import CALLS, gang_kernel, threads
from .collision.convex import pairs_touch
from .collision.narrow import convex_pair
from .geometry.casting import cast_rays
from .integrate.discrete import discrete_acceleration, discrete_gyro
from .pipeline import steps
from .smooth.com import com_axes
from .smooth.kinematics import body_frames, geom_frames, site_frames
from .solver.dual.solve import solve_dual
from .solver.primal.newton import newton_alone
from .solver.primal.solve import solve_primal
from .stages import kernels

# kernels that parts call each other by, besides the stages, with their whole numbers
DOORS = {
    steps: 1, solve_primal: 0, solve_dual: 0, discrete_acceleration: 0, discrete_gyro: 0,
    convex_pair: 2, pairs_touch: 1, cast_rays: 3, body_frames: 0, geom_frames: 0,
    site_frames: 0, com_axes: 0, newton_alone: 1,
}  # fmt: skip

# doors by part; what is not named here is in `smooth`
_PART = {
    "collision": ("collision",),
    "convex": ("convex_pair", "pairs_touch"),
    "constraint": ("make_constraint", "reference_constraint", "solve_primal"),
    "dual": ("solve_dual",),
    "alone": ("newton_alone",),
    "implicit": ("implicit", "implicitfast", "discrete", "discrete_acceleration", "discrete_gyro"),
    "inverse": ("inverse_force", "compare_fwdinv"),
    "rays": ("cast_rays", "ray_gang"),
    "reports": (
        "expose_constraint", "project_constraint", "rne_post_constraint", "contact_force",
        "subtree_vel",
    ),
    "analysis": (
        "jacobian_gang", "inertia_gang", "motion_gang", "place_gang", "push_gang",
        "efc_product_gang",
    ),
    "sensors": ("sensor_pos", "sensor_vel", "sensor_acc"),
    "distance": (
        "distance_query", "enclosure_query", "inside_query", "history_query", "distance_gang",
        "inside_gang",
    ),
}  # fmt: skip
LONE = ("alone",)  # parts that take one world out of a gang: see lanes/library.py
PART_OF = {door: part for part, doors in _PART.items() for door in doors}

VARIANTS = {"gang": (False, W), "per-world": (True, W), "single": (False, 1)}


@cache
def struct_types(per_world):
    """The types of m and d in a kernel."""
    model = [(f.name, f.dtype, f.no_dims, f.width, per_world) for f in MODEL]
    data = [(f.name, f.dtype if f.by_gang else "float", f.no_dims, f.width, True) for f in DATA]
    return struct_type("Model", model, const=True), struct_type("Data", data, const=False)


@cache
def library(variant):
    """The compiled engine, in one of its VARIANTS."""
    per_world, width = VARIANTS[variant]
    m, d = struct_types(per_world)
    parts: dict = {"smooth": {}, **{part: {} for part in _PART}}
    doors = dict.fromkeys(kernels().values(), 0) | DOORS
    if width == 1:  # worlds are alone already
        parts = {part: {} for part in parts if part not in LONE}
        doors = {k: n for k, n in doors.items() if PART_OF.get(k.__name__) not in LONE}
    for kernel, numbers in doors.items():
        name = kernel.__name__
        parts[PART_OF.get(name, "smooth")][name] = (kernel, (m, d, *[INT] * numbers))
    call = (m, d, INT, INT)
    parts["calls"] = {
        **{k.__name__: (k, (INT,)) for k in (threads.begin, threads.halt)},
        **{k.__name__: (k, (m, d, INT)) for k in (threads.work, threads.work_alone, threads.serve)},
    }
    for name in CALLS:
        door = f"{name}_gang"
        parts[PART_OF.get(door, "calls")][door] = (gang_kernel(name), call)
    return Library(variant, width, parts, LONE)


def compile_all(variants=tuple(VARIANTS)):
    """Load all parts of some variants, compiling what is missing at once."""
    fetch([r for v in variants for r in library(v).requests.values()])


def needed(model, variant):
    """The parts of a variant that a step of this model takes."""
    opt = model.opt
    parts = ["smooth", "collision", "constraint"]  # every step looks for contacts and limits
    if opt.solver == SOL_NEWTON and variant != "single":
        parts.append("alone")
    if model.needs_convex:
        parts.append("convex")
    if opt.solver == SOL_PGS or opt.noslip_iterations > 0:
        parts.append("dual")
    if opt.integrator in (INT_IMPLICIT, INT_IMPLICITFAST, INT_DISCRETE):
        parts.append("implicit")
    return parts
