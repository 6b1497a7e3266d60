"""Models with contacts, settled states of them, and their constraints solved anew."""

import mujoco
import numpy as np

import lanewise as lw
from lanewise.models import path


def heap(number, condims=(3, 4, 6, 1)):
    """Boxes that fall on a plane and on each other."""
    bodies = "".join(
        f'<body pos="{0.15 * (i % 3)} {0.2 * (i // 9)} {0.2 + 0.25 * (i // 3 % 3)}"><freejoint/>'
        f'<geom type="box" size=".1 .1 .1" condim="{condims[i % len(condims)]}"/></body>'
        for i in range(number)
    )
    return f'<mujoco><worldbody><geom type="plane" size="9 9 .1"/>{bodies}</worldbody></mujoco>'


def load_mujoco(model, **options):
    if model.startswith("<"):
        mj = mujoco.MjModel.from_xml_string(model)
    else:
        mj = mujoco.MjModel.from_xml_path(str(path(model)))
    for name, value in options.items():
        setattr(mj.opt, name, value)
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_SENSOR | mujoco.mjtDisableBit.mjDSBL_ISLAND
    return mj


def settled(mj, worlds=8, steps=150, seed=0):
    """States of worlds that were pushed and have come down."""
    rng, states = np.random.default_rng(seed), []
    for _ in range(worlds):
        d = mujoco.MjData(mj)
        d.qvel[:] = 0.3 * rng.normal(size=mj.nv)
        mujoco.mj_step(mj, d, steps + int(rng.integers(50)))
        mujoco.mj_forward(mj, d)
        states.append(d)
    return states


def tight(mj):
    mj.opt.tolerance, mj.opt.iterations, mj.opt.ls_tolerance = 1e-14, 500, 1e-3


def relative(a, b):
    return np.abs(a - b).max() / max(1.0, np.abs(b).max())


def solved(m, states):
    """A Data in which the constraints of MuJoCo's states have been solved anew."""
    d = lw.put_data(m, states)
    for name in ("qacc", "qfrc_constraint", "con_force", "con_jar", "row_force", "row_state"):
        d.arrays[name][...] = np.nan
    lw.fwd_constraint(m, d)
    return d
