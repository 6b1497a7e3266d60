"""What engines make of shapes that are written in their own parameters.

    python tests/engines/shapes.py drake usd          # prints what these say, as JSON
    python tests/engines/shapes.py --write drake      # and puts it into shapes.json

Each shape has a crooked frame in its body. Engines that have bodies of even density say its mass,
its centre of mass and its inertia about that, in the frame of the body. PyBullet says where rays
hit shapes, and PhysX (by SAPIEN) where they hit planes. USD and Genesis say what bounds shapes in
their own frames. From half or full lengths to the direction of an axis, nothing can be wrong and
these numbers right.
"""

import importlib.metadata
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np

KNOWN = Path(__file__).with_name("shapes.json")

DENSITY = 1000.0
POS = (0.3, -0.2, 0.5)
QUAT_WXYZ = (0.7, 0.1, -0.5, 0.5)  # of length 1
QUAT_XYZW = (*QUAT_WXYZ[1:], QUAT_WXYZ[0])


def rotation(quat_wxyz):
    w, x, y, z = quat_wxyz
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def entry(kind, params, quat, **said):
    said = {name: np.round(np.asarray(x, float), 12).tolist() for name, x in said.items()}
    return {"kind": kind, "params": params, "pos": POS, "quat": quat, **said}


def mujoco():
    import mujoco

    made = []
    for kind, size in (
        ("box", (0.1, 0.2, 0.3)), ("sphere", (0.15,)), ("capsule", (0.1, 0.25)),
        ("cylinder", (0.1, 0.25)), ("ellipsoid", (0.1, 0.2, 0.3)),
    ):  # fmt: skip
        words = [" ".join(map(repr, x)) for x in (size, POS, QUAT_WXYZ)]
        m = mujoco.MjModel.from_xml_string(
            f'<mujoco><worldbody><body><freejoint/><geom type="{kind}" size="{words[0]}"'
            f' pos="{words[1]}" quat="{words[2]}" density="{DENSITY}"/></body></worldbody></mujoco>'
        )
        R = rotation(m.body_iquat[1])
        inertia = R @ np.diag(m.body_inertia[1]) @ R.T
        made.append(entry(kind, {"size": size}, QUAT_WXYZ, mass=m.body_mass[1], com=m.body_ipos[1],
                          inertia=inertia))  # fmt: skip
    return made


def newton():
    import newton
    import warp as wp

    made = []
    for kind, params in (
        ("box", {"hx": 0.1, "hy": 0.2, "hz": 0.3}), ("sphere", {"radius": 0.15}),
        ("capsule", {"radius": 0.1, "half_height": 0.25}),
        ("cylinder", {"radius": 0.1, "half_height": 0.25}),
        ("cone", {"radius": 0.1, "half_height": 0.25}),
        ("ellipsoid", {"rx": 0.1, "ry": 0.2, "rz": 0.3}),
    ):  # fmt: skip
        builder = newton.ModelBuilder()
        body = builder.add_body()
        config = newton.ModelBuilder.ShapeConfig(density=DENSITY)
        frame = wp.transform(wp.vec3(*POS), wp.quat(*QUAT_XYZW))
        getattr(builder, f"add_shape_{kind}")(body, xform=frame, cfg=config, **params)
        inertia = np.array(builder.body_inertia[body]).reshape(3, 3)
        made.append(entry(kind, params, QUAT_XYZW, mass=builder.body_mass[body],
                          com=list(builder.body_com[body]), inertia=inertia))  # fmt: skip
    return made


