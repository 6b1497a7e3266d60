"""The touch sensor: the sum of the normal forces of contacts that press on a site.

A contact counts if one of its geoms is on the site's body and the line from the contact along its
normal, into the body, meets the site's surface: then it is inside, or has sunk in past the site.
"""

from ...lanes import kernel, splat, where
from ...mjconst import GEOM_CAPSULE, GEOM_CYLINDER, GEOM_ELLIPSOID, GEOM_SPHERE
from ..constraint.contact_force import net_force
from ..geometry.ray_shapes import (
    meets_box,
    meets_capsule,
    meets_cylinder,
    meets_ellipsoid,
    meets_sphere,
)
from ..spatial import mat_t_vec


@kernel
def touch_reading(m, d, s):
    """(contact, con_force) => reading at site s"""
    b, total = m.site_bodyid[s] * 1.0, splat(0.0)
    for k in range(d.ncon_most):
        force = net_force(d, k)[0]
        here = (d.con_body1[k] == b) | (d.con_body2[k] == b)
        on = (d.ncon > k) & (d.con_on[k] > 0.0) & here & (force > 0.0)
        # the normal points out of the first body
        p = mat_t_vec(d.site_xmat[s], d.contact.pos[k] - d.site_xpos[s])
        out = where(d.con_body2[k] == b, -1.0, 1.0)
        v = mat_t_vec(d.site_xmat[s], d.contact.frame[k][0:3] * out)
        total = total + where(on & meets_site(m, s, p, v), force, 0.0)
    return total


@kernel
def meets_site(m, s, p, v):
    """Mask: where the ray p + x v, in the site's axes, meets its surface."""
    kind, size = m.site_type[s], m.site_size[s]
    if kind == GEOM_SPHERE:
        return meets_sphere(p, v, size[0] * size[0]) >= 0.0
    if kind == GEOM_CAPSULE:
        x, _ = meets_capsule(p, v, size)
        return x >= 0.0
    if kind == GEOM_ELLIPSOID:
        return meets_ellipsoid(p, v, size) >= 0.0
    if kind == GEOM_CYLINDER:
        x, _ = meets_cylinder(p, v, size)
        return x >= 0.0
    x, _ = meets_box(p, v, size)
    return x >= 0.0
