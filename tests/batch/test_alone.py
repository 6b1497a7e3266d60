"""Worlds that would have a gang to themselves run one lane wide, and nobody can tell."""

import numpy as np
import pytest

import lanewise as lw
from lanewise.lanes import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="as plain Python every world has eight lanes")


def batches(name, few=9, seed=0):
    """Worlds of which the last are alone, and twelve, of which none is; in the same states."""
    m = lw.load(lw.models.path(name))
    some, all_ = lw.Batch(m, few, nthread=1), lw.Batch(m, 12, nthread=1)
    rng = np.random.default_rng(seed)
    for b in (some, all_):
        b.step(nstep=50)
    all_.qvel[...] += rng.normal(scale=0.1, size=all_.qvel.shape)
    some.state[...] = all_.state[:few]
    return some, all_


@pytest.mark.parametrize(
    ("name", "few"), [("humanoid", 9), ("boxes", 10), ("boxes", 2), ("pendulum", 9)]
)
def test_outputs_and_state(name, few):
    some, all_ = batches(name, few)
    read = ("xpos", "qacc", "ncon", "cfrc_ext", "efc_force", "contact.dist", "subtree_linvel")
    for call in ("step", "forward"):
        for b in (some, all_):
            for field in read:
                b.bind(field)
            getattr(b, call)()
        assert some._runner.threads._rest == few % 8
        assert all_._runner.threads._lone is None
        for field in ("state", *read):
            ours = some.state if field == "state" else some.bind(field)
            theirs = all_.state if field == "state" else all_.bind(field)
            np.testing.assert_array_equal(ours, theirs[:few], f"{call} {field}")


@pytest.mark.parametrize("few", [9, 10])
def test_rollout_inverse_and_jacobian(few):
    some, all_ = batches("humanoid", few)
    control = np.random.default_rng(1).normal(size=(12, 5, some.model.nu))
    ours = some.rollout(5, control[:few], record=("qpos", "xpos"))
    theirs = all_.rollout(5, control, record=("qpos", "xpos"))
    for item in ours:
        np.testing.assert_array_equal(ours[item], theirs[item][:few], item)
    qacc = np.random.default_rng(2).normal(size=(12, some.model.nv))
    for b, rows in ((some, qacc[:few]), (all_, qacc)):
        b.bind("qfrc_inverse")
        b.inverse(rows)
    np.testing.assert_array_equal(some.qfrc_inverse, all_.qfrc_inverse[:few])
    for one, other in zip(some.jac(3, np.zeros(3)), all_.jac(3, np.zeros(3)), strict=True):
        np.testing.assert_array_equal(one, other[:few])


def test_some_worlds_and_another_order():
    some, all_ = batches("quadruped")
    for b in (some, all_):
        for ids in ([4], [2, 7], [0, 1, 2, 3, 4, 5, 6, 7, 8], None):
            if b is all_ and ids is None:
                ids = np.arange(9)
            for _ in range(12):  # often enough to be ordered by effort
                b.step(ids)
    np.testing.assert_array_equal(some.state, all_.state[:9])


def test_models_of_their_own_have_no_such_way():
    some, all_ = batches("pendulum")
    for b in (some, all_):
        b.expand("body_mass")[...] *= np.linspace(1.0, 2.0, b.nsim)[:, None]
    all_.expand("body_mass")[:9] = some.expand("body_mass")
    some.step(nstep=5)
    all_.step(nstep=5)
    np.testing.assert_array_equal(some.state, all_.state[:9])
