"""States of rows by their forces, and what a sweep did, for those who look at a solver at work."""

from ....lanes import W, kernel, load_lane, sqrt, store_lane
from ....mjconst import (
    NISLAND,
    NSOLVER,
    STATE_CONE,
    STATE_LINEARNEG,
    STATE_LINEARPOS,
    STATE_QUADRATIC,
    STATE_SATISFIED,
)
from .lines import HIGH, INFINITY, LOW
from .one_island import block_size
from .products import contact_of, force, of_line


@kernel
def update_states(m, d, w):
    """sweep_force => sweep_state; how many rows are active, and how many have another state now"""
    active, changed, p = 0, 0, 0
    # a block has one state, which counts for each of its rows
    while p < d.world_rows[w]:
        size = block_size(m, d, p, w)
        state = cone_state(d, p, size, w) if size > 1 else row_state(d, p, w)
        for i in range(W * p + w, W * (p + size) + w, W):
            changed += 1 if d.sweep_state[i] != state else 0
            d.sweep_state[i] = state
        active += 0 if state == STATE_SATISFIED else size
        p += size
    return active, changed


@kernel
def row_state(d, p, w):
    """Of a row that is no part of a cone, by its force and bounds"""
    f, low, high = force(d, p, w), of_line(d, p, w, LOW), of_line(d, p, w, HIGH)
    # dry friction at its bound slides
    if high < INFINITY:
        if f <= low:
            return STATE_LINEARPOS
        return STATE_LINEARNEG if f >= high else STATE_QUADRATIC
    # a row pushes or it does not; an equality, which has no bounds, is always active
    return STATE_QUADRATIC if low < 0.0 or f > 0.0 else STATE_SATISFIED


@kernel
def cone_state(d, p, size, w):
    """Where the force from row p on is: in the friction cone, in its polar cone, or between"""
    k, square = contact_of(d, p, w), 0.0
    for j in range(1, size):
        t = force(d, p + j, w) / load_lane(d.contact.friction, (k, j - 1), w)
        square += t * t
    mu = load_lane(d.contact.mu, k, w)
    normal, tangent = force(d, p, w) / mu, sqrt(square)
    if mu * normal >= tangent:
        return STATE_SATISFIED
    return STATE_QUADRATIC if normal + mu * tangent <= 0.0 else STATE_CONE


@kernel
def count_sweeps(d, w, sweeps, rows):
    """solver_niter += sweeps of an island; solver_nnz <= the square of its rows, if given"""
    q = d.world_island[w]
    if q < NISLAND:
        store_lane(d.solver_niter, q, w, load_lane(d.solver_niter, q, w) + sweeps)
        if rows > 0:
            store_lane(d.solver_nnz, q, w, rows * rows * 1.0)


@kernel
def record_sweep(m, d, w, k, improvement):
    """Sweep k of an island => solver.*, for somebody who reads it"""
    q = d.world_island[w]
    if q < NISLAND and k < NSOLVER:
        at = NSOLVER * q + k
        active, changed = update_states(m, d, w)
        store_lane(d.solver.improvement, at, w, improvement)
        store_lane(d.solver.nactive, at, w, active * 1.0)
        store_lane(d.solver.nchange, at, w, changed * 1.0)
        # what only primal solvers have is zero
        store_lane(d.solver.gradient, at, w, 0.0)
        store_lane(d.solver.lineslope, at, w, 0.0)
        store_lane(d.solver.neval, at, w, 0.0)
        store_lane(d.solver.nupdate, at, w, 0.0)
