"""What kernels keep between stages and nobody else needs to read, by the room it belongs to."""

from . import calls, collision, constraint, dual, gang, integrate, smooth, solver

WORKSPACE = [
    *gang.FIELDS,
    *smooth.FIELDS,
    *collision.FIELDS,
    *constraint.FIELDS,
    *solver.FIELDS,
    *dual.FIELDS,
    *integrate.FIELDS,
    *calls.FIELDS,
]
