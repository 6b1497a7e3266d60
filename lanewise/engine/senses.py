"""Whether sensors are computed at all."""

from ..lanes import kernel
from ..mjconst import DSBL_SENSOR


@kernel(inline=True)
def senses(m, d):
    """Somebody reads the sensors, or the state keeps their readings; unless a call skips them."""
    shown = d.want_sensor != 0 and not m.opt.disableflags & DSBL_SENSOR
    return m.nsensor > 0 and (shown or m.sensor_kept != 0) and d.skip_sensors == 0
