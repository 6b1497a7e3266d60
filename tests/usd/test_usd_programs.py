"""Stages that other programs wrote of our models: they are those models, in single precision."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import lanewise as lw

pytest.importorskip("pxr")

WRITTEN = Path(__file__).with_name("written")
SINGLE = 2e-6
# what the programs themselves do not write, or only for drawing
LOST = {
    "mujoco_quadruped.usda": ("geom_friction",),
    "converter_muscle_arm.usdc": ("geom_friction", "geom_condim"),  # not all geoms are there
}
FIELDS = (
    "body_mass", "body_ipos", "body_pos", "jnt_type", "jnt_pos", "jnt_axis", "jnt_range",
    "jnt_stiffness", "dof_damping", "dof_armature", "dof_frictionloss", "dof_M0", "qpos0",
    "geom_friction", "geom_condim", "actuator_gear", "actuator_gainprm", "actuator_biasprm",
    "actuator_ctrlrange", "actuator_forcerange", "actuator_dynprm", "tendon_length0", "wrap_type",
)  # fmt: skip


@pytest.mark.parametrize("name", sorted(p.name for p in WRITTEN.glob("*.usd*")))
@pytest.mark.filterwarnings("ignore:.*has what the model has not")
def test_it_is_the_model(name):
    twin = mujoco.MjModel.from_xml_path(str(lw.models.path(name.partition("_")[2].split(".")[0])))
    m = lw.load(WRITTEN / name)
    assert (m.nbody, m.nv, m.nu) == (twin.nbody, twin.nv, twin.nu)
    for field in FIELDS:
        if field not in LOST.get(name, ()):
            ours, theirs = getattr(m.mj, field), getattr(twin, field)
            np.testing.assert_allclose(ours, theirs, rtol=SINGLE, atol=SINGLE, err_msg=field)
    assert m.opt.timestep == twin.opt.timestep and m.opt.integrator == twin.opt.integrator
    np.testing.assert_allclose(m.opt.gravity, twin.opt.gravity, atol=1e-12)
    if name == "mujoco_quadruped.usda":  # it would slide
        m.geom_friction[:] = twin.geom_friction
    here, there = lw.Data(m), mujoco.MjData(twin)
    rng = np.random.default_rng(0)
    ctrl = 0.1 * rng.standard_normal(m.nu)
    here.ctrl[:] = there.ctrl[:] = ctrl
    lw.step(m, here, 50)
    for _ in range(50):
        mujoco.mj_step(twin, there)
    np.testing.assert_allclose(here.qpos, there.qpos, atol=2e-4)
