"""The call `inside`: which points are inside a site in every world. Batch.inside_site"""

from ...lanes import W, kernel, lane_item, store_lane, vec, where
from ...lanes.records import Record, record_at
from ..geometry.zones import inside_site
from ..smooth.kinematics import kinematics
from .gang import ROWS, load_gang
from .rows import number_item, put_number_item
from .threads import WORKER

INSIDE = Record("Inside", """
rows        address of where the worlds are, ROWS
site        which site
npoint      points of a world
points      address of the points, three numbers each
world       bytes from a world's points to the next one's, by place; 0: all have the same
inside      address of the answers, 1 or 0, a row of npoint for each world
""")  # fmt: skip


@kernel
def inside_gang(m, d, record, worker):
    c = record_at(record, INSIDE, 0)
    load_gang(d, record_at(c.rows, ROWS, 0), record_at(worker, WORKER, 0))
    kinematics(m, d)
    for k in range(c.npoint):
        for lane in range(W):
            points = c.points + c.world * d.lane_place[lane]
            x, y = number_item(points, 3 * k), number_item(points, 3 * k + 1)
            store_lane(d.query_point, 0, lane, vec(x, y, number_item(points, 3 * k + 2)))
        inside = where(inside_site(m, d, c.site, d.query_point[0]), 1.0, 0.0)
        for lane in range(W):
            put_number_item(c.inside, c.npoint * d.lane_place[lane] + k, lane_item(inside, lane))
