"""What Lanewise does not simulate, found in a model and refused by name, all of it at once."""

import mujoco
import numpy as np

from ..errors import UnsupportedFeature
from ..limits import not_built


def refuse_unsupported(mj):
    """Raise UnsupportedFeature if mj has anything that would be ignored."""
    found = _outside(mj)
    if found:
        raise UnsupportedFeature(found)


def _names(mj, kind, ids):
    return [getattr(mj, kind)(int(i)).name or f"{kind} {int(i)}" for i in ids]


def _outside(mj):
    """Features that Lanewise leaves out."""
    found = {}
    if mj.nflex:
        found["flex"] = [f"{mj.nflex} deformable objects"]
    if mj.nplugin:
        found["plugin"] = [f"{mj.nplugin} plugin instances"]
    sdf = np.flatnonzero(mj.geom_type == mujoco.mjtGeom.mjGEOM_SDF)
    if sdf.size:
        found["SDF geom"] = _names(mj, "geom", sdf)
    kinds = mujoco.mjtSensor
    tactile = np.flatnonzero(mj.sensor_type == kinds.mjSENS_TACTILE)
    if tactile.size:
        found["tactile sensor"] = _names(mj, "sensor", tactile)
    inside = (mj.sensor_type == kinds.mjSENS_INSIDESITE) & (mj.sensor_intprm[:, 0] != 0)
    if inside.any():
        found["insidesite sensor with enclosed"] = _names(mj, "sensor", np.flatnonzero(inside))
    return {**found, **not_built(mj.opt.enableflags)}