def drake():
    from pydrake.common.eigen_geometry import Quaternion
    from pydrake.geometry import Box, Capsule, Cylinder, Ellipsoid, Sphere
    from pydrake.math import RotationMatrix
    from pydrake.multibody.tree import CalcSpatialInertia

    R = RotationMatrix(Quaternion(QUAT_WXYZ))
    made = []
    for kind, make, params in (
        ("box", Box, {"width": 0.2, "depth": 0.4, "height": 0.6}),
        ("sphere", Sphere, {"radius": 0.15}),
        ("capsule", Capsule, {"radius": 0.1, "length": 0.5}),
        ("cylinder", Cylinder, {"radius": 0.1, "length": 0.5}),
        ("ellipsoid", Ellipsoid, {"a": 0.1, "b": 0.2, "c": 0.3}),
    ):
        M_GGo_G = CalcSpatialInertia(make(**params), DENSITY)
        M_GGo_B = M_GGo_G.ReExpress(R)
        inertia = M_GGo_B.Shift(M_GGo_B.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
        made.append(entry(kind, params, QUAT_WXYZ, mass=M_GGo_B.get_mass(),
                          com=M_GGo_B.get_com() + POS, inertia=inertia))  # fmt: skip
    return made


def pinocchio():
    import coal

    R = rotation(QUAT_WXYZ)
    made = []
    for kind, make, params in (
        ("box", coal.Box, {"side": (0.2, 0.4, 0.6)}), ("sphere", coal.Sphere, {"radius": 0.15}),
        ("capsule", coal.Capsule, {"radius": 0.1, "lz": 0.5}),
        ("cylinder", coal.Cylinder, {"radius": 0.1, "lz": 0.5}),
        ("cone", coal.Cone, {"radius": 0.1, "lz": 0.5}),
        ("ellipsoid", coal.Ellipsoid, {"radii": (0.1, 0.2, 0.3)}),
    ):  # fmt: skip
        values = [x for v in params.values() for x in (v if isinstance(v, tuple) else (v,))]
        shape = make(*values)
        volume = shape.computeVolume()
        inertia = DENSITY * R @ shape.computeMomentofInertiaRelatedToCOM() @ R.T
        com = np.array(POS) + R @ np.reshape(shape.computeCOM(), 3)
        made.append(entry(kind, params, QUAT_XYZW, mass=DENSITY * volume, com=com, inertia=inertia))
    return made


def sapien():
    import sapien
    from sapien import physx

    system = physx.PhysxCpuSystem()
    material = physx.PhysxMaterial(0.5, 0.5, 0.0)
    made = []
    for kind, make, params in (
        ("box", physx.PhysxCollisionShapeBox, {"half_size": (0.1, 0.2, 0.3)}),
        ("sphere", physx.PhysxCollisionShapeSphere, {"radius": 0.15}),
        ("capsule", physx.PhysxCollisionShapeCapsule, {"radius": 0.1, "half_length": 0.25}),
        ("cylinder", physx.PhysxCollisionShapeCylinder, {"radius": 0.1, "half_length": 0.25}),
    ):
        shape = make(**params, material=material)
        shape.local_pose = sapien.Pose(POS, QUAT_WXYZ)
        shape.density = DENSITY
        body = physx.PhysxRigidDynamicComponent()
        body.attach(shape)
        R = rotation(body.cmass_local_pose.q)
        inertia = R @ np.diag(body.inertia) @ R.T
        made.append(entry(kind, params, QUAT_WXYZ, mass=body.mass, com=body.cmass_local_pose.p,
                          inertia=inertia))  # fmt: skip
    plane = physx.PhysxCollisionShapePlane(material)
    plane.local_pose = sapien.Pose(POS, QUAT_WXYZ)
    entity, ground = sapien.Entity(), physx.PhysxRigidStaticComponent()
    ground.attach(plane)
    entity.add_component(ground)
    scene = sapien.Scene([system])
    scene.add_entity(entity)

    def hit(start, end):
        start, way = np.array(start), np.subtract(end, start)
        length = np.linalg.norm(way)
        found = system.raycast(start, way / length, length)
        return None if found is None else found.distance / length

    made.append(entry("plane", {}, QUAT_WXYZ, hits=[hit(*ray) for ray in RAYS]))
    return made


# from above the plane through POS with any of the normals x, y, z of its frame, to below it
RAYS = tuple(
    (tuple((np.array(POS) + rotation(QUAT_WXYZ) @ (3.0 + a, 2.0 + b, 1.0 + c)).tolist()),
     tuple((np.array(POS) - rotation(QUAT_WXYZ) @ (1.0 - b, 2.0 + c, 3.0 + a)).tolist()))
    for a, b, c in ((0.0, 0.0, 0.0), (0.1, 0.3, -0.2), (-0.4, 0.2, 0.3))
)  # fmt: skip


def pybullet():
    """Where rays enter; from the fraction of the way that they go."""
    import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    made = []
    for kind, number, params in (
        ("box", pybullet.GEOM_BOX, {"halfExtents": (0.1, 0.2, 0.3)}),
        ("sphere", pybullet.GEOM_SPHERE, {"radius": 0.15}),
        ("capsule", pybullet.GEOM_CAPSULE, {"radius": 0.1, "height": 0.5}),
        ("cylinder", pybullet.GEOM_CYLINDER, {"radius": 0.1, "height": 0.5}),
        ("plane", pybullet.GEOM_PLANE, {"planeNormal": (0.0, 0.6, 0.8)}),
    ):
        shape = pybullet.createCollisionShape(
            number, collisionFramePosition=POS, collisionFrameOrientation=QUAT_XYZW, **params,
            physicsClientId=client,
        )  # fmt: skip
        body = pybullet.createMultiBody(0.0, shape, physicsClientId=client)
        hits = [pybullet.rayTest(*ray, physicsClientId=client)[0][2]
                for ray in (RAYS if kind == "plane" else INWARDS)]  # fmt: skip
        made.append(entry(kind, params, QUAT_XYZW, hits=hits))
        pybullet.removeBody(body, physicsClientId=client)
    pybullet.disconnect(client)
    return made


# along the three axes of the frame, a little beside its middle
INWARDS = tuple(
    (tuple((np.array(POS) + rotation(QUAT_WXYZ) @ np.add(away, beside)).tolist()),
     tuple((np.array(POS) + rotation(QUAT_WXYZ) @ np.array(beside)).tolist()))
    for away in ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))
    for beside in ((0.02, 0.03, -0.01),)
)  # fmt: skip


