"""One world of the dual problem, on plain numbers: read from the lanes, and written back.

dual_force, dual_b, dual_R and so on have a world's rows in MuJoCo's order. Its sweeps go through
dual_row, where they stand island by island (grouping.py). A block is what is solved together: the
rows of an elliptic contact, or any other row by itself.

The forces to start from are those that the primal problem has at an acceleration, by J a - aref.
"""

from ....lanes import (
    kernel,
    lane_item,
    load_lane,
    maximum,
    minimum,
    sqrt,
    store_lane,
    to_int,
)
from ....mjconst import (
    CNSTR_CONTACT_ELLIPTIC,
    CNSTR_EQUALITY,
    CNSTR_FRICTION_DOF,
    CNSTR_FRICTION_TENDON,
    NISLAND,
    NSOLVER,
    STATE_CONE,
    STATE_LINEARNEG,
    STATE_LINEARPOS,
    STATE_QUADRATIC,
    STATE_SATISFIED,
)


@kernel
def open_world(m, d, w):
    """Copy what world w has of efc_* to plain numbers; the number of rows, 0 of an unused lane"""
    n = min(to_int(lane_item(d.nefc, w)), d.world_Y_rows[w]) if w < d.nworld else 0
    # plain copies of what the sweeps read
    for i in range(n):
        d.dual_kind[i] = to_int(load_lane(d.efc_type, i, w))
        d.dual_id[i] = to_int(load_lane(d.efc_id, i, w))
        d.dual_b[i] = load_lane(d.efc_b, i, w)
        d.dual_R[i] = load_lane(d.efc_R, i, w)
        d.dual_loss[i] = load_lane(d.efc_frictionloss, i, w)
    # forces to start from, block by block; n shrinks if the last contact is not whole
    i = 0
    while i < n:
        size = block_size(d, i, w)
        if i + size > n:
            n = i  # a contact that was cut in two
        else:
            primal_force(d, i, size, w)
        i += size
    return n


@kernel
def block_size(d, i, w):
    """Rows that are solved together: those of an elliptic contact."""
    if d.dual_kind[i] == CNSTR_CONTACT_ELLIPTIC:
        return to_int(load_lane(d.contact.dim, d.dual_id[i], w))
    return 1


@kernel(inline=True)
def is_dry_friction(kind):
    """Whether a row of this kind is dry friction, of a dof or a tendon."""
    return CNSTR_FRICTION_DOF <= kind <= CNSTR_FRICTION_TENDON


@kernel
def primal_force(d, i, size, w):
    """dual_force <= force of a block of rows at dual_jar; NaN if that is"""
    jar, R, kind = load_lane(d.dual_jar, i, w), d.dual_R[i], d.dual_kind[i]
    if kind == CNSTR_CONTACT_ELLIPTIC:
        cone_force(d, i, size, w)
    elif is_dry_friction(kind):
        d.dual_force[i] = minimum(d.dual_loss[i], maximum(-d.dual_loss[i], -jar / R))
    elif kind == CNSTR_EQUALITY or not jar >= 0.0:
        d.dual_force[i] = -jar / R
    else:
        d.dual_force[i] = 0.0


@kernel
def cone_force(d, i, size, w):
    """The same for an elliptic contact: nothing, a linear force, or one on the cone

    The zones are those of primal/matrix_free.py, with N = mu u_0 and T = |(friction_j u_j)|.
    """
    k = d.dual_id[i]
    # scaled, the cone is circular
    mu = load_lane(d.contact.mu, k, w)
    normal, tangent = load_lane(d.dual_jar, i, w) * mu, 0.0
    for j in range(1, size):
        u = load_lane(d.dual_jar, i + j, w) * load_lane(d.contact.friction, (k, j - 1), w)
        tangent += u * u
    tangent = sqrt(tangent)
    # top zone, no force; bottom zone, every row a spring; else a force on the cone
    if normal >= mu * tangent:
        for j in range(size):
            d.dual_force[i + j] = 0.0
    elif mu * normal + tangent <= 0.0:
        for j in range(size):
            d.dual_force[i + j] = -load_lane(d.dual_jar, i + j, w) / d.dual_R[i + j]
    else:
        f = (mu * tangent - normal) / (d.dual_R[i] * mu * (1.0 + mu * mu))
        d.dual_force[i] = f
        for j in range(1, size):
            c = load_lane(d.contact.friction, (k, j - 1), w)
            d.dual_force[i + j] = -f / tangent * load_lane(d.dual_jar, i + j, w) * c * c


