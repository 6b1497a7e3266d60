"""PhysX's own numbers for the robot of bridge_robot.py, for lanewise.bridges.isaaclab.

Isaac Lab passes on what PhysX says, and cannot be installed without a GPU. SAPIEN runs the same
PhysX on a CPU: it loads the URDF, gets random states (poses of link frames, the velocity of the
root's centre of mass), and says where all links are and how fast. Then forces in the axes of the
links push it from rest through one short step. The numbers are kept in bridge_physx.json.

    python tests/engines/bridge_physx.py           # needs sapien; writes the file
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import sapien

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from support import bridge_robot

OUT = Path(__file__).with_suffix(".json")
STEP = 1e-3


def load(fixed):
    system = sapien.physx.PhysxCpuSystem()
    scene = sapien.Scene([system])
    system.timestep = STEP
    system.config.gravity = [0, 0, 0]
    loader = scene.create_urdf_loader()
    loader.fix_root_link = fixed
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(bridge_robot.urdf())
        robot = loader.load(str(path))
    for joint in robot.get_active_joints():
        joint.set_drive_properties(0, 0)
        joint.set_friction(0)
    for link in robot.get_links():
        link.linear_damping = link.angular_damping = 0.0
        link.disable_gravity = True
    return scene, robot


def pose(x):
    return [*x.p.tolist(), *x.q.tolist()]


def digits(x):
    """As many as single precision has."""
    if isinstance(x, (list, tuple, dict)):
        items = x.items() if isinstance(x, dict) else enumerate(x)
        made = {k: digits(v) for k, v in items}
        return made if isinstance(x, dict) else list(made.values())
    return float(f"{x:.9g}") if isinstance(x, float) else x


def one(seed, fixed):
    rng = np.random.default_rng(seed)
    scene, robot = load(fixed)
    links, n = robot.get_links(), robot.dof
    quat = rng.normal(size=4)
    robot.set_root_pose(sapien.Pose(rng.normal(size=3), quat / np.linalg.norm(quat)))
    robot.set_qpos(rng.uniform(-1.2, 1.2, n).astype(np.float32))
    made = {
        "root_pose": pose(robot.get_root_pose()), "joint_pos": robot.get_qpos().tolist(),
        "joint_names": [j.name for j in robot.get_active_joints()],
        "body_names": [link.name for link in links],
        "com_quat": [link.cmass_local_pose.q.tolist() for link in links],
        "com_pose": [pose(link.entity_pose * link.cmass_local_pose) for link in links],
    }  # fmt: skip

    forces, torques = rng.normal(size=(2, len(links), 3))
    efforts = rng.normal(size=n)
    for link, f, t in zip(links, forces, torques):
        R = link.entity_pose.to_transformation_matrix()[:3, :3]
        link.add_force_torque((R @ f).astype(np.float32), (R @ t).astype(np.float32))
    robot.set_qf(efforts.astype(np.float32))
    scene.step()
    made |= {"forces_b": forces.tolist(), "torques_b": torques.tolist(),
             "joint_effort": efforts.tolist(), "joint_acc": (robot.get_qvel() / STEP).tolist(),
             "root_acc": [*(links[0].linear_velocity / STEP).tolist(),
                          *(links[0].angular_velocity / STEP).tolist()]}  # fmt: skip

    robot.set_root_pose(sapien.Pose(made["root_pose"][:3], made["root_pose"][3:]))
    robot.set_qpos(np.array(made["joint_pos"], np.float32))
    if not fixed:
        robot.set_root_linear_velocity(rng.normal(size=3))
        robot.set_root_angular_velocity(rng.normal(size=3))
    robot.set_qvel(rng.normal(size=n).astype(np.float32))
    made |= {
        "root_vel": [*robot.root_linear_velocity.tolist(), *robot.root_angular_velocity.tolist()],
        "joint_vel": robot.get_qvel().tolist(),
        "body_pose": [pose(link.entity_pose) for link in links],
        "body_vel": [[*link.linear_velocity.tolist(), *link.angular_velocity.tolist()]
                     for link in links],
    }  # fmt: skip
    return made


def main():
    made = {
        "script": Path(__file__).name, "engine": "sapien", "version": sapien.__version__,
        "step": STEP, "floating": [one(k, False) for k in range(3)],
        "fixed": [one(k, True) for k in range(3)],
    }  # fmt: skip
    OUT.write_text(json.dumps(digits(made)) + "\n")


if __name__ == "__main__":
    main()
