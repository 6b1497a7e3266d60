"""The contacts of one island of a heap, by eights: a bunch has its contacts in the lanes of Rows.

Worlds of a heap have nothing in common: not the contacts, not the islands, not the number of
iterations that these take. Side by side, all would wait for the slowest, and a world with few
contacts for the one that has most. So from the first iteration on each island is solved for itself
(descent.py), and its lanes are filled by its own contacts.

What a slot has of a contact is turned into a record of three Rows for each world (record_slots),
with one more for spin and rolling:

    0 frame (9)   9 point (3)   12 shift (3)   15 u (3)   18 D (3)   21 mu   22 cost
    0 w (3)       3 scale of spin and rolling (3)

A bunch is eight records, turned once more (fill_bunch). In lanes without a contact all is zero. The
motion of the trees is turned in the same way, and so are the wrenches on them. What slots have of
formulas (primal/), bunches have, too.
"""

from ....lanes import (
    NROW,
    any_lane,
    concat,
    kernel,
    load_lane,
    put_rows,
    row_mask,
    row_total,
    splat,
    store_lane,
    vec,
    where,
)
from ....lanes.memory import transpose
from ....mjconst import CONE_ELLIPTIC
from ...spatial import cross, dot3
from ..primal.linesearch import cone_slope_at, pyramid_slope_at
from ..primal.matrix_free import cone_change, cone_force, pyramid_change, pyramid_force
from ..slots import seen_from

# --------------------------------------------------------------------------------------- filling


@kernel
def record_slots(d):
    """Slots => heap_record, heap_turning of all worlds"""
    z = splat(0.0)
    for s in range(d.nslot):
        F, r, shift, u, D = d.slot_frame[s], d.slot_r[s], d.heap_shift[s], d.slot_u[s], d.slot_D[s]
        stride = 3 * d.nconmax
        put_rows(d.heap_record, 3 * s, stride, F[0:8])
        low = concat(concat(F[8:9], r), concat(shift, u[0:1]))
        put_rows(d.heap_record, 3 * s + 1, stride, low)
        high = concat(concat(u[1:3], D), vec(d.slot_mu[s], d.slot_E[s], z))
        put_rows(d.heap_record, 3 * s + 2, stride, high)
        if d.slot_turns[s] == 1:
            turning = concat(d.slot_w[s], concat(d.slot_turnscale[s], vec(z, z)))
            put_rows(d.heap_turning, s, d.nconmax, turning)


@kernel
def fill_bunches(m, d, w, t):
    """The contacts of island t of world w => bunches"""
    n, first, two = 0, w * d.nconmax, 0
    s = d.contact_first[w * m.ntree + t]
    while s >= 0:
        hi, lo = d.heap_tree[2 * (first + s)], d.heap_tree[2 * (first + s) + 1]
        d.bunch_slot[n] = s
        d.bunch_hi[n] = hi
        d.bunch_pair[n] = d.heap_pair[first + s]
        # a second tree that is not there is looked at, but does not count
        d.bunch_lo[n] = lo if lo >= 0 else hi
        two = two | (1 << n % NROW if lo >= 0 else 0)
        n += 1
        s = d.contact_next[first + s]
        if n % NROW == 0 or s < 0:
            g = (n - 1) // NROW
            d.bunch_two[g] = two
            d.bunch_tree[g] = only_tree(d, NROW * g, n) if two == 0 else -1
            two = 0
    d.nbunch = (n + NROW - 1) // NROW
    # what is left of the last bunch looks at the contact before
    for k in range(n, NROW * d.nbunch):
        d.bunch_slot[k] = d.bunch_slot[n - 1]
        d.bunch_hi[k] = d.bunch_hi[n - 1]
        d.bunch_lo[k] = d.bunch_hi[n - 1]
    for g in range(d.nbunch):
        size = min(NROW, n - NROW * g)
        d.bunch_size[g] = size
        fill_bunch(d, g, (1 << size) - 1, first)


@kernel
def only_tree(d, begin, end):
    """The first tree of the contacts from `begin` on, if it is one, else -1"""
    t = d.bunch_hi[begin]
    for k in range(begin + 1, end):
        if d.bunch_hi[k] != t:
            return -1
    return t


