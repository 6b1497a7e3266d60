"""Jacobians in the worlds of a Data beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import generator, zoo
from support.states import random_state
from support.twins import TWINS, forwarded, same

OWN = [name for name in zoo.ZOO if name.startswith("own/")]
OF_OBJECTS = {
    "jac_body": "nbody",
    "jac_body_com": "nbody",
    "jac_geom": "ngeom",
    "jac_site": "nsite",
}
OF_SUBTREES = ("jac_subtree_com", "angmom_mat")
TOLERANCE = 1e-12


def worlds(mj, n, seed=0):
    rng = np.random.default_rng([seed, 12])
    return forwarded(mj, [random_state(mj, rng) for _ in range(n)])


def check_all(mj, states, label):
    """Every function at every object of a model, in one world and in several."""
    m, rng = lw.load(mj), np.random.default_rng(3)
    for d, first in ((lw.put_data(m, states[0]), 0), (lw.put_data(m, states), None)):
        point, axis = rng.normal(size=(2, mj.nbody, 3))
        bodies = np.arange(mj.nbody)
        # one object after another is one call: (k, 3, nv), after the axis of worlds
        for name, size in OF_OBJECTS.items():
            objects = range(getattr(mj, size))
            check(name, m, d, states, first, [(k,) for k in objects], (list(objects),), label)
        for name in OF_SUBTREES:
            # where nothing has mass, MuJoCo has NaN, and so have we
            massive = np.flatnonzero(mj.body_subtreemass > 0.0)
            check(name, m, d, states, first, [(k,) for k in massive], (massive,), label)
        lead = (None,) if first is None else ()  # items of all worlds: (1, k, 3)
        rows = list(zip(point, bodies, strict=True))
        check("jac", m, d, states, first, rows, (point[lead], bodies), label)
        check("jac_dot", m, d, states, first, rows, (point[lead], bodies), label)
        rows = list(zip(point, axis, bodies, strict=True))
        arguments = point[lead], axis[lead], bodies
        check("jac_point_axis", m, d, states, first, rows, arguments, label)


def check(name, m, d, states, first, rows, arguments, label):
    """`rows` are the arguments of MuJoCo's calls, `arguments` those of ours."""
    ours = getattr(lw, name)(m, d, *arguments)
    theirs = [
        [TWINS[name](m.mj, state, *row) for row in rows]
        for state in (states if first is None else states[:1])
    ]
    if not rows:
        return
    pick = (lambda x: x) if first is None else (lambda x: x[0])
    if isinstance(ours, tuple):
        expected = tuple(pick(np.array([[r[k] for r in w] for w in theirs])) for k in (0, 1))
    else:
        expected = pick(np.array(theirs))
    same(name, ours, expected, label, TOLERANCE)


@pytest.mark.parametrize("name", OWN)
def test_own_models(name):
    mj = zoo.ZOO[name]()
    check_all(mj, worlds(mj, 3), name)


@pytest.mark.parametrize("seed", range(12))
def test_random_models(seed):
    mj = mujoco.MjModel.from_xml_string(generator.generate(seed))
    check_all(mj, worlds(mj, 2, seed), f"seed {seed}")


@pytest.mark.parametrize("name", ["humanoid", "hand"])
def test_bundled_models(name):
    mj = mujoco.MjModel.from_xml_path(str(lw.models.path(name)))
    check_all(mj, worlds(mj, 2), name)


# ---- meaning


@pytest.fixture(scope="module")
def crooked():
    mj = zoo.ZOO["own/crooked"]()
    m = lw.load(mj)
    (state,) = worlds(mj, 1)
    return m, lw.put_data(m, state)


def test_they_multiply_qvel(crooked):
    """J qvel is what the stages of velocities say."""
    m, d = crooked
    lw.subtree_vel(m, d)
    b = m.nbody - 1
    velocity = lw.object_velocity(m, d, "xbody", b)
    jacp, jacr = lw.jac_body(m, d, b)
    np.testing.assert_allclose(np.concatenate([jacr, jacp]) @ d.qvel, velocity, atol=1e-12)
    np.testing.assert_allclose(
        lw.jac_subtree_com(m, d, 1) @ d.qvel, d.subtree_linvel[1], atol=1e-12
    )
    np.testing.assert_allclose(lw.angmom_mat(m, d, 1) @ d.qvel, d.subtree_angmom[1], atol=1e-12)


