"""Jacobians, motions, frames and forces in all worlds of a Batch."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import generator, zoo
from support.batches import NSIM
from support.states import random_state
from support.twins import OBJECTS, TWINS, counts, forwarded, same

FULL = mujoco.mjtState.mjSTATE_INTEGRATION
MODELS = ("own/crooked", "own/mocap", "own/multijoint", "own/cameras", "own/static", "seed 4")
OF_OBJECTS = {
    "jac_body": "nbody",
    "jac_body_com": "nbody",
    "jac_geom": "ngeom",
    "jac_site": "nsite",
}


def load(name):
    if name.startswith("seed "):
        return mujoco.MjModel.from_xml_string(generator.generate(int(name[5:])))
    return zoo.ZOO[name]()


class Both:
    """A Batch in random states, and MuJoCo's data of the same."""

    def __init__(self, name, n=NSIM):
        self.label, self.mj = name, load(name)
        rng = np.random.default_rng(7)
        self.states = forwarded(self.mj, [random_state(self.mj, rng, 0.3) for _ in range(n)])
        self.b = lw.Batch(self.mj, n, nthread=2)
        for row, state in zip(self.b.state, self.states, strict=True):
            mujoco.mj_getState(self.mj, state, row, FULL)

    def check(self, name, ours, *arguments, ids=None, tolerance=1e-12):
        """`arguments` are MuJoCo's, functions of a world's place in the call or values."""
        worlds = self.states if ids is None else [self.states[i] for i in ids]
        theirs = [
            TWINS[name](self.mj, d, *(x(k) if callable(x) else x for x in arguments))
            for k, d in enumerate(worlds)
        ]
        several = isinstance(ours, tuple)
        expected = tuple(map(np.array, zip(*theirs, strict=True))) if several else np.array(theirs)
        same(name, ours, expected, self.label, tolerance)


@pytest.fixture(scope="module", params=MODELS)
def both(request):
    return Both(request.param)


@pytest.fixture(autouse=True)
def _nothing_changes(request):
    """A question leaves states, outputs, warnings and what is bound as they were."""
    if "both" not in request.fixturenames:
        yield
        return
    b = request.getfixturevalue("both").b
    before = b.state.copy(), b.xpos.copy(), b.warning.copy()
    yield
    for x, y in zip(before, (b.state, b.xpos, b.warning), strict=True):
        np.testing.assert_array_equal(x, y)


def test_objects(both):
    for name, size in OF_OBJECTS.items():
        number = getattr(both.mj, size)
        ours = getattr(both.b, name)(range(number))
        assert ours[0].shape == (NSIM, number, 3, both.mj.nv)
        for k in range(number):
            both.check(name, tuple(x[:, k] for x in ours), k)
        if number:
            both.check(name, getattr(both.b, name)(number - 1), number - 1)


def test_subtrees(both):
    bodies = np.flatnonzero(both.mj.body_subtreemass > 0.0)
    for name in ("jac_subtree_com", "angmom_mat"):
        ours = getattr(both.b, name)(bodies)
        for k, body in enumerate(bodies):
            both.check(name, ours[:, k], int(body))


@pytest.mark.parametrize("ids", [None, [0, 3, 4, 17]], ids=("all", "some"))
def test_points(both, ids):
    b, n = both.b, NSIM if ids is None else len(ids)
    rng = np.random.default_rng(1)
    point, axis = rng.normal(size=(2, n, 3))
    for body in (both.mj.nbody - 1, rng.integers(both.mj.nbody, size=n)):
        of = np.broadcast_to(body, n)
        where = lambda k: point[k]  # noqa: E731
        body_of = lambda k, of=of: int(of[k])  # noqa: E731
        both.check("jac", b.jac(body, point, ids), where, body_of, ids=ids)
        both.check("jac_dot", b.jac_dot(body, point, ids), where, body_of, ids=ids)
        both.check(
            "jac_point_axis", b.jac_point_axis(body, point, axis, ids), where,
            lambda k: axis[k], body_of, ids=ids,
        )  # fmt: skip
        both.check(
            "apply_ft", b.apply_ft(axis, -point, point, body, ids), lambda k: axis[k],
            lambda k: -point[k], where, body_of, ids=ids,
        )  # fmt: skip
        quat = rng.normal(size=(n, 4))
        for sameframe in range(5):
            both.check(
                "local_to_global", b.local_to_global(point, quat, body, sameframe, ids), where,
                lambda k, quat=quat: quat[k], body_of, sameframe, ids=ids,
            )  # fmt: skip


def test_motions(both):
    for kind, number in counts(both.mj).items():
        for local in (False, True):
            if number:
                velocity = both.b.object_velocity(kind, range(number), local)
                acceleration = both.b.object_acceleration(OBJECTS[kind], range(number), local)
            for k in range(number):
                both.check("object_velocity", velocity[:, k], kind, k, local, tolerance=1e-11)
                # forces of constraints have the accuracy of a solver
                both.check(
                    "object_acceleration", acceleration[:, k], kind, k, local, tolerance=1e-7
                )


