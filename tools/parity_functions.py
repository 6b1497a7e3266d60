"""Functions of a Data and of a Batch beside MuJoCo's, an entry each.

To add one is a call of `w.compare` in one of these functions: see parity_worlds.py. What has no
entry is a stage, which is compared by the fields that it writes, or stands in `NOT_COMPARED` with
the reason.
"""

import copy
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

import lanewise
import twins
from lanewise import fields
from lanewise.engine.stages import STAGES
from parity_worlds import STATE, Function, Worlds, after, filled, of_batch, read
from support import raying
from support.states import random_quat

lw: Any = lanewise  # a function may be named before it is there

EPS = 1e-6  # of finite differences
BAD = 1e10  # beyond it a world is reset
SMALL = 30  # dofs of a model whose derivatives are compared
PHYSICS = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)

NOT_COMPARED = {
    "lw.load": "compiles with MuJoCo",
    "lw.get_data": "copies",
    "lw.put_data": "copies",
    "lw.Data": "makes memory",
    "lw.view": "opens a page",
    "lw.Batch": "makes memory",
    "lw.__version__": "is a text",
    "lw.expose_constraint": "lays rows out, which are compared",
    "m.save": "writes with MuJoCo",
    "lw.report": "is a text",
    "d.timer": "is time",
    "b.timer": "is time",
    "b.error": "is a text",
    "b.status": "says whether a call went well",
    "b.warning": "counts",
    "b.bind": "every output is compared: see batches",
    "b.expand": "is the caller's numbers",
    "b.expanded": "is the caller's numbers",
    "b.set_models": "is the caller's models",
    "b.get_model": "copies",
    "b.get_data": "copies",
    "b.nsim": "is a number of the caller's",
    "b.nstate": "is a size",
}

# ---- the step and its parts


def main(w: Worlds) -> None:
    moved = ("qpos", "qvel", "act", "time")
    halves = (lambda b: (b.step1(), b.step2()), lambda m, d: (lw.step1(m, d), lw.step2(m, d)))
    mj_halves = lambda m, d: (mujoco.mj_step1(m, d), mujoco.mj_step2(m, d))  # noqa: E731
    w.compare(
        "mj_step", after(mujoco.mj_step, *moved), after(lw.step, *moved),
        of_batch(lambda b: b.step(), *moved),
    )  # fmt: skip
    controls = w.normal(3, w.mj.nu)

    def rolled(m: Any, d: Any) -> np.ndarray:
        poses = []
        for ctrl in controls:
            d.ctrl[:] = ctrl
            mujoco.mj_step(m, d)
            poses.append(d.qpos.copy())
        return np.array(poses)

    # a rollout stops where numbers become bad
    if all(np.abs(rolled(w.mj, copy.copy(data))).max(initial=0.0) < BAD for data in w.datas):
        w.compare("mjb_rollout", rolled, batch=lambda b: b.rollout(3, controls)["qpos"])
    w.compare(
        "mj_step1", after(mujoco.mj_step1, "xpos", "cvel", "qfrc_bias"),
        after(lw.step1, "xpos", "cvel", "qfrc_bias"),
        of_batch(lambda b: b.step1(), "xpos", "cvel", "qfrc_bias"),
    )  # fmt: skip
    w.compare(
        "mj_step2", after(mj_halves, *moved), after(halves[1], *moved), of_batch(halves[0], *moved)
    )
    solved = ("qacc", "qfrc_smooth", "actuator_force")
    w.compare(
        "mj_forward", after(mujoco.mj_forward, *solved), after(lw.forward, *solved),
        of_batch(lambda b: b.forward(), *solved),
    )  # fmt: skip
    ctrl, qacc = w.normal(w.mj.nu), w.normal(w.nv)

    def skip(call: Function, m: Any, d: Any) -> np.ndarray:
        d.ctrl[:] = ctrl
        call(m, d, 2, 1)
        return np.array(d.qacc)

    def batch_skip(b: Any) -> np.ndarray:
        b.forward(stage=2)
        b.ctrl[:] = ctrl
        b.forward_skip(2, True)
        return b.qacc

    w.compare(
        "mj_forwardSkip", lambda m, d: skip(mujoco.mj_forwardSkip, m, d),
        lambda m, d: skip(lw.forward_skip, m, d), batch_skip,
    )  # fmt: skip

    def inverse(call: Function, m: Any, d: Any, *skipped: int) -> np.ndarray:
        d.qacc[:] = qacc
        call(m, d, *skipped)
        return np.array(d.qfrc_inverse)

    w.compare(
        "mj_inverse", lambda m, d: inverse(mujoco.mj_inverse, m, d),
        lambda m, d: inverse(lw.inverse, m, d), lambda b: b.inverse(qacc),
    )  # fmt: skip
    w.compare(
        "mj_inverseSkip", lambda m, d: inverse(mujoco.mj_inverseSkip, m, d, 2, 1),
        lambda m, d: inverse(lw.inverse_skip, m, d, 2, 1),
        lambda b: (b.forward(stage=2), b.inverse_skip(qacc, 2))[1],
    )  # fmt: skip


