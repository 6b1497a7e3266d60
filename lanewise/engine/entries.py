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
    from . import stream
    from .pipeline import OPERATIONS, STAGES

    m, d = _struct_types(per_world)
    job, w = stream.struct_types()
    return {
        **{name: (kernel, (m, d)) for name, kernel in (STAGES | OPERATIONS).items()},
        "begin": (stream.begin, (job,)),
        "work": (stream.work, (m, d, job, w)),
        "work_alone": (stream.work_alone, (m, d, job, w)),
        "serve": (stream.serve, (m, d, job, w)),
    }


SHARED = Entries("shared", lambda: _declare(False))
PER_WORLD = Entries("per-world", lambda: _declare(True))
