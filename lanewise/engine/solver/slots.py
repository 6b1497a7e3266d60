"""Contacts of eight worlds, brought side by side.

Worlds have contacts of their own, in lists of their own. For the solver the lists are merged: a
slot holds, of every world that has one, the next contact between the same two bodies, all of them
with friction of spin and rolling or none. So within a slot the bodies are plain numbers, and the
velocity of a body or the force on it is an ordinary load or store. A world's contacts keep their
order, whatever its neighbours have. A lane that has no contact in a slot has zeros there, which add
nothing to any sum.

Bodies without a joint between them move as one and count as one. A slot has the body `hi`, which
moves, and the body `lo`, which is 0 if it cannot move. In a slot

    u = F (v_hi - v_lo) - aref,      F the rows of the contact frame, scaled                (1)

is the acceleration at the contact point minus its reference. The scaling makes cones circular:

    U = (mu u0, friction_1 u1, ...)   an elliptic cone is |(U1, U2, ...)| < mu U0           (2)
    U = (u0, friction_1 u1, ...)      the edges of a pyramid are U0 + U1, U0 - U1, ...      (3)

A contact without friction has tangents that are zero; a quarter of its stiffness in each of the
four edges of a pyramid is the stiffness itself. slot_u has U0 to U2, and slot_w U3 to U5, of spin
and rolling: rotations about the same axes, scaled by slot_turnscale besides.
"""

from ...lanes import (
    all_lanes,
    any_lane,
    concat,
    highest,
    kernel,
    maximum,
    minimum,
    put,
    splat,
    vec,
    where,
)
from ...mjconst import CONE_ELLIPTIC
from ..spatial import cross, zeros3

CROWD = 400  # groups of dofs from which worlds that differ are solved one by one
NO_KEY = 1e15
STIFF = 1e4  # masses of all bodies: what is stiffer, hardly a dof can move


@kernel
def arrange_gang(m, d):
    """(contacts) => slots, pairs of moving bodies, live bodies"""
    # nothing is live before a contact is seen
    for b in range(m.nbody):
        d.body_live[b] = 0
    n, slots, pairs = d.ncon_most, 0, 0
    for k in range(n):
        contact_key(m, d, k)
    # merge the worlds' lists: `here` is the contact at which each world is
    here = splat(0.0)
    while n > 0:
        # a world at the end of its list has a key that is never the lowest
        k = minimum(here, n - 1.0)
        key = where(here < d.ncon, d.con_key[k], NO_KEY)
        off = key < 0.0
        if any_lane(off):  # not a constraint
            here = here + where(off, 1.0, 0.0)
            continue
        # the lowest key gets the next slot, in all worlds that are at this key
        first = -highest(-key)
        if first >= 1e15:
            break
        mine = key == first * 1.0
        # mostly these worlds agree on the number of the contact, and loads need no gather
        last = highest(where(mine, k, 0.0))
        if all_lanes(where(mine, k, last * 1.0) == last * 1.0):
            pairs = fill_slot(m, d, slots, pairs, first, last, mine)
        else:
            pairs = fill_slot(m, d, slots, pairs, first, where(mine, k, 0.0), mine)
        here = here + where(mine, 1.0, 0.0)
        slots += 1
    d.nslot = slots
    d.nbodypair = pairs
    stiff = splat(0.0)
    for s in range(slots):
        stiff = maximum(stiff, d.slot_stiff[s])
    d.world_stiff = stiff
    d.some_stiff = 1 if any_lane(stiff > 0.0) else 0
    if d.some_stiff == 1:
        for s in range(slots):
            find_edges(m, d, s)
    # bodies that were marked, from the root outwards
    live = 0
    for b in range(1, m.nbody):
        if d.body_live[b] == 1:
            d.live_body[live] = b
            live += 1
    d.nlive = live


@kernel
def find_edges(m, d, s):
    """slot_edged <= whether slot s is a stiff pyramid: 2 in all worlds that have it, 1 in some"""
    stiff, soft = d.slot_stiff[s] > 0.0, (d.slot_con[s] >= 0.0) & (d.slot_stiff[s] == 0.0)
    d.slot_edged[s] = 0
    if m.opt.cone != CONE_ELLIPTIC and any_lane(stiff):
        d.slot_edged[s] = 1 if any_lane(soft) else 2


