"""Optimizers without physics: what they make of noise and costs."""

import numpy as np
import pytest

from lanewise.plan import CEM, MPPI, PredictiveSampling
from lanewise.plan.optimizers import OPTIMIZERS, make

GOAL = np.array([[0.3, -0.5], [0.1, 0.7], [-0.2, 0.4]])


def improve(optimizer, rounds, n=64, seed=0, broken=()):
    """The way of a plan to a goal that costs know, and what is left of the distance."""
    rng, knots = np.random.default_rng(seed), np.zeros(GOAL.shape)
    for _ in range(rounds):
        noise = rng.standard_normal((n, *GOAL.shape))
        noise[0] = 0.0
        candidates = optimizer.sample(knots, noise)
        assert candidates.shape == noise.shape
        np.testing.assert_array_equal(candidates[0], knots)
        costs = ((candidates - GOAL) ** 2).sum(axis=(1, 2))
        costs[list(broken)] = np.inf
        knots = optimizer.update(candidates, costs)
    return float(np.abs(knots - GOAL).max())


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_all_of_them_find_a_goal(name):
    assert improve(make(name), 40) < 0.15
    assert improve(make(name), 40) < 0.5 * improve(make(name), 2)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_infinite_costs_count_for_nothing(name):
    """Samples that diverged may be any numbers, and the answer is that of the others."""
    rng = np.random.default_rng(1)
    candidates, costs = rng.normal(size=(20, 3, 2)), rng.uniform(1.0, 2.0, 20)
    costs[[3, 7, 8]] = np.inf
    wild = candidates.copy()
    wild[[3, 7, 8]] = 1e8
    first, second = make(name), make(name)
    for optimizer in (first, second):
        optimizer.sample(np.zeros((3, 2)), candidates)
    np.testing.assert_array_equal(first.update(candidates, costs), second.update(wild, costs))


def test_predictive_sampling_takes_the_best():
    candidates = np.arange(12.0).reshape(3, 2, 2)
    chosen = PredictiveSampling().update(candidates, np.array([2.0, 1.0, 3.0]))
    np.testing.assert_array_equal(chosen, candidates[1])


def test_mppi_weighs_by_costs():
    candidates, costs = np.array([[[0.0]], [[1.0]], [[2.0]]]), np.array([1.0, 2.0, 4.0])
    weights = np.exp(-costs / 0.7)
    wanted = (weights * [0.0, 1.0, 2.0]).sum() / weights.sum()
    plain = MPPI(temperature=0.7, relative=False).update(candidates, costs)
    assert plain.item() == pytest.approx(wanted)
    relative = MPPI(temperature=0.7 / costs.std())
    assert relative.update(candidates, costs).item() == pytest.approx(wanted)
    # of any size and from any level on
    assert relative.update(candidates, 1e6 * costs - 3.0).item() == pytest.approx(wanted)


def test_mppi_of_equal_costs_is_the_mean():
    candidates = np.array([[[0.0]], [[1.0]], [[5.0]]])
    assert MPPI().update(candidates, np.full(3, 7.0)).item() == pytest.approx(2.0)


def test_cem_narrows_and_widens():
    cem = CEM(noise=0.5, elites=4, least=0.05)
    knots, noise = np.zeros((3, 1)), np.random.default_rng(0).standard_normal((300, 3, 1))
    candidates = cem.sample(knots, noise)
    np.testing.assert_array_equal(candidates, 0.5 * noise)
    costs = np.abs(candidates[:, 0, 0])
    best = candidates[np.argsort(costs)[:4]]
    np.testing.assert_allclose(cem.update(candidates, costs), best.mean(axis=0))
    np.testing.assert_allclose(cem.spread, np.maximum(best.std(axis=0), 0.05))
    assert cem.spread[0, 0] == 0.05  # it was what costs are about
    kept = cem.spread.copy()
    cem.shift(1)  # new knots are as uncertain as at first
    np.testing.assert_array_equal(cem.spread, [kept[1], kept[2], [0.5]])
    cem.shift(0)
    cem.reset()
    np.testing.assert_array_equal(cem.sample(knots, noise), 0.5 * noise)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: make("mpi"), "no optimizer 'mpi'.*did you mean 'mppi'.*there are 'sampling'"),
        (lambda: MPPI(noise=0.0), "noise must be above 0, got 0.0"),
        (lambda: MPPI(temperature=-1.0), "temperature must be above 0, got -1.0"),
        (lambda: CEM(elites=np.nan), "elites must be above 0, got nan"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()
