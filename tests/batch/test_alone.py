"""A world that would have a gang to itself runs one lane wide, and nobody can tell."""

import numpy as np
import pytest

import lanewise as lw
from lanewise.lanes import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="as plain Python every world has eight lanes")


def batches(name, seed=0):
    """Nine worlds, of which the last is alone, and ten, of which none is; in the same states."""
    m = lw.load(lw.models.path(name))
    nine, ten = lw.Batch(m, 9, nthread=1), lw.Batch(m, 10, nthread=1)
    rng = np.random.default_rng(seed)
    for b in (nine, ten):
        b.step(nstep=50)
    ten.qvel[...] += rng.normal(scale=0.1, size=ten.qvel.shape)
    nine.state[...] = ten.state[:9]
    return nine, ten


@pytest.mark.parametrize("name", ["humanoid", "boxes", "pendulum"])
def test_outputs_and_state(name):
    nine, ten = batches(name)
    read = ("xpos", "qacc", "ncon", "cfrc_ext", "efc_force", "contact.dist", "subtree_linvel")
    for call in ("step", "forward"):
        for b in (nine, ten):
            for field in read:
                b.bind(field)
            getattr(b, call)()
        assert nine._runner.threads._lone is not None
        assert ten._runner.threads._lone is None
        for field in ("state", *read):
            ours = nine.state if field == "state" else nine.bind(field)
            theirs = ten.state if field == "state" else ten.bind(field)
            np.testing.assert_array_equal(ours, theirs[:9], f"{call} {field}")


def test_rollout_inverse_and_jacobian():
    nine, ten = batches("humanoid")
    control = np.random.default_rng(1).normal(size=(10, 5, nine.model.nu))
    ours = nine.rollout(5, control[:9], record=("qpos", "xpos"))
    theirs = ten.rollout(5, control, record=("qpos", "xpos"))
    for item in ours:
        np.testing.assert_array_equal(ours[item], theirs[item][:9], item)
    qacc = np.random.default_rng(2).normal(size=(10, nine.model.nv))
    for b, rows in ((nine, qacc[:9]), (ten, qacc)):
        b.bind("qfrc_inverse")
        b.inverse(rows)
    np.testing.assert_array_equal(nine.qfrc_inverse, ten.qfrc_inverse[:9])
    for one, other in zip(nine.jac(3, np.zeros(3)), ten.jac(3, np.zeros(3)), strict=True):
        np.testing.assert_array_equal(one, other[:9])


def test_some_worlds_and_another_order():
    nine, ten = batches("quadruped")
    for b in (nine, ten):
        for ids in ([4], [0, 1, 2, 3, 4, 5, 6, 7, 8], None):
            if b is ten and ids is None:
                ids = np.arange(9)
            for _ in range(12):  # often enough to be ordered by effort
                b.step(ids)
    np.testing.assert_array_equal(nine.state, ten.state[:9])


def test_models_of_their_own_have_no_such_way():
    nine, ten = batches("pendulum")
    for b in (nine, ten):
        b.expand("body_mass")[...] *= np.linspace(1.0, 2.0, b.nsim)[:, None]
    ten.expand("body_mass")[:9] = nine.expand("body_mass")
    nine.step(nstep=5)
    ten.step(nstep=5)
    np.testing.assert_array_equal(nine.state, ten.state[:9])
