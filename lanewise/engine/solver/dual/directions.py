"""Directions of a constraint by dofs: J, then whitened to Y = J inverse(V), see problem.py (3).

A static row is one direction, and so is a contact without friction: chain_y. Other contacts have
three, normal and tangents, in chain_x, and three more in chain_w if there is friction of spin and
rolling. They have numbers at the dofs that can move the constraint, which are those on the way from
two bodies to the root, or a few such ways. The list `chain` has these dofs, the last one first.
"""

from ....lanes import kernel, splat, vec, where
from ...spatial import cross, dot3, zeros3
from ..slots import tree_shift


@kernel
def whiten(m, d, x):
    """x <= inverse(V') x over chain, with M = V'V"""
    # from the last dof to the first: what comes before has its final value. Of a dof j, row k of V
    # has the column at the same place as row j has its diagonal
    for e in range(d.nchain):
        j, y = d.chain[e], x[d.chain[e]]
        last, place = j + m.dof_descendants[j], m.M_rownnz[j] - 1
        for i in range(e):
            k = d.chain[i]
            if k <= last:
                y = y - x[k] * d.dual_V[m.M_rowadr[k] + place]
        x[j] = y * d.dual_Vinv[j]


@kernel
def dof_direction(m, d, k):
    """dof k => chain, its unit vector whitened in chain_y, if it is not there already"""
    if d.chain_dof == k:
        return
    n, i = 0, k
    while i >= 0:
        d.chain[n] = i
        d.chain_y[i] = 0.0
        n += 1
        i = m.dof_parentid[i]
    d.nchain = n
    d.chain_y[k] = 1.0
    whiten(m, d, d.chain_y)
    d.chain_dof = k


@kernel
def row_direction(m, d, r, on, start):
    """Static row r of the worlds `on` => chain, J in chain_y; J a - aref at qacc_smooth and at
    `start`"""
    d.chain_dof = -1
    first, end, n = m.row_rowadr[r], m.row_rowadr[r] + m.row_rownnz[r], 0
    # its dofs and all that carry them
    for e in range(first, end):
        d.chain_mark[m.row_colind[e]] = 1
    for k in range(m.row_colind[end - 1] if end > first else -1, -1, -1):
        if d.chain_mark[k] == 1:
            d.chain_mark[k] = 0
            d.chain_y[k] = 0.0
            d.chain[n] = k
            n += 1
            if m.dof_parentid[k] >= 0:
                d.chain_mark[m.dof_parentid[k]] = 1
    d.nchain = n
    b, jar = -d.row_aref[r], -d.row_aref[r]
    for e in range(first, end):
        k, J = m.row_colind[e], where(on, d.row_J[e], 0.0)
        d.chain_y[k] = J
        b = b + J * d.qacc_smooth[k]
        jar = jar + J * start[k]
    return b, jar


@kernel
def contact_chain(m, d, s):
    """chain <= the dofs of slot s; chain_side: 1 those of its body hi, -1 of lo, 0 of both

    Dofs that move both bodies do not move the contact, but come in when J is whitened.
    """
    i, j, n = m.body_lastdof[d.slot_hi[s]], -1, 0
    if d.slot_lo[s] > 0:
        j = m.body_lastdof[d.slot_lo[s]]
    while i >= 0 or j >= 0:
        k = max(i, j)
        d.chain[n] = k
        d.chain_side[n] = (1 if i == k else 0) - (1 if j == k else 0)
        n += 1
        if i == k:
            i = m.dof_parentid[i]
        if j == k:
            j = m.dof_parentid[j]
    d.nchain = n


@kernel(inline=True)
def velocity(m, d, s, e):
    """Of the point of slot s, by the e-th dof of chain."""
    axis, r = d.cdof[d.chain[e]], d.slot_r[s]
    if d.chain_side[e] < 0:
        hi, lo = d.slot_hi[s], d.slot_lo[s]
        if m.body_rootid[hi] != m.body_rootid[lo]:
            r = r + tree_shift(m, d, hi, lo)  # from the centre of the other tree
        axis = -axis
    return axis[3:6] + cross(axis[0:3], r)


@kernel
def normal_direction(m, d, s, start):
    """Slot s without friction => J in chain_y; J a - aref at qacc_smooth and at `start`"""
    F, b, jar = d.slot_frame[s], -d.slot_aref[s, 0], -d.slot_aref[s, 0]
    for e in range(d.nchain):
        k, J = d.chain[e], splat(0.0)
        if d.chain_side[e] != 0:
            J = dot3(F[0:3], velocity(m, d, s, e))
        d.chain_y[k] = J
        b = b + J * d.qacc_smooth[k]
        jar = jar + J * start[k]
    return b, jar


@kernel
def contact_directions(m, d, s, start):
    """Slot s => J in chain_x; J a - aref at qacc_smooth and at `start`, three numbers each

    Directions are those of slots, scaled.
    """
    F, aref = d.slot_frame[s], d.slot_aref[s]
    b, jar = -aref[0:3], -aref[0:3]
    for e in range(d.nchain):
        k, J = d.chain[e], zeros3()
        if d.chain_side[e] != 0:
            J = along(F, velocity(m, d, s, e))
        d.chain_x[k] = J
        b, jar = b + J * d.qacc_smooth[k], jar + J * start[k]
    return b, jar


@kernel
def turn_directions(m, d, s, start):
    """The same of rotations, for friction of spin and rolling, in chain_w"""
    F, scale, aref = d.slot_frame[s], d.slot_turnscale[s], d.slot_aref[s]
    b, jar = -aref[3:6], -aref[3:6]
    for e in range(d.nchain):
        k, J = d.chain[e], zeros3()
        if d.chain_side[e] != 0:
            J = along(F, d.cdof[k][0:3] * (1.0 * d.chain_side[e]))
        J = vec(J[0] * scale[0], J[1] * scale[1], J[2] * scale[2])
        d.chain_w[k] = J
        b, jar = b + J * d.qacc_smooth[k], jar + J * start[k]
    return b, jar


@kernel(inline=True)
def along(F, v):
    """A vector in the directions of the rows of F."""
    return vec(dot3(F[0:3], v), dot3(F[3:6], v), dot3(F[6:9], v))


@kernel(inline=True)
def direction(d, k, j):
    """Number j, of six, of dof k."""
    return d.chain_x[k, j] if j < 3 else d.chain_w[k, j - 3]
