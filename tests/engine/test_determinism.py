"""A world's trajectory has the same bits wherever it is computed.

The same world runs alone, in every lane, among other neighbours, in batches of other sizes, at
other places in the batch, on other numbers of threads, and in one call or in many. One bit of
difference fails.
"""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import generator, parity, zoo

NSTEP = 12
SEEDS = (3, 11, 27, 42, 58)
CASES = [f"own/{name}" for name in ("crooked", "walker", "tendons", "swimmer", "ballchain")]
CASES += [f"seed {seed}" for seed in SEEDS]


class World:
    """A model, the state row of one world, and its trajectory computed alone."""

    def __init__(self, label: str):
        if label.startswith("seed"):
            self.mj_model = mujoco.MjModel.from_xml_string(generator.generate(int(label[5:])))
        else:
            self.mj_model = zoo.load(label)
        self.m = lw.load(self.mj_model)
        self.rng = np.random.default_rng(17)
        self.row = self.random_row()
        self.alone = self.rollout(self.row[None, :])[0]

    def random_row(self) -> np.ndarray:
        d = lw.put_data(self.m, parity.random_state(self.mj_model, self.rng, 0.4))
        return d.state_lanes[:, 0].copy()

    def rollout(self, rows: np.ndarray) -> np.ndarray:
        """The state rows after NSTEP steps of one Data with a lane for each row."""
        d = lw.Data(self.m, lanes=len(rows))
        d.state_lanes[:, : len(rows)] = rows.T
        for _ in range(NSTEP):
            lw.step(self.m, d)
        return d.state_lanes[:, : len(rows)].T.copy()


@pytest.fixture(scope="module", params=CASES)
def world(request):
    return World(request.param)


def assert_same_bits(actual: np.ndarray, expected: np.ndarray) -> None:
    """Equal as bit patterns, so that NaN equals NaN and -0 differs from 0."""
    different = np.flatnonzero(actual.view(np.uint64) != expected.view(np.uint64))
    assert not different.size, (
        f"{different.size} numbers differ, first state[{different[0]}]:"
        f" {actual[different[0]]!r} and {expected[different[0]]!r}"
    )


def test_repeats(world):
    assert_same_bits(world.rollout(world.row[None, :])[0], world.alone)


@pytest.mark.parametrize("lane", range(8))
def test_any_lane_among_any_neighbours(world, lane):
    rows = np.stack([world.random_row() for _ in range(8)])
    rows[lane] = world.row
    assert_same_bits(world.rollout(rows)[lane], world.alone)


def test_beside_a_broken_neighbour(world):
    """A neighbour that is not a number, infinite or huge does not leak into the next lane."""
    rows = np.stack([world.row] * 8)
    place = world.m.state_slices["qvel"]
    if place.stop > place.start:
        rows[0, place.start], rows[3, place.start], rows[7, place.start] = np.nan, np.inf, 1e300
    for lane in (1, 2, 4, 5, 6):
        assert_same_bits(world.rollout(rows)[lane], world.alone)


def _batch(world, nsim: int, nthread: int, place: int):
    b = lw.Batch(world.m, nsim=nsim, nthread=nthread)
    for sim in range(nsim):
        b.state[sim] = world.random_row() if sim % 3 else world.row * 1.0
    b.state[place] = world.row
    return b


@pytest.mark.parametrize("nthread", [1, 2, 3])
@pytest.mark.parametrize(("nsim", "place"), [(1, 0), (5, 4), (8, 3), (13, 9), (64, 37)])
def test_any_batch(world, nsim, place, nthread):
    b = _batch(world, nsim, nthread, place)
    b.step(nstep=NSTEP)
    assert_same_bits(b.state[place], world.alone)


def test_one_call_or_many(world):
    b = _batch(world, 11, 2, 6)
    for _ in range(NSTEP):
        b.step()
    assert_same_bits(b.state[6], world.alone)


def test_some_worlds_or_all(world):
    """Worlds picked by their ids share a gang with others than in a call on all."""
    b = _batch(world, 19, 2, 12)
    b.step(ids=[0, 5, 12, 13, 18], nstep=NSTEP)
    assert_same_bits(b.state[12], world.alone)


def test_with_derived_fields_bound(world):
    """Asking for outputs changes no number of the state."""
    b = _batch(world, 10, 2, 2)
    b.bind("xpos")
    b.bind("qacc")
    b.step(nstep=NSTEP)
    assert_same_bits(b.state[2], world.alone)