@kernel
def contact_key(m, d, k):
    """con_key, con_flip of contact k

    A key is 2 (lo nbody + hi) with bodies by their numbers, plus 1 if there is friction of spin: so
    worlds come to the same order of slots. What is not a constraint has -1.
    """
    exists = (k < d.ncon) & (d.con_on[k] > 0.0)
    w1 = weld_of(m, d.con_agreed1[k], where(exists, d.con_body1[k], 0.0))
    w2 = weld_of(m, d.con_agreed2[k], where(exists, d.con_body2[k], 0.0))
    key = 2.0 * (minimum(w1, w2) * m.nbody + maximum(w1, w2))
    key = key + where(d.contact.dim[k] > 3.0, 1.0, 0.0)
    d.con_key[k] = where(exists, key, -1.0)
    d.con_flip[k] = where(w1 > w2, -1.0, 1.0)


@kernel(inline=True)
def weld_of(m, agreed, b):
    """What a body moves with: the one that all worlds have, or else b, another in each."""
    if agreed >= 0:
        return splat(m.body_weldid[agreed] * 1.0)
    return m.body_weldid[b]


@kernel
def fill_slot(m, d, s, pairs, key, k, mine):
    """Contact k of the worlds `mine` => slot s; how many pairs of moving bodies there are now

    k is a plain number where the worlds agree.
    """
    # the bodies, out of the key
    bodies = key >> 1
    lo = bodies // m.nbody
    hi = bodies - lo * m.nbody
    side = d.con_flip[k]
    # hi is a body that moves; the frame points from lo to hi
    if m.body_dofnum[hi] == 0:
        lo, hi, side = hi, lo, -side
    if m.body_dofnum[lo] == 0:
        lo = 0
    # what the slot is about
    d.slot_hi[s] = hi
    d.slot_lo[s] = lo
    d.slot_pair[s] = -1
    mark_live(m, d, hi)
    if lo > 0:
        mark_live(m, d, lo)
        # two moving bodies: their pair, by its key, or a new one
        p = rank_of_pair(d, pairs, key)
        if p == pairs or d.pair_key[d.pair_rank[p]] != key:
            insert_pair(d, pairs, p, key)
            d.pair_hi[pairs] = hi
            d.pair_lo[pairs] = lo
            pairs += 1
        d.slot_pair[s] = d.pair_rank[p]
    fill_contact(m, d, s, k, mine, side, d.contact.pos[k] - d.subtree_com[m.body_rootid[hi]])
    return pairs


@kernel
def fill_contact(m, d, s, k, mine, side, r):
    """Contact k of the worlds `mine`, at r, with its frame turned by `side` => slot s"""
    # where and what; without a contact, one that has no friction
    d.slot_con[s] = where(mine, k * 1.0, -1.0)
    zero = zeros3()
    d.slot_r[s] = where(mine, r, zero)
    dim = where(mine, d.contact.dim[k], 1.0)
    scale = slot_scale(m, d, k, dim)
    # D of the scaled directions: D u^2 is the same cost in units of U
    D = where(mine, d.con_D[k, 0], 0.0)
    d.slot_stiff[s] = where(D > STIFF * m.body_subtreemass[0], 1.0, 0.0)
    if m.opt.cone == CONE_ELLIPTIC:
        d.slot_mu[s] = scale[0]
        D = D / (scale[0] * scale[0])
    else:
        D = where(dim > 1.0, D, 0.25 * D)
    # rows of the frame, and aref along them
    F = d.contact.frame[k]
    n = where(mine, F[0:3] * (side * scale[0]), zero)
    f1 = where(mine, F[3:6] * (side * scale[1]), zero)
    f2 = where(mine, F[6:9] * (side * scale[2]), zero)
    d.slot_frame[s] = concat(n, concat(f1, f2))
    a0, a1, a2 = d.con_aref[k, 0], d.con_aref[k, 1], d.con_aref[k, 2]
    aref = where(mine, vec(a0 * scale[0], a1 * scale[1], a2 * scale[2]), zero)
    # friction of spin and rolling. The rows of the frame are scaled as for sliding:
    # slot_turnscale makes up for that
    spins, rolls, aturn = dim > 3.0, dim > 4.0, zero
    turns = any_lane(spins)
    d.slot_turns[s] = 1 if turns else 0
    if turns:
        turn, rough = turn_scale(m, d, k, dim), dim > 1.0
        a = d.con_aref[k]
        aturn = where(spins, vec(a[3] * turn[0], a[4] * turn[1], a[5] * turn[2]), zero)
        d.slot_turnscale[s] = vec(turn[0] / scale[0], splat(0.0), splat(0.0))
        if any_lane(rolls):
            s1, s2 = where(rough, scale[1], 1.0), where(rough, scale[2], 1.0)
            d.slot_turnscale[s, 1] = turn[1] / s1
            d.slot_turnscale[s, 2] = turn[2] / s2
    d.slot_aref[s] = concat(aref, aturn)
    # D is the same in all directions, or 0 where there is no such friction
    d.slot_D[s] = vec(D, where(spins, D, 0.0), where(rolls, D, 0.0))


