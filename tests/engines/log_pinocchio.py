"""Pinocchio: q and v of a free flyer, accelerated by aba and moved by integrate."""

import numpy as np
import pinocchio as pin
import throw
from crooked import COM, INERTIA, MASS
from throw import GRAVITY, STATE, STEP, WEIGHTLESS


def thrown(gravity, **how):
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "b")
    model.appendBodyToJoint(joint, pin.Inertia(MASS, COM, INERTIA), pin.SE3.Identity())
    model.gravity.linear = np.array(gravity)
    data = model.createData()
    q = pin.neutral(model)
    q[:3], q[3:] = STATE.p, pin.Quaternion(*STATE.q).coeffs()
    v = np.r_[STATE.R.T @ STATE.v, STATE.R.T @ STATE.w]

    def go_on():
        v[:] = v + STEP * pin.aba(model, data, q, v, np.zeros(6))
        q[:] = pin.integrate(model, q, STEP * v)

    return throw.record(lambda: (q[:3], q[3:], v), go_on, **how)


if __name__ == "__main__":
    about = ("pin", pin.__version__, "pinocchio")
    throw.save("pinocchio", thrown(GRAVITY), STEP, *about)
    throw.save("pinocchio_weightless", thrown(WEIGHTLESS, samples=800), STEP, *about)
