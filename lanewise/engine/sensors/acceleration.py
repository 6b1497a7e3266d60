"""Sensors that follow from accelerations and forces."""

from ...lanes import kernel, splat, store3
from ...mjconst import (
    CNSTR_LIMIT_JOINT,
    CNSTR_LIMIT_TENDON,
    OBJ_SITE,
    SENS_ACCELEROMETER,
    SENS_ACTUATORFRC,
    SENS_CONTACT,
    SENS_FORCE,
    SENS_FRAMEANGACC,
    SENS_FRAMELINACC,
    SENS_JOINTACTFRC,
    SENS_JOINTLIMITFRC,
    SENS_TENDONACTFRC,
    SENS_TENDONLIMITFRC,
    SENS_TORQUE,
    SENS_TOUCH,
    STAGE_ACC,
    TRN_TENDON,
)
from ..constraint.rne_post import body_accelerations, rne_post_constraint
from ..senses import senses
from ..spatial import cross, mat_t_vec
from .contacts import read_contacts
from .frames import object_acceleration
from .limit_rows import FORCE, limit_reading
from .showing import finish_reading, is_read, read_user
from .touch import touch_reading


@kernel
def sensor_acc(m, d):
    """(all stages up to accelerations) => sensordata of the sensors that need them"""
    if not senses(m, d):
        return
    # forces of bodies are known to be needed, or read by somebody; else accelerations may do
    if m.sensor_forces or (m.sensor_accelerations and d.want_rne_post_constraint):
        rne_post_constraint(m, d)
    elif m.sensor_accelerations:
        body_accelerations(m, d)
    for i in range(m.nsensor):
        if is_read(m, d, i, STAGE_ACC):
            read_acceleration(m, d, i)
            finish_reading(m, d, i)
    read_user(m, d, STAGE_ACC)


@kernel
def read_acceleration(m, d, i):
    kind, adr, k = m.sensor_type[i], m.sensor_adr[i], m.sensor_objid[i]
    x = d.sensordata
    if kind == SENS_CONTACT:
        read_contacts(m, d, i)
    elif kind == SENS_TOUCH:
        x[adr] = touch_reading(m, d, k)
    elif kind == SENS_ACCELEROMETER:
        store3(x, adr, mat_t_vec(d.site_xmat[k], object_acceleration(m, d, OBJ_SITE, k)[3:6]))
    elif kind == SENS_FORCE:
        b = m.site_bodyid[k]
        store3(x, adr, mat_t_vec(d.site_xmat[k], d.cfrc_int[b][3:6]))
    elif kind == SENS_TORQUE:
        # about the site instead of C
        b = m.site_bodyid[k]
        F_C_W, r = d.cfrc_int[b], d.site_xpos[k] - d.subtree_com[m.body_rootid[b]]
        store3(x, adr, mat_t_vec(d.site_xmat[k], F_C_W[0:3] - cross(r, F_C_W[3:6])))
    elif kind == SENS_ACTUATORFRC:
        for o in range(m.sensor_dim[i]):
            x[adr + o] = d.actuator_force[m.actuator_outadr[k] + o]
    elif kind == SENS_JOINTACTFRC:
        x[adr] = d.qfrc_actuator[m.jnt_dofadr[k]]
    elif kind == SENS_TENDONACTFRC:
        force = splat(0.0)
        for a in range(m.nactuator):
            if m.actuator_trntype[a] == TRN_TENDON and m.actuator_trnid[a, 0] == k:
                force = force + d.actuator_force[m.actuator_outadr[a]]
        x[adr] = force
    elif kind == SENS_JOINTLIMITFRC:
        x[adr] = limit_reading(m, d, CNSTR_LIMIT_JOINT, k, FORCE)
    elif kind == SENS_TENDONLIMITFRC:
        x[adr] = limit_reading(m, d, CNSTR_LIMIT_TENDON, k, FORCE)
    elif kind == SENS_FRAMELINACC or kind == SENS_FRAMEANGACC:
        A = object_acceleration(m, d, m.sensor_objtype[i], k)
        store3(x, adr, A[3:6] if kind == SENS_FRAMELINACC else A[0:3])
