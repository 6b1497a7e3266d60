"""The call `efc_product`: products with the Jacobian of the constraints. Batch.mul_jac_vec and
Batch.mul_jac_t_vec

Each world has rows of its own, as many as nefc says, in the order of efc_*.
"""

from ...lanes import W, kernel, lane_item, splat, to_int, where
from ...lanes.memory import field_at
from ...lanes.records import Record, record_at
from ..constraint.efc import expose_constraint, room
from ..pipeline import fwd_position
from .gang import ROWS, load_gang
from .rows import DOUBLE, NUMBER, load_rows, put_int32_item, store_rows, zero_lanes
from .threads import WORKER

EFC_PRODUCT = Record("EfcProduct", """
rows        address of where the worlds are, ROWS
transposed  whether to multiply by J', and not by J
nrow        numbers that x or y has for the rows of a world
by_row      number of the field `row_numbers` in the table of d
by_dof      number of the field `vector`
x           address of the vectors, by place
y           address of the results
nefc        address of int32s: the rows of each world
""")  # fmt: skip


@kernel
def efc_product_gang(m, d, record, worker):
    c = record_at(record, EFC_PRODUCT, 0)
    load_gang(d, record_at(c.rows, ROWS, 0), record_at(worker, WORKER, 0))
    fwd_position(m, d)
    expose_constraint(m, d)
    for lane in range(W):
        put_int32_item(c.nefc, d.lane_place[lane], to_int(lane_item(d.nefc, lane)))
    by_dof, by_row = field_at(d, c.by_dof), field_at(d, c.by_row)
    n = min(room(m, d), c.nrow)
    if c.transposed:
        load_rows(d.lane_place, c.x, NUMBER * c.nrow, n, by_row, 0)
        zero_lanes(by_dof, m.nv)
        for r in range(n):
            x = where(d.nefc > r, d.row_numbers[r], 0.0)
            for i in range(m.nv):
                d.vector[i] = d.vector[i] + d.efc_J[r * m.nv + i] * x
        store_rows(d.lane_place, by_dof, m.nv, c.y, NUMBER * m.nv, DOUBLE)
    else:
        load_rows(d.lane_place, c.x, NUMBER * m.nv, m.nv, by_dof, 0)
        for r in range(n):
            y = splat(0.0)
            for i in range(m.nv):
                y = y + d.efc_J[r * m.nv + i] * d.vector[i]
            d.row_numbers[r] = y
        store_rows(d.lane_place, by_row, n, c.y, NUMBER * c.nrow, DOUBLE)
