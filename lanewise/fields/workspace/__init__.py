"""What kernels keep between stages and nobody else needs to read, by the room it belongs to."""

from . import calls, collision, constraint, counts, dual, integrate, rays, smooth, solver

WORKSPACE = [
    *counts.FIELDS,
    *smooth.FIELDS,
    *collision.FIELDS,
    *constraint.FIELDS,
    *solver.FIELDS,
    *dual.FIELDS,
    *integrate.FIELDS,
    *rays.FIELDS,
    *calls.FIELDS,
]
