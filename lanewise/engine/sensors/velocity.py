"""Sensors that follow from positions and velocities."""

from ...lanes import kernel, load3, store3
from ...mjconst import (
    CNSTR_LIMIT_JOINT,
    CNSTR_LIMIT_TENDON,
    OBJ_SITE,
    SENS_ACTUATORVEL,
    SENS_BALLANGVEL,
    SENS_CONTACT,
    SENS_FRAMEANGVEL,
    SENS_FRAMELINVEL,
    SENS_GYRO,
    SENS_JOINTLIMITVEL,
    SENS_JOINTVEL,
    SENS_SUBTREEANGMOM,
    SENS_SUBTREELINVEL,
    SENS_TACTILE,
    SENS_TENDONLIMITVEL,
    SENS_TENDONVEL,
    SENS_VELOCIMETER,
    STAGE_VEL,
)
from ..senses import senses
from ..smooth.com import subtree_vel
from ..spatial import cross, mat_t_vec
from .contacts import read_contacts
from .frames import object_position, object_rotation, object_velocity
from .limit_rows import VELOCITY, limit_reading
from .showing import finish_reading, is_read, read_user
from .tactile import read_tactile


@kernel
def sensor_vel(m, d):
    """(position and velocity stages) => sensordata of the sensors that need no more"""
    if not senses(m, d):
        return
    if m.sensor_momentum:
        subtree_vel(m, d)
    for i in range(m.nsensor):
        if is_read(m, d, i, STAGE_VEL):
            read_velocity(m, d, i)
            finish_reading(m, d, i)
    read_user(m, d, STAGE_VEL)


@kernel
def read_velocity(m, d, i):
    kind, adr, k = m.sensor_type[i], m.sensor_adr[i], m.sensor_objid[i]
    x = d.sensordata
    if kind == SENS_CONTACT:
        read_contacts(m, d, i)
    elif kind == SENS_VELOCIMETER:
        store3(x, adr, mat_t_vec(d.site_xmat[k], object_velocity(m, d, OBJ_SITE, k)[3:6]))
    elif kind == SENS_GYRO:
        store3(x, adr, mat_t_vec(d.site_xmat[k], object_velocity(m, d, OBJ_SITE, k)[0:3]))
    elif kind == SENS_JOINTVEL:
        x[adr] = d.qvel[m.jnt_dofadr[k]]
    elif kind == SENS_BALLANGVEL:
        store3(x, adr, load3(d.qvel, m.jnt_dofadr[k]))
    elif kind == SENS_TENDONVEL:
        x[adr] = d.ten_velocity[k]
    elif kind == SENS_ACTUATORVEL:
        for o in range(m.sensor_dim[i]):
            x[adr + o] = d.actuator_velocity[m.actuator_outadr[k] + o]
    elif kind == SENS_JOINTLIMITVEL:
        x[adr] = limit_reading(m, d, CNSTR_LIMIT_JOINT, k, VELOCITY)
    elif kind == SENS_TENDONLIMITVEL:
        x[adr] = limit_reading(m, d, CNSTR_LIMIT_TENDON, k, VELOCITY)
    elif kind == SENS_FRAMELINVEL or kind == SENS_FRAMEANGVEL:
        read_frame_velocity(m, d, i)
    elif kind == SENS_SUBTREELINVEL:
        store3(x, adr, d.subtree_linvel[k])
    elif kind == SENS_SUBTREEANGMOM:
        store3(x, adr, d.subtree_angmom[k])
    elif kind == SENS_TACTILE:
        read_tactile(m, d, i)


@kernel
def read_frame_velocity(m, d, i):
    """Velocity of an object as seen by W, or by one that moves and turns with the reference"""
    kind, adr = m.sensor_type[i], m.sensor_adr[i]
    obj, k, ref, r = m.sensor_objtype[i], m.sensor_objid[i], m.sensor_reftype[i], m.sensor_refid[i]
    V = object_velocity(m, d, obj, k)
    w, v = V[0:3], V[3:6]
    if r >= 0:
        U, R = object_velocity(m, d, ref, r), object_rotation(m, d, ref, r)
        p = object_position(m, d, obj, k) - object_position(m, d, ref, r)
        v = mat_t_vec(R, v - U[3:6] - cross(U[0:3], p))
        w = mat_t_vec(R, w - U[0:3])
    store3(d.sensordata, adr, v if kind == SENS_FRAMELINVEL else w)