def usd():
    """The bound of each prim in its own frame, which tells sizes and axes."""
    from pxr import Gf, Usd, UsdGeom

    made = []
    for kind, make, params in (
        ("box", UsdGeom.Cube, {"size": 0.5, "scale": (0.4, 0.8, 1.2)}),
        ("sphere", UsdGeom.Sphere, {"radius": 0.15}),
        ("sphere", UsdGeom.Sphere, {"radius": 0.5, "scale": (0.2, 0.4, 0.6)}),
        ("capsule", UsdGeom.Capsule, {"radius": 0.1, "height": 0.5}),
        ("capsule", UsdGeom.Capsule, {"radius": 0.1, "height": 0.5, "axis": "Y"}),
        ("cylinder", UsdGeom.Cylinder, {"radius": 0.1, "height": 0.5, "axis": "X"}),
        ("cylinder", UsdGeom.Cylinder,
         {"radius": 0.2, "height": 0.25, "axis": "X", "scale": (2.0, 0.5, 0.5)}),
        ("cone", UsdGeom.Cone, {"radius": 0.1, "height": 0.5, "axis": "Z"}),
        ("plane", UsdGeom.Plane, {"width": 0.5, "length": 0.3}),
        ("plane", UsdGeom.Plane, {"width": 0.5, "length": 0.3, "axis": "X"}),
        ("plane", UsdGeom.Plane, {"width": 0.5, "length": 0.3, "axis": "Y"}),
    ):  # fmt: skip
        stage = Usd.Stage.CreateInMemory()
        prim = make.Define(stage, "/shape")
        for name, value in params.items():
            if name == "scale":
                prim.AddScaleOp().Set(Gf.Vec3f(*value))
            else:
                getattr(prim, f"Create{name.capitalize()}Attr")(value)
        cache = UsdGeom.BBoxCache(Usd.TimeCode.Default(), [UsdGeom.Tokens.default_])
        bound = cache.ComputeWorldBound(prim.GetPrim()).ComputeAlignedRange()
        made.append(entry(kind, params, QUAT_XYZW, low=bound.GetMin(), high=bound.GetMax()))
    return made


def genesis():
    """The bounds of its own meshes of them, in their frames."""
    import genesis as gs

    gs.init(backend=gs.cpu, logging_level="error")
    scene = gs.Scene(show_viewer=False)
    made = []
    for kind, make, params in (
        ("box", gs.morphs.Box, {"size": (0.2, 0.4, 0.6)}),
        ("sphere", gs.morphs.Sphere, {"radius": 0.15}),
        ("cylinder", gs.morphs.Cylinder, {"radius": 0.1, "height": 0.5}),
    ):
        low, high = scene.add_entity(make(**params)).geoms[0].get_trimesh().bounds
        made.append(entry(kind, params, QUAT_WXYZ, low=low, high=high))
    return made


# engine -> (module to import, package on PyPI, function)
ENGINES = {
    "mujoco": ("mujoco", "mujoco", mujoco),
    "newton": ("newton", "newton", newton),
    "drake": ("pydrake", "drake", drake),
    "pinocchio": ("coal", "coal", pinocchio),
    "sapien": ("sapien", "sapien", sapien),
    "pybullet": ("pybullet", "pybullet", pybullet),
    "usd": ("pxr", "usd-core", usd),
    "genesis": ("genesis", "genesis-world", genesis),
}
LIGHT = ("mujoco", "drake", "pinocchio", "pybullet", "usd")


def dump(engines=LIGHT):
    """{engine: {"version": ..., "shapes": [...]}} of what is installed here."""
    found = {}
    for name in engines:
        module, package, shapes = ENGINES[name]
        if importlib.util.find_spec(module) is not None:
            found[name] = {"version": importlib.metadata.version(package), "shapes": shapes()}
    return found


if __name__ == "__main__":
    wanted = [word for word in sys.argv[1:] if word != "--write"] or LIGHT
    found = dump(wanted)
    print(json.dumps(found, indent=1))
    if "--write" in sys.argv:
        known = json.loads(KNOWN.read_text()) if KNOWN.exists() else {}
        lines = []
        for name, said in (known | found).items():
            shapes = ",\n  ".join(map(json.dumps, said["shapes"]))
            lines.append(f'"{name}": {{"version": "{said["version"]}", "shapes": [\n  {shapes}]}}')
        KNOWN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
