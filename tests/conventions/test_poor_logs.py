"""Detection of logs that show little: what is decided is right, and bias is no evidence.

Logs are drawn by support/poor_logs.py: rest, straight and slow motions, spins about an axis, with
bias, drift and noise, and poses that are stuck.
"""

import numpy as np
import pytest

from lanewise import conventions as cv
from support.detect_logs import (
    CHOICES,
    COM,
    CONVENTIONS,
    MOTIONS,
    MUJOCO,
    NEWTON,
    encode,
    prescribed,
    simulate,
)
from support.poor_logs import RICH, motion, poor_log

BIASES = (1e-4, 3e-3, 0.05, 0.7)
SOME = CONVENTIONS[5::97]


def biased(motion_, words, angular=0.0, linear=0.0):
    """A log with biases along an odd direction, in the unit of the log."""
    pos, quat, twist = encode(motion_, words)
    both = [linear, angular] if words["order"] == "linear_first" else [angular, linear]
    twist += np.kron(both, (0.6, -0.5, 0.3))
    return pos, quat, twist, motion_.dt


@pytest.fixture(scope="module")
def resting():
    return prescribed(*MOTIONS["at rest"], steps=60, dt=0.01)


@pytest.mark.parametrize("size", BIASES)
@pytest.mark.parametrize("kinds", [("angular",), ("linear",), ("angular", "linear")])
def test_at_rest_everything_is_undecided(resting, size, kinds):
    for words in SOME:
        d = cv.detect(*biased(resting, words, **dict.fromkeys(kinds, size)))
        assert set(d.undecided) == {*CHOICES, "up"}
        assert d.undecided["order"].startswith("nothing moves, whatever velocities say")
        assert set(d.systems) == set(cv.SYSTEMS)
    assert "any of the" in str(d)


def test_at_rest_noise_decides_nothing(resting):
    rng = np.random.default_rng(1)
    for words in SOME:
        log = biased(resting, words, 0.02, 0.01)
        for x in log[:3]:
            x += 10 ** rng.uniform(-6, -2) * rng.normal(size=x.shape)
        assert set(cv.detect(*log).undecided) == {*CHOICES, "up"}


def test_settled_on_a_floor_with_a_bias():
    """A simulated body that rests still moves a little, in the last digits."""
    settled = motion("settled on a floor", 60, 2e-3)
    for words in SOME:
        d = cv.detect(*biased(settled, words, angular=0.03))
        for name, value in words.items():
            assert getattr(d, name) in (value, "undecided"), name
        assert "angular_unit" in d.undecided


@pytest.mark.parametrize("size", BIASES)
def test_straight_with_a_gyro_bias(size):
    """The order of velocities shows, and nothing of turning does."""
    straight = motion("straight", 60, 0.01)
    for words in SOME:
        d = cv.detect(*biased(straight, words, angular=size))
        assert d.order == words["order"]
        assert {"angular_basis", "angular_unit"} <= set(d.undecided)
        assert d.undecided["angular_unit"].startswith("the body does not turn, whatever velocities")
        for name, value in words.items():
            assert getattr(d, name) in (value, "undecided"), name


@pytest.mark.parametrize("words", [MUJOCO, NEWTON, CONVENTIONS[350]])
def test_stuck_poses(words):
    pos, quat, twist = encode(simulate(120, dt=5e-3), words)
    d = cv.detect(np.tile(pos[3], (120, 1)), np.tile(quat[3], (120, 1)), twist, 5e-3, COM)
    assert set(d.undecided) == {*CHOICES, "up"}
    # the orientation alone: what needs it is not told
    d = cv.detect(pos, np.tile(quat[3], (120, 1)), twist, 5e-3, COM)
    assert {"quaternion", "rotation", "linear_basis", "angular_basis"} <= set(d.undecided)
    assert d.order in (words["order"], "undecided")


@pytest.mark.parametrize("size", [0.003, 0.03])
def test_bias_does_not_hide_a_rich_motion(size):
    rich = prescribed(*MOTIONS["generic"], steps=400, dt=5e-3)
    for words in SOME:
        d = cv.detect(*biased(rich, words, size, size), COM)
        for name in ("quaternion", "rotation", "order", "linear_basis", "angular_basis"):
            assert getattr(d, name) == words[name], name
    assert any("seems to have a bias" in note for note in d.notes) == (size == 0.03)


@pytest.mark.parametrize("words", [NEWTON, {**NEWTON, "linear_basis": "body"}])
def test_an_offset_is_no_better_than_a_bias(words):
    """Of a body that spins in place, w x d and a bias are the same."""
    spin = motion("spin about z", 60, 0.01)
    d = cv.detect(*biased(spin, {**words, "velocity_point": "origin"}, linear=0.01))
    assert {"linear_basis", "velocity_point"} <= set(d.undecided)


def test_shaking_is_no_free_flight():
    shaken = motion("shaken", 200, 1e-3)
    assert cv.detect(*encode(shaken, MUJOCO), shaken.dt).up == "undecided"


def test_long_steps_of_velocities_in_body_axes():
    """An integrator that holds the velocity of the world for a step is no offset."""
    thrown = simulate(20, dt=0.02)
    words = {**CONVENTIONS[0], "pose_point": "com", "velocity_point": "com", "linear_basis": "body"}
    d = cv.detect(*encode(thrown, words), thrown.dt)
    assert d.velocity_point in ("com", "undecided")


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_decided_wrongly(seed):
    rng = np.random.default_rng(1000 + seed)
    for _ in range(25):
        case = poor_log(rng)
        assert not case.wrong(cv.detect(*case.log)), case.about
    for _ in range(5):
        case = poor_log(rng, list(RICH), stuck=0.0)
        assert not case.wrong(cv.detect(*case.log)), case.about