def test_rate_is_a_difference(crooked):
    """jac_dot, by moving the world on for a moment."""
    m, d = crooked
    b, h, p_B = m.nbody - 1, 1e-6, np.array([0.1, -0.2, 0.3])
    around = []
    for t in (-h, h):
        moved = lw.Data(m)
        moved.qpos = lw.integrate_pos(m, d.qpos, d.qvel, t)
        lw.fwd_position(m, moved)
        point = moved.xpos[b] + moved.xmat[b].reshape(3, 3) @ p_B
        around.append(lw.jac(m, moved, point, b))
    point = d.xpos[b] + d.xmat[b].reshape(3, 3) @ p_B
    for rate, before, after in zip(lw.jac_dot(m, d, point, b), *around, strict=True):
        np.testing.assert_allclose(rate, (after - before) / (2 * h), atol=1e-7)


def test_least_stages(crooked):
    """Frames and motion axes are enough, as in MuJoCo; nothing of d changes."""
    m, full = crooked
    d = lw.Data(m)
    d.qpos, d.qvel = full.qpos, full.qvel
    for stage in (lw.kinematics, lw.com_pos, lw.com_vel):
        stage(m, d)
    before = {name: x.copy() for name, x in d.arrays.items() if name in ("cinert", "crb", "M")}
    for name in OF_SUBTREES:
        np.testing.assert_allclose(
            getattr(lw, name)(m, d, 1), getattr(lw, name)(m, full, 1), atol=1e-12
        )
    np.testing.assert_allclose(
        lw.jac_dot(m, d, np.ones(3), 2), lw.jac_dot(m, full, np.ones(3), 2), atol=1e-12
    )
    for name, x in before.items():
        np.testing.assert_array_equal(d.arrays[name], x)


def test_what_cannot_move():
    m = lw.load(zoo.ZOO["own/mocap"]())
    d = lw.Data(m)
    lw.forward(m, d)
    for body in range(m.nbody):
        if m.body_lastdof[body] < 0:
            for x in (*lw.jac_body(m, d, body), *lw.jac(m, d, np.ones(3), body)):
                assert x.shape == (3, m.nv) and not x.any()
    # a target without mass has no centre of mass
    (massless,) = np.flatnonzero((m.body_subtreemass == 0.0) & (m.body_mocapid >= 0))
    assert np.isnan(lw.jac_subtree_com(m, d, int(massless))).all()
    assert not lw.angmom_mat(m, d, int(massless)).any()


def test_a_model_without_dofs():
    m = lw.load('<mujoco><worldbody><body name="b"><geom size=".1"/></body></worldbody></mujoco>')
    d = lw.Data(m)
    lw.forward(m, d)
    assert lw.jac_body(m, d, "b")[0].shape == (3, 0)
    assert lw.jac(m, d, np.zeros((4, 3)), 1)[1].shape == (4, 3, 0)
    assert lw.angmom_mat(m, d, ["b", 0]).shape == (2, 3, 0)


# ---- shapes


@pytest.fixture(scope="module")
def arm():
    m = lw.load(lw.models.path("arm"))
    d = lw.Data(m)
    lw.reset_data(m, d, 0)
    lw.forward(m, d)
    return m, d


def test_names_and_numbers(arm):
    m, d = arm
    k = m.site("grip").id
    one = lw.jac_site(m, d, "grip")
    for same_site in (k, np.int32(k), np.int64(k)):
        np.testing.assert_array_equal(lw.jac_site(m, d, same_site), one)
    several = lw.jac_site(m, d, ["grip", k, "grip"])
    assert several[0].shape == (3, 3, m.nv)
    for x, y in zip(several, one, strict=True):
        np.testing.assert_array_equal(x, np.stack([y] * 3))
    body = int(m.site_bodyid[k])
    np.testing.assert_allclose(lw.jac(m, d, d.site_xpos[k], body), one, atol=1e-15)
    assert lw.jac_body(m, d, [])[0].shape == (0, 3, m.nv)


