"""Which constraints exist in each world, and their Jacobian, residual and margin.

Contacts are per-world lists (`contact`); all other constraints have a static row, whose Jacobian
has a fixed structure (loaders/structure_constraint.py). A row that no world of the gang has is left
out of `active_row`, and nothing of it is computed or read.
"""

from ...lanes import all_lanes, any_lane, highest, kernel, load4, maximum, not_, splat, where
from ...mjconst import (
    CONE_PYRAMIDAL,
    DSBL_CONSTRAINT,
    DSBL_CONTACT,
    DSBL_FRICTIONLOSS,
    DSBL_LIMIT,
    EXCLUDE_NODOF,
    EXCLUDE_NONE,
    INT_DISCRETE,
    JNT_BALL,
    WARN_CNSTRFULL,
)
from ..counters import ROOM_ROWS, lack
from ..spatial import norm3, normalize3, normalize4, quat_vel
from .equality import enter_row, equality_rows, is_there
from .impedance import regularize_constraint

FRICTION, LIMITS = 0, 1  # columns of tendon_rowadr


@kernel
def make_constraint(m, d):
    """(contact, poses, cdof, qpos, ten_*, eq_active) => (row_*, con_*, ne, nf, nl, nefc,
    maxuse_efc)

    Under the discrete integrator the regularization depends on the metric, and is made with it.
    """
    d.nactive = 0
    d.rows_made = 0
    d.dual_made = 0
    ne, nf, nl = splat(0.0), splat(0.0), splat(0.0)
    if not m.opt.disableflags & DSBL_CONSTRAINT:
        ne = equality_rows(m, d)
        nf = friction_rows(m, d)
        nl = limit_rows(m, d)
    d.ne = ne
    d.nf = nf
    d.nl = nl
    d.nefc = contact_rows(m, d, ne + nf + nl)
    d.maxuse_efc = maximum(d.maxuse_efc, d.nefc)
    if m.opt.integrator != INT_DISCRETE:
        regularize_constraint(m, d)


# ------------------------------------------------------------------------------------- dry friction


@kernel
def friction_rows(m, d):
    """Rows of dry friction in dofs and tendons; returns how many, by lane"""
    number = splat(0.0)
    if m.opt.disableflags & DSBL_FRICTIONLOSS:
        return number
    for i in range(m.nv):
        if any_lane(m.dof_frictionloss[i] != 0.0):
            r = m.dof_rowadr[i]
            d.row_J[m.row_rowadr[r]] = 1.0
            loss = splat(m.dof_frictionloss[i])
            number = number + friction_row(m, d, r, loss, loss != 0.0)
    for t in range(m.ntendon):
        if any_lane(m.tendon_frictionloss[t] > 0.0) and m.arm_rownnz[t] > 0:
            r = m.tendon_rowadr[t, FRICTION]
            tendon_row(m, d, r, t, 1.0)
            loss = splat(m.tendon_frictionloss[t])
            number = number + friction_row(m, d, r, loss, (loss > 0.0) & is_there(m, d, r, 1))
    return number


@kernel
def friction_row(m, d, r, loss, on):
    """A row whose force may be `loss` at most; returns 1 in the worlds that have it"""
    d.row_pos[r] = 0.0
    d.row_margin[r] = 0.0
    d.row_frictionloss[r] = where(on, loss, 0.0)
    enter_row(d, r, on)
    return d.row_on[r]


@kernel
def tendon_row(m, d, r, t, sign):
    """The Jacobian of a tendon's length, or of its opposite"""
    for e in range(m.row_rownnz[r]):
        d.row_J[m.row_rowadr[r] + e] = d.ten_arm[m.arm_rowadr[t] + e] * sign


# ------------------------------------------------------------------------------------------- limits


