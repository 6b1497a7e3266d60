"""Newton's own numbers for the robots of bridge_robot.py, for lanewise.bridges.newton.

Newton imports the MJCF, gets random joint coordinates, velocities and forces in its own arrays, and
says itself where that brings all bodies (eval_fk) and what it means to MuJoCo (SolverMuJoCo). It is
too heavy to be installed for every test: the numbers are kept in bridge_newton.json.

    python tests/engines/bridge_newton.py          # needs newton[sim]; writes the file
"""

import json
import sys
from pathlib import Path

import newton
import numpy as np
import warp as wp
from newton.solvers import SolverMuJoCo

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from support import bridge_robot

OUT = Path(__file__).with_suffix(".json")
ROBOTS = {
    "floating": bridge_robot.mjcf(),
    "fixed": bridge_robot.mjcf("fixed"),
    "scene": bridge_robot.SCENE,
    "several": bridge_robot.SEVERAL,
}


def random_coordinates(model, rng):
    q = rng.uniform(-1.2, 1.2, model.joint_coord_count)
    starts, kinds = model.joint_q_start.numpy(), model.joint_type.numpy()
    for start, kind in zip(starts, kinds):
        if kind in (newton.JointType.FREE, newton.JointType.BALL):
            k = start + (3 if kind == newton.JointType.FREE else 0)
            quat = rng.normal(size=4)
            q[k : k + 4] = quat / np.linalg.norm(quat)
    return q.astype(np.float32)


def digits(x):
    """As many as single precision has."""
    return np.vectorize(lambda v: float(f"{v:.9g}"))(x).tolist()


def one(text, seed):
    rng = np.random.default_rng(seed)
    builder = newton.ModelBuilder(gravity=wp.vec3(0.0, 0.0, 0.0))
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(text)
    model = builder.finalize(device="cpu")
    solver = SolverMuJoCo(model, use_mujoco_cpu=True, disable_contacts=True)
    state, control = model.state(), model.control()
    state.joint_q.assign(random_coordinates(model, rng))
    state.joint_qd.assign(rng.normal(size=model.joint_dof_count).astype(np.float32))
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    state.body_f.assign(rng.normal(size=(model.body_count, 6)).astype(np.float32))
    control.joint_f.assign(rng.normal(size=model.joint_dof_count).astype(np.float32))
    mj = solver.mj_data
    solver._update_mjc_data(mj, model, state)
    solver._apply_mjc_control(model, state, control, mj)
    arrays = {
        "joint_q": state.joint_q, "joint_qd": state.joint_qd, "body_q": state.body_q,
        "body_qd": state.body_qd, "body_f": state.body_f, "joint_f": control.joint_f,
    }  # fmt: skip
    return {
        "body_names": [label.rpartition("/")[2] for label in model.body_label],
        **{name: digits(x.numpy()) for name, x in arrays.items()},
        "qpos": digits(mj.qpos), "qvel": digits(mj.qvel),
        "xfrc_applied": digits(mj.xfrc_applied[1:]), "qfrc_applied": digits(mj.qfrc_applied),
    }  # fmt: skip


def main():
    made = {
        "script": Path(__file__).name, "engine": "newton", "version": newton.__version__,
        "robots": {name: [one(text, seed) for seed in range(3)] for name, text in ROBOTS.items()},
    }  # fmt: skip
    OUT.write_text(json.dumps(made) + "\n")


if __name__ == "__main__":
    main()
