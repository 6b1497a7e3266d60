"""Lanes: eight worlds in one SIMD register. See primitives.py for what kernels can say."""

from .elementary import acos, asin, atan2, clip, cos, exp, log, pow, sign, sin, sincos, tan, tanh
from .kernel import JIT, Entries, Kernel, kernel
from .primitives import (
    Field,
    Struct,
    Vec,
    W,
    abs_,
    all_lanes,
    any_lane,
    concat,
    copysign,
    floor,
    fma,
    frexp,
    lane_item,
    lane_mask,
    ldexp,
    load3,
    load4,
    maximum,
    minimum,
    not_,
    rint,
    splat,
    sqrt,
    store3,
    store4,
    to_lane,
    vec,
    where,
)  # fmt: skip