# ---- beside one world, to the bit


@pytest.mark.parametrize("name", ["own/crooked", "quadruped"])
def test_worlds_have_the_bits_of_a_data(name):
    m = lw.load(lw.models.path(name) if name == "quadruped" else load(name))
    b = lw.Batch(m, 9, nthread=1)
    rng = np.random.default_rng(0)
    b.qpos[:] = lw.integrate_pos(m, b.qpos, rng.normal(size=(9, m.nv)), 0.3)
    b.qvel[:] = rng.normal(size=(9, m.nv))
    point, force = rng.normal(size=(2, 3))
    body = m.nbody - 1
    ours = [
        *b.jac(body, point), *b.jac(np.full(9, body), point), *b.jac_dot(body, point),
        b.angmom_mat(1), b.jac_subtree_com(1), b.object_velocity("body", body, True),
        b.apply_ft(force, point, point, body), *b.local_to_global(point, (1, 2, 3, 4), body),
    ]  # fmt: skip
    for k in (0, 7, 8):  # the last one is alone in its gang
        d = lw.Data(m)
        d.qpos, d.qvel = b.qpos[k], b.qvel[k]
        lw.forward(m, d)
        alone = [
            *lw.jac(m, d, point, body), *lw.jac(m, d, point, body), *lw.jac_dot(m, d, point, body),
            lw.angmom_mat(m, d, 1), lw.jac_subtree_com(m, d, 1),
            lw.object_velocity(m, d, "body", body, True),
            lw.apply_ft(m, d, force, point, point, body),
            *lw.local_to_global(m, d, point, (1, 2, 3, 4), body),
        ]  # fmt: skip
        for one, other in zip(ours, alone, strict=True):
            np.testing.assert_array_equal(one[k], other)


def test_neighbours_do_not_count():
    m = lw.load(lw.models.path("humanoid"))
    b, worlds = lw.Batch(m, 16, nthread=1), np.array([3, 5, 12])
    b.qpos[:] += 0.1 * np.random.default_rng(0).normal(size=b.qpos.shape)
    bodies = np.arange(16) % m.nbody
    whole = *b.jac(bodies, np.ones(3)), b.object_acceleration("site", "chest"), b.full_m()
    b.qpos[0], b.qpos[13] = np.nan, 1e300
    some = (
        *b.jac(bodies[worlds], np.ones(3), ids=worlds),
        b.object_acceleration("site", "chest", ids=worlds), b.full_m(worlds),
    )  # fmt: skip
    for x, y in zip(whole, some, strict=True):
        np.testing.assert_array_equal(x[worlds], y)


# ---- shapes


@pytest.fixture(scope="module")
def b():
    b = lw.Batch(lw.load(lw.models.path("arm")), 5, nthread=1)
    b.qpos[:] = np.random.default_rng(0).normal(size=b.qpos.shape)
    return b


def test_many_points(b):
    point = np.random.default_rng(1).normal(size=(5, 4, 3))
    jacp, jacr = b.jac(_names(b)[2], point)
    assert jacp.shape == jacr.shape == (5, 4, 3, b.model.nv)
    # bodies by point, for all worlds or for each
    bodies = np.array([1, 3, 0, 5])
    shared, each = b.jac(bodies, point), b.jac(np.tile(bodies, (5, 1)), point)
    for k, body in enumerate(bodies):
        for x, y, z in zip(shared, each, b.jac(int(body), point[:, k]), strict=True):
            np.testing.assert_array_equal(x[:, k], z)
            np.testing.assert_array_equal(y[:, k], z)
    # points of all worlds
    same_points = b.jac(3, point[:1])[0]
    np.testing.assert_array_equal(same_points[4, 2], b.jac(3, point[0, 2])[0][4])
    # other bodies in each world
    other = (np.arange(20) % b.model.nbody).reshape(5, 4)
    jacp = b.jac(other, point)[0]
    np.testing.assert_array_equal(jacp[2, 3], b.jac(int(other[2, 3]), point[2, 3])[0][2])


def _names(b):
    return [b.model.body(k).name for k in range(b.model.nbody)]


def test_many_frames_and_forces(b):
    rng = np.random.default_rng(2)
    pos, force = rng.normal(size=(2, 5, 2, 3))
    xpos, xmat = b.local_to_global(pos, (1, 0, 0, 0), [1, 4])
    assert xpos.shape == (5, 2, 3) and xmat.shape == (5, 2, 9)
    np.testing.assert_array_equal(xpos[:, 1], b.local_to_global(pos[:, 1], (1, 0, 0, 0), 4)[0])
    total = b.apply_ft(force, (0, 0, 0), pos, [1, 4])
    parts = [b.apply_ft(force[:, k], (0, 0, 0), pos[:, k], (1, 4)[k]) for k in (0, 1)]
    np.testing.assert_allclose(total, sum(parts), atol=1e-13)
    assert b.object_velocity("site", ["grip", 0]).shape == (5, 2, 6)


