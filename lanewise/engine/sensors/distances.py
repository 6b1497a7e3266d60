"""Sensors of the nearest points of two geoms, or of all geoms of a body."""

from ...lanes import kernel, splat, store3, where
from ...mjconst import OBJ_BODY, SENS_GEOMDIST, SENS_GEOMNORMAL
from ..geometry.distance import distance_query
from ..spatial import normalize3, zeros3, zeros6


@kernel
def read_distance(m, d, i):
    """(geom frames) => sensordata of a distance, normal or fromto sensor"""
    obj, k, ref, r = m.sensor_objtype[i], m.sensor_objid[i], m.sensor_reftype[i], m.sensor_refid[i]
    first1, number1 = geoms_of(m, obj, k)
    first2, number2 = geoms_of(m, ref, r)
    # the least distance within the cutoff
    dist, ends = splat(m.sensor_cutoff[i]), zeros6()
    d.query_most = dist
    for g1 in range(first1, first1 + number1):
        for g2 in range(first2, first2 + number2):
            d.query_geom[0] = g1
            d.query_geom[1] = g2
            distance_query(m, d)
            less = d.query_dist < dist
            dist, ends = where(less, d.query_dist, dist), where(less, d.query_ends, ends)
    kind, adr = m.sensor_type[i], m.sensor_adr[i]
    if kind == SENS_GEOMDIST:
        d.sensordata[adr] = dist
    elif kind == SENS_GEOMNORMAL:
        # from the first surface to the second
        found = dist < m.sensor_cutoff[i]
        store3(d.sensordata, adr, where(found, normalize3(ends[3:6] - ends[0:3]), zeros3()))
    else:
        store3(d.sensordata, adr, ends[0:3])
        store3(d.sensordata, adr + 3, ends[3:6])


@kernel
def geoms_of(m, kind, k):
    """The first geom of an object, and how many it has."""
    if kind == OBJ_BODY:
        return m.body_geomadr[k], m.body_geomnum[k]
    return k, 1
