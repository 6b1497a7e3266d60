"""The call `inertia`: M x, or inverse(M) x, in every world. Batch.mul_m and Batch.solve_m"""

from ...lanes import kernel
from ...lanes.memory import field_at
from ...lanes.records import Record, record_at
from ..smooth.com import com_pos
from ..smooth.inertia import crb, factor_m, mul_vector, solve_vector
from ..smooth.kinematics import kinematics
from ..smooth.tendon import tendon, tendon_armature
from .gang import ROWS, load_gang
from .rows import NUMBER, load_rows, store_rows
from .threads import WORKER

INERTIA = Record("Inertia", """
rows        address of where the worlds are, ROWS
field       number of the field `vector` in the table of d
x           address of the vectors, by place
y           address of the results
solve       whether to solve, and not to multiply
""")  # fmt: skip


@kernel
def inertia_gang(m, d, record, worker):
    c, w = record_at(record, INERTIA, 0), record_at(worker, WORKER, 0)
    load_gang(d, record_at(c.rows, ROWS, 0), w)
    # all that M depends on
    kinematics(m, d)
    com_pos(m, d)
    tendon(m, d)
    crb(m, d)
    tendon_armature(m, d)
    # x in, y out
    vector, row = field_at(d, c.field), NUMBER * m.nv
    load_rows(d.lane_place, c.x, row, m.nv, vector, 0)
    if c.solve:
        factor_m(m, d)
        solve_vector(m, d)
    else:
        mul_vector(m, d)
    store_rows(d.lane_place, vector, m.nv, c.y, row, 0)
