"""Which geoms can touch and how their contacts are found: a line for every pair of geom types.

    types       of the two geoms, the lower one first in the order of mjtGeom
    function    the kernel that finds the contacts; the ladder in narrow.py calls it
    most        contacts that a world can have of one such pair
    cost        low: found as fast as the boxes around the geoms are compared; high: compare first
    part        of the compiled engine: `primitive` has the closed forms, on lanes; `convex` what
                iterates: support points, GJK, EPA, prisms of a height field

A pair without a line never touches: planes and height fields, which do not move, among themselves.
To add a pair, write its function, a line here and a line in the ladder; everything else that has to
know about pairs (the room for contacts, the choice of compiled parts, the tests) reads this table.
It imports no kernels, so that whoever loads a model can.
"""

from typing import NamedTuple

from ...mjconst import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_PLANE,
    GEOM_SPHERE,
)

GEOM_TYPES = {
    "plane": GEOM_PLANE,
    "hfield": GEOM_HFIELD,
    "sphere": GEOM_SPHERE,
    "capsule": GEOM_CAPSULE,
    "ellipsoid": GEOM_ELLIPSOID,
    "cylinder": GEOM_CYLINDER,
    "box": GEOM_BOX,
    "mesh": GEOM_MESH,
}

_TABLE = """
plane      sphere     plane_sphere      1  low   primitive
plane      capsule    plane_capsule     2  low   primitive
plane      ellipsoid  plane_ellipsoid   1  low   primitive
plane      cylinder   plane_cylinder    4  low   primitive
plane      box        plane_box         4  low   primitive
plane      mesh       plane_mesh        4  high  convex
hfield     sphere     hfield_pair      50  low   convex
hfield     capsule    hfield_pair      50  low   convex
hfield     ellipsoid  hfield_pair      50  low   convex
hfield     cylinder   hfield_pair      50  low   convex
hfield     box        hfield_pair      50  low   convex
hfield     mesh       hfield_pair      50  low   convex
sphere     sphere     sphere_sphere     1  low   primitive
sphere     capsule    sphere_capsule    1  low   primitive
sphere     ellipsoid  convex            1  high  convex
sphere     cylinder   sphere_cylinder   1  low   primitive
sphere     box        sphere_box        1  low   primitive
sphere     mesh       convex            1  high  convex
capsule    capsule    capsule_capsule   2  low   primitive
capsule    ellipsoid  convex            1  high  convex
capsule    cylinder   convex            2  high  convex
capsule    box        capsule_box       2  high  primitive
capsule    mesh       convex            2  high  convex
ellipsoid  ellipsoid  convex            1  high  convex
ellipsoid  cylinder   convex            1  high  convex
ellipsoid  box        convex            1  high  convex
ellipsoid  mesh       convex            1  high  convex
cylinder   cylinder   convex            4  high  convex
cylinder   box        convex            4  high  convex
cylinder   mesh       convex            4  high  convex
box        box        box_box           8  high  primitive
box        mesh       convex            4  high  convex
mesh       mesh       convex            4  high  convex
"""


class Pair(NamedTuple):
    """One line of the table."""

    first: str
    second: str
    function: str
    most: int
    cost: str
    part: str


def _pair(line):
    first, second, function, most, cost, part = line.split()
    return Pair(first, second, function, int(most), cost, part)


PAIRS = {(p.first, p.second): p for p in map(_pair, _TABLE.strip().splitlines())}
MOST_FOUND = 50  # rows of found_*: contacts that any function may find, one of the user's too


def number(types):
    """8 * lower type + higher type, of two names: places in tables over all pairs."""
    low, high = sorted(GEOM_TYPES[name] for name in types)
    return len(GEOM_TYPES) * low + high


def _by_number(fact, none):
    """A tuple over all pairs of types, which kernels can index: a fact of each pair, or `none`."""
    out = [none] * len(GEOM_TYPES) ** 2
    for types, pair in PAIRS.items():
        out[number(types)] = fact(pair)
    return tuple(out)


MOST_CONTACTS = _by_number(lambda pair: pair.most, 0)
COSTLY = _by_number(lambda pair: int(pair.cost == "high"), 0)
IN_CONVEX = _by_number(lambda pair: int(pair.part == "convex"), 0)


def parts_of(numbers):
    """The parts of the compiled engine that these pairs of types, given as numbers, need."""
    known = {number(types): pair.part for types, pair in PAIRS.items()}
    return {known[k] for k in numbers if k in known}
