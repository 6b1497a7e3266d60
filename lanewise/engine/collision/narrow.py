"""The narrow phase: which function finds the contacts of which pair of geom types."""

from ...lanes import kernel
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
from .box_box import box_box
from .convex import convex
from .custom import pair_code, user_pair
from .hfield import hfield_pair
from .mesh import plane_mesh
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
    """Candidates of two geoms, the first of lower type: fills found_*, returns how many."""
    if pair_code(m, g1, g2):
        return user_pair(m, d, g1, g2, reach, mask)
    kind1, kind2 = m.geom_type[g1], m.geom_type[g2]
    if kind1 == GEOM_PLANE:
        return with_plane(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_HFIELD:
        return hfield_pair(m, d, g1, g2, reach, mask) if kind2 != GEOM_HFIELD else 0
    if kind1 == GEOM_SPHERE and kind2 == GEOM_SPHERE:
        return sphere_sphere(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_SPHERE and kind2 == GEOM_CAPSULE:
        return sphere_capsule(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_SPHERE and kind2 == GEOM_CYLINDER:
        return sphere_cylinder(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_SPHERE and kind2 == GEOM_BOX:
        return sphere_box(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_CAPSULE and kind2 == GEOM_CAPSULE:
        return capsule_capsule(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_CAPSULE and kind2 == GEOM_BOX:
        return capsule_box(m, d, g1, g2, reach, mask)
    if kind1 == GEOM_BOX and kind2 == GEOM_BOX:
        return box_box(m, d, g1, g2, reach, mask)
    return convex(m, d, g1, g2, reach, mask)


@kernel
def with_plane(m, d, g1, g2, reach, mask):
    """Candidates of a plane and another geom."""
    kind = m.geom_type[g2]
    if kind == GEOM_SPHERE:
        return plane_sphere(m, d, g1, g2, reach, mask)
    if kind == GEOM_CAPSULE:
        return plane_capsule(m, d, g1, g2, reach, mask)
    if kind == GEOM_ELLIPSOID:
        return plane_ellipsoid(m, d, g1, g2, reach, mask)
    if kind == GEOM_CYLINDER:
        return plane_cylinder(m, d, g1, g2, reach, mask)
    if kind == GEOM_BOX:
        return plane_box(m, d, g1, g2, reach, mask)
    if kind == GEOM_MESH:
        return plane_mesh(m, d, g1, g2, reach, mask)
    return 0


@kernel
def costly(m, g1, g2):
    """Whether two geoms, the first of lower type, go to a method that is worth a closer look."""
    kind1, kind2 = m.geom_type[g1], m.geom_type[g2]
    if pair_code(m, g1, g2):
        return False
    if kind2 == GEOM_MESH:
        return kind1 != GEOM_HFIELD
    if kind2 == GEOM_ELLIPSOID:
        return kind1 >= GEOM_SPHERE
    return kind1 >= GEOM_ELLIPSOID or (kind1 == GEOM_CAPSULE and kind2 != GEOM_CAPSULE)
