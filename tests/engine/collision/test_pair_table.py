"""The table of geom pairs: the ladders, the fields and MuJoCo's own table agree with it."""

import itertools
from types import SimpleNamespace

import mujoco
import pytest

from lanewise.engine.collision import narrow
from lanewise.engine.collision.box_box import CAPACITY
from lanewise.engine.collision.pairs import (
    GEOM_TYPES,
    MOST_CONTACTS,
    MOST_FOUND,
    PAIRS,
    number,
    parts_of,
)
from lanewise.engine.collision.waiting import WAITED
from lanewise.engine.occasions import CALL_PAIR, NCALL
from lanewise.fields import DATA_FIELDS
from lanewise.loaders.structure_collision import collision_parts, pairs_by_type
from support.narrow_phase import functions

ALL = list(itertools.combinations_with_replacement(GEOM_TYPES, 2))
FUNCTIONS = {pair.function for pair in PAIRS.values()}


class Types:
    """A model of two geoms of given types."""

    def __init__(self, types):
        self.geom_type = [GEOM_TYPES[name] for name in types]


class NoUserCode:
    user_code = (0,) * NCALL


@pytest.mark.parametrize("types", ALL, ids="-".join)
def test_ladders(types, monkeypatch):
    """Every pair goes to the function that its line names, and the others to none."""
    for name in FUNCTIONS:
        monkeypatch.setattr(narrow, name, lambda *_, name=name: name)
    for name in ("pair_code", "convex_pair", "narrow_primitive", "narrow_convex"):
        monkeypatch.setattr(narrow, name, getattr(narrow, name).python_function)
    found = narrow.narrow.python_function(Types(types), NoUserCode(), 0, 1, 0.0, True)
    assert found == (PAIRS[types].function if types in PAIRS else 0)


@pytest.mark.parametrize("types", PAIRS, ids="-".join)
def test_lines(types):
    pair = PAIRS[types]
    assert GEOM_TYPES[pair.first] <= GEOM_TYPES[pair.second]
    assert 1 <= pair.most <= MOST_FOUND and pair.most == MOST_CONTACTS[number(types)]
    assert pair.cost in ("low", "high") and pair.part in ("primitive", "convex")


def test_types_are_the_first_of_mujoco():
    for name, kind in GEOM_TYPES.items():
        assert kind == getattr(mujoco.mjtGeom, f"mjGEOM_{name.upper()}")
    assert sorted(GEOM_TYPES.values()) == list(range(len(GEOM_TYPES)))


def test_the_same_pairs_as_mujoco():
    """What MuJoCo has a function for has a line."""
    theirs = functions()
    for types in itertools.combinations_with_replacement([k for k in GEOM_TYPES if k != "mesh"], 2):
        assert (theirs[types] is not None) == (types in PAIRS), types


def test_room_for_what_is_found():
    """What a function may find, and after it what boxes that waited have."""
    assert WAITED == MOST_FOUND
    for name in ("found_dist", "found_pos", "found_frame"):
        assert DATA_FIELDS[name].dims[0] == WAITED + 1 + CAPACITY


def test_parts_of_a_model():
    """Geoms count if their bodies may touch and they have a contact type or affinity."""
    geoms = '<geom type="plane" size="1 1 1"/>'
    body = '<body><freejoint/><geom type="{}" size=".1 .1 .1" {}/></body>'

    def model(*bodies):
        xml = f"<mujoco><worldbody>{geoms}{''.join(bodies)}</worldbody></mujoco>"
        return mujoco.MjModel.from_xml_string(xml)

    box, off = body.format("box", ""), body.format("ellipsoid", 'contype="0" conaffinity="0"')
    assert collision_parts(model()) == set()
    assert collision_parts(model(off)) == set()
    assert collision_parts(model(box, box, off)) == {"primitive"}
    assert collision_parts(model(box, body.format("ellipsoid", ""))) == {"primitive", "convex"}
    user = SimpleNamespace(called={CALL_PAIR + number(("box", "ellipsoid")): None})
    assert "convex" in collision_parts(
        model(box, body.format("ellipsoid", ""), body.format("capsule", "")), user
    )
    assert collision_parts(model(box, body.format("ellipsoid", "")), user) == {"primitive"}
    counted = pairs_by_type(model(box, box, box))
    assert counted[number(("plane", "box"))] == 3 and counted[number(("box", "box"))] == 3
    assert counted.sum() == 6


def test_parts_of_pairs():
    assert parts_of([]) == set()
    assert parts_of([number(("plane", "plane"))]) == set()
    assert parts_of([number(("plane", "mesh")), number(("box", "box"))]) == {"convex", "primitive"}
