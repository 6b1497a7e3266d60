"""Worlds of a batch with different model constants against MuJoCo, on random models.

Every number of the model that a world can have for itself is expanded and changed a little, and
what may be absent (stiffness, damping, armature, density ...) is zero in some worlds: there a
kernel that asks one lane for all would show. Each world is then compared with a step of an MjModel
of its own.

`test_expand_constraints.py` does the same with constraints.
"""

import copy
import os

import generator
import mujoco
import mujoco.batch
import numpy as np
import parity
import pytest

import lanewise as lw
from lanewise import fields

SEEDS = int(os.environ.get("LANEWISE_SEEDS", "200")) // 5
NSIM = 11

# numbers without which a world does not have the feature
OPTIONAL = (
    *("jnt_stiffness", "jnt_stiffnesspoly", "dof_damping", "dof_dampingpoly", "dof_armature"),
    *("tendon_stiffness", "tendon_stiffnesspoly", "tendon_damping", "tendon_dampingpoly"),
    *("tendon_armature", "actuator_damping", "actuator_dampingpoly", "actuator_armature"),
    *("actuator_delay", "body_gravcomp", "geom_fluid", "jnt_springyield", "tendon_springyield"),
    *("opt.density", "opt.viscosity", "opt.wind", "opt.gravity"),
    *("dof_frictionloss", "tendon_frictionloss", "jnt_margin", "tendon_margin", "geom_margin"),
    *("geom_gap", "geom_solmix", "geom_adhesion", "geom_surfacevel", "pair_margin", "pair_gap"),
    *("pair_adhesion", "pair_solreffriction", "opt.o_margin"),
)

# rows of these have the length one
UNIT = ("body_quat", "body_iquat", "geom_quat", "site_quat", "cam_quat", "jnt_axis")

# numbers that obey another rule: order, orthogonality, a meaning as an integer, another field
RULED = (
    *("cam_mat0", "qpos0", "qpos_spring", "dof_M0", "wrap_prm", "tendon_lengthspring"),
    *("body_subtreemass", "actuator_dynprm", "opt.tolerance"),
)


def free_numbers():
    expandable = mujoco.batch.MODEL_FIELDS
    return [
        f.name for f in fields.MODEL
        if f.dtype == "float" and f.name in expandable and f.name not in RULED
    ]  # fmt: skip


def vary(name: str, values: np.ndarray, rng) -> None:
    """Change a field's rows by up to a tenth; some worlds may lose what it stands for."""
    values *= 1 + 0.1 * rng.uniform(-1, 1, values.shape)
    if name in UNIT:
        values /= np.linalg.norm(values, axis=-1, keepdims=True)
    if "solimp" in name:
        values[..., :2] = np.minimum(values[..., :2], 0.98)
    if name in OPTIONAL and rng.random() < 0.5:
        values[rng.random(len(values)) < 0.3] = 0


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
