"""Whether the sensors of an MjModel, and the trees of boxes that rays follow, lead outside."""

import numpy as np

from ..mjconst import (
    GEOM_MESH,
    GEOM_SPHERE,
    OBJ_BODY,
    OBJ_CAMERA,
    OBJ_GEOM,
    OBJ_JOINT,
    OBJ_SITE,
    OBJ_UNKNOWN,
    OBJ_XBODY,
    SENS_ACCELEROMETER,
    SENS_ACTUATORFRC,
    SENS_ACTUATORPOS,
    SENS_ACTUATORVEL,
    SENS_BALLANGVEL,
    SENS_BALLQUAT,
    SENS_CAMPROJECTION,
    SENS_CONTACT,
    SENS_FORCE,
    SENS_FRAMEANGACC,
    SENS_FRAMEPOS,
    SENS_FRAMEQUAT,
    SENS_GEOMDIST,
    SENS_GEOMFROMTO,
    SENS_GYRO,
    SENS_INSIDESITE,
    SENS_JOINTACTFRC,
    SENS_JOINTLIMITFRC,
    SENS_JOINTLIMITPOS,
    SENS_JOINTLIMITVEL,
    SENS_JOINTPOS,
    SENS_JOINTVEL,
    SENS_MAGNETOMETER,
    SENS_RANGEFINDER,
    SENS_SUBTREEANGMOM,
    SENS_SUBTREECOM,
    SENS_SUBTREELINVEL,
    SENS_TACTILE,
    SENS_TENDONACTFRC,
    SENS_TENDONLIMITFRC,
    SENS_TENDONLIMITPOS,
    SENS_TENDONLIMITVEL,
    SENS_TENDONPOS,
    SENS_TENDONVEL,
    SENS_TORQUE,
    SENS_TOUCH,
    SENS_USER,
    SENS_VELOCIMETER,
)

_AT_SITES = (
    SENS_TOUCH, SENS_ACCELEROMETER, SENS_VELOCIMETER, SENS_GYRO, SENS_FORCE, SENS_TORQUE,
    SENS_MAGNETOMETER, SENS_CAMPROJECTION,
)  # fmt: skip
_OF_JOINTS = (
    SENS_JOINTPOS, SENS_JOINTVEL, SENS_JOINTACTFRC, SENS_BALLQUAT, SENS_BALLANGVEL,
    SENS_JOINTLIMITPOS, SENS_JOINTLIMITVEL, SENS_JOINTLIMITFRC,
)  # fmt: skip
_OF_TENDONS = (
    SENS_TENDONPOS, SENS_TENDONVEL, SENS_TENDONACTFRC, SENS_TENDONLIMITPOS, SENS_TENDONLIMITVEL,
    SENS_TENDONLIMITFRC,
)  # fmt: skip
_OF_ACTUATORS = (SENS_ACTUATORPOS, SENS_ACTUATORVEL, SENS_ACTUATORFRC)
_OF_BODIES = (SENS_SUBTREECOM, SENS_SUBTREELINVEL, SENS_SUBTREEANGMOM)

# least numbers of a reading
_THREE = (
    SENS_ACCELEROMETER, SENS_VELOCIMETER, SENS_GYRO, SENS_FORCE, SENS_TORQUE, SENS_MAGNETOMETER,
    SENS_BALLANGVEL, *_OF_BODIES, *range(SENS_FRAMEPOS, SENS_FRAMEANGACC + 1),
    SENS_GEOMDIST + 1,
)  # fmt: skip
_WIDTHS = {
    SENS_CAMPROJECTION: 2, SENS_BALLQUAT: 4, SENS_FRAMEQUAT: 4, SENS_GEOMFROMTO: 6,
}  # fmt: skip
_CONTACT_DATA = (1, 3, 3, 1, 3, 3, 3, 3, 3)  # numbers of the bits of a contact sensor
_RAY_DATA = (1, 3, 3, 3, 3, 1)
_REDUCTIONS = 4


