"""The call `distance`: of pairs of geoms in every world. Batch.geom_distance"""

from ...lanes import W, kernel, lane_item, splat
from ...lanes.records import Record, record_at
from ..geometry.distance import geom_distance
from ..smooth.kinematics import kinematics
from .gang import ROWS, load_gang
from .rows import int32_item, number_item, put_number_item, put_six
from .threads import WORKER

DISTANCE = Record("Distance", """
rows        address of where the worlds are, ROWS
npair       how many pairs
geoms       address of their int32 ids, two each
most        address of a number: up to where distances are of interest
dist        address of the distances, a row of npair for each world
ends        address of the nearest points, six numbers each
""")  # fmt: skip


@kernel
def distance_gang(m, d, record, worker):
    c = record_at(record, DISTANCE, 0)
    load_gang(d, record_at(c.rows, ROWS, 0), record_at(worker, WORKER, 0))
    kinematics(m, d)
    for k in range(c.npair):
        g1, g2 = int32_item(c.geoms, 2 * k), int32_item(c.geoms, 2 * k + 1)
        dist, ends = geom_distance(m, d, g1, g2, splat(number_item(c.most, 0)))
        for lane in range(W):
            place = c.npair * d.lane_place[lane] + k
            put_number_item(c.dist, place, lane_item(dist, lane))
            put_six(c.ends, 6 * place, ends, lane)
