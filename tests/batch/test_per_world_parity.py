"""Worlds of a batch with different model constants against MuJoCo, on random models.

Every number of the model that a world can have for itself is expanded and changed a little, and
what may be absent (stiffness, damping, armature, density ...) is zero in some worlds: there a
kernel that asks one lane for all would show. Each world is then compared with a step of an MjModel
of its own.

`test_expand_constraints.py` does the same with constraints.
"""

import copy
import os

import mujoco
import mujoco.batch
import numpy as np
import pytest

import lanewise as lw
from lanewise import fields
from support import generator, parity
from support.variation import free_numbers, vary

SEEDS = int(os.environ.get("LANEWISE_SEEDS", "100")) // 5
NSIM = 11


def _of(mj_model, name: str):
    return getattr(mj_model.opt, name[4:]) if name.startswith("opt.") else getattr(mj_model, name)


def _put(mj_model, name: str, value) -> None:
    if name.startswith("opt."):
        old = getattr(mj_model.opt, name[4:])
        setattr(mj_model.opt, name[4:], value if np.ndim(old) else float(value))
    else:
        getattr(mj_model, name)[...] = value


def _subtree_mass(mj_model, mass: np.ndarray) -> np.ndarray:
    """The one constant that must follow: subtree_com would not be a centre of mass without it."""
    total = mass.copy()
    for body in range(mj_model.nbody - 1, 0, -1):
        total[:, mj_model.body_parentid[body]] += total[:, body]
    return total


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_model(seed):
    mj_model = mujoco.MjModel.from_xml_string(generator.generate(seed))
    parity.settle_round_off(mj_model)
    rng = np.random.default_rng([seed, 23])
    b = lw.Batch(lw.load(mj_model), nsim=NSIM, nthread=2)
    rows = {}
    for name in free_numbers():
        if not np.size(_of(mj_model, name)):
            continue
        values = b.expand(name)
        vary(name, values, rng)
        rows[name] = values.copy()
    rows["body_subtreemass"] = _subtree_mass(mj_model, rows["body_mass"])
    b.expand("body_subtreemass")[:] = rows["body_subtreemass"]
    starts = [parity.random_state(mj_model, rng, 0.5) for _ in range(NSIM)]
    for world, start in enumerate(starts):
        b.state[world] = lw.put_data(b.model, start).state_lanes[:, 0]
    b.step()
    compared = 0
    for world, expected in enumerate(starts):
        own_model = copy.copy(mj_model)
        for name, values in rows.items():
            _put(own_model, name, values[world])
        mujoco.mj_step(own_model, expected)
        if not parity.sound(expected):
            continue
        compared += 1
        eased = parity.easing(own_model, expected)
        for name in fields.STATE_FIELDS:
            wanted = np.asarray(getattr(expected, name))
            value = parity.residual(np.asarray(getattr(b, name))[world], wanted, True)
            assert value <= parity.TOLERANCE * eased.get(name, 1.0), (name, world, value)
    assert compared or not mj_model.nv
