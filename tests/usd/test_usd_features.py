"""What stages say beyond a tree of bodies: loops, several axes, groups, followers, instances."""

import json

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.cli import main
from support import stages

pytest.importorskip("pxr")
pytestmark = pytest.mark.filterwarnings("ignore:.*has what the model has not")

LINK = """
def Cube "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"{apis}])
{{
    double size = 0.25
    double3 xformOp:translate = {at}
    {more}
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
"""
JOINT = """
def Physics{kind} "{name}" ({apis})
{{
    {bodies}
    {more}
}}
"""


def link(name, at, more="", apis=""):
    return LINK.format(name=name, at=at, more=more, apis=apis)


def joint(kind, name, body0=None, body1=None, more="", apis=""):
    bodies = "\n".join(
        f"rel physics:body{k} = </{body}>" for k, body in enumerate((body0, body1)) if body
    )
    listed = ", ".join(f'"{api}"' for api in apis.split())
    metadata = f"prepend apiSchemas = [{listed}]" if apis else ""
    return JOINT.format(kind=kind, name=name, bodies=bodies, more=more, apis=metadata)


def load(folder, *parts, up="Z"):
    path = folder / "stage.usda"
    path.write_text(stages.head(up) + "".join(parts))
    return lw.load(path)


def test_a_joint_from_child_to_parent(tmp_path):
    """The second body is nearer to the world: the sense of the joint stays that of the stage."""
    more = 'uniform token physics:axis = "Z"\nfloat physics:upperLimit = 30'
    hold = joint("FixedJoint", "hold", None, "a")
    m = load(tmp_path, link("a", "(0, 0, 0)"), link("b", "(1, 0, 0)"), hold,
             joint("RevoluteJoint", "turn", "b", "a",
                   more + "\npoint3f physics:localPos0 = (-1, 0, 0)"))  # fmt: skip
    assert m.mj.body("b").parentid[0] == m.mj.body("a").id
    d = lw.Data(m)
    d.qpos[:] = 0.5  # a turns in b by this about z: b in a by its opposite
    lw.forward(m, d)
    np.testing.assert_allclose(
        d.xpos[m.mj.body("b").id], [np.cos(0.5), -np.sin(0.5), 0], atol=1e-12
    )
    np.testing.assert_allclose(m.mj.jnt_range[0, 1], np.pi / 6)


def test_a_joint_that_starts_turned(tmp_path):
    """Bodies drawn with their joint at an angle: that angle is where qpos starts."""
    half = np.deg2rad(40.0) / 2
    more = f"""uniform token physics:axis = "X"
    quatf physics:localRot1 = ({np.cos(half)}, {np.sin(half)}, 0, 0)"""
    m = load(tmp_path, link("a", "(0, 0, 1)"),
             joint("RevoluteJoint", "turn", None, "a",
                   more + "\npoint3f physics:localPos0 = (0, 0, 1)"))  # fmt: skip
    np.testing.assert_allclose(m.qpos0, np.deg2rad(40.0), atol=1e-7)


def test_bodies_are_put_where_joints_can_be(tmp_path):
    with pytest.warns(UserWarning, match="drawn where their joint cannot be.*: /a"):
        m = load(tmp_path, link("a", "(0, 0, 3)"), joint("RevoluteJoint", "turn", None, "a"))
    np.testing.assert_allclose(m.mj.body("a").pos, 0.0)


def test_loops_are_closed(tmp_path):
    """A four-bar: the driven joint is in the tree, and what closes the loop holds."""
    axis = 'uniform token physics:axis = "Y"\n'
    at = "point3f physics:localPos0 = {}\npoint3f physics:localPos1 = {}"
    left = axis + at.format("(-1, 0, 0)", "(0, 0, -0.5)")
    m = load(
        tmp_path,
        link("l", "(-1, 0, 0.5)"), link("t", "(0, 0, 1)"), link("r", "(1, 0, 0.5)"),
        joint("RevoluteJoint", "one", None, "l", left, "PhysicsDriveAPI:angular"),
        joint("RevoluteJoint", "two", "l", "t", axis + at.format("(0, 0, 0.5)", "(-1, 0, 0)")),
        joint("RevoluteJoint", "three", "t", "r", axis + at.format("(1, 0, 0)", "(0, 0, 0.5)")),
        joint("RevoluteJoint", "four", "r", None, axis + at.format("(0, 0, -0.5)", "(1, 0, 0)")),
    )  # fmt: skip
    assert (m.nv, m.mj.neq, m.nu) == (3, 2, 1)
    d = lw.Data(m)
    d.ctrl[:] = 50.0
    lw.step(m, d, 200)
    lw.forward(m, d)
    # a parallelogram: its top does not turn
    assert abs(d.xmat[m.mj.body("t").id].reshape(3, 3)[2, 2] - 1.0) < 1e-4
    assert np.abs(d.qpos).max() > 0.05


