"""The orders in which engines number the joints and bodies of one robot, tree.urdf, next to this.

    python tests/engines/orders.py drake pybullet     # prints what these say, as JSON
    python tests/engines/orders.py --write drake      # and puts it into orders.json

Each function returns the names of the joints that have coordinates, in the order of the engine's
position vector, and the names of its bodies, for the text of a URDF robot whose base is held. PhysX
and the second order of Newton are of the same robot in USD.
"""

import contextlib
import importlib.metadata
import importlib.util
import json
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TREE = Path(__file__).with_name("tree.urdf")
KNOWN = Path(__file__).with_name("orders.json")

Names = tuple[list[str], list[str]]


@contextlib.contextmanager
def file_of(text: str, suffix: str):
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as f:
        f.write(text)
        f.flush()
        yield f


def mujoco(urdf: str) -> Names:
    import mujoco

    m = mujoco.MjModel.from_xml_string(urdf)
    joints = sorted(range(m.njnt), key=lambda j: m.jnt_qposadr[j])
    return [m.joint(j).name for j in joints], [m.body(b).name for b in range(1, m.nbody)]


def drake(urdf: str) -> Names:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.001)
    (model,) = Parser(plant).AddModelsFromString(urdf, "urdf")
    base = plant.GetBodyByName("base", model)
    plant.WeldFrames(plant.world_frame(), base.body_frame())
    plant.Finalize()
    joints = [plant.get_joint(i) for i in plant.GetJointIndices(model)]
    joints = sorted((j for j in joints if j.num_positions()), key=lambda j: j.position_start())
    bodies = [plant.get_body(i).name() for i in plant.GetBodyIndices(model)]
    return [j.name() for j in joints], bodies


def pinocchio(urdf: str) -> Names:
    import pinocchio

    model = pinocchio.buildModelFromXML(urdf)
    bodies = [f.name for f in model.frames if f.type == pinocchio.FrameType.BODY]
    return [model.names[j] for j in range(1, model.njoints)], bodies


def pybullet(urdf: str) -> Names:
    import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    with file_of(urdf, ".urdf") as f:
        robot = pybullet.loadURDF(f.name, useFixedBase=True, physicsClientId=client)
    base = pybullet.getBodyInfo(robot, client)[0].decode()
    infos = [pybullet.getJointInfo(robot, j, client)
             for j in range(pybullet.getNumJoints(robot, client))]  # fmt: skip
    pybullet.disconnect(client)
    moving = [info for info in infos if info[2] != pybullet.JOINT_FIXED]
    joints = [info[1].decode() for info in sorted(moving, key=lambda info: info[3])]
    return joints, [base, *(info[12].decode() for info in infos)]


def sapien(urdf: str) -> Names:
    import sapien

    scene = sapien.Scene([sapien.physx.PhysxCpuSystem()])
    loader = scene.create_urdf_loader()
    loader.fix_root_link = True
    with file_of(urdf, ".urdf") as f:
        robot = loader.load(f.name)
    return [j.name for j in robot.get_active_joints()], [link.name for link in robot.get_links()]


def genesis(urdf: str) -> Names:
    """With merge_fixed_links, as it is unless said otherwise."""
    return _genesis(urdf, True)


def genesis_keep(urdf: str) -> Names:
    return _genesis(urdf, False)


def _genesis(urdf: str, merge: bool) -> Names:
    import genesis as gs

    if not getattr(gs, "_initialized", False):
        gs.init(backend=gs.cpu, logging_level="error")
    scene = gs.Scene(show_viewer=False)
    with file_of(urdf, ".urdf") as f:
        morph = gs.morphs.URDF(file=f.name, fixed=True, merge_fixed_links=merge)
        robot = scene.add_entity(morph)
    joints = sorted((j for j in robot.joints if j.n_dofs), key=lambda j: j.dof_start)
    return [j.name for j in joints], [link.name for link in robot.links]


def newton(urdf: str) -> Names:
    import newton

    builder = newton.ModelBuilder()
    with file_of(urdf, ".urdf") as f:
        builder.add_urdf(f.name, floating=False)
    return _newton_names(builder)


def newton_usd(urdf: str) -> Names:
    import newton

    builder = newton.ModelBuilder()
    with file_of(usda(urdf), ".usda") as f:
        builder.add_usd(f.name)
    return _newton_names(builder)


