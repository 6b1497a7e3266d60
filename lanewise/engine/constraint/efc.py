"""MuJoCo's efc_* arrays: the constraint rows of each world, one after another, and their Jacobian.

The solvers need no such arrays, except PGS and noslip; they are made when somebody reads them. Each
lane has its own number of rows. Rows beyond it, up to that of the fullest lane, are zeros.

The Jacobian has nv numbers in a row, and efc_AR as many as the fullest lane has rows.
"""

from ...lanes import any_lane, concat, highest, kernel, put, splat, sqrt, vec, where
from ...mjconst import (
    CNSTR_CONTACT_ELLIPTIC,
    CNSTR_CONTACT_FRICTIONLESS,
    CNSTR_CONTACT_PYRAMIDAL,
    CONE_PYRAMIDAL,
    STATE_CONE,
    STATE_QUADRATIC,
    STATE_SATISFIED,
    WARN_CNSTRFULL,
)
from ..counters import warn
from ..smooth.contact_jacobian import add_contact_row
from ..smooth.inertia import solve
from ..spatial import dot6
from .impedance import has_metric, impedance_slope, row_slope
from .make import rows_of


@kernel
def expose_constraint(m, d):
    """(row_*, con_*) => efc_*"""
    expose_rows(m, d)
    if d.dual_made == 0:
        expose_forces(m, d)


@kernel
def expose_rows(m, d):
    """(row_*, con_*) => efc_type to efc_aref, unless they are there already"""
    if d.rows_made == 1:
        return
    d.rows_made = 1
    d.AR_made = 0
    n = room(m, d)
    if any_lane(d.nefc > n):
        warn(d, WARN_CNSTRFULL, d.nefc > n, n)
    clear_rows(m, d, n)
    # static rows, those that a world has one after another: `at` is its next place
    at = splat(0.0)
    for a in range(d.nactive):
        r = d.active_row[a]
        on = (d.row_on[r] > 0.0) & (at < n)
        numbers = vec(
            d.row_pos[r], d.row_margin[r], d.row_frictionloss[r], d.row_R[r], d.row_vel[r]
        )
        kbip = concat(d.row_KBI[r], vec(row_slope(m, d, r)))
        put_row(d, at, on, splat(m.row_type[r]), splat(m.row_id[r]), numbers, kbip)
        put(d.efc_aref, at, d.row_aref[r], on)
        for e in range(m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r]):
            put(d.efc_J, at * m.nv + m.row_colind[e], d.row_J[e], on)
        at = at + d.row_on[r]
    # contacts, which know their places
    for k in range(d.ncon_most):
        number = where(d.con_on[k] > 0.0, rows_of(m, d.contact.dim[k]), 0.0)
        r = d.contact.dist[k] - d.contact.includemargin[k]
        kbip = concat(d.con_KBI[k], vec(impedance_slope(d.contact.solimp[k], r)))
        for e in range(highest(number)):
            expose_contact(m, d, k, e, kbip, (number > e) & (d.contact.efc_address[k] + e < n))


