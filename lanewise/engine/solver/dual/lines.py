"""Rows of the dual problem: made for eight worlds side by side, kept world by world.

What the worlds have in common is a constraint: a static row, or the contacts in a slot. Its Y is
kept in Lanes, for each dof of its chain the numbers of all its rows. Which of a world's rows they
are differs. What else there is to know about a row is a line, a Row of eight numbers, at the row's
own place in its world, with the number of its constraint.
"""

from ....lanes import (
    W,
    bits,
    concat,
    highest,
    kernel,
    lane_item,
    mask_of,
    maximum,
    minimum,
    put,
    put_rows,
    splat,
    to_int,
    vec,
    where,
)
from ....mjconst import CNSTR_EQUALITY, CNSTR_LIMIT_JOINT, CONE_ELLIPTIC
from ...constraint.make import rows_of
from ...spatial import zeros3
from ..primal.matrix_free import slot_force
from ..slots import rescaled
from .directions import (
    contact_chain,
    contact_directions,
    direction,
    dof_direction,
    normal_direction,
    row_direction,
    turn_directions,
    whiten,
)
from .grouping import is_whole, join_trees

# a line: b, R, A_ii, (A_ii + R) / 2, -1/(A_ii + R), bounds of the force, the force to start from
B, R, A, HALF, STEP, LOW, HIGH, FORCE = range(8)
ALONE = FORCE  # later on, in a small island: the force that it would have if there were no others
INFINITY = float("inf")


# -------------------------------------------------------------------------------------- static rows


@kernel
def make_static(m, d, r, at, on, start):
    """Static row r, which is row `at` of the worlds `on`"""
    b, jar, scale = static_direction(m, d, r, on, start)
    # an equality pulls and pushes, friction does up to its bound, a limit only pushes
    low, high = splat(0.0), splat(INFINITY)
    if m.row_type[r] < CNSTR_LIMIT_JOINT:
        if m.row_type[r] != CNSTR_EQUALITY:
            high = d.row_frictionloss[r]
        low = -high
    f = minimum(high, maximum(low, -jar / d.row_R[r]))
    tree = m.dof_treeid[m.row_colind[m.row_rowadr[r]]] if m.row_rownnz[r] > 0 else 0
    if enter(d, at, splat(1.0), 1, on, splat(-1.0)):
        make_row(m, d, tree, scale, b, d.row_R[r], low, high, where(on, f, 0.0))
        if not is_whole(m):
            for e in range(1, m.row_rownnz[r]):
                join_trees(d, tree, m.dof_treeid[m.row_colind[m.row_rowadr[r] + e]])
        d.nrec = d.nrec + 1


@kernel
def static_direction(m, d, r, on, start):
    """Static row r => its Y is in chain_y, times a scale: J a - aref at qacc_smooth and at `start`,
    and that scale

    Both limits of a joint, and all worlds, have the same direction, or its opposite.
    """
    e = m.row_rowadr[r]
    if m.row_type[r] == CNSTR_LIMIT_JOINT and m.row_rownnz[r] == 1:
        k, J = m.row_colind[e], where(on, d.row_J[e], 0.0)
        dof_direction(m, d, k)
        return J * d.qacc_smooth[k] - d.row_aref[r], J * start[k] - d.row_aref[r], J
    b, jar = row_direction(m, d, r, on, start)
    whiten(m, d, d.chain_y)
    return b, jar, splat(1.0)


@kernel
def make_row(m, d, tree, scale, b, soft, low, high, f):
    """Y and line of a constraint that is one row, with its direction in chain_y, times `scale`"""
    first, a = d.rec_Y[d.nrec], splat(0.0)
    for e in range(d.nchain):
        k = d.chain[e]
        y = d.chain_y[k] * scale
        d.dual_Y[first + e] = y
        d.dual_dof[k] = d.dual_dof[k] + y * f
        a = a + y * y
    keep_line(m, d, 0, tree, a, b, soft, low, high, f)


# ----------------------------------------------------------------------------------------- contacts