# a function of MuJoCo's -> ours, the fields that are compared, and the stage of a batch
COMPONENTS = {
    "mj_fwdKinematics": ("mj_fwdKinematics", ("xpos", "subtree_com", "cam_xpos", "ten_length"), 1),
    "mj_fwdPosition": ("fwd_position", ("xpos", "cinert", "M", "qLD", "actuator_length"), 1),
    "mj_fwdVelocity": ("fwd_velocity", ("cvel", "qfrc_passive", "qfrc_bias"), 2),
    "mj_fwdActuation": ("fwd_actuation", ("actuator_force", "qfrc_actuator", "act_dot"), 3),
    "mj_fwdAcceleration": ("fwd_acceleration", ("qfrc_smooth", "qacc_smooth"), 3),
    "mj_fwdConstraint": ("fwd_constraint", ("qacc", "qfrc_constraint"), 3),
    "mj_invPosition": ("fwd_position", ("xpos", "cinert", "M", "actuator_length"), 0),
    "mj_invVelocity": ("fwd_velocity", ("cvel", "qfrc_passive"), 0),
    "mj_invConstraint": ("inverse_force", ("qfrc_constraint",), 0),
}


def stages(w: Worlds) -> None:
    """Components; their own parts are compared by the fields that they write."""
    discrete = w.mj.opt.enableflags & mujoco.mjtEnableBit.mjENBL_INVDISCRETE
    for name, (ours, names, level) in COMPONENTS.items():
        if name == "mj_invConstraint" and discrete:  # qacc is converted before, in mj_inverse
            continue
        if name == "mj_fwdKinematics":
            calls = [lw.kinematics, lw.com_pos, lw.camlight, lw.tendon]
        else:
            calls = [getattr(lw, ours)]
        w.compare(
            name, after(getattr(mujoco, name), *names),
            after(lambda m, d, calls=calls: [call(m, d) for call in calls], *names),
            of_batch(lambda b, level=level: b.forward(stage=level), *names) if level else None,
        )  # fmt: skip


def integrators(w: Worlds) -> None:
    """What moves the state, from accelerations that are known; that of the model."""
    kinds, moved = mujoco.mjtIntegrator, ("qpos", "qvel", "act", "time")
    runge_kutta = lambda m, d: mujoco.mj_RungeKutta(m, d, 4)  # noqa: E731
    found = {
        kinds.mjINT_EULER: ("mj_Euler", mujoco.mj_Euler, lw.euler),
        kinds.mjINT_RK4: ("mj_RungeKutta", runge_kutta, lw.rungekutta4),
        kinds.mjINT_IMPLICIT: ("mj_implicit", mujoco.mj_implicit, lw.implicit),
        kinds.mjINT_IMPLICITFAST: ("mj_implicit", mujoco.mj_implicit, lw.implicitfast),
    }.get(kinds(w.mj.opt.integrator))
    if found is not None:
        name, theirs, ours = found
        # which actuators are at their limits is no part of MjData
        both = lambda m, d: (lw.fwd_actuation(m, d), ours(m, d))  # noqa: E731
        w.compare(name, after(theirs, *moved), after(both, *moved))


