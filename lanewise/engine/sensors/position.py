"""Sensors that follow from positions."""

from ...lanes import abs_, kernel, load4, splat, store3, store4, vec, where
from ...mjconst import (
    CNSTR_LIMIT_JOINT,
    CNSTR_LIMIT_TENDON,
    MINVAL,
    SENS_ACTUATORPOS,
    SENS_BALLQUAT,
    SENS_CAMPROJECTION,
    SENS_CLOCK,
    SENS_CONTACT,
    SENS_E_KINETIC,
    SENS_E_POTENTIAL,
    SENS_FRAMEPOS,
    SENS_FRAMEQUAT,
    SENS_FRAMEXAXIS,
    SENS_FRAMEZAXIS,
    SENS_GEOMDIST,
    SENS_GEOMFROMTO,
    SENS_INSIDESITE,
    SENS_JOINTLIMITPOS,
    SENS_JOINTPOS,
    SENS_MAGNETOMETER,
    SENS_RANGEFINDER,
    SENS_SUBTREECOM,
    SENS_TENDONLIMITPOS,
    SENS_TENDONPOS,
    STAGE_POS,
)
from ..forces.energy import energy_pos, energy_vel
from ..senses import senses
from ..spatial import column, mat_t_vec, mul_quat, neg_quat, normalize4
from .contacts import read_contacts
from .distances import read_distance
from .enclosed import read_inside
from .frames import object_position, object_quat, object_rotation
from .limit_rows import POSITION, limit_reading
from .optics import optics
from .rangefinder import cast_site_rays, read_ranges
from .showing import finish_reading, is_read, read_user

POTENTIAL, KINETIC = 1, 2  # bits of sensor_energy


@kernel
def sensor_pos(m, d):
    """(position stage) => sensordata of the sensors that need no more"""
    if not senses(m, d):
        return
    if m.sensor_energy & POTENTIAL:
        energy_pos(m, d)
    if m.sensor_energy & KINETIC:
        energy_vel(m, d)
    if m.nray > 0:
        cast_site_rays(m, d)
    for i in range(m.nsensor):
        if is_read(m, d, i, STAGE_POS):
            read_position(m, d, i)
            finish_reading(m, d, i)
    read_user(m, d, STAGE_POS)


@kernel
def read_position(m, d, i):
    kind, adr, k = m.sensor_type[i], m.sensor_adr[i], m.sensor_objid[i]
    x = d.sensordata
    if kind == SENS_CONTACT:
        read_contacts(m, d, i)
    elif kind == SENS_MAGNETOMETER:
        store3(x, adr, mat_t_vec(d.site_xmat[k], m.opt.magnetic))
    elif kind == SENS_RANGEFINDER:
        read_ranges(m, d, i)
    elif kind == SENS_CAMPROJECTION:
        pixel = project(m, d, m.sensor_refid[i], d.site_xpos[k])
        x[adr] = pixel[0]
        x[adr + 1] = pixel[1]
    elif kind == SENS_JOINTPOS:
        x[adr] = d.qpos[m.jnt_qposadr[k]]
    elif kind == SENS_BALLQUAT:
        store4(x, adr, normalize4(load4(d.qpos, m.jnt_qposadr[k])))
    elif kind == SENS_TENDONPOS:
        x[adr] = d.ten_length[k]
    elif kind == SENS_ACTUATORPOS:
        for o in range(m.sensor_dim[i]):
            x[adr + o] = d.actuator_length[m.actuator_outadr[k] + o]
    elif kind == SENS_JOINTLIMITPOS:
        x[adr] = limit_reading(m, d, CNSTR_LIMIT_JOINT, k, POSITION)
    elif kind == SENS_TENDONLIMITPOS:
        x[adr] = limit_reading(m, d, CNSTR_LIMIT_TENDON, k, POSITION)
    elif SENS_FRAMEPOS <= kind and kind <= SENS_FRAMEZAXIS:
        read_frame(m, d, i)
    elif SENS_GEOMDIST <= kind and kind <= SENS_GEOMFROMTO:
        read_distance(m, d, i)
    elif kind == SENS_INSIDESITE:
        read_inside(m, d, i)
    elif kind == SENS_SUBTREECOM:
        store3(x, adr, d.subtree_com[k])
    elif kind == SENS_E_POTENTIAL:
        x[adr] = d.energy[0]
    elif kind == SENS_E_KINETIC:
        x[adr] = d.energy[1]
    elif kind == SENS_CLOCK:
        x[adr] = d.time + splat(0.0)


@kernel
def read_frame(m, d, i):
    """Position, orientation or an axis of an object, in the axes of the reference or of W"""
    kind, adr = m.sensor_type[i], m.sensor_adr[i]
    obj, k, ref, r = m.sensor_objtype[i], m.sensor_objid[i], m.sensor_reftype[i], m.sensor_refid[i]
    if kind == SENS_FRAMEQUAT:
        q = object_quat(m, d, obj, k)
        if r >= 0:
            q = mul_quat(neg_quat(object_quat(m, d, ref, r)), q)
        store4(d.sensordata, adr, q)
        return
    if kind == SENS_FRAMEPOS:
        p = object_position(m, d, obj, k)
        if r >= 0:
            p = p - object_position(m, d, ref, r)
    else:
        p = column(object_rotation(m, d, obj, k), kind - SENS_FRAMEXAXIS)
    if r >= 0:
        p = mat_t_vec(object_rotation(m, d, ref, r), p)
    store3(d.sensordata, adr, p)


@kernel
def project(m, d, c, p_WT):
    """The pixel at which camera c sees a point, from the upper left corner."""
    width, height = 1.0 * m.cam_resolution[c, 0], 1.0 * m.cam_resolution[c, 1]
    o = optics(m, c)
    # the camera looks against its z axis, and rows count downwards
    p = mat_t_vec(d.cam_xmat[c], p_WT - d.cam_xpos[c])
    depth = where(abs_(p[2]) < MINVAL, where(p[2] < 0.0, splat(-MINVAL), MINVAL), p[2])
    return vec(-o[0] * p[0] / depth + 0.5 * width, o[1] * p[1] / depth + 0.5 * height)