def test_points_and_bodies_broadcast(arm):
    m, d = arm
    points = np.random.default_rng(0).normal(size=(5, 3))
    jacp, jacr = lw.jac(m, d, points, 3)
    assert jacp.shape == jacr.shape == (5, 3, m.nv)
    np.testing.assert_array_equal(jacp[2], lw.jac(m, d, points[2], 3)[0])
    np.testing.assert_array_equal(
        lw.jac(m, d, points[2], [1, 3])[0], [lw.jac(m, d, points[2], b)[0] for b in (1, 3)]
    )
    strided = np.asfortranarray(points)[::2]
    np.testing.assert_array_equal(lw.jac(m, d, strided, 3)[0], jacp[::2])


def test_several_worlds(arm):
    m, _ = arm
    d = lw.Data(m, lanes=3)
    d.qpos[:] = np.random.default_rng(1).normal(size=(3, m.nq))
    lw.forward(m, d)
    point = np.random.default_rng(2).normal(size=(3, 3))
    # the same as worlds alone, to the bit
    alone = []
    for qpos in d.qpos:
        one = lw.Data(m)
        one.qpos = qpos
        lw.forward(m, one)
        alone.append(one)
    bodies = [2, 5, 0]
    for given, each in ((bodies, bodies), (4, [4] * 3), ([4, 4, 4], [4] * 3)):
        ours = lw.jac(m, d, point, given)
        for w, one in enumerate(alone):
            np.testing.assert_array_equal(
                [x[w] for x in ours], lw.jac(m, one, point[w], each[w]), err_msg=str(given)
            )
    # two points of each world
    both = lw.jac(m, d, np.stack([point, 2 * point], axis=1), [2, 5])
    assert both[0].shape == (3, 2, 3, m.nv)
    np.testing.assert_array_equal(both[0][1, 1], lw.jac(m, alone[1], 2 * point[1], 5)[0])
    assert lw.jac_site(m, d, "grip")[0].shape == (3, 3, m.nv)
    assert lw.jac_body(m, d, [1, 2])[0].shape == (3, 2, 3, m.nv)


# ---- mistakes


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m, d: lw.jac_site(m, d, "grp"), ValueError, "no site 'grp'.*did you mean 'grip'"),
        (lambda m, d: lw.jac_site(m, d, 9), IndexError, r"site must be in \[0, 1\), got 9"),
        (lambda m, d: lw.jac_body(m, d, -1), ValueError, r"body must be in \[0, .*, got -1"),
        (
            lambda m, d: lw.jac_body(m, d, 1.0),
            ValueError,
            "body must be names or integers, got 1.0",
        ),
        (lambda m, d: lw.jac_body(m, d, None), ValueError, "names or integers, got None"),
        (lambda m, d: lw.jac_body(m, d, [[1, 2]]), ValueError, r"a sequence .*shape \(1, 2\)"),
        (lambda m, d: lw.jac_geom(m, d, ["x"]), ValueError, "no geom 'x'"),
        (lambda m, d: lw.jac(m, d, (0, 0), 1), ValueError, r"point must have 3 numbers .*\(2,\)"),
        (lambda m, d: lw.jac(m, d, "abc", 1), TypeError, "point takes numbers"),
        (lambda m, d: lw.jac(m, d, 1, (0, 0, 0)), ValueError, "point must have 3 numbers"),
        (lambda m, d: lw.jac(m, d, np.zeros((4, 3)), [1, 2]), ValueError, r"\(k,\); got .*\(4,\)"),
        (lambda m, d: lw.jac(m, d, np.zeros((1, 4, 3)), 1), ValueError, r"got .*point \(1, 4\)"),
        (lambda m, d: lw.jac(d, m, (0, 0, 0), 1), TypeError, "the Model comes first"),
        (lambda m, d: lw.jac_dot(m.mj, d, (0, 0, 0), 1), TypeError, "lanewise.load makes a Model"),
        (lambda m, d: lw.angmom_mat(m, d, "tors"), ValueError, "no body 'tors'"),
    ],
)
def test_mistakes(arm, call, error, words):
    with pytest.raises(error, match=words):
        call(*arm)


def test_mistakes_with_several_worlds(arm):
    m, _ = arm
    d = lw.Data(m, lanes=3)
    with pytest.raises(ValueError, match=r"one for each of 3 worlds, \(3,\).*point \(2,\)"):
        lw.jac(m, d, np.zeros((2, 3)), 1)
    with pytest.raises(ValueError, match=r"\(1, k\) or \(3, k\); got body \(\), point \(2, 4\)"):
        lw.jac(m, d, np.zeros((2, 4, 3)), 1)
