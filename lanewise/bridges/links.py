"""Poses and velocities of all bodies, of the present qpos and qvel.

What a step leaves in xpos, xquat and cvel belongs to the state before its last substep, and a write
to qpos or qvel changes none of it. So bridges do not read these fields. They go along the tree here
instead, for all worlds at once, and leave the Data or Batch as it is.

A body starts where it hangs on its parent, and each of its joints moves it further:

    slide         p += R axis (q - q0)
    hinge, ball   R := R R(q), about the anchor, which stays where it is

with velocities on the way: of the point that the body's origin is at, v + w x r. The result is in
the layout that free joints have in MuJoCo, [p_WBo, q_WB] and [v_WBo_W, w_WB_B], so that
convert_free_state can take it to any other.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..conventions.arrays import Components, check_unit, join, split
from ..conventions.spatial import add, conjugate, cross, dot, multiply, rotate, scale, sub, unrotate
from ..errors import ConventionError, UnsupportedFeature
from ..mjconst import JNT_BALL, JNT_FREE, JNT_HINGE, JNT_SLIDE
from .simulation import KINDS, Worlds

State = tuple[Components, Components, Components, Components]  # p_WBo, q_WB, v_WBo_W, w_WB_W


def links(worlds: Worlds, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pose (n, nbody, 7) and velocity (n, nbody, 6) of every body in the layout of MuJoCo."""
    m = worlds.model
    zero = np.zeros(worlds.n)
    states: list[State] = [((zero,) * 3, (zero + 1.0, zero, zero, zero), (zero,) * 3, (zero,) * 3)]
    for b in range(1, m.nbody):
        states.append(_link(worlds, b, states[m.body_parentid[b]], qpos, qvel))
    q = np.empty((worlds.n, m.nbody, 7))
    v = np.empty((worlds.n, m.nbody, 6))
    for b, (p_WB, q_WB, v_WB, w_WB) in enumerate(states):
        join((*p_WB, *q_WB), out=q[:, b])
        join((*v_WB, *unrotate(q_WB, w_WB)), out=v[:, b])
    return q, v


def _link(worlds: Worlds, b: int, parent: State, qpos: np.ndarray, qvel: np.ndarray) -> State:
    m = worlds.model
    if m.body_mocapid[b] >= 0:
        k = m.body_mocapid[b]
        q = _unit(worlds.field("mocap_quat")[:, k], f"mocap_quat of {worlds.name('body', b)}")
        zero = np.zeros(worlds.n)
        return split(worlds.field("mocap_pos")[:, k]), q, (zero,) * 3, (zero,) * 3
    first = m.body_jntadr[b]
    joints = range(first, first + m.body_jntnum[b])
    if joints and m.jnt_type[first] == JNT_FREE:
        k, i = m.jnt_qposadr[first], m.jnt_dofadr[first]
        q = _unit(qpos[:, k + 3 : k + 7], f"qpos of {worlds.name('joint', first)}")
        return split(qpos[:, k : k + 3]), q, split(qvel[:, i : i + 3]), rotate(
            q, split(qvel[:, i + 3 : i + 6]))  # fmt: skip
    state = _hung(worlds, b, parent)
    for j in joints:
        state = _moved(worlds, j, state, qpos, qvel)
    return state


def _hung(worlds: Worlds, b: int, parent: State) -> State:
    """A body where it hangs on its parent, before its joints move it."""
    p, q, v, w = parent
    r = rotate(q, _constant(worlds, "body_pos", b))
    return add(p, r), multiply(q, _constant(worlds, "body_quat", b)), add(v, cross(w, r)), w


def _moved(worlds: Worlds, j: int, state: State, qpos: np.ndarray, qvel: np.ndarray) -> State:
    """A body after one of its joints has moved it."""
    p, q, v, w = state
    m = worlds.model
    k, i, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
    if kind == JNT_BALL:
        q_J = _unit(qpos[:, k : k + 4], f"qpos of {worlds.name('joint', j)}")
        q_new = multiply(q, q_J)
        w_J = rotate(q_new, split(qvel[:, i : i + 3]))
    else:
        angle = qpos[:, k] - worlds.constant("qpos0")[..., k]
        axis = _constant(worlds, "jnt_axis", j)
        if kind == JNT_SLIDE:
            a = rotate(q, axis)
            r = scale(a, angle)
            return add(p, r), q, add(v, add(cross(w, r), scale(a, qvel[:, i]))), w
        q_new = multiply(q, (np.cos(0.5 * angle), *scale(axis, np.sin(0.5 * angle))))
        w_J = scale(rotate(q, axis), qvel[:, i])
    anchor = _constant(worlds, "jnt_pos", j)
    r, r_new = rotate(q, anchor), rotate(q_new, anchor)  # to the anchor, which stays
    w_new = add(w, w_J)
    v_anchor = add(v, cross(w, r))
    return sub(add(p, r), r_new), q_new, sub(v_anchor, cross(w_new, r_new)), w_new


def _constant(worlds: Worlds, name: str, i: int) -> Components:
    values = worlds.rows(name, i)
    return split(values) if values.ndim > 1 else tuple(map(float, values))


def _unit(q: np.ndarray, name: str) -> Components:
    check_unit(q, name)
    return split(q)


