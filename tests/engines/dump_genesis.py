"""Genesis: qpos, dofs_velocity, apply_links_external_wrench and control_dofs_force of a free body.

Points are bodies welded to it, kept as links of their own. Double precision. Accelerations are what
get_links_acc says after one step from rest.
"""

import importlib.metadata
import tempfile
from pathlib import Path

import crooked
import genesis as gs
import numpy as np
from crooked import COM, MASS, POINTS, SIX, STATES

STEP = 1e-6


def words(numbers):
    return " ".join(repr(float(x)) for x in numbers)


def xml():
    # no mass at all is not read; this one is no more than round-off of the body's
    light = '<inertial pos="0 0 0" mass="1e-15" diaginertia="1e-15 1e-15 1e-15"/>'
    points = "".join(f'<body name="s{k}" pos="{words(x)}">{light}</body>'
                     for k, x in enumerate(POINTS))  # fmt: skip
    return (
        f'<mujoco><worldbody><body name="b"><freejoint/><inertial pos="{words(COM)}" mass="{MASS}"'
        f' fullinertia="{words(SIX)}"/>{points}</body></worldbody></mujoco>'
    )


def scene_and_body(folder):
    path = Path(folder) / "b.xml"
    path.write_text(xml())
    default = gs.options.SimOptions().gravity
    scene = gs.Scene(sim_options=gs.options.SimOptions(dt=STEP, gravity=(0.0, 0.0, 0.0)),
                     rigid_options=gs.options.RigidOptions(enable_collision=False),
                     show_viewer=False)  # fmt: skip
    body = scene.add_entity(gs.morphs.MJCF(file=str(path), align=False))
    scene.build()
    return scene, body, list(default)


def numbers(tensor):
    return tensor.cpu().numpy().astype(float)


def accelerations(scene, body, push):
    """Of the points: what the step from rest was computed with"""
    push()
    scene.step()
    made = numbers(body.get_links_acc())[1:]
    scene.reset()
    return made


def one(scene, body, state):
    q = np.r_[state.p, state.q]
    body.set_qpos(q)
    body.set_dofs_velocity(np.r_[state.v, state.R.T @ state.w])
    made = [numbers(x) for x in (body.get_qpos(), body.get_dofs_velocity(),
                                 body.get_links_pos(), body.get_links_vel())]  # fmt: skip

    wrench = np.r_[state.f, state.t_origin]
    force = np.r_[state.f, state.R.T @ state.t_origin]

    def by_wrench():
        body.set_qpos(q, zero_velocity=True)
        body.apply_links_external_wrench(wrench[None, :3], wrench[None, 3:], links_idx_local=[0])

    def by_force():
        body.set_qpos(q, zero_velocity=True)
        body.control_dofs_force(force)

    return crooked.record(
        made[0], made[1], made[2][1:], made[3][1:],
        matrix=gs.utils.geom.quat_to_R(state.q), quaternion_text=state.q,
        wrench=(wrench, accelerations(scene, body, by_wrench)),
        free_force=(force, accelerations(scene, body, by_force)),
    )  # fmt: skip


def dump():
    gs.init(backend=gs.cpu, precision="64", logging_level="error")
    with tempfile.TemporaryDirectory() as folder:
        scene, body, gravity = scene_and_body(folder)
        assert body.n_links == 1 + len(POINTS), body.n_links
        states = [one(scene, body, s) for s in STATES]
    return crooked.fixture("genesis-world", importlib.metadata.version("genesis-world"), "genesis",
                           states, difference=1e-6, gravity=gravity)  # fmt: skip


if __name__ == "__main__":
    crooked.main(dump, "genesis")
