"""Pinocchio: q, v, tau and external forces of a free flyer; points are frames of the model."""

import crooked
import numpy as np
import pinocchio as pin
from crooked import COM, INERTIA, MASS, POINTS, STATES

ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


def model_and_frames():
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "b")
    model.appendBodyToJoint(joint, pin.Inertia(MASS, COM, INERTIA), pin.SE3.Identity())
    frames = [model.addFrame(pin.Frame(f"s{k}", joint, pin.SE3(np.eye(3), x), pin.OP_FRAME))
              for k, x in enumerate(POINTS)]  # fmt: skip
    gravity = model.gravity.linear.tolist()
    model.gravity.linear = np.zeros(3)
    return model, frames, gravity


def accelerations(model, frames, q, tau, fext):
    """Of the points, at rest. Accelerations of Pinocchio are spatial unless one asks."""
    data = model.createData()
    at_rest = np.zeros(6)
    forces = pin.StdVec_Force()
    for f in (np.zeros(6), fext):
        forces.append(pin.Force(f))
    a = pin.aba(model, data, q, at_rest, tau, forces)
    pin.forwardKinematics(model, data, q, at_rest, a)
    return [pin.getFrameClassicalAcceleration(model, data, k, ALIGNED).linear for k in frames]


def one(model, frames, state):
    q = pin.neutral(model)
    q[:3] = state.p
    q[3:] = pin.Quaternion(*state.q).coeffs()  # the constructor takes w, x, y, z
    v = np.r_[state.R.T @ state.v, state.R.T @ state.w]
    data = model.createData()
    pin.forwardKinematics(model, data, q, v)
    pin.updateFramePlacements(model, data)
    points = [data.oMf[k].translation for k in frames]
    velocities = [pin.getFrameVelocity(model, data, k, ALIGNED).linear for k in frames]
    R = data.oMi[1].rotation

    wrench = np.r_[state.R.T @ state.f, state.R.T @ state.t_origin]
    by_wrench = accelerations(model, frames, q, np.zeros(6), wrench)
    by_force = accelerations(model, frames, q, wrench, np.zeros(6))
    return crooked.record(q, v, points, velocities, matrix=R, quaternion_text=state.q,
                          wrench=(wrench, by_wrench), free_force=(wrench, by_force))  # fmt: skip


def dump():
    model, frames, gravity = model_and_frames()
    return crooked.fixture("pin", pin.__version__, "pinocchio",
                           [one(model, frames, s) for s in STATES], gravity=gravity)  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "pinocchio")
