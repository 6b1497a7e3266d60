"""Functions of a Data beside MuJoCo's: an entry is a name, what MuJoCo says, and what we say."""

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mujoco
import numpy as np

from ... import public
from ...loaders import load, put_data
from .findings import Findings
from .yardstick import World, apart

lw: Any = public  # stages are among its names when it runs

TOLERANCE, DIFFERENCED = 1e-9, 1e-5  # the second of finite differences
EPS = 1e-6  # step of finite differences
SMALL = 30  # dofs of a model whose derivatives are compared

Function = Callable[[Any, Any], Any]
Entry = tuple[str, Function, Function]


def filled(*shapes: tuple[int, ...]) -> Callable[[Callable[..., Any]], np.ndarray]:
    """Calls a function of MuJoCo's with arrays to fill, and returns these in one row."""

    def run(call: Callable[..., Any]) -> np.ndarray:
        arrays = [np.zeros(shape) for shape in shapes]
        call(*arrays)
        return _row(arrays)

    return run


def _row(results: Any) -> np.ndarray:
    """All numbers of one result or several."""
    several = isinstance(results, (tuple, list))
    return np.concatenate([np.ravel(np.asarray(x, float)) for x in results]) if several else (
        np.ravel(np.asarray(results, float))
    )  # fmt: skip


def compare_functions(found: Findings, mj: mujoco.MjModel, worlds: Sequence[World]) -> None:
    """All functions that the model has something for, in every world."""
    m, rng = load(mj), np.random.default_rng(5)
    for world in worlds:
        entries = [*_products(mj, rng), *_dynamics(mj, rng), *_geometry(mj, world.data, rng)]
        if mj.nbody > 1 and mj.nv:
            entries += [*_jacobians(mj, rng), *_motions(mj, rng)]
        for name, theirs, ours in entries:
            get = lambda data, f=theirs: _row(f(mj, copy.copy(data)))  # noqa: E731
            _note(found, name, world, get, ours, m, TOLERANCE)
        for name, theirs, ours in _derivatives(mj):
            get = lambda data, f=theirs: _row(f(mj, copy.copy(data)))  # noqa: E731
            _note(found, name, world, get, ours, m, DIFFERENCED)


def _note(found: Findings, name, world: World, get, ours, m, tolerance: float) -> None:
    try:
        expected = get(world.data)
    except mujoco.FatalError:  # MuJoCo refuses it for this model
        return
    mine = _row(ours(m, put_data(m, world.data)))
    found.saw(
        "functions", "function", name, apart(mine, expected),
        lambda: max(world.moves(get, expected), world.noise), tolerance=tolerance,
    )  # fmt: skip


def _products(mj: mujoco.MjModel, rng) -> Iterator[Entry]:
    nv, x = mj.nv, rng.normal(size=mj.nv)
    one = filled((nv,))
    yield "full_m", lambda m, d: filled((nv, nv))(lambda y: mujoco.mj_fullM(m, d, y)), lw.full_m
    if not nv:
        return
    yield (
        "mul_m", lambda m, d: one(lambda y: mujoco.mj_mulM(m, d, y, x)),
        lambda m, d: lw.mul_m(m, d, x),
    )  # fmt: skip
    yield (
        "solve_m", lambda m, d: filled((1, nv))(lambda y: mujoco.mj_solveM(m, d, y, x[None])),
        lambda m, d: lw.solve_m(m, d, x),
    )  # fmt: skip
    yield (
        "mul_jac_vec", lambda m, d: filled((d.nefc,))(lambda y: mujoco.mj_mulJacVec(m, d, y, x)),
        lambda m, d: lw.mul_jac_vec(m, d, x),
    )  # fmt: skip
    yield "contact_force", _forces, lambda m, d: lw.contact_force(m, d)


def _forces(m: mujoco.MjModel, d: mujoco.MjData) -> np.ndarray:
    result = np.zeros((d.ncon, 6))
    for k in range(d.ncon):
        mujoco.mj_contactForce(m, d, k, result[k])
    return result


def _dynamics(mj: mujoco.MjModel, rng) -> Iterator[Entry]:
    """Inverse dynamics of an acceleration that nothing has caused; forward after a change."""
    added, ctrl = rng.normal(size=mj.nv), 0.3 * rng.normal(size=mj.nu)
    discrete = mj.opt.enableflags & mujoco.mjtEnableBit.mjENBL_INVDISCRETE

    def inverse(call: Callable[..., None], m: Any, d: Any) -> np.ndarray:
        d.qacc[:] = added
        call(m, d)
        return np.array(d.qfrc_inverse)

    if not (discrete and mj.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4):
        yield (
            "inverse", lambda m, d: inverse(mujoco.mj_inverse, m, d),
            lambda m, d: inverse(lw.inverse, m, d),
        )  # fmt: skip

    def driven(call: Callable[..., None], m: Any, d: Any) -> tuple[np.ndarray, ...]:
        d.ctrl[:] = ctrl
        call(m, d, 2)
        return np.array(d.actuator_force), np.array(d.qfrc_smooth)

    skip = lambda m, d, k: mujoco.mj_forwardSkip(m, d, k, 1)  # noqa: E731
    yield (
        "forward_skip", lambda m, d: driven(skip, m, d), lambda m, d: driven(lw.forward_skip, m, d)
    )  # fmt: skip
    yield (
        "reset_data",
        lambda m, d: (mujoco.mj_resetData(m, d), np.array(d.qpos), np.array(d.ctrl))[1:],
        lambda m, d: (lw.reset_data(m, d), np.array(d.qpos), np.array(d.ctrl))[1:],
    )


