"""Casting rays: which geom of a world a ray meets first, and how far away.

Rays go in packets, eight rays of one world, each number of them a Row. A packet goes through the
geoms that count (`find_candidates`), and looks closer at those whose bounding sphere one of its
rays meets before what it met already; closer means in the axes of the geom, where shapes are simple
(ray_shapes.py, ray_triangles.py).

The order of geoms is MuJoCo's, so that the same one is named where several lie on top of each
other. What counts is what is drawn: not a geom without a material whose alpha is zero, nor one
whose material's alpha is; nor static ones, groups or a body that were asked to be left out.

`cast_rays` is for rays that a stage has left in d.ray_pnt and d.ray_vec, the same number in every
world; the call of a Batch (calls/ray.py) fills packets by itself.
"""

from ...lanes import (
    NROW,
    W,
    all_lanes,
    any_lane,
    kernel,
    load_lane,
    not_,
    store_lane,
    vec,
    where,
)
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
from ..spatial import dot3, mat_t_vec
from .ray_angles import azimuth, elevation, find_angles, meets_body
from .ray_normals import find_normals
from .ray_shapes import (
    INF,
    NO_HIT,
    meets_box,
    meets_capsule,
    meets_cylinder,
    meets_ellipsoid,
    meets_plane,
    meets_sphere,
)
from .ray_triangles import meets_field, meets_mesh

ALL_GROUPS = -1
STATIC, MOVING = 1, 2  # bits: which geoms count
NGROUP = 6


@kernel
def cast_rays(m, d, first, count, pruned):
    """(ray_pnt, ray_vec, ray_exclude) => (ray_dist, ray_geom, ray_normal), of `count` rays

    Pruned as mj_multiRay does: all rays start where the first one does, and leave out its body and
    what is farther than ray_cutoff. Otherwise as mj_ray.
    """
    for w in range(W):
        find_candidates(m, d, w, ALL_GROUPS, STATIC | MOVING)
        if pruned:
            p = load_lane(d.ray_pnt, first, w)
            find_angles(m, d, w, p, load_lane(d.ray_cutoff, 0, w))
        for k in range(first, first + count, NROW):
            # the last packet repeats its first ray
            for i in range(NROW):
                r = k + i if k + i < first + count else k
                store_lane(d.packet_pnt, 0, i, load_lane(d.ray_pnt, r, w))
                store_lane(d.packet_vec, 0, i, load_lane(d.ray_vec, r, w))
                store_lane(d.packet_exclude, 0, i, load_lane(d.ray_exclude, r, w))
            d.packet_reach[0] = INF
            cast_packet(m, d, w, pruned)
            find_normals(m, d, w)
            for i in range(min(NROW, first + count - k)):
                store_lane(d.ray_dist, k + i, w, load_lane(d.packet_dist, 0, i))
                store_lane(d.ray_geom, k + i, w, load_lane(d.packet_geom, 0, i))
                store_lane(d.ray_normal, k + i, w, load_lane(d.packet_normal, 0, i))


# --------------------------------------------------------------------------------------- candidates


@kernel
def find_candidates(m, d, w, groups, kinds):
    """=> (ray_candidate, ray_sphere) of world w: geoms that count, and spheres around them"""
    n = 0
    for g in range(m.ngeom):
        if counts(m, g, groups, kinds):
            d.ray_candidate[n] = g
            p, square = bounding_sphere(m, d, w, g)
            d.ray_sphere[n] = vec(p[0], p[1], p[2], square)
            n += 1
    d.ray_ncandidate = n


@kernel(inline=True)
def counts(m, g, groups, kinds):
    """Whether a geom is drawn, of a group whose bit is set, and of a kind that is asked for"""
    material, group = m.geom_matid[g], min(max(m.geom_group[g], 0), NGROUP - 1)
    alpha = m.mat_rgba[material, 3] if material >= 0 else m.geom_rgba[g, 3]
    kind = STATIC if m.body_weldid[m.geom_bodyid[g]] == 0 else MOVING
    return alpha != 0.0 and (kinds & kind) != 0 and (groups >> group) & 1 == 1


@kernel
def bounding_sphere(m, d, w, g):
    """Centre and squared radius, infinite for a plane; by the sizes, which may have been edited"""
    kind, p, s = m.geom_type[g], load_lane(d.geom_xpos, g, w), load_lane(m.geom_size, g, w)
    square = first_sphere(kind, s)
    if kind == GEOM_PLANE:
        square = INF
    elif kind == GEOM_ELLIPSOID:
        longest = max(max(s[0], s[1]), s[2])
        square = longest * longest
    elif kind == GEOM_HFIELD:
        # from the bottom of its base to the top of its surface
        size, R = load_lane(m.hfield_size, m.geom_dataid[g], w), load_lane(d.geom_xmat, g, w)
        half = 0.5 * (size[2] + size[3])
        p = p + vec(R[2], R[5], R[8]) * (half - size[3])
        square = size[0] * size[0] + size[1] * size[1] + half * half
    return p, square * (1.0 + 1e-9)


