"""Stages that move as MJCF does that says the same, both written by hand."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import stages

pytest.importorskip("pxr")

FIELDS = (
    "body_mass", "body_ipos", "body_iquat", "body_inertia", "body_pos", "body_quat", "jnt_type",
    "jnt_pos", "jnt_axis", "jnt_range", "jnt_limited", "geom_type", "geom_size", "geom_pos",
    "geom_quat", "geom_friction", "actuator_gainprm", "actuator_biasprm", "actuator_forcerange",
    "actuator_forcelimited",
)  # fmt: skip


def written(folder, text, name="stage.usda"):
    path = folder / name
    path.write_text(text)
    return path


def compare(model, text, ctrl=(), steps=200):
    """Fields, and 200 steps by MuJoCo and by Lanewise."""
    twin = mujoco.MjModel.from_xml_string(text)
    for name in FIELDS:
        np.testing.assert_allclose(
            getattr(model.mj, name), getattr(twin, name), rtol=1e-9, atol=1e-12, err_msg=name
        )
    there, here = mujoco.MjData(twin), mujoco.MjData(model.mj)
    d = lw.Data(model)
    there.ctrl[:] = here.ctrl[:] = ctrl
    d.ctrl[:] = ctrl
    for _ in range(steps):
        mujoco.mj_step(twin, there)
        mujoco.mj_step(model.mj, here)
    lw.step(model, d, steps)
    np.testing.assert_allclose(here.qpos, there.qpos, rtol=0, atol=1e-9)
    np.testing.assert_allclose(d.qpos, there.qpos, rtol=0, atol=1e-9)
    assert np.abs(there.qpos - twin.qpos0).max() > 0.05


def test_every_primitive(tmp_path):
    m = lw.load(written(tmp_path, stages.shapes_stage()))
    compare(m, stages.shapes_mjcf())


@pytest.mark.parametrize(("up", "length", "mass"), [("Z", 1, 1), ("Y", 0.01, 1), ("Y", 1, 0.001)])
def test_an_arm_in_all_units(tmp_path, up, length, mass):
    with pytest.warns(UserWarning, match="targets of drives"):
        m = lw.load(written(tmp_path, stages.arm_stage(up, length, mass)))
    ctrl = m.mj.key_ctrl[0]
    np.testing.assert_allclose(ctrl, [np.pi / 6, 0.125], atol=1e-12)
    compare(m, stages.arm_mjcf(up), ctrl)


@pytest.mark.parametrize("root", ["wrapper", "joint"])
@pytest.mark.filterwarnings("ignore:.*has what the model has not")
def test_articulation_roots_anywhere(tmp_path, root):
    m = lw.load(written(tmp_path, stages.arm_stage(root=root)))
    compare(m, stages.arm_mjcf(), m.mj.key_ctrl[0])


BODY = """
def Xform "top" (prepend apiSchemas = ["PhysicsRigidBodyAPI"{apis}])
{{
    {numbers}
    double3 xformOp:translate = (0, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cone "cone" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {{
        double radius = 0.5
        double height = 2
        uniform token axis = "{axis}"
    }}
}}
"""


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_cones_have_their_mass_and_centre(tmp_path, axis):
    text = stages.head() + BODY.format(apis="", numbers="", axis=axis)
    m = lw.load(written(tmp_path, text))
    body = m.mj.body("top")
    mass = 1000 * np.pi * 0.25 * 2 / 3
    assert body.mass[0] == pytest.approx(mass, rel=1e-12)
    along = np.eye(3)["XYZ".index(axis)]
    shape = lw.conventions.Shape("cone", {"radius": 0.5, "height": 2.0, "axis": axis})
    np.testing.assert_allclose(body.ipos, lw.conventions.shape_com(shape, "usd"), atol=1e-12)
    np.testing.assert_allclose(body.ipos, -0.5 * along, atol=1e-12)
    # MuJoCo's own integral over a cone of many triangles
    spec = mujoco.MjSpec()
    mesh = spec.add_mesh(name="cone", inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_EXACT)
    mesh.make_cone(2000, 0.0)
    mesh.scale = [0.5, 0.5, 1.0]
    spec.worldbody.add_body(name="top").add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH, meshname="cone", density=1000
    )
    fine = spec.compile()
    np.testing.assert_allclose(sorted(body.inertia), sorted(fine.body_inertia[1]), rtol=1e-4)


def test_a_cone_stands_on_its_base(tmp_path):
    floor = 'def Plane "floor" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {}\n'
    text = stages.head() + BODY.format(apis="", numbers="", axis="Z") + floor
    m = lw.load(written(tmp_path, text))
    d = lw.Data(m)
    lw.step(m, d, 500)
    assert d.qpos[2] == pytest.approx(1.0, abs=2e-3)
    assert abs(d.qpos[3]) == pytest.approx(1.0, abs=1e-4)


def test_a_plane_with_any_normal(tmp_path):
    text = stages.head() + (
        'def Plane "wall" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n'
        '{\n uniform token axis = "Y"\n double width = 4\n double length = 6\n}\n'
    )
    m = lw.load(written(tmp_path, text))
    d = lw.Data(m)
    lw.forward(m, d)
    np.testing.assert_allclose(d.geom_xmat[0].reshape(3, 3)[:, 2], [0, 1, 0], atol=1e-12)
    np.testing.assert_allclose(m.mj.geom_size[0, :2], [2, 3])


def test_masses_are_usds_own(tmp_path):
    """UsdPhysics computes masses itself, from the volumes that it is given."""
    from pxr import Gf, Usd, UsdPhysics

    material = 'def Material "steel" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {\n{d}\n}\n'
    text = stages.head() + material.replace("{d}", "float physics:density = 7000")
    cases = {
        "plain": ("", "", ""), "heavy": ("float physics:mass = 3", "", ""),
        "dense": ("float physics:density = 20", "", ""),
        "part": ("float physics:mass = 3", "float physics:mass = 1", ""),
        "shape": ("float physics:density = 20", "float physics:density = 30", ""),
        "steel": ("", "", "rel material:binding:physics = </steel>"),
        "both": ("float physics:density = 20", "", "rel material:binding:physics = </steel>"),
    }  # fmt: skip
    for name, (body, shape, bound) in cases.items():
        text += f"""
def Xform "{name}_b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{{
    {body}
    def Cube "a" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI",
                                        "MaterialBindingAPI"])
    {{
        double size = 0.5
        {shape}
        {bound}
        double3 xformOp:translate = (0.25, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
    def Cube "b" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {{
        double size = 0.25
    }}
}}
"""
    path = written(tmp_path, text)
    with pytest.warns(UserWarning, match="materials without dynamicFriction"):
        m = lw.load(path)

    def about(prim):
        info, size = UsdPhysics.RigidBodyAPI.MassInformation(), prim.GetAttribute("size").Get()
        info.volume = size**3
        info.inertia = Gf.Matrix3f(size**5 / 6)
        info.centerOfMass = Gf.Vec3f(0)
        translate = prim.GetAttribute("xformOp:translate").Get()
        info.localPos = Gf.Vec3f(translate or Gf.Vec3d(0))
        info.localRot = Gf.Quatf(1)
        return info

    stage = Usd.Stage.Open(str(path))
    for name in cases:
        body = UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath(f"/{name}_b"))
        mass, inertia, com, _ = body.ComputeMassProperties(about)
        ours = m.mj.body(f"{name}_b")
        assert ours.mass[0] == pytest.approx(mass, rel=1e-6), name
        np.testing.assert_allclose(ours.ipos, com, atol=1e-6, err_msg=name)
        np.testing.assert_allclose(sorted(ours.inertia), sorted(inertia), rtol=2e-5, err_msg=name)