def state(w: Worlds) -> None:
    size = mujoco.mj_stateSize(w.mj, PHYSICS)
    part = w.normal(size)

    def get(spec: int) -> Function:
        n = mujoco.mj_stateSize(w.mj, spec)
        return lambda m, d: filled((n,))(lambda x: mujoco.mj_getState(m, d, x, spec))

    w.compare(
        "mj_stateSize", lambda m, d: size, lambda m, d: lw.state_size(m, PHYSICS),
        lambda b: np.full(b.nsim, b.state_size(PHYSICS)),
    )  # fmt: skip
    w.compare(
        "mj_getState", get(PHYSICS), lambda m, d: lw.get_state(m, d, PHYSICS),
        lambda b: b.get_state(PHYSICS),
    )  # fmt: skip

    def mj_set(m: Any, d: Any) -> Any:
        mujoco.mj_setState(m, d, part, PHYSICS)
        return get(STATE)(m, d)

    def set_one(m: Any, d: Any) -> Any:
        lw.set_state(m, d, part, PHYSICS)
        return lw.get_state(m, d)

    def copied(m: Any, d: Any) -> Any:
        other = lw.Data(m)
        lw.copy_state(m, d, other)
        return lw.get_state(m, other)

    def copied_batch(b: Any) -> Any:
        other = lw.Batch(w.m, b.nsim, nthread=1)
        other.set_state(b.get_state(STATE), STATE)
        return other.state

    w.compare("mj_setState", mj_set, set_one, lambda b: (b.set_state(part, PHYSICS), b.state)[1])
    w.compare("mj_copyState", get(STATE), copied, copied_batch)
    row = w.rows[0]
    w.compare(
        "mj_extractState",
        lambda m, d: filled((size,))(lambda x: mujoco.mj_extractState(m, row, STATE, x, PHYSICS)),
        lambda m, d: lw.extract_state(m, row, STATE, PHYSICS),
    )
    names = ("qpos", "qvel", "act", "ctrl", "mocap_pos", "time")
    w.compare(
        "mj_resetData", after(mujoco.mj_resetData, *names), after(lw.reset_data, *names),
        of_batch(lambda b: b.reset(), *names),
    )  # fmt: skip
    if w.mj.nkey:
        key = w.some(w.mj.nkey)
        w.compare(
            "mj_resetDataKeyframe",
            after(lambda m, d: mujoco.mj_resetDataKeyframe(m, d, key), *names),
            after(lambda m, d: lw.reset_data(m, d, key), *names),
            of_batch(lambda b: b.reset(keyframe=key), *names),
        )


def past(w: Worlds) -> None:
    """Delays of actuators and histories of sensors, where a model has them."""
    mj = w.mj
    for i in np.flatnonzero(mj.actuator_history[:, 0] > 0)[:2]:
        i, n, dim = int(i), int(mj.actuator_history[i, 0]), int(mj.actuator_ctrlnum[i])
        times, values = np.sort(w.rng.uniform(-0.1, 0, n)), w.normal(n, dim)
        w.compare(
            "mj_readCtrl",
            lambda m, d, i=i, dim=dim: _past(mujoco.mj_readCtrl, m, d, i, dim),
            lambda m, d, i=i: lw.read_ctrl(m, d, i, float(np.asarray(d.time))),
        )
        w.compare(
            "mj_initCtrlHistory",
            after(lambda m, d, i=i, t=times, x=values: mujoco.mj_initCtrlHistory(m, d, i, t, x),
                  "history"),
            after(lambda m, d, i=i, t=times, x=values: lw.init_ctrl_history(m, d, i, t, x),
                  "history"),
        )  # fmt: skip
    for i in np.flatnonzero(mj.sensor_history[:, 0] > 0)[:2]:
        i, n, dim = int(i), int(mj.sensor_history[i, 0]), int(mj.sensor_dim[i])
        times, values = np.sort(w.rng.uniform(-0.1, 0, n)), w.normal(n, dim)
        w.compare(
            "mj_readSensor",
            lambda m, d, i=i, dim=dim: _past(mujoco.mj_readSensor, m, d, i, dim),
            lambda m, d, i=i: lw.read_sensor(m, d, i, float(np.asarray(d.time))),
        )
        w.compare(
            "mj_initSensorHistory",
            after(lambda m, d, i=i, t=times, x=values:
                  mujoco.mj_initSensorHistory(m, d, i, t, x, 0.0), "history"),
            after(lambda m, d, i=i, t=times, x=values:
                  lw.init_sensor_history(m, d, i, t, x, 0.0), "history"),
        )  # fmt: skip