@kernel
def fill_bunch(d, g, exists, first):
    """Records, from `first` on => bunch g"""
    a, b = eight_records(d, g, first, 0, exists), eight_records(d, g, first, 1, exists)
    c = eight_records(d, g, first, 2, exists)
    d.bunch_frame[g] = concat(a, b[0:1])
    d.bunch_r[g] = b[1:4]
    d.bunch_shift[g] = b[4:7]
    d.bunch_u[g] = concat(b[7:8], c[0:2])
    d.bunch_D[g] = c[2:5]
    d.bunch_mu[g] = c[5]
    d.bunch_E[g] = c[6]
    z, on = vec(0.0, 0.0, 0.0), c[3] > 0.0
    d.bunch_w[g] = z
    d.bunch_turns[g] = 0
    if any_lane(on):
        d.bunch_turns[g] = 1
        x = vec(
            turning(d, g, first, 0), turning(d, g, first, 1), turning(d, g, first, 2),
            turning(d, g, first, 3), turning(d, g, first, 4), turning(d, g, first, 5),
            turning(d, g, first, 6), turning(d, g, first, 7),
        )  # fmt: skip
        # of contacts without spin nothing may be recorded
        x = transpose(x)
        d.bunch_w[g] = where(on, x[0:3], z)
        d.bunch_turnscale[g] = where(on, x[3:6], z)


@kernel(inline=True)
def record(d, g, first, j, k):
    """Row j of the record of contact k of a bunch."""
    return d.heap_record[3 * (first + d.bunch_slot[NROW * g + k]) + j]


@kernel(inline=True)
def turning(d, g, first, k):
    """The Row of spin and rolling of contact k of a bunch."""
    return d.heap_turning[first + d.bunch_slot[NROW * g + k]]


@kernel(inline=True)
def eight_records(d, g, first, j, exists):
    """Rows j of the records of a bunch, turned; zeros where there is no contact."""
    x = vec(
        record(d, g, first, j, 0), record(d, g, first, j, 1), record(d, g, first, j, 2),
        record(d, g, first, j, 3), record(d, g, first, j, 4), record(d, g, first, j, 5),
        record(d, g, first, j, 6), record(d, g, first, j, 7),
    )  # fmt: skip
    return where(row_mask(exists), transpose(x), vec(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


@kernel
def empty_bunches(d, w):
    """bunch_u, bunch_w => slot_u, slot_w of world w, where publish looks for them"""
    for g in range(d.nbunch):
        for k in range(d.bunch_size[g]):
            s = d.bunch_slot[NROW * g + k]
            store_lane(d.slot_u, s, w, load_lane(d.bunch_u, g, k))
            if d.bunch_turns[g] == 1:
                store_lane(d.slot_w, s, w, load_lane(d.bunch_w, g, k))


# --------------------------------------------------------------------------- motions and wrenches


@kernel(inline=True)
def eight_trees(d, x, trees, c):
    """Rows of x, of the trees of eight contacts from c on, turned."""
    return transpose(vec(
        x[trees[c]], x[trees[c + 1]], x[trees[c + 2]], x[trees[c + 3]],
        x[trees[c + 4]], x[trees[c + 5]], x[trees[c + 6]], x[trees[c + 7]],
    ))  # fmt: skip


@kernel
def move_bunches(d):
    """heap_V => bunch_du, bunch_dw"""
    for g in range(d.nbunch):
        V = bunch_motion(d, g)
        F, o = d.bunch_frame[g], V[0:3]
        v = V[3:6] + cross(o, d.bunch_r[g])
        d.bunch_du[g] = vec(dot3(F[0:3], v), dot3(F[3:6], v), dot3(F[6:9], v))
        d.bunch_dw[g] = vec(0.0, 0.0, 0.0)
        if d.bunch_turns[g] == 1:
            k = d.bunch_turnscale[g]
            spin, roll = k[0] * dot3(F[0:3], o), k[1] * dot3(F[3:6], o)
            d.bunch_dw[g] = vec(spin, roll, k[2] * dot3(F[6:9], o))


@kernel(inline=True)
def bunch_motion(d, g):
    """The motion of `hi` as `lo` sees it, about the centre of the first"""
    t = d.bunch_tree[g]
    if t >= 0:
        V = vec(
            load_lane(d.heap_V, t, 0), load_lane(d.heap_V, t, 1), load_lane(d.heap_V, t, 2),
            load_lane(d.heap_V, t, 3), load_lane(d.heap_V, t, 4), load_lane(d.heap_V, t, 5),
        )  # fmt: skip
    else:
        V = eight_trees(d, d.heap_V, d.bunch_hi, NROW * g)[0:6]
        if d.bunch_two[g]:
            other = eight_trees(d, d.heap_V, d.bunch_lo, NROW * g)[0:6]
            V = where(row_mask(d.bunch_two[g]), V - seen_from(other, d.bunch_shift[g]), V)
    return V


@kernel
def push_bunch(d, g, f):
    """Six forces of a bunch, as wrenches on its trees, are added in heap_F"""
    F, z = d.bunch_frame[g], vec(0.0, 0.0)
    force = F[0:3] * f[0] + F[3:6] * f[1] + F[6:9] * f[2]
    torque = cross(d.bunch_r[g], force)
    if d.bunch_turns[g] == 1:
        k = d.bunch_turnscale[g]
        about = F[0:3] * (f[3] * k[0]) + F[3:6] * (f[4] * k[1])
        torque = torque + about + F[6:9] * (f[5] * k[2])
    x, t = transpose(concat(concat(torque, force), z)), d.bunch_tree[g]
    if t >= 0:
        add_wrench(d, t, ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])))
        return
    add_wrenches(d, d.bunch_hi, NROW * g, x)
    # the opposite on the second tree, about its centre
    if d.bunch_two[g]:
        two = row_mask(d.bunch_two[g])
        torque = torque + cross(d.bunch_shift[g], force)
        torque = where(two, -torque, vec(0.0, 0.0, 0.0))
        force = where(two, -force, vec(0.0, 0.0, 0.0))
        add_wrenches(d, d.bunch_lo, NROW * g, transpose(concat(concat(torque, force), z)))


