"""Constraints of eight worlds without gaps, for the line search of conjugate gradients.

A slot or a static row is there for all worlds that have it, and most worlds lack most of them: with
five contacts each, eight worlds may have twenty slots. But along a line nobody asks on which body a
constraint acts. So its numbers are packed: place k has those of the k-th contact, or limit, of each
world, and there are as many places as the world with the most has constraints. A world's keep their
order, and so its sums have the same bits. A place that a world has not is without stiffness.

That is for gangs with one island, and without friction of spin and rolling. Equalities and dry
friction, which come before limits, are taken row by row.
"""

from ....lanes import W, highest, kernel, put, splat, where
from ....mjconst import CNSTR_LIMIT_JOINT, CONE_ELLIPTIC
from ...spatial import zeros3
from .edges import has_edges


@kernel
def list_packed(m, d, run):
    """pack_slot, pack_row <= which contacts and limits of the worlds `run` have which place;
    is_packed: 1 if enough gaps are closed"""
    d.is_packed = 0
    if W == 1 or d.nrun_island > 1:
        return
    slots, rows, n = splat(0.0), splat(0.0), 0
    for e in range(d.nrun_slot):
        s = d.run_slot[e]
        if d.slot_turns[s] == 1 or has_edges(d, s):
            return
        mine = run & (d.slot_con[s] >= 0.0)
        put(d.pack_slot, slots, splat(s * 1.0), mine)
        slots = slots + where(mine, 1.0, 0.0)
    for a in range(d.nrun_row):
        r = d.run_row[a]
        if m.row_type[r] < CNSTR_LIMIT_JOINT:
            n = a + 1
        else:
            mine = run & (d.row_on[r] > 0.0)
            put(d.pack_row, rows, splat(r * 1.0), mine)
            rows = rows + where(mine, 1.0, 0.0)
    d.npack_slot = highest(slots)
    d.npack_row = highest(rows)
    d.nfirm = n
    # a contact costs as much as three limits, and copies are not for nothing
    packed, whole = 3 * d.npack_slot + d.npack_row, 3 * d.nrun_slot + d.nrun_row - n
    if 3 * packed > 2 * whole:
        return
    d.is_packed = 1
    # where they are now, and what does not change
    for k in range(d.npack_slot):
        on = slots > k
        s = where(on, d.pack_slot[k], d.run_slot[0] * 1.0)
        d.pack_slot[k] = s
        d.pack_u[k] = d.slot_u[s]
        d.pack_D[k] = where(on, d.slot_D[s], zeros3())
        if m.opt.cone == CONE_ELLIPTIC:
            d.pack_mu[k] = d.slot_mu[s]
    for k in range(d.npack_row):
        on = rows > k
        r = where(on, d.pack_row[k], d.run_row[n] * 1.0)
        d.pack_row[k] = r
        d.pack_jar[k] = d.row_jar[r]
        d.pack_rowD[k] = where(on, d.row_D[r], 0.0)


@kernel
def pack_line(d):
    """The way of contacts and limits along a new line => pack_du, pack_dir"""
    for k in range(d.npack_slot):
        d.pack_du[k] = d.slot_du[d.pack_slot[k]]
    for k in range(d.npack_row):
        d.pack_dir[k] = d.row_dir[d.pack_row[k]]
