"""What all sensors have in common: readings are bounded, and some are kept and read later.

A sensor with a history keeps what it measures now in sensor_now, and shows what its buffer held
`delay` ago; without a delay, it shows the present where it is due, and else its last sample.
"""

from ...lanes import any_lane, clip, kernel, minimum, not_, where
from ...mjconst import (
    DATATYPE_POSITIVE,
    DATATYPE_REAL,
    DSBL_SENSOR,
    SENS_CONTACT,
    SENS_GEOMFROMTO,
    SENS_USER,
)
from ..forces.history import INTERP, NSAMPLE, history_read, reading_is_due
from ..user import user_sensor


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


@kernel
def is_read(m, d, i, stage):
    """Whether the engine measures sensor i after a stage."""
    if m.sensor_needstage[i] != stage or m.sensor_type[i] == SENS_USER:
        return False
    return is_measured(m, d, i)


@kernel
def is_measured(m, d, i):
    """Whether sensors are on; those with a history are measured even so, what they show stays."""
    if not m.opt.disableflags & DSBL_SENSOR:
        return True
    if m.sensor_history[i, NSAMPLE] == 0:
        return False
    for k in range(m.sensor_adr[i], m.sensor_adr[i] + m.sensor_dim[i]):
        d.sensor_now[k] = d.sensordata[k]
    return True


@kernel
def finish_reading(m, d, i):
    """sensordata of sensor i as it was measured => as it is shown"""
    bound_reading(m, d, i)
    if m.opt.disableflags & DSBL_SENSOR:
        for k in range(m.sensor_adr[i], m.sensor_adr[i] + m.sensor_dim[i]):
            now = d.sensordata[k]
            d.sensordata[k] = d.sensor_now[k]
            d.sensor_now[k] = now
    elif m.sensor_history[i, NSAMPLE] > 0:
        show_kept(m, d, i)


@kernel
def show_kept(m, d, i):
    n, interp = m.sensor_history[i, NSAMPLE], m.sensor_history[i, INTERP]
    first, dim, delay = m.sensor_adr[i], m.sensor_dim[i], m.sensor_delay[i]
    for k in range(first, first + dim):
        d.sensor_now[k] = d.sensordata[k]
    past = not_(reading_is_due(m, d, i)) | (delay > 0.0)
    if any_lane(past):
        history_read(d, m.sensor_historyadr[i], n, dim, interp, d.time - delay, d.sensordata, first)
        for k in range(first, first + dim):
            d.sensordata[k] = where(past, d.sensordata[k], d.sensor_now[k])


@kernel
def read_user(m, d, stage):
    """Let the user's code read the sensors that are left to it, if there are any of this stage."""
    number = 0
    for i in range(m.nsensor):
        if m.sensor_type[i] == SENS_USER and m.sensor_needstage[i] == stage:
            number += int(is_measured(m, d, i))
    if number == 0:
        return
    user_sensor(m, d, stage)
    for i in range(m.nsensor):
        if m.sensor_type[i] == SENS_USER and m.sensor_needstage[i] == stage:
            finish_reading(m, d, i)
