"""The first read of an output, and fresh outputs: what they say, and that they change nothing."""

import warnings

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.batch.field_names import DATA_FIELDS, MORE_FIELDS
from lanewise.batch.outputs import level_of
from lanewise.fields import STATE_FIELDS
from lanewise.mjconst import STAGE_ACC
from support import zoo

NSIM = 19
MODELS = ["own/contacts_primitives", "own/tendons", "own/cameras", "own/crooked"]


def moving(model, **options):
    """A batch whose worlds have fallen for a while, no two alike; things touch."""
    b = lw.Batch(zoo.ZOO[model](), NSIM, 2, **options)
    rng = np.random.default_rng(3)
    b.qvel[:] = 0.3 * rng.normal(size=b.qvel.shape)
    b.step(nstep=200)
    return b


def everything(b):
    """What a user can see of a batch but the outputs."""
    return [b.state.copy(), b.warning.copy(), b.status.copy()]


@pytest.mark.parametrize("model", MODELS)
def test_first_read_is_of_the_present_state(model):
    """Every output that follows from the state: as `forward` computes it for that state."""
    names = sorted((DATA_FIELDS | MORE_FIELDS) - set(STATE_FIELDS))
    b = moving(model)
    before = everything(b)
    expected = lw.Batch(b.model, NSIM, 1)
    expected.state[:] = b.state
    for name in names:
        expected.bind(name)
    expected.forward()
    for name in names:
        first = b.bind(name)
        if level_of(name) <= STAGE_ACC:
            np.testing.assert_array_equal(first, expected.bind(name), name)
        else:
            assert not first.any(), name
    for then, now in zip(before, everything(b), strict=True):
        np.testing.assert_array_equal(then, now)


def test_first_five_lines():
    """What everybody writes first: steps, and then a look at what came of them."""
    m = lw.load(lw.models.path("pendulum"))
    b = lw.Batch(m, nsim=100)
    b.qpos[:, 0] = 0.1
    b.step(nstep=10)
    d = mujoco.MjData(m.mj)
    d.qpos[0] = 0.1
    mujoco.mj_step(m.mj, d, 10)
    mujoco.mj_forward(m.mj, d)
    np.testing.assert_allclose(b.xipos, np.tile(d.xipos, (100, 1, 1)), rtol=1e-12, atol=1e-12)


def test_reads_do_not_change_what_follows():
    read, silent = moving("own/contacts_primitives"), moving("own/contacts_primitives")
    for _ in range(4):
        for name in ("efc_force", "contact.dist", "xpos", "cfrc_ext"):
            read.bind(name)
            read.unbind(name)  # as if it were the first time
        read.step(nstep=3)
        silent.step(nstep=3)
    np.testing.assert_array_equal(read.state, silent.state)


def test_later_calls_fill_it_as_before():
    b, bound = moving("own/contacts_primitives"), moving("own/contacts_primitives")
    names = ("xpos", "ncon", "contact.dist", "contact.geom", "qacc", "efc_force")
    for name in names:
        bound.bind(name)
    b.step()
    bound.step()
    for name in names:
        b.bind(name)
    for _ in range(6):
        b.step(nstep=7)
        bound.step(nstep=7)
        for name in names:
            np.testing.assert_array_equal(b.bind(name), bound.bind(name), name)


def test_what_stands_beyond_the_contacts_is_zero():
    """Also where a first read found more contacts than the calls before and after it."""
    b = moving("own/contacts_primitives")
    pos, fallen = b.contact.pos, b.state.copy()
    b.reset()
    high = b.state.copy()
    b.state[:] = fallen
    dist = b.contact.dist
    assert dist.any() and not b.ncon.any()
    b.state[:] = high
    for _ in range(3):
        b.step()
        beyond = np.arange(dist.shape[1]) >= b.ncon[:, None]
        assert not dist[beyond].any()
        assert not pos[beyond].any()


def test_bad_states_are_read_as_they_are():
    b = moving("own/crooked")
    b.qpos[3] = np.nan
    before = everything(b)
    xpos = b.xpos
    assert np.isnan(xpos[3]).any() and np.isfinite(np.delete(xpos, 3, 0)).all()
    for then, now in zip(before, everything(b), strict=True):
        np.testing.assert_array_equal(then, now)
    b.step()
    assert b.warning[3].any()  # the step is the first to complain