def _past(call: Function, m: Any, d: Any, i: int, dim: int) -> np.ndarray:
    """MuJoCo gives the numbers, or says where they are."""
    result = np.zeros(dim)
    found = call(m, d, i, d.time, result, -1)
    return np.array(result if found is None else found)


# ---- inertia, constraints, shapes


def products(w: Worlds) -> None:
    nv, x = w.nv, w.normal(w.nv)
    one, square = filled((nv,)), filled((nv, nv))
    w.compare(
        "mj_fullM", lambda m, d: square(lambda y: mujoco.mj_fullM(m, d, y)), lw.full_m,
        lambda b: b.full_m(),
    )  # fmt: skip
    if not nv:
        return
    w.compare(
        "mj_mulM", lambda m, d: one(lambda y: mujoco.mj_mulM(m, d, y, x)),
        lambda m, d: lw.mul_m(m, d, x), lambda b: b.mul_m(x),
    )  # fmt: skip
    w.compare(
        "mj_solveM", lambda m, d: filled((1, nv))(lambda y: mujoco.mj_solveM(m, d, y, x[None])),
        lambda m, d: lw.solve_m(m, d, x), lambda b: b.solve_m(x),
    )  # fmt: skip
    w.compare(
        "mj_solveM2",
        lambda m, d: filled((1, nv))(
            lambda y: mujoco.mj_solveM2(m, d, y, x[None], np.sqrt(d.qLDiagInv))
        ),
        lambda m, d: lw.solve_m2(m, d, x), lambda b: b.solve_m2(x),
    )  # fmt: skip
    rows = w.normal(max(data.nefc for data in w.datas))
    w.compare(
        "mj_mulJacVec",
        lambda m, d: filled((d.nefc,))(lambda y: mujoco.mj_mulJacVec(m, d, y, x)),
        lambda m, d: lw.mul_jac_vec(m, d, x),
    )
    w.compare(
        "mj_mulJacTVec",
        lambda m, d: one(lambda y: mujoco.mj_mulJacTVec(m, d, y, rows[: d.nefc])),
        lambda m, d: lw.mul_jac_t_vec(m, d, rows[: d.nefc]), lambda b: b.mul_jac_t_vec(rows),
    )  # fmt: skip
    most = len(rows)  # rows of a world end where it has no more constraints
    w.compare(
        "mj_mulJacVec",
        lambda m, d: np.pad(
            filled((d.nefc,))(lambda y: mujoco.mj_mulJacVec(m, d, y, x))[0], (0, most - d.nefc)
        ),
        batch=lambda b: b.mul_jac_vec(x)[:, :most],
    )
    most_contacts = max(data.ncon for data in w.datas)

    def forces(m: Any, d: Any) -> np.ndarray:
        result = np.zeros((most_contacts, 6))
        for k in range(d.ncon):
            mujoco.mj_contactForce(m, d, k, result[k])
        return result

    def one_forces(m: Any, d: Any) -> np.ndarray:
        return np.pad(lw.contact_force(m, d), ((0, most_contacts - d.ncon), (0, 0)))

    w.compare("mj_contactForce", forces, one_forces, lambda b: b.contact_force[:, :most_contacts])


