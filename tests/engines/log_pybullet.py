"""PyBullet: getBasePositionAndOrientation and getBaseVelocity, which are of the centre of mass."""

import importlib.metadata

import crooked
import numpy as np
import pybullet as pb
import throw
from crooked import COM, MASS, MOMENTS, PRINCIPAL_ROTVEC, R_BI
from throw import GRAVITY, STATE, STEP, WEIGHTLESS


def thrown(gravity, **how):
    pb.resetSimulation()
    pb.setGravity(*gravity)
    pb.setTimeStep(STEP)
    axes = np.roll(crooked.quaternion(PRINCIPAL_ROTVEC), -1).tolist()
    b = pb.createMultiBody(baseMass=MASS, baseInertialFramePosition=COM.tolist(),
                           baseInertialFrameOrientation=axes)  # fmt: skip
    pb.changeDynamics(b, -1, localInertiaDiagonal=MOMENTS.tolist(), linearDamping=0.0,
                      angularDamping=0.0)  # fmt: skip
    q_WI = np.roll(crooked.quaternion_of(STATE.R @ R_BI), -1)
    pb.resetBasePositionAndOrientation(b, STATE.p_com.tolist(), q_WI.tolist())
    pb.resetBaseVelocity(b, STATE.v_com.tolist(), STATE.w.tolist())

    def read():
        return *pb.getBasePositionAndOrientation(b), np.concatenate(pb.getBaseVelocity(b))

    return throw.record(read, pb.stepSimulation, **how)


if __name__ == "__main__":
    pb.connect(pb.DIRECT)
    about = ("pybullet", importlib.metadata.version("pybullet"), "pybullet")
    throw.save("pybullet", thrown(GRAVITY), STEP, *about)
    throw.save("pybullet_weightless", thrown(WEIGHTLESS, samples=800), STEP, *about)
