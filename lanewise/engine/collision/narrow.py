"""The narrow phase: which function finds the contacts of which pair of geom types.

The ladders say what the table in pairs.py says; a test compares them. There are two, because the
methods that iterate are a part of the compiled engine that many models do without.
"""

from ...lanes import bits, kernel, mask_of, splat
from ...mjconst import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_HFIELD,
    GEOM_PLANE,
    GEOM_SPHERE,
)
from .box_box import box_box
from .convex import convex
from .custom import pair_code, user_pair
from .hfield import hfield_pair
from .mesh import plane_mesh
from .pairs import COSTLY, IN_CONVEX
from .plane import plane_box, plane_capsule, plane_cylinder, plane_ellipsoid, plane_sphere
from .round import (
    capsule_box,
    capsule_capsule,
    sphere_box,
    sphere_capsule,
    sphere_cylinder,
    sphere_sphere,
)


@kernel
def narrow(m, d, g1, g2, reach, mask):
    """Candidates of two geoms, the first of lower type: fills found_*, returns how many; or WAITS,
    and pair_lanes the worlds that are to wait.
    """
    if pair_code(m, d, g1, g2):
        return user_pair(m, d, g1, g2, reach, mask)
    if IN_CONVEX[8 * m.geom_type[g1] + m.geom_type[g2]]:
        d.pair_reach = splat(reach)
        d.pair_lanes = bits(mask)
        return convex_pair(m, d, g1, g2)
    return narrow_primitive(m, d, g1, g2, reach, mask)


@kernel
def narrow_primitive(m, d, g1, g2, reach, mask):
    """Candidates by a closed form; none of types that never touch."""
    kind1, kind2 = m.geom_type[g1], m.geom_type[g2]
    # a plane with what stands on it
    if kind1 == GEOM_PLANE and kind2 == GEOM_SPHERE:
        return plane_sphere(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_PLANE and kind2 == GEOM_CAPSULE:
        return plane_capsule(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_PLANE and kind2 == GEOM_ELLIPSOID:
        return plane_ellipsoid(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_PLANE and kind2 == GEOM_CYLINDER:
        return plane_cylinder(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_PLANE and kind2 == GEOM_BOX:
        return plane_box(m, d, g1, g2, reach, mask)
    # a sphere with what has a nearest point
    if kind1 == GEOM_SPHERE and kind2 == GEOM_SPHERE:
        return sphere_sphere(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_SPHERE and kind2 == GEOM_CAPSULE:
        return sphere_capsule(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_SPHERE and kind2 == GEOM_CYLINDER:
        return sphere_cylinder(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_SPHERE and kind2 == GEOM_BOX:
        return sphere_box(m, d, g1, g2, reach, mask)
    # segments and boxes
    if kind1 == GEOM_CAPSULE and kind2 == GEOM_CAPSULE:
        return capsule_capsule(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_CAPSULE and kind2 == GEOM_BOX:
        return capsule_box(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_BOX and kind2 == GEOM_BOX:
        return box_box(m, d, g1, g2, reach, mask)
    return 0


@kernel(fused=False)
def convex_pair(m, d, g1, g2):
    """narrow_convex, as a door of the part that has it: its other arguments are fields."""
    return narrow_convex(m, d, g1, g2, d.pair_reach, mask_of(d.pair_lanes))


@kernel
def narrow_convex(m, d, g1, g2, reach, mask):
    """Candidates by a method that iterates."""
    kind1 = m.geom_type[g1]
    if kind1 == GEOM_PLANE:
        return plane_mesh(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_HFIELD:
        return hfield_pair(m, d, g1, g2, reach, mask)
    return convex(m, d, g1, g2, reach, mask)


@kernel
def costly(m, d, g1, g2):
    """Whether to compare the boxes around two geoms, the first of lower type, before narrow."""
    if pair_code(m, d, g1, g2):
        return False
    return COSTLY[8 * m.geom_type[g1] + m.geom_type[g2]] == 1