@kernel
def make_contact(m, d, s, mine, start):
    """The rows of the contacts in slot s, of the worlds `mine`"""
    k = where(mine, d.slot_con[s], 0.0)
    number = rows_of(m, where(mine, d.contact.dim[k], 1.0))
    rows, tree = highest(number), m.dof_treeid[m.body_lastdof[d.slot_hi[s]]]
    contact_chain(m, d, s)
    if not enter(d, d.contact.efc_address[k], number, rows, mine, where(mine, k, -1.0)):
        return
    if rows == 1:
        b, jar = normal_direction(m, d, s, start)
        whiten(m, d, d.chain_y)
        f = where(mine, normal_force(m, d, s, k, jar), 0.0)
        make_row(m, d, tree, splat(1.0), b, d.con_R[k, 0], splat(0.0), splat(INFINITY), f)
    else:
        b, jar = contact_directions(m, d, s, start)
        whiten(m, d, d.chain_x)
        b_turn, jar_turn = zeros3(), zeros3()
        if d.slot_turns[s] == 1:
            b_turn, jar_turn = turn_directions(m, d, s, start)
            whiten(m, d, d.chain_w)
        b, jar = concat(b, b_turn), concat(jar, jar_turn)
        if m.opt.cone == CONE_ELLIPTIC:
            make_cone(m, d, s, k, rows, mine, tree, b, jar)
        else:
            make_edges(m, d, k, rows, tree, b, jar)
    if d.slot_lo[s] > 0 and not is_whole(m):
        join_trees(d, tree, m.dof_treeid[m.body_lastdof[d.slot_lo[s]]])
    d.nrec = d.nrec + 1


@kernel(inline=True)
def normal_force(m, d, s, k, jar):
    """Of a contact without friction, as make_cone and make_edges have it beside some with it."""
    if m.opt.cone == CONE_ELLIPTIC:
        z = splat(0.0)
        return rescaled(m, d, k, slot_force(m, d, s, vec(jar, z, z), zeros3()), 0)[0]
    return maximum(0.0, -jar / d.con_R[k, 0])


@kernel
def make_edges(m, d, k, rows, tree, b, jar):
    """Y and lines of the edges of a pyramid: normal + or - tangent

    A contact without friction, beside others that have some, has tangents that are zero.
    """
    first, soft = d.rec_Y[d.nrec], d.con_R[k, 0]
    d.direction_b[0] = b
    d.direction_jar[0] = jar
    normal = splat(0.0)  # |normal|^2
    for e in range(d.nchain):
        normal = normal + d.chain_x[d.chain[e], 0] * d.chain_x[d.chain[e], 0]
    for j in range(0, rows, 2):
        t = 1 + j // 2
        # the forces to start from, as forces along normal and tangent
        number = d.rec_number[d.nrec]
        plus = edge_force(d.direction_jar[0, 0] + d.direction_jar[0, t], soft, number > j)
        minus = edge_force(d.direction_jar[0, 0] - d.direction_jar[0, t], soft, number > j + 1)
        total, difference, cross_, tangent = plus + minus, plus - minus, splat(0.0), splat(0.0)
        for e in range(d.nchain):
            i = d.chain[e]
            x, y, at = d.chain_x[i, 0], direction(d, i, t), first + e * rows + j
            d.dual_Y[at] = x + y
            d.dual_Y[at + 1] = x - y
            cross_, tangent = cross_ + x * y, tangent + y * y
            d.dual_dof[i] = d.dual_dof[i] + x * total + y * difference
        # their squares: |normal|^2 + |tangent|^2 + or - 2 normal . tangent
        low, high = splat(0.0), splat(INFINITY)
        for side in range(2):
            sign, f = 1.0 - 2.0 * side, plus if side == 0 else minus
            bias = d.direction_b[0, 0] + sign * d.direction_b[0, t]
            a = normal + tangent + 2.0 * sign * cross_
            keep_line(m, d, j + side, tree, a, bias, soft, low, high, f)


@kernel(inline=True)
def edge_force(jar, soft, mine):
    """Of the primal problem, in worlds that have the edge."""
    return where(mine, maximum(0.0, -jar / soft), 0.0)