@kernel(inline=True)
def add_wrenches(d, trees, c, F):
    """heap_F += a wrench for each of eight contacts, from c on"""
    add_wrench(d, trees[c], F[0])
    add_wrench(d, trees[c + 1], F[1])
    add_wrench(d, trees[c + 2], F[2])
    add_wrench(d, trees[c + 3], F[3])
    add_wrench(d, trees[c + 4], F[4])
    add_wrench(d, trees[c + 5], F[5])
    add_wrench(d, trees[c + 6], F[6])
    add_wrench(d, trees[c + 7], F[7])


@kernel(inline=True)
def add_wrench(d, t, F):
    """heap_F of tree t += F"""
    d.heap_F[t] = d.heap_F[t] + F


# --------------------------------------------------------------------------------- along the line


@kernel(inline=True)
def bunch_force(m, d, g, u, w):
    """The forces of a bunch at u, w, in the same directions: six numbers."""
    D = d.bunch_D[g]
    if m.opt.cone == CONE_ELLIPTIC:
        return cone_force(D[0], d.bunch_mu[g], u, w)
    return pyramid_force(D, u, w, d.bunch_turns[g])


@kernel
def bunch_slopes(m, d, alpha):
    """(slope, curvature) of all contacts at alpha"""
    slope, curvature = 0.0, 0.0
    for g in range(d.nbunch):
        u, v, D = d.bunch_u[g], d.bunch_du[g], d.bunch_D[g]
        w, o = d.bunch_w[g], d.bunch_dw[g]
        if m.opt.cone == CONE_ELLIPTIC:
            both = cone_slope_at(D[0], d.bunch_mu[g], u, w, v, o, alpha)
        else:
            both = pyramid_slope_at(D, u, w, v, o, alpha, d.bunch_turns[g])
        slope, curvature = slope + both[0], curvature + both[1]
    return row_total(slope), row_total(curvature)


@kernel
def advance_bunches(m, d, alpha):
    """bunch_u, bunch_w += alpha J search => heap_F; (twice the change of cost, size of costs)"""
    change, size = 0.0, 0.0
    for g in range(d.nbunch):
        u, w = d.bunch_u[g] + d.bunch_du[g] * alpha, d.bunch_w[g]
        d.bunch_u[g] = u
        if d.bunch_turns[g] == 1:
            w = w + d.bunch_dw[g] * alpha
            d.bunch_w[g] = w
        f = bunch_force(m, d, g, u, w)
        energy, before = -(dot3(u, f[0:3]) + dot3(w, f[3:6])), d.bunch_E[g]
        d.bunch_E[g] = energy
        change, size = change + (energy - before), size + (energy + before)
        push_bunch(d, g, f)
    return row_total(change), row_total(size)


@kernel
def exact_bunches(m, d, alpha, moved):
    """Twice the change of cost by alpha, exactly; the move has been made already, or not"""
    total = 0.0
    for g in range(d.nbunch):
        v, o, D = d.bunch_du[g] * alpha, d.bunch_dw[g] * alpha, d.bunch_D[g]
        u, w = d.bunch_u[g], d.bunch_w[g]
        if moved == 1:
            u, w = u - v, w - o
        if m.opt.cone == CONE_ELLIPTIC:
            before, after = bunch_energy(m, d, g, u, w), bunch_energy(m, d, g, u + v, w + o)
            change = cone_change(D[0], d.bunch_mu[g], u, w, v, o, before, after)
        else:
            change = pyramid_change(D, u, w, v, o, d.bunch_turns[g])
        total = total + change
    return row_total(total)


@kernel(inline=True)
def bunch_energy(m, d, g, u, w):
    """Twice the cost of a bunch at u, w."""
    f = bunch_force(m, d, g, u, w)
    return -(dot3(u, f[0:3]) + dot3(w, f[3:6]))