@kernel
def limit_rows(m, d):
    """Rows of the limits that a joint or tendon has come close to; returns how many, by lane"""
    number = splat(0.0)
    if m.opt.disableflags & DSBL_LIMIT:
        return number
    for j in range(m.njnt):
        if not m.jnt_limited[j] or m.jnt_type[j] < JNT_BALL:  # free joints have none
            continue
        if m.jnt_type[j] == JNT_BALL:
            number = number + ball_limit(m, d, j)
            continue
        # slides and hinges: the lower limit, the upper limit
        x, margin, r = d.qpos[m.jnt_qposadr[j]], m.jnt_margin[j], m.jnt_rowadr[j]
        low, high = x - m.jnt_range[j, 0], m.jnt_range[j, 1] - x
        if any_lane(low < margin):
            d.row_J[m.row_rowadr[r]] = 1.0
            number = number + limit_row(d, r, low, splat(margin), low < margin)
        if any_lane(high < margin):
            d.row_J[m.row_rowadr[r + 1]] = -1.0
            number = number + limit_row(d, r + 1, high, splat(margin), high < margin)
    for t in range(m.ntendon):
        if not m.tendon_limited[t] or m.arm_rownnz[t] == 0:
            continue
        # tendons: likewise, with the row of the length or of its opposite
        x, margin, r = d.ten_length[t], m.tendon_margin[t], m.tendon_rowadr[t, LIMITS]
        for side in range(2):
            sign = 1.0 - 2.0 * side
            dist = (x - m.tendon_range[t, side]) * sign
            if any_lane(dist < margin):
                tendon_row(m, d, r + side, t, sign)
                on = (dist < margin) & is_there(m, d, r + side, 1)
                number = number + limit_row(d, r + side, dist, splat(margin), on)
    return number


@kernel
def limit_row(d, r, dist, margin, on):
    """A row at this distance from a limit; returns 1 in the worlds that have it"""
    d.row_pos[r] = dist
    d.row_margin[r] = margin
    d.row_frictionloss[r] = 0.0
    enter_row(d, r, on)
    return d.row_on[r]


@kernel
def ball_limit(m, d, j):
    """The angle of a ball joint has an upper limit, and its axis is the Jacobian."""
    r = m.jnt_rowadr[j]
    turn = quat_vel(normalize4(load4(d.qpos, m.jnt_qposadr[j])))
    dist = maximum(m.jnt_range[j, 0], m.jnt_range[j, 1]) - norm3(turn)
    on = dist < m.jnt_margin[j]
    if not any_lane(on):
        return splat(0.0)
    axis, adr = normalize3(turn), m.row_rowadr[r]
    d.row_J[adr] = -axis[0]
    d.row_J[adr + 1] = -axis[1]
    d.row_J[adr + 2] = -axis[2]
    return limit_row(d, r, dist, splat(m.jnt_margin[j]), on)


# ----------------------------------------------------------------------------------------- contacts


@kernel
def contact_rows(m, d, nefc):
    """con_on and efc_address of the contacts, after nefc other rows; returns the number of all

    A contact between bodies that move with the same dofs is no constraint; nor is one for whose
    rows there is no room.
    """
    off = m.opt.disableflags & DSBL_CONSTRAINT or m.opt.disableflags & DSBL_CONTACT or m.nv == 0
    for k in range(d.ncon_most):
        on = (d.ncon > k) & (d.contact.exclude[k] == EXCLUDE_NONE)
        if off:
            on = on & (nefc < 0.0)
        # both bodies at the end of the same chain of dofs: no relative motion
        b1, b2 = where(on, d.con_body1[k], 0.0), where(on, d.con_body2[k], 0.0)
        d.con_agreed1[k] = agreed(b1, on)
        d.con_agreed2[k] = agreed(b2, on)
        moves = last_dof_of(m, d.con_agreed1[k], b1) != last_dof_of(m, d.con_agreed2[k], b2)
        fixed = on & not_(moves)
        if any_lane(fixed):
            d.contact.exclude[k] = where(fixed, EXCLUDE_NODOF * 1.0, d.contact.exclude[k])
        on = on & moves
        # its rows come after those before it, if there is room
        after = nefc + where(on, rows_of(m, d.contact.dim[k]), 0.0)
        full = on & (after > d.njmax)
        if any_lane(full):
            lack(d, ROOM_ROWS, WARN_CNSTRFULL, full, d.njmax)
            on, after = on & not_(full), where(full, nefc, after)
        d.con_on[k] = where(on, 1.0, 0.0)
        d.contact.efc_address[k] = where(on, nefc, -1.0)
        nefc = after
    return nefc


@kernel(inline=True)
def agreed(b, on):
    """The body of the worlds `on`, 0 in others, as a plain number, or -1 if they have several."""
    first = highest(b)
    return first if all_lanes(where(on, b, first * 1.0) == first * 1.0) else -1


@kernel(inline=True)
def last_dof_of(m, agreed, b):
    """The last dof of a body: the one that all worlds have, or else b, another in each."""
    if agreed >= 0:
        return splat(m.body_lastdof[agreed] * 1.0)
    return m.body_lastdof[b]


@kernel(inline=True)
def rows_of(m, dim):
    """How many rows a contact of this dimension has."""
    if m.opt.cone == CONE_PYRAMIDAL:
        return where(dim > 1.0, 2.0 * (dim - 1.0), 1.0)
    return dim
