"""What Lanewise does not simulate, found in a model and refused by name, all of it at once."""

import mujoco
import numpy as np

from ..errors import UnsupportedFeature

_ADVICE = (
    "\nConstraints are not built yet: to simulate the model without them, disable them in it"
    ' (<option><flag constraint="disable"/></option>).'
)


def refuse_unsupported(mj):
    """Raise UnsupportedFeature if mj has anything that would be ignored."""
    found = {**_outside(mj), **_constraints(mj)}
    if found:
        raise UnsupportedFeature(found, _ADVICE if _constraints(mj) else "")


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
    kept = np.flatnonzero(mj.sensor_history[:, 0] > 0)
    if kept.size:  # they write to the state
        found["sensor with a history"] = _names(mj, "sensor", kept)
    flags = mujoco.mjtEnableBit
    for bit, name in (
        (flags.mjENBL_SLEEP, "sleep"), (flags.mjENBL_IPC, "ipc"),
        (flags.mjENBL_SPECULATIVE, "speculative"),
    ):  # fmt: skip
        if mj.opt.enableflags & bit:
            found[f"enable flag {name}"] = ["option"]
    return found


def _constraints(mj):
    """Constraints that would act."""
    off, bit = mj.opt.disableflags, mujoco.mjtDisableBit
    if off & bit.mjDSBL_CONSTRAINT:
        return {}
    found = {}
    if mj.neq and not off & bit.mjDSBL_EQUALITY:
        found["equality constraint"] = _names(mj, "equality", range(mj.neq))
    if not off & bit.mjDSBL_FRICTIONLOSS:
        dofs = np.flatnonzero(mj.dof_frictionloss > 0)
        tendons = np.flatnonzero(mj.tendon_frictionloss > 0)
        names = _names(mj, "joint", np.unique(mj.dof_jntid[dofs])) + _names(mj, "tendon", tendons)
        if names:
            found["friction loss"] = names
    if not off & bit.mjDSBL_LIMIT:
        names = _names(mj, "joint", np.flatnonzero(mj.jnt_limited))
        names += _names(mj, "tendon", np.flatnonzero(mj.tendon_limited))
        if names:
            found["limit"] = names
    if not off & bit.mjDSBL_CONTACT:
        pairs = _contact_pairs(mj)
        if pairs:
            found["contact"] = pairs
    return found


def _contact_pairs(mj):
    """Names of geom pairs that may touch, by MuJoCo's filters."""
    pairs = [(int(a), int(b)) for a, b in zip(mj.pair_geom1, mj.pair_geom2, strict=True)]
    affine = (mj.geom_contype[:, None] & mj.geom_conaffinity[None, :]) != 0
    affine |= affine.T
    body = mj.geom_bodyid
    weld = mj.body_weldid[body]
    moves = mj.body_dofnum[weld] > 0
    affine &= weld[:, None] != weld[None, :]
    affine &= moves[:, None] | moves[None, :]
    parent = mj.body_weldid[mj.body_parentid[weld]]
    if not mj.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT:
        child = (parent[:, None] == weld[None, :]) & (weld[:, None] != 0) & (weld[None, :] != 0)
        affine &= ~(child | child.T)
    excluded = set(mj.exclude_signature.tolist())
    for a, b in zip(*np.nonzero(np.triu(affine)), strict=True):
        low, high = sorted((int(body[a]), int(body[b])))
        if (low << 16) + high not in excluded:
            pairs.append((int(a), int(b)))
    return [" - ".join(_names(mj, "geom", pair)) for pair in pairs]
