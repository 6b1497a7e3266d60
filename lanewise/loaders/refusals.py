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
    if tactile.size and (mj.mesh_octnum > 0).any():
        found["tactile sensor among meshes with an octree"] = _names(mj, "sensor", tactile)
    touch = np.flatnonzero(mj.sensor_type == kinds.mjSENS_TOUCH)
    meshes = np.flatnonzero(mj.site_type == mujoco.mjtGeom.mjGEOM_MESH)
    skins = touch[np.isin(mj.sensor_objid[touch], meshes)]
    if skins.size:
        found["touch sensor at a mesh site"] = _names(mj, "sensor", skins)
    return {**found, **not_built(mj.opt.enableflags)}