@kernel
def rank_of_pair(d, pairs, key):
    """How many pairs have a lower key; they come in this order nearly always."""
    p = pairs
    while p > 0 and d.pair_key[d.pair_rank[p - 1]] >= key:
        p -= 1
    return p


@kernel
def insert_pair(d, pairs, p, key):
    """A new pair, of rank p: sums over pairs are taken by rank, whoever brought them."""
    for q in range(pairs, p, -1):
        d.pair_rank[q] = d.pair_rank[q - 1]
    d.pair_rank[p] = pairs
    d.pair_key[pairs] = key


@kernel(inline=True)
def slot_scale(m, d, k, dim):
    """What the rows of contact k's frame are multiplied by; without friction 1, 0, 0."""
    rough, normal = dim > 1.0, splat(1.0)
    if m.opt.cone == CONE_ELLIPTIC:
        normal = where(rough, d.contact.mu[k], 1.0)
    f1, f2 = d.contact.friction[k, 0], d.contact.friction[k, 1]
    return vec(normal, where(rough, f1, 0.0), where(rough, f2, 0.0))


@kernel(inline=True)
def turn_scale(m, d, k, dim):
    """What spin and rolling are multiplied by, where there are such."""
    spins, rolls, friction = dim > 3.0, dim > 4.0, d.contact.friction[k]
    return vec(
        where(spins, friction[2], 0.0),
        where(rolls, friction[3], 0.0),
        where(rolls, friction[4], 0.0),
    )


@kernel(inline=True)
def every_world():
    """The mask of all eight worlds."""
    return splat(0.0) == 0.0


@kernel(inline=True)
def no_world():
    """The mask of none."""
    return splat(0.0) > 1.0


@kernel
def run_slots(m, d, run):
    """run_slot, run_row <= slots and rows that matter to the worlds of `run`"""
    n = 0
    for s in range(d.nslot):
        if any_lane(run & (d.slot_con[s] >= 0.0)):
            d.run_slot[n] = s
            n += 1
    d.nrun_slot = n
    n = 0
    # the same of static rows
    for a in range(d.nactive):
        if any_lane(run & (d.row_on[d.active_row[a]] > 0.0)):
            d.run_row[n] = d.active_row[a]
            n += 1
    d.nrun_row = n


@kernel(inline=True)
def mark_live(m, d, b):
    """b and all bodies that carry it."""
    while b > 0 and d.body_live[b] == 0:
        if m.body_dofnum[b] > 0:
            d.body_live[b] = 1
        b = m.body_weldid[m.body_parentid[b]]


@kernel(inline=True)
def tree_shift(m, d, hi, lo):
    """From the centre of lo's tree to that of hi's."""
    return d.subtree_com[m.body_rootid[hi]] - d.subtree_com[m.body_rootid[lo]]


@kernel(inline=True)
def seen_from(V, shift):
    """A motion about another point."""
    return concat(V[0:3], V[3:6] + cross(V[0:3], shift))


@kernel
def publish(m, d, field, is_force):
    """Slots => con_jar (from slot_u, slot_w) or con_force (from slot_du, slot_dw)"""
    # contacts that are no constraints have zeros
    for k in range(d.ncon_most):
        for j in range(6):
            field[k, j] = 0.0
    for s in range(d.nslot):
        # each world stores at its own contact
        mine = d.slot_con[s] >= 0.0
        k = where(mine, d.slot_con[s], 0.0)
        u, w = d.slot_u[s], zeros3()
        if is_force == 1:
            u = d.slot_du[s]
        if d.slot_turns[s] == 1:
            w = d.slot_w[s]
            if is_force == 1:
                w = d.slot_dw[s]
        put(field, k, rescaled(m, d, k, concat(u, w), 1 - is_force), mine)


@kernel
def rescaled(m, d, k, x, divide):
    """Six numbers of contact k, times its scales or divided by them; 0 where there is no row

    Accelerations are divided on their way out of slots, forces are multiplied.
    """
    dim = d.contact.dim[k]
    scale = concat(slot_scale(m, d, k, dim), turn_scale(m, d, k, dim))
    if divide == 1:
        scale = vec(
            reciprocal(scale[0]), reciprocal(scale[1]), reciprocal(scale[2]),
            reciprocal(scale[3]), reciprocal(scale[4]), reciprocal(scale[5]),
        )  # fmt: skip
    return vec(
        x[0] * scale[0], x[1] * scale[1], x[2] * scale[2],
        x[3] * scale[3], x[4] * scale[4], x[5] * scale[5],
    )  # fmt: skip


@kernel(inline=True)
def reciprocal(x):
    """1/x, or 0 for 0"""
    return where(x != 0.0, 1.0 / where(x != 0.0, x, 1.0), 0.0)