def merged_com(worlds: Worlds, bodies: Sequence[int]) -> np.ndarray:
    """Centres of mass of bodies together with what is welded to them: (n, bodies, 3).

    Every body that is welded to another, and is not in `bodies`, counts as a part of it.
    """
    m = worlds.model
    zero = np.zeros(worlds.n)
    part = {b: (b, (zero,) * 3, (zero + 1.0, zero, zero, zero)) for b in bodies}
    mass = dict.fromkeys(bodies, zero)
    moment = dict.fromkeys(bodies, (zero,) * 3)
    for b in range(1, m.nbody):
        if b not in part and m.body_parentid[b] in part and m.body_jntnum[b] == 0:
            whole, p, q = part[m.body_parentid[b]]
            part[b] = (whole, add(p, rotate(q, _constant(worlds, "body_pos", b))),
                       multiply(q, _constant(worlds, "body_quat", b)))  # fmt: skip
        if b in part:
            whole, p, q = part[b]
            weight = worlds.rows("body_mass", b)
            com = add(p, rotate(q, _constant(worlds, "body_ipos", b)))
            mass[whole] = mass[whole] + weight
            moment[whole] = add(moment[whole], scale(com, weight))
    mass = {b: np.where(mass[b] > 0.0, mass[b], 1.0) for b in bodies}  # a base may have none
    return np.stack([join(scale(moment[b], 1.0 / mass[b])) for b in bodies], 1)


# ---- back from bodies to joints


def joint_state(
    worlds: Worlds, q: np.ndarray, v: np.ndarray | None, tolerance: float
) -> tuple[np.ndarray, np.ndarray | None]:
    """qpos and qvel that bring all bodies to poses q (n, nbody, 7), in the layout of MuJoCo.

    Joints cannot bring bodies anywhere: what is off by more than `tolerance` [m, rad, m/s, rad/s]
    raises. Angles of hinges are in (-pi, pi] from where qpos0 has them.
    """
    m = worlds.model
    several = [worlds.name("body", b) for b in range(m.nbody) if m.body_jntnum[b] > 1]
    if several:
        raise UnsupportedFeature(
            {"bodies with several joints": several},
            what="joint coordinates from poses of bodies need one joint a body",
        )
    qpos = worlds.field("qpos").copy()
    qvel = worlds.field("qvel").copy()
    still = np.zeros((worlds.n, m.nbody, 6)) if v is None else v
    states = [_of_rows(q[:, b], still[:, b]) for b in range(m.nbody)]
    for j in range(m.njnt):
        b = m.jnt_bodyid[j]
        hung = _hung(worlds, b, states[m.body_parentid[b]])
        _joint(worlds, j, hung, states[b], qpos, qvel)
    _check_reached(worlds, q, v, links(worlds, qpos, qvel), tolerance)
    return qpos, None if v is None else qvel


def _of_rows(q: np.ndarray, v: np.ndarray) -> State:
    parts, motion = split(q), split(v)
    return parts[:3], parts[3:], motion[:3], rotate(parts[3:], motion[3:])


def _joint(
    worlds: Worlds, j: int, hung: State, state: State, qpos: np.ndarray, qvel: np.ndarray
) -> None:
    """Write the coordinates of a joint that takes a body from where it hangs to where it is."""
    m = worlds.model
    k, i, kind = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_type[j]
    p, q, v, w = state
    p_H, q_H, v_H, w_H = hung
    q_J = multiply(conjugate(q_H), q)
    if kind == JNT_FREE:
        join((*p, *q), out=qpos[:, k : k + 7])
        join((*v, *unrotate(q, w)), out=qvel[:, i : i + 6])
    elif kind == JNT_BALL:
        join(q_J, out=qpos[:, k : k + 4])
        join(unrotate(q, sub(w, w_H)), out=qvel[:, i : i + 3])
    else:
        axis = _constant(worlds, "jnt_axis", j)
        a = rotate(q_H, axis)
        if kind == JNT_HINGE:
            half = np.arctan2(dot(axis, q_J[1:]), q_J[0])
            moved = np.arctan2(np.sin(2.0 * half), np.cos(2.0 * half))
            qvel[:, i] = dot(a, sub(w, w_H))
        else:
            moved = dot(a, sub(p, p_H))
            qvel[:, i] = dot(a, sub(v, v_H))  # w x r is across the axis, where r is along it
        qpos[:, k] = worlds.constant("qpos0")[..., k] + moved


def _check_reached(
    worlds: Worlds, q: np.ndarray, v: np.ndarray | None, reached: Any, tolerance: float
) -> None:
    q_made, v_made = reached
    opposite = np.einsum("...i,...i", q[..., 3:], q_made[..., 3:]) < 0.0  # the same rotation
    q_made = q_made.copy()
    q_made[..., 3:][opposite] *= -1.0
    for what, given, made in (("pose", q, q_made), ("velocity", v, v_made)):
        if given is None:
            continue
        off = np.abs(given - made).max(axis=(0, 2))
        b = int(np.argmax(off))
        if off[b] > tolerance:
            raise ConventionError(
                f"no joint coordinates give {worlds.name('body', b)} this {what}: it is off by"
                f" {off[b]:.3g} where its joints can bring it, and at most {tolerance:g} is taken."
                f" (A {KINDS[JNT_HINGE]}, for one, lets a body turn about one axis only.)"
            )
