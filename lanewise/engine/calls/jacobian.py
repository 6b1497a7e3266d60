"""The call `jacobian`: of a point in every world. Batch.jac"""

from ...lanes import W, kernel, lane_item, vec
from ...lanes.records import Record, record_at
from ..smooth.com import com_pos
from ..smooth.kinematics import kinematics
from ..spatial import cross
from .gang import ROWS, load_gang
from .rows import NUMBER, int32_item, number_item, put_number_item
from .threads import WORKER

JACOBIAN = Record("Jacobian", """
rows        address of where the worlds are, ROWS
body        address of the bodies' int32 ids, by place
point       address of the points
jacp        address of the result for translation
jacr        address of the result for rotation
""")  # fmt: skip


@kernel
def jacobian_gang(m, d, record, worker):
    c, w = record_at(record, JACOBIAN, 0), record_at(worker, WORKER, 0)
    load_gang(d, record_at(c.rows, ROWS, 0), w)
    kinematics(m, d)
    com_pos(m, d)
    for lane in range(W):
        jacobian(m, d, c, lane)


@kernel
def jacobian(m, d, c, lane):
    """jacp, jacr (3, nv) in one world: d(v_WP_W)/d(qvel), d(w_WB_W)/d(qvel), P a point of body b"""
    place = d.lane_place[lane]
    b = int32_item(c.body, place)
    x, y, z = 3 * place, 3 * place + 1, 3 * place + 2
    p_WP = vec(number_item(c.point, x), number_item(c.point, y), number_item(c.point, z))
    r = p_WP - d.subtree_com[m.body_rootid[b]]
    jacp, jacr = c.jacp + NUMBER * 3 * m.nv * place, c.jacr + NUMBER * 3 * m.nv * place
    # the last dof that moves the body, then all before it
    while b > 0 and m.body_dofnum[b] == 0:
        b = m.body_parentid[b]
    i = m.body_dofadr[b] + m.body_dofnum[b] - 1 if b > 0 else -1
    while i >= 0:
        axis = d.cdof[i]
        put_column(jacp, m.nv, i, axis[3:6] + cross(axis[0:3], r), lane)
        put_column(jacr, m.nv, i, axis[0:3], lane)
        i = m.dof_parentid[i]


@kernel(inline=True)
def put_column(matrix, n, i, v, lane):
    """Column i of a (3, n) matrix."""
    put_number_item(matrix, i, lane_item(v[0], lane))
    put_number_item(matrix, n + i, lane_item(v[1], lane))
    put_number_item(matrix, 2 * n + i, lane_item(v[2], lane))
