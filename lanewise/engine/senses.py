"""Whether sensors are computed at all."""

from ..lanes import kernel
from ..mjconst import DSBL_SENSOR


@kernel(inline=True)
def senses(m, d):
    """Somebody reads the sensors, or the state keeps their readings."""
    on = d.want_sensor != 0 or m.sensor_kept != 0
    return on and m.nsensor > 0 and not m.opt.disableflags & DSBL_SENSOR
