"""PyBullet: position, orientation and velocity of a base; points are links welded to it.

createMultiBody takes the body's own frame; resetBasePositionAndOrientation and
getBasePositionAndOrientation mean the centre of mass and the principal axes. The links have no mass
and are placed by the frame of the body, so where they come out is PyBullet's own answer. It has no
accelerations: the body is pushed from rest through one step, and the links' velocities are divided
by its length.
"""

import importlib.metadata

import crooked
import numpy as np
import pybullet as pb
from crooked import COM, MASS, MOMENTS, POINTS, PRINCIPAL_ROTVEC, R_BI, STATES

STEP = 1e-5
NONE = [0.0, 0.0, 0.0]
LEVEL = [0.0, 0.0, 0.0, 1.0]


def xyzw(wxyz):
    return np.roll(wxyz, -1).tolist()


def body():
    pb.resetSimulation()
    pb.setGravity(0, 0, 0)
    pb.setTimeStep(STEP)
    n = len(POINTS)
    b = pb.createMultiBody(
        baseMass=MASS, baseInertialFramePosition=COM.tolist(),
        baseInertialFrameOrientation=xyzw(crooked.quaternion(PRINCIPAL_ROTVEC)),
        linkMasses=[0.0] * n, linkCollisionShapeIndices=[-1] * n, linkVisualShapeIndices=[-1] * n,
        linkPositions=POINTS.tolist(), linkOrientations=[LEVEL] * n,
        linkInertialFramePositions=[NONE] * n, linkInertialFrameOrientations=[LEVEL] * n,
        linkParentIndices=[0] * n, linkJointTypes=[pb.JOINT_FIXED] * n, linkJointAxis=[NONE] * n,
    )  # fmt: skip
    pb.changeDynamics(b, -1, localInertiaDiagonal=MOMENTS.tolist(), linearDamping=0.0,
                      angularDamping=0.0)  # fmt: skip
    return b


def links(b, what):
    """Positions (0) or velocities (6) of the points; positions of link frames (4) are float32."""
    return [pb.getLinkState(b, k, computeLinkVelocity=1, computeForwardKinematics=1)[what]
            for k in range(len(POINTS))]  # fmt: skip


def one(state):
    q_WI = crooked.quaternion_of(state.R @ R_BI)
    b = body()
    pb.resetBasePositionAndOrientation(b, state.p_com.tolist(), xyzw(q_WI))
    pb.resetBaseVelocity(b, state.v_com.tolist(), state.w.tolist())
    p, q_xyzw = pb.getBasePositionAndOrientation(b)
    v, w = pb.getBaseVelocity(b)
    points, velocities = links(b, 0), links(b, 6)
    R = np.array(pb.getMatrixFromQuaternion(q_xyzw)).reshape(3, 3)

    pb.resetBaseVelocity(b, NONE, NONE)
    pb.applyExternalForce(b, -1, state.f.tolist(), p, pb.WORLD_FRAME)
    pb.applyExternalTorque(b, -1, state.t.tolist(), pb.WORLD_FRAME)
    pb.stepSimulation()
    by_wrench = np.array(links(b, 6)) / STEP
    wrench = [*state.f, *state.t]
    return crooked.record([*p, *q_xyzw], [*v, *w], points, velocities, matrix=R,
                          quaternion_text=q_xyzw, wrench=(wrench, by_wrench))  # fmt: skip


def dump():
    pb.connect(pb.DIRECT)
    return crooked.fixture("pybullet", importlib.metadata.version("pybullet"), "pybullet",
                           [one(s) for s in STATES], difference=1e-8)  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "pybullet")
