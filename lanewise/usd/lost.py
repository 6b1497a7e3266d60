"""What nothing here reads: schemas of soft bodies are refused, others are named."""

import re
from typing import Any

from .losses import Findings
from .stage_values import schemas

# API schemas by how they begin
READ = (
    "PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "PhysicsMassAPI",
    "PhysicsMaterialAPI", "PhysicsArticulationRootAPI", "PhysicsDriveAPI:", "PhysicsLimitAPI:",
    "PhysicsFilteredPairsAPI", "MjcSceneAPI", "MjcSiteAPI", "MjcImageableAPI", "MjcCollisionAPI",
    "MjcMeshCollisionAPI", "MjcJointAPI", "MjcMaterialAPI", "MjcEquality", "NewtonJointAPI",
    "NewtonMaterialAPI", "NewtonMimicAPI", "NewtonSceneAPI", "NewtonArticulationRootAPI",
    "NewtonCollisionAPI", "NewtonMeshCollisionAPI", "NewtonSiteAPI", "NewtonMassAPI",
)  # fmt: skip
# other schemas of physics; those of PhysX that only carry attributes are named by these (PHYSX),
# and some have nothing to do with a motion, or only with how another engine computes it
OTHERS = re.compile(
    r"(Physx|Physics|Newton|Mjc)(?!JointStateAPI|Trigger|ContactReport|SceneAPI|KaminoScene"
    r"|XpbdScene|ConvexHull|TriangleMesh|CookedData|Tensor|RigidBodyAPI|JointAPI|LimitAPI|CollisionAPI"
    r"|MaterialAPI|ArticulationAPI|MimicJointAPI)"
)
SOFT = re.compile(
    r"(Deformable|Particle|Cloth|MPM|SoftBody|PhysxVehicle|PhysxForceAPI|SurfaceVelocity)"
)
# types of prims that move something and that nobody here reads
MOVERS = re.compile(r"^(Physx|NewtonActuator|PhysicsAttachment|OmniPhysics|TetMesh)")
# attributes of PhysX that change a motion; of others only how it is computed
PHYSX = re.compile(
    r"^physx(RigidBody:(linearDamping|angularDamping|max(Linear|Angular)Velocity"
    r"|lockedPosAxis|lockedRotAxis)|Joint:(jointFriction|maxJointVelocity)|Limit:.*"
    r"|Material:.*|Tendon.*|Collision:(contactOffset|restOffset)|Vehicle.*)"
)

# PhysicsJointStateAPI, which engines write where they stopped
STATE = re.compile(r"^state:.*:physics:(position|velocity)$")


def name_lost(prims: list[Any], findings: Findings) -> None:
    """Refuse and name what is on a stage and not in the model, as far as prims say it."""
    for prim in prims:
        kind = str(prim.GetTypeName())
        if kind == "PointInstancer" and _has_bodies(prim):
            findings.refuse(kind, prim)
        elif kind == "PointInstancer" or MOVERS.match(kind):
            findings.name(f"{kind}, which is not read", prim)
        for schema in schemas(prim):
            if SOFT.search(schema):
                findings.refuse(schema, prim)
            elif OTHERS.match(schema) and not schema.startswith(READ):
                findings.name(f"{schema}, which is not read", prim)
        for attribute in prim.GetAuthoredAttributes():
            name = attribute.GetName()
            if PHYSX.match(name) and _matters(attribute.Get()):
                first, *_, last = name.split(":")
                findings.name(f"{first}:{last}, which is not read", prim)
            elif STATE.match(name) and _matters(attribute.Get()):
                findings.name("states of joints: they start as bodies are drawn", prim)
        if any(op.GetNumTimeSamples() > 1 for op in _moves(prim)):
            findings.name("poses that change in time: the first is taken", prim)


def _matters(found):
    """Whether a number is neither 0 nor so large that it stands for no bound."""
    return bool(found) and not (isinstance(found, float) and abs(found) >= 1e6)


def _has_bodies(prim):
    stage = prim.GetStage()
    for path in prim.GetRelationship("prototypes").GetForwardedTargets():
        prototype = stage.GetPrimAtPath(path)
        if prototype and "PhysicsRigidBodyAPI" in schemas(prototype):
            return True
    return False


def _moves(prim):
    from pxr import UsdGeom

    form = UsdGeom.Xformable(prim)
    return form.GetOrderedXformOps() if form else []
