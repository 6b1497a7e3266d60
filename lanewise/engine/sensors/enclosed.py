"""The sensor of whether an object is inside a site: its origin, or all of its shape."""

from ...lanes import kernel, maximum, splat, where
from ...mjconst import OBJ_BODY, OBJ_XBODY
from ..geometry.enclosure import enclosure_query
from ..geometry.zones import inside_site
from .frames import object_position

NEVER = -1e10  # less than any shape juts out


@kernel
def read_inside(m, d, i):
    """(frames) => sensordata of an insidesite sensor"""
    kind, k, site = m.sensor_objtype[i], m.sensor_objid[i], m.sensor_refid[i]
    adr = m.sensor_adr[i]
    if m.sensor_intprm[i, 0] == 0:
        inside = inside_site(m, d, site, object_position(m, d, kind, k))
        d.sensordata[adr] = where(inside, 1.0, 0.0)
        return
    d.query_site[0] = site
    if kind == OBJ_BODY or kind == OBJ_XBODY:
        # all geoms of the body, or of its subtree
        d.sensordata[adr] = splat(NEVER)
        last = k if kind == OBJ_BODY else m.body_last[k]
        for b in range(k, last + 1):
            for g in range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b]):
                d.query_shape[0] = kind
                d.query_shape[1] = g
                enclosure_query(m, d)
                d.sensordata[adr] = maximum(d.sensordata[adr], d.query_dist)
    else:
        d.query_shape[0] = kind
        d.query_shape[1] = k
        enclosure_query(m, d)
        d.sensordata[adr] = d.query_dist
