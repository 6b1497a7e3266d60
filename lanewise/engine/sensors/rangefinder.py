"""Rangefinders: what a ray from a site, or the rays through the pixels of a camera, meet.

A site looks along its z axis. Pixels are counted row by row from the upper left. With f the focal
lengths and c the principal point in pixels, the ray through the middle of pixel (i, j) of a
perspective camera has the direction

    (1)  (i + 1/2 - cx) / fx,  -(j + 1/2 - cy) / fy,  -1     in the camera's axes.

An orthographic one looks along -z everywhere, from the places of its pixels.
"""

from ...lanes import NROW, kernel, splat, vec, where
from ...mjconst import (
    OBJ_SITE,
    PROJ_ORTHOGRAPHIC,
    RAYDATA_DEPTH,
    RAYDATA_DIR,
    RAYDATA_DIST,
    RAYDATA_NORMAL,
    RAYDATA_ORIGIN,
    RAYDATA_POINT,
)
from ..geometry.casting import cast_rays
from ..spatial import column, dot3, mat_vec, normalize3
from .optics import optics

FAR = 1e10  # no cutoff


@kernel
def cast_site_rays(m, d):
    """The rays of all rangefinders at sites: ray_dist, ray_geom, ray_normal"""
    n = 0
    for i in range(m.nsensor):
        r = m.sensor_ray[i]
        if r >= 0:
            s = m.sensor_objid[i]
            d.ray_pnt[r] = d.site_xpos[s]
            d.ray_vec[r] = column(d.site_xmat[s], 2)
            d.ray_exclude[r] = 1.0 * m.site_bodyid[s]
            n = r + 1
    if n > 0:
        cast_rays(m, d, 0, n, 0)


@kernel
def read_ranges(m, d, i):
    """sensordata of a rangefinder"""
    adr, data = m.sensor_adr[i], m.sensor_intprm[i, 0]
    if m.sensor_objtype[i] == OBJ_SITE:
        store_ray(d, adr, data, m.sensor_ray[i], d.ray_vec[m.sensor_ray[i]])
        return
    # a camera: a packet of pixels at once, in the last of the rays
    c = m.sensor_objid[i]
    number = m.cam_resolution[c, 0] * m.cam_resolution[c, 1]
    size = m.sensor_dim[i] // number
    forward = -column(d.cam_xmat[c], 2)
    same_start = 0 if m.cam_projection[c] == PROJ_ORTHOGRAPHIC else 1
    d.ray_cutoff[0] = splat(FAR)
    ray = m.nray - NROW
    for first in range(0, number, NROW):
        count = min(NROW, number - first)
        for k in range(count):
            aim_at_pixel(m, d, c, first + k, ray + k)
        cast_rays(m, d, ray, count, same_start)
        for k in range(count):
            store_ray(d, adr + (first + k) * size, data, ray + k, forward)


@kernel
def aim_at_pixel(m, d, c, pixel, r):
    """Ray r goes through a pixel of camera c."""
    width, height = 1.0 * m.cam_resolution[c, 0], 1.0 * m.cam_resolution[c, 1]
    x = 1.0 * (pixel % m.cam_resolution[c, 0]) + 0.5
    y = 1.0 * (pixel // m.cam_resolution[c, 0]) + 0.5
    R, p, direction = d.cam_xmat[c], d.cam_xpos[c], vec(splat(0.0), splat(0.0), splat(-1.0))
    if m.cam_projection[c] == PROJ_ORTHOGRAPHIC:
        # the image is a square, whatever its resolution
        side, z = m.cam_fovy[c], splat(0.0)
        p = p + mat_vec(R, vec(z + (x / width - 0.5) * side, z - (y / height - 0.5) * side, z))
    else:
        # (1)
        o = optics(m, c)
        direction = normalize3(vec((x - o[2]) / o[0], -(y - o[3]) / o[1], splat(-1.0)))
    d.ray_pnt[r] = p
    d.ray_vec[r] = mat_vec(R, direction)
    d.ray_exclude[r] = 1.0 * m.cam_bodyid[c]


@kernel
def store_ray(d, adr, data, r, forward):
    """The fields of `data` of ray r; depth is measured along `forward`"""
    dist, p, v = d.ray_dist[r], d.ray_pnt[r], d.ray_vec[r]
    hit, x = dist >= 0.0, adr
    if data & 1 << RAYDATA_DIST:
        d.sensordata[x] = dist
        x += 1
    if data & 1 << RAYDATA_DIR:
        x = store_where(d, x, v, hit)
    if data & 1 << RAYDATA_ORIGIN:
        x = store_where(d, x, p, dist >= -1.0)
    if data & 1 << RAYDATA_POINT:
        x = store_where(d, x, p + v * dist, hit)
    if data & 1 << RAYDATA_NORMAL:
        x = store_where(d, x, d.ray_normal[r], hit)
    if data & 1 << RAYDATA_DEPTH:
        d.sensordata[x] = where(hit, dist * dot3(v, forward), -1.0)


@kernel(inline=True)
def store_where(d, x, v, mask):
    """v where mask, else zeros, at place x of sensordata; the place after it."""
    d.sensordata[x] = where(mask, v[0], 0.0)
    d.sensordata[x + 1] = where(mask, v[1], 0.0)
    d.sensordata[x + 2] = where(mask, v[2], 0.0)
    return x + 3
