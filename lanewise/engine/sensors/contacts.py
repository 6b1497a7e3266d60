"""The contact sensor: contacts of interest, reduced to a fixed number of slots.

A contact matches if one of its geoms belongs to the first object and the other to the second; an
object that is not given matches everything. Normals point from the first object to the second:
where geoms are in the opposite order, `side` is -1 and the contact is seen in the frame (-n, -t1,
t2). The force on the other body is the opposite one, so that in this frame its numbers are those of
before, but for the last, which changes its sign. Velocities of the second body relative to the
first likewise.

Slots are filled by a key, smallest first: the number of the contact, its distance, or its force,
negated.
"""

from ...lanes import (
    any_lane,
    concat,
    highest,
    kernel,
    put,
    splat,
    to_lane,
    vec,
    where,
)
from ...mjconst import (
    CONDATA_ANGVEL,
    CONDATA_DIST,
    CONDATA_FORCE,
    CONDATA_FOUND,
    CONDATA_LINVEL,
    CONDATA_NORMAL,
    CONDATA_POS,
    CONDATA_TANGENT,
    CONDATA_TORQUE,
    MINVAL,
    OBJ_BODY,
    OBJ_GEOM,
    OBJ_SITE,
    OBJ_UNKNOWN,
    OBJ_XBODY,
)
from ..constraint.contact_force import net_force
from ..geometry.zones import inside_site
from ..spatial import cross, mat_t_vec, mat_vec, norm3, zeros3

DATA, REDUCE, SLOTS = range(3)  # columns of sensor_intprm
FIRST, NEAREST, STRONGEST, NET = range(4)  # reductions
NONE = -1.0  # no contact
FAR = 1e300  # above any key


@kernel
def read_contacts(m, d, i):
    """(contact, con_force) => sensordata of a contact sensor"""
    adr, data, reduction = m.sensor_adr[i], m.sensor_intprm[i, DATA], m.sensor_intprm[i, REDUCE]
    for k in range(adr, adr + m.sensor_dim[i]):
        d.sensordata[k] = 0.0
    number = splat(0.0)
    for k in range(d.ncon_most):
        number = number + where(match_side(m, d, i, k) != 0.0, 1.0, 0.0)
    if not any_lane(number > 0.0):
        return
    if reduction == NET:
        net_contact(m, d, i, number)
        return
    # the next contact by key, and by number among equals, slot by slot
    key, place = splat(-FAR), splat(NONE)
    size = m.sensor_dim[i] // m.sensor_intprm[i, SLOTS]
    for slot in range(min(m.sensor_intprm[i, SLOTS], highest(number))):
        best, best_k, best_side = splat(FAR), splat(NONE), splat(1.0)
        for k in range(d.ncon_most):
            side = match_side(m, d, i, k)
            x = contact_key(d, reduction, k)
            later = (x > key) | ((x == key) & (k > place))
            better = (side != 0.0) & later & (x < best)
            best, best_k = where(better, x, best), where(better, to_lane(k), best_k)
            best_side = where(better, side, best_side)
        key, place = best, best_k
        fill_slot(m, d, adr + slot * size, data, best_k, best_side, number)


@kernel
def contact_key(d, reduction, k):
    if reduction == NEAREST:
        return d.contact.dist[k]
    if reduction == STRONGEST:
        return -norm3(net_force(d, k)[0:3])
    return to_lane(k)


# ---- matching


@kernel
def match_side(m, d, i, k):
    """1 where contact k matches as it is, -1 where it does in the opposite direction, else 0."""
    first, second = m.sensor_objtype[i], m.sensor_reftype[i]
    id1, id2 = m.sensor_objid[i], m.sensor_refid[i]
    there = d.ncon > k
    geoms = d.contact.geom[k]
    g1, g2 = where(there, geoms[0], 0.0), where(there, geoms[1], 0.0)
    if first == OBJ_SITE:
        there = there & inside_site(m, d, id1, d.contact.pos[k])
        first = OBJ_UNKNOWN
    as_is = belongs(m, first, id1, g1) & belongs(m, second, id2, g2)
    turned = belongs(m, first, id1, g2) & belongs(m, second, id2, g1)
    return where(there & as_is, 1.0, where(there & turned, -1.0, 0.0))


@kernel
def belongs(m, kind, k, g):
    """Mask: where geom g, another one in each world, belongs to an object."""
    if kind == OBJ_GEOM:
        return g == to_lane(k)
    if kind == OBJ_BODY:
        return m.geom_bodyid[g] * 1.0 == to_lane(k)
    if kind == OBJ_XBODY:
        b = m.geom_bodyid[g] * 1.0
        return (b >= to_lane(k)) & (b <= to_lane(m.body_last[k]))
    return g >= 0.0