@kernel
def make_cone(m, d, s, k, rows, mine, tree, b, jar):
    """Y and lines of the directions of an elliptic contact, and their products in contact_A"""
    # the forces to start from are those of the primal problem; then all without scales
    d.direction_f[0] = rescaled(m, d, k, slot_force(m, d, s, jar[0:3], jar[3:6]), 0)
    d.direction_b[0] = rescaled(m, d, k, b, 1)
    one, first = splat(1.0), d.rec_Y[d.nrec]
    d.direction_scale[0] = rescaled(m, d, k, vec(one, one, one, one, one, one), 1)
    for e in range(d.nchain):
        i = d.chain[e]
        z = d.dual_dof[i]
        for j in range(rows):
            y = direction(d, i, j) * d.direction_scale[0, j]
            d.dual_Y[first + e * rows + j] = y
            z = z + y * where(mine, d.direction_f[0, j], 0.0)
        d.dual_dof[i] = z
    for i in range(rows):
        a = splat(0.0)
        for j in range(i + 1):
            a = splat(0.0)
            for e in range(d.nchain):
                a = a + d.dual_Y[first + e * rows + i] * d.dual_Y[first + e * rows + j]
            put(d.contact_A, (k, i * (i + 1) // 2 + j), a, mine)
        # cones have bounds of another kind; a contact without friction only pushes
        low, soft = where(d.contact.dim[k] > 1.0, -INFINITY, 0.0), d.con_R[k, i]
        bias, f = d.direction_b[0, i], d.direction_f[0, i]
        keep_line(m, d, i, tree, a, bias, soft, low, splat(INFINITY), f)


# -------------------------------------------------------------------------------- worlds and places


@kernel
def enter(d, at, number, rows, on, contact):
    """rec_*, here_* <= a constraint with the dofs of chain, which has `number` rows from `at` on in
    the worlds `on`; whether there is one

    Each world has a share of dual_Y. What has no room there, and the rows after it, are left out.
    """
    n, c, kept = 0, d.nrec, 0
    for w in range(W):
        if (bits(on) >> w) & 1:
            size = to_int(lane_item(number, w)) * d.nchain
            if d.world_Y[w] + size <= d.nYmax // W:
                d.world_Y[w] = d.world_Y[w] + size
                d.here_world[n] = w
                d.here_row[n] = to_int(lane_item(at, w))
                d.here_number[n] = to_int(lane_item(number, w))
                n += 1
                kept |= 1 << w
            else:
                d.dual_nrow = where(mask_of(1 << w), minimum(d.dual_nrow, at), d.dual_nrow)
    d.nhere = n
    # the places after those of the constraint before it
    d.rec_Y[c] = d.rec_Y[c - 1] + d.rec_rows[c - 1] * d.rec_nchain[c - 1] if c > 0 else 0
    d.rec_chain[c] = d.rec_chain[c - 1] + d.rec_nchain[c - 1] if c > 0 else 0
    d.rec_rows[c] = rows
    d.rec_nchain[c] = d.nchain
    d.rec_at[c] = at
    d.rec_number[c] = where(mask_of(kept), number, 0.0)
    d.rec_contact[c] = contact
    if n > 0:
        for e in range(d.nchain):
            d.dual_chain[d.rec_chain[c] + e] = d.chain[e]
    return n > 0


@kernel
def keep_line(m, d, j, tree, a, b, soft, low, high, f):
    """The line of row j of the constraint that is made, in the worlds that have it"""
    whole, diagonal = is_whole(m), a + soft
    lines = d.sweep_line if whole else d.dual_line
    rec, edge = d.sweep_rec if whole else d.dual_rec, d.sweep_edge if whole else d.dual_edge
    put_rows(d.dual_turn, 0, 1, vec(b, soft, a, 0.5 * diagonal, -1.0 / diagonal, low, high, f))
    for s in range(d.nhere):
        if j < d.here_number[s]:
            w = d.here_world[s]
            i = W * (d.here_row[s] + j) + w
            lines[i] = d.dual_turn[w]
            rec[i] = d.nrec
            edge[i] = j
            d.dual_island[i] = tree