def geometry(w: Worlds) -> None:
    mj = w.mj
    convex = [g for g in range(mj.ngeom) if mj.geom_type[g] in (0, 2, 3, 4, 5, 6)]
    if len(convex) > 1:
        g1, g2 = (int(g) for g in w.rng.choice(convex, 2, replace=False))
        reach = 2 * float(mj.stat.extent)

        def distance(m: Any, d: Any) -> Any:
            ends = np.zeros((1, 6))
            return mujoco.mj_geomDistance(m, d, g1, g2, reach, ends)

        w.compare(
            "mj_geomDistance", distance, lambda m, d: lw.geom_distance(m, d, g1, g2, reach)[0],
            lambda b: b.geom_distance(g1, g2, reach)[0],
        )  # fmt: skip
    if mj.nsite:
        site, point = w.some(mj.nsite), w.datas[0].site_xpos[w.some(mj.nsite)] + 0.01
        w.compare(
            "mj_insideSite", lambda m, d: mujoco.mj_insideSite(m, d, site, point),
            lambda m, d: lw.inside_site(m, d, site, point), lambda b: b.inside_site(site, point),
        )  # fmt: skip
    if mj.ngeom:
        pnt, vec = raying.aimed(mj, w.datas[0], 8, w.rng)

        def met(found: Any) -> tuple[Any, Any]:
            """Distances and normals: of surfaces at one distance, either geom may be met."""
            return found[0], found[2]

        def one_by_one(m: Any, d: Any) -> tuple[np.ndarray, ...]:
            rays = (lw.ray(m, d, p, v) for p, v in zip(pnt, vec, strict=True))
            return tuple(np.array(x) for x in zip(*rays, strict=True))

        w.compare(
            "mj_ray", lambda m, d: met(raying.mj_rays(m, d, pnt, vec)),
            lambda m, d: met(one_by_one(m, d)), lambda b: met(b.ray(pnt, vec, normal=True)),
        )  # fmt: skip
        w.compare(
            "mj_multiRay", lambda m, d: met(raying.mj_multi_ray(m, d, pnt[0], vec, 1e10)),
            lambda m, d: met(lw.multi_ray(m, d, pnt[0], vec)),
        )  # fmt: skip


CONSTANTS = (
    "body_subtreemass", "body_invweight0", "dof_invweight0", "tendon_length0", "tendon_invweight0",
    "actuator_length0", "actuator_acc0", "cam_pos0", "geom_rbound", "dof_M0",
)  # fmt: skip


def constants(w: Worlds) -> None:
    """mj_setConst after an edit of masses."""
    scale = w.rng.uniform(0.5, 2.0, w.mj.nbody)

    def edited(mj: Any) -> Any:
        mj.body_mass[:] *= scale
        mj.body_inertia[:] *= scale[:, None]
        return mj

    def mj_constants(mj: Any, d: Any) -> tuple[np.ndarray, ...]:
        other = edited(copy.copy(mj))
        mujoco.mj_setConst(other, mujoco.MjData(other))
        return read(other, *CONSTANTS)

    def one(m: Any, d: Any) -> tuple[np.ndarray, ...]:
        other = edited(lw.load(w.mj))
        lw.set_const(other)
        return read(other, *CONSTANTS)

    def batch(b: Any) -> tuple[np.ndarray, ...]:
        b.expand("body_mass")[:] *= scale
        b.expand("body_inertia")[:] *= scale[:, None]
        b.set_const()
        shared = [(b.expanded(name), getattr(w.m, name)) for name in CONSTANTS]
        return tuple(
            np.array([same] * b.nsim if rows is None else rows, float) for rows, same in shared
        )

    w.compare("mj_setConst", mj_constants, one, batch)


# ---- Jacobians, motions, derivatives


