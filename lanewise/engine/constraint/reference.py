"""Velocities of constraint rows, and the accelerations that they should have.

    (1)  vel = J qvel,     aref = -B vel - K I (pos - margin)

A contact's velocity is the relative velocity of its bodies in the contact's directions, taken from
cvel; where surfaces move in themselves (surfacevel), relative to the surfaces. Connects and welds
subtract the bias Jdot qvel. Adhesion translates the friction cone: a constant attraction is among
the passive forces, and R times it is added to aref, so that the net force has the same compression
and a pull of that much.

The discrete integrator takes the residual at the end of the step, and divides by its factor; see
impedance.py.
"""

from ...lanes import any_lane, concat, kernel, maximum, splat, vec, where
from ...mjconst import CNSTR_EQUALITY, CONE_PYRAMIDAL, EQ_WELD, INT_DISCRETE
from ..smooth.com import velocity_at
from ..spatial import mat_vec, zeros6
from .equality import equality_bias
from .impedance import implicit_factor


@kernel
def reference_constraint(m, d):
    """(rows, qvel, cvel) => (row_vel, row_aref, con_vel, con_aref)"""
    velocity_constraint(m, d)
    row_reference(m, d)
    contact_reference(m, d)


@kernel
def velocity_constraint(m, d):
    """(rows, qvel, cvel) => (row_vel, con_vel)"""
    d.rows_made = 0
    # static rows
    for a in range(d.nactive):
        r = d.active_row[a]
        v = splat(0.0)
        for e in range(m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r]):
            v = v + d.row_J[e] * d.qvel[m.row_colind[e]]
        d.row_vel[r] = v
    for k in range(d.ncon_most):
        on, dim = d.con_on[k] > 0.0, d.contact.dim[k]
        # the second body's motion less the first's, at K: linear, then angular
        p_WK, R_KW = d.contact.pos[k], d.contact.frame[k]
        V1_K_W = motion_at(m, d, d.con_agreed1[k], where(on, d.con_body1[k], 0.0), p_WK)
        V2_K_W = motion_at(m, d, d.con_agreed2[k], where(on, d.con_body2[k], 0.0), p_WK)
        linear = mat_vec(R_KW, V2_K_W[3:6] - V1_K_W[3:6])
        u = concat(linear, mat_vec(R_KW, V2_K_W[0:3] - V1_K_W[0:3]))
        # surfaces slide in two directions and spin
        surface = d.contact.surfacevel[k]
        u = u + vec(0.0, surface[0], surface[1], surface[2], 0.0, 0.0)
        d.con_vel[k] = by_dimension(on, dim, u)


@kernel
def motion_at(m, d, agreed, b, p_WP):
    """Angular velocity and velocity at a point: of body `agreed`, or else b, one in each lane"""
    if agreed == 0:  # the world does not move
        return zeros6()
    if agreed > 0:
        return moved_by(d.cvel[agreed], p_WP - d.subtree_com[m.body_rootid[agreed]])
    return moved_by(d.cvel[b], p_WP - d.subtree_com[m.body_rootid[b]])


@kernel(inline=True)
def moved_by(V_C, p_CP):
    """A motion about C, about P."""
    return concat(V_C[0:3], velocity_at(V_C, p_CP))


@kernel(inline=True)
def by_dimension(on, dim, u):
    """u in the directions that a contact has, zero in the others"""
    two, spin, roll = on & (dim > 1.0), on & (dim > 3.0), on & (dim > 4.0)
    return vec(
        where(on, u[0], 0.0), where(two, u[1], 0.0), where(two, u[2], 0.0),
        where(spin, u[3], 0.0), where(roll, u[4], 0.0), where(roll, u[5], 0.0),
    )  # fmt: skip


@kernel
def row_reference(m, d):
    """Static rows => row_aref"""
    bias = zeros6()
    for a in range(d.nactive):
        r = d.active_row[a]
        aref = reference(m, d.row_KBI[r], d.row_pos[r] - d.row_margin[r], d.row_vel[r])
        # the bias of a connect or weld, found at its first row and rotated from row to row
        if m.row_type[r] == CNSTR_EQUALITY and m.eq_type[m.row_id[r]] <= EQ_WELD:
            if m.row_sub[r] == 0:
                bias = equality_bias(m, d, m.row_id[r])
            aref = aref - bias[0]
            bias = concat(bias[1:6], vec(bias[0]))
        if m.opt.integrator == INT_DISCRETE:
            aref = aref / implicit_factor(m, d.row_KBI[r])
        d.row_aref[r] = where(d.row_on[r] > 0.0, aref, 0.0)


@kernel(inline=True)
def reference(m, kbi, r, v):
    """aref of (1), before the discrete integrator's division"""
    K, B, imp = kbi[0], kbi[1], kbi[2]
    if m.opt.integrator == INT_DISCRETE:
        r = r + m.opt.timestep * v
    return -B * v - K * imp * r


@kernel
def contact_reference(m, d):
    """Contacts => con_aref"""
    pyramid = m.opt.cone == CONE_PYRAMIDAL
    discrete = m.opt.integrator == INT_DISCRETE
    h = m.opt.timestep
    for k in range(d.ncon_most):
        on, dim, kbi, u = d.con_on[k] > 0.0, d.contact.dim[k], d.con_KBI[k], d.con_vel[k]
        # spring and damper of the normal, a damper in the other directions
        normal = reference(m, kbi, d.contact.dist[k] - d.contact.includemargin[k], u[0])
        B = kbi[1] if pyramid else d.con_Bfriction[k]  # an edge has what the normal has
        if discrete:
            factor, K, imp = implicit_factor(m, kbi), kbi[0], kbi[2]
            normal = normal / factor
            B = (B + h * K * imp) / factor if pyramid else B / (1.0 + h * B)
        # what adhesion adds, shared by the edges of a pyramid
        pull = d.contact.adhesion[k] if m.flg_adhesion else splat(0.0)
        if pyramid and any_lane(pull != 0.0):
            pull = pull / maximum(2.0 * (dim - 1.0), 1.0)
        slide, normal = u * -B, normal + where(on, d.con_R[k, 0], 0.0) * pull
        d.con_aref[k] = by_dimension(on, dim, concat(vec(normal), slide[1:6]))