def sensor_problems(mj):
    """'' or a problem, for each thing that could be wrong."""
    kind, dim = mj.sensor_type, mj.sensor_dim.astype(np.int64)
    yield _outside("sensor_type", kind, np.ones(mj.nsensor, bool), 0, SENS_USER + 1)
    end = mj.sensor_adr.astype(np.int64) + dim
    fits = (dim >= 0) & (mj.sensor_adr >= 0) & (end <= mj.nsensordata)
    yield _where_not("sensor_adr", mj.sensor_adr, fits, "leads with sensor_dim outside")
    known = kind <= SENS_TACTILE  # others are refused by name, or are the user's
    yield _where_not("sensor_dim", dim, ~known | (dim >= _least(mj)), "is too small for its kind")
    # histories: their head, times, values
    samples, interp = mj.sensor_history.T.astype(np.int64)
    yield _outside("sensor_history", interp, samples > 0, 0, 3)
    length = 2 + samples * (1 + dim)
    first = mj.sensor_historyadr.astype(np.int64)
    fits = (samples <= 0) | (
        (first >= 0) & (length <= mj.nhistory) & (first + length <= mj.nhistory)
    )
    yield _where_not("sensor_historyadr", first, fits, "leads with sensor_history outside")
    yield from _objects(mj)
    zones = mj.sensor_refid[kind == SENS_INSIDESITE]
    zones = np.union1d(zones, mj.sensor_objid[(kind == SENS_CONTACT) & _is(mj, OBJ_SITE)])
    for sites in (zones, mj.sensor_objid[kind == SENS_TOUCH]):
        if sites.size and not ((sites < 0) | (sites >= mj.nsite)).any():
            shapes, everywhere = mj.site_type[sites], np.ones(len(sites), bool)
            yield _outside("site_type", shapes, everywhere, GEOM_SPHERE, GEOM_MESH + 1)


def _is(mj, objtype):
    return mj.sensor_objtype == objtype


def _objects(mj):
    """Ids of what sensors measure, by the kinds that say whose ids they are."""
    kind, obj, ref = mj.sensor_type, mj.sensor_objid, mj.sensor_refid
    sizes = {
        OBJ_BODY: mj.nbody, OBJ_XBODY: mj.nbody, OBJ_GEOM: mj.ngeom, OBJ_SITE: mj.nsite,
        OBJ_CAMERA: mj.ncam, OBJ_JOINT: mj.njnt,
    }  # fmt: skip
    for kinds, size in (
        (_AT_SITES, mj.nsite), (_OF_JOINTS, mj.njnt), (_OF_TENDONS, mj.ntendon),
        (_OF_ACTUATORS, mj.nactuator), (_OF_BODIES, mj.nbody),
    ):  # fmt: skip
        yield _outside("sensor_objid", obj, np.isin(kind, kinds), 0, size)
    yield _outside("sensor_refid", ref, kind == SENS_CAMPROJECTION, 0, mj.ncam)
    yield _outside("sensor_refid", ref, kind == SENS_INSIDESITE, 0, mj.nsite)
    yield _outside("sensor_objid", obj, kind == SENS_TACTILE, 0, mj.nmesh)
    yield _outside("sensor_refid", ref, kind == SENS_TACTILE, 0, mj.ngeom)
    # those whose objects have a type
    frames = ((kind >= SENS_FRAMEPOS) & (kind <= SENS_FRAMEANGACC)) | (kind == SENS_INSIDESITE)
    near = (kind >= SENS_GEOMDIST) & (kind <= SENS_GEOMFROMTO)
    contact, ranges = kind == SENS_CONTACT, kind == SENS_RANGEFINDER
    seen_from = frames & (ref >= 0) & (kind != SENS_INSIDESITE)
    every = (OBJ_BODY, OBJ_XBODY, OBJ_GEOM, OBJ_SITE, OBJ_CAMERA)
    matched = (OBJ_UNKNOWN, OBJ_BODY, OBJ_XBODY, OBJ_GEOM)
    for name, types, ids, on, allowed in (
        ("sensor_objtype", mj.sensor_objtype, obj, frames, every),
        ("sensor_objtype", mj.sensor_objtype, obj, ranges, (OBJ_SITE, OBJ_CAMERA)),
        ("sensor_objtype", mj.sensor_objtype, obj, near, (OBJ_BODY, OBJ_GEOM)),
        ("sensor_objtype", mj.sensor_objtype, obj, contact, (*matched, OBJ_SITE)),
        ("sensor_reftype", mj.sensor_reftype, ref, seen_from, every),
        ("sensor_reftype", mj.sensor_reftype, ref, near, (OBJ_BODY, OBJ_GEOM)),
        ("sensor_reftype", mj.sensor_reftype, ref, contact, matched),
    ):  # fmt: skip
        yield _where_not(name, types, ~on | np.isin(types, allowed), "is no kind of object for it")
        for objtype in allowed:
            if objtype != OBJ_UNKNOWN:
                field = "sensor_objid" if ids is obj else "sensor_refid"
                yield _outside(field, ids, on & (types == objtype), 0, sizes[objtype])


