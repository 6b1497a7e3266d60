"""A world's trajectory has the same bits wherever it is computed.

The same world runs alone, in every lane, among other neighbours, in batches of other sizes, at
other places in the batch, on other numbers of threads, and in one call or in many; one lane wide
and eight lanes wide, with every integrator and solver. One bit of difference fails.
"""

from functools import partial

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.fields import READ
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


# ---- widths


def _bundled(name: str, **options: int) -> mujoco.MjModel:
    mj_model = mujoco.MjModel.from_xml_path(str(lw.models.path(name)))
    for option, value in options.items():
        setattr(mj_model.opt, option, value)
    return mj_model


WIDE_STEPS = 50
WIDTHS = {name: partial(_bundled, name) for name in lw.models.names()}
WIDTHS |= {name: make for name, make in zoo.ZOO.items() if name.startswith("own/")}
# all integrators with the solvers in turn; a heap, whose matrices differ between worlds, too
WIDTHS |= {
    f"{name}, integrator {integrator}, solver {solver}, cone {cone}": partial(
        _bundled, name, integrator=integrator, solver=solver, cone=cone
    )
    for name in ("humanoid", "boxes")
    for integrator, solver, cone in [
        (0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 2, 1), (1, 1, 1), (2, 2, 0), (3, 0, 1), (4, 1, 0),
        (4, 2, 1),
    ]
}  # fmt: skip
WIDTHS |= {f"{x}, noslip": partial(_bundled, x, noslip_iterations=5) for x in ("hand", "boxes")}


def _random_rows(m: lw.Model, n: int) -> np.ndarray:
    rng = np.random.default_rng(3)
    worlds = [lw.put_data(m, parity.random_state(m.mj, rng, 0.3)) for _ in range(n)]
    return np.stack([lw.get_state(m, d) for d in worlds])


@pytest.mark.parametrize("label", WIDTHS)
@pytest.mark.filterwarnings("ignore:.*than there is room for:RuntimeWarning")
def test_any_width(label):
    m = lw.load(WIDTHS[label]())
    rows = _random_rows(m, 9)
    alone, three = lw.Data(m), lw.Data(m, lanes=3)
    lw.set_state(m, alone, rows[0])
    lw.set_state(m, three, rows[[1, 0, 2]])
    for _ in range(WIDE_STEPS):
        lw.step(m, alone)
        lw.step(m, three)
    expected = lw.get_state(m, alone)
    assert_same_bits(lw.get_state(m, three)[1], expected)
    for nsim in (1, 7, 8, 9, 64):
        b = lw.Batch(m, nsim=nsim, nthread=1)
        place = nsim // 2
        b.state[...] = rows[1 + np.arange(nsim) % 8]
        b.state[place] = rows[0]
        b.step(nstep=WIDE_STEPS)
        assert_same_bits(b.state[place], expected)


@pytest.mark.parametrize("name", ["humanoid", "boxes", "quadruped"])
def test_results_in_any_width(name):
    """Not only the state: everything that can be read is the same."""
    m = lw.load(_bundled(name, jacobian=0))  # dense: several worlds have no other form
    rows = _random_rows(m, 3)
    alone, three = lw.Data(m), lw.Data(m, lanes=3)
    lw.set_state(m, alone, rows[0])
    lw.set_state(m, three, rows[[1, 0, 2]])
    for d in (alone, three):
        lw.step(m, d, 10)
        lw.rne_post_constraint(m, d)
        lw.contact_force(m, d)
    for f in READ:
        ours, theirs = getattr(alone, f.name), getattr(three, f.name)[1]
        if f.name == "efc_AR":  # rows as long as the fullest world has them
            n = int(three.nefc.max())
            theirs = theirs.reshape(n, n)[: alone.nefc, : alone.nefc].ravel()
        np.testing.assert_array_equal(theirs[: len(ours)] if f.dims else theirs, ours, f.name)


@pytest.mark.parametrize("lanes", [2, 3, 7])
@pytest.mark.parametrize("name", ["humanoid", "boxes"])
def test_spare_lanes_follow_the_first_world(name, lanes):
    """They have no contacts but those of the first world, so they ask for no work of their own."""
    m = lw.load(_bundled(name))
    d = lw.Data(m, lanes=lanes)
    lw.set_state(m, d, _random_rows(m, lanes))
    for _ in range(5):
        lw.step(m, d)
        ncon = int(d.ncon[0])
        assert ncon > 0
        for f in READ:  # what follows from positions; a heap's solver passes spare lanes over
            if f.stage in ("kinematics", "collision") and f.name not in ("contact.H", "contact.mu"):
                array = d.arrays[f.name][:ncon] if f.capacity else d.arrays[f.name]
                for lane in range(lanes, d.width):
                    np.testing.assert_array_equal(array[..., lane], array[..., 0], f.name)
