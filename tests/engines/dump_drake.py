"""Drake: positions and velocities of a floating body, spatial and generalized forces.

The state is set with SetFreeBodyPose and SetFreeBodySpatialVelocity and read as q and v. Points are
frames fixed to the body.
"""

import importlib.metadata

import crooked
import numpy as np
from crooked import COM, MASS, POINTS, STATES
from pydrake.common.eigen_geometry import Quaternion
from pydrake.common.value import Value
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialForce, SpatialVelocity
from pydrake.multibody.plant import ExternallyAppliedSpatialForce, MultibodyPlant
from pydrake.multibody.tree import FixedOffsetFrame, RotationalInertia, SpatialInertia


def plant_and_frames():
    plant = MultibodyPlant(0.0)
    central = RotationalInertia(*crooked.SIX)
    body = plant.AddRigidBody("b", SpatialInertia.MakeFromCentralInertia(MASS, COM, central))
    frames = [plant.AddFrame(FixedOffsetFrame(f"s{k}", body.body_frame(), RigidTransform(x)))
              for k, x in enumerate(POINTS)]  # fmt: skip
    gravity = plant.gravity_field().gravity_vector().tolist()
    plant.mutable_gravity_field().set_gravity_vector(np.zeros(3))
    plant.Finalize()
    return plant, body, frames, gravity


def placed(plant, body, state):
    context = plant.CreateDefaultContext()
    X_WB = RigidTransform(RotationMatrix(state.R), state.p)
    plant.SetFreeBodyPose(context, body, X_WB)
    plant.get_applied_spatial_force_input_port().FixValue(
        context, Value[list[ExternallyAppliedSpatialForce]]([])
    )
    return context


def accelerations(context, frames):
    return [frame.CalcSpatialAccelerationInWorld(context).translational() for frame in frames]


def one(plant, body, frames, state):
    context = placed(plant, body, state)
    plant.SetFreeBodySpatialVelocity(context, body, SpatialVelocity(w=state.w, v=state.v))
    q, v = plant.GetPositions(context), plant.GetVelocities(context)
    points = [frame.CalcPoseInWorld(context).translation() for frame in frames]
    velocities = [frame.CalcSpatialVelocityInWorld(context).translational() for frame in frames]
    R = plant.EvalBodyPoseInWorld(context, body).rotation().matrix()

    wrench = np.r_[state.t_origin, state.f]
    context = placed(plant, body, state)
    applied = ExternallyAppliedSpatialForce()
    applied.body_index = body.index()
    applied.p_BoBq_B = np.zeros(3)
    applied.F_Bq_W = SpatialForce(wrench)
    plant.get_applied_spatial_force_input_port().FixValue(
        context, Value[list[ExternallyAppliedSpatialForce]]([applied])
    )
    by_wrench = accelerations(context, frames)

    context = placed(plant, body, state)
    plant.get_applied_generalized_force_input_port().FixValue(context, wrench)
    by_force = accelerations(context, frames)

    assert np.allclose(Quaternion(*state.q).rotation(), state.R)  # so Quaternion(w, x, y, z)
    return crooked.record(q, v, points, velocities, matrix=R, quaternion_text=state.q,
                          wrench=(wrench, by_wrench), free_force=(wrench, by_force))  # fmt: skip


def dump():
    *made, gravity = plant_and_frames()
    return crooked.fixture("drake", importlib.metadata.version("drake"), "drake",
                           [one(*made, s) for s in STATES], gravity=gravity)  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "drake")