def test_names_of_each_world(b):
    names = [_names(b)[k] for k in (1, 2, 3, 2, 1)]
    by_name, by_number = b.jac(names, np.ones(3)), b.jac([1, 2, 3, 2, 1], np.ones(3))
    np.testing.assert_array_equal(by_name[0], by_number[0])


def test_no_worlds_and_no_objects(b):
    nv = b.model.nv
    assert b.jac_site("grip", ids=[])[0].shape == (0, 3, nv)
    assert b.jac_body([])[0].shape == (5, 0, 3, nv)
    assert b.jac(1, np.zeros((1, 0, 3)))[0].shape == (5, 0, 3, nv)
    assert b.object_velocity("site", []).shape == (5, 0, 6)
    assert (
        b.apply_ft(np.zeros((1, 0, 3)), (0, 0, 0), (0, 0, 0), 1).tolist()
        == np.zeros((5, nv)).tolist()
    )


# ---- models of their own


def test_worlds_with_their_own_numbers():
    """Expanded masses and places count, world by world."""
    mj = load("own/crooked")
    b = lw.Batch(mj, 10, nthread=1)
    rng = np.random.default_rng(3)
    mass, pos = b.expand("body_mass"), b.expand("body_pos")
    mass[:] *= rng.uniform(0.5, 2.0, mass.shape)
    pos[:, 1:] += 0.1 * rng.normal(size=(10, mj.nbody - 1, 3))
    b.set_const()
    b.qpos[:] = lw.normalize_quat(lw.load(mj), b.qpos + 0.3 * rng.normal(size=b.qpos.shape))
    b.qvel[:] = rng.normal(size=b.qvel.shape)
    point = rng.normal(size=(10, 3))
    ours = {
        "jac": b.jac(mj.nbody - 1, point), "jac_dot": b.jac_dot(mj.nbody - 1, point),
        "jac_subtree_com": b.jac_subtree_com(1), "angmom_mat": b.angmom_mat(1),
        "full_m": b.full_m(), "object_acceleration": b.object_acceleration("xbody", 1),
    }  # fmt: skip
    for k in (0, 5, 9):
        own = b.get_model(k)
        d = b.get_data(k)
        forwarded(own, [d])
        arguments = {
            "jac": (point[k], mj.nbody - 1), "jac_dot": (point[k], mj.nbody - 1), "full_m": (),
            "object_acceleration": ("xbody", 1, False),
        }  # fmt: skip
        for name, value in ours.items():
            one = tuple(x[k] for x in value) if isinstance(value, tuple) else value[k]
            same(name, one, TWINS[name](own, d, *arguments.get(name, (1,))), "expanded", 1e-9)


# ---- mistakes


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda b: b.jac_site("grp"), ValueError, "no site 'grp'.*did you mean 'grip'"),
        (lambda b: b.jac_body(99), ValueError, r"body must be in \[0, .*got 99"),
        (lambda b: b.jac_body([[1]]), ValueError, "a sequence of them"),
        (lambda b: b.jac(np.zeros(3), 1), ValueError, "body must be names or integers"),
        (lambda b: b.jac(1, np.zeros((4, 3))), ValueError, r"each of 5 worlds.*point \(4,\)"),
        (lambda b: b.jac(1, np.zeros((4, 2, 3))), ValueError, r"\(5, k\); got .*point \(4, 2\)"),
        (lambda b: b.jac([1, 2], np.zeros(3)), ValueError, r"got body \(2,\)"),
        (lambda b: b.jac([1, 2], np.zeros((5, 3, 3))), ValueError, r"body \(2,\), point \(5, 3\)"),
        (lambda b: b.jac(1, np.zeros((1, 1, 1, 3))), ValueError, r"point \(1, 1, 1\)"),
        (lambda b: b.jac(1, np.zeros((5, 3)), ids=[0, 1]), ValueError, "each of 2 worlds"),
        (lambda b: b.jac_site("grip", ids=[9]), ValueError, r"ids must be in \[0, 5\), got 9"),
        (lambda b: b.object_velocity("grip", 0), ValueError, "kind must be one of body"),
        (lambda b: b.apply_ft((1, 2), (0, 0, 0), (0, 0, 0), 1), ValueError, "force must have 3"),
        (lambda b: b.mul_jac_vec(np.zeros(2)), ValueError, r"x takes shape \(5, "),
        (lambda b: b.mul_jac_t_vec(np.zeros((3, 4))), ValueError, r"x takes shape \(5, 4\)"),
        (lambda b: b.mul_jac_t_vec(1.0), ValueError, r"shape \(5, rows\) or \(rows,\), got \(\)"),
    ],
)
def test_mistakes(b, call, error, words):
    with pytest.raises(error, match=words):
        call(b)