# ------------------------------------------------------------------------------------------ packets


@kernel
def cast_packet(m, d, w, pruned):
    """(packet_pnt, packet_vec, packet_exclude, packet_reach) => (packet_dist, packet_geom,
    packet_part)

    With the candidates of world w. Hits have to be before packet_reach.
    """
    p, v, exclude = d.packet_pnt[0], d.packet_vec[0], d.packet_exclude[0]
    best, geom, part = d.packet_reach[0], NO_HIT, NO_HIT
    a = dot3(v, v)
    body, near_body = -1, a >= 0.0
    ray_azimuth, ray_elevation = 0.0, 0.0
    if pruned:
        ray_azimuth, ray_elevation = azimuth(v), elevation(v)
    for k in range(d.ray_ncandidate):
        # the sphere is missed, or only met after the best hit so far; with room for round-off
        sphere = d.ray_sphere[k]
        r = p - sphere[0:3]
        b, c = dot3(v, r), dot3(r, r) * (1.0 - 1e-12) - sphere[3]
        square, late = b * b - a * c, -b - best * a
        missed = (square < 0.0) | ((b > 0.0) & (c > 0.0))
        missed = missed | ((late > 0.0) & (late * late > square * (1.0 + 1e-9)))
        if all_lanes(missed):
            continue
        g = d.ray_candidate[k]
        near = not_(missed) & (exclude != m.geom_bodyid[g])
        if pruned:
            if m.geom_bodyid[g] != body:
                body = m.geom_bodyid[g]
                near_body = a >= 0.0
                if m.body_bvhadr[body] >= 0:
                    near_body = meets_body(m, d, w, body, p, v)
            angles = d.ray_angles[k]
            near = near & near_body & (ray_azimuth >= angles[0]) & (ray_azimuth <= angles[2])
            near = near & (ray_elevation >= angles[1]) & (ray_elevation <= angles[3])
        if any_lane(near):
            x, piece = meets_geom(m, d, w, g, p, v, best, near)
            closer = near & (x >= 0.0) & (x < best)
            best, geom = where(closer, x, best), where(closer, g, geom)
            part = where(closer, piece, part)
    d.packet_dist[0] = where(geom >= 0.0, best, NO_HIT)
    d.packet_geom[0] = geom
    d.packet_part[0] = part


@kernel
def meets_geom(m, d, w, g, p_W, v_W, best, on):
    """Where rays meet a geom: x or -1, and the part of its surface

    Of meshes and height fields only the rays of `on`, and what is before `best`.
    """
    kind, size = m.geom_type[g], load_lane(m.geom_size, g, w)
    from_center = p_W - load_lane(d.geom_xpos, g, w)
    # spheres, and those around shapes with corners: decisive for rays that graze a corner
    x, part = where(on, NO_HIT, NO_HIT), where(on, 0.0, 0.0)
    square = first_sphere(kind, size)
    if square >= 0.0:
        x = meets_sphere(from_center, v_W, square)
        on = on & (x >= 0.0)
    if kind != GEOM_SPHERE and any_lane(on):
        p, v = into_axes(load_lane(d.geom_xmat, g, w), from_center, v_W)
        if kind == GEOM_PLANE:
            x = meets_plane(p, v, size)
        elif kind == GEOM_CAPSULE:
            x, part = meets_capsule(p, v, size)
        elif kind == GEOM_BOX:
            x, part = meets_box(p, v, size)
        elif kind == GEOM_MESH:
            x, part = meets_mesh(m, d, m.geom_dataid[g], size, p, v, best, on)
        elif kind == GEOM_CYLINDER:
            x, part = meets_cylinder(p, v, size)
        elif kind == GEOM_ELLIPSOID:
            x = meets_ellipsoid(p, v, size)
        elif kind == GEOM_HFIELD:
            field = m.geom_dataid[g]
            field_size = load_lane(m.hfield_size, field, w)
            x, part = meets_field(m, d, field, field_size, p, v, best, on)
    return where(on, x, NO_HIT), part


@kernel(fused=False)
def first_sphere(kind, s):
    """The squared radius of the sphere that MuJoCo looks at first, by the sizes; -1: at none"""
    square = -1.0
    if kind == GEOM_SPHERE:
        square = s[0] * s[0]
    elif kind == GEOM_CAPSULE:
        square = (s[0] + s[1]) * (s[0] + s[1])
    elif kind == GEOM_CYLINDER:
        square = s[0] * s[0] + s[1] * s[1]
    elif kind == GEOM_BOX or kind == GEOM_MESH:
        square = dot3(s, s)
    return square


@kernel(fused=False)
def into_axes(R, p, v):
    """A point and a direction in the axes that are the columns of R"""
    return mat_t_vec(R, p), mat_t_vec(R, v)
