"""Whether a point is inside the shape of a site."""

from ...lanes import abs_, clip, kernel, lane_mask, vec
from ...mjconst import GEOM_BOX, GEOM_CAPSULE, GEOM_CYLINDER, GEOM_ELLIPSOID, GEOM_SPHERE
from ..spatial import dot3, mat_t_vec


@kernel
def inside_site(m, d, s, p_WQ):
    """Mask: worlds in which the point Q is inside site s."""
    p = mat_t_vec(d.site_xmat[s], p_WQ - d.site_xpos[s])
    kind, size = m.site_type[s], m.site_size[s]
    if kind == GEOM_SPHERE:
        return dot3(p, p) < size[0] * size[0]
    if kind == GEOM_CAPSULE:
        r = vec(p[0], p[1], p[2] - clip(p[2], -size[1], size[1]))
        return dot3(r, r) < size[0] * size[0]
    if kind == GEOM_ELLIPSOID:
        r = vec(p[0] / size[0], p[1] / size[1], p[2] / size[2])
        return dot3(r, r) < 1.0
    if kind == GEOM_CYLINDER:
        return (abs_(p[2]) < size[1]) & (p[0] * p[0] + p[1] * p[1] < size[0] * size[0])
    if kind == GEOM_BOX:
        return (abs_(p[0]) < size[0]) & (abs_(p[1]) < size[1]) & (abs_(p[2]) < size[2])
    return lane_mask(0)
