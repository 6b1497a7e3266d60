"""An island of one world: its rows from 0 on.

sweep_line, sweep_rec and sweep_edge are what lines.py made, by the place of a row in its island. If
a world is not solved by islands, that is where it was made; else it is copied, island after island.
Forces and their bounds stand in Rows, eight rows of the island in each, from world_first on. There
are no forces beyond the last row.

A block is what is solved together: the rows of an elliptic contact, or any other row by itself.
"""

from ....lanes import W, kernel, load_lane, store_flat, store_lane, to_int
from ....mjconst import CONE_ELLIPTIC
from .grouping import is_whole
from .lines import HIGH, LOW
from .matrix import make_matrix
from .products import contact_of, force, of_line


@kernel
def open_island(m, d, q, w):
    """The q-th island of world w => sweep_*"""
    whole = is_whole(m)
    rows, first = d.dual_size[W * q + w], 0 if whole else d.dual_first[W * q + w]
    start = w * 8 * (d.njmax // 8 + 1)
    d.world_rows[w] = rows
    d.world_first[w] = start
    # zeros after the last row, where the next one would be
    last = (start + rows) // 8
    d.sweep_force[last] = 0.0
    d.sweep_low[last] = 0.0
    d.sweep_high[last] = 0.0
    d.sweep_half[last] = 0.0
    d.sweep_target[last] = 0.0
    for p in range(rows):
        i, to = p, W * p + w
        if not whole:
            i = d.dual_row[W * (first + p) + w]
            d.sweep_row[to] = i
            d.sweep_line[to] = d.dual_line[W * i + w]
            d.sweep_rec[to] = d.dual_rec[W * i + w]
            d.sweep_edge[to] = d.dual_edge[W * i + w]
        store_flat(d.sweep_force, start + p, load_lane(d.efc_force, i, w))
        store_flat(d.sweep_low, start + p, of_line(d, p, w, LOW))
        store_flat(d.sweep_high, start + p, of_line(d, p, w, HIGH))
        d.sweep_state[to] = 0
    d.sweep_line[W * rows + w] = 0.0
    make_matrix(m, d, w)


@kernel
def close_island(m, d, w):
    """sweep_force, sweep_state => efc_force, efc_state"""
    for p in range(d.world_rows[w]):
        i = p if is_whole(m) else d.sweep_row[W * p + w]
        store_lane(d.efc_force, i, w, force(d, p, w))
        if d.want_efc:
            store_lane(d.efc_state, i, w, d.sweep_state[W * p + w] * 1.0)


@kernel
def dim_of(d, p, w):
    """Dimension of the contact that row p is of; 1 if there is none"""
    k = contact_of(d, p, w)
    return to_int(load_lane(d.contact.dim, k, w)) if k >= 0 else 1


@kernel
def block_size(m, d, p, w):
    """Rows that are solved together with row p, the first of them"""
    return dim_of(d, p, w) if m.opt.cone == CONE_ELLIPTIC else 1
