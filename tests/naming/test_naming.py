"""Objects by name or number, one or several: one function for all who ask."""

import numpy as np
import pytest

import lanewise as lw
from lanewise.naming import numbers_of


@pytest.fixture(scope="module")
def mj():
    return lw.load(lw.models.path("quadruped")).mj


def test_one_and_several(mj):
    trunk = mj.body("trunk").id
    for one in ("trunk", trunk, np.int8(trunk), np.str_("trunk"), np.array(trunk)):
        number = numbers_of(mj, "body", one)
        assert number.shape == () and number == trunk and number.dtype == np.int32
    for several in (["trunk", 0], (trunk, "world"), np.array(["trunk", "world"]), [trunk, 0]):
        assert numbers_of(mj, "body", several).tolist() == [trunk, 0]
    assert numbers_of(mj, "body", [["trunk", "world"], [0, 1]]).tolist() == [[trunk, 0], [0, 1]]
    assert numbers_of(mj, "body", range(3)).tolist() == [0, 1, 2]
    assert numbers_of(mj, "body", []).shape == (0,)
    assert numbers_of(mj, "body", [-1, "trunk"], least=-1).tolist() == [-1, trunk]


@pytest.mark.parametrize(
    ("keys", "error", "words"),
    [
        ("trnk", lw.UnknownName, r"no body 'trnk' \(did you mean 'trunk'\?\)"),
        (["trunk", "trunc"], lw.UnknownName, "no body 'trunc'"),
        (99, lw.UnknownNumber, r"bodies must be in \[0, 14\), got 99"),
        ([0, -1], lw.UnknownNumber, r"bodies must be in \[0, 14\), got -1"),
        (["trunk", 99], lw.UnknownNumber, r"bodies must be in \[0, 14\), got 99"),
        (2**40, lw.UnknownNumber, "got 1099511627776"),
        (0.5, ValueError, "bodies must be names or integers, got 0.5"),
        ([0.5, 1.0], ValueError, "bodies must be names or integers, got float64"),
        (None, ValueError, "bodies must be names or integers, got None"),
        (["trunk", None], ValueError, "bodies must be names or integers, got object"),
        (True, ValueError, "bodies must be names or integers, got True"),
    ],
)
def test_mistakes(mj, keys, error, words):
    assert mj.nbody == 14
    with pytest.raises(error, match=words):
        numbers_of(mj, "body", keys, "bodies")


def test_errors_are_of_several_kinds(mj):
    """An IndexError, as of any index, and a ValueError, as MuJoCo's batch raises it."""
    assert issubclass(lw.UnknownNumber, lw.LanewiseError)
    for kind in (IndexError, ValueError):
        with pytest.raises(kind):
            numbers_of(mj, "body", 99)
