"""Motions, frames and forces in the worlds of a Data, and steps of positions, beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import generator, zoo
from support.states import random_quat, random_state
from support.twins import TWINS, counts, forwarded, same

OWN = [name for name in zoo.ZOO if name.startswith("own/")]


def worlds(mj, n, seed=0):
    rng = np.random.default_rng([seed, 13])
    return forwarded(mj, [random_state(mj, rng) for _ in range(n)])


def check_all(mj, states, label):
    m, rng = lw.load(mj), np.random.default_rng(3)
    alone, together = lw.put_data(m, states[0]), lw.put_data(m, states)
    # motions come from MuJoCo's cvel and cacc
    for kind, number in counts(mj).items():
        if not number:
            continue
        for local in (False, True):
            for name in ("object_velocity", "object_acceleration"):
                theirs = np.array([
                    [TWINS[name](mj, state, kind, k, local) for k in range(number)]
                    for state in states
                ])  # fmt: skip
                function = getattr(lw, name)
                ours = function(m, together, kind, range(number), local)
                same(name, ours, theirs, label, 1e-11)
                same(name, function(m, alone, kind, 0, local), theirs[0, 0], label, 1e-11)
    bodies = np.arange(mj.nbody)
    pos = rng.normal(size=(mj.nbody, 3))
    quat = np.array([random_quat(rng, odd=True) for _ in bodies])
    for sameframe in range(5):
        rows = [TWINS["local_to_global"](mj, states[0], *x, sameframe)
                for x in zip(pos, quat, bodies, strict=True)]  # fmt: skip
        expected = tuple(np.array([r[k] for r in rows]) for k in (0, 1))
        same("local_to_global", lw.local_to_global(m, alone, pos, quat, bodies, sameframe),
             expected, label, 1e-12)  # fmt: skip
    force, torque, point = rng.normal(size=(3, len(states), 3))
    expected = [TWINS["apply_ft"](mj, state, force[w], torque[w], point[w], mj.nbody - 1)
                for w, state in enumerate(states)]  # fmt: skip
    ours = lw.apply_ft(m, together, force, torque, point, mj.nbody - 1)
    same("apply_ft", ours, np.array(expected), label, 1e-12)


@pytest.mark.parametrize("name", OWN)
def test_own_models(name):
    mj = zoo.ZOO[name]()
    check_all(mj, worlds(mj, 3), name)


@pytest.mark.parametrize("seed", range(12))
def test_random_models(seed):
    mj = mujoco.MjModel.from_xml_string(generator.generate(seed))
    check_all(mj, worlds(mj, 2, seed), f"seed {seed}")


def test_whole_way():
    """From the state on, with our own stages; rne_post_constraint makes cacc."""
    mj = mujoco.MjModel.from_xml_path(str(lw.models.path("humanoid")))
    (state,) = worlds(mj, 1)
    m = lw.load(mj)
    d = lw.Data(m)
    lw.set_state(m, d, lw.get_state(m, lw.put_data(m, state)))
    lw.forward(m, d)
    lw.rne_post_constraint(m, d)
    for kind, name in (("site", "chest"), ("body", "left_foot"), ("xbody", "left_foot")):
        number = getattr(mj, kind.removeprefix("x"))(name).id
        for function in ("object_velocity", "object_acceleration"):
            ours = getattr(lw, function)(m, d, kind, name, local=True)
            same(function, ours, TWINS[function](mj, state, kind, number, True), kind, 1e-8)


def test_what_stands_still_feels_gravity():
    m = lw.load(zoo.ZOO["own/mocap"]())
    d = lw.Data(m)
    lw.forward(m, d)
    lw.rne_post_constraint(m, d)
    gravity = np.concatenate([np.zeros(3), -m.opt.gravity])
    np.testing.assert_array_equal(lw.object_acceleration(m, d, "xbody", 0), gravity)
    np.testing.assert_array_equal(lw.object_velocity(m, d, "xbody", 0), np.zeros(6))


def test_kinds_by_word_and_by_number():
    m = lw.load(zoo.ZOO["own/cameras"]())
    d = lw.Data(m)
    lw.forward(m, d)
    for word, kind in (("camera", mujoco.mjtObj.mjOBJ_CAMERA), ("xbody", 2), ("body", np.int64(1))):
        np.testing.assert_array_equal(
            lw.object_velocity(m, d, kind, 0), lw.object_velocity(m, d, word, 0)
        )


def test_forces_add_up():
    m = lw.load(lw.models.path("arm"))
    d = lw.Data(m)
    lw.reset_data(m, d, 0)
    lw.forward(m, d)
    rng = np.random.default_rng(0)
    force, torque, point = rng.normal(size=(3, 4, 3))
    bodies = [3, 1, 0, 5]
    parts = [lw.apply_ft(m, d, *x) for x in zip(force, torque, point, bodies, strict=True)]
    np.testing.assert_allclose(
        lw.apply_ft(m, d, force, torque, point, bodies), sum(parts), atol=1e-14
    )
    jacp, jacr = lw.jac(m, d, point[0], 3)
    np.testing.assert_allclose(parts[0], jacp.T @ force[0] + jacr.T @ torque[0], atol=1e-14)
    assert not parts[2].any()


# ---- positions


def check_positions(mj, seed, label):
    m, rng = lw.load(mj), np.random.default_rng([seed, 4])
    states = [random_state(mj, rng, history=False) for _ in range(4)]
    qpos = np.array([state.qpos for state in states])
    qvel = rng.normal(0, 2, (4, mj.nv))
    qvel[0] = 0.0
    dt = np.array([0.1, 0.5, -0.3, 3.0])
    moved = lw.integrate_pos(m, qpos, qvel, dt)
    expected = [TWINS["integrate_pos"](mj, *x) for x in zip(qpos, qvel, dt, strict=True)]
    same("integrate_pos", moved, np.array(expected), label, 1e-13)
    back = lw.differentiate_pos(m, dt, qpos, moved)
    expected = [TWINS["differentiate_pos"](mj, *x) for x in zip(dt, qpos, moved, strict=True)]
    same("differentiate_pos", back, np.array(expected), label, 1e-12)
    normal = lw.normalize_quat(m, qpos)
    same("normalize_quat", normal, np.array([TWINS["normalize_quat"](mj, q) for q in qpos]), label)
    # there and back, where no turn is more than half of one
    slow = 0.1 * qvel
    there = lw.integrate_pos(m, normal, slow, 0.1)
    same("differentiate_pos", lw.differentiate_pos(m, 0.1, normal, there), slow, label, 1e-9)


@pytest.mark.parametrize("name", ["own/crooked", "own/multijoint", "own/ballchain", "own/static"])
def test_positions(name):
    check_positions(zoo.ZOO[name](), 0, name)


@pytest.mark.parametrize("seed", range(20, 32))
def test_positions_of_random_models(seed):
    check_positions(mujoco.MjModel.from_xml_string(generator.generate(seed)), seed, f"seed {seed}")


def test_positions_of_any_shape():
    m = lw.load(zoo.ZOO["own/crooked"]())
    rng = np.random.default_rng(0)
    qpos = lw.normalize_quat(m, rng.normal(size=(2, 5, m.nq)))
    qvel, dt = rng.normal(size=(5, m.nv)), np.array([[0.1], [0.2]])
    moved = lw.integrate_pos(m, qpos, qvel, dt)
    assert moved.shape == (2, 5, m.nq)
    np.testing.assert_array_equal(moved[1, 3], lw.integrate_pos(m, qpos[1, 3], qvel[3], 0.2))
    rate = lw.differentiate_pos(m, 0.1, qpos[0, 0], moved)
    assert rate.shape == (2, 5, m.nv)
    assert lw.integrate_pos(m, qpos[0, 0], qvel[0], 0.1).shape == (m.nq,)
    before = qpos.copy()
    lw.normalize_quat(m, qpos * 2)
    np.testing.assert_array_equal(qpos, before)


# ---- mistakes


@pytest.fixture(scope="module")
def arm():
    m = lw.load(lw.models.path("arm"))
    return m, lw.Data(m)


X, Q = (0, 0, 1), (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m, d: lw.object_velocity(m, d, "joint", 0), ValueError, "one of body, xbody, geom"),
        (lambda m, d: lw.object_velocity(m, d, "sites", 0), ValueError, "did you mean 'site'"),
        (lambda m, d: lw.object_velocity(m, d, 3, 0), ValueError, "or its mjtObj; got 3"),
        (lambda m, d: lw.object_velocity(m, d, None, 0), ValueError, "got None"),
        (lambda m, d: lw.object_velocity(m, d, "site", "grap"), ValueError, "did you mean 'grip'"),
        (lambda m, d: lw.object_acceleration(m, d, "camera", 5), IndexError, "camera must be in"),
        (lambda m, d: lw.local_to_global(m, d, X, Q, 1, 5), ValueError, "from 0 to 4 .*got 5"),
        (lambda m, d: lw.local_to_global(m, d, X, Q, 1, "x"), TypeError, "must be a whole number"),
        (lambda m, d: lw.local_to_global(m, d, X, X, 1), ValueError, "quat must have 4 numbers"),
        (lambda m, d: lw.apply_ft(m, d, X, X, X, "bas"), ValueError, "no body 'bas'"),
        (lambda m, d: lw.apply_ft(m, d, X, (0, 1), X, 1), ValueError, "torque must have 3 numbers"),
        (lambda m, d: lw.integrate_pos(m, np.zeros(2), d.qvel, 1), ValueError, r"qpos .*\(2,\)"),
        (lambda m, d: lw.integrate_pos(m, d.qpos, np.zeros(2), 1), ValueError, r"qvel .*\(2,\)"),
        (lambda m, d: lw.integrate_pos(m, d.qpos, d.qvel, "1"), TypeError, "dt takes numbers"),
        (lambda m, d: lw.integrate_pos(d, d.qpos, d.qvel, 1), TypeError, "a lanewise.Model"),
        (lambda m, d: lw.differentiate_pos(m, 1, 0.0, d.qpos), ValueError, r"qpos1 .*got \(\)"),
        (lambda m, d: lw.normalize_quat(m, [1.0]), ValueError, r"qpos must have shape .*\(1,\)"),
        (lambda m, d: lw.solve_m2(m, d, [1.0]), ValueError, "x must have shape"),
    ],
)  # fmt: skip
def test_mistakes(arm, call, error, words):
    with pytest.raises(error, match=words):
        call(*arm)