def test_joints_of_several_axes(tmp_path):
    locked = "".join(
        f"float limit:{x}:physics:low = 1\nfloat limit:{x}:physics:high = -1\n"
        for x in ("transX", "transY", "rotX")
    )
    limits = "float limit:rotY:physics:low = -20\nfloat limit:rotY:physics:high = 30\n"
    drive = "float drive:rotZ:physics:damping = 2\nfloat drive:rotZ:physics:targetVelocity = 90"
    apis = " ".join(f"PhysicsLimitAPI:{x}" for x in ("transX", "transY", "rotX", "rotY"))
    m = load(tmp_path, link("a", "(0, 0, 0)"),
             joint("Joint", "d6", None, "a", locked + limits + drive,
                   apis + " PhysicsDriveAPI:rotZ"))  # fmt: skip
    names = [m.mj.joint(j).name for j in range(m.njnt)]
    assert names == ["d6_transZ", "d6_rotY", "d6_rotZ"]
    np.testing.assert_allclose(m.mj.jnt_range[1], np.deg2rad([-20, 30]), atol=1e-9)
    per_radian = 2 * 180 / np.pi  # a velocity actuator, whose target is in the keyframe
    np.testing.assert_allclose(m.mj.actuator_gainprm[0, 0], per_radian)
    np.testing.assert_allclose(m.mj.actuator_biasprm[0, :3], [0, 0, -per_radian])
    np.testing.assert_allclose(m.mj.key_ctrl[0], np.pi / 2)


def test_drives_that_are_accelerations(tmp_path):
    more = """uniform token drive:angular:physics:type = "acceleration"
    float drive:angular:physics:stiffness = 100
    float drive:angular:physics:damping = 10"""
    turn = joint("RevoluteJoint", "turn", None, "a", more, "PhysicsDriveAPI:angular")
    m = load(tmp_path, link("a", "(0, 0, 0)"), turn)
    d = lw.Data(m)
    d.ctrl[:] = 0.01
    lw.forward(m, d)
    np.testing.assert_allclose(d.qacc, 100 * 0.01, rtol=1e-9)


def test_a_rope_between_bodies(tmp_path):
    more = "float physics:maxDistance = 1.5\nfloat physics:minDistance = 0.5"
    m = load(tmp_path, link("a", "(0, 0, 0)"), joint("DistanceJoint", "rope", None, "a", more))
    np.testing.assert_allclose(m.mj.tendon_range[0], [0.5, 1.5])
    d = lw.Data(m)
    lw.step(m, d, 2000)
    assert 1.4 < np.linalg.norm(d.qpos[:3]) < 1.7


def test_followers(tmp_path):
    more = """rel physxMimicJoint:rotX:referenceJoint = </one>
    float physxMimicJoint:rotX:gearing = 2
    float physxMimicJoint:rotX:offset = 10"""
    ours = "rel newton:mimicJoint = </one>\nfloat newton:mimicCoef1 = 0.5"
    joints = [
        ("one", "a", "", ""), ("two", "b", more, "PhysxMimicJointAPI:rotX"),
        ("three", "c", ours, "NewtonMimicAPI"),
    ]  # fmt: skip
    parts = [link(name, f"({k}, 0, 0)") for k, name in enumerate("abc")]
    for k, (name, body, said, api) in enumerate(joints):
        at = f"point3f physics:localPos0 = ({k}, 0, 0)\n"
        parts.append(joint("RevoluteJoint", name, None, body, at + said, api))
    m = load(tmp_path, *parts)
    assert m.mj.neq == 2
    np.testing.assert_allclose(m.mj.eq_data[0, :2], [-np.deg2rad(10), -2.0], atol=1e-9)
    np.testing.assert_allclose(m.mj.eq_data[1, :2], [0.0, 0.5])


def test_groups_that_do_not_touch(tmp_path):
    group = """
def PhysicsCollisionGroup "{name}" (prepend apiSchemas = ["CollectionAPI:colliders"])
{{
    rel collection:colliders:includes = </{body}>
    {more}
}}
"""
    m = load(tmp_path, *(link(name, f"({0.125 * k}, 0, 0)") for k, name in enumerate("abc")),
             group.format(name="ga", body="a", more="rel physics:filteredGroups = </gb>"),
             group.format(name="gb", body="b", more=""))  # fmt: skip
    d = mujoco.MjData(m.mj)
    mujoco.mj_forward(m.mj, d)
    touching = {tuple(sorted(m.mj.geom(g).name for g in pair)) for pair in d.contact.geom}
    assert touching == {("a", "c"), ("b", "c")}


