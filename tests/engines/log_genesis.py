"""Genesis: qpos and dofs_velocity of a free body; and get_pos, get_quat, get_vel, get_ang."""

import importlib.metadata
import tempfile
from pathlib import Path

import genesis as gs
import numpy as np
import throw
from crooked import COM, MASS, SIX
from throw import GRAVITY, STATE, STEP


def words(numbers):
    return " ".join(repr(float(x)) for x in numbers)


def numbers(*tensors):
    return [x.cpu().numpy() for x in tensors]


def thrown(folder):
    path = Path(folder) / "b.xml"
    path.write_text(
        f'<mujoco><worldbody><body name="b"><freejoint/><inertial pos="{words(COM)}" mass="{MASS}"'
        f' fullinertia="{words(SIX)}"/></body></worldbody></mujoco>'
    )
    scene = gs.Scene(sim_options=gs.options.SimOptions(dt=STEP, gravity=GRAVITY),
                     rigid_options=gs.options.RigidOptions(enable_collision=False),
                     show_viewer=False)  # fmt: skip
    body = scene.add_entity(gs.morphs.MJCF(file=str(path), align=False))
    scene.build()
    body.set_qpos(np.r_[STATE.p, STATE.q])
    body.set_dofs_velocity(np.r_[STATE.v, STATE.R.T @ STATE.w])

    def read():
        q, v = numbers(body.get_qpos(), body.get_dofs_velocity())
        p, quat, lin, ang = numbers(body.get_pos(), body.get_quat(), body.get_vel(), body.get_ang())
        return q[:3], q[3:], v, p, quat, np.r_[lin, ang]

    return throw.record(read, scene.step)


if __name__ == "__main__":
    gs.init(backend=gs.cpu, precision="32", logging_level="error")
    with tempfile.TemporaryDirectory() as folder:
        columns = thrown(folder)
    about = ("genesis-world", importlib.metadata.version("genesis-world"))
    throw.save("genesis", columns[:3], STEP, *about, "genesis")
    throw.save("genesis_links", columns[3:], STEP, *about, "sonic")  # wxyz, world axes, origin
