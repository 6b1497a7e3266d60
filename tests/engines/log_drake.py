"""Drake: q and v of a floating body, with its own integrator and with discrete steps."""

import importlib.metadata

import crooked
import throw
from crooked import COM, MASS
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RotationalInertia, SpatialInertia
from pydrake.systems.analysis import Simulator
from throw import GRAVITY, STATE, STEP, WEIGHTLESS


def thrown(gravity, step, **how):
    plant = MultibodyPlant(step)
    central = RotationalInertia(*crooked.SIX)
    body = plant.AddRigidBody("b", SpatialInertia.MakeFromCentralInertia(MASS, COM, central))
    plant.mutable_gravity_field().set_gravity_vector(gravity)
    plant.Finalize()
    simulator = Simulator(plant)
    context = simulator.get_mutable_context()
    plant.SetFreeBodyPose(context, body, RigidTransform(RotationMatrix(STATE.R), STATE.p))
    plant.SetFreeBodySpatialVelocity(context, body, SpatialVelocity(w=STATE.w, v=STATE.v))
    simulator.Initialize()

    def read():
        q = plant.GetPositions(context)
        return q[4:], q[:4], plant.GetVelocities(context)

    number = 0

    def go_on():
        nonlocal number
        number += 1
        simulator.AdvanceTo(number * STEP)

    return throw.record(read, go_on, **how)


if __name__ == "__main__":
    about = ("drake", importlib.metadata.version("drake"), "drake")
    throw.save("drake", thrown(GRAVITY, 0.0), STEP, *about)
    throw.save("drake_discrete", thrown(GRAVITY, STEP), STEP, *about)
    throw.save("drake_weightless", thrown(WEIGHTLESS, 0.0, samples=800), STEP, *about)
