"""What all sensors have in common: how their readings are bounded."""

from ...lanes import clip, kernel, minimum, where
from ...mjconst import (
    DATATYPE_POSITIVE,
    DATATYPE_REAL,
    SENS_CONTACT,
    SENS_GEOMFROMTO,
)


@kernel
def bound_reading(m, d, i):
    """Readings of a kind that can be bounded stay within the cutoff, if there is one."""
    kind, adr, cutoff = m.sensor_datatype[i], m.sensor_adr[i], m.sensor_cutoff[i]
    if m.sensor_type[i] == SENS_CONTACT or m.sensor_type[i] == SENS_GEOMFROMTO:
        return
    for k in range(adr, adr + m.sensor_dim[i]):
        x = d.sensordata[k]
        if kind == DATATYPE_REAL:
            d.sensordata[k] = where(cutoff > 0.0, clip(x, -cutoff, cutoff), x)
        elif kind == DATATYPE_POSITIVE:
            d.sensordata[k] = where(cutoff > 0.0, minimum(x, cutoff), x)