def test_a_read_says_nothing_of_room():
    """Contacts that have no room are counted and told of by calls only."""
    fallen = moving("own/contacts_primitives")
    b = lw.Batch(fallen.model, NSIM, 1, nconmax=1)
    b.state[:] = fallen.state
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (b.ncon == 1).any() and b.contact.dist.any()
    assert not b.warning.any()
    with pytest.warns(RuntimeWarning, match="nconmax"):
        b.step()


def test_worlds_that_cannot_run_are_zero():
    b = lw.Batch(zoo.load("own/crooked"), 5, 1)
    b.expand("opt.integrator")[2] = 99
    xpos = b.xpos
    assert not xpos[2].any() and xpos[[0, 1, 3, 4]].any(axis=(1, 2)).all()
    assert not b.status.any() and b.error(2) == ""


def test_worlds_with_models_of_their_own():
    b = lw.Batch(lw.load(lw.models.path("pendulum")), 5, 1)
    b.qpos[:, 0] = 0.3
    b.expand("body_pos")[3, 1, 2] += 1.0
    xpos = b.xpos
    assert xpos[3, 1, 2] == xpos[0, 1, 2] + 1.0


def test_pair_force_the_first_time():
    b = moving("own/contacts_primitives")
    geoms = range(b.model.ngeom)
    _ = b.contact.frame  # one of its fields is there already
    b.step(nstep=3)
    force, number = b.pair_force([0], geoms[1:])
    expected = lw.Batch(b.model, NSIM, 1)
    expected.state[:] = b.state
    expected.contact_force, expected.contact.frame, expected.contact.geom, expected.ncon  # noqa: B018
    expected.forward()
    theirs = expected.pair_force([0], geoms[1:])
    np.testing.assert_array_equal(force, theirs[0])
    np.testing.assert_array_equal(number, theirs[1])
    assert number.any()


# ---- persistent


def test_persistent_has_values_before_the_first_call():
    b = lw.Batch(zoo.load("own/crooked"), NSIM, 1, persistent=True)
    b.qpos[:] += 0.1
    assert b.xpos[:, 1:].any() and b.qacc.any()


def test_persistent_calls_fill_what_they_compute():
    b = lw.Batch(zoo.load("own/crooked"), NSIM, 1, persistent=True)
    b.forward(stage=1)
    assert b.xpos.any() and not b.qacc.any()


# ---- fresh


@pytest.mark.parametrize("model", MODELS)
def test_fresh_outputs_describe_the_state_after_a_call(model):
    b, plain = moving(model, fresh=True), moving(model)
    names = ("xpos", "cvel", "qacc", "ncon", "contact.dist", "contact_force", "ten_length")
    for name in names:
        b.bind(name)
    rng = np.random.default_rng(0)
    control = rng.uniform(-1, 1, (NSIM, 4, b.model.nu))
    for call in (
        lambda b: b.step(nstep=3),
        lambda b: b.step([1, 5, 6]),
        lambda b: b.forward(stage=1),
        lambda b: b.rollout(4, control),
        lambda b: b.reset([2, 3], stage=0),
    ):
        call(b)
        call(plain)
        np.testing.assert_array_equal(b.state, plain.state)
        now = lw.Batch(b.model, NSIM, 1)
        now.state[:] = b.state
        for name in names:
            np.testing.assert_array_equal(b.bind(name), now.bind(name), name)


def test_fresh_after_a_rollout_that_stops():
    b = moving("own/crooked", fresh=True)
    _ = b.xpos
    b.qvel[4] = 1e30
    b.rollout(3)
    now = lw.Batch(b.model, NSIM, 1)
    now.state[:] = b.state
    np.testing.assert_array_equal(b.xpos, now.xpos)


# ---- what is said


@pytest.mark.parametrize(
    "call",
    [
        lambda b: b.step(10),
        lambda b: b.step(np.int64(10)),
        lambda b: b.forward(3),
        lambda b: b.reset(3),
        lambda b: b.rollout(2, ids=3),
        lambda b: b.jac(1, np.zeros(3), 3),
    ],
)
def test_a_number_is_no_list_of_worlds(call):
    b = lw.Batch(mujoco.MjModel.from_xml_string("<mujoco/>"), 19)
    with pytest.raises((TypeError, ValueError), match="nstep="):
        call(b)
    b.step([10])