def jacobians(w: Worlds) -> None:
    nv, mj = w.nv, w.mj
    body, point, axis = 1 + w.some(mj.nbody - 1), w.normal(3), w.normal(3)
    axis /= np.linalg.norm(axis)
    two, one = filled((3, nv), (3, nv)), filled((3, nv))
    w.compare(
        "mj_jac", lambda m, d: two(lambda p, r: mujoco.mj_jac(m, d, p, r, point, body)),
        lambda m, d: lw.jac(m, d, point, body), lambda b: b.jac(body, point),
    )  # fmt: skip
    w.compare(
        "mj_jacDot", lambda m, d: two(lambda p, r: mujoco.mj_jacDot(m, d, p, r, point, body)),
        lambda m, d: lw.jac_dot(m, d, point, body), lambda b: b.jac_dot(body, point),
    )  # fmt: skip
    w.compare(
        "mj_jacPointAxis",
        lambda m, d: two(lambda p, r: mujoco.mj_jacPointAxis(m, d, p, r, point, axis, body)),
        lambda m, d: lw.jac_point_axis(m, d, point, axis, body),
        lambda b: b.jac_point_axis(body, point, axis),
    )
    numbers = {"body": body, "body_com": body}
    numbers |= {"geom": w.some(mj.ngeom)} if mj.ngeom else {}
    numbers |= {"site": w.some(mj.nsite)} if mj.nsite else {}
    for what, number in numbers.items():
        name = "mj_jac" + what.title().replace("_", "")
        w.compare(
            name,
            lambda m, d, n=name, k=number: two(lambda p, r: getattr(mujoco, n)(m, d, p, r, k)),
            lambda m, d, n=what, k=number: getattr(lw, f"jac_{n}")(m, d, k),
            lambda b, n=what, k=number: getattr(b, f"jac_{n}")(k),
        )
    if mj.body_subtreemass[body] <= 0.0:
        return
    w.compare(
        "mj_jacSubtreeCom", lambda m, d: one(lambda p: mujoco.mj_jacSubtreeCom(m, d, p, body)),
        lambda m, d: lw.jac_subtree_com(m, d, body), lambda b: b.jac_subtree_com(body),
    )  # fmt: skip
    w.compare(
        "mj_angmomMat", lambda m, d: one(lambda p: mujoco.mj_angmomMat(m, d, p, body)),
        lambda m, d: lw.angmom_mat(m, d, body), lambda b: b.angmom_mat(body),
    )  # fmt: skip


def motions(w: Worlds) -> None:
    mj = w.mj
    body = 1 + w.some(mj.nbody - 1)
    force, torque, point, pos = (w.normal(3) for _ in range(4))
    quat = random_quat(w.rng, odd=False)
    kind, local = mujoco.mjtObj.mjOBJ_XBODY, w.some(2)

    def push(m: Any, d: Any) -> np.ndarray:
        total = np.zeros(w.nv)
        mujoco.mj_applyFT(m, d, force, torque, point, body, total)
        return total

    w.compare(
        "mj_applyFT", push, lambda m, d: lw.apply_ft(m, d, force, torque, point, body),
        lambda b: b.apply_ft(force, torque, point, body),
    )  # fmt: skip
    w.compare(
        "mj_objectVelocity",
        lambda m, d: filled((6,))(
            lambda y: mujoco.mj_objectVelocity(m, d, kind, body, y, local)
        ),
        lambda m, d: lw.object_velocity(m, d, "xbody", body, bool(local)),
        lambda b: b.object_velocity("xbody", body, bool(local)),
    )  # fmt: skip

    def acceleration(m: Any, d: Any) -> Any:
        mujoco.mj_rnePostConstraint(m, d)
        return filled((6,))(lambda y: mujoco.mj_objectAcceleration(m, d, kind, body, y, local))

    def one_acceleration(m: Any, d: Any) -> Any:
        lw.rne_post_constraint(m, d)
        return lw.object_acceleration(m, d, "xbody", body, bool(local))

    w.compare(
        "mj_objectAcceleration", acceleration, one_acceleration,
        lambda b: b.object_acceleration("xbody", body, bool(local)),
    )  # fmt: skip
    w.compare(
        "mj_local2Global",
        lambda m, d: filled((3,), (9,))(
            lambda p, r: mujoco.mj_local2Global(d, p, r, pos, quat, body, 0)
        ),
        lambda m, d: lw.local_to_global(m, d, pos, quat, body),
        lambda b: b.local_to_global(pos, quat, body),
    )
    qvel = w.normal(w.nv)

    def integrated(m: Any, d: Any) -> np.ndarray:
        qpos = np.array(d.qpos)
        mujoco.mj_integratePos(m, qpos, qvel, 0.1)
        return qpos

    w.compare("mj_integratePos", integrated, lambda m, d: lw.integrate_pos(m, d.qpos, qvel, 0.1))
    start = np.array(mj.qpos0)
    w.compare(
        "mj_differentiatePos",
        lambda mj, d: filled((w.nv,))(
            lambda y: mujoco.mj_differentiatePos(mj, y, 0.1, start, d.qpos)
        ),
        lambda m, d: lw.differentiate_pos(m, 0.1, start, d.qpos),
    )

    def normalized(m: Any, d: Any) -> np.ndarray:
        qpos = 2.0 * np.array(d.qpos)
        mujoco.mj_normalizeQuat(m, qpos)
        return qpos

    w.compare("mj_normalizeQuat", normalized, lambda m, d: lw.normalize_quat(m, 2.0 * d.qpos))


