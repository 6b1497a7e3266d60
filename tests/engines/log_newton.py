"""Newton: body_q and body_qd, with its rigid solvers. Single precision."""

import sys

import newton
import numpy as np
import throw
import warp as wp
from crooked import COM, INERTIA, MASS
from throw import GRAVITY, STATE, STEP

SOLVERS = {
    "mujoco": "SolverMuJoCo", "featherstone": "SolverFeatherstone", "xpbd": "SolverXPBD",
    "semi_implicit": "SolverSemiImplicit", "kamino": "SolverKamino", "vbd": "SolverVBD",
}  # fmt: skip


def thrown(name, **how):
    builder = newton.ModelBuilder(gravity=wp.vec3(*GRAVITY))
    b = builder.add_link(mass=MASS, com=wp.vec3(*COM), inertia=wp.mat33(*INERTIA.ravel()))
    builder.add_articulation([builder.add_joint_free(b)])
    if name == "vbd":
        builder.color()
    model = builder.finalize(device="cpu")
    states = [model.state(), model.state()]
    states[0].joint_q.assign(np.r_[STATE.p, np.roll(STATE.q, -1)].astype(np.float32))
    states[0].joint_qd.assign(np.r_[STATE.v_com, STATE.w].astype(np.float32))
    newton.eval_fk(model, states[0].joint_q, states[0].joint_qd, states[0])
    damped = name in ("featherstone", "xpbd", "semi_implicit")
    solver = getattr(newton.solvers, SOLVERS[name])(
        model, **({"angular_damping": 0.0} if damped else {})
    )
    control = model.control()

    def read():
        q = states[0].body_q.numpy()[0]
        return q[:3], q[3:], states[0].body_qd.numpy()[0]

    def go_on():
        states[0].clear_forces()
        solver.step(states[0], states[1], control, None, STEP)
        states.reverse()

    return throw.record(read, go_on, **how)


if __name__ == "__main__":
    for name in sys.argv[1:] or SOLVERS:
        about = ("newton", newton.__version__, "newton")
        throw.save(f"newton_{name}", thrown(name), STEP, *about, solver=SOLVERS[name])
