"""SAPIEN (PhysX 5): pose and velocities of a dynamic component. Single precision."""

import importlib.metadata

import crooked
import numpy as np
import sapien
import throw
from crooked import COM, MASS, MOMENTS, PRINCIPAL_ROTVEC
from throw import GRAVITY, STATE, STEP, WEIGHTLESS


def thrown(gravity, **how):
    config = sapien.physx.PhysxSceneConfig()
    config.gravity = np.array(gravity)
    sapien.physx.set_scene_config(config)
    scene = sapien.Scene([sapien.physx.PhysxCpuSystem()])
    scene.set_timestep(STEP)
    body, entity = sapien.physx.PhysxRigidDynamicComponent(), sapien.Entity()
    entity.add_component(body)
    scene.add_entity(entity)
    body.set_mass(MASS)
    body.set_cmass_local_pose(sapien.Pose(COM, crooked.quaternion(PRINCIPAL_ROTVEC)))
    body.set_inertia(MOMENTS)
    body.linear_damping = body.angular_damping = 0.0
    entity.set_pose(sapien.Pose(STATE.p, STATE.q))
    body.set_linear_velocity(STATE.v_com)
    body.set_angular_velocity(STATE.w)

    def read():
        return entity.pose.p, entity.pose.q, np.r_[body.linear_velocity, body.angular_velocity]

    return throw.record(read, scene.step, **how)


if __name__ == "__main__":
    about = ("sapien", importlib.metadata.version("sapien"), "sapien")
    throw.save("sapien", thrown(GRAVITY), STEP, *about)
    throw.save("sapien_weightless", thrown(WEIGHTLESS, samples=800), STEP, *about)
