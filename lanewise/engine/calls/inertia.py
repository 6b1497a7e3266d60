"""The call `inertia`: M, and products and solutions with it, in every world. Batch.mul_m, solve_m,
solve_m2 and full_m"""

from ...lanes import kernel
from ...lanes.memory import field_at
from ...lanes.records import Record, record_at
from ..smooth.com import com_pos
from ..smooth.inertia import crb, factor_m, half_solve_vector, mul_vector, solve_vector
from ..smooth.kinematics import body_frames, geom_frames, site_frames
from ..smooth.tendon import tendon, tendon_armature
from .gang import ROWS, load_gang
from .rows import DOUBLE, NUMBER, load_rows, store_rows, zero_lanes
from .threads import WORKER

INERTIA = Record("Inertia", """
rows        address of where the worlds are, ROWS
field       number of the field `vector` in the table of d
rows_of_m   number of the field `dof_rows`, for rows of M
what        MULTIPLY, SOLVE, HALF (of a solution), or DENSE: M itself
x           address of the vectors, by place
y           address of the results, vectors or matrices
""")  # fmt: skip

MULTIPLY, SOLVE, HALF, DENSE = range(4)
ROWS_AT_ONCE = 6  # that dof_rows has room for


@kernel
def inertia_gang(m, d, record, worker):
    c, w = record_at(record, INERTIA, 0), record_at(worker, WORKER, 0)
    load_gang(d, record_at(c.rows, ROWS, 0), w)
    # all that M depends on: tendons may go by geoms and sites
    body_frames(m, d)
    if m.needs_geoms:
        geom_frames(m, d)
    if m.needs_sites:
        site_frames(m, d)
    com_pos(m, d)
    tendon(m, d)
    crb(m, d)
    tendon_armature(m, d)
    vector, row = field_at(d, c.field), NUMBER * m.nv
    if c.what == DENSE:
        rows = field_at(d, c.rows_of_m)
        for i in range(0, m.nv, ROWS_AT_ONCE):
            n = min(ROWS_AT_ONCE, m.nv - i)
            zero_lanes(rows, n * m.nv)
            for k in range(n):
                row_of_m(m, d, i + k, k * m.nv)
            store_rows(d.lane_place, rows, n * m.nv, c.y + row * i, row * m.nv, DOUBLE)
        return
    # x in, y out
    load_rows(d.lane_place, c.x, row, m.nv, vector, 0)
    if c.what == MULTIPLY:
        mul_vector(m, d)
    else:
        factor_m(m, d)
        if c.what == SOLVE:
            solve_vector(m, d)
        else:
            half_solve_vector(m, d)
    store_rows(d.lane_place, vector, m.nv, c.y, row, DOUBLE)


@kernel
def row_of_m(m, d, i, at):
    """dof_rows, from number `at` on <= row i of M, among zeros"""
    adr, n = m.M_rowadr[i], m.M_rownnz[i]
    for k in range(adr, adr + n):
        d.dof_rows[at + m.M_colind[k]] = d.M[k]
    # above the diagonal: column i of the rows below, at the place where row i has its diagonal
    for j in range(i + 1, i + 1 + m.dof_descendants[i]):
        d.dof_rows[at + j] = d.M[m.M_rowadr[j] + n - 1]
