"""The last world of a gang that still iterates goes on alone; it has the bits that it had."""

import numpy as np
import pytest

import lanewise as lw
from lanewise.models import path

READ = ("qacc", "qfrc_constraint", "efc_force", "solver_niter")


def lonely(counts):
    """Whether one world of the gang iterates longer than all others."""
    least, most = np.sort(counts)[-2:]
    return most > least


@pytest.mark.parametrize("varied", [False, True], ids=["one model", "a model each"])
@pytest.mark.parametrize("cone", [0, 1], ids=["pyramidal", "elliptic"])
@pytest.mark.parametrize("name", ["humanoid", "hand"])
def test_a_gang_and_worlds_by_themselves(name, cone, varied):
    m = lw.load(path(name))
    m.opt.cone = cone
    gang, rng = lw.Batch(m, 8, nthread=1), np.random.default_rng(1)
    gang.step(nstep=100)
    gang.qvel[...] += rng.normal(scale=0.2, size=gang.qvel.shape)
    masses = m.body_mass * rng.uniform(0.8, 1.2, (8, 1))
    if varied:
        gang.expand("body_mass")[...] = masses
    for field in READ:
        gang.bind(field)
    seen = 0
    for _ in range(10):
        before = gang.state.copy()
        gang.step()
        seen += lonely(gang.solver_niter.reshape(8, -1).max(axis=1))
        for w in (0, 5, 7):
            one = lw.Batch(m, 1)
            one.state[...] = before[w]
            if varied:
                one.expand("body_mass")[...] = masses[w]
            for field in READ:
                one.bind(field)
            one.step()
            for field in ("state", *READ):
                ours, theirs = getattr(gang, field)[w], getattr(one, field)[0]
                np.testing.assert_array_equal(ours, theirs, f"{field} of world {w}")
    assert seen > 2
