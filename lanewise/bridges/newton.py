"""The state of a Data or Batch as Newton has it.

    s = newton.read(m, b)          # s.body_q, s.body_qd, s.joint_q, s.joint_qd, s.body_f, s.joint_f
    newton.write(m, b, joint_q=q, joint_qd=qd, joint_f=f)

Bodies and joints are those that Newton's MJCF importer makes: every body of the model but the
world, in its order, with a joint each. Newton puts the worlds of a model one after the other in
flat arrays; here they are a leading axis.

    body_q    [p_WBo, q_WB xyzw]
    body_qd   [v_WBcm_W, w_WB_W]
    joint_q   free [p_WBo, q_WB xyzw]; ball xyzw; hinge and slide qpos - ref
    joint_qd  free [v_WBcm_W, w_WB_W] of the child; ball w in axes of the parent; else qvel
    body_f    [f_W, t_Bcm_W]
    joint_f   free [f_W, t_Bcm_W]; ball in axes of the parent; else qfrc_applied

Forces go where Newton's SolverMuJoCo sends them: body_f and the joint_f of free joints are wrenches
in the world's axes about the centre of mass, and together they are xfrc_applied. The joint_f of
other joints is qfrc_applied. (qfrc_applied of a free joint is about the origin, with the torque in
body axes: to send joint_f there as it is would be wrong.)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..conventions import Body, convert_free_state, convert_wrench
from ..errors import ConventionError, UnsupportedFeature
from ..mjconst import JNT_HINGE, JNT_SLIDE
from . import links
from .joints import Ball, Coordinates
from .simulation import Arrays, Changes, Worlds, says_choices

NAME = "newton"
BALL = Ball("xyzw", 4, "parent")


@dataclass(frozen=True, eq=False)
class NewtonState(Arrays):
    """Arrays of Newton's State and Control; with several worlds, a leading axis of them.

    body_names  of the rows of body_*
    body_q      (nbody, 7) [m, -]
    body_qd     (nbody, 6) [m/s, rad/s]
    joint_q     (joint coordinates,)
    joint_qd    (joint dofs,)
    body_f      (nbody, 6) [N, N m]: xfrc_applied
    joint_f     (joint dofs,): qfrc_applied
    """

    body_names: tuple[str, ...]
    body_q: np.ndarray
    body_qd: np.ndarray
    joint_q: np.ndarray
    joint_qd: np.ndarray
    body_f: np.ndarray
    joint_f: np.ndarray


@says_choices
def read(m: Any, d: Any) -> NewtonState:
    """The present state, bodies included: they are computed from qpos and qvel."""
    worlds = Worlds(m, d)
    coordinates = _coordinates(worlds)
    qpos, qvel = worlds.field("qpos"), worlds.field("qvel")
    joint_q, joint_qd = coordinates.read(qpos, qvel)
    q, v = links.links(worlds, qpos, qvel)
    body_q, body_qd = convert_free_state(q[:, 1:], v[:, 1:], "mujoco", NAME, body=_bodies(worlds))
    body_f = convert_wrench(worlds.field("xfrc_applied")[:, 1:], "mujoco", NAME)
    joint_f = coordinates.read_force(worlds.field("qfrc_applied"), qpos)
    names = tuple(worlds.name("body", b) for b in range(1, worlds.model.nbody))
    arrays = (body_q, body_qd, joint_q, joint_qd, body_f, joint_f)
    return NewtonState(names, *map(worlds.result, arrays))


@says_choices
def write(
    m: Any, d: Any, *, body_q: Any = None, body_qd: Any = None, joint_q: Any = None,
    joint_qd: Any = None, body_f: Any = None, joint_f: Any = None, tolerance: float = 1e-4,
) -> None:  # fmt: skip
    """Set qpos, qvel, xfrc_applied and qfrc_applied. Nothing else is computed: forward does that.

    Velocities and forces belong to the poses that are written with them, or else to the present
    ones. body_q is turned into joint coordinates, and body_qd needs body_q; what joints cannot
    reach to `tolerance` [m, rad, m/s, rad/s] raises.

    body_f and joint_f of free joints share xfrc_applied: a call that has one of the two sets the
    sum, with nothing for the other. joint_f alone leaves xfrc_applied of other bodies as it is.
    """
    worlds = Worlds(m, d)
    coordinates, changes = _coordinates(worlds), Changes(worlds)
    _check_together(body_q, body_qd, joint_q, joint_qd)
    nbody = worlds.model.nbody
    if body_q is not None:
        poses = worlds.given(body_q, (nbody - 1, 7), "body_q")
        motion = None if body_qd is None else worlds.given(body_qd, (nbody - 1, 6), "body_qd")
        qpos, qvel = _from_bodies(worlds, poses, motion, tolerance)
        changes["qpos"][...] = qpos
        if qvel is not None:
            changes["qvel"][...] = qvel
    if joint_q is not None:
        coordinates.write_q(worlds.given(joint_q, (coordinates.nq,), "joint_q"), changes["qpos"])
    qpos = changes.seen("qpos")
    if joint_qd is not None:
        given = worlds.given(joint_qd, (coordinates.nv,), "joint_qd")
        coordinates.write_v(given, qpos, changes["qvel"])
    if body_f is not None:
        wrench = worlds.given(body_f, (nbody - 1, 6), "body_f")
        changes["xfrc_applied"][:, 1:] = convert_wrench(wrench, NAME, "mujoco")
    if joint_f is not None:
        force = worlds.given(joint_f, (coordinates.nv,), "joint_f")
        coordinates.write_joint_force(force, qpos, changes["qfrc_applied"])
        _route_free(worlds, coordinates, force, changes, add=body_f is not None)
    changes.write()


def _route_free(
    worlds: Worlds, coordinates: Coordinates, force: np.ndarray, changes: Changes, add: bool
) -> None:
    """joint_f of free joints to xfrc_applied, and nothing of it to qfrc_applied."""
    m = worlds.model
    for j, _, b in coordinates.free:
        wrench = convert_wrench(force[:, b : b + 6], NAME, "mujoco")
        body, dof = m.jnt_bodyid[j], m.jnt_dofadr[j]
        changes["qfrc_applied"][:, dof : dof + 6] = 0.0
        if not add:
            changes["xfrc_applied"][:, body] = 0.0
        changes["xfrc_applied"][:, body] += wrench


def _from_bodies(
    worlds: Worlds, body_q: np.ndarray, body_qd: np.ndarray | None, tolerance: float
) -> tuple[np.ndarray, np.ndarray | None]:
    m = worlds.model
    q, v = np.zeros((worlds.n, m.nbody, 7)), np.zeros((worlds.n, m.nbody, 6))
    q[..., 3] = 1.0
    pose, twist = convert_free_state(body_q, body_qd, NAME, "mujoco", body=_bodies(worlds))
    q[:, 1:] = pose
    if twist is not None:
        v[:, 1:] = twist
    return links.joint_state(worlds, q, None if twist is None else v, tolerance)


def _check_together(body_q: Any, body_qd: Any, joint_q: Any, joint_qd: Any) -> None:
    if body_q is not None and (joint_q is not None or joint_qd is not None):
        raise ConventionError("body_q and joint_q (joint_qd) say the same: give one of the two")
    if body_qd is not None and body_q is None:
        raise ConventionError("body_qd needs body_q: joint velocities depend on where bodies are")


def _bodies(worlds: Worlds) -> Body:
    return Body(com=worlds.rows("body_ipos", slice(1, None)))


def _coordinates(worlds: Worlds) -> Coordinates:
    _refuse_joints(worlds)
    joints = range(worlds.model.njnt)
    return Coordinates(worlds, joints, NAME, BALL, from_reference=True)


def _refuse_joints(worlds: Worlds) -> None:
    """Several joints of a body become one D6: slides along fixed axes first, then hinges."""
    m = worlds.model
    features: dict[str, list[str]] = {}
    for b in range(1, m.nbody):
        joints = np.arange(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
        if len(joints) < 2:
            continue
        kinds = m.jnt_type[joints]
        hinges = joints[kinds == JNT_HINGE]
        reason = None
        if not np.isin(kinds, (JNT_HINGE, JNT_SLIDE)).all():
            reason = "a ball joint beside others"
        elif (np.diff(kinds) < 0).any():
            reason = "a slide after a hinge: in a D6 it does not turn with the hinge"
        elif len(hinges) > 3 or len(joints) - len(hinges) > 3:
            reason = "more than three hinges or slides"
        elif np.abs(m.jnt_pos[hinges] - m.jnt_pos[joints[0]]).max(initial=0.0) > 1e-9:
            reason = "joints at several points: a D6 has one"
        elif len(hinges) == 2 and abs(m.jnt_axis[hinges[0]] @ m.jnt_axis[hinges[1]]) > 1e-6:
            reason = "two hinges that are not at right angles"
        if reason:
            features.setdefault(reason, []).append(worlds.name("body", b))
    if features:
        raise UnsupportedFeature(
            features, "\n  Put bodies between the joints, one for each.",
            what="Newton makes one D6 joint of the joints of a body; it has no equivalent of",
        )  # fmt: skip
