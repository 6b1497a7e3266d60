"""Narrow-phase functions of pairs of geoms against MuJoCo's, on the same sizes and poses.

Every contact must be there, in MuJoCo's order, with its distance, position, normal and (where it is
given) first tangent to 1e-12. Where MuJoCo's own answer hangs on the last bit of its inputs, ours
may be any of its answers to inputs that differ by round-off, see `narrow_phase.agrees`; on poses
along the axes with sizes that are exact in binary nothing is rounded, and that is not allowed.
"""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lanewise.lanes import JIT, W
from support.narrow_phase import (
    KINDS,
    PAIRS,
    Case,
    Contact,
    Ours,
    Reference,
    agrees,
    distance,
    functions,
)
from support.pair_cases import TURNS, aligned_case, random_case, rotation, tilted_case

NAMES = [f"{a}-{b}" for a, b in PAIRS]
ROUNDS = 60 if JIT else 12  # of eight cases each
every_pair = pytest.mark.parametrize("kinds", PAIRS, ids=NAMES)


def gangs(draw, seed):
    rng = np.random.default_rng(seed)
    for _ in range(ROUNDS):
        yield [draw(rng) for _ in range(W)]


def failure(kinds, case, ours):
    return f"{case}\nMuJoCo: {Reference(*kinds)(case)}\nours:   {ours}"


# ------------------------------------------------------------------------- against MuJoCo


@every_pair
def test_random_poses(kinds):
    ours, reference, rng = Ours(*kinds), Reference(*kinds), np.random.default_rng(0)
    counts, found = Counter(), set()
    for cases in gangs(random_case, 1):
        for case, got in zip(cases, ours(cases), strict=True):
            verdict = agrees(reference, case, got, rng)
            assert verdict, failure(kinds, case, got)
            counts[verdict] += 1
            found.add(len(got))
    assert counts["conditioned"] < 0.01 * counts.total()
    assert {0, 1} <= found or kinds == ("plane", "box"), "cases are with and without contacts"


@every_pair
def test_poses_along_the_axes(kinds):
    ours, reference = Ours(*kinds), Reference(*kinds)
    for cases in gangs(aligned_case, 2):
        for case, got in zip(cases, ours(cases), strict=True):
            assert distance(reference(case), got) < 1e-12, failure(kinds, case, got)


@every_pair
def test_nearly_parallel_poses(kinds):
    ours, reference, rng = Ours(*kinds), Reference(*kinds), np.random.default_rng(0)
    for cases in gangs(tilted_case, 3):
        for case, got in zip(cases, ours(cases), strict=True):
            assert agrees(reference, case, got, rng), failure(kinds, case, got)


_number = st.one_of(st.sampled_from([0.0, 0.25, -0.5, 1.0]), st.floats(-1.5, 1.5))
_size = st.one_of(st.sampled_from([0.1, 0.25, 0.5, 1.0]), st.floats(0.01, 2.0))
_vector = st.tuples(_number, _number, _number).map(np.array)
_sizes = st.tuples(_size, _size, _size).map(np.array)
_whole = st.integers(-3, 3)
_rotation = st.one_of(
    st.sampled_from(TURNS),
    st.tuples(_whole, _whole, _whole, _whole).filter(any).map(rotation),
    st.tuples(st.sampled_from(TURNS), _vector, st.integers(2, 17)).map(
        lambda t: t[0] @ rotation(np.append(1.0, t[1] * 10.0 ** -t[2]))
    ),
)
_case = st.builds(
    lambda size1, pos1, mat1, size2, apart, mat2, reach: Case(
        size1, pos1, mat1, size2, pos1 + apart, mat2, reach
    ),
    _sizes, _vector, _rotation, _sizes, _vector, _rotation,
    st.sampled_from([0.0, 0.01, 0.25, 1.0, -0.05]),
)  # fmt: skip