def _least(mj):
    """How many numbers a reading must have room for, where all else is in order."""
    kind = mj.sensor_type
    least = np.where(np.isin(kind, _THREE), 3, 1).astype(np.int64)
    for which, width in _WIDTHS.items():
        least[kind == which] = width
    for i in np.flatnonzero(np.isin(kind, (SENS_CONTACT, SENS_RANGEFINDER))):
        bits, reduction, slots = (int(x) for x in mj.sensor_intprm[i])
        contact = kind[i] == SENS_CONTACT
        widths = _CONTACT_DATA if contact else _RAY_DATA
        size = sum(n for k, n in enumerate(widths) if bits >> k & 1)
        number = slots if contact else 1
        camera = int(mj.sensor_objid[i])
        if not contact and mj.sensor_objtype[i] == OBJ_CAMERA and 0 <= camera < mj.ncam:
            number = int(mj.cam_resolution[camera].astype(np.int64).prod())
        bad = number < 1 or bits < 0 or bits >= 1 << len(widths)
        bad |= contact and not 0 <= reduction < _REDUCTIONS
        least[i] = np.iinfo(np.int64).max if bad else max(size * number, 1)
        if not bad and mj.sensor_dim[i] % number:
            least[i] = np.iinfo(np.int64).max
    # three numbers of each vertex
    for i in np.flatnonzero(kind == SENS_TACTILE):
        mesh = int(mj.sensor_objid[i])
        if 0 <= mesh < mj.nmesh:
            least[i] = 3 * max(int(mj.mesh_vertnum[mesh]), 1)
    # an actuator shows all its outputs or some of them, never more
    for i in np.flatnonzero(np.isin(kind, _OF_ACTUATORS)):
        a = int(mj.sensor_objid[i])
        if 0 <= a < mj.nactuator and mj.sensor_dim[i] > mj.actuator_outnum[a]:
            least[i] = np.iinfo(np.int64).max
    return least


def tree_problems(mj):
    """Of the trees of boxes around faces of meshes."""
    for mesh in range(mj.nmesh):
        vertices = mj.mesh_face[mj.mesh_faceadr[mesh] :][: mj.mesh_facenum[mesh]]
        if vertices.size and not (0 <= vertices.min() <= vertices.max() < mj.mesh_vertnum[mesh]):
            yield f"mesh_face of mesh {mesh} names vertices that it does not have"
        first, number = int(mj.mesh_bvhadr[mesh]), int(mj.mesh_bvhnum[mesh])
        if number == 0:
            continue
        child, face = mj.bvh_child[first:][:number], mj.bvh_nodeid[first:][:number]
        node = np.arange(number)[:, None]
        if not ((child == -1) | ((child > node) & (child < number))).all():
            yield f"bvh_child of mesh {mesh} does not lead on to nodes of its tree"
        if not (face < mj.mesh_facenum[mesh]).all():
            yield f"bvh_nodeid of mesh {mesh} names faces that it does not have"


def _outside(name, values, on, low, high):
    """'' or the first value, of those that are meant, that is not from low on and below high."""
    values = np.asarray(values, np.int64)
    return _where_not(
        name, values, ~on | ((values >= low) & (values < high)), f"must be in [{low}, {high})"
    )


def _where_not(name, values, fine, what):
    if fine.all():
        return ""
    k = int(np.flatnonzero(~fine)[0])
    return f"{name}[{k}] is {values[k]}, which {what}"
