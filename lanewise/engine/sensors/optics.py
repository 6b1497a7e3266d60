"""How a camera images: its focal lengths and principal point, in pixels.

MuJoCo has the numbers of the optics in single precision and computes with them so.
"""

from ...lanes import cos, kernel, sin, vec, where
from ...mjconst import PI

TO_SINGLE = 536870913.0  # 2^29 + 1: what is lost of a product with it leaves 24 bits


@kernel(fused=False)
def single(x):
    """x rounded to single precision."""
    c = TO_SINGLE * x
    return c - (c - x)


@kernel
def optics(m, c):
    """(fx, fy, cx, cy) of camera c: by its lens and sensor, or by its field of view"""
    width, height = 1.0 * m.cam_resolution[c, 0], 1.0 * m.cam_resolution[c, 1]
    half = m.cam_fovy[c] * (PI / 360.0)
    by_view = 0.5 * height * cos(half) / sin(half)
    # lengths in the units of the sensor's pixels
    size, lens = m.cam_sensorsize[c], m.cam_intrinsic[c]
    given = (size[0] != 0.0) & (size[1] != 0.0)
    across, up = where(given, size[0], 1.0), where(given, size[1], 1.0)
    return vec(
        where(given, single(single(lens[0] / across) * width), by_view),
        where(given, single(single(lens[1] / up) * height), by_view),
        where(given, single(single(lens[2] / across) * width), 0.5 * width),
        where(given, single(single(lens[3] / up) * height), 0.5 * height),
    )