@every_pair
@settings(
    derandomize=True, max_examples=16 if JIT else 8, deadline=None, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(cases=st.lists(_case, min_size=1, max_size=W))
def test_whatever_comes(kinds, cases):
    ours, reference, rng = Ours(*kinds), Reference(*kinds), np.random.default_rng(0)
    for case, got in zip(cases, ours(cases), strict=True):
        assert agrees(reference, case, got, rng), failure(kinds, case, got)


@pytest.mark.parametrize("kinds", [k for k in PAIRS if "box" in k], ids="-".join)
def test_flat_boxes(kinds):
    """Sizes of zero: the model compiler refuses them, a user who edits sizes does not."""
    ours, reference, rng = Ours(*kinds), Reference(*kinds), np.random.default_rng(0)
    for cases in gangs(random_case, 4):
        for k, case in enumerate(cases):
            case.size2[k % 3] = 0.0
        for case, got in zip(cases, ours(cases), strict=True):
            assert agrees(reference, case, got, rng), failure(kinds, case, got)


def test_a_capsule_without_length_is_a_sphere():
    kinds = ("capsule", "capsule")
    ours, reference = Ours(*kinds), Reference(*kinds)
    for cases in gangs(random_case, 5):
        for k, case in enumerate(cases):
            case.size1[1] *= k % 2
            case.size2[1] *= k % 4 < 2
        for case, got in zip(cases, ours(cases), strict=True):
            assert distance(reference(case), got) < 1e-12, failure(kinds, case, got)


# ------------------------------------------------------------------------------ known cases

UP, NONE = np.array([0.0, 0.0, 1.0]), np.zeros(3)


def place(size1, size2, pos2, mat2=TURNS[0], reach=0.0):
    size1, size2, pos2 = (np.array(x, float) for x in (size1, size2, pos2))
    return Case(size1, NONE, np.eye(3), size2, pos2, mat2, reach)


def test_a_capsule_on_a_plane_has_its_axis_as_tangent():
    lying = rotation([1.0, 0.0, 1.0, 0.0])
    (contacts,) = Ours("plane", "capsule")([place([0, 0, 1], [0.1, 0.5, 0], [0, 0, 0.05], lying)])
    expected = [Contact(-0.05, np.array([x, 0.0, -0.025]), UP, [1.0, 0, 0]) for x in (0.5, -0.5)]
    assert distance(contacts, expected) < 1e-15


def test_parallel_capsules_touch_at_both_ends_of_their_overlap():
    case = place([0.1, 1.0, 0], [0.1, 1.0, 0], [0.2, 0, 0.5], reach=0.01)
    (contacts,) = Ours("capsule", "capsule")([case])
    across = np.array([1.0, 0.0, 0.0])
    expected = [Contact(0.0, np.array([0.1, 0.0, z]), across, NONE) for z in (-0.5, 1.0)]
    assert distance(contacts, expected) < 1e-15


def test_a_box_on_a_box_has_the_corners_of_the_smaller_face():
    (contacts,) = Ours("box", "box")([place([1, 1, 1], [0.5, 0.25, 0.5], [0.5, 0, 1.45])])
    assert [c.dist for c in contacts] == pytest.approx([-0.05] * 4)
    assert {tuple(np.round(c.pos, 12)) for c in contacts} == {
        (x, y, 0.975) for x in (0.0, 1.0) for y in (-0.25, 0.25)
    }
    assert all(np.array_equal(c.normal, UP) for c in contacts)


def test_two_squares_turned_by_45_degrees_meet_in_an_octagon():
    turned = rotation([np.cos(np.pi / 8), 0.0, 0.0, np.sin(np.pi / 8)])
    (contacts,) = Ours("box", "box")([place([1, 1, 1], [1, 1, 1], [0, 0, 2.0], turned)])
    assert len(contacts) == 8


# ------------------------------------------------------------------------------------- lanes


@every_pair
def test_a_lane_does_not_see_the_others(kinds):
    """Bit by bit the same alone, in another lane, and beside lanes with NaN or another feature."""
    ours = Ours(*kinds)
    rng = np.random.default_rng(6)
    for _ in range(4):
        cases = [draw(rng) for draw in (random_case, tilted_case) for _ in range(W // 2)]
        together = ours(cases, per_world=True)
        broken = Case(*(x * np.nan for x in cases[0]))
        for lane, case in enumerate(cases):
            beside = [broken] * W
            beside[W - 1 - lane] = case
            alone = ours(beside, per_world=True)[W - 1 - lane]
            assert distance(alone, together[lane]) == 0.0, case


@every_pair
def test_sizes_of_each_world(kinds):
    """Model constants as lanes or as numbers give the same contacts."""
    ours = Ours(*kinds)
    for cases in gangs(random_case, 7):
        cases = [case._replace(size1=cases[0].size1, size2=cases[0].size2) for case in cases]
        shared = ours(cases, per_world=False)
        for a, b in zip(shared, ours(cases, per_world=True), strict=True):
            assert distance(a, b) < 1e-13


@pytest.mark.skipif(not JIT, reason="compares compiled kernels with plain Python")
@every_pair
def test_compiled_equals_plain(kinds):
    compiled, plain = Ours(*kinds), Ours(*kinds, jit=False)
    rng = np.random.default_rng(8)
    for draw in (random_case, aligned_case):
        cases = [draw(rng) for _ in range(W)]
        for a, b in zip(compiled(cases), plain(cases), strict=True):
            assert distance(a, b) < 1e-12


# ------------------------------------------------------------------------------------- table


def test_pairs_are_those_that_mujoco_has_a_function_for():
    table = functions()
    convex = table["ellipsoid", "ellipsoid"]
    for a, b in itertools.combinations_with_replacement(KINDS, 2):
        own = table[a, b] not in (None, convex) and "hfield" not in (a, b)
        assert own == ((a, b) in PAIRS), f"{a} with {b}"
