"""USD: a prim with xformOps, read back from its text and from its memory.

USD only stores numbers. The pose is its own (ComputeLocalToWorldTransform moves the points); what a
velocity means is up to whoever reads the stage, and is measured with PhysX in dump_ovphysx.py. Here
it is written as PhysX reads it: of the centre of mass, in world axes, degrees a second.
"""

import re

import crooked
import numpy as np
from crooked import POINTS, STATES
from pxr import Gf, Usd, UsdGeom, UsdPhysics, Vt

WRITTEN = [
    "pose_layout",
    "order",
    "velocity_point",
    "linear_basis",
    "angular_basis",
    "angular_unit",
]
VERSION = ".".join(str(n) for n in Usd.GetVersion()[1:])


def one(state):
    stage = Usd.Stage.CreateInMemory()
    prim = UsdGeom.Xform.Define(stage, "/b")
    prim.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*state.p))
    orient = prim.AddOrientOp(UsdGeom.XformOp.PrecisionDouble)
    orient.Set(Gf.Quatd(*state.q))  # the constructor takes w, x, y, z
    body = UsdPhysics.RigidBodyAPI.Apply(prim.GetPrim())
    body.CreateVelocityAttr(Gf.Vec3f(*state.v_com))
    body.CreateAngularVelocityAttr(Gf.Vec3f(*np.rad2deg(state.w)))

    M = prim.ComputeLocalToWorldTransform(Usd.TimeCode.Default())
    points = [M.Transform(Gf.Vec3d(*x)) for x in POINTS]
    memory = np.array(Vt.QuatdArray([orient.Get()]))[0]
    words = re.search(r"xformOp:orient = \((.*)\)", stage.GetRootLayer().ExportToString())[1]
    return crooked.record(
        [*M.ExtractTranslation(), *memory],
        [*body.GetVelocityAttr().Get(), *body.GetAngularVelocityAttr().Get()],
        points, None, matrix=np.array(M)[:3, :3],
        quaternion_text=[float(x) for x in words.split(",")],
    )  # fmt: skip


def dump():
    stage = Usd.Stage.CreateInMemory()
    return crooked.fixture(
        "usd-core", VERSION, "usd", [one(s) for s in STATES], single=["v"], written=WRITTEN,
        up=UsdGeom.GetStageUpAxis(stage).lower(),
        meters_per_unit=UsdGeom.GetStageMetersPerUnit(stage),
    )  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "usd")
