"""Splines: what is between knots, that they reach over the horizon, that shifting is exact."""

import numpy as np
import pytest

from lanewise.plan.splines import KINDS, Spline, shifted

RNG = np.random.default_rng(5)


def curve(spline, first, knots, times):
    return spline.basis(first, np.asarray(times)) @ knots


@pytest.mark.parametrize("kind", KINDS)
def test_a_spline_goes_through_its_knots(kind):
    spline, knots = Spline(kind, 6, 0.9), RNG.normal(size=(6, 2))
    times = spline.spacing * (3 + np.arange(6))
    np.testing.assert_allclose(curve(spline, 3, knots, times), knots, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_add_up(kind):
    spline = Spline(kind, 7, 1.0)
    basis = spline.basis(0, np.linspace(-0.5, 2.0, 101))
    assert basis.shape == (101, 7)
    np.testing.assert_allclose(basis.sum(axis=1), 1.0, atol=1e-12)


def test_zero_stays_and_linear_is_straight():
    knots = np.array([[1.0], [3.0], [-2.0]])
    zero, linear = Spline("zero", 3, 2.0), Spline("linear", 3, 1.0)
    assert zero.spacing == linear.spacing == 1.0
    times = [0.0, 0.25, 0.99, 1.0, 1.5]
    assert curve(zero, 0, knots, times)[:, 0].tolist() == [1, 1, 1, 3, 3]
    np.testing.assert_allclose(
        curve(linear, 0, knots, times)[:, 0], [1, 1.5, 2.98, 3, 0.5], atol=1e-7
    )


def test_cubic_has_the_slopes_of_its_neighbours():
    spline, knots = Spline("cubic", 5, 2.0), RNG.normal(size=(5, 1))
    h, e = spline.spacing, 1e-5
    for k in (1, 2, 3):
        either = curve(spline, 0, knots, [k * h - e, k * h + e])[:, 0]
        slope = (knots[k + 1, 0] - knots[k - 1, 0]) / (2 * h)
        assert (either[1] - either[0]) / (2 * e) == pytest.approx(slope, rel=1e-3, abs=1e-4)


def test_cubic_follows_straight_lines_and_parabolas():
    """Slopes by neighbours are exact up to the second degree, away from the ends."""
    spline = Spline("cubic", 6, 1.5)
    at = spline.spacing * np.arange(6)
    knots = np.stack([2.0 * at - 1.0, at**2], axis=1)
    times = np.linspace(at[1], at[4], 40)
    wanted = np.stack([2.0 * times - 1.0, times**2], axis=1)
    np.testing.assert_allclose(curve(spline, 0, knots, times), wanted, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_the_horizon_is_between_knots_at_every_moment(kind):
    """No part of it is where a spline stays at its last knot: there, weights would not change."""
    spline = Spline(kind, 5, 0.7)
    for time in np.linspace(0.0, 3.0, 61):
        first = spline.first(time)
        ends = spline.spacing * np.array([first, first + 5 - (kind != "zero")])
        assert ends[0] <= time + 1e-8
        assert time + spline.horizon <= ends[1] + 1e-8


@pytest.mark.parametrize("kind", KINDS)
def test_shifting_changes_nothing_that_is_to_come(kind):
    """The curve of a plan is the same before and after knots have passed, to round-off."""
    spline, knots = Spline(kind, 7, 1.0), RNG.normal(size=(7, 3))
    first = spline.first(0.31)
    for time in (0.4, 0.55, 0.9, 1.2):
        new = spline.first(time)
        last = spline.spacing * (first + 6 - (kind == "cubic"))  # a slope is known up to here
        times = np.linspace(time, last, 30)
        after = curve(spline, new, shifted(knots, new - first), times)
        np.testing.assert_allclose(after, curve(spline, first, knots, times), atol=1e-7)


def test_shifting_beyond_the_end_leaves_the_last_knot():
    knots = np.arange(8.0).reshape(4, 2)
    assert shifted(knots, 2).tolist() == [[4, 5], [6, 7], [6, 7], [6, 7]]
    assert shifted(knots, 9).tolist() == [[6, 7]] * 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("cubik", 6, 1.0), "no spline 'cubik'.*did you mean 'cubic'"),
        (("cubic", 3, 1.0), "a cubic spline needs knots >= 4, got 3"),
        (("linear", 2, 1.0), "a linear spline needs knots >= 3, got 2"),
        (("zero", 5, 0.0), "horizon must be a time above 0 s, got 0.0"),
        (("zero", 5, np.nan), "horizon must be a time above 0 s, got nan"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(ValueError, match=words):
        Spline(*arguments)
