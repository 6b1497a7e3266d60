"""Which worlds go together in a gang: those with as many iterations and the same contacts."""

import numpy as np

import lanewise as lw
from lanewise.batch.similar import ITERATION, similar

# two balls over a floor, of which one, the other or both may lie on it
BALLS = """<mujoco><worldbody><geom type="plane" size="9 9 .1"/>
  <body pos="-1 0 .099"><joint type="slide" axis="0 0 1"/><geom size=".1"/></body>
  <body pos="1 0 .099"><joint type="slide" axis="0 0 1"/><geom size=".1"/></body>
</worldbody></mujoco>"""


def changes(*arrays):
    """How often something changes from one world to the next."""
    rows = np.stack(arrays)
    return int((rows[:, 1:] != rows[:, :-1]).any(axis=0).sum())


def test_iterations_count_first_then_contacts():
    rng = np.random.default_rng(0)
    iterations, sets = rng.integers(1, 4, 200), rng.integers(0, 5, 200)
    bits = np.array([0, 1, 1 << 62, (1 << 62) | 8, 8 | 1])[sets]
    effort = (ITERATION * (iterations + rng.uniform(-0.4, 0.4, 200))).astype(np.int32)
    order = similar(effort, bits)
    assert sorted(order) == list(range(200))
    assert np.all(np.diff(iterations[order]) >= 0)
    assert changes(iterations[order], sets[order]) == 3 * 5 - 1


def test_contacts_of_all_worlds_do_not_count():
    rng = np.random.default_rng(1)
    some = rng.integers(0, 2, 100)
    order = similar(np.zeros(100, np.int32), (some << 40) | 0b1011)
    assert changes(some[order]) == 1


def test_few_worlds_or_no_contacts_go_by_effort_alone():
    effort = np.random.default_rng(2).integers(0, 3 * ITERATION, 100).astype(np.int32)
    for n, bits in ((16, np.arange(16)), (100, np.zeros(100, np.int64)), (100, np.ones(100, int))):
        order = similar(effort[:n], bits.astype(np.int64))
        assert np.all(np.diff(effort[:n][order]) >= 0)


def test_worlds_of_a_batch_are_beside_those_with_the_same_contacts():
    b = lw.Batch(lw.load(BALLS), nsim=96, nthread=1)
    kind = np.random.default_rng(3).permutation(np.repeat([0, 1, 2], 32))
    b.qpos[kind == 1, 0] = 5.0
    b.qpos[kind == 2, 1] = 5.0
    for _ in range(4):
        b.step()
    gangs = kind[b._runner._places].reshape(-1, 8)
    assert np.all(gangs == gangs[:, :1])
