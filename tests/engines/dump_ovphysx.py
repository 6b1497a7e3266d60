"""PhysX 5 by ovphysx: rigid bodies of a USD stage, through its tensors. Single precision.

Bodies of one stage: for each state one whose velocity is set by the tensor, one that is set to its
opposite, and the same from the attributes physics:velocity and physics:angularVelocity; and two at
rest with the wrench and its opposite. After one step the central differences of the points are
their velocities and accelerations. Poses of the tensor are turned into points by Gf, of USD.

Two fixtures: physx, the tensors; usd_physx, the attributes, which say what USD's numbers mean to
PhysX.
"""

import importlib.metadata
import tempfile
from pathlib import Path

import crooked
import numpy as np
import ovphysx
import ovstage
from crooked import COM, MASS, MOMENTS, POINTS, PRINCIPAL_ROTVEC, STATES
from ovphysx.samples.python_samples.schema_support import physx_schema_paths
from ovphysx.types import TensorType
from pxr import Gf

STEP = 5e-3  # for velocities
PUSH = 4e-2  # for accelerations

# the other solver, TGS, pushes in parts of a step, so that points move by half as much
HEAD = """#usda 1.0
(
  metersPerUnit = 1
  kilogramsPerUnit = 1
  upAxis = "Z"
)
def PhysicsScene "scene" (
  prepend apiSchemas = ["PhysxSceneAPI"]
) {
  uniform token physxScene:solverType = "PGS"
  vector3f physics:gravityDirection = (0, 0, -1)
  float physics:gravityMagnitude = 0
}
def Xform "World" {
"""


def words(numbers):
    return f"({', '.join(repr(float(x)) for x in numbers)})"


def prim(name, state, v, w):
    """A body; w in degrees a second"""
    return f"""def Xform "{name}" (
  prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"] ) {{
  double3 xformOp:translate = {words(state.p)}
  quatd xformOp:orient = {words(state.q)}
  uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
  vector3f physics:velocity = {words(v)}
  vector3f physics:angularVelocity = {words(w)}
  float physics:mass = {MASS}
  point3f physics:centerOfMass = {words(COM)}
  float3 physics:diagonalInertia = {words(MOMENTS)}
  quatf physics:principalAxes = {words(crooked.quaternion(PRINCIPAL_ROTVEC))}
  float physxRigidBody:angularDamping = 0
  float physxRigidBody:linearDamping = 0
  float physxRigidBody:sleepThreshold = 0
}}
"""


def points_of(pose):
    x, y, z, w = map(float, pose[3:])
    turn = Gf.Rotation(Gf.Quatd(w, x, y, z))
    return np.array([turn.TransformDir(Gf.Vec3d(*x)) for x in POINTS]) + pose[:3].astype(float)


class World:
    """The bodies of a stage in PhysX"""

    def __init__(self, text, folder, name):
        path = Path(folder) / f"{name}.usda"
        path.write_text(HEAD + text + "}\n")
        self.stage = ovstage.Stage(name)
        ovstage.population.open_usd(self.stage, str(path), ordinal=1,
                                    domains=ovstage.PopulationDomain.ALL)  # fmt: skip
        self.stage.advance_write_floor(ordinal=1).wait()
        self.physx = ovphysx.PhysX()
        self.physx.wait_task(self.physx.attach_ovstage(self.stage, read_ordinal=1))
        self.physx.wait_all()
        self.bound = {}

    def tensor(self, kind):
        if kind not in self.bound:
            self.bound[kind] = self.physx.create_tensor_binding("/World/*", tensor_type=kind)
        return self.bound[kind]

    def read(self, kind):
        binding = self.tensor(kind)
        numbers = np.zeros(binding.shape, np.float32)
        binding.read(numbers)
        return numbers

    def write(self, kind, numbers):
        self.tensor(kind).write(np.ascontiguousarray(numbers, np.float32))

    def step(self, dt):
        self.physx.step(dt)
        self.physx.wait_all()

    def names(self):
        return self.tensor(TensorType.RIGID_BODY_POSE).prim_paths

    def close(self):
        for binding in self.bound.values():
            binding.destroy()
        self.physx.wait_task(self.physx.detach_ovstage())
        self.stage.destroy()
        self.physx.destroy()


def run(folder, name, authored):
    """One step of bodies 2k and 2k + 1, which move in opposite ways: (poses, velocities, points)"""
    text, zero = "", np.zeros(3)
    for k, state in enumerate(STATES):
        for sign, letter in ((1, "a"), (-1, "b")):
            v, w = (sign * state.v_com, sign * np.rad2deg(state.w)) if authored else (zero, zero)
            text += prim(f"b{k}{letter}", state, v, w)
    world = World(text, folder, name)
    if name == "tensor":
        rows = [sign * np.r_[s.v_com, s.w] for s in STATES for sign in (1, -1)]
        world.write(TensorType.RIGID_BODY_VELOCITY, rows)
    if name == "wrench":
        rows = [np.r_[sign * s.f, sign * s.t, s.p_com] for s in STATES for sign in (1, -1)]
        world.write(TensorType.RIGID_BODY_WRENCH, rows)
    poses, velocities = (world.read(kind) for kind in (
        TensorType.RIGID_BODY_POSE, TensorType.RIGID_BODY_VELOCITY))  # fmt: skip
    step = PUSH if name == "wrench" else STEP
    world.step(step)
    after = [points_of(pose) for pose in world.read(TensorType.RIGID_BODY_POSE)]
    world.close()
    rates = [(a - b) / (2 * step) for a, b in zip(after[::2], after[1::2], strict=True)]
    return poses[::2], velocities[::2], rates


def dump():
    ovphysx.PhysX.set_cpu_mode(True)
    ovstage.population.register_usd_schemas(
        [*map(str, physx_schema_paths()), str(ovphysx.newton_schema_root())]
    )
    with tempfile.TemporaryDirectory() as folder:
        poses, v, rates = run(folder, "tensor", authored=False)
        _, v_read, rates_authored = run(folder, "authored", authored=True)
        _, _, pushes = run(folder, "wrench", authored=False)
    tensors, attributes = [], []
    for k, state in enumerate(STATES):
        wrench = np.r_[state.f, state.t]
        tensors.append(crooked.record(poses[k], v[k], points_of(poses[k]), rates[k],
                                      wrench=(wrench, pushes[k] / PUSH)))  # fmt: skip
        numbers = np.r_[state.v_com, np.rad2deg(state.w)]
        attributes.append(crooked.record(poses[k], numbers, points_of(poses[k]),
                                         rates_authored[k], v_physx=v_read[k]))  # fmt: skip
    version = importlib.metadata.version("ovphysx")
    good = {"tolerance": 1e-5, "difference": 2e-3}
    written = ["pose_layout", "order", "quaternion"]
    return {
        "physx": crooked.fixture("ovphysx", version, "physx", tensors, **good),
        "usd_physx": crooked.fixture(
            "ovphysx", version, "usd", attributes, written=written, **good
        ),
    }


if __name__ == "__main__":
    crooked.main(dump, "physx")