@kernel
def close_world(d, n, room, w):
    """dual_force, dual_state => efc_force, efc_state of world w"""
    for i in range(n):
        store_lane(d.efc_force, i, w, d.dual_force[i])
        store_lane(d.efc_state, i, w, d.dual_state[i] * 1.0)
    # rows of other worlds, and those that were left out
    for i in range(n, room):
        store_lane(d.efc_force, i, w, 0.0)
        store_lane(d.efc_state, i, w, 0.0)


@kernel
def count_sweeps(d, island, sweeps, number, w):
    """solver_niter += sweeps of an island; solver_nnz <= the square of its rows, if given"""
    if island < NISLAND:
        store_lane(d.solver_niter, island, w, load_lane(d.solver_niter, island, w) + sweeps)
        if number > 0:
            store_lane(d.solver_nnz, island, w, number * number * 1.0)


@kernel
def record_sweep(d, island, k, improvement, first, n, w):
    """Sweep k of an island => solver.*, for somebody who reads it"""
    if d.want_solver and island < NISLAND and k < NSOLVER:
        at = NSOLVER * island + k
        active, changed = update_states(d, first, n, w)
        store_lane(d.solver.improvement, at, w, improvement)
        store_lane(d.solver.nactive, at, w, active * 1.0)
        store_lane(d.solver.nchange, at, w, changed * 1.0)
        # what only primal solvers have is zero
        store_lane(d.solver.gradient, at, w, 0.0)
        store_lane(d.solver.lineslope, at, w, 0.0)
        store_lane(d.solver.neval, at, w, 0.0)
        store_lane(d.solver.nupdate, at, w, 0.0)


# ---- states


@kernel
def update_states(d, first, n, w):
    """dual_force => dual_state over n rows of dual_row; (active rows, rows that changed)"""
    active, changed, p = 0, 0, first
    # a block has one state, which counts for each of its rows
    while p < first + n:
        i = d.dual_row[p]
        size, state = block_size(d, i, w), state_by_force(d, i, w)
        for j in range(size):
            changed += 1 if d.dual_state[i + j] != state else 0
            d.dual_state[i + j] = state
        active += 0 if state == STATE_SATISFIED else size
        p += size
    return active, changed


@kernel
def state_by_force(d, i, w):
    """State of a row or contact by its force."""
    kind, f = d.dual_kind[i], d.dual_force[i]
    # a force at its bound slides
    if is_dry_friction(kind):
        if f <= -d.dual_loss[i]:
            return STATE_LINEARPOS
        return STATE_LINEARNEG if f >= d.dual_loss[i] else STATE_QUADRATIC
    # a scalar row pushes or it does not
    if kind != CNSTR_CONTACT_ELLIPTIC:
        return STATE_QUADRATIC if kind == CNSTR_EQUALITY or f > 0.0 else STATE_SATISFIED
    # a contact, by where its force is: in the friction cone, in its polar cone, or between
    k = d.dual_id[i]
    mu, tangent = load_lane(d.contact.mu, k, w), 0.0
    for j in range(1, block_size(d, i, w)):
        t = d.dual_force[i + j] / load_lane(d.contact.friction, (k, j - 1), w)
        tangent += t * t
    normal, tangent = f / mu, sqrt(tangent)
    if mu * normal >= tangent:
        return STATE_SATISFIED
    return STATE_QUADRATIC if normal + mu * tangent <= 0.0 else STATE_CONE
