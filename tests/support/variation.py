"""Model constants that worlds of a batch can have for themselves, and changes of them."""

import mujoco
import mujoco.batch
import numpy as np

from lanewise import fields

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
