"""The compiled entry points: every public stage, in one object file.

Two variants are compiled from the same kernels: `shared`, where model constants are plain numbers,
and `per_world`, where they are lanes. The second is compiled only when a Batch needs it.
"""

from ..fields import DATA, MODEL
from ..lanes import Entries


def _struct_types(per_world):
    from ..lanes.lane_types import struct_type

    model = [(f.name, f.dtype, f.no_dims, f.width, per_world) for f in MODEL]
    data = [(f.name, f.dtype if f.by_gang else "float", f.no_dims, f.width, True) for f in DATA]
    return struct_type("Model", model, const=True), struct_type("Data", data, const=False)


def _declare(per_world):
    from ..lanes.lane_types import integer
    from . import stages
    from .calls import CALLS, gang_kernel, threads

    m, d = _struct_types(per_world)
    shared = (m, d, integer, integer)
    return {
        **{name: (kernel, (m, d)) for name, kernel in stages.kernels().items()},
        **{f"{call}_gang": (gang_kernel(call), shared) for call in CALLS},
        "begin": (threads.begin, (integer,)),
        "work": (threads.work, shared),
        "work_alone": (threads.work_alone, shared),
        "serve": (threads.serve, shared),
    }


SHARED = Entries("shared", lambda: _declare(False))
PER_WORLD = Entries("per-world", lambda: _declare(True))
