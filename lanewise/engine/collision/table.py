"""Which function serves which pair of geom types.

The first geom of a pair has the lower type, in the order plane, height field, sphere, capsule,
ellipsoid, cylinder, box, mesh. These pairs have a closed form. Of the others, a plane with a mesh
and a height field with anything have functions of their own, a plane does not collide with planes
and height fields, nor a height field with another, and what remains is convex against convex.
"""

from .box_box import box_box
from .plane import plane_box, plane_capsule, plane_cylinder, plane_ellipsoid, plane_sphere
from .round import (
    capsule_box,
    capsule_capsule,
    sphere_box,
    sphere_capsule,
    sphere_cylinder,
    sphere_sphere,
)

PAIRS = {
    ("plane", "sphere"): plane_sphere,
    ("plane", "capsule"): plane_capsule,
    ("plane", "ellipsoid"): plane_ellipsoid,
    ("plane", "cylinder"): plane_cylinder,
    ("plane", "box"): plane_box,
    ("sphere", "sphere"): sphere_sphere,
    ("sphere", "capsule"): sphere_capsule,
    ("sphere", "cylinder"): sphere_cylinder,
    ("sphere", "box"): sphere_box,
    ("capsule", "capsule"): capsule_capsule,
    ("capsule", "box"): capsule_box,
    ("box", "box"): box_box,
}