def _newton_names(builder) -> Names:
    import newton

    joints = [label.split("/")[-1] for label, kind in zip(builder.joint_label, builder.joint_type)
              if kind != newton.JointType.FIXED]  # fmt: skip
    return joints, [label.split("/")[-1] for label in builder.body_label]


def physx(urdf: str) -> Names:
    """PhysX by ovphysx, which needs physx-usd-schemas beside it."""
    import ovphysx
    import ovstage
    from ovphysx.samples.python_samples.schema_support import physx_schema_paths
    from ovphysx.types import TensorType

    schemas = [*physx_schema_paths(), ovphysx.newton_schema_root()]
    ovstage.population.register_usd_schemas([str(path) for path in schemas])
    ovphysx.PhysX.set_cpu_mode(True)
    engine, stage = ovphysx.PhysX(), ovstage.Stage("tree")
    with file_of(usda(urdf), ".usda") as f:
        ovstage.population.open_usd(stage, f.name, ordinal=1, domains=ovstage.PopulationDomain.ALL)
    stage.advance_write_floor(ordinal=1).wait()
    engine.wait_task(engine.attach_ovstage(stage, read_ordinal=1))
    engine.wait_all()
    kind = TensorType.ARTICULATION_DOF_POSITION
    binding = engine.create_tensor_binding(pattern="/tree*", tensor_type=kind)
    return list(binding.dof_names), list(binding.body_names)


def usda(urdf: str) -> str:
    """The same robot in USD, joints in one scope, as Isaac's importers write them."""
    robot = ElementTree.fromstring(urdf)
    kinds = {"revolute": "Revolute", "continuous": "Revolute", "prismatic": "Prismatic"}
    text = '#usda 1.0\n(\n metersPerUnit = 1\n upAxis = "Z"\n)\ndef PhysicsScene "scene"\n{\n}\n'
    text += 'def Xform "tree" (\n prepend apiSchemas = ["PhysicsArticulationRootAPI"]\n)\n{\n'
    for link in robot.findall("link"):
        text += f'def Xform "{link.get("name")}" (\n'
        text += ' prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]\n)\n{\n'
        text += " float physics:mass = 1\n float3 physics:diagonalInertia = (1, 1, 1)\n}\n"
    text += 'def Scope "joints"\n{\n'
    for joint in robot.findall("joint"):
        parent, child = (joint.find(end).get("link") for end in ("parent", "child"))
        kind = kinds.get(joint.get("type"), "Fixed")
        text += f'def Physics{kind}Joint "{joint.get("name")}"\n{{\n'
        text += f" rel physics:body0 = </tree/{parent}>\n rel physics:body1 = </tree/{child}>\n"
        text += "" if kind == "Fixed" else ' uniform token physics:axis = "Z"\n'
        text += "}\n"
    return text + ('}\ndef PhysicsFixedJoint "held"\n{\n rel physics:body1 = </tree/base>\n}\n}\n')


# engine -> (module to import, package on PyPI, function)
ENGINES = {
    "mujoco": ("mujoco", "mujoco", mujoco),
    "drake": ("pydrake", "drake", drake),
    "pinocchio": ("pinocchio", "pin", pinocchio),
    "pybullet": ("pybullet", "pybullet", pybullet),
    "sapien": ("sapien", "sapien", sapien),
    "newton": ("newton", "newton", newton),
    "newton_usd": ("newton", "newton", newton_usd),
    "physx": ("ovphysx", "ovphysx", physx),
    "genesis": ("genesis", "genesis-world", genesis),
    "genesis_keep": ("genesis", "genesis-world", genesis_keep),
}
LIGHT = ("mujoco", "drake", "pinocchio", "pybullet")


def dump(urdf: str, engines=LIGHT) -> dict[str, dict]:
    """{engine: {"version": ..., "joints": [...], "bodies": [...]}} of what is installed here."""
    found = {}
    for name in engines:
        module, package, names = ENGINES[name]
        if importlib.util.find_spec(module) is not None:
            joints, bodies = names(urdf)
            version = importlib.metadata.version(package)
            found[name] = {"version": version, "joints": joints, "bodies": bodies}
    return found


if __name__ == "__main__":
    wanted = [word for word in sys.argv[1:] if word != "--write"] or LIGHT
    found = dump(TREE.read_text(), wanted)
    print(json.dumps(found, indent=1))
    if "--write" in sys.argv:
        known = json.loads(KNOWN.read_text()) if KNOWN.exists() else {}
        lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in (known | found).items()]
        KNOWN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
