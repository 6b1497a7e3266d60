"""What the sensors of a model need to have computed for them."""

import mujoco
import numpy as np

_OBJ, _SENS = mujoco.mjtObj, mujoco.mjtSensor

# kinds that measure at a site, and those that take accelerations, forces or the momentum of bodies
_AT_SITES = (
    "TOUCH", "ACCELEROMETER", "VELOCIMETER", "GYRO", "FORCE", "TORQUE", "MAGNETOMETER",
    "RANGEFINDER", "CAMPROJECTION", "INSIDESITE",
)  # fmt: skip
_OF_ACCELERATIONS = ("ACCELEROMETER", "FRAMELINACC", "FRAMEANGACC")
_OF_FORCES = ("FORCE", "TORQUE")
_OF_MOMENTUM = ("SUBTREELINVEL", "SUBTREEANGMOM")
_OF_GEOMS = ("RANGEFINDER", "GEOMDIST", "GEOMNORMAL", "GEOMFROMTO", "INSIDESITE", "TACTILE")


def sensor_needs(mj):
    """{own field: array}"""
    kinds = mj.sensor_type
    objects = np.concatenate([mj.sensor_objtype, mj.sensor_reftype])
    needs = {
        "sensor_sites": _has(kinds, _AT_SITES) or bool((objects == _OBJ.mjOBJ_SITE).any()),
        "sensor_geoms": _has(kinds, _OF_GEOMS) or bool((objects == _OBJ.mjOBJ_GEOM).any()),
        "sensor_cameras": bool((objects == _OBJ.mjOBJ_CAMERA).any()),
        "sensor_momentum": _has(kinds, _OF_MOMENTUM),
        "sensor_accelerations": _has(kinds, _OF_ACCELERATIONS),
        "sensor_forces": _has(kinds, _OF_FORCES),
        "sensor_energy": _has(kinds, ["E_POTENTIAL"]) + 2 * _has(kinds, ["E_KINETIC"]),
        "sensor_kept": bool((mj.sensor_history[:, 0] > 0).any()),
    }
    numbers = {name: np.array([value], np.int32) for name, value in needs.items()}
    return {**numbers, "sensor_ray": _site_rays(mj)}


def _site_rays(mj):
    """The ray of each sensor: rangefinders at sites have one each, in their order."""
    own = (mj.sensor_type == _SENS.mjSENS_RANGEFINDER) & (mj.sensor_objtype == _OBJ.mjOBJ_SITE)
    return np.where(own, np.cumsum(own) - 1, -1).astype(np.int32)


def _has(kinds, names):
    return bool(np.isin(kinds, [int(getattr(_SENS, f"mjSENS_{name}")) for name in names]).any())