@kernel
def room(m, d):
    """How many rows to write: those of the fullest lane, as far as there is room."""
    n = min(highest(d.nefc), d.njmax)
    return min(n, d.nJmax // m.nv) if m.nv > 0 else n


@kernel
def clear_rows(m, d, n):
    """Zeros in the first n rows"""
    if d.dual_made == 0:  # else the forces are a dual solver's
        for i in range(n):
            d.efc_b[i] = 0.0
            d.efc_force[i] = 0.0
            d.efc_state[i] = 0.0
    for i in range(n):
        d.efc_type[i] = 0.0
        d.efc_id[i] = 0.0
        d.efc_pos[i] = 0.0
        d.efc_margin[i] = 0.0
        d.efc_frictionloss[i] = 0.0
        d.efc_diagA[i] = 0.0
        d.efc_R[i] = 0.0
        d.efc_D[i] = 0.0
        d.efc_vel[i] = 0.0
        d.efc_aref[i] = 0.0
        for k in range(4):
            d.efc_KBIP[i, k] = 0.0
        for k in range(i * m.nv, i * m.nv + m.nv):
            d.efc_J[k] = 0.0


@kernel
def put_row(d, at, on, kind, element, numbers, kbip):
    """Row `at` of each lane; numbers: position, margin, friction loss, R, velocity"""
    pos, margin, frictionloss, R, vel = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    imp = kbip[2]
    put(d.efc_type, at, kind, on)
    put(d.efc_id, at, element, on)
    put(d.efc_pos, at, pos, on)
    put(d.efc_margin, at, margin, on)
    put(d.efc_frictionloss, at, frictionloss, on)
    put(d.efc_R, at, R, on)
    put(d.efc_D, at, 1.0 / R, on)
    put(d.efc_diagA, at, R * imp / (1.0 - imp), on)
    put(d.efc_KBIP, at, kbip, on)
    put(d.efc_vel, at, vel, on)


@kernel
def expose_contact(m, d, k, e, kbip, on):
    """Row e of contact k, whose normal has kbip, in the lanes of `on`"""
    # a frictionless contact or an edge has what the normal has
    pyramid = m.opt.cone == CONE_PYRAMIDAL
    at, w = d.contact.efc_address[k] + e, row_weights(m, d, k, e)
    smooth = d.contact.dim[k] == 1.0
    pos, margin, R, zero = d.contact.dist[k], d.contact.includemargin[k], d.con_R[k, 0], splat(0.0)
    kind = where(smooth, CNSTR_CONTACT_FRICTIONLESS * 1.0, CNSTR_CONTACT_PYRAMIDAL * 1.0)
    # in the frictional directions of an elliptic cone there is a damper only
    if not pyramid:
        kind = where(smooth, kind, CNSTR_CONTACT_ELLIPTIC * 1.0)
        R = d.con_R[k, e]
        if e > 0:
            pos, margin = zero, zero
            kbip = vec(zero, d.con_Bfriction[k], kbip[2], kbip[3])
    numbers = vec(pos, margin, zero, R, dot6(w, d.con_vel[k]))
    put_row(d, at, on, kind, splat(k * 1.0), numbers, kbip)
    put(d.efc_aref, at, dot6(w, d.con_aref[k]), on)
    add_contact_row(m, d, k, w, on, d.efc_J, where(on, at * m.nv, 0.0))


@kernel
def row_weights(m, d, k, e):
    """Row e of contact k as a sum of its directions: one of them, or the edge of a pyramid"""
    friction, dim = d.contact.friction[k], d.contact.dim[k]
    one, zero = splat(1.0), splat(0.0)
    if m.opt.cone != CONE_PYRAMIDAL:
        first = concat(vec(one if e == 0 else zero), vec(one if e == 1 else zero))
        first = concat(first, vec(one if e == 2 else zero))
        last = concat(vec(one if e == 3 else zero), vec(one if e == 4 else zero))
        return concat(first, concat(last, vec(one if e == 5 else zero)))
    j, sign = e // 2, where(dim > 1.0, 1.0 - 2.0 * (e % 2), 0.0)
    return vec(
        one,
        sign * friction[0] if j == 0 else zero,
        sign * friction[1] if j == 1 else zero,
        sign * friction[2] if j == 2 else zero,
        sign * friction[3] if j == 3 else zero,
        sign * friction[4] if j == 4 else zero,
    )


# ------------------------------------------------------------------------------------------- forces


@kernel
def expose_forces(m, d):
    """(row_force, con_jar, con_force, qacc_smooth) => (efc_force, efc_state, efc_b)"""
    n, at = room(m, d), splat(0.0)
    # what rows would accelerate by without forces, less what they should: J qacc_smooth - aref
    for i in range(n):
        b = -d.efc_aref[i]
        for j in range(m.nv):
            b = b + d.efc_J[i * m.nv + j] * d.qacc_smooth[j]
        d.efc_b[i] = b
    # static rows
    for a in range(d.nactive):
        r = d.active_row[a]
        on = (d.row_on[r] > 0.0) & (at < n)
        put(d.efc_force, at, d.row_force[r], on)
        put(d.efc_state, at, d.row_state[r], on)
        at = at + d.row_on[r]
    # contacts: edges and frictionless ones push or not; a cone's force is in its directions
    for k in range(d.ncon_most):
        number = where(d.con_on[k] > 0.0, rows_of(m, d.contact.dim[k]), 0.0)
        for e in range(highest(number)):
            at = d.contact.efc_address[k] + e
            on = (number > e) & (at < n)
            w = row_weights(m, d, k, e)
            jar = dot6(w, d.con_jar[k])
            pushes = jar < 0.0
            force = where(pushes, -d.con_D[k, 0] * jar, 0.0)
            state = where(pushes, STATE_QUADRATIC * 1.0, STATE_SATISFIED * 1.0)
            if m.opt.cone != CONE_PYRAMIDAL:
                rough = d.contact.dim[k] > 1.0
                force = where(rough, dot6(w, d.con_force[k]), force)
                state = where(rough, cone_state(d, k), state)
            put(d.efc_force, at, force, on)
            put(d.efc_state, at, state, on)


@kernel
def cone_state(d, k):
    """Zone of an elliptic contact: outside (no force), in the polar cone (quadratic), or between"""
    # normal and tangential parts of jar, scaled to a circular cone
    u, friction, mu = d.con_jar[k], d.contact.friction[k], d.contact.mu[k]
    t1, t2, spin = u[1] * friction[0], u[2] * friction[1], u[3] * friction[2]
    roll1, roll2 = u[4] * friction[3], u[5] * friction[4]
    T = sqrt(t1 * t1 + t2 * t2 + spin * spin + roll1 * roll1 + roll2 * roll2)
    N = u[0] * mu
    top = (N >= mu * T) | ((T <= 0.0) & (N >= 0.0))
    bottom = (mu * N + T <= 0.0) | ((T <= 0.0) & (N < 0.0))
    return where(top, STATE_SATISFIED * 1.0, where(bottom, STATE_QUADRATIC * 1.0, STATE_CONE * 1.0))


# --------------------------------------------------------------------------------------- projection


@kernel
def project_constraint(m, d):
    """efc_AR = J inv(M) J' + R, with the metric in the place of M under the discrete integrator"""
    expose_rows(m, d)
    if d.AR_made == 1:
        return
    d.AR_made = 1
    n = room(m, d)
    if n * n > d.nAmax:
        warn(d, WARN_CNSTRFULL, d.nefc > 0.0, n)
        return
    # row by row: inverse(M) J_i, then its products with rows up to i, and R on the diagonal
    metric = has_metric(m, d)
    for i in range(n):
        for j in range(m.nv):
            d.dof_work[j] = d.efc_J[i * m.nv + j]
        if metric:
            solve(m, d.H_factor, d.qHDiagInv, d.dof_work)
        else:
            solve(m, d.M_factor, d.qLDiagInv, d.dof_work)
        for k in range(i + 1):
            product = splat(0.0)
            for j in range(m.nv):
                product = product + d.efc_J[k * m.nv + j] * d.dof_work[j]
            d.efc_AR[i * n + k] = product
            d.efc_AR[k * n + i] = product
        d.efc_AR[i * n + i] = d.efc_AR[i * n + i] + d.efc_R[i]
