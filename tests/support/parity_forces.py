"""Comparing forces that follow from accelerations with MuJoCo: after constraints, and inverse.

As in `parity.py` everything starts from MuJoCo's own data, and what a call writes is NaN before.
"""

import copy

import mujoco
import numpy as np

import lanewise as lw
from support import parity
from support import parity_contacts as touch

AFTER = ("cacc", "cfrc_int", "cfrc_ext")  # what rne_post_constraint writes
INVERSE = ("qfrc_inverse", "qfrc_constraint", "qacc")  # what is compared after `inverse`


def pushed(mj_model, mj_datas, rng) -> list[mujoco.MjData]:
    """Complete data of worlds in which the user pushes too."""
    out = []
    for mj_data in mj_datas:
        mj_data = copy.copy(mj_data)
        mj_data.xfrc_applied[1:] = rng.normal(0, 1, (mj_model.nbody - 1, 6))
        mujoco.mj_forward(mj_model, mj_data)
        mujoco.mj_rnePostConstraint(mj_model, mj_data)
        if parity.sound(mj_data):
            out.append(mj_data)
    return out


def after_constraints(mj_model, references) -> list[dict[str, float]]:
    """`rne_post_constraint` in every world: {field: residual}"""
    m = lw.load(mj_model)
    d = lw.put_data(m, references)
    for name in AFTER:
        d.arrays[name][...] = np.nan
    lw.rne_post_constraint(m, d)
    return [_residuals(d, lane, reference, AFTER) for lane, reference in enumerate(references)]


def accelerated(mj_model, mj_datas, rng) -> list[mujoco.MjData]:
    """Complete data, with an acceleration that nothing has caused."""
    out = []
    for mj_data in mj_datas:
        mj_data = copy.copy(mj_data)
        mujoco.mj_forward(mj_model, mj_data)
        if parity.sound(mj_data):
            mj_data.qacc[:] += rng.normal(0, 3, mj_model.nv)
            out.append(mj_data)
    return out


def inverse(mj_model, mj_datas, ours=lw.inverse, theirs=mujoco.mj_inverse) -> list[dict]:
    """Inverse dynamics in every world: {field: residual}"""
    m = lw.load(mj_model)
    d = lw.put_data(m, mj_datas)
    for name in INVERSE[:2]:
        d.arrays[name][...] = np.nan
    ours(m, d)
    found = []
    for lane, mj_data in enumerate(mj_datas):
        reference = copy.copy(mj_data)
        theirs(mj_model, reference)
        found.append(_residuals(d, lane, reference, INVERSE))
    return found


def skip_both(m, d) -> None:
    lw.inverse_skip(m, d, 2)


def mj_skip_both(mj_model, mj_data) -> None:
    mujoco.mj_inverseSkip(mj_model, mj_data, mujoco.mjtStage.mjSTAGE_VEL, 1)


def _residuals(d, lane, reference, names) -> dict[str, float]:
    return {
        name: touch.relative(d.arrays[name][..., lane], np.array(getattr(reference, name)))
        for name in names
    }


def lines(found: list[dict[str, float]], tolerance: float) -> list[str]:
    """What is beyond the tolerance."""
    return [
        f"world {lane}, {name}: {value:.2g}"
        for lane, world in enumerate(found)
        for name, value in world.items()
        if not value <= tolerance
    ]
