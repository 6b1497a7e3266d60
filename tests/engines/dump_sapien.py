"""SAPIEN: pose, velocities and add_force_torque of a dynamic component (PhysX 5). Single precision.

Points are placed by its own poses, and their velocities are central differences: one step with the
velocity, one with its opposite. Accelerations likewise: one step from rest with the wrench, one
with its opposite.
"""

import importlib.metadata

import crooked
import numpy as np
import sapien
from crooked import COM, MASS, MOMENTS, POINTS, PRINCIPAL_ROTVEC, STATES

STEP = 5e-3  # for velocities
PUSH = 4e-2  # for accelerations: the points move by PUSH^2 times them


def scene_and_body(step):
    config = sapien.physx.PhysxSceneConfig()
    gravity = np.array(config.gravity).tolist()
    config.gravity = np.zeros(3)
    sapien.physx.set_scene_config(config)
    scene = sapien.Scene([sapien.physx.PhysxCpuSystem()])
    scene.set_timestep(step)
    body = sapien.physx.PhysxRigidDynamicComponent()
    entity = sapien.Entity()
    entity.add_component(body)
    scene.add_entity(entity)
    body.set_mass(MASS)
    body.set_cmass_local_pose(sapien.Pose(COM, crooked.quaternion(PRINCIPAL_ROTVEC)))
    body.set_inertia(MOMENTS)
    body.linear_damping = body.angular_damping = 0.0
    return scene, entity, body, gravity


def points_of(entity):
    return np.array([(entity.pose * sapien.Pose(x)).p for x in POINTS], float)


def moved(step, state, v=(0, 0, 0), w=(0, 0, 0), wrench=None):
    """The points after one step"""
    scene, entity, body, _ = scene_and_body(step)
    entity.set_pose(sapien.Pose(state.p, state.q))
    body.set_linear_velocity(np.asarray(v))
    body.set_angular_velocity(np.asarray(w))
    if wrench is not None:
        body.add_force_torque(wrench[:3], wrench[3:])
    scene.step()
    return points_of(entity)


def one(state):
    _scene, entity, body, _ = scene_and_body(STEP)
    entity.set_pose(sapien.Pose(state.p, state.q))
    body.set_linear_velocity(state.v_com)
    body.set_angular_velocity(state.w)
    q = np.r_[entity.pose.p, entity.pose.q]
    v = np.r_[body.linear_velocity, body.angular_velocity]
    there = [moved(STEP, state, s * state.v_com, s * state.w) for s in (1, -1)]
    wrench = np.r_[state.f, state.t]
    pushed = [moved(PUSH, state, wrench=s * wrench) for s in (1, -1)]
    return crooked.record(
        q, v, points_of(entity), (there[0] - there[1]) / (2 * STEP),
        matrix=entity.pose.to_transformation_matrix()[:3, :3], quaternion_text=entity.pose.q,
        wrench=(wrench, (pushed[0] - pushed[1]) / (2 * PUSH**2)),
    )  # fmt: skip


def dump():
    gravity = scene_and_body(STEP)[3]
    return crooked.fixture("sapien", importlib.metadata.version("sapien"), "sapien",
                           [one(s) for s in STATES], tolerance=1e-5, difference=2e-3,
                           gravity=gravity)  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "sapien")
