"""What kernels keep between stages and nobody else needs to read, by the room it belongs to."""

from . import (
    calls,
    collision,
    constraint,
    counts,
    differences,
    dual,
    integrate,
    rays,
    smooth,
    solver,
    timing,
)

WORKSPACE = [
    *counts.FIELDS,
    *smooth.FIELDS,
    *collision.FIELDS,
    *constraint.FIELDS,
    *solver.FIELDS,
    *dual.FIELDS,
    *integrate.FIELDS,
    *differences.FIELDS,
    *rays.FIELDS,
    *calls.FIELDS,
    *timing.FIELDS,
]
