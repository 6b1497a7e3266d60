"""Newton: body_q, body_qd, body_f and joint_f, with four of its solvers. Single precision.

Points are bodies on fixed joints, placed and moved by eval_fk. Newton has no accelerations: the
body is pushed from rest through one step, eval_ik and eval_fk carry its velocity to the points, and
that is divided by the step.
"""

import crooked
import newton
import numpy as np
import warp as wp
from crooked import COM, INERTIA, MASS, POINTS, STATES

STEP = 1e-3
SOLVERS = {
    "mujoco": newton.solvers.SolverMuJoCo, "featherstone": newton.solvers.SolverFeatherstone,
    "xpbd": newton.solvers.SolverXPBD, "semi_implicit": newton.solvers.SolverSemiImplicit,
}  # fmt: skip


def body(builder):
    return builder.add_link(mass=MASS, com=wp.vec3(*COM), inertia=wp.mat33(*INERTIA.ravel()))


def model(with_points):
    builder = newton.ModelBuilder(gravity=wp.vec3(0.0, 0.0, 0.0))
    b = body(builder)
    joints = [builder.add_joint_free(b)]
    for x in POINTS if with_points else ():
        at = wp.transform(wp.vec3(*x), wp.quat_identity())
        joints.append(builder.add_joint_fixed(b, builder.add_link(), parent_xform=at))
    builder.add_articulation(joints)
    return builder.finalize(device="cpu")


def floats(x):
    return wp.array(np.asarray(x, np.float32), dtype=float, device="cpu")


def points_of(m, joint_q, joint_qd):
    """(body_q, body_qd) of the body, then positions and velocities of the points"""
    state = m.state()
    newton.eval_fk(m, joint_q, joint_qd, state)
    q, v = state.body_q.numpy(), state.body_qd.numpy()
    return q[0], v[0], q[1:, :3], v[1:, :3]


def pushed(solver, m, with_points, state, body_f=None, joint_f=None):
    """Accelerations of the points, of the body at rest"""
    before, after, control = m.state(), m.state(), m.control()
    joint_q, joint_qd = floats(np.r_[state.p, np.roll(state.q, -1)]), floats(np.zeros(6))
    newton.eval_fk(m, joint_q, joint_qd, before)
    before.joint_q.assign(joint_q)
    before.joint_qd.assign(joint_qd)
    if body_f is not None:
        before.body_f.assign(np.asarray(body_f, np.float32)[None])
    if joint_f is not None:
        control.joint_f.assign(np.asarray(joint_f, np.float32))
    options = {"angular_damping": 0.0} if solver is not newton.solvers.SolverMuJoCo else {}
    solver(m, **options).step(before, after, control, None, STEP)
    newton.eval_ik(m, after, joint_q, joint_qd)
    return points_of(with_points, joint_q, joint_qd)[3] / STEP


def one(state, solver, m, with_points):
    joint_q = floats(np.r_[state.p, np.roll(state.q, -1)])
    joint_qd = floats(np.r_[state.v_com, state.w])
    q, v, points, velocities = points_of(with_points, joint_q, joint_qd)
    R = np.array(wp.quat_to_matrix(wp.quat(*q[3:]))).reshape(3, 3)
    wrench = np.r_[state.f, state.t]
    by_wrench = pushed(solver, m, with_points, state, body_f=wrench)
    by_force = pushed(solver, m, with_points, state, joint_f=wrench)
    return crooked.record(q, v, points, velocities, matrix=R, quaternion_text=q[3:],
                          wrench=(wrench, by_wrench), free_force=(wrench, by_force))  # fmt: skip


def dump():
    m, with_points = model(False), model(True)
    gravity = newton.ModelBuilder().finalize(device="cpu").gravity.numpy()[0].tolist()
    return {
        f"newton_{name}": crooked.fixture(
            "newton", newton.__version__, "newton",
            [one(s, solver, m, with_points) for s in STATES],
            tolerance=1e-5, difference=1e-3, gravity=gravity, solver=solver.__name__,
        ) for name, solver in SOLVERS.items()
    }  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "newton")