# ---- extraction


@kernel
def fill_slot(m, d, adr, data, k, side, number):
    """The fields of `data` of contact k, another one in each world, or zeros where it is NONE."""
    on = k >= 0.0
    at = where(on, k, 0.0)
    F, R = net_force(d, at), d.contact.frame[at]
    x = splat(1.0 * adr)
    if data & 1 << CONDATA_FOUND:
        put(d.sensordata, x, number, on)
        x = x + 1.0
    if data & 1 << CONDATA_FORCE:
        x = put_vector(d, x, last_turned(F[0:3], side), on)
    if data & 1 << CONDATA_TORQUE:
        x = put_vector(d, x, last_turned(F[3:6], side), on)
    if data & 1 << CONDATA_DIST:
        put(d.sensordata, x, d.contact.dist[at], on)
        x = x + 1.0
    if data & 1 << CONDATA_POS:
        x = put_vector(d, x, d.contact.pos[at], on)
    if data & 1 << CONDATA_NORMAL:
        x = put_vector(d, x, R[0:3] * side, on)
    if data & 1 << CONDATA_TANGENT:
        x = put_vector(d, x, R[3:6] * side, on)
    if data & (1 << CONDATA_LINVEL | 1 << CONDATA_ANGVEL):
        V = relative_velocity(m, d, at)
        if data & 1 << CONDATA_LINVEL:
            x = put_vector(d, x, last_turned(mat_vec(R, V[3:6]), side), on)
        if data & 1 << CONDATA_ANGVEL:
            x = put_vector(d, x, last_turned(mat_vec(R, V[0:3]), side), on)


@kernel(inline=True)
def last_turned(v, side):
    return vec(v[0], v[1], v[2] * side)


@kernel(inline=True)
def put_vector(d, x, v, on):
    """Write v at place x of sensordata; the place after it."""
    put(d.sensordata, x, v[0], on)
    put(d.sensordata, x + 1.0, v[1], on)
    put(d.sensordata, x + 2.0, v[2], on)
    return x + 3.0


@kernel
def relative_velocity(m, d, k):
    """(w, v) at contact k of the second body relative to the first, in W"""
    p = d.contact.pos[k]
    b1, b2 = d.con_body1[k], d.con_body2[k]
    V1, V2 = d.cvel[b1], d.cvel[b2]
    v1 = V1[3:6] + cross(V1[0:3], p - d.subtree_com[m.body_rootid[b1]])
    v2 = V2[3:6] + cross(V2[0:3], p - d.subtree_com[m.body_rootid[b2]])
    return concat(V2[0:3] - V1[0:3], v2 - v1)


@kernel
def net_contact(m, d, i, number):
    """One contact in the axes of W that does what all that match do

    Its place is the mean of theirs, weighted by force.
    """
    # sums of forces, of weights and of weighted places
    weight, place, force = splat(0.0), zeros3(), zeros3()
    for k in range(d.ncon_most):
        side = match_side(m, d, i, k)
        F, R = net_force(d, k), d.contact.frame[k]
        w = where(side != 0.0, norm3(F[0:3]), 0.0)
        weight, place = weight + w, place + d.contact.pos[k] * w
        force = force + where(side != 0.0, mat_t_vec(R, F[0:3]) * side, zeros3())
    place = place * (1.0 / where(weight < MINVAL, MINVAL, weight))
    # torque about that place
    torque = zeros3()
    for k in range(d.ncon_most):
        side = match_side(m, d, i, k)
        F, R = net_force(d, k), d.contact.frame[k]
        f, t = mat_t_vec(R, F[0:3]), mat_t_vec(R, F[3:6])
        t = t + cross(d.contact.pos[k] - place, f)
        torque = torque + where(side != 0.0, t * side, zeros3())
    on, data = number > 0.0, m.sensor_intprm[i, DATA]
    x = splat(1.0 * m.sensor_adr[i])
    if data & 1 << CONDATA_FOUND:
        put(d.sensordata, x, number, on)
        x = x + 1.0
    if data & 1 << CONDATA_FORCE:
        x = put_vector(d, x, force, on)
    if data & 1 << CONDATA_TORQUE:
        x = put_vector(d, x, torque, on)
    if data & 1 << CONDATA_DIST:
        x = x + 1.0
    if data & 1 << CONDATA_POS:
        x = put_vector(d, x, place, on)
    one, zero = splat(1.0), splat(0.0)
    if data & 1 << CONDATA_NORMAL:
        x = put_vector(d, x, vec(one, zero, zero), on)
    if data & 1 << CONDATA_TANGENT:
        x = put_vector(d, x, vec(zero, one, zero), on)
