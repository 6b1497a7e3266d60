"""The compiler tells LLVM that fields share no memory: here it is seen that they do not."""

from itertools import pairwise

import numpy as np
import pytest

import lanewise as lw
from lanewise.lanes.places import SHARED


@pytest.mark.parametrize("model", ["humanoid", "boxes", "muscle_arm", "pendulum"])
@pytest.mark.parametrize("nworld", [1, 8])
def test_fields_share_no_memory(model, nworld):
    d = lw.Data(lw.load(lw.models.path(model)), nworld)
    places = sorted(
        (*np.lib.array_utils.byte_bounds(x), name)
        for name, x in d.arrays.items()
        if x.size and name not in SHARED
    )
    assert len(places) > 300
    for (_, end, first), (begin, _, second) in pairwise(places):
        assert end <= begin, f"{first} and {second}"