def derivatives(w: Worlds) -> None:
    """By finite differences: their bar is 1e-6."""
    mj, nv = w.mj, w.nv
    n, nu, ns = 2 * nv + mj.na, mj.nu, mj.nsensordata

    def transition(m: Any, d: Any) -> tuple[np.ndarray, ...]:
        made = np.zeros((n, n)), np.zeros((n, nu)), np.zeros((ns, n)), np.zeros((ns, nu))
        mujoco.mjd_transitionFD(m, d, EPS, True, *(x if x.size else None for x in made))
        return made

    w.compare(
        "mjd_transitionFD", transition, lambda m, d: tuple(lw.transition_fd(m, d, EPS, True)),
        lambda b: tuple(b.transition_fd(eps=EPS, centered=True)),
    )  # fmt: skip

    def inverse(m: Any, d: Any) -> tuple[np.ndarray, ...]:
        made = [np.zeros((nv, k)) for k in (nv, nv, nv, ns, ns, ns, mj.nC)]
        mujoco.mjd_inverseFD(m, d, EPS, False, *(x if x.size else None for x in made))
        return tuple(made)

    if mj.opt.noslip_iterations:  # not of that
        return
    qacc = np.array([d.qacc for d in w.datas])
    w.compare(
        "mjd_inverseFD", inverse, lambda m, d: tuple(lw.inverse_fd(m, d, EPS)),
        lambda b: tuple(b.inverse_fd(qacc, EPS)),
    )  # fmt: skip


# ---- what is compared where

COMPARISONS = (main, stages, integrators, state, past, products, geometry, constants)


def compare_functions(w: Worlds) -> None:
    """All that the model has something for."""
    for part in COMPARISONS:
        part(w)
    if w.mj.nbody > 1 and w.nv:
        jacobians(w)
        motions(w)
    runge_kutta = w.mj.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4
    # MuJoCo has no derivatives of those, and of springs that yield what it returns is none
    without = runge_kutta or w.mj.nhistory or w.mj.nplastic
    if 0 < w.nv <= SMALL and not without:
        derivatives(w)


# where stages share a section of the table of fields: which of its fields a function writes
WRITES = {
    "mj_projectConstraint": ("efc_AR",),
    "mj_referenceConstraint": ("efc_vel", "efc_aref"),
    "mj_makeConstraint": (
        "ne", "nf", "nl", "nefc", "efc_type", "efc_id", "efc_J", "efc_pos", "efc_margin",
        "efc_frictionloss", "efc_diagA", "efc_KBIP", "efc_D", "efc_R",
    ),
    "mj_collision": tuple(f.name for f in fields.READ if f.stage == "collision"),
}  # fmt: skip


def compared_by_fields() -> Iterator[tuple[str, tuple[str, ...]]]:
    """(function, fields) of stages that have no entry of their own"""
    for twin in twins.TWINS:
        called = {name.removeprefix("lw.") for code in twin.one for name in twins.dotted(code)}
        sections = {STAGES[name].section for name in called if name in STAGES}
        names = tuple(f.name for f in fields.READ if f.stage in sections and not f.own)
        for name in twin.names:
            if names or name in WRITES:
                yield name, WRITES.get(name, names)
