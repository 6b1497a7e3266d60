"""Random numbers of environments: those that each generator would draw alone."""

import copy

import numpy as np
import pytest

from lanewise.gym import seeds
from lanewise.gym.seeds import AHEAD, Generators

SEEDS = [7, 8, 9, 10, 11]


def alone(seed):
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))


@pytest.fixture(autouse=True, params=[1, 256])
def _many(request, monkeypatch):
    """With few environments as with many."""
    monkeypatch.setattr(seeds, "MANY", request.param)


def made():
    generators = Generators(len(SEEDS))
    generators.seed(SEEDS, np.arange(len(SEEDS)))
    return generators


@pytest.mark.parametrize("sizes", [(3,), (4, 7, 16), (5, AHEAD, 2)])
def test_uniform_numbers_are_those_of_each_generator(sizes):
    generators, twins = made(), [alone(seed) for seed in SEEDS]
    rng = np.random.default_rng(0)
    for k in range(60):
        which = np.flatnonzero(rng.random(len(SEEDS)) < 0.6)
        size = sizes[k % len(sizes)]
        rows = generators.draws(which).uniform(-0.2, 0.7, size)
        expected = np.array([twins[i].uniform(-0.2, 0.7, size) for i in which]).reshape(-1, size)
        np.testing.assert_array_equal(rows, expected)


def test_a_generator_that_is_asked_for_is_not_ahead():
    generators, twins = made(), [alone(seed) for seed in SEEDS]
    generators.draws(np.array([1, 3])).uniform(0, 1, 5)
    twins[1].uniform(size=5)
    assert generators[1].bit_generator.state == twins[1].bit_generator.state
    # from then on nobody draws ahead: it may be used from outside
    generators.draws(np.array([1])).uniform(0, 1, 5)
    twins[1].uniform(size=5)
    assert generators[1].integers(1000) == twins[1].integers(1000)


def test_normal_numbers_after_uniform_ones():
    generators, twin = made(), alone(SEEDS[2])
    draws = generators.draws(np.array([2]))
    np.testing.assert_array_equal(draws.uniform(0, 1, 4)[0], twin.uniform(0, 1, 4))
    np.testing.assert_array_equal(draws.normal(3)[0], twin.standard_normal(3))
    np.testing.assert_array_equal(draws.of(np.array([True])).uniform(0, 1, 4)[0], twin.random(4))


def test_a_seed_and_a_copy_start_where_they_should():
    generators, some = made(), np.array([0, 4])
    generators.draws(some).uniform(0, 1, 6)
    twin = copy.deepcopy(generators)
    expected = generators.draws(some).uniform(0, 1, 6)
    np.testing.assert_array_equal(twin.draws(some).uniform(0, 1, 6), expected)
    generators.seed([3] * len(SEEDS), some)
    np.testing.assert_array_equal(generators.draws(some).uniform(0, 1, 6)[1], alone(3).random(6))