def _geometry(mj: mujoco.MjModel, data: mujoco.MjData, rng) -> Iterator[Entry]:
    convex = [g for g in range(mj.ngeom) if mj.geom_type[g] in (0, 2, 3, 4, 5, 6)]
    reach = 2 * float(mj.stat.extent)
    if len(convex) > 1:
        g1, g2 = (int(g) for g in rng.choice(convex, 2, replace=False))
        yield (
            "geom_distance",
            lambda m, d: mujoco.mj_geomDistance(m, d, g1, g2, reach, np.zeros((1, 6))),
            lambda m, d: lw.geom_distance(m, d, g1, g2, reach)[0],
        )
    if mj.ngeom:
        geom = int(rng.integers(mj.ngeom))
        pnt = data.geom_xpos[geom] + mj.stat.extent * rng.normal(size=3)
        vec = data.geom_xpos[geom] - pnt

        def hit(m: Any, d: Any) -> tuple[Any, Any]:
            met, normal = np.zeros(1, np.int32), np.zeros(3)
            return mujoco.mj_ray(m, d, pnt, vec, None, True, -1, met, normal), normal

        yield "ray", hit, lambda m, d: lw.ray(m, d, pnt, vec)[::2]


def _jacobians(mj: mujoco.MjModel, rng) -> Iterator[Entry]:
    nv, body, point = mj.nv, 1 + int(rng.integers(mj.nbody - 1)), rng.normal(size=3)
    two = filled((3, nv), (3, nv))
    yield (
        "jac", lambda m, d: two(lambda p, r: mujoco.mj_jac(m, d, p, r, point, body)),
        lambda m, d: lw.jac(m, d, point, body),
    )  # fmt: skip
    yield (
        "jac_dot", lambda m, d: two(lambda p, r: mujoco.mj_jacDot(m, d, p, r, point, body)),
        lambda m, d: lw.jac_dot(m, d, point, body),
    )  # fmt: skip
    places = {"body": mj.nbody, "body_com": mj.nbody, "geom": mj.ngeom, "site": mj.nsite}
    for what, number in places.items():
        if number:
            k, name = int(rng.integers(number)), "mj_jac" + what.title().replace("_", "")
            yield f"jac_{what}", *_jacobian_of(two, getattr(mujoco, name), f"jac_{what}", k)
    if mj.body_subtreemass[body] > 0:
        one = filled((3, nv))
        yield (
            "jac_subtree_com",
            lambda m, d: one(lambda p: mujoco.mj_jacSubtreeCom(m, d, p, body)),
            lambda m, d: lw.jac_subtree_com(m, d, body),
        )


def _jacobian_of(two: Any, call: Any, name: str, k: int) -> tuple[Function, Function]:
    """What MuJoCo and we say of the Jacobian of one object."""
    return (
        lambda m, d: two(lambda p, r: call(m, d, p, r, k)),
        lambda m, d: getattr(lw, name)(m, d, k),
    )


def _motions(mj: mujoco.MjModel, rng) -> Iterator[Entry]:
    body = 1 + int(rng.integers(mj.nbody - 1))
    force, torque, point = rng.normal(size=(3, 3))
    kind, local = mujoco.mjtObj.mjOBJ_XBODY, int(rng.integers(2))
    yield (
        "apply_ft",
        lambda m, d: filled((mj.nv,))(
            lambda y: mujoco.mj_applyFT(m, d, force, torque, point, body, y)
        ),
        lambda m, d: lw.apply_ft(m, d, force, torque, point, body),
    )
    yield (
        "object_velocity",
        lambda m, d: filled((6,))(lambda y: mujoco.mj_objectVelocity(m, d, kind, body, y, local)),
        lambda m, d: lw.object_velocity(m, d, "xbody", body, bool(local)),
    )

    def theirs(m: Any, d: Any) -> np.ndarray:
        mujoco.mj_rnePostConstraint(m, d)
        call = mujoco.mj_objectAcceleration
        return filled((6,))(lambda y: call(m, d, kind, body, y, local))

    def ours(m: Any, d: Any) -> np.ndarray:
        lw.rne_post_constraint(m, d)
        return lw.object_acceleration(m, d, "xbody", body, bool(local))

    yield "object_acceleration", theirs, ours
    qvel, start = rng.normal(size=mj.nv), np.array(mj.qpos0)
    yield (
        "differentiate_pos",
        lambda m, d: filled((mj.nv,))(
            lambda y: mujoco.mj_differentiatePos(m, y, 0.1, start, d.qpos)
        ),
        lambda m, d: lw.differentiate_pos(m, 0.1, start, d.qpos),
    )

    def integrated(m: Any, d: Any) -> np.ndarray:
        qpos = np.array(d.qpos)
        mujoco.mj_integratePos(m, qpos, qvel, 0.1)
        return qpos

    yield "integrate_pos", integrated, lambda m, d: lw.integrate_pos(m, d.qpos, qvel, 0.1)


def _derivatives(mj: mujoco.MjModel) -> Iterator[Entry]:
    """By finite differences, of models that are small enough to wait for. MuJoCo has none of RK4,
    and what it returns for springs that yield is none."""
    runge_kutta = mj.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4
    if not 0 < mj.nv <= SMALL or runge_kutta or mj.nplastic:
        return
    n, nu = 2 * mj.nv + mj.na, mj.nu

    def transition(m: Any, d: Any) -> list[np.ndarray]:
        A, B = np.zeros((n, n)), np.zeros((n, nu))
        mujoco.mjd_transitionFD(m, d, EPS, True, A, B if nu else None, None, None)
        return [A, B]

    def ours(m: Any, d: Any) -> list[np.ndarray]:
        found = lw.transition_fd(m, d, EPS, True)
        return [found.A, found.B]

    yield "transition_fd", transition, ours
