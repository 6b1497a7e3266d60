"""Whether a point is inside the shape of a site.

The shape of a mesh is its convex hull: what is behind the planes of all its polygons.
"""

from ...lanes import abs_, clip, kernel, lane_mask, vec, where
from ...mjconst import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_MESH,
    GEOM_SPHERE,
)
from ..spatial import dot3, mat_t_vec, neg_quat, rot_vec_quat


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
    if kind == GEOM_MESH:
        return inside_hull(m, m.site_dataid[s], size, p)
    return lane_mask(0)


@kernel
def inside_hull(m, mesh, size, p_SQ):
    """Mask: where a point, in the axes of a site, is behind all polygons of a mesh's hull, and not
    out of the site's size, which is the box around the hull unless it was edited."""
    p = rot_vec_quat(p_SQ - m.mesh_pos[mesh], neg_quat(m.mesh_quat[mesh]))
    inside = (abs_(p[0]) <= size[0]) & (abs_(p[1]) <= size[1]) & (abs_(p[2]) <= size[2])
    for k in range(m.mesh_polyadr[mesh], m.mesh_polyadr[mesh] + m.mesh_polynum[mesh]):
        v = m.mesh_vert[m.mesh_vertadr[mesh] + m.mesh_polyvert[m.mesh_polyvertadr[k]]]
        inside = inside & (dot3(m.mesh_polynormal[k], p - v) < 0.0)
    return inside


@kernel
def inside_query(m, d):
    """(query_site, query_point) => query_inside"""
    d.query_inside = where(inside_site(m, d, d.query_site[0], d.query_point[0]), 1.0, 0.0)