def test_instances_and_variants(tmp_path):
    (tmp_path / "part.usda").write_text(
        '#usda 1.0\n(\n defaultPrim = "p"\n)\ndef Xform "p" (variants = { string size = "large" }\n'
        'prepend variantSets = "size") {\n'
        ' def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n {\n }\n'
        ' variantSet "size" = {\n "large" {\n over "c" {\n double size = 0.5\n }\n }\n'
        ' "small" {\n over "c" {\n double size = 0.25\n }\n }\n }\n}\n'
    )
    body = """
def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{{
    def "part" (instanceable = true
        references = @./part.usda@ {variant})
    {{
    }}
}}
"""
    m = load(tmp_path, body.format(name="a", variant=""),
             body.format(name="b", variant='\nvariants = { string size = "small" }'))  # fmt: skip
    np.testing.assert_allclose(m.mj.geom_size[:, 0], [0.25, 0.125])
    assert m.mj.geom(1).name == "part/c"


def test_velocities_are_in_the_keyframe(tmp_path):
    more = """vector3f physics:velocity = (1, 2, 3)
    vector3f physics:angularVelocity = (0, 0, 90)
    point3f physics:centerOfMass = (0.5, 0, 0)"""
    m = load(tmp_path, link("a", "(0, 0, 0)", more, ', "PhysicsMassAPI"'))
    d = mujoco.MjData(m.mj)
    mujoco.mj_resetDataKeyframe(m.mj, d, m.mj.key("stage").id)
    mujoco.mj_forward(m.mj, d)
    v = np.zeros(6)
    mujoco.mj_objectVelocity(m.mj, d, mujoco.mjtObj.mjOBJ_BODY, 1, v, 0)  # of the centre of mass
    np.testing.assert_allclose(v, [0, 0, np.pi / 2, 1, 2, 3], atol=1e-12)


def test_meshes(tmp_path):
    points = "[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]"
    mesh = """
def Mesh "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI",
                                         "PhysicsMeshCollisionAPI"])
{{
    point3f[] points = {points}
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    uniform token physics:approximation = "{how}"
    float3 xformOp:scale = {scale}
    uniform token[] xformOpOrder = ["xformOp:scale"]
}}
"""
    scales = {
        "none": "(1, 2, 1)", "convexHull": "(1, 1, -1)", "boundingCube": "(1, 1, 3)",
        "boundingSphere": "(1, 1, 1)",
    }  # fmt: skip
    parts = (mesh.format(name=x, how=x, points=points, scale=s) for x, s in scales.items())
    m = load(tmp_path, *parts)
    mass = 1000 * np.array([2 / 6, 1 / 6, 3, 4 / 3 * np.pi * 0.75**1.5])
    np.testing.assert_allclose(m.mj.body_mass[1:], mass, rtol=1e-6)
    np.testing.assert_allclose(m.mj.body("convexHull").ipos, [0.25, 0.25, -0.25], atol=1e-6)


def test_what_is_named(tmp_path):
    text = stages.arm_stage().replace(
        '"PhysicsMassAPI"])\n    {\n        float physics:mass = 2',
        '"PhysicsMassAPI"])\n    {\n        float physxRigidBody:angularDamping = 0.5\n'
        "        float physics:mass = 2", 1,
    )  # fmt: skip
    (tmp_path / "a.usda").write_text(text)
    with pytest.warns(UserWarning, match="has what the model has not") as told:
        lw.load(tmp_path / "a.usda")
    said = str(told[0].message)
    assert "physxRigidBody:angularDamping, which is not read: /robot/base" in said
    assert told[0].filename == __file__


def test_info(tmp_path, capsys):
    path = tmp_path / "arm.usda"
    path.write_text(stages.arm_stage("Y", 0.01, 1, root="wrapper"))
    assert main(["usd", "info", str(path)]) == 0
    said = capsys.readouterr().out
    for words in ("up axis        Y", "0.01 m", "0, 0, -9.81 m/s^2", "/robot, on a wrapper",
                  "/robot/shoulder", "5000", "can be loaded"):  # fmt: skip
        assert words in said
    assert main(["usd", "info", str(path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["drives"][0]["stiffness"] == 5000 and facts["drives"][1]["max_force"] is None
    path.write_text(stages.arm_stage().replace("upperLimit = 45", "upperLimit = -99"))
    assert main(["usd", "info", str(path)]) == 1
    assert "cannot be loaded" in capsys.readouterr().out
    assert main(["usd", "info", str(tmp_path / "b.usda")]) == 1
    assert "did you mean" in capsys.readouterr().err
    assert main(["usd", "info", __file__]) == 1
    assert "it ends with one of .usd" in capsys.readouterr().err
